#!/usr/bin/env bats
# Forwards under load: sizes, numbers of connections, slow readers.

load ../lib/box.bash
load ../lib/port.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "port: a box can have 32 forwards, and no more" {
    local i first
    box run -- true
    first=$((20000 + RANDOM % 10000))
    for i in {1..32}; do box port add "127.0.0.9:$((first + i)):8000" 2>/dev/null; done
    run box port add "127.0.0.9:$first:8000"
    assert_status 125
    assert_contains "32 forwards"
    [ "$(box port list --json | jq '[.forwards[] | select(.listening)] | length')" = 32 ]
}

@test "port: large transfers are complete, half-closed connections work, and 1,000 at a time" {
    local port
    port=$(free_port)
    # Answers with the checksum of the data once the client has shut down its side.
    box run --detach -- python3 -c '
import hashlib, socket, threading
def serve(line):
    sum, data = hashlib.sha256(), b"x"
    while data:
        data = line.recv(1 << 16)
        sum.update(data)
    line.sendall(sum.hexdigest().encode())
    line.close()
listener = socket.create_server(("127.0.0.1", 8000), backlog=1024)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],)).start()'
    box port add "$port:8000"
    run python3 - "$port" <<'END'
import hashlib, os, socket, sys, time
port = int(sys.argv[1])
def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=30)
def answer(line):
    line.shutdown(socket.SHUT_WR)
    data = b""
    while chunk := line.recv(4096):
        data += chunk
    return data.decode()
for _ in range(100):  # until the server is there
    try:
        if answer(connect()):
            break
    except OSError:
        pass
    time.sleep(0.1)
big = os.urandom(1 << 20) * 50
line = connect()
line.sendall(big)
assert answer(line) == hashlib.sha256(big).hexdigest(), "50 MiB"
print("large")
lines = [connect() for _ in range(1000)]
for i, line in enumerate(lines):
    line.sendall(b"%d" % i)
for i, line in enumerate(lines):
    assert answer(line) == hashlib.sha256(b"%d" % i).hexdigest(), i
print("many")
END
    assert_output $'large\nmany'
}

@test "port: a client that does not read blocks no other, and costs little memory" {
    local port other
    port=$(free_port)
    box run --detach -- python3 -c '
import socket, threading
def pour(line):
    try:
        while True: line.sendall(b"x" * 65536)
    except OSError: pass
listener = socket.create_server(("127.0.0.1", 8001), backlog=256)
while True:
    threading.Thread(target=pour, args=(listener.accept()[0],), daemon=True).start()'
    web 8000
    other=$(free_port)
    box port add "$port:8000"
    box port add "$other:8001"
    eventually answers "$port"
    python3 -c '
import socket, sys, time
lines = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(100)]
time.sleep(60)' "$other" 3>&- &
    local stalled=$! pid
    pid=$(forwarder_pid)
    eventually eval '[ "$(ss -Htn state established "sport = :$other" | wc -l)" -ge 100 ]'
    sleep 1
    eventually answers "$port"
    run awk '/VmRSS/ { print $2 }' "/proc/$pid/status"
    kill "$stalled"
    [ "$output" -lt 65536 ] || fail "the forwarder takes $output KiB"
}

@test "port: a box does not stop for idleness during a connection through a forward" {
    local port
    port=$(free_port)
    user_config '[box]
idle_stop = "8s"
keep_alive = "sessions"'
    box run -- sh -c 'setsid python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &
        until curl -s http://127.0.0.1:8000/ >/dev/null; do sleep 0.1; done'
    box port add "$port:8000"
    # For longer than idle_stop.
    for _ in {1..11}; do
        sleep 1
        answers "$port"
    done
    # A closed connection does not keep the box running.
    eventually eval '[ "$(box status --json | jq -r .state)" = stopped ]'
    eventually no_forwarder
}
