#!/usr/bin/env bats
# Finding Podman's service and starting one: no socket, a dead one, a foreign one, two callers at once,
# a kill at any time, and what CONTAINER_HOST may say.

load ../lib/box.bash

# Every test has a runtime folder of its own, hence a socket of its own: others' services, the suite's
# and the user's are out of the way. Podman keeps its own runtime files where they were.
setup() {
    box_setup
    SUITE=$CONTAINER_HOST
    unset CONTAINER_HOST
    SOCKET=$RUNTIME/.podman.sock
}

teardown() {
    local pid
    for pid in $(services); do kill -9 "$pid" 2>/dev/null || true; done
    export CONTAINER_HOST=$SUITE
    box_teardown
}

# The services that listen on our socket, by its inode: the tests of this file share a machine.
services() {
    local inode
    awk -v path="$SOCKET" '$8 == path && $4 == "00010000" { print $7 }' /proc/net/unix | while read -r inode; do
        find /proc/[0-9]*/fd -maxdepth 1 -lname "socket:\[$inode\]" 2>/dev/null
    done | cut -d/ -f3 | sort -un
}

no_service() { [ -z "$(services)" ]; }

no_users_socket() {
    [ ! -S "$XDG_RUNTIME_DIR/podman/podman.sock" ] || skip "the user's own podman.socket is up: that one is used"
}

@test "service: started when there is none, and reused by the next command" {
    local first
    no_users_socket
    [ ! -e "$SOCKET" ]
    box run -- true
    [ -S "$SOCKET" ]
    [ "$(stat -c %a "$SOCKET")" = 600 ]
    first=$(services)
    [ -n "$first" ]
    box list
    [ "$(services)" = "$first" ]
}

# A service is two processes, which both have the socket open, and so has, for a moment, what it starts.
one_service() { [[ $(services | wc -l) = [12] ]]; }

@test "service: many callers at once start only one" {
    no_users_socket
    local i callers=()
    for i in 1 2 3 4 5 6; do
        box list >"out.$i" 2>&1 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    for i in 1 2 3 4 5 6; do grep -q "^shop " "out.$i" || fail "$(cat "out.$i")"; done
    eventually one_service
}

@test "service: a project may have the name of any file of ours, and its box takes no other box Podman" {
    local name first
    no_users_socket
    box run -- true
    first=$(services)
    for name in podman.sock podman.log podman.lock create.lock agent frozen; do
        mkdir "$TEST_HOME/$name"
        cd "$TEST_HOME/$name"
        box init --no-file 2>/dev/null
        run --separate-stderr box run -- echo "$name"
        assert_output "$name"
    done
    cd "$PROJECT"
    run --separate-stderr box run -- echo shop
    assert_output shop
    [ "$(services)" = "$first" ]
    box rm --yes --all
}

@test "service: a socket without a listener is replaced" {
    no_users_socket
    mkdir -m 700 "$RUNTIME"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$SOCKET"
    box run -- true
    [ -n "$(services)" ]
}

@test "service: a file in the socket's place is replaced; for a folder there is an error" {
    no_users_socket
    mkdir -m 700 "$RUNTIME"
    echo >"$SOCKET"
    box run -- true
    for pid in $(services); do kill -9 "$pid"; done
    rm "$SOCKET"
    mkdir "$SOCKET"
    run box list
    assert_status 69
    assert_contains "$SOCKET"
}

@test "service: a command starts another after the service was killed" {
    local first
    no_users_socket
    box run -- true
    first=$(services)
    for pid in $first; do kill -9 "$pid"; done
    # A running box needs no service.
    box run -- true
    eventually no_service
    box list
    [ -n "$(services)" ]
    [ "$(services)" != "$first" ]
}

@test "service: inherits no descriptor, terminal or folder from the command that started it" {
    no_users_socket
    exec 7<"$PROJECT"
    box run -- true 8</dev/null
    eventually one_service
    for pid in $(services); do
        [ "$(readlink "/proc/$pid/cwd")" = / ]
        ! readlink "/proc/$pid/fd/"* | grep -F "$PROJECT" || fail "a descriptor was inherited"
        [ "$(cut -d' ' -f7 "/proc/$pid/stat")" = 0 ]
    done
    exec 7<&-
}

@test "service: does not inherit the caller's environment" {
    no_users_socket
    SECRET_TOKEN=hunter2 box run -- true
    for pid in $(services); do
        ! tr '\0' '\n' <"/proc/$pid/environ" | grep -q hunter2 || fail "a secret was passed on"
    done
}

@test "service: does not connect to another user's socket" {
    no_users_socket
    mkdir -p "$RUNTIME"
    podman unshare chown 1:1 "$RUNTIME"
    run box list
    podman unshare chown 0:0 "$RUNTIME"
    assert_status 125
    assert_contains "belongs to another user"
}

@test "service: CONTAINER_HOST with unix: is used, and no service is started" {
    CONTAINER_HOST=$SUITE box run -- true
    [ ! -e "$SOCKET" ]
    # Both spellings are in use.
    CONTAINER_HOST=unix:${SUITE#unix://} box list
    [ ! -e "$SOCKET" ]
}

@test "service: CONTAINER_HOST without a service is an error, and nothing else is tried" {
    local path=$TEST_HOME/nobody.sock
    CONTAINER_HOST=unix://$path run box list
    assert_status 69
    assert_contains "$path"
    assert_contains "unset CONTAINER_HOST"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$path"
    CONTAINER_HOST=unix://$path run box list
    assert_status 69
    assert_contains "Connection refused"
    [ ! -e "$SOCKET" ]
}

@test "service: other kinds of CONTAINER_HOST are refused with advice" {
    local url
    for url in ssh://me@far/run/podman.sock tcp://127.0.0.1:8080 /run/podman.sock unix://relative.sock \
        unix: $'unix\033[31m' garbage; do
        CONTAINER_HOST=$url run box list
        assert_status 69
        assert_contains "only 'unix:///PATH' is supported"
        refute_contains $'\033[31m'
    done
}

@test "service: without podman in PATH the error says what to install" {
    no_users_socket
    mkdir "$TEST_HOME/bin"
    ln -s "$(command -v box)" "$TEST_HOME/bin/box"
    PATH=$TEST_HOME/bin run box list
    assert_status 69
    assert_contains "podman is not installed"
}

@test "service: when podman ends at once, the error has the end of its log" {
    no_users_socket
    mkdir "$TEST_HOME/bin"
    printf '#!/bin/sh\necho "cannot set up namespace" >&2\nexit 125\n' >"$TEST_HOME/bin/podman"
    chmod +x "$TEST_HOME/bin/podman"
    PATH=$TEST_HOME/bin:$PATH run timeout 20 box list
    assert_status 69
    assert_contains "cannot set up namespace"
}

@test "service: a runtime folder that is missing or another user's is an error" {
    XDG_RUNTIME_DIR=$TEST_HOME/none run box list
    assert_status 125
    assert_contains "set XDG_RUNTIME_DIR"
    XDG_RUNTIME_DIR=/ run box list
    assert_status 125
}

@test "service: works with a long path of the runtime folder" {
    local long=$TEST_HOME/long
    while [ ${#long} -lt 200 ]; do long+=/dddddddddddddddddddd; done
    mkdir -p "$long"
    chmod 700 "$long"
    ln -s "$XDG_RUNTIME_DIR/containers" "$long/containers"
    CONTAINER_HOST=$SUITE XDG_RUNTIME_DIR=$long run box run -- echo works
    assert_status 0
    assert_contains works
    CONTAINER_HOST=$SUITE XDG_RUNTIME_DIR=$long box rm --yes
}
