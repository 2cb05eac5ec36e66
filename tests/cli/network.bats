#!/usr/bin/env bats
# [network]: ping, forwarding, ports, dns and hosts, tested from inside.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# As ping(8): an echo request to the box itself, without a capability.
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

@test "network: an answer to no question says that there is none, though nothing has asked yet" {
    run box net approve 99
    assert_status 125
    assert_output "box: no such request, or it was already answered"
    run box net deny 99
    assert_output "box: no such request, or it was already answered"
}

@test "network: ping works only where it is allowed" {
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'PermissionError\nPermissionError'
    user_config '[network]
mode = "open"
ping = true'
    box apply
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'answered\nanswered'
    # Raw sockets, which could forge packets, stay forbidden.
    run --separate-stderr box run -- python3 -c 'import socket
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
except PermissionError: print("refused")'
    assert_output refused
}

@test "network: ping works without a network, too" {
    user_config '[network]
mode = "none"
ping = true'
    run --separate-stderr box run -- python3 -c "$ping_it"
    assert_output $'answered\nanswered'
}

forwards() {
    run --separate-stderr box run -- cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding
}

@test "network: forwarding is off unless it is set, and the box cannot change it" {
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

@test "network: a key that has no effect in the mode is refused, in words, and its default never is" {
    local key
    for key in 'ping = true' 'dns = ["192.0.2.1"]' 'ports = ["8000"]'; do
        user_config "[network]
$key"
        run box run -- true
        assert_status 78
        assert_contains "network.${key%% *} needs network.mode = \"open\""
        assert_contains "'box config show' says which file"
    done
    # The project's mode, and the user's key.
    user_config 'network.forwarding = true'
    printf '[network]\nmode = "host"\n' >litterbox.toml
    box trust --yes
    run box run -- true
    assert_status 78
    assert_contains "network.forwarding needs network.mode = "
    user_config '[network]
ping = false
forwarding = false
ech = false'
    box run -- true
}

@test "network: with tun, root of the box makes network devices in every mode, also where rules hold" {
    local mode
    for mode in open ask none; do
        user_config "[network]
mode = \"$mode\"
tun = true
[security]
sudo = \"allow\"
capabilities = [\"NET_ADMIN\"]"
        box apply --yes
        run --separate-stderr box run -- sudo python3 -c '
import fcntl, socket, struct
with open("/dev/net/tun", "r+b", buffering=0) as tun:
    fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", b"own0", 1))
    print([name for _, name in socket.if_nameindex()][-1])'
        assert_output own0
    done
}

@test "network: a box that had an open network says so when its container is made anew, and no other" {
    local words="box 'shop' had an open network"
    user_config '[network]
mode = "open"'
    box run -- true
    rm "$CONFIG/config.toml"
    box stop
    run box run -- true
    assert_status 0
    assert_contains "$words"
    user_config '[network]
mode = "open"'
    run box apply --yes
    refute_contains "$words"
    rm "$CONFIG/config.toml"
    run box apply --yes
    assert_contains "$words"
    user_config '[network]
mode = "filtered"'
    run box apply --yes
    refute_contains "$words"
}

@test "network: only the servers of dns are asked" {
    # A name server in the box itself, which answers 192.0.2.7 to each question.
    user_config '[network]
mode = "open"
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
    eventually sh -c 'box run -- getent ahostsv4 anything.example 2>/dev/null | grep -q "^192.0.2.7 "'
}

@test "network: the box knows only the listed names and servers" {
    user_config '[network]
mode = "open"
dns = ["192.0.2.1", "2001:db8::1"]
[network.hosts]
"db.test" = "192.0.2.9"
"six.test" = "2001:db8::9"'
    run --separate-stderr box run -- sh -c 'cat /etc/resolv.conf; getent hosts db.test six.test | tr -s " "'
    assert_output 'nameserver 192.0.2.1
nameserver 2001:db8::1
192.0.2.9 db.test
2001:db8::9 six.test'
    # The host's names are missing.
    run --separate-stderr box run -- cat /etc/hosts
    refute_contains "$(hostname)"
}

@test "network: a port is published on the named address and protocol only" {
    local port=$((20000 + RANDOM % 10000))
    user_config "[network]
mode = \"open\"
ports = [\"$port:8000\", \"$((port + 1)):8001/udp\", \"127.0.0.2:$((port + 2)):8000\"]"
    box run --detach -- python3 -m http.server 8000
    box run --detach -- python3 -c '
import socket
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("0.0.0.0", 8001))
while True:
    data, peer = line.recvfrom(100)
    line.sendto(b"echo " + data, peer)'
    eventually sh -c "curl -s http://127.0.0.1:$port/ | grep -q 'Directory listing'"
    eventually sh -c "curl -s http://127.0.0.2:$((port + 2))/ | grep -q 'Directory listing'"
    udp() {
        python3 -c 'import socket, sys
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.settimeout(1)
line.sendto(b"x", ("127.0.0.1", int(sys.argv[1])))
print(line.recv(100).decode())' "$1" 2>/dev/null
    }
    eventually eval '[ "$(udp $((port + 1)))" = "echo x" ]'
    run ss -Hltun
    [[ ! $output =~ (0\.0\.0\.0|\[::\]|\*):($port|$((port + 1))|$((port + 2))) ]] || fail "$output"
    run ! curl -s -m 2 "http://127.0.0.1:$((port + 2))/"
}

@test "network: a port in use is an error, and the box starts without it" {
    local port=$((20000 + RANDOM % 10000))
    python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 3>&- &
    local server=$!
    eventually sh -c "curl -s http://127.0.0.1:$port/ >/dev/null"
    user_config "[network]
mode = \"open\"
ports = [\"$port:8000\"]"
    run box run -- true
    kill "$server"
    assert_status 125
    assert_contains "port"
    rm "$CONFIG/config.toml"
    box run -- true
}

@test "network: one line cuts a box off, whatever a project wants of its network" {
    printf '%s\n' '[network]' 'mode = "open"' 'ports = ["8000"]' 'dns = ["192.0.2.1"]' 'ping = true' >litterbox.toml
    box trust --yes
    mkdir -p "$CONFIG/boxes"
    echo 'network.mode = "none"' >"$CONFIG/boxes/shop.toml"
    run --separate-stderr box run -- ls /sys/class/net
    assert_output lo
    ! (echo >/dev/tcp/127.0.0.1/8000) 2>/dev/null || fail "the port is there"
    printf '%s\n' '[network]' 'allow = ["example.com"]' 'ask = true' 'ech = true' >litterbox.toml
    box trust --yes
    run --separate-stderr box run -- ls /sys/class/net
    assert_output lo
}

# The process that connects the box to the network: pasta has the namespace among its words, slirp4netns PID 1 of the box.
network_helper() {
    local words pid
    words=$(podman_get "containers/$(containers)/json" | jq -r '.NetworkSettings.SandboxKey, .State.Pid')
    for pid in $(pgrep -u "$(id -u)" 'slirp4netns|pasta'); do
        tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF "$words" && echo "$pid"
    done || true
}

has_routes() { box run -- sh -c 'sed 1d /proc/net/route | grep -q .' 2>/dev/null; }
no_routes() { ! has_routes; }

@test "network: a box whose pasta or slirp4netns has died says so, and restart brings the network back" {
    user_config '[network]
mode = "open"'
    run box run -- true
    refute_contains network
    has_routes
    [ "$(box status --json | jq -r .network)" = works ]
    kill -KILL "$(network_helper)"
    eventually no_routes
    run box run -- sh -c 'exit 3'
    assert_status 3
    assert_contains "box 'shop' has lost its network, as the program that connects it has ended; 'box restart' brings it back"
    box status | grep -q '^network *lost'
    [ "$(box status --json | jq -r .network)" = lost ]
    box restart
    has_routes
    run box run -- true
    refute_contains network
    box status | run ! grep '^network'
    # A box without a network has lost none.
    user_config '[network]
mode = "none"'
    box apply
    run box run -- true
    refute_contains "lost its network"
    [ "$(box status --json | jq -r .network)" = null ]
}
