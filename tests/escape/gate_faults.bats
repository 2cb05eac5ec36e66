#!/usr/bin/env bats
# Faults of the gate of a filtered network (invariant 9): no descriptors, a gate that is stopped or killed, and programs and
# servers that stall. Memory stays bounded, others go on, and what was out of order comes back by itself.

load escape.bash
load gate.bash

setup_file() {
    unset DISPLAY WAYLAND_DISPLAY
    gate_begin
    hosts_add "$OWN web.faults.test"
    escape_config "[network]
mode = \"filtered\"
allow = [\"web.faults.test:8080\", \"web.faults.test:8081\", \"web.faults.test:80\", \"web.faults.test\", \"*.wild.faults.test\", \"exact.faults.test\",
    \"$OWN:80\", \"$OWN:443\", \"$OWN:8080\", \"$OWN:8081\"]
[box]
idle_stop = \"never\""
    box run -- true
}
teardown_file() { gate_end faults.test; }
setup() {
    escape_setup
    WORKER=$(worker_pid "$RUNTIME/shop" gate)
}

serves() { [ "$(in_box python3 client raw web.faults.test 8080 hello)" = "reached hello" ]; }
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$WORKER/status"; }
# Of a second box.
silent_worker() { worker_pid "$RUNTIME/silent" gate; }
silent_resolver() { pgrep -P "$(silent_worker)" -x gate-resolver; }
same_worker() { [ "$WORKER" = "$(worker_pid "$RUNTIME/shop" gate)" ] || fail "the gate was started again"; }

# hold SCRIPT: runs Python in the box beside the test, until its line "ready". Its next readline() ends at `go`.
hold() {
    rm -f "$TEST_HOME/fifo" "$TEST_HOME/held"
    mkfifo "$TEST_HOME/fifo"
    in_box python3 -c "
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
$1" <"$TEST_HOME/fifo" >"$TEST_HOME/held" 2>&1 3>&- &
    HELD=$!
    exec 7>"$TEST_HOME/fifo"
    eventually grep -q ready "$TEST_HOME/held"
}
go() { echo >&7; }
# The script has ended with this line.
held() {
    exec 7>&-
    wait "$HELD" || true
    [ "$(tail -n 1 "$TEST_HOME/held")" = "$1" ] || fail "$(cat "$TEST_HOME/held")"
}

# Their heads never end; the last test waits for what becomes of them.
@test "gate: slow heads keep nobody waiting (9)" {
    mkdir -p "$PROJECT/loris"
    box run --detach -- python3 -c '
import socket, sys
lines = [socket.create_connection(("web.faults.test", (80, 443)[i % 2])) for i in range(100)]
for i, line in enumerate(lines):
    line.sendall((b"GET / HTTP/1.1\r\nHost: web", b"\x16\x03\x01\x02\x00\x01\x00")[i % 2])
open("loris/begun", "w").close()
ended = 0
for line in lines:
    try:
        got = line.recv(1000)
    except ConnectionResetError:
        got = b""
    ended += got == b"" or b"it takes too long" in got
open("loris/ended", "w").write(str(ended))'
    eventually test -e loris/begun
    serves
    same_worker
}

# In a box of its own, as its resolver stays stopped until the last test.
@test "gate: a resolver that says nothing keeps those waiting alone who need it (9)" {
    new_project "$TEST_HOME/silent"
    cd "$TEST_HOME/silent"
    cp "$PROJECT/client" .
    printf '[network]\nmode = "filtered"\nask = true\nallow = ["web.faults.test:80", "%s:80", "%s:8080"]\n' "$OWN" "$OWN" >litterbox.toml
    box trust --yes
    box run -- true
    silent_worker >worker
    kill -STOP "$(silent_resolver)"
    box run --detach -- sh -c 'curl -sS http://web.faults.test/ >new 2>&1; mv new answer'
    # A question that nobody answers, which is before any look-up.
    box run --detach -- sh -c 'curl -sS http://asked.faults.test/ >unanswered.new 2>&1; mv unanswered.new unanswered'
    asks() { box net pending --json | jq -e 'any(.[]; .address == "asked.faults.test:80")' >/dev/null; }
    eventually asks
    run in_box timeout 20 getent ahostsv4 web.faults.test
    assert_contains 198.18.
    [ "$(in_box python3 client raw "$OWN" 8080 hello)" = "reached hello" ]
    [ "$(silent_worker)" = "$(cat worker)" ]
    [ ! -e answer ]
}

@test "gate: out of descriptors it waits, and then serves everybody (9)" {
    local limit
    limit=$(prlimit --pid "$WORKER" --nofile --output HARD --noheadings | tr -d ' ')
    prlimit --pid "$WORKER" --nofile=32:
    hold '
import select
lines = [socket.create_connection(("web.faults.test", 8080)) for _ in range(60)]
served = len(select.select(lines, [], [], 1)[0])
print("ready", served < 60, flush=True)
sys.stdin.readline()
print(sum(line.recv(8, socket.MSG_WAITALL) == b"reached " for line in lines))'
    prlimit --pid "$WORKER" --nofile="$limit":
    go
    held 60
    grep -q "ready True" "$TEST_HOME/held"
    same_worker
}

@test "gate: 1,024 connections, and one more waits instead of being refused (9)" {
    hold '
lines = [socket.create_connection(("web.faults.test", 443)) for _ in range(1030)]
late = socket.create_connection(("web.faults.test", 8080))
late.settimeout(0.5)
try:
    print("ready", late.recv(8), flush=True)
except TimeoutError:
    print("ready", "waits", flush=True)
late.settimeout(None)
for line in lines:
    line.close()
print(late.recv(8, socket.MSG_WAITALL).decode())'
    held "reached "
    grep -q "ready waits" "$TEST_HOME/held"
    same_worker
}

@test "gate: 10,000 connections leave its memory bounded and others served (9)" {
    local before
    serves
    before=$(rss)
    hold '
import os, select
# More than one process may have open.
def connect():
    lines = [socket.socket() for _ in range(1000)]
    for line in lines:
        line.setblocking(False)
        line.connect_ex((address, 443))
    return lines
address = socket.gethostbyname("web.faults.test")
go, wait = os.pipe(), os.pipe()
for _ in range(10):
    if not os.fork():
        os.close(go[1])
        lines = connect()
        os.write(wait[1], b"x")
        os.read(go[0], 1)
        os._exit(0)
for _ in range(10):
    os.read(wait[0], 1)
print("ready", flush=True)
sys.stdin.readline()
os.close(go[0]), os.close(go[1])
for _ in range(10):
    os.wait()
print("over")'
    run box net why web.faults.test
    assert_status 0
    (cd "$TEST_HOME/silent" && [ "$(in_box python3 client raw "$OWN" 8080 hello)" = "reached hello" ]) || fail "another box is not served"
    [ "$(rss)" -lt $((before + 30000)) ] || fail "$before, then $(rss) KiB"
    go
    held over
    serves
    same_worker
}

# The server sends back what comes, so both directions fill up.
@test "gate: programs and servers that do not read cost at most 64 KiB each, and others nothing (9)" {
    local before
    serves # which loads libraries for resolving
    before=$(rss)
    hold '
import select
lines = [socket.socket() for _ in range(40)]
for line in lines:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
    line.connect(("web.faults.test", 8081))
    line.setblocking(False)
while writable := select.select([], lines, [], 1)[1]:
    for line in writable:
        line.send(bytes(1 << 16))
print("ready", flush=True)
sys.stdin.readline()
print("over")'
    [ $(($(rss) - before)) -le $((40 * 64 + 200)) ] || fail "$before, then $(rss) KiB"
    serves
    go
    held over
    serves
    same_worker
}

echo_script='
line = socket.create_connection(("web.faults.test", 8080))
line.recv(8, socket.MSG_WAITALL)
print("ready", flush=True)
sys.stdin.readline()
try:
    line.sendall(b"more")
    line.settimeout(0.5)
    try:
        print(line.recv(4))
    except TimeoutError:
        print("waits", flush=True)
        line.settimeout(None)
        print(line.recv(4))
except ConnectionResetError:
    print("reset")'

@test "gate: stopped, it makes programs wait, and goes on where it was (9)" {
    hold "$echo_script"
    kill -STOP "$WORKER"
    go
    eventually grep -q waits "$TEST_HOME/held"
    kill -CONT "$WORKER"
    held "b'more'"
    serves
    same_worker
}

@test "gate: stopped, commands say so and end after ten seconds or with Ctrl-C, and a rule is not lost (9)" {
    local waiting
    kill -STOP "$WORKER"
    env --default-signal=INT box net why late.faults.test >"$TEST_HOME/why" 2>&1 3>&- &
    waiting=$!
    eventually grep -q "does not answer yet" "$TEST_HOME/why"
    kill -INT "$waiting"
    status=0
    wait "$waiting" || status=$?
    [ "$status" = 130 ] || fail "it ended with $status: $(cat "$TEST_HOME/why")"
    SECONDS=0
    run box net allow late.faults.test:8080
    assert_status 125
    assert_contains "does not answer yet; waiting for up to 10 seconds"
    assert_contains "the rules are kept, and hold as soon as the gate answers"
    [ "$SECONDS" -le 40 ] || fail "it took $SECONDS s"
    run -0 box net log # which is a file
    kill -CONT "$WORKER"
    late_allowed() { [ "$(box net why late.faults.test:8080 --json | jq .allowed)" = true ]; }
    eventually late_allowed
    box net forget late.faults.test:8080
    serves
}

# A server that ends its answer by closing says so; a gate that is killed must not.
@test "gate: killed, it resets its connections, so that none seems complete, and comes back (9)" {
    hold "$echo_script"
    kill -KILL "$WORKER"
    eventually sh -c "! test -e /proc/$WORKER"
    go
    held reset
    eventually serves
}

# With its supervisor stopped, so that there is no gate until the question waits.
@test "gate: what a program looks up while there is no gate, the next one answers (9)" {
    local supervisor lookup
    supervisor=$(supervisor_pid "$RUNTIME/shop" gate)
    kill -STOP "$supervisor"
    kill -KILL "$WORKER"
    eventually sh -c "grep -q '^State:.*[ZX]' /proc/$WORKER/status || ! test -e /proc/$WORKER"
    in_box getent ahostsv4 web.faults.test >"$TEST_HOME/looked" 2>&1 3>&- &
    lookup=$!
    queued() { in_box awk '$2 ~ /:0035$/ && $5 !~ /:00000000$/' /proc/net/udp | grep -q .; }
    eventually queued
    kill -CONT "$supervisor"
    wait "$lookup" || fail "$(cat "$TEST_HOME/looked")"
    grep -q '^198\.18\..* STREAM' "$TEST_HOME/looked"
    eventually serves
}

@test "gate: a box that asks for ever more names of a '*.' rule still finds others (9)" {
    run in_box python3 -c '
import socket, struct
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.connect(("198.18.0.1", 53))
line.settimeout(10)
def ask(name):
    labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split("."))
    line.send(struct.pack("!6H", 1, 256, 1, 0, 0, 0) + labels + b"\0\0\1\0\1")
    return line.recv(1000)[3] & 15
known = ask("known.wild.faults.test")
codes = [ask(f"n{i}.wild.faults.test") for i in range(12300)]
print(known, codes[0], codes[-1], ask("known.wild.faults.test"), ask("n7.wild.faults.test"), ask("exact.faults.test"))'
    assert_output "0 0 2 0 0 0"
}

@test "gate: slow heads end after ten seconds (9)" {
    eventually test -s loris/ended
    run cat loris/ended
    assert_output 100
}

@test "gate: who waits for the resolver in vain is told after 30 seconds, and it is used again when it answers (9)" {
    cd "$TEST_HOME/silent"
    eventually test -e answer
    grep -q "it takes too long" answer || fail "$(cat answer)"
    kill -CONT "$(silent_resolver)"
    run in_box curl -sS http://web.faults.test/
    assert_contains "reached by Host: web.faults.test"
    [ "$(silent_worker)" = "$(cat worker)" ]
}

@test "gate: a question that nobody answers in a minute is a no (9)" {
    cd "$TEST_HOME/silent"
    eventually --within 75 test -e unanswered
    grep -q "the user was asked and did not answer" unanswered || fail "$(cat unanswered)"
    run box net pending
    refute_contains asked.faults.test
    box rm --yes
}
