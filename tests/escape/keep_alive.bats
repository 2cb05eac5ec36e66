#!/usr/bin/env bats
# What a box says it has left running, which keeps it running (box-init(8)): names and numbers are
# the box's own. It may keep itself running; that is all, and `box stop` ends it (invariants 8, 9).

load escape.bash
setup_file() {
    escape_setup_file
    printf '%s\n' '#!/bin/bash' 'mkfifo /tmp/hold' 'printf "$1" >/proc/$$/comm' 'touch /tmp/named' 'eval "$2"' >named
    chmod +x named
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    user_config '[box]
idle_stop = 1'
    box start
}
teardown() { box stop; }

is_stopped() { [ "$(box status --json | jq -r .state)" = stopped ]; }
is_kept_by() { box status --json | jq -e --arg name "$1" 'any(.kept_by[]?; .name == $name)' >/dev/null; }

is_kept_by_many() { box status | grep -qF 'many (601 processes)'; }

# leave NAME [COMMAND]: leaves a process called NAME (with printf's escapes) behind, which runs COMMAND.
leave() {
    box run -- bash -c 'setsid ./named "$1" "$2" >/dev/null 2>&1 &
        until [ -e /tmp/named ]; do :; done; rm /tmp/named' - "$1" "${2:-sleep 1000}"
}

@test "keep alive: a name with control characters reaches no terminal (8)" {
    run leave '\033]0;x\007\342\200\256'
    assert_contains 'keeps running for: '
    assert_no_controls
    run box status
    assert_contains 'kept by'
    assert_no_controls
    run on_terminal box list --json
    assert_contains '"kept_by": ['
    assert_contains '\u001B]0;x'
    refute_contains $'\e'
    refute_contains $'\342\200\256'
}

@test "keep alive: a name that looks like the rest of its line in /proc hides nothing" {
    leave 'x) Z 1 1 ('
    eventually is_kept_by 'x) Z 1 1 ('
}

@test "keep alive: control: a name of an agent, or of PID 1's own, lets the box stop" {
    local name
    for name in gpg-agent box-session box-guard box-bus; do
        # Without a child, which would have another name.
        leave "$name" 'exec 3<>/tmp/hold; read -u 3'
        eventually is_stopped
        box start
    done
}

@test "keep alive: processes that end all the time leave PID 1 time for sessions, and box stop ends them (9)" {
    leave storm 'trap "" TERM HUP; while :; do (setsid sleep 0.01 &) ; done'
    local i
    for i in 1 2 3 4 5; do
        run timeout 60 box run -- echo "answer $i"
        assert_status 0
        assert_contains "answer $i"
    done
    run timeout 60 box stop
    assert_status 0
    is_stopped
}

@test "keep alive: 600 processes of 600 names are counted, and a few are named (9)" {
    leave many 'for i in $(seq 600); do (exec sleep 1000) & done; wait'
    box run -- bash -c 'exec 3<>/tmp/hold; for i in $(seq 600); do
        (printf "p$i" >/proc/$BASHPID/comm; read -u 3) >/dev/null 2>&1 & done; until [ "$(pgrep -c "^p[0-9]")" = 600 ]; do :; done'
    eventually is_kept_by_many
    run timeout 60 box status
    assert_status 0
    assert_contains 'many (601 processes)'
    assert_contains 'p1 (1 process)'
    assert_contains 'other processes'
    [ "${#output}" -lt 2000 ]
    run timeout 60 box stop
    assert_status 0
}
