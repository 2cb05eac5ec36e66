#!/usr/bin/env bats
# A terminal that goes away, as when its window is closed: the box's terminal hangs up, and `box` ends.

load ../lib/box.bash
setup() { box_setup; }
teardown() {
    [ -z "${terminal-}" ] || kill -KILL "$terminal" 2>/dev/null || true
    box_teardown
}

sessions_are() { [ "$(box status --json | jq .sessions)" = "$1" ]; }

# open_terminal COMMAND…: runs it on a terminal of its own, whose emulator is $terminal.
open_terminal() {
    "$TEST_TOOLS/on-terminal" "$@" >shown 2>&1 &
    terminal=$!
}

# close_terminal: as a desktop does with a window that does not answer.
close_terminal() {
    client=$(pgrep -P "$terminal")
    [ -n "$client" ]
    kill -KILL "$terminal"
    wait "$terminal" || true
    terminal=
}

@test "hang-up: a command that ignores SIGHUP does not keep its session, nor the client" {
    box start
    open_terminal box run -- sh -c 'trap "" HUP; echo $$ >~/pid; echo ready; while :; do sleep 0.1; done'
    eventually grep -q ready shown
    close_terminal
    eventually process_ended "$client"
    eventually sessions_are 0
    run box run -- sh -c 'kill -0 "$(cat ~/pid)" 2>/dev/null || echo ended'
    assert_output ended
}

@test "hang-up: is seen where SIGHUP is ignored, as under nohup" {
    box start
    open_terminal sh -c 'trap "" HUP; exec box run -- sh -c "echo ready; exec cat"'
    eventually grep -q ready shown
    close_terminal
    eventually process_ended "$client"
    eventually sessions_are 0
}

@test "hang-up: the shell gets SIGHUP and not an end of file; the client's status is 129" {
    box start
    open_terminal sh -c 'trap "" HUP; box run -- sh -c "trap \"echo hangup >~/end; exit\" HUP; echo ready; cat; echo eof >~/end"; echo $? >status'
    eventually grep -q ready shown
    close_terminal
    eventually test -s status
    [ "$(cat status)" = 129 ]
    eventually box run -- sh -c '[ "$(cat ~/end)" = hangup ]'
}

@test "hang-up: what was left running on purpose goes on, and is named" {
    box start
    open_terminal box run -- bash -c 'nohup sleep 1000 >/dev/null 2>&1 & echo ready; read -r line'
    eventually grep -q ready shown
    close_terminal
    eventually sessions_are 0
    [ "$(box status --json | jq -c .kept_by)" = '[{"name":"sleep","processes":1}]' ]
}

@test "hang-up: with --wait kill nothing stays" {
    box start
    open_terminal box run --wait kill -- bash -c 'nohup sleep 1000 >/dev/null 2>&1 & echo ready; read -r line'
    eventually grep -q ready shown
    close_terminal
    eventually sessions_are 0
    run box run -- pgrep -x sleep
    assert_status 1
}

@test "hang-up: terminals that are closed at once, at any moment, leave nothing" {
    box start
    cat >quick.py <<'END'
import os, pty, sys, time
clients = []
for number in range(200):
    pid, master = pty.fork()
    if pid == 0:
        os.execvp("box", ["box", "enter"])
    clients.append(pid)
    time.sleep(number * 0.0002)
    os.close(master)
for pid in clients:
    os.waitpid(pid, 0)
END
    timeout 100 python3 quick.py
    eventually sessions_are 0
}
