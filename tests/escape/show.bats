#!/usr/bin/env bats
# Names, labels and output of a box in the host's output (invariant 8).

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

EVIL=$'x\e[2J\e]0;evil\a\r\nbox: all is well\u202e\u200b\u009b31m'

# forge NAME LABELS: a container as a user could create it by hand, or an image could bring it.
forge() {
    podman_do POST containers/create "$(jq -nc --arg name "$1" --argjson labels "$2" \
        --arg root "$TEST_HOME/forged" '{name: $name, rootfs: $root, command: ["/bin/true"], labels: $labels, netns: {nsmode: "none"}}')"
}

@test "show: list and status show labels of a foreign container safely (8)" {
    mkdir -p "$TEST_HOME/forged"
    run forge forged "$(jq -nc --arg e "$EVIL" --arg i "$LITTERBOX_INSTANCE" '{"litterbox.box": $e, "litterbox.project": $e, "litterbox.plan": $e, "litterbox.instance": $i}')"
    assert_contains 201
    run box list
    assert_status 0
    assert_contains shop
    assert_contains all
    assert_no_controls
    [ "$(grep -c '^box: all' <<<"$output")" = 0 ]
    run box list --json
    assert_status 0
    jq -e . <<<"$output" >/dev/null
    LC_ALL=C grep -q $'\e' <<<"$output" && fail "raw ESC in JSON"
    run box status
    assert_status 0
    assert_no_controls
    podman_do DELETE 'containers/forged?force=true' >/dev/null
}

@test "show: a foreign container with a box's name is not used (2)" {
    mkdir -p "$TEST_HOME/forged"
    new_project "$TEST_HOME/victim"
    cd "$TEST_HOME/victim"
    box run -- true
    local name
    name=$(containers | grep victim)
    podman_do DELETE "containers/$name?force=true&timeout=0" >/dev/null
    run forge "$name" "$(jq -nc --arg i "$LITTERBOX_INSTANCE" '{"litterbox.instance": $i}')"
    assert_contains 201
    run box run -- true
    [ "$status" != 0 ] || fail "a foreign container was used"
    run podman_get "containers/$name/json"
    [ "$(jq -r .State.Status <<<"$output")" != running ]
    podman_do DELETE "containers/$name?force=true" >/dev/null
    cd "$PROJECT"
}

@test "show: a foreign container with a box's label does not redirect a client (2)" {
    mkdir -p "$TEST_HOME/forged"
    run forge forged2 "$(jq -nc --arg i "$LITTERBOX_INSTANCE" '{"litterbox.box": "../../../tmp", "litterbox.project": "/", "litterbox.instance": $i}')"
    assert_contains 201
    run timeout 20 box list
    assert_status 0
    podman_do DELETE 'containers/forged2?force=true' >/dev/null
}

@test "show: project folders with line breaks, escapes and bidi are shown safely (8)" {
    local folder=$TEST_HOME/$'a\e[31m\nb\u202ec'
    mkdir -p "$folder"
    cd "$folder"
    run box run -- true
    assert_no_controls
    run box list
    assert_no_controls
    run box status
    assert_no_controls
    run box plan
    assert_no_controls
    run box rm --yes
    assert_no_controls
    cd "$PROJECT"
}

@test "show: error messages show a command's name safely (8)" {
    run -127 box run -- "$EVIL"
    assert_contains "not found"
    assert_no_controls
    run box run -w "$EVIL" -- true
    assert_status 125
    assert_no_controls
    run box run "$EVIL" -- true
    assert_no_controls
    run box "$EVIL"
    assert_no_controls
    run box run --"$EVIL" -- true
    assert_no_controls
}

@test "show: box logs shows output of detached commands safely (8)" {
    box run --detach -- printf 'marker\033[2J\033]0;evil\007\033[21t\302\23331m\n'
    eventually sh -c 'box logs | grep -q marker'
    run on_terminal box logs
    assert_contains marker
    refute_contains $'\e[2J'
    refute_contains $'\e]0;'
    refute_contains $'\e[21t'
    refute_contains $'\xc2\x9b'
}

@test "logs: --raw prints the bytes of the box to a file, and is refused on a terminal (7, 8)" {
    box run --detach -- sh -c 'printf "\033]52;c;ZXZpbA==\a\233raw\033[c\n"; printf "\033[6nto stderr\n" >&2'
    eventually sh -c 'box logs --raw | grep -aq "to stderr"'
    # Control: these are the bytes that would do something.
    box logs --raw >"$TEST_HOME/raw"
    grep -qF $'\e]52;c;ZXZpbA==\a\x9braw\e[c' "$TEST_HOME/raw"
    # Its stdout is no terminal, its stderr is one.
    run on_terminal sh -c "box logs --raw >$TEST_HOME/again"
    assert_status 0
    assert_output ""
    cmp "$TEST_HOME/raw" "$TEST_HOME/again"
    run on_terminal box logs --raw
    assert_status 64
    assert_contains "redirect it to a file or a pipe"
    refute_contains to\ stderr
    # Without --raw a file gets harmless text, too.
    run box logs
    assert_contains '\x1b]52;c;ZXZpbA==\x07'
    assert_no_controls
}

@test "logs: no piece of a long line seems to be a helper's, whatever time it claims (8)" {
    # Pieces of 4096 bytes: for one of the pads, each of the boundaries falls before a forged line.
    cat >"$PROJECT/forge.py" <<'END'
forged = "2001-01-01T00:00:00.000Z litterbox-port: forged "
for pad in range(len(forged)):
    print("x" * pad + forged * 400)
print("\u00a02001-01-01T00:00:00.000Z litterbox-port: forged")
print("\r2001-01-01T00:00:00.000Z litterbox-port: forged")
print("end")
END
    box run --detach -- python3 forge.py
    eventually sh -c 'box logs --helpers | grep -q " box: end$"'
    box logs --helpers >"$TEST_HOME/lines"
    grep -q 'litterbox-port: forged' "$TEST_HOME/lines"
    run grep -vE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}[+]00:00 (box|litterbox-[a-z0-9-]+): ' "$TEST_HOME/lines"
    assert_status 1
    run grep -E '^2001|^[^ ]+ litterbox-port: forged' "$TEST_HOME/lines"
    assert_status 1
    rm "$PROJECT/forge.py"
}

@test "show: config show, plan and errors show escapes in values safely (8)" {
    printf '[box]\nenv = ["A=\\u001b[31mred", "B=\\u202e"]\n' >"$PROJECT/litterbox.toml"
    run box trust --yes
    assert_no_controls
    run box config show
    assert_no_controls
    run box plan
    assert_no_controls
    printf '[box]\nen\\u001b = 3\n"\\u001b[2J" = 1\n[x\\u202e]\n' >"$PROJECT/litterbox.toml"
    run box config show
    assert_no_controls
    printf '\033[2J = "\033]0;evil\007"\n' >"$PROJECT/litterbox.toml"
    run box config show
    assert_no_controls
    run box trust --yes
    assert_no_controls
    rm "$PROJECT/litterbox.toml"
}

@test "show: top lists a process that hides from its session, and shows its name safely (8)" {
    box run -- bash -c 'setsid bash -c "echo \$\$ >pid; exec -a \"\$1\" sleep 2121" - "$1" >/dev/null 2>&1 & until [ -s pid ]; do :; done' \
        - "$EVIL$(printf 'y%.0s' {1..3000})"
    pid=$(cat pid)
    eventually grep -q y "/proc/$(host_pid_of "$pid")/cmdline"
    # Control: the kernel has it as it is.
    grep -q $'\e' "/proc/$(host_pid_of "$pid")/cmdline"
    run --separate-stderr box top
    assert_status 0
    assert_no_controls
    [ "$(grep -cE "^$pid +$(id -un) " <<<"$output")" = 1 ]
    [ "$(grep -c '^box: all' <<<"$output")" = 0 ]
    [ "$(wc -L <<<"$output")" -lt 1200 ]
    run --separate-stderr box top --json
    jq -e . <<<"$output" >/dev/null
    LC_ALL=C grep -q $'\e' <<<"$output" && fail "raw ESC in JSON"
    box run -- kill "$pid"
    rm pid
}

host_pid_of() { box top --json | jq --argjson pid "$1" '.[] | select(.pid == $pid) | .host_pid'; }
