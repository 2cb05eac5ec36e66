#!/usr/bin/env bats
# The SSH agent and those it works with, killed or stopped at every stage: nothing is signed, nobody
# hangs, nothing is left behind, and the next command finds all as it was.

load ../lib/box.bash
load ../lib/ssh.bash
setup() {
    agent_setup
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- true 2>/dev/null
}
teardown() {
    kill -CONT "$REAL_AGENT" 2>/dev/null || true
    agent_teardown
}

# in_box COMMAND…: the client in the background; what it is told goes to "out".
in_box() {
    rm -f out
    box run -- python3 client.py "$@" >out 2>/dev/null 3>&- &
    eventually is_connected
}
connections() { box consent status --json | jq '[.boxes[].connections] | add'; }
is_connected() { [ "$(connections)" != 0 ]; }
not_connected() { [ "$(connections)" = 0 ]; }

# The client inside of the box, killed as hard as can be.
client_kill() { box run -- python3 -c '
import os
for pid in filter(str.isdigit, os.listdir("/proc")):
    if b"client.py" in open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0"):
        os.kill(int(pid), 9)' 2>/dev/null; }

# Processes that the agent has started, and theirs.
family() {
    local child children=()
    # No line ends there.
    { read -ra children <"/proc/$1/task/$1/children"; } 2>/dev/null || true
    for child in "${children[@]}"; do
        echo "$child"
        family "$child"
    done
}
all_ended() {
    local pid
    for pid in "$@"; do
        process_ended "$pid" || return 1
    done
}

# As it was: a list, a log of whole lines, a signature after a yes.
works() {
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    [ ! -e "$STATE/agent.log" ] || jq -es 'all(type == "object")' "$STATE/agent.log" >/dev/null
    no_pending
    in_box sign k.pub
    answer once
    eventually grep -q "^14 " out
}

signed() { grep -c '"signed"' "$STATE/agent.log" 2>/dev/null || true; }

# The agent is killed: the client is told so, and nothing of the agent is left.
agent_killed() {
    local processes before
    mapfile -t processes < <(family "$(agent_pid)")
    [ "${#processes[@]}" -gt 0 ]
    before=$(signed)
    agent_kill
    eventually grep -qx closed out || fail "$(cat out)"
    eventually all_ended "${processes[@]}"
    [ "$(signed)" = "$before" ]
}

@test "agent: killed before a request, in the middle of one, and of a bind" {
    local bytes
    for bytes in 00 00000001 000000ff0d000000 \
        000000ff1b0000001873657373696f6e2d62696e64406f70656e7373682e636f6d00000033; do
        in_box bytes "$bytes"
        agent_killed
        box run -- true
    done
    works
}

@test "agent: a command that runs while the agent is dying has its keys all the same" {
    local i
    for i in $(seq 20); do
        # Not agent_kill, which waits until it is gone.
        kill -KILL "$(agent_pid)"
        run --separate-stderr box run -- ssh-add -l
        assert_output "256 $(fingerprint work) work (ED25519)"
    done
}

@test "agent: a stopped agent delays a command by seconds, and serves again when it goes on" {
    local pid
    pid=$(agent_pid)
    kill -STOP "$pid"
    run timeout 20 box run -- true
    assert_status 0
    kill -CONT "$pid"
    [ "$(agent_pid)" = "$pid" ]
    works
}

@test "agent: killed while a list waits for the real agent" {
    kill -STOP "$REAL_AGENT"
    in_box raw 0b
    agent_killed
    kill -CONT "$REAL_AGENT"
    works
}

@test "agent: killed between the answer and the signature" {
    in_box sign k.pub
    eventually has_pending
    kill -STOP "$REAL_AGENT"
    answer once
    sleep 0.5
    [ ! -s out ]
    agent_killed
    kill -CONT "$REAL_AGENT"
    works
}

@test "agent: killed while the key store is unlocked or made, it loses nothing" {
    local sum moment i=0
    printf 'correct-horse\n' | box keys generate --password-fd 0 mine
    sum=$(sha256sum "$DATA/keys")
    for moment in 0.01 0.05 0.1 0.2 0.4; do
        box run -- true
        printf 'correct-horse\n' | box keys unlock --password-fd 0 >unlock.out 2>&1 3>&- &
        sleep "$moment"
        agent_kill
        # On a busy machine the command may reach the next agent alone, and unlocks it. That one is killed as well.
        ! wait "$!" || { box run -- true && agent_kill; }
        [ "$(sha256sum "$DATA/keys")" = "$sum" ]
        box run -- true
        [ "$(box consent status --json | jq .keys_unlocked)" = false ]
        # And the program that writes it.
        printf 'correct-horse\n' | timeout -s KILL "$moment" \
            box keys generate --password-fd 0 "new$((i += 1))" >/dev/null 2>&1 || true # the agent may die under it
        box keys list --json | jq -e 'map(.label // .name) | index("mine") != null' >/dev/null ||
            fail "$(box keys list --json 2>&1)"
        sum=$(sha256sum "$DATA/keys")
    done
    printf 'correct-horse\n' | box keys unlock --password-fd 0
    [ "$(box consent status --json | jq .keys_unlocked)" = true ]
    works
}

@test "agent: killed while it writes, its log has whole lines alone" {
    local i
    for i in $(seq 8); do
        in_box flood k.pub 400
        sleep "0.0$((RANDOM % 10))"
        agent_kill
        eventually grep -qx closed out || fail "$(cat out)"
        box run -- true
        jq -es 'all(type == "object")' "$STATE/agent.log" >/dev/null || fail "round $i"
    done
    works
}

@test "agent: a client that is killed takes along what was asked for it, at every stage" {
    in_box bytes 00
    client_kill
    eventually not_connected
    in_box sign k.pub
    eventually has_pending
    client_kill
    eventually no_pending
    eventually not_connected
    in_box sign k.pub
    eventually has_pending
    kill -STOP "$REAL_AGENT"
    answer once
    client_kill
    eventually not_connected
    kill -CONT "$REAL_AGENT"
    works
}

@test "agent: a real agent that is killed while it signs is a failure, and one that is stopped holds up nobody else" {
    in_box sign k.pub
    eventually has_pending
    kill -STOP "$REAL_AGENT"
    answer once
    # Another box with another agent is served meanwhile, and so is the user.
    new_project "$TEST_HOME/other"
    ssh-agent -D -a "$TEST_HOME/second.sock" >/dev/null 3>&- 4>&- &
    local second=$! listing
    eventually socket_listens "$TEST_HOME/second.sock"
    SSH_AUTH_SOCK=$TEST_HOME/second.sock ssh-add -q "$KEYS/work"
    cd "$TEST_HOME/other"
    SSH_AUTH_SOCK=$TEST_HOME/second.sock box run -- true 2>/dev/null
    SECONDS=0
    (cd "$PROJECT" && box run -- ssh-add -l >list 2>/dev/null 3>&-) &
    listing=$!
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    box consent status >/dev/null
    # Both began at once, and this one still waits, unless the machine was so busy that its time is up (LIST_SECONDS).
    [ "$SECONDS" -ge 5 ] || kill -0 "$listing"
    kill "$second"
    cd "$PROJECT"
    [ ! -s out ]
    # The stopped one lists nothing after a while.
    wait "$listing" || true # it has no identities
    [ "$(cat list)" = "The agent has no identities." ]
    kill -KILL "$REAL_AGENT"
    eventually grep -qx "5 1" out
    real_agent_start
    ssh-add -q "$KEYS/work"
    works
}

@test "agent: its launcher killed, the agent ends, and the next one works" {
    local pid launcher
    in_box sign k.pub
    eventually has_pending
    pid=$(agent_pid)
    launcher=$(family "$pid" | head -n 1)
    kill -KILL "$launcher"
    eventually process_ended "$pid"
    eventually grep -qxE 'closed|5 1' out || fail "$(cat out)"
    works
}

@test "agent: its launcher stopped, it waits no longer than for a home on a network" {
    local pid launcher
    pid=$(agent_pid)
    launcher=$(family "$pid" | head -n 1)
    kill -STOP "$launcher"
    # Where there is a display, each question needs it.
    agent_say '{"op":"hello","display":{"DISPLAY":":987"}}'
    box run -- python3 client.py sign k.pub >out 2>/dev/null 3>&- &
    eventually process_ended "$pid"
    eventually grep -qxE 'closed|5 1' out || fail "$(cat out)"
    eventually process_ended "$launcher"
    works
}

@test "agent killed: the next command waits for another agent, also while the old one is ending" {
    agent_kill
    # As the kernel does while a process is ending: its listener accepts, and nobody reads.
    python3 - "$RUNTIME/.agent/control" 3>&- <<'END' &
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
os.chdir(os.path.dirname(sys.argv[1]))
if os.path.exists("control"):
    os.unlink("control")
listener.bind("control")
listener.listen()
open("ending", "w")
for _ in range(10):
    listener.accept()[0].close()
END
    local ending=$!
    eventually test -e "$RUNTIME/.agent/ending"
    works
    wait "$ending"
    # And for real: nobody waits for their end.
    for _ in $(seq 5); do
        kill -KILL "$(agent_supervisor)" "$(agent_pid)"
        works
    done
}

@test "agent killed: a command whose guard has just ended is tried again" {
    local init guard command
    init=$(podman_get "containers/$(containers)/json" | jq .State.Pid)
    sessions_are() { [ "$(pgrep -c -P "$init" -x box-session)" = "$1" ]; }
    guard_is_another() { guard=$(pgrep -u "$(id -u)" -P "$init" -x box-guard) && [ -n "$guard" ] && [ "$guard" != "$1" ]; }
    guard_is_another none
    # Between the connection to PID 1, where the session gets its way to the guard, and the command `box` asks the
    # agent whether it lives, which this one does not answer.
    eventually sessions_are 0
    kill -STOP "$(agent_pid)"
    box run -- sh -c 'echo ran' >out 2>error 3>&- &
    command=$!
    eventually sessions_are 1
    local before=$guard
    kill -KILL "$before"
    eventually guard_is_another "$before"
    kill -CONT "$(agent_pid)"
    wait "$command" || fail "$(cat error)"
    [ "$(cat out)" = ran ] || fail "$(cat error)"
}
