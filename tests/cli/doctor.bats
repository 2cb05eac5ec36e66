#!/usr/bin/env bats
# `box doctor` on this machine, and on one without Podman.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { box_setup; }
teardown() {
    ssh_teardown
    box_teardown
}

# without_podman COMMAND…: with only box in PATH, and without a service.
without_podman() {
    mkdir -p "$TEST_HOME/bin" "$TEST_HOME/run"
    ln -sf "$(command -v box)" "$TEST_HOME/bin/box"
    env -u CONTAINER_HOST PATH="$TEST_HOME/bin" XDG_RUNTIME_DIR="$TEST_HOME/run" "$@"
}

# level ID: the level of the finding ID in the JSON $output.
level() {
    jq -r --arg id "$1" '.findings[] | select(.id == $id) | .level' <<<"$output"
}

@test "doctor: exits with 0 on this machine, which can have boxes" {
    run --separate-stderr box doctor
    assert_status 0
    assert_contains "boxes work here"
    refute_contains "error  "
}

@test "doctor: the JSON has exactly the documented fields" {
    run --separate-stderr box doctor --json
    assert_status 0
    [ "$(jq -r 'keys_unsorted | join(" ")' <<<"$output")" = \
        "version usable worst kernel podman socket socket_found findings" ]
    [ "$(jq -r '[.findings[] | keys_unsorted | join(" ")] | unique | join("/")' <<<"$output")" = \
        "id level what fix" ]
    [ "$(jq -r '[.findings[].level] - ["ok", "note", "warning", "error"] | length' <<<"$output")" = 0 ]
    [ "$(jq -r '[.findings[].id] | (unique | length) == length' <<<"$output")" = true ]
    [ "$(jq -r .usable <<<"$output")" = true ]
    [ "$(jq -r .socket_found <<<"$output")" = CONTAINER_HOST ]
    [ "$(jq -r .socket <<<"$output")" = "${CONTAINER_HOST#unix://}" ]
}

@test "doctor: each warning and error has a fix" {
    run --separate-stderr box doctor --json
    [ "$(jq -r '[.findings[] | select((.level == "warning" or .level == "error") and .fix == null)] | length' <<<"$output")" = 0 ]
}

@test "doctor: the man page documents each id of a finding" {
    run --separate-stderr box doctor --json
    for id in $(jq -r '.findings[].id' <<<"$output"); do
        grep -q "^\*$id\*" "$BATS_TEST_DIRNAME/../../data/man/box-doctor.1.scd" || fail "$id"
    done
}

@test "doctor: reports limits that are not enforced" {
    [ "${LAB_LIMITS:-}" = ignored ] || skip "limits are enforced here"
    run --separate-stderr box doctor --json
    [ "$(level limits)" = warning ]
}

@test "doctor: says when git takes any folder for a bare repository, and changes nothing" {
    export GIT_CONFIG_GLOBAL=$TEST_HOME/gitconfig
    run --separate-stderr box doctor --json
    [ "$(level git)" = note ]
    [ ! -e "$GIT_CONFIG_GLOBAL" ]
    # What the repository itself says does not count.
    git init -q .
    git config safe.bareRepository explicit
    GIT_DIR=$PROJECT/.git run --separate-stderr box doctor --json
    [ "$(level git)" = note ]
    run --separate-stderr box doctor
    fix=$(sed -n 's/.*fix: \(git .*bareRepository.*\)/\1/p' <<<"$output")
    $fix
    run --separate-stderr box doctor --json
    [ "$(level git)" = ok ]
}

@test "doctor: starts the private service" {
    run --separate-stderr env -u CONTAINER_HOST box doctor --json
    assert_status 0
    [ "$(jq -r .socket_found <<<"$output")" = "private service" ] ||
        [ "$(jq -r .socket_found <<<"$output")" = "user's socket" ]
}

@test "doctor: without Podman it reports that and all other findings, and exits with 69" {
    run --separate-stderr without_podman box doctor
    assert_status 69
    assert_contains "podman is not installed"
    run --separate-stderr without_podman box doctor --json
    assert_status 69
    [ "$(level podman)" = error ]
    [ "$(level kernel)" = ok ]
    [ "$(level subids)" = ok ]
    [ "$(jq -r '.usable, .podman, .socket' <<<"$output" | tr '\n' ' ')" = "false null null " ]
}

@test "doctor: exits with 69 when the service does not answer" {
    CONTAINER_HOST=unix:///nonexistent/podman.sock run --separate-stderr box doctor
    assert_status 69
    assert_contains "/nonexistent/podman.sock"
}

@test "doctor: without a runtime folder there is one error, with what mends it" {
    run --separate-stderr env -u CONTAINER_HOST XDG_RUNTIME_DIR=/nonexistent box doctor
    assert_status 125
    assert_contains "export XDG_RUNTIME_DIR=/run/user/"
    assert_contains $'\n1 error,'
    refute_contains "podman info"
}

@test "doctor: uses colours only on a terminal, and not with NO_COLOR" {
    run --separate-stderr box doctor -a
    refute_contains $'\e['
    run on_terminal box doctor -a
    assert_contains $'\e[32m'
    NO_COLOR=1 run on_terminal box doctor -a
    refute_contains $'\e['
}

@test "doctor: checks the configured SSH agent" {
    ssh_setup work
    run --separate-stderr box doctor --json
    [ "$(level ssh-upstream)" = ok ]
    SSH_CONFIG='upstream = "/nowhere/agent"' attach work
    run --separate-stderr box doctor --json
    [ "$(level ssh-upstream)" = note ]
    assert_contains "'/nowhere/agent' does not answer"
    SSH_CONFIG="upstream = \"$SSH_AUTH_SOCK\"" attach work
    run --separate-stderr env -u SSH_AUTH_SOCK box doctor --json
    [ "$(level ssh-upstream)" = ok ]
}
