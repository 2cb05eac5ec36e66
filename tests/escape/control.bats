#!/usr/bin/env bats
# The control socket and PID 1, which nobody in the box may use or touch (invariants 2, 6).

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
    # A second session, which the first one attacks.
    box run --detach -- sleep 600
    CONTROL=/run/litterbox/root/ctl/sock
    export CONTROL
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

# The PID in the box of the second session's box-session.
box_session() {
    in_box ps -o ppid= -C sleep | tr -d ' '
}

@test "control: control: on the host the tool does start a session" {
    run "$ATTACK" control "$RUNTIME/shop/ctl/sock"
    assert_succeeded
    run "$ATTACK" query "$RUNTIME/shop/ctl/sock"
    assert_succeeded
}

@test "control: the user of a box cannot use the socket by its path (2)" {
    attack control "$CONTROL"
    assert_refused EACCES
    attack query "$CONTROL"
    assert_refused EACCES
}

@test "control: root of the box reaches the socket, and box-init refuses (2)" {
    attack_as_root control "$CONTROL"
    assert_refused
    attack_as_root control "$CONTROL" 2
    assert_refused
    attack_as_root query "$CONTROL"
    assert_refused
    # Control: root sees the socket, so box-init refused.
    run box run -u root -- test -S "$CONTROL"
    assert_status 0
}

@test "control: a box cannot reach the socket at its path on the host (2)" {
    attack control "$RUNTIME/shop/ctl/sock"
    assert_refused ENOENT
}

@test "control: a box cannot reach the socket through /proc/1/root and /proc/1/cwd (2)" {
    attack control "/proc/1/root$CONTROL"
    assert_refused EACCES
    attack control /proc/1/cwd/sock
    assert_refused EACCES
    attack_as_root control /proc/1/cwd/sock
    assert_refused
}

@test "control: a box cannot reach the socket through /proc/self/root or its own folder (2)" {
    attack control "/proc/self/root$CONTROL"
    assert_refused EACCES
    in_box sh -c "ln -sf $CONTROL /tmp/link"
    attack control /tmp/link
    assert_refused EACCES
}

@test "control: a box cannot open descriptors of PID 1 and of sessions through /proc (2)" {
    attack descriptors
    assert_refused EACCES
    attack_as_root descriptors
    assert_refused EACCES
    # Control: the session's own sockets are found.
    run in_box python3 -c 'import socket, subprocess; s = socket.socketpair(); subprocess.run(["./attack", "descriptors"])'
    assert_contains SUCCEEDED
}

@test "control: a box cannot copy descriptors of PID 1 or a session with pidfd_getfd (2)" {
    local victim
    for victim in 1 "$(box_session)"; do
        attack steal "$victim"
        assert_refused EPERM
        attack_as_root steal "$victim"
        assert_refused EPERM
    done
}

@test "control: a session inherits only stdin, stdout and stderr (2)" {
    exec 7<"$HOME" 8</etc/passwd
    run in_box sh -c 'ls /proc/self/fd | wc -l'
    exec 7<&- 8<&-
    assert_output 4 # 0, 1, 2, and the folder that ls reads
    run in_box python3 -c 'import os; print([fd for fd in range(3, 1024) if os.path.exists(f"/proc/self/fd/{fd}")])'
    assert_output "[]"
}

@test "control: Litterbox has no abstract socket that a box could guess (2)" {
    run in_box grep -c @ /proc/net/unix
    assert_output 0
    attack control @litterbox
    assert_refused ECONNREFUSED
}

@test "control: there is no sudo socket when sudo is denied (6)" {
    run in_box test -e /run/litterbox/sudo
    assert_status 1
    attack control /run/litterbox/sudo
    assert_refused ENOENT
}

@test "control: control: each tool of this file works on the session's own process" {
    attack victim
    assert_succeeded
}

@test "control: a box cannot trace PID 1 or another session (6)" {
    local victim
    for victim in 1 "$(box_session)"; do
        attack ptrace "$victim"
        assert_refused EPERM
        attack_as_root ptrace "$victim"
        assert_refused EPERM
    done
}

@test "control: a box cannot read or write the memory of PID 1 or another session (6)" {
    local victim
    for victim in 1 "$(box_session)"; do
        attack read-memory "$victim" 400000
        assert_refused
        attack_as_root read-memory "$victim" 400000
        assert_refused
        attack write-memory "$victim"
        assert_refused
        attack_as_root write-memory "$victim"
        assert_refused
    done
}

@test "control: the user cannot signal PID 1 or a session (6)" {
    local victim signal
    for victim in 1 "$(box_session)"; do
        for signal in 9 19 11 15 1; do
            attack signal "$victim" "$signal"
            assert_refused EPERM
        done
    done
    assert_box_alive
}

@test "control: root of the box cannot kill or stop PID 1 (9)" {
    local signal
    for signal in 9 19 11 6 13; do
        attack_as_root signal 1 "$signal"
        assert_contains SUCCEEDED # the kernel drops the signal (pid_namespaces(7))
    done
    assert_box_alive
}

# waiting_session COMMAND: runs COMMAND with the PID of the process that waits for the next client, as root of the box.
waiting_session() {
    box run -u root -- sh -c "until waits=\$(pgrep -P 1 -x init); do :; done; $1 \$waits"
}

@test "control: the next session uses the process that waits, whatever root of the box did to it (9)" {
    local waits
    # Control: it is that process.
    waits=$(waiting_session echo)
    run box run -- sh -c 'echo $PPID'
    assert_output "$waits"
    waiting_session 'kill -STOP'
    run timeout 60 box run -- echo works
    assert_output works
    waiting_session 'kill -KILL'
    run timeout 60 box run -- echo works
    assert_output works
}

@test "control: a box cannot read or change PID 1's environment, maps and limits (6)" {
    local file
    for file in environ maps mem auxv io; do
        run in_box cat "/proc/1/$file"
        [ "$status" != 0 ] || fail "/proc/1/$file can be read"
    done
    run in_box sh -c 'echo 1000 >/proc/1/oom_score_adj'
    [ "$status" != 0 ]
    run in_box python3 -c 'import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))'
    assert_contains PermissionError
}

@test "control: malformed messages start nothing, and PID 1 keeps running (9)" {
    run "$ATTACK" nonsense "$RUNTIME/shop/ctl/sock"
    assert_refused EPROTO
    assert_box_alive
}

@test "control: 300 randomly damaged messages do not end PID 1 (9)" {
    run timeout 60 "$ATTACK" noise "$RUNTIME/shop/ctl/sock" 300 "$RANDOM"
    assert_refused EPROTO
    assert_box_alive
    # shellcheck disable=SC2016
    eventually sh -c '[ "$(box status --json | jq .sessions)" -le 2 ]'
}

@test "control: a silent client does not block others (9)" {
    "$ATTACK" flood "$RUNTIME/shop/ctl/sock" 200 3 3>&- &
    sleep 0.3
    assert_box_alive
    wait "$!"
}
