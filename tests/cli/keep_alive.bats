#!/usr/bin/env bats
# What sessions have left running keeps an idle box running, and is named ([box] keep_alive).

load ../lib/box.bash
setup() {
    box_setup
    user_config '[box]
idle_stop = 1'
}
teardown() { box_teardown; }

is_in_state() { [ "$(box status ${2:+"$2"} --json | jq -r .state)" = "$1" ]; }
kept_by() { [ "$(box status --json | jq -c .kept_by)" = "$1" ]; }
sessions_are() { [ "$(box status --json | jq .sessions)" = "$1" ]; }

# leave_sleep: leaves a sleep behind, and prints what box says.
leave_sleep() {
    box run -- sh -c 'nohup sleep 1000 >/dev/null 2>&1 & echo $! >~/pid; until pgrep -x sleep >/dev/null; do :; done'
}

# Another box with the same idle_stop, used later, has stopped: this one would have, too.
still_runs_after_another_stopped() {
    new_project "$TEST_HOME/other"
    (cd "$TEST_HOME/other" && box run -- true)
    eventually is_in_state stopped "$TEST_HOME/other"
    is_in_state running
}

@test "keep alive: a program that was left running keeps the box, until it ends" {
    run leave_sleep
    assert_status 0
    assert_contains "box 'shop' keeps running for: sleep (1 process); 'box stop shop' ends it"
    eventually kept_by '[{"name":"sleep","processes":1}]'
    still_runs_after_another_stopped
    [ "$(box status --json | jq .idle_left)" = null ]
    box run -- sh -c 'kill $(cat ~/pid)'
    eventually is_in_state stopped
}

@test "keep alive: a server that left its session and its terminal keeps the box" {
    box run -- sh -c 'setsid -f sh -c "sleep 1000; :"'
    eventually kept_by '[{"name":"sh","processes":2}]'
    still_runs_after_another_stopped
    run box status
    assert_contains 'kept by    sh (2 processes)'
    refute_contains 'stops in'
    box stop
    is_in_state stopped
}

@test "keep alive: helpers of a program, which end just after it, are not named" {
    cat >helpers.py <<'END'
from multiprocessing import Pool, set_start_method, shared_memory
if __name__ == "__main__":
    set_start_method("forkserver")
    memory = shared_memory.SharedMemory(create=True, size=4096)
    with Pool(2) as pool:
        print(sum(pool.map(abs, range(9))))
    memory.unlink()
END
    box run -- true
    # On a busy machine that may take longer than they are waited for, and they are named truly.
    local _
    for _ in 1 2 3 4 5; do
        run box run -- python3 helpers.py
        [ "$output" != 36 ] || break
        assert_contains "keeps running for: python3"
    done
    assert_output 36
}

# Compared with a session that leaves nothing, and the least of several, as the machine may be busy: to wait for all of the
# 200 ms takes as long each time.
@test "keep alive: a program that sleeps does not hold up the end of its session" {
    box run -- true
    run python3 - <<'END'
import subprocess, time
def run(command):
    begun = time.monotonic()
    subprocess.run(["box", "run", "--", "sh", "-c", command], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - begun
leaves = nothing = 1000
for number in range(50):
    nothing = min(nothing, run("exec sleep 0 >/dev/null 2>&1"))
    leaves = min(leaves, run("exec sleep 1000 >/dev/null 2>&1 &"))
    if number >= 5 and leaves - nothing < 0.19:
        break
print(leaves - nothing < 0.19 or (leaves, nothing))
END
    assert_output True
}

is_named_again() {
    local said
    said=$(on_terminal box run -- true) || return
    [[ $said == *"keeps running for: tmux (2 processes)"* ]]
}

@test "keep alive: tmux is named by the terminal that leaves it, and by later ones" {
    run on_terminal box run -- tmux new-session -d 'exec sleep 1000'
    assert_status 0
    assert_contains "box 'shop' keeps running for: tmux (2 processes); 'box stop shop' ends it"
    # As long as the process of the first session is ending, what it has left counts as a session's.
    eventually is_named_again
    run box run -- true # nothing new for a script
    assert_output ''
    run box run -- tmux kill-server
    assert_output ''
    eventually is_in_state stopped
}

@test "keep alive: box enter, tmux, detach, exit: what is in tmux goes on" {
    run on_terminal --send 'tmux\n' --answer '0:' 'sleep 1000\n' --answer '0:sleep' '\x02d' \
        --answer 'detached (from' 'exit\n' box enter
    assert_contains "box 'shop' keeps running for: tmux ("
    still_runs_after_another_stopped
}

@test "keep alive: the session bus, its programs and agents of keys do not count" {
    run box run -- sh -c 'gpg-agent --daemon && ssh-agent >/dev/null &&
        dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames >/dev/null &&
        ps -eo comm='
    assert_status 0
    refute_contains 'keeps running'
    # Control: they do run.
    assert_contains gpg-agent
    assert_contains ssh-agent
    assert_contains dbus-daemon
    eventually is_in_state stopped
}

@test "keep alive: a program of the session bus counts when it is on a terminal" {
    box run -- sh -c 'mkdir -p ~/.local/share/dbus-1/services && cat >~/.local/share/dbus-1/services/a.service' <<'SERVICE'
[D-BUS Service]
Name=test.Plain
Exec=/bin/sleep 1000
SERVICE
    box run -- sh -c 'cat >~/.local/share/dbus-1/services/b.service' <<'SERVICE'
[D-BUS Service]
Name=test.Terminal
Exec=/usr/bin/script -qfc "exec sleep 1001" /dev/null
SERVICE
    box run --detach -- sleep 1000 # the box does not stop meanwhile
    local name
    for name in test.Plain test.Terminal; do
        box run -- dbus-send --session --type=method_call --dest=$name / a.b.C
    done
    eventually kept_by '[{"name":"sleep","processes":1}]'
    eventually box run -- sh -c 'pgrep -fx "/bin/sleep 1000" && pgrep -fx "sleep 1001"'
    box run -- pkill -fx 'sleep 1001'
    eventually kept_by '[]'
}

@test "keep alive: with keep_alive = \"sessions\" the box stops all the same, and says what ends" {
    user_config '[box]
idle_stop = 1
keep_alive = "sessions"'
    run leave_sleep
    assert_contains "box 'shop' stops when it has been idle, and then ends: sleep (1 process)"
    [ "$(box status --json | jq -c '.kept_by | select(. != null)')" != '[{"name":"sleep","processes":1}]' ]
    eventually is_in_state stopped
}

@test "keep alive: a box that never stops by itself only shows what was left" {
    user_config '[box]
idle_stop = "never"'
    run leave_sleep
    refute_contains sleep
    eventually sessions_are 0
    run box status
    assert_contains 'left       sleep (1 process)'
    kept_by '[]'
}

@test "keep alive: a throw-away box ends with its session" {
    run box run --ephemeral -- sh -c 'nohup sleep 1000 >/dev/null 2>&1 &'
    assert_status 0
    [ -z "$(containers)" ]
}

@test "keep alive: many programs are counted, and the first are named" {
    run box run -- sh -c 'for i in a b c d e f g h i j; do cp /bin/sleep /tmp/$i; nohup /tmp/$i 1000 >/dev/null 2>&1 & done
        for i in a b c d e f g h i j; do until pgrep -x $i >/dev/null; do :; done; done'
    assert_contains "a (1 process), b (1 process)"
    assert_contains "h (1 process) and 2 other processes"
    refute_contains ' i ('
    eventually sh -c '[ "$(box status --json | jq ".kept_by | length")" = 8 ]'
}

@test "keep alive: apply and rm say what was left running, and would end" {
    leave_sleep
    eventually sessions_are 0
    user_config '[box]
idle_stop = 2'
    run box apply
    assert_status 64
    assert_contains "will end sleep (1 process)"
    is_in_state running
    run box apply --yes
    assert_status 0
    leave_sleep
    eventually sessions_are 0
    run box rm --yes
    assert_contains "sleep (1 process) in box 'shop' will end"
}

@test "keep alive: the setting is one of two words" {
    user_config '[box]
keep_alive = "never"'
    run box run -- true
    assert_status 78
    assert_contains 'processes, sessions'
}
