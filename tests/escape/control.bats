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

# The shell commands that set $ready to the PID of the process that is to become the next command: the child of the one
# that waits for the next client, once it has no more to do.
# shellcheck disable=SC2016 # the box's shell expands these
FIND_READY='until waits=$(pgrep -P 1 -x init) && ready=$(pgrep -P "$waits") &&
    [ "$(grep -cE "^(State:.S|NoNewPrivs:.1)" "/proc/$ready/status")" = 2 ]; do :; done'

has_sessions() { [ "$(box status --json | jq .sessions)" = "$1" ]; }

# waiting_command COMMAND: runs COMMAND with that PID, as root of the box.
waiting_command() {
    timeout 60 box run -u root -- sh -c "$FIND_READY; $1 \$ready"
}

@test "control: the next command's process is ready, and a killed or stopped one holds nobody up (9)" {
    local ready way
    # Control: it is that process.
    ready=$(waiting_command echo)
    # shellcheck disable=SC2016 # the box's shell expands it
    run box run -- sh -c 'echo $$'
    assert_output "$ready"
    for way in 'kill -STOP' 'kill -KILL' 'kill -TERM'; do
        waiting_command "$way"
        # Into a file: a session that hangs would keep a pipe open.
        timeout -k 1 60 box run -- echo works >said
        [ "$(<said)" = works ]
    done
    # It is neither a session nor left running, and ends when root of the box kills the one that waits. The one session is
    # setup_file's.
    waiting_command true
    eventually has_sessions 1
    run box status --json
    refute_contains init
    # shellcheck disable=SC2016 # the box's shell expands these
    run timeout 60 box run -u root -- sh -c "$FIND_READY"'; kill -KILL "$waits"; while [ -d "/proc/$ready" ]; do :; done'
    assert_status 0
}

@test "control: the user cannot signal, limit or look into the process that is ready for the next command (6)" {
    local tool
    # shellcheck disable=SC2016 # the box's shell expands these
    for tool in 'signal $ready 9' 'signal $ready 19' 'signal $ready 18' 'signal $ready 15' 'ptrace $ready' \
        'read-memory $ready 400000' 'write-memory $ready' 'steal $ready'; do
        run timeout 60 box run -- sh -c "$FIND_READY; ./attack $tool"
        assert_refused
    done
    cat >limits.py <<'PYTHON'
import ctypes, os, resource, sys
pid = int(sys.argv[1])
IOPRIO_SET = 251 if os.uname().machine == "x86_64" else 30
def io():
    if ctypes.CDLL(None, use_errno=True).syscall(IOPRIO_SET, 1, pid, 3 << 13) < 0:
        raise OSError(ctypes.get_errno(), "ioprio_set")
ways = {
    "prlimit": lambda: resource.prlimit(pid, resource.RLIMIT_NPROC, (1, 1)),
    "nice": lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
    "affinity": lambda: os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))}),
    "policy": lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "io": io,
    "group": lambda: os.setpgid(pid, 0),
    "environ": lambda: open(f"/proc/{pid}/environ").read(),
    "fd": lambda: os.listdir(f"/proc/{pid}/fd"),
    "oom": lambda: open(f"/proc/{pid}/oom_score_adj", "w").write("1000"),
}
for name, act in ways.items():
    try:
        act()
        print(name, "SUCCEEDED")
    except OSError:
        print(name, "refused")
PYTHON
    run timeout 60 box run -- sh -c "$FIND_READY; python3 limits.py \$ready"
    refute_contains SUCCEEDED
    assert_contains "oom refused"
    # Control: on a process of the user's own all work but setpgid(2), which is for children alone.
    run in_box sh -c 'sleep 60 & python3 limits.py $!; kill $!'
    [ "$(grep -c SUCCEEDED <<<"$output")" = 8 ] || fail "$output"
}

@test "control: a command is the same in the process that was ready as in one that was made for it (6)" {
    local each ready=() made=()
    # shellcheck disable=SC2016 # the box's shell expands these
    local look='env | sort; ulimit -a; umask; pwd; ls -l /proc/self/fd | grep -o " [0-9]* ->"; tty; nice
        grep -E "^(Uid|Gid|Groups|Umask|SigBlk|SigIgn|Cap|NoNew|Seccomp|Cpus|CoreDump|Threads)" /proc/self/status
        taskset -p $$ | grep -o "mask.*"; ps -o comm,ppid= -p $PPID | tail -n 1 | tr -d " 0-9"
        [ "$(ps -o sid= -p $$ | tr -d " ")" = $$ ] && [ "$(ps -o pgid= -p $$ | tr -d " ")" = $$ ] && echo leads
        cat /proc/$$/oom_score_adj /proc/$$/loginuid 2>/dev/null
        touch .envrc 2>&1; python3 -c "import ctypes; d = ctypes.c_int(0); ctypes.CDLL(None).prctl(2, ctypes.byref(d)); print(d.value)"'
    for each in -T -t; do
        waiting_command true
        # shellcheck disable=SC2016 # the box's shell expands these
        run on_terminal box run $each -- sh -c "$look"
        assert_contains leads
        ready+=("$output")
        waiting_command 'kill -KILL'
        run on_terminal box run $each -- sh -c "$look"
        made+=("$output")
    done
    [ "${ready[*]}" = "${made[*]}" ] || fail "$(diff <(printf '%s\n' "${ready[@]}") <(printf '%s\n' "${made[@]}"))"
}

@test "control: what one session was told does not reach the next one's command (6)" {
    local told=told-to-one-session-alone
    run box run --env TOLD=$told --env LC_ALL=xx_XX.UTF-8 -- printenv TOLD
    assert_contains $told
    box run -u root --env TOLD=$told -- true
    run box run -- sh -c 'env; tr "\0" "\n" </proc/self/environ'
    assert_status 0
    refute_contains $told
    refute_contains xx_XX
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
