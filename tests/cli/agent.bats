#!/usr/bin/env bats
# The SSH agent: what a box lists, how signatures are asked for, grants, kills, its own keys.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

@test "agent: lists the attached keys alone, under the host's label" {
    run --separate-stderr box run -- ssh-add -l
    assert_status 0
    assert_output "256 $(fingerprint work) work (ED25519)"
    run --separate-stderr box run -- sh -c 'echo "$SSH_AUTH_SOCK"; ls -A /run/litterbox/ssh'
    assert_output "/run/litterbox/ssh/socket"$'\n'socket
}

# Whoever waits for longer than a start takes, waits for five seconds.
starts_soon() {
    local begin pid
    pid=$(agent_pid)
    kill -KILL "$pid"
    eventually process_ended "$pid"
    begin=${EPOCHREALTIME/./}
    box consent status >/dev/null
    box run -- true
    [ -n "$(agent_pid)" ] && [ $((${EPOCHREALTIME/./} - begin)) -lt 3000000 ]
}

@test "agent: its start is waited for no longer than it takes" {
    box run -- true
    # More than once, where the machine has much else to do.
    eventually starts_soon
}

@test "agent: keys by fingerprint and by public key file; per box as well" {
    attach "$(fingerprint other)"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint other) other (ED25519)"
    printf '[ssh]\nkeys = ["%s"]\n' "$KEYS/work.pub" >"$CONFIG/boxes/shop.toml"
    box stop
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent: without keys nothing is started, and ssh-add says that there is none" {
    rm "$CONFIG/config.toml"
    run box run -- ssh-add -l
    [ "$status" != 0 ]
    [ -z "$(agent_pid)" ]
}

@test "agent: a project may not choose keys" {
    printf '[ssh]\nkeys = ["work"]\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "for you alone"
}

@test "agent: a signature waits for a yes, and the question tells the truth" {
    sign_in_box git &
    eventually has_pending
    run box consent pending
    assert_contains "Sign a git object (content not visible)"
    assert_contains "$(fingerprint work)"
    assert_contains "Claimed by the box"
    assert_contains "ssh-keygen -q -Y sign -f k.pub -n git"
    # The program and its shell, and nothing of how a box starts its sessions.
    [ "$(box consent pending --json | jq -r '[.[0].chain[].name] | join(" ")')" = "ssh-keygen sh" ]
    assert_contains "ssh-keygen"
    [ ! -s signature ]
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    echo "me $(cat "$KEYS/work.pub")" >signers
    echo hello | ssh-keygen -Y verify -f signers -I me -n git -s signature
    [ "$(box consent log --json | jq -r 'select(.decision == "signed") | .how')" = approved ]
    # Once was once.
    rm ended
    sign_in_box git &
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
}

@test "agent: a wrong answer is told which are right" {
    SSH_CONFIG='grants = "5m"' attach work
    sign_in_box git &
    eventually has_pending
    run box consent approve 1 box
    assert_contains "answered by once, 5m or deny"
    [ "$status" != 0 ]
    run box consent approve 2
    assert_contains "no such request"
    [ -n "$(pending_ids)" ]
    box consent deny 1
    eventually test -s ended
}

@test "agent: a grant covers its namespace, lasts, and can be revoked" {
    sign_in_box git &
    answer 5m
    eventually test -s ended
    run box consent grants
    assert_contains "git signatures with work from box shop"
    rm ended
    sign_in_box git
    [ "$(cat ended)" = 0 ]
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = grant ]
    # What was signed without a question is seen by whoever looks.
    run box consent log -n 1
    [[ $output =~ "signed (grant "[0-9]+", use 2 of " ]]
    [ "$(box consent grants --json | jq '.[0].uses')" = 2 ]
    run box status
    [[ $output =~ "git signatures with work from box shop, used 2 of "[0-9]+", last "[0-9]+" s ago" ]]
    # Another namespace is another question.
    rm ended
    sign_in_box file &
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    box consent revoke "$(box consent grants --json | jq -r '.[0].id')"
    [ "$(box consent grants --json)" = "[]" ]
}

@test "agent: grants end with lock and with the box" {
    sign_in_box git &
    answer box
    eventually test -s ended
    [ "$(box consent grants --json | jq length)" = 1 ]
    box consent lock
    [ "$(box consent grants --json | jq length)" = 0 ]
    run --separate-stderr box run -- ssh-add -l
    assert_status 1
    assert_output "The agent has no identities."
    box consent unlock
    rm ended
    sign_in_box git &
    answer box
    eventually test -s ended
    box stop
    eventually sh -c '[ "$(box consent grants --json | jq length)" = 0 ]'
}

@test "agent: a program that goes away takes its question with it" {
    box run -- true
    box run --timeout 1s -- sh -c 'ssh-add -L >k.pub; echo x | ssh-keygen -Y sign -f k.pub -n git' \
        >/dev/null 2>&1 || true
    eventually sh -c '[ -z "$(box consent pending --json | jq -r ".[].id")" ]'
    [ "$(box consent log --json | jq -r 'select(.decision == "signed")')" = "" ]
}

@test "agent: a muted box sees no keys and asks nothing" {
    box run -- true
    box consent mute --for 1m
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    sign_in_box git
    [ "$(cat ended)" != 0 ]
    run box consent status
    assert_contains "muted      it may not ask"
    box consent mute --for 0
    run box consent status
    refute_contains muted
    run --separate-stderr box run -- ssh-add -l
    assert_status 0
}

@test "agent: killed with its supervisor, it is started by the next command and serves the box as before" {
    box run -- ssh-add -l
    agent_kill
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    run box consent status
    assert_contains shop
}

@test "agent: the real agent may vanish and come back" {
    box run -- ssh-add -l
    kill "$REAL_AGENT" 2>/dev/null || true
    wait "$REAL_AGENT" || true
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    real_agent_start
    ssh-add -q "$KEYS/work"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent: a log that cannot be written refuses the signature" {
    box run -- true
    rm -f "$STATE/agent.log"
    mkdir "$STATE/agent.log"
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    [ ! -s signature ]
    rmdir "$STATE/agent.log"
}

@test "agent: its files are the user's alone; it cannot be traced and leaves no core" {
    box run -- true
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(stat -c %a "$STATE/agent.log")" = 600 ]
    [ "$(stat -c %a "$RUNTIME/.agent")" = 700 ]
    [ "$(stat -c %a "$RUNTIME/.agent/control")" = 600 ]
    local pid
    pid=$(agent_pid)
    # Root owns what belongs to a process that cannot be dumped.
    [ "$(stat -c %u "/proc/$pid/mem")" = 0 ]
    [ "$(awk '/^Max core file size/ { print $5 }' "/proc/$pid/limits")" = 0 ]
    [ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")" = 2 ]
    [ "$(awk '/^NoNewPrivs:/ { print $2 }' "/proc/$pid/status")" = 1 ]
}

# Its own files lead it out of its folders, as they would whoever has taken it over.
@test "agent: what lies outside of its folders it neither reads nor writes (Landlock)" {
    has_landlock || skip "this kernel has no Landlock"
    box run -- true
    local pid
    pid=$(agent_pid)
    mv "$STATE/attached" "$TEST_HOME/attached"
    ln -s "$TEST_HOME/attached" "$STATE/attached"
    echo "$(fingerprint other) other" >"$TEST_HOME/attached/shop"
    # It looks when a box is opened.
    box stop
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    rm "$TEST_HOME/attached/shop"
    run box keys attach other
    [ "$status" != 0 ]
    assert_contains "Permission denied"
    [ -z "$(ls -A "$TEST_HOME/attached")" ]
    # Nothing else was in the way.
    rm "$STATE/attached"
    mv "$TEST_HOME/attached" "$STATE/attached"
    box keys attach other
    run --separate-stderr box run -- ssh-add -l
    assert_contains "other (ED25519)"
    [ "$(agent_pid)" = "$pid" ]
}

@test "agent: box rm asks, and takes attachments, grants and the socket's folder along" {
    box run -- true
    box keys attach other
    sign_in_box git &
    answer box
    eventually test -s ended
    [ -d "$RUNTIME/.agent/boxes/shop" ]
    run on_terminal --answer '[y/N]' 'n\n' box rm
    assert_contains "detach its SSH keys?"
    [ -s "$STATE/attached/shop" ]
    [ "$(box consent grants --json | jq length)" = 1 ]
    box rm --yes
    [ ! -e "$RUNTIME/.agent/boxes/shop" ]
    [ ! -e "$STATE/attached/shop" ]
    [ "$(box consent grants --json)" = "[]" ]
    [ "$(box consent status --json | jq '.boxes | length')" = 0 ]
}

@test "agent: keys of the own store: listed, refused while locked, signing once unlocked" {
    local store_password=correct-horse
    printf '%s\n' "$store_password" | box keys generate --password-fd 0 mine
    attach mine
    run --separate-stderr box run -- ssh-add -l
    assert_contains "mine (ED25519)"
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = "the key store is locked" ]
    run sh -c 'echo wrong | box keys unlock --password-fd 0'
    [ "$status" != 0 ]
    printf '%s\n' "$store_password" | box keys unlock --password-fd 0
    [ "$(box consent status --json | jq .keys_unlocked)" = true ]
    # What is secret of them cannot be swapped out.
    [ "$(awk '/^VmLck/ { print $2 }' "/proc/$(agent_pid)/status")" -gt 0 ]
    rm ended
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
    echo "me $(cat k.pub)" >signers
    echo hello | ssh-keygen -Y verify -f signers -I me -n git -s signature
    box keys lock
    [ "$(box consent status --json | jq .keys_unlocked)" = false ]
}

@test "agent: ends when no box runs" {
    box run -- true 2>/dev/null
    local pid
    kill "$(agent_pid)"
    # Its supervisor as well, which has the lock that the next one takes.
    no_supervisor() { [ -z "$(agent_supervisor)" ]; }
    eventually no_supervisor
    # As `box` starts it, with less patience.
    "$(dirname "$(command -v box)")/../libexec/litterbox/litterbox-ssh-agent" --idle 1 >/dev/null 2>&1 3>&- 4>&- &
    eventually agent_is_there
    pid=$(agent_pid)
    sleep 2
    kill -0 "$pid"
    box stop
    eventually process_ended "$pid"
    [ ! -e "$RUNTIME/.agent/control" ]
}

# It has the lock that it is found by a moment after it answers. The last one may have answered before it has ended:
# then there is none before somebody needs one.
kill_agent() {
    box run -- true 2>/dev/null
    kill "$(agent_pid)" 2>/dev/null
}

@test "agent: one that is just ending is replaced" {
    box run -- true 2>/dev/null
    local i
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        eventually kill_agent
        box keys attach other || fail "round $i"
    done
}

@test "agent: a lock outlives the agent, however that ends" {
    box run -- true 2>/dev/null
    box consent lock
    agent_kill
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    [ "$(box consent status --json | jq .locked)" = true ]
    box stop
    agent_kill
    # Nobody runs: both words hold all the same.
    box consent unlock
    box consent lock
    eventually kill_agent
    eventually no_agent
    box consent unlock
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent: a phrase that cannot be read is not replaced by another" {
    box consent lock
    local phrase
    phrase=$(box consent status --json | jq -r .phrase)
    agent_kill
    chmod 000 "$STATE/prompt-secret"
    run box consent unlock
    [ "$status" != 0 ]
    eventually no_agent
    grep -q prompt-secret "$RUNTIME/.agent/agent.log"
    chmod 600 "$STATE/prompt-secret"
    box consent unlock
    [ "$(box consent status --json | jq -r .phrase)" = "$phrase" ]
}

@test "agent: its runtime folder may have a name longer than the address of a socket" {
    local deep
    deep=$TEST_HOME/$(printf 'x%.0s' {1..100})
    mkdir -m 700 "$deep"
    XDG_RUNTIME_DIR=$deep box consent lock
    run env XDG_RUNTIME_DIR="$deep" box consent status
    assert_contains locked
    kill "$(RUNTIME=$deep/litterbox-$LITTERBOX_INSTANCE agent_pid)"
    # An agent adds to what others have written to its log.
    (umask 077 && mkdir -p "$RUNTIME/.agent")
    echo "message of an older one" >>"$RUNTIME/.agent/agent.log"
    box consent lock
    grep -qx "message of an older one" "$RUNTIME/.agent/agent.log"
}

@test "agent: several requests on its control socket at once are each answered" {
    box consent lock
    python3 - "$RUNTIME/.agent/control" <<'PY'
import json, os, socket, sys
os.chdir(os.path.dirname(sys.argv[1]))
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect("control")
late = json.dumps({"op": "keys", "upstream": os.environ["SSH_AUTH_SOCK"]})
s.sendall(f'{late}\n{{"op":"status"}}\n{late}\n{{"op":"grants"}}\n'.encode())
lines = s.makefile()
for key in "keys", "phrase", "keys", "grants":
    assert key in json.loads(lines.readline()), key
PY
}

@test "agent: a throw-away box has its model's keys, and leaves nothing behind" {
    box run -- true 2>/dev/null
    box keys attach other
    run --separate-stderr box run --ephemeral -- ssh-add -l
    assert_contains "work (ED25519)"
    assert_contains "other (ED25519)"
    [ "$(ls -A "$RUNTIME/.agent/boxes")" = shop ]
    [ "$(ls -A "$RUNTIME/.agent/open")" = shop ]
}
