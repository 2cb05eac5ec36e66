#!/usr/bin/env bats
# Attacks of a box, and of its root in place of PID 1, on the host's port forwarder and through it
# (invariants 1, 2, 4, 8, 9). All that may happen is that the forward does not work.

# shellcheck disable=SC2030,SC2031 # each test is a subshell
load escape.bash
load ../lib/port.bash
load orders.bash
setup_file() {
    escape_setup_file
    escape_config '[box]
idle_stop = "never"
[security]
sudo = "allow"'
    box run -- sh -c 'cat >/tmp/hostile_init.py' <"$BATS_TEST_DIRNAME/hostile_init.py"
    box run --detach -- python3 -m http.server --bind 127.0.0.1 8000
    # Never accepts, and its queue is full, so each client waits.
    box run --detach -- python3 -c '
import socket, time
listener = socket.socket()
listener.bind(("127.0.0.1", 8001))
listener.listen(0)
lines = []
for _ in range(8):
    line = socket.socket()
    line.setblocking(False)
    line.connect_ex(("127.0.0.1", 8001))
    lines.append(line)
time.sleep(100000)'
    PORT=$((20000 + RANDOM % 10000))
    SOCKET=$RUNTIME/shop/ctl/sock
    export PORT SOCKET
    box port add "$PORT:8000"
    box port add "$((PORT + 1)):8001"
    eventually answers
    FORWARDER=$(forwarder_pid)
    export FORWARDER
    mkfifo "$TEST_HOME/orders"
    start_orders
}
teardown_file() {
    kill "$HOLDER" 2>/dev/null || true
    box_teardown
}
setup() { escape_setup; }

answers() { curl -s -m "${1:-30}" "http://127.0.0.1:$PORT/" | grep -q "Directory listing"; }
listeners() { ss -Hltn | awk '{ print $4 }' | sort; }

@test "port: control: the forward works and its forwarder is running" {
    answers
    kill -0 "$FORWARDER"
}

@test "port: the forwarder is confined, and the user's other programs cannot inspect it (2)" {
    grep -qx 'Seccomp:[[:space:]]2' "/proc/$FORWARDER/status"
    grep -qx 'NoNewPrivs:[[:space:]]1' "/proc/$FORWARDER/status"
    run ls "/proc/$FORWARDER/fd"
    [ "$status" != 0 ]
    assert_contains "Permission denied"
    # Opened after the forwarder was confined.
    box port add "$((PORT + 4)):8000"
    curl -s -m 30 "http://127.0.0.1:$((PORT + 4))/" | grep -q "Directory listing"
    box port remove "$((PORT + 4))"
}

@test "port: a box cannot reach the forwarder or make the host listen (1, 2)" {
    local before
    before=$(listeners)
    run in_box sh -c 'find / -xdev \( -name "port.sock" -o -name "port.lock" -o -name "ports.lock" \) 2>/dev/null'
    assert_output ""
    run in_box sh -c 'cat /proc/net/unix; env'
    refute_contains port.sock
    attack control "$RUNTIME/shop/port.sock"
    assert_refused ENOENT
    # A port list written in the box is not read.
    in_box sh -c 'for d in ~ "$PWD" ~/.. /tmp /run; do echo "0.0.0.0:31999:8000" >"$d/ports" 2>/dev/null; done; true'
    box port list >/dev/null
    [ "$(listeners)" = "$before" ] || fail "$(listeners)"
}

@test "port: CONNECT on the sudo socket gives no session and no socket (6)" {
    run in_box python3 -c '
import socket, struct
line = socket.socket(socket.AF_UNIX)
line.settimeout(10)
line.connect("/run/litterbox/sudo")
line.sendall(struct.pack("=HHII", 1, 10, 4, 8000))
data, rights, _, _ = socket.recv_fds(line, 64, 3)
print(struct.unpack("=HHI", data[:8])[1], len(rights))'
    assert_output "6 0"
}

@test "port: 200 connections to a hanging server block no forward, session or command (9)" {
    python3 -c '
import socket, sys, time
lines = []
for _ in range(200):
    line = socket.socket()
    line.setblocking(False)
    line.connect_ex(("127.0.0.1", int(sys.argv[1])))
    lines.append(line)
print("connected", flush=True)
time.sleep(600)' "$((PORT + 1))" >"$TEST_HOME/flood" 3>&- &
    local flood=$!
    eventually grep -q connected "$TEST_HOME/flood"
    # Each of them waits for eight seconds.
    answers 7
    run timeout 7 box run -- echo alive
    assert_contains alive
    run timeout 7 box port list
    assert_status 0
    kill "$flood"
    kill -0 "$FORWARDER"
}

@test "port: hostile program names are shown safely (8)" {
    box run --detach -- python3 -c '
import ctypes, socket, time
ctypes.CDLL(None).prctl(15, b"\x1b[31m\nbox: \xe2\x80\xae")
listener = socket.create_server(("127.0.0.1", 8002))
time.sleep(100000)'
    eventually sh -c 'box port list --json | jq -e ".listeners[] | select(.port == 8002)" >/dev/null'
    run --separate-stderr box port list
    assert_no_controls
    assert_contains 'not forwarded: box port add 8002'
    run --separate-stderr box port list --json
    assert_no_controls
}

@test "port: 5,000 listeners do not stop or flood the list (9)" {
    box run --detach -- python3 -c '
import resource, socket, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
servers = []
try:
    for port in range(10000, 15000):
        listener = socket.socket()
        listener.bind(("127.0.0.1", port))
        listener.listen(1)
        servers.append(listener)
except OSError: pass
time.sleep(200)'
    eventually sh -c '[ "$(box port list --json | jq ".listeners | length")" = 256 ]'
    run timeout 20 box port list
    assert_status 0
    answers
}

@test "port: a box cannot stop or kill the sessions that connect (9)" {
    # They belong to root of the box. The attack looks for them and signals them while there are many.
    box run --detach -- python3 -c '
import os, signal, time
end = time.monotonic() + 8
while time.monotonic() < end:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open("/proc/%s/comm" % pid).read() == "box-session\n":
                os.kill(int(pid), signal.SIGSTOP)
                print("hit", flush=True)
        except PermissionError: print("refused", flush=True)
        except OSError: pass' >/dev/null
    for _ in {1..50}; do answers || fail "a connection did not get through"; done
    eventually prints refused box logs
    refute_contains hit
}

hostile() {
    order "$1"
    run timeout 20 curl -s -m 15 "http://127.0.0.1:$PORT/"
    if [ "$status" = 0 ] || [ "$status" = 28 ]; then fail "$1: status $status: $output"; fi
    refute_contains hostile
    refute_contains root:
    kill -0 "$FORWARDER"
}

# From here on, root of the box hides PID 1.
@test "port: hostile init: other descriptors instead of a connection are refused (1, 2)" {
    local kind
    for kind in give_file give_unix give_udp give_listener give_unconnected; do
        hostile "$kind"
    done
}

@test "port: hostile init: connections to other ports or addresses are refused (2)" {
    local kind
    for kind in give_other_port give_other_host give_many give_nothing; do
        hostile "$kind"
    done
}

@test "port: hostile init: malformed answers do no harm (9)" {
    local kind
    for kind in garbage huge start_to_client short early_exit refuse_wildly; do
        hostile "$kind"
    done
}

@test "port: hostile init: an old box-init without CONNECT gets its own error (9)" {
    hostile hang_up
    run timeout 20 box port add "$((PORT + 2)):8000"
    assert_status 125
    assert_contains "run 'box restart'"
    run ss -Hltn "sport = :$((PORT + 2))"
    assert_output ""
    run box port list --json
    refute_contains "$((PORT + 2))"
}

@test "port: hostile init: silence times out and blocks no command (9)" {
    order silent
    run timeout 20 curl -s -m 15 "http://127.0.0.1:$PORT/"
    [[ $status != @(0|28) ]]
    kill -0 "$FORWARDER"
    run timeout 20 box status
    assert_status 0
    kill -0 "$FORWARDER"
}

@test "port: hostile init: a socket that blocks, lingers and is shared causes no hang (9)" {
    order give_blocking
    run timeout 20 python3 - "$PORT" <<'END'
import socket, sys
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5)
line.setblocking(False)
sent = 0
try:
    while sent < 64 << 20:
        sent += line.send(b"x" * 65536)
except BlockingIOError:
    pass
print("sent")
END
    assert_output sent
    # The forwarder still answers.
    run timeout 20 box port list
    assert_status 0
    kill -0 "$FORWARDER"
}

@test "port: removing a forward ends it, even when PID 1 is hidden (9)" {
    order folder
    run timeout 20 box port remove "$PORT"
    assert_status 0
    eventually eval '! ss -Hltn "sport = :$PORT" | grep -q .'
    timeout 30 box stop
    eventually eval '! ss -Hltn | grep -q ":$((PORT + 1)) "'
    eventually process_ended "$FORWARDER"
}
