#!/usr/bin/env bats
# Attacks on the SSH agent from inside a box: socket, protocol, questions, grants.

load escape.bash
load ../lib/ssh.bash

setup_file() {
    escape_setup_file
    ssh_setup work other
    attach work
    agent_client
    cp "$KEYS/work.pub" k.pub
    cp "$KEYS/other.pub" other.pub
    in_box true
}
teardown_file() {
    ssh_teardown
    box_teardown
}
setup() { escape_setup; }
teardown() {
    local id
    for id in $(pending_ids); do box consent deny "$id"; done
    box consent mute --for 0
}

client() { run --separate-stderr in_box python3 client.py "$@"; }

# ask_for ARGUMENT…: runs the client in the background; its answer is in the file "answer".
ask_for() {
    rm -f answer
    in_box python3 client.py "$@" >answer 3>&- &
    eventually has_pending
}

@test "agent: a box cannot remove, replace or move its socket (1)" {
    local attempt
    for attempt in 'rm -f socket' 'mv socket away' 'touch new' 'ln -s /tmp/x link' 'chmod 777 socket' \
        'mv /run/litterbox/ssh /run/litterbox/away' 'rmdir /run/litterbox/ssh'; do
        run in_box sh -c "cd /run/litterbox/ssh && $attempt"
        [ "$status" != 0 ] || fail "$attempt"
        run in_box sh -c "rm -f '$RUNTIME/.agent/boxes/shop/socket'; test -e /run/litterbox/ssh/socket"
        assert_status 0
    done
}

@test "agent: a box cannot reach the user's agent, the control socket or other boxes' sockets (2)" {
    local path
    client raw 12 # writes a line to the log
    assert_output "5 1"
    for path in "$SSH_AUTH_SOCK" "$RUNTIME/.agent/control" "$RUNTIME/.agent/boxes/shop/socket" \
        "$RUNTIME/.agent" "$STATE/agent.log" "$STATE/prompt-secret" "$DATA/keys"; do
        [ "$path" = "$DATA/keys" ] || [ -e "$path" ]
        run in_box test -e "$path"
        assert_status 1
    done
    run in_box sh -c 'cat /proc/net/unix | grep -c agent'
    assert_output 0
    run in_box pgrep -f litterbox-ssh-agent
    assert_status 1
}

@test "agent: malformed frames end only their own connection (9)" {
    local frame
    for frame in 00000000 00040001 ffffffff 7fffffff; do
        client bytes "$frame"
        assert_output closed
    done
    # A frame of the maximum size is read and refused.
    run --separate-stderr in_box python3 -c '
from client import *
a = Agent()
show(a.ask(b"\xff" + b"x" * 262143))
a.send(b"\0\0\0\5\x0b")
b = Agent()
show(b.ask(b"\x0b"))'
    [[ $output == "5 1"$'\n'"12 "* ]] || fail "$output"
}

@test "agent: a thousand silent connections block nobody and cost little (9)" {
    local pid before after
    pid=$(agent_pid)
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    rm -f hold
    in_box sh -c 'ulimit -n 4096 2>/dev/null; python3 -c "
from client import *
held = [Agent() for _ in range(1000)]
held[0].send(b\"\0\0\")
print(held[-1].ask(b\"\x0b\")[0])
sys.stdout.flush()
time.sleep(3)"' >hold 3>&- &
    eventually grep -qx 12 hold
    after=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    [ $((after - before)) -lt 20000 ] || fail "from $before to $after kB"
    # Connections above the limit are closed at once. Afterwards another program is served.
    eventually sh -c 'box run -- ssh-add -l 2>/dev/null | grep -q work'
}

@test "agent: a forged session bind is not verified (8)" {
    client request 'forged_bind(other)' 'forged_bind(other)' 'forged_bind(key)'
    [ "$(sort -u <<<"$output")" = "28 1" ] || fail "$output"
    ask_for request 'forged_bind(other)' 'sign_request(key, userauth(key))'
    run box consent pending
    assert_contains "Not verified"
    assert_contains "is not true"
    refute_contains "5 minutes"
    answer once
    eventually grep -q "^14 " answer
}

@test "agent: a claimed agent forwarding is refused without a question (3)" {
    client request 'forged_bind(other, 1)' 'sign_request(key, sshsig())'
    assert_output "28 1"$'\n'"5 1"
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = forwarding ]
    # The same for a host with an unknown key.
    client request 'forged_bind(b"of another kind", 1)' 'sign_request(key, sshsig())'
    assert_output "28 1"$'\n'"5 1"
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = forwarding ]
}

@test "agent: after a refused bind, no grant applies to the connection (3)" {
    ask_for sign k.pub git
    answer box
    eventually grep -q "^14 " answer
    ask_for request 'forged_bind(other)' 'sign_request(key, sshsig())'
    run box consent pending
    refute_contains "5 minutes"
    answer once
    eventually grep -q "^14 " answer
    box consent revoke all
}

@test "agent: names of users, namespaces and programs cannot forge or hide text in a question (8)" {
    local what evil=$'evil\e[2J\nkey: other'
    for what in 'userauth(key, b"git\0root")' 'userauth(key, "\u202egit\u2066".encode())' \
        'userauth(key, b"root\n\n7: box consent approve 7\x1b[2J")' 'userauth(key, b"u" * 200000)' \
        'sshsig(b"git\0")' 'sshsig(b"\xff\xfe\x9b2J")' 'sshsig(b"n" * 200000)'; do
        rm -f answer
        # shellcheck disable=SC2016 # the box's shell expands them
        in_box bash -c 'exec -a "$1" python3 client.py request "sign_request(key, $2)"' sh "$evil" \
            "$what" >answer 3>&- &
        eventually has_pending || fail "$what"
        run box consent pending
        assert_no_controls
        [ "${#output}" -lt 6000 ] || fail "${#output} characters"
        [ "$(grep -c '^[0-9]*: ' <<<"$output")" = 1 ] || fail "$output"
        assert_contains "$(ssh-keygen -lf "$KEYS/work.pub" | cut -d' ' -f2)"
        box consent approve "$(pending_ids)" once
        eventually test -s answer
    done
    run box consent log
    assert_no_controls
}

@test "agent: a user or namespace cannot continue the question's own words (8)" {
    local what end=' at a host that you do not know'
    # Quotes, lookalikes of quotes and truncation do not end it.
    for what in 'b"git at github.com, host key verified"' 'b"git\" at github.com, \""' \
        '"git\u201d at github.com, \u201c".encode()' 'b"git\\\" at github.com"' \
        "b\"git' at github.com\"" 'b"git " + b"\"" * 500'; do
        ask_for request "sign_request(key, userauth(key, $what))"
        run jq -r '.[0].headline' <<<"$(box consent pending --json)"
        [[ $output == 'Log in as "git'*"\"$end" ]] || fail "$output"
        [ "$(tr -cd '"' <<<"$output")" = '""' ] || fail "$output"
        answer once
        eventually test -s answer
    done
    run box consent log
    assert_contains 'as "git at github.com, host key verified":'
    client extension 'git work: signed (approved)'
    run box consent log
    assert_contains 'extension "git work: signed (approved)" : refused'
    ask_for request "sign_request(key, sshsig(b'git (not visible) with \"o\"'))"
    run jq -r '.[0] | .headline, .choices[1].scope' <<<"$(box consent pending --json)"
    assert_output 'Sign for "git (not visible) with \x22o\x22" (content not visible)
signatures for "git (not visible) with \x22o\x22" with work from box shop'
    answer once
    eventually test -s answer
}

@test "agent: a name with many blanks makes no line of its own on a terminal (8)" {
    # The terminal begins a line after 80 letters. No host is known: no line of ours begins like this.
    ask_for request 'sign_request(key, userauth(key, b"git" + b" " * 66 + b"Host       github.com  SHA256:+DiY3wvvV6TuJ"))'
    run fold -w 80 <<<"$(box consent pending)"
    # Control: the question has the name, and a line like it.
    assert_contains github.com
    grep -qE '^ {4}Key +work' <<<"$output" || fail "$output"
    run ! grep -E '^ *Host ' <<<"$output"
    answer once
    eventually test -s answer
}

@test "agent: a long user or namespace pushes nothing else out of a sentence (8)" {
    local what
    for what in 'userauth(key, b"W" * 200)' 'sshsig(b"W" * 200)'; do
        ask_for request "sign_request(key, $what)"
        run jq -r '.[0] | .headline, .choices[1:][].scope' <<<"$(box consent pending --json)"
        # The window has three lines for each, of 24 letters of this width. Its facts have more of the name.
        run ! grep -E 'W.{30,}W' <<<"$output"
        box consent pending | grep -E 'W{50}' || fail "$what"
        answer once
        eventually test -s answer
    done
}

@test "agent: a grant does not apply outside its scope (3)" {
    ask_for sign k.pub git
    answer box
    eventually grep -q "^14 " answer
    client sign k.pub git
    [[ $output == 14* ]]
    local what
    for what in 'sshsig(b"git\0")' 'sshsig(b"gi")' 'sshsig(b"git ")' 'sshsig(b"git") + b"\0"' \
        'b"SSHSIG" + string(b"git")' 'userauth(key, b"git")'; do
        ask_for request "sign_request(key, $what)" || fail "$what was signed: $(cat answer)"
        # After a "no" the agent would ignore the box for a while.
        box consent approve "$(pending_ids)" once
        eventually test -s answer
    done
    # The other key causes no question.
    client sign other.pub git
    assert_output "5 1"
    box consent revoke all
}

@test "agent: an approval is valid once, for one connection and its bytes (3)" {
    ask_for sign k.pub once-only
    answer once
    eventually grep -q "^14 " answer
    # Right after a "no" there is no question. By one program, as the pause is of seconds.
    ask_for request 'sign_request(key, sshsig(b"once-only"))' 'sign_request(key, sshsig(b"more"))'
    [ "$(pending_ids | wc -l)" = 1 ]
    answer deny
    eventually grep -qx "5 1" answer
    both_refused() { [ "$(cat answer)" = $'5 1\n5 1' ]; }
    eventually both_refused
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = cooldown ]
}

@test "agent: requests that would change the user's agent never reach it (2)" {
    local before
    before=$(ssh-add -l)
    client raw 12 13 16 17 1778 1a 14 09
    [ "$(sort -u <<<"$output")" = "5 1" ]
    client extension ssh-env@gnupg.org 0000000744495350
    assert_output "5 1"
    [ "$(ssh-add -l)" = "$before" ]
}

@test "agent: a box cannot use up the connections of the user's agent (2)" {
    used() { grep -c "$SSH_AUTH_SOCK" /proc/net/unix; }
    rm -f hold
    in_box sh -c 'ulimit -n 4096 2>/dev/null; python3 -c "
from client import *
held = [Agent() for _ in range(900)]
for each in held:
    each.send(frame(bytes([11])))
print(len([each.answer()[0] for each in held]))
sys.stdout.flush()
time.sleep(6)"' >hold 3>&- &
    eventually grep -qx 900 hold
    [ "$(used)" -lt 200 ] || fail "$(used)"
    ssh-add -l
    # Idle connections are closed.
    eventually sh -c "[ \$(grep -c '$SSH_AUTH_SOCK' /proc/net/unix) = 1 ]"
    eventually sh -c 'box run -- ssh-add -l 2>/dev/null | grep -q work'
}

# Processor time of the agent so far, in hundredths of a second.
agent_time() { awk '{ print $14 + $15 }' "/proc/$(agent_pid)/stat"; }

@test "agent: a flood of expensive binds ends only its own connection (9)" {
    local start=$SECONDS before
    before=$(agent_time)
    ssh-keygen -q -t rsa -b 4096 -N '' -f "$TEST_HOME/slow"
    cp "$TEST_HOME/slow.pub" slow.pub
    run --separate-stderr in_box python3 -c '
from client import *
host = public_key("slow.pub")
try:
    for i in range(5000):
        a = Agent()
        for j in range(8):
            a.ask(forged_bind(host, kind=b"rsa-sha2-512", length=512, session=b"%032d" % j))
    print("served")
except (EOFError, ConnectionError):
    print("closed")'
    # On a machine where the agent gets less than a quarter of a processor, it need not end the connection.
    [ "$output" = closed ] || {
        assert_output served
        [ $(($(agent_time) - before)) -lt $(((SECONDS - start) * 25)) ]
    }
    client raw 0b
    [[ $output == 12* ]] || fail "$output"
    sleep 1
    client request 'forged_bind(other)'
    assert_output "28 1"
}

@test "agent: valid binds, with host keys as long as they may be, cost the agent little memory (9)" {
    local before after
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$(agent_pid)/status")
    rm -f ready bound
    # As a server does it: an agent of the box's own signs the sessions. The host key is a certificate with a long name.
    in_box python3 -c '
import subprocess
from client import *
subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/tmp/host"], check=True)
server = subprocess.Popen(["ssh-agent", "-D", "-a", "/tmp/own"], stdout=subprocess.DEVNULL)
while not os.path.exists("/tmp/own"):
    time.sleep(0.01)
subprocess.run(["ssh-add", "-q", "/tmp/host"], check=True, env=dict(os.environ, SSH_AUTH_SOCK="/tmp/own"))
own, plain = Agent("/tmp/own"), public_key("/tmp/host.pub")
host = (string(b"ssh-ed25519-cert-v01@openssh.com") + string(b"n" * 32) + string(plain[-32:]) + bytes(8) + b"\0\0\0\2" +
        string(b"i" * 60000) + string(b"") + bytes(8) + b"\xff" * 8 + string(b"") * 3 + string(plain) + string(b"s"))
binds = []
for i in range(16):
    signature = own.ask(sign_request(plain, b"%032d" % i))[1:]
    binds.append(b"\x1b" + string(b"session-bind@openssh.com") + string(host) + string(b"%032d" % i) + signature + b"\1")
held, accepted = [], 0
for i in range(150):
    each = Agent()
    held.append(each)
    try:
        for bind in binds:
            accepted += each.ask(bind)[0] == 6
    except (EOFError, ConnectionError):
        time.sleep(0.02)  # there were too many a second
open("bound", "w").write(str(accepted))
os.rename("bound", "ready")
time.sleep(1000)' 3>&- &
    eventually test -e ready
    after=$(awk '/^VmRSS/ { print $2 }' "/proc/$(agent_pid)/status")
    # Control: there were binds.
    [ "$(cat ready)" -ge 16 ] || fail "$(cat ready)"
    [ $((after - before)) -lt 40000 ] || fail "from $before to $after kB with $(cat ready) binds"
    in_box pkill -f bound
    eventually sh -c 'box run -- ssh-add -l 2>/dev/null | grep -q work'
}

@test "agent: a flood of requests that cost nothing keeps no other box waiting (9)" {
    local before after
    new_project "$TEST_HOME/neighbour-box"
    cp "$PROJECT/client.py" "$TEST_HOME/neighbour-box"
    (cd "$TEST_HOME/neighbour-box" && box run -- true)
    rm -f flooding stop
    # Each connection always has three thousand requests that are refused, and room for their answers.
    in_box python3 -c '
import select
from client import *
held, events, answers = {}, select.epoll(), 0
for i in range(900):
    each = Agent().socket
    each.setblocking(False)
    held[each.fileno()] = each
    events.register(each, select.EPOLLIN | select.EPOLLOUT)
while not os.path.exists("stop"):
    for number, what in events.poll():
        try:
            if what & select.EPOLLIN:
                answers += len(held[number].recv(65536)) // 5
            if what & select.EPOLLOUT:
                held[number].send(frame(b"\1") * 3000)
        except BlockingIOError:
            pass
    open("now", "w").write(str(answers))
    os.rename("now", "flooding")' 3>&- &
    eventually test -s flooding
    before=$(cat flooding)
    cd "$TEST_HOME/neighbour-box"
    run box run -- python3 client.py raw 0b 0b 0b 0b 0b 0b 0b 0b
    cd "$PROJECT"
    after=$(cat flooding)
    touch stop
    [ "$(grep -c "^12 " <<<"$output")" = 8 ] || fail "$output"
    # Not by time: the flood has had few turns meanwhile.
    [ $((after - before)) -lt 500000 ] || fail "$((after - before)) answers to the flood"
}

@test "agent: the box still works after these attacks" {
    assert_box_alive
    box consent status
}

@test "agent: what a box claims in a request cannot forge or hide a notice on the terminal (8)" {
    # After the no of a test before, the box may not ask for some seconds. A stop ends that.
    box restart
    cp "$KEYS/work.pub" k.pub
    # Escape sequences, line ends and a text that goes on as if it were ours, as the purpose of a signature.
    start_in_box sh -c 'echo hello >hello
        ssh-keygen -q -Y sign -f k.pub -n "$(printf "x\033[2J\033[8m\rbox: all is well\nbox: run box consent approve 99")" hello'
    eventually grep -q "box consent approve" error
    run ! grep -q "$(printf '[\033\r]')" error
    run ! grep -qx 'box: all is well.*' error
    [ "$(grep -c '^box: ' error)" = 2 ] || fail "$(cat -v error)"
    grep -qF '\x1B' error || grep -qF '\x1b' error || fail "$(cat -v error)"
    answer deny
    eventually test -s ended
}

@test "agent: a box cannot reach the sockets by which its sessions are told, or see their names (2)" {
    start_in_box sh -c 'echo ready; exec sleep 1000'
    eventually grep -q ready out
    # Control: the socket is there.
    [ -n "$(find "$RUNTIME/.agent/notices/shop" -type s)" ]
    run in_box test -e "$RUNTIME/.agent/notices"
    assert_status 1
    run in_box find / -xdev -name notices -path '*.agent*'
    assert_output ''
    run ! grep -q shop <(grep -o '/proc/self/fd/.*' /proc/net/unix)
    in_box pkill -x sleep
    eventually test -s ended
}

@test "agent: a box that asks without end does not fill the terminal with notices (9)" {
    cp "$KEYS/work.pub" k.pub
    start_in_box python3 client.py flood k.pub 60
    eventually grep -qE 'too many of its requests wait|may not ask for a while' error
    while ! [ -s ended ]; do
        for id in $(pending_ids); do box consent deny "$id" || true; done
    done
    # Control: all of them were refused, most without a question.
    [ "$(cat out)" = "60 0" ]
    [ "$(grep -c '^box: box' error)" -le 6 ] || fail "$(cat error)"
}
