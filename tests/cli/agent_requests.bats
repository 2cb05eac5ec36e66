#!/usr/bin/env bats
# The SSH agent: every request that a box may send, floods, and a real agent that misbehaves.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

# fake_upstream MODE: a real agent that is broken in a way; its socket is in $SSH_AUTH_SOCK.
fake_upstream() {
    kill "$REAL_AGENT" 2>/dev/null || true
    # The kernel shows its socket as listening until it has ended.
    wait "$REAL_AGENT" || true
    export SSH_AUTH_SOCK=$TEST_HOME/broken.sock
    rm -f "$SSH_AUTH_SOCK"
    python3 - "$1" "$KEYS/work.pub" >/dev/null 3>&- 4>&- <<'PY' &
import base64, os, socket, struct, sys, threading
mode, key = sys.argv[1], base64.b64decode(open(sys.argv[2]).read().split()[1])
string = lambda b: struct.pack(">I", len(b)) + b
good = b"\x0c" + struct.pack(">I", 1) + string(key) + string(b"work")
def serve(c):
    while True:
        head = c.recv(4, socket.MSG_WAITALL)
        if len(head) < 4: return
        body = c.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL)
        if body[0] == 11:
            c.sendall({"short": string(good[:-3]), "huge": struct.pack(">I", 0xffffffff), "zero": b"\0\0\0\0",
                       "count": string(b"\x0c\xff\xff\xff\xff"), "type": string(b"\x06"), "twice": string(good) * 2,
                       "hang": b""}.get(mode, string(good)))
            if mode == "close": c.close()
        elif mode == "dies": os._exit(0)
        elif mode == "other": c.sendall(string(b"\x0e" + string(string(b"ssh-rsa") + string(b"x" * 64))))
        elif mode == "garbage": c.sendall(string(b"\x0e" + b"x" * 40))
        else: c.sendall(string(b"\x05"))
s = socket.socket(socket.AF_UNIX); s.bind(os.environ["SSH_AUTH_SOCK"]); s.listen(16)
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
PY
    REAL_AGENT=$!
    eventually socket_listens "$SSH_AUTH_SOCK"
}

@test "agent: adding, removing, locking, smartcards and keys of its own are refused" {
    box run -- ssh-keygen -q -t ed25519 -N '' -f mine
    local options
    for options in mine '-d k.pub' -D '-x' '-X' '-s /usr/lib/x.so' '-e /usr/lib/x.so' '-c mine' '-t 60 mine'; do
        run box run -- sh -c "ssh-add -L >k.pub; printf 'a\na\n' | setsid -w ssh-add $options </dev/null"
        [ "$status" != 0 ] || fail "ssh-add $options worked"
    done
    run ssh-add -l
    assert_contains work
    assert_contains other
    [ "$(ssh-add -l | wc -l)" = 2 ]
    [ "$(box consent pending --json)" = "[]" ]
    box run -- ssh-add -L >list
    grep -q "$(cut -d' ' -f2 "$KEYS/work.pub")" list
}

@test "agent: a key that is not attached cannot be used, and is not asked about" {
    agent_client
    cp "$KEYS/other.pub" k2.pub
    run --separate-stderr box run -- python3 client.py sign k2.pub
    assert_output "5 1"
    [ "$(box consent pending --json)" = "[]" ]
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = "not attached" ]
}

@test "agent: every request of the table has its typed answer" {
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- true 2>/dev/null
    # add, add constrained, remove, remove all, smartcards, lock, unlock, version 1, unknown, empty sign
    run --separate-stderr box run -- python3 client.py raw 11 19 12 13 14 15 1a 16 17 01 03 07 08 18 09 ff 0d
    [ "$(sort -u <<<"$output")" = "5 1" ] || fail "$output"
    run --separate-stderr box run -- python3 client.py extension query
    [[ $output == 29* ]]
    local name
    for name in ssh-env@gnupg.org add@ssh-tpm-agent restrict-destination-v00@openssh.com nobody@nowhere; do
        run --separate-stderr box run -- python3 client.py extension "$name"
        assert_output "5 1"
    done
    run --separate-stderr box run -- python3 client.py extension session-bind@openssh.com 00
    assert_output "28 1"
    [ "$(box consent pending --json)" = "[]" ]
}

@test "agent: unrecognised data is asked about as such, and never granted for longer" {
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- python3 client.py data k.pub hello >answer 2>/dev/null 3>&- &
    eventually has_pending
    run box consent pending
    assert_contains "Sign unrecognised data"
    refute_contains "5 minutes"
    run box consent approve "$(pending_ids)" 5m
    [ "$status" != 0 ]
    box consent deny "$(pending_ids)"
    eventually grep -qx "5 1" answer
}

@test "agent: RSA with SHA-1 is refused without a question; with SHA-2 it signs" {
    ssh-keygen -q -t rsa -b 2048 -N '' -C rsa -f "$KEYS/rsa"
    ssh-add -q "$KEYS/rsa"
    attach rsa
    agent_client
    cp "$KEYS/rsa.pub" k.pub
    run --separate-stderr box run -- python3 client.py data k.pub hello 0
    assert_output "5 1"
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = "RSA with SHA-1" ]
    box run -- python3 client.py data k.pub hello 4 >answer 2>/dev/null 3>&- &
    answer once
    eventually grep -q "^14 " answer
}

pending_are() { [ "$(pending_ids | wc -l)" = "$1" ]; }

@test "agent: the same question twice is one; many are a short queue" {
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- true 2>/dev/null
    box run -- python3 client.py sign k.pub >one 2>/dev/null 3>&- &
    box run -- python3 client.py sign k.pub >two 2>/dev/null 3>&- &
    eventually has_pending
    sleep 1
    [ "$(pending_ids | wc -l)" = 1 ]
    # A yes is for one of them, and a grant for both, each with a use of its own.
    local first
    first=$(pending_ids)
    answer once
    eventually sh -c 'cat one two | grep -q "^14 "'
    eventually sh -c "box consent pending --json | jq -e '.[0].id and .[0].id != \"$first\"'"
    [ "$(cat one two | grep -c "^14 ")" = 1 ]
    [ "$(pending_ids | wc -l)" = 1 ]
    answer once
    eventually sh -c '[ "$(cat one two | grep -c "^14 ")" = 2 ]'
    rm one two
    local name
    for name in one two three; do
        box run -- python3 client.py sign k.pub >"$name" 2>/dev/null 3>&- &
    done
    eventually has_pending
    sleep 1
    answer 5m
    eventually sh -c '[ "$(cat one two three | grep -c "^14 ")" = 3 ]'
    [ "$(box consent grants --json | jq -c '[.[].uses]')" = "[3]" ]
    box consent revoke all
    box run -- python3 client.py flood k.pub 50 >flooded 2>/dev/null 3>&- &
    eventually pending_are 4 # PENDING_BOX_MAX
    box consent deny "$(pending_ids | head -n 1)"
    # A no makes the box wait; what was queued goes on.
    for _ in 1 2 3; do box consent deny "$(pending_ids | head -n 1)"; done
    eventually grep -qx "50 0" flooded
}

@test "agent: bytes one by one, pipelines, and many connections are served" {
    agent_client
    box run -- true 2>/dev/null
    run --separate-stderr box run -- python3 client.py slow
    [[ $output == 12* ]]
    run --separate-stderr box run -- python3 client.py pipeline 500
    assert_output "500 5"
    run --separate-stderr box run -- sh -c 'ulimit -n 4096 2>/dev/null; python3 client.py hold 1000'
    assert_output "1000 12"
}

@test "agent: a real agent that answers nonsense, hangs or dies costs a failure and nothing more" {
    agent_client
    cp "$KEYS/work.pub" k.pub
    local mode
    for mode in short huge zero count type hang; do
        fake_upstream "$mode"
        box stop 2>/dev/null || true # it may not run
        run --separate-stderr box run -- timeout 20 ssh-add -l
        assert_output "The agent has no identities." || fail "$mode"
    done
    for mode in dies other garbage no; do
        fake_upstream "$mode"
        box stop 2>/dev/null || true # it may not run
        rm -f out
        box run -- python3 client.py sign k.pub >out 2>/dev/null 3>&- &
        answer once || fail "$mode"
        eventually grep -qx "5 1" out || fail "$mode: $(cat out)"
    done
    box consent status
}

@test "agent: certificates have their base key's attachment; an authority signs nothing" {
    agent_client
    ssh-keygen -q -t ed25519 -N '' -f "$KEYS/ca"
    ssh-keygen -q -s "$KEYS/ca" -I id -n "$(id -un)" "$KEYS/work.pub"
    ssh-add -q "$KEYS/work"
    run --separate-stderr box run -- ssh-add -l
    assert_contains "ED25519-CERT"
    ssh-add -q "$KEYS/ca"
    attach "$(fingerprint ca)"
    box stop
    cp "$KEYS/ca.pub" k.pub
    python3 - "$KEYS/work-cert.pub" >unsigned <<'PY'
import base64, struct, sys
blob = base64.b64decode(open(sys.argv[1]).read().split()[1])
# All but the signature, which is the last string: 4 bytes of length, 4 + 11 and 4 + 64.
print(blob[:-(4 + 4 + 11 + 4 + 64)].hex())
PY
    run --separate-stderr box run -- python3 client.py request \
        "sign_request(key, bytes.fromhex('$(cat unsigned)'))"
    assert_output "5 1"
    [ "$(box consent log --json | tail -n 1 | jq -r .purpose)" = certificate ]
}

@test "agent: killed again and again, at any moment, it fails closed and comes back" {
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- true 2>/dev/null
    local i
    for i in $(seq 15); do
        rm -f out
        box run -- python3 client.py sign k.pub "x$i" >out 2>/dev/null 3>&- &
        [ $((i % 3)) = 0 ] || eventually has_pending
        [ $((i % 3)) != 2 ] || box consent approve "$(pending_ids)" once &
        sleep "0.0$((RANDOM % 9))"
        kill -KILL "$(agent_pid)" 2>/dev/null || true
        # One that comes so late that it asks the next agent gets a yes there. A no would make the box wait.
        answered() { [ -s out ] || { has_pending && box consent approve "$(pending_ids)" once && false; }; }
        eventually answered
        # An answer that came before the kill, or the end of the connection: no hang.
        grep -qE '^(14 |5 1|closed)' out || fail "$(cat out)"
        run --separate-stderr box run -- ssh-add -l
        assert_output "256 $(fingerprint work) work (ED25519)"
    done
    # Each signature that was made has its line.
    [ "$(box consent log --json -n 1000 | jq -s 'all(.decision == "signed" or .decision == "refused")')" = true ]
}

@test "agent: what a box does not finish takes little memory of the agent" {
    cat >flood.py <<'PY'
import os, socket, struct, time
ended, body = 0, struct.pack(">I", 262144) + b"\x0d" + b"x" * 262100
held = []
for i in range(1000):
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["SSH_AUTH_SOCK"])
    held.append(s)
    try:
        s.sendall(body)
    except OSError:
        ended += 1
open("ready", "w").write(f"{ended}")
time.sleep(1000)
PY
    box run -- true
    box run -- python3 flood.py >out 2>&1 3>&- &
    eventually test -s ready
    [ "$(cat ready)" -gt 0 ]
    [ "$(awk '/^VmRSS/ { print $2 }' "/proc/$(agent_pid)/status")" -lt 65536 ]
    # Others are served, and the same box when it has ended them.
    box stop
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent: hundreds of connections that have listed many keys cost little memory of the agent" {
    local before after i
    # All of them are called "work", which is attached.
    for i in {1..200}; do
        ssh-keygen -q -t ed25519 -N '' -C work -f "$KEYS/many-$i"
    done
    ssh-add -q "$KEYS"/many-*[0-9]
    cat >many.py <<'PY'
from client import *
held = []
for _ in range(500):
    held.append(Agent())
    # The real agent takes 128 connections of a box at a time.
    while len(keys := held[-1].list()) < 201:
        time.sleep(0.05)
open("listed", "w").write(str(len(keys)))
time.sleep(1000)
PY
    agent_client
    box run -- true
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$(agent_pid)/status")
    box run -- python3 many.py >out 2>&1 3>&- &
    eventually test -s listed
    [ "$(cat listed)" = 201 ]
    after=$(awk '/^VmRSS/ { print $2 }' "/proc/$(agent_pid)/status")
    [ $((after - before)) -lt 20000 ] || fail "from $before to $after kB"
    # Each is served on, and others.
    run --separate-stderr box run -- sh -c 'ssh-add -l | wc -l'
    assert_output 201
}
