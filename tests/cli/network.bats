#!/usr/bin/env bats
# [network]: ping, forwarding, ports, dns, hosts, each tried from the inside.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# What `ping` does: an echo request to the box itself, without a capability.
ping_it='
import socket, struct
def ping(family, protocol, kind, address):
    try:
        line = socket.socket(family, socket.SOCK_DGRAM, protocol)
        line.settimeout(5)
        line.sendto(struct.pack("!BBHHH", kind, 0, 0, 0, 1) + b"x", (address, 0))
        print("answered" if line.recv(100) else "nothing")
    except OSError as error:
        print(type(error).__name__)
ping(socket.AF_INET, socket.IPPROTO_ICMP, 8, "127.0.0.1")
ping(socket.AF_INET6, socket.IPPROTO_ICMPV6, 128, "::1")'

@test "network: ping works where it is allowed, and only there" {
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'PermissionError\nPermissionError'
    user_config '[network]
ping = true'
    box apply
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'answered\nanswered'
    # Raw sockets are something else: they would forge packets.
    run --separate-stderr box run -- python3 -c 'import socket
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
except PermissionError: print("refused")'
    assert_output refused
}

@test "network: ping works without a way out, too" {
    user_config '[network]
mode = "none"
ping = true'
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'answered\nanswered'
}

forwards() {
    run --separate-stderr box run -- cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding
}

@test "network: forwarding is off, on where it is asked for, and the box cannot turn it" {
    forwards
    assert_output $'0\n0'
    run box run -u root -- sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
    [ "$status" != 0 ]
    user_config '[network]
forwarding = true'
    box apply
    forwards
    assert_output $'1\n1'
}

@test "network: with the host's network ping and forwarding are the host's, and that is said" {
    user_config '[network]
mode = "host"
ping = true
forwarding = true'
    run box run -- true
    assert_status 0
    assert_contains "network.ping and network.forwarding do nothing"
}

@test "network: dns names the servers, and they alone are asked" {
    # A name server in the box itself, which says 192.0.2.7 to everything.
    user_config '[network]
dns = ["127.0.0.1"]'
    run --separate-stderr box run -- cat /etc/resolv.conf
    assert_output "nameserver 127.0.0.1"
    box run -u root --detach -- python3 -c '
import socket
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("127.0.0.1", 53))
while True:
    query, peer = line.recvfrom(512)
    end = query.index(b"\0", 12) + 5
    ipv4 = query[end - 4:end - 2] == b"\0\1"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\xc0\0\2\7" if ipv4 else b""
    line.sendto(query[:2] + b"\x81\x80\0\1\0" + bytes([ipv4]) + b"\0\0\0\0" + query[12:end] + record, peer)'
    eventually 10 sh -c 'box run -- getent ahostsv4 anything.example 2>/dev/null | grep -q "^192.0.2.7 "'
}

@test "network: names and servers of the box are those that are listed" {
    user_config '[network]
dns = ["192.0.2.1", "2001:db8::1"]
[network.hosts]
"db.test" = "192.0.2.9"
"six.test" = "2001:db8::9"'
    run --separate-stderr box run -- sh -c 'cat /etc/resolv.conf; getent hosts db.test six.test | tr -s " "'
    assert_output 'nameserver 192.0.2.1
nameserver 2001:db8::1
192.0.2.9 db.test
2001:db8::9 six.test'
    # The host's own names are not there.
    run --separate-stderr box run -- cat /etc/hosts
    refute_contains "$(hostname)"
}

@test "network: ports: one for this machine alone, on the address and protocol that are named" {
    local port=$((20000 + RANDOM % 10000))
    user_config "[network]
ports = [\"$port:8000\", \"$((port + 1)):8001/udp\", \"127.0.0.2:$((port + 2)):8000\"]"
    box run --detach -- python3 -m http.server 8000
    box run --detach -- python3 -c '
import socket
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("0.0.0.0", 8001))
while True:
    data, peer = line.recvfrom(100)
    line.sendto(b"echo " + data, peer)'
    eventually 10 sh -c "curl -s http://127.0.0.1:$port/ | grep -q 'Directory listing'"
    eventually 10 sh -c "curl -s http://127.0.0.2:$((port + 2))/ | grep -q 'Directory listing'"
    udp() {
        python3 -c 'import socket, sys
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.settimeout(1)
line.sendto(b"x", ("127.0.0.1", int(sys.argv[1])))
print(line.recv(100).decode())' "$1" 2>/dev/null
    }
    eventually 10 eval '[ "$(udp $((port + 1)))" = "echo x" ]'
    run ss -Hltun
    [[ ! $output =~ (0\.0\.0\.0|\[::\]|\*):($port|$((port + 1))|$((port + 2))) ]] || fail "$output"
    run ! curl -s -m 2 "http://127.0.0.1:$((port + 2))/"
}

@test "network: a port that is taken is an error that says so, and the box starts without it" {
    local port=$((20000 + RANDOM % 10000))
    python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 3>&- &
    local server=$!
    eventually 10 sh -c "curl -s http://127.0.0.1:$port/ >/dev/null"
    user_config "[network]
ports = [\"$port:8000\"]"
    run box run -- true
    kill "$server"
    assert_status 125
    assert_contains "port"
    rm "$CONFIG/config.toml"
    box run -- true
}

@test "network: ports need a network of the box's own" {
    user_config '[network]
mode = "none"
ports = ["8000"]'
    run box run -- true
    assert_status 78
    assert_contains 'network.ports needs network.mode = "open"'
}
