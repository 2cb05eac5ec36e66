#!/usr/bin/env bats
# A request without a display: the terminal of the session that waits is told what is asked, and what answers it.

load ../lib/box.bash
load ../lib/ssh.bash
setup() {
    box_setup
    ssh_setup work
    attach work
    unset DISPLAY WAYLAND_DISPLAY
}
teardown() {
    ssh_teardown
    box_teardown
}

# What a session runs to sign; $1 is the purpose.
signing() { printf "ssh-add -L >k.pub; echo hello | ssh-keygen -q -Y sign -f k.pub -n '%s' >signature" "$1"; }

told() { grep -q "box consent approve $1'" "$2"; }

# Files of the sockets on which sessions listen.
listeners() { find "$RUNTIME/.agent/notices/shop" -type s -printf '%f\n' 2>/dev/null; }
listeners_are() { [ "$(listeners | wc -l)" = "$1" ]; }

@test "notices: a session without a terminal says on its standard error what is asked, and the command that answers" {
    start_in_box sh -c "$(signing git)"
    eventually told 1 error
    grep -qx "box: box 'shop' asks: Sign a git object (content not visible)" error
    grep -qE "^box: answer in another terminal, within [0-9]+ s: 'box consent approve 1', or 'box consent deny 1'$" error
    box consent approve 1
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    [ -s signature ]
    # Its socket is gone with it.
    eventually listeners_are 0
}

@test "notices: the terminal on which the program waits is told, and no other" {
    on_terminal box enter -- sh -c 'echo other; exec sleep 1000' >other.txt 3>&- &
    other=$!
    eventually grep -q other other.txt
    eventually listeners_are 1
    on_terminal box enter -- sh -c "$(signing git); echo signed" >terminal.txt 3>&- &
    eventually told 1 terminal.txt
    box consent approve 1
    eventually grep -q signed terminal.txt
    run told 1 other.txt
    assert_status 1
    # What is on a terminal of its own in the box, as in tmux, is told to all that there are.
    box run -T -- python3 -c "import pty, sys; sys.exit(pty.spawn(['sh', '-c', sys.argv[1]]))" "$(signing file)" >pipe.txt 2>error.txt 3>&- &
    eventually told 2 error.txt
    box consent deny 2
    kill "$other"
    wait "$other" || true
}

@test "notices: each of two programs that wait is told at once, not when the other's question is over" {
    mkdir second
    start_in_box sh -c "$(signing git)"
    eventually told 1 error
    box run -- sh -c "cd second && $(signing file)" 2>second.txt 3>&- &
    second=$!
    eventually told 2 second.txt
    box consent approve 2
    wait "$second"
    [ -s second/signature ]
    answer deny
    eventually test -s ended
}

@test "notices: the client that was killed leaves a socket, which the next notice removes" {
    box run -- sh -c 'echo ready; exec sleep 1000' >ready.txt 2>&1 3>&- &
    killed=$!
    eventually grep -q ready ready.txt
    eventually listeners_are 1
    kill -KILL "$killed"
    wait "$killed" || true
    listeners_are 1
    start_in_box sh -c "$(signing git)"
    eventually told 1 error
    eventually listeners_are 1
    answer deny
    eventually test -s ended
    eventually listeners_are 0
}

@test "notices: the next session is told of a request of which nobody could be" {
    box run --detach -- sh -c "$(signing git)"
    eventually has_pending
    box run -- sh -c 'exec sleep 1000' 2>later.txt 3>&- &
    later=$!
    eventually told 1 later.txt
    kill "$later"
    wait "$later" || true
    answer deny
}

@test "notices: a refusal without a question says why, and what to do" {
    box run -- sh -c 'ssh-add -L >k.pub; echo hello >text'
    box consent mute
    run box run -- ssh-add -l
    assert_contains "box: box 'shop' cannot use your SSH keys: it is muted: 'box consent mute --for 0' ends that"
    box consent mute --for 0
    box consent lock
    run box run -- ssh-keygen -q -Y sign -f k.pub -n git text
    assert_contains "box: box 'shop' cannot use your SSH keys: the SSH agent is locked: 'box consent unlock' ends that"
    box consent unlock
    # The store of Litterbox's own keys.
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    box keys attach mine
    start_in_box sh -c 'ssh-add -L | grep mine >k.pub; ssh-keygen -q -Y sign -f k.pub -n git text'
    answer once
    eventually test -s ended
    grep -qx "box: box 'shop' cannot use your SSH keys: the key store is locked: 'box keys unlock' unlocks it" error
}

@test "notices: a session listens before its command can ask, however slow the machine is" {
    box run -- true
    box consent mute
    run strace -f -b execve -qq -o /dev/null -e trace=bind -e inject=bind:delay_enter=300000 \
        "$(dirname "$(type -P box)")/../libexec/litterbox/box" run -- ssh-add -l
    assert_contains "box: box 'shop' cannot use your SSH keys: it is muted"
}

@test "notices: what is wrong with the user's own agent is told, and that another machine is refused" {
    local unusable="box: box 'shop' cannot use your SSH keys:"
    ssh_to_sshd ed25519
    box run -- ssh-add -L >k.pub
    # A machine to which the agent was forwarded.
    start_in_box ssh -A -F ssh_config far "cd $PROJECT && echo x | ssh-keygen -q -Y sign -f k.pub -n git"
    answer once
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    grep -q "$unusable another machine asked (ssh -A)" error || fail "$(cat error)"
    # It has no keys yet, as after a reboot.
    ssh-add -q -D
    run box run -- ssh -F ssh_config far true
    assert_contains "$unusable your own SSH agent has none that the box may use: 'ssh-add'"
    # The key goes while the question waits, as one of `ssh-add -t` does.
    ssh-add -q "$KEYS/work"
    start_in_box ssh -F ssh_config far true
    eventually has_pending
    ssh-add -q -D
    answer once
    eventually test -s ended
    grep -q "$unusable the key was detached, or is gone from your own SSH agent" error || fail "$(cat error)"
    # The agent ends while the question waits: nobody has detached the key.
    ssh-add -q "$KEYS/work"
    start_in_box ssh -F ssh_config far true
    eventually has_pending
    kill "$REAL_AGENT"
    wait "$REAL_AGENT" || true
    answer once
    eventually test -s ended
    grep -q "$unusable your own SSH agent does not answer" error || fail "$(cat error)"
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = "your own SSH agent does not answer" ]
    run box run -- ssh-add -l
    assert_contains "$unusable your own SSH agent does not answer: 'ssh-add -l', outside"
    [ "$(box consent log --json | tail -n 1 | jq -r '.purpose, .how' | paste -sd :)" = "list:your own SSH agent does not answer" ]
    # There was none from the start.
    box stop
    unset SSH_AUTH_SOCK
    run box run -- ssh-add -l
    assert_contains "$unusable you have no SSH agent: start one"
}

# A box that has another key, too, gets that, and no word of the missing ones.
@test "notices: a real agent that is too slow with its keys is in the log" {
    attach work mine
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    box run -- true
    kill -STOP "$REAL_AGENT"
    run --separate-stderr box run -- ssh-add -l
    kill -CONT "$REAL_AGENT"
    assert_contains " mine "
    [ "$(box consent log --json | tail -n 1 | jq -r '.purpose, .how' | paste -sd :)" = "list:your own SSH agent does not answer" ]
    box consent log | grep -q 'list.*: refused (your own SSH agent does not answer)'
}

@test "notices: a lock while the real agent is slow leaves no question" {
    box run -- sh -c 'ssh-add -L >k.pub'
    asked() { [ "$(grep -cF " $SSH_AUTH_SOCK" /proc/net/unix)" -gt 1 ]; }
    kill -STOP "$REAL_AGENT"
    start_in_box sh -c 'echo hello | ssh-keygen -q -Y sign -f k.pub -n git'
    eventually asked
    box consent lock
    kill -CONT "$REAL_AGENT"
    eventually test -s ended
    box consent unlock
    grep -qx "box: box 'shop' cannot use your SSH keys: the SSH agent is locked: 'box consent unlock' ends that" error || fail "$(cat error)"
}

@test "notices: a display on which no window opens is as none" {
    box run -- true
    DISPLAY=:77777 start_in_box sh -c "$(signing git)"
    eventually told 1 error
    [ "$(box consent status --json | jq -r .display)" = true ]
    answer deny
    eventually test -s ended
}

# A server that takes connections and says nothing.
@test "notices: a display that does not answer keeps one question waiting for a moment, and no other" {
    local silent second
    python3 -c '
import socket, time
line = socket.create_server(("127.0.0.1", 0))
print(line.getsockname()[1] - 6000, flush=True)
time.sleep(1000)' >silent.txt 3>&- &
    silent=$!
    eventually test -s silent.txt
    mkdir second
    box run -- true
    DISPLAY=127.0.0.1:$(cat silent.txt) start_in_box sh -c "$(signing git)"
    eventually told 1 error
    DISPLAY=127.0.0.1:$(cat silent.txt) box run -- sh -c "cd second && $(signing file)" 2>second.txt 3>&- &
    second=$!
    eventually --within 10 told 2 second.txt
    kill "$silent"
    box consent approve 2
    wait "$second"
    answer deny
    eventually test -s ended
}

@test "notices: approve on a terminal shows what is approved, and needs a yes" {
    start_in_box sh -c "$(signing git)"
    eventually told 1 error
    run on_terminal --answer 'Allow once? [y/N]' 'n\n' box consent approve 1
    assert_status 1
    assert_contains "Sign a git object (content not visible)"
    assert_contains "$(fingerprint work)"
    has_pending
    run on_terminal --answer 'Allow for 5 minutes' 'y\n' box consent approve 1 5m
    assert_status 0
    assert_contains "git signatures with work from box shop"
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
}

@test "notices: a yes is for the request that was shown, not for one that has its number since" {
    local asking
    start_in_box sh -c "$(signing git)"
    eventually told 1 error
    on_terminal --answer 'go on' 'y\n' sh -c '(until [ -e go ]; do sleep 0.05; done; echo go on) & box consent approve 1' >shown.txt 2>&1 3>&- &
    asking=$!
    eventually grep -q "Allow once" shown.txt
    agent_kill
    eventually test -s ended
    box run -- true 2>/dev/null # starts the agent
    rm ended error
    start_in_box sh -c "$(signing file)"
    eventually told 1 error
    touch go
    wait "$asking" || true
    grep -q "another one has its number now" shown.txt || fail "$(cat shown.txt)"
    has_pending
    [ ! -s signature ]
    # Nor for one that comes between the look and the yes.
    answer deny
    eventually test -s ended
    run agent_say '{"op": "approve", "id": "1", "choice": "once", "shown": {}}'
    assert_contains "no such request"
}

@test "notices: a session that asks nothing is told nothing, and leaves no socket" {
    run box run -- sh -c 'ssh-add -l >/dev/null; echo out'
    refute_contains 'box consent'
    assert_contains out
    eventually listeners_are 0
    box rm --yes
    [ ! -e "$RUNTIME/.agent/notices/shop" ]
}
