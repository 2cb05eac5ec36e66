#!/usr/bin/env bats
# Attacks on the host over the network (invariants 2, 4).

load escape.bash
setup_file() {
    escape_setup_file
    # Services on the host's loopback interface (IPv4, IPv6, UDP) and on an abstract socket.
    python3 - "$TEST_HOME/port" <<'END' 3>&- &
import os, select, socket, sys
servers = []
port = 0
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    s = socket.socket(family)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    port = s.getsockname()[1]
    s.listen()
    servers.append(s)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", port))
open(sys.argv[1] + ".new", "w").write(str(port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    for s in select.select(servers + [u], [], [])[0]:
        if s is u:
            data, peer = u.recvfrom(100)
            u.sendto(b"secret-of-loopback", peer)
        else:
            line, _ = s.accept()
            try:
                line.sendall(b"secret-of-loopback")
            except OSError:
                pass  # a client that has reset the connection, as one that connects it anew
            line.close()
END
    SERVICE=$!
    eventually test -s "$TEST_HOME/port"
    PORT=$(cat "$TEST_HOME/port")
    export SERVICE PORT
    escape_config '[network]
mode = "open"'
    box run -- true
}
teardown_file() {
    kill "$SERVICE"
    box_teardown
}
setup() { escape_setup; }

reaches='
import socket, sys
for host in sys.argv[2:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            for family, _, _, _, address in socket.getaddrinfo(host, int(sys.argv[1]), type=kind):
                s = socket.socket(family, kind)
                s.settimeout(10 if kind == socket.SOCK_STREAM else 1)
                s.connect(address)
                if kind == socket.SOCK_DGRAM:
                    s.send(b"?")
                if b"secret" in s.recv(100):
                    print("REACHED", host)
        except OSError:
            pass
'

@test "network: control: on the host the service answers, and a box has its own loopback" {
    run python3 -c "$reaches" "$PORT" 127.0.0.1 ::1
    assert_contains "REACHED 127.0.0.1"
    run in_box python3 -c '
import socket
a = socket.create_server(("127.0.0.1", 0))
b = socket.create_connection(a.getsockname())
print("own loopback")'
    assert_contains "own loopback"
}

@test "network open: a box cannot reach the host's loopback by any address (2)" {
    run in_box python3 -c "$reaches" "$PORT" 127.0.0.1 ::1 localhost 0.0.0.0 10.0.2.2 10.0.2.3 \
        169.254.1.1 169.254.1.2 host.containers.internal host.docker.internal fd00::2 fd00::3 \
        127.0.0.53 ::ffff:127.0.0.1 ::ffff:10.0.2.2
    assert_output ""
}

@test "network open: a box cannot reach services through the gateway (2)" {
    local gateways
    gateways=$(in_box python3 -c '
import socket, struct
for line in open("/proc/net/route"):
    parts = line.split()
    if parts[1] == "00000000":
        print(socket.inet_ntoa(struct.pack("<I", int(parts[2], 16))))
for line in open("/etc/resolv.conf"):
    if line.startswith("nameserver"):
        print(line.split()[1])')
    [ -n "$gateways" ]
    # shellcheck disable=SC2086 # words
    run in_box python3 -c "$reaches" "$PORT" $gateways
    assert_output ""
}

# Documented in the README: a service on all addresses is open to the local network and so to a box.
@test "network open: a service on 0.0.0.0 is reachable only by the host's other addresses, as documented" {
    local SERVICE port address own wanted="" addresses=()
    serve 0.0.0.0 secret-of-all "$TEST_HOME/open-port"
    port=$(cat "$TEST_HOME/open-port")
    own=$(in_box ip -4 -o address show scope global | awk '{ print $4 }')
    while IFS=/ read -r address _; do
        addresses+=("$address")
        # With pasta the box has one of these addresses itself.
        [[ $own == *"$address/"* ]] || wanted+="REACHED $address"$'\n'
    done < <(ip -4 -o address show scope global | awk '{ print $4 }')
    run in_box python3 -c "$reaches" "$port" "${addresses[@]}" 127.0.0.1 localhost 10.0.2.2 169.254.1.2 \
        host.containers.internal
    kill "$SERVICE"
    assert_output "${wanted%$'\n'}"
    [ -z "${LAB_TMP:-}" ] || [ -n "$wanted" ]
}

@test "network open: a box has no raw or packet sockets and cannot change interfaces, routes or firewall (6)" {
    run in_box python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
    assert_contains "not supported"
    run in_box python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'
    assert_contains PermissionError
    run in_box ip link add evil type dummy
    [ "$status" != 0 ]
    run in_box ip route add 10.99.0.0/16 via 10.0.2.2
    [ "$status" != 0 ]
    run box run -u root -- ip link set lo down
    [ "$status" != 0 ]
}

@test "network open: ports of a box are not open on the host (4)" {
    box run --detach -- python3 -m http.server 18765 --bind 0.0.0.0
    eventually box run -- python3 -c 'import socket; socket.create_connection(("127.0.0.1", 18765))'
    run python3 -c 'import socket; socket.create_connection(("127.0.0.1", 18765), 2)'
    [ "$status" != 0 ] || fail "the box's port is open on the host"
}

@test "network none: a box has only loopback, no route, no name server and no host names (4)" {
    box stop
    escape_config '[network]
mode = "none"'
    run in_box python3 -c 'import socket; print([name for _, name in socket.if_nameindex()])'
    assert_output "['lo']"
    run in_box cat /proc/net/route
    [ "${#lines[@]}" = 1 ]
    run in_box cat /etc/resolv.conf
    refute_contains nameserver
    refute_contains search
    run in_box cat /etc/hosts
    refute_contains host.containers.internal
    run in_box python3 -c "$reaches" "$PORT" 127.0.0.1 ::1 10.0.2.2 169.254.1.2
    assert_output ""
    run in_box python3 -c 'import socket; socket.create_connection(("1.1.1.1", 53), 2)'
    assert_contains unreachable
    run in_box timeout 10 getent hosts example.org
    [ "$status" != 0 ]
}

@test "network none: a connection of the host as a standard file cannot be connected anew (4)" {
    # connect() with AF_UNSPEC ends the connection; then the same socket connects to another service.
    local again='
import os, socket, stat, sys
at, out = int(sys.argv[1]), int(sys.argv[2])
def say(what):
    os.write(out, str(what).encode() + b"\n")
say("socket" if stat.S_ISSOCK(os.fstat(at).st_mode) else "no socket")
try:
    s = socket.socket(fileno=os.dup(at))
    libc = __import__("ctypes").CDLL(None)
    libc.connect(s.fileno(), bytes(16), 16)
    s.connect(("127.0.0.1", PORT))
    say("connected anew")
except OSError as error:
    say("Error " + error.strerror)
'
    again=${again//PORT/$PORT}
    # attack COMMAND…: with the connection as standard input, output and error.
    attack_each() {
        "$@" python3 -c "$again" 0 1 <"/dev/tcp/127.0.0.1/$PORT" 2>/dev/null
        "$@" python3 -c "$again" 1 2 2>&1 >"/dev/tcp/127.0.0.1/$PORT" | grep -v '^box: '
        "$@" python3 -c "$again" 2 1 2>"/dev/tcp/127.0.0.1/$PORT"
    }
    # The control.
    run attack_each env
    assert_output "$(printf 'socket\nconnected anew\n%.0s' 1 2 3)"
    run attack_each box run --
    [ "$(grep -c "no socket" <<<"$output")" = 3 ] || fail "$output"
    [ "$(grep -c Error <<<"$output")" = 3 ] || fail "$output"
    refute_contains anew
}

# A Unix datagram socket may choose the receiver of each message, one that listens hands out connections, and one that is not
# connected yet connects; tun(4) becomes an interface of the host.
@test "network none: of sockets and devices of the host only a connected Unix stream goes in as it is (4)" {
    run python3 -c '
import os, socket, subprocess, sys
def goes_in(name, given):
    number = os.fstat(given.fileno())
    same = "import os; s = os.fstat(0); print((s.st_dev, s.st_ino, s.st_rdev) == (%d, %d, %d))" % (
        number.st_dev, number.st_ino, number.st_rdev)
    for who, command in ("host", []), ("box", ["box", "run", "--"]):
        said = subprocess.run(command + ["python3", "-c", same], stdin=given, stdout=subprocess.PIPE, timeout=60)
        print(name, who, said.stdout.decode().strip())
a, b = socket.socketpair()
goes_in("stream", b)
goes_in("datagram", socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
goes_in("unconnected", socket.socket(socket.AF_UNIX))
listens = socket.socket(socket.AF_UNIX)
listens.bind(sys.argv[1])
listens.listen()
goes_in("listening", listens)
goes_in("tun", open("/dev/net/tun", "r+b", buffering=0))
' "$TEST_HOME/listens"
    local expected="stream host True
stream box True" each
    for each in datagram unconnected listening tun; do
        expected+="
$each host True
$each box False"
    done
    [ "$(grep -v '^box: ' <<<"$output")" = "$expected" ] || fail "$output"
}

@test "network none: what a connection of the host says still reaches a command" {
    run --separate-stderr box run -- cat <"/dev/tcp/127.0.0.1/$PORT"
    assert_output secret-of-loopback
}

@test "network host: each new request for it needs a yes (7)" {
    printf '[network]\nmode = "host"\n' >litterbox.toml
    box stop
    run setsid box run -- true </dev/null
    assert_status 78
}
