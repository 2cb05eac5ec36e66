#!/usr/bin/env bats
# Attacks on a network with mode "filtered" (invariants 2, 4, 9): names, addresses and protocols that no rule allows.

load escape.bash
load gate.bash
load ../lib/tmux.bash

setup_file() {
    gate_begin
    LOOPBACK=$(cat "$TEST_HOME/ports")
    export LOOPBACK
    hosts_add "$OWN web.gate.test web.gate.test.evil.test xweb.gate.test a.wild.gate.test a.b.wild.gate.test wild.gate.test
$OWN bad.wild.gate.test evilwild.gate.test
127.0.0.1 loop.gate.test
169.254.169.254 meta.gate.test"
    filtered
    box run -- true
}
teardown_file() { gate_end gate.test; }
setup() { escape_setup; }

filtered() { # [LINE]
    escape_config "[network]
mode = \"filtered\"
allow = [\"web.gate.test\", \"web.gate.test:80\", \"web.gate.test:8080\", \"web.gate.test:2222\", \"web.gate.test:22\",
    \"*.wild.gate.test:8080\",
    \"loop.gate.test:$LOOPBACK\", \"meta.gate.test:80\", \"host:$LOOPBACK\",
    \"$OWN:80\", \"$OWN:443\", \"$OWN:2222\", \"$OWN:22\", \"$OWN:8080\", \"10.99.0.0/16:8080\"]
deny = [\"bad.wild.gate.test\"]
${1:-}
[box]
idle_stop = \"never\""
}

# logged TEXT [OPTION…]: the log has TEXT.
logged() {
    local text=$1
    shift
    box net log "$@" | grep -qF -- "$text"
}

@test "filtered: control: the host reaches every server by every name" {
    local name
    for name in web.gate.test xweb.gate.test a.wild.gate.test wild.gate.test bad.wild.gate.test evilwild.gate.test \
        web.gate.test.evil.test; do
        on_host raw "$name" 8080 hello
        assert_output "reached hello"
    done
    on_host raw "$OWN" 8081 hello
    assert_output "reached hello"
    on_host raw loop.gate.test "$LOOPBACK" hello
    assert_output "reached hello"
    on_host tls web.gate.test 443 other.test
    assert_output "reached as other.test"
}

@test "filtered: an allowed name is reached: half-closed, with TLS, HTTP, and a server that speaks first" {
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
    from_box raw WEB.gate.TEST. 8080 hello
    assert_output "reached hello"
    from_box raw a.b.wild.gate.test 8080 hello
    assert_output "reached hello"
    from_box tls web.gate.test 443 web.gate.test
    assert_output "reached as web.gate.test"
    from_box greeting web.gate.test 2222
    assert_output "SSH-2.0-reached"
    from_box raw web.gate.test 80 'GET / HTTP/1.1\r\nHost: web.gate.test\r\n\r\n'
    assert_contains "reached by Host: web.gate.test"
    from_box raw "$OWN" 8080 hello
    assert_output "reached hello"
    from_box raw host.box.internal "$LOOPBACK" hello
    assert_output "reached hello"
}

@test "filtered: 100 MB pass unchanged in both directions" {
    run in_box python3 -c '
import hashlib, os, socket, threading
line = socket.create_connection(("web.gate.test", 8080))
block = os.urandom(1 << 20)
def send():
    for _ in range(100):
        line.sendall(block)
    line.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
sent, got = hashlib.sha256(b"reached " + block * 100), hashlib.sha256()
while part := line.recv(1 << 16):
    got.update(part)
print(sent.digest() == got.digest())'
    assert_output True
}

@test "filtered: 300 connections at a time are all served, however many names are resolved at once" {
    run in_box python3 -c '
import socket
names = ["web.gate.test", "a.wild.gate.test", "a.b.wild.gate.test"]
lines = [socket.create_connection((names[i % 3], 8080)) for i in range(300)]
print(sum(line.recv(8, socket.MSG_WAITALL) == b"reached " for line in lines))'
    assert_output 300
}

@test "filtered: a name that no rule allows has no address (4)" {
    local name
    for name in wild.gate.test xweb.gate.test evilwild.gate.test bad.wild.gate.test web.gate.test.evil.test \
        example.org www.web.gate.test a.bad.wild.gate.test.evil.test; do
        from_box raw "$name" 8080 hello
        assert_output "no such name"
    done
    from_box dns 198.18.0.1 53 "secret.tunnel.example.org 1"
    assert_output "code 3 answers 0"
    from_box dns 198.18.0.1 53 "secret.tunnel.example.org 16"
    assert_output "code 3 answers 0"
    # An allowed name has an IPv4 address and nothing else: no AAAA, HTTPS, TXT, MX, SRV.
    from_box dns 198.18.0.1 53 "web.gate.test 1"
    assert_output "code 0 answers 1"
    local kind
    for kind in 15 16 28 33 64 65; do
        from_box dns 198.18.0.1 53 "web.gate.test $kind"
        assert_output "code 0 answers 0"
    done
}

# refused_on_80 HEAD: a server takes such a request, and the gate answers it itself.
refused_on_80() {
    on_host raw web.gate.test 80 "$1\r\n\r\n"
    assert_contains "reached by Host"
    from_box raw web.gate.test 80 "$1\r\n\r\n"
    assert_contains "Forbidden"
    refute_contains reached
}

# To what reads a name up to a NUL, a '%' or a '/', each of these is another name. Labels are sent as they stand here.
@test "filtered: no name with a NUL, a zone, brackets, slashes or escapes stands for another, in DNS, TLS or HTTP (4)" {
    local name host
    for name in a.wild.gate.test web.gate.test; do
        from_box dns 198.18.0.1 53 "$name 1"
        assert_output "code 0 answers 1"
    done
    for name in 'web.gate.test\0' 'web.gate.test\0.evil.test' 'evil.test\0.wild.gate.test' 'evil\0.wild.gate.test' \
        '1.2.3.4%x.wild.gate.test' '::ffff:1.2.3.4%x.wild.gate.test' 'evil.test/.wild.gate.test' 'evil\\.wild.gate.test' \
        'evil\n.wild.gate.test' 'evil\x1f.wild.gate.test' '\x7f.wild.gate.test' '%61.wild.gate.test' 'web%2egate.test' \
        '[web.gate.test]' '[a.wild.gate.test]' 'x.localhost' localhost 127.0.0.1 '127.0.0.1%lo.wild.gate.test'; do
        from_box dns 198.18.0.1 53 "$name 1"
        [[ $output == "code "*" answers 0" ]] || fail "$name: $output"
    done
    # The control: servers take such names.
    for name in '[web.gate.test]' 'web.gate.test%x' 'web.gate.test/' 'evil.test/.web.gate.test' 'web.gate.test\x1f'; do
        on_host sni web.gate.test 443 "$name"
        assert_output ServerHello
        from_box sni web.gate.test 443 "$name"
        assert_output ECONNRESET
    done
    from_box sni web.gate.test 443 web.gate.test
    assert_output ServerHello
    for name in 'web.gate.test\0' 'web.gate.test\0.evil.test' 'evil.test\0web.gate.test'; do
        from_box sni web.gate.test 443 "$name"
        assert_output ECONNRESET
    done
    # shellcheck disable=SC1003 # a backslash
    for host in 'web.gate.test\0' 'web.gate.test\0.evil.test' '[web.gate.test]' 'web.gate.test%x' '%77eb.gate.test' \
        'web.gate.test/' 'web.gate.test\\' 'evil.test@web.gate.test' 'web.gate.test@evil.test' 'evil.test, web.gate.test' \
        'web.gate.test\r\nHost: evil.test' 'web.gate.test:8080'; do
        refused_on_80 "GET / HTTP/1.1\r\nHost: $host"
    done
    # Nor does a request that names another host than its Host.
    for host in 'GET http://evil.test/' 'CONNECT evil.test:443' 'CONNECT web.gate.test:443'; do
        refused_on_80 "$host HTTP/1.1\r\nHost: web.gate.test"
    done
}

@test "filtered: no address is reached that no rule names, by TCP or UDP (2, 4)" {
    local address
    from_box raw "$OWN" 8081 hello
    assert_output ECONNREFUSED
    for address in 1.1.1.1 10.0.2.2 10.0.2.3 169.254.1.2 169.254.169.254 192.168.1.1 2606:4700:4700::1111 \
        fe80::1%lo fd00::2 64:ff9b::101:101; do
        from_box raw "$address" 53 hello
        [[ $output == ENETUNREACH || $output == EINVAL || $output == EADDRNOTAVAIL ]] || fail "$address: $output"
    done
    from_box udp 1.1.1.1 53 hello
    assert_output ENETUNREACH
    from_box udp web.gate.test 443 hello
    assert_output ECONNREFUSED
    for address in 127.0.0.1 0.0.0.0 ::1 ::ffff:127.0.0.1 127.1 2130706433 0x7f000001 localhost; do
        from_box raw "$address" "$LOOPBACK" hello
        assert_output ECONNREFUSED
    done
    # The address of another machine, whose network a rule names, is dialled, and not that of this machine.
    from_box raw 10.99.1.1 8081 hello
    assert_output ECONNREFUSED
}

@test "filtered: each port of an allowed name needs a rule (4)" {
    from_box raw web.gate.test 8081 hello
    assert_output ECONNREFUSED
    from_box raw a.wild.gate.test 443 hello
    assert_output ECONNRESET
    from_box raw host.box.internal 8080 hello
    assert_output ECONNRESET
}

@test "filtered: an allowed name that leads to loopback or metadata services is not dialled (2, 4)" {
    from_box raw loop.gate.test "$LOOPBACK" hello
    assert_output ECONNRESET
    from_box raw meta.gate.test 80 'GET / HTTP/1.1\r\nHost: meta.gate.test\r\n\r\n'
    assert_contains "Litterbox refused meta.gate.test:80: it is a loopback, link-local or reserved address"
    eventually logged "loop.gate.test:$LOOPBACK" --denied
    eventually prints "it is a loopback, link-local or reserved address" box logs --helpers
}

@test "filtered: on port 443 the ClientHello must name the host, and nothing else passes (4)" {
    from_box tls web.gate.test 443 other.test
    [[ $output != *reached* ]] || fail "$output"
    from_box tls web.gate.test 443 ""
    [[ $output != *reached* ]] || fail "$output"
    from_box raw web.gate.test 443 'SSH-2.0-tunnel\r\n'
    assert_output ECONNRESET
    from_box raw web.gate.test 443 'GET / HTTP/1.1\r\nHost: web.gate.test\r\n\r\n'
    assert_output ECONNRESET
    eventually prints "its ClientHello names another host" box logs --helpers
    eventually prints "its ClientHello names no server" box logs --helpers
}

@test "filtered: an encrypted ClientHello passes with network.ech alone, and with the name of the rule (4)" {
    on_host ech web.gate.test 443 other.test
    assert_output ServerHello
    from_box ech web.gate.test 443 web.gate.test
    assert_output ECONNRESET
    eventually logged "it has an encrypted ClientHello, and network.ech is false" --denied
    filtered "ech = true"
    box stop
    from_box ech web.gate.test 443 web.gate.test
    assert_output ServerHello
    from_box ech web.gate.test 443 other.test
    assert_output ECONNRESET
    box stop
    filtered
}

# Four at once: how many are served, and whether the last one is when another has ended.
four_connections() {
    run in_box python3 -c '
import select, socket
lines = [socket.create_connection(("web.gate.test", 8080)) for _ in range(4)]
first = [line.recv(8, socket.MSG_WAITALL) for line in lines[:3]]
print(first.count(b"reached "), "waits" if not select.select(lines[3:], [], [], 0.5)[0] else "served")
lines[0].close()
print(lines[3].recv(8, socket.MSG_WAITALL).decode())'
}

@test "filtered: of more than network.connections at a time the next one waits, and is not refused (9)" {
    four_connections
    assert_output "$(printf '3 served\nreached ')"
    filtered "connections = 3"
    box stop
    four_connections
    assert_output "$(printf '3 waits\nreached ')"
    box net rules >/dev/null
    box stop
    filtered
}

# A server may ask for a second one (RFC 8446, 4.1.4), and OpenSSL's goes by the name in that.
@test "filtered: a second ClientHello must name the host, too (4)" {
    local how
    for how in asked early; do
        : >"$TEST_HOME/named"
        on_host retry web.gate.test 443 "web.gate.test other.test $how"
        assert_output ServerHello
        [ "$(tail -n 1 "$TEST_HOME/named")" = other.test ]
    done
    from_box retry web.gate.test 443 "web.gate.test web.gate.test asked"
    assert_output ServerHello
    : >"$TEST_HOME/named"
    for how in asked early joined; do
        from_box retry web.gate.test 443 "web.gate.test other.test $how"
        assert_output ECONNRESET
    done
    run ! grep -q other.test "$TEST_HOME/named"
    eventually logged "its ClientHello names another host" --denied
    # Each piece is parsed together with all before it.
    from_box retry web.gate.test 443 "web.gate.test web.gate.test tiny"
    assert_output ECONNRESET
    eventually logged "its second ClientHello is in too many pieces" --denied
}

@test "filtered: on port 80 Host must be the name (4)" {
    from_box raw web.gate.test 80 'GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'
    assert_contains "403 Forbidden"
    assert_contains "Litterbox refused web.gate.test:80: its Host is another one"
    refute_contains reached
    # The answer arrives although the gate does not read the body.
    from_box raw web.gate.test 80 "POST / HTTP/1.1\r\nHost: other.test\r\n\r\n$(head -c 100000 /dev/zero | tr '\0' x)"
    assert_contains "403 Forbidden"
    from_box raw web.gate.test 80 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
    assert_contains "403 Forbidden"
    from_box raw web.gate.test 80 'PUT / HTTP/1.1\r\nHost: web.gate.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'
    assert_contains "it has a Content-Length and a Transfer-Encoding"
}

# Both requests at once, and the second one after the answer. "/stubborn" is answered without closing.
second='GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'
@test "filtered: a second request on port 80 reaches no server, wherever the first one ends (4)" {
    local first
    for first in 'GET /stubborn HTTP/1.1\r\nHost: web.gate.test\r\n\r\n' \
        'PUT /stubborn HTTP/1.1\r\nHost: web.gate.test\r\nContent-Length: 4\r\n\r\nbody' \
        'PUT /stubborn HTTP/1.1\r\nHost: web.gate.test\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n'; do
        # The control: the server answers both.
        on_host raw web.gate.test 80 "$first$second"
        assert_contains "reached by Host: other.test"
        from_box raw web.gate.test 80 "$first$second"
        assert_contains "reached by Host: web.gate.test"
        refute_contains other.test
        on_host twice web.gate.test 80 "$first$second"
        assert_contains "reached by Host: other.test"
        from_box twice web.gate.test 80 "$first$second"
        assert_contains "reached by Host: web.gate.test"
        refute_contains other.test
    done
    # A body is passed on to its end, and no program notices that the connection takes one request.
    run in_box python3 -c '
import http.client
line = http.client.HTTPConnection("web.gate.test")
for body in (b"x" * 300000, iter([b"y" * 100000] * 3), None):
    line.request("PUT", "/", body, encode_chunked=body is not None)
    print(line.getresponse().read().decode().split()[-1])'
    [ "${lines[0]} ${lines[2]}" = "300000 0" ] || fail "$output"
}

@test "filtered: what is refused on ports 80 and 22 is told how to be allowed" {
    from_box raw a.wild.gate.test 80 'GET / HTTP/1.1\r\nHost: a.wild.gate.test\r\n\r\n'
    assert_contains "403 Forbidden"
    assert_contains "Litterbox refused a.wild.gate.test:80: no rule allows it; on the host, 'box net allow a.wild.gate.test:80' would"
    from_box raw a.wild.gate.test 22 'SSH-2.0-box\r\n'
    assert_contains "Litterbox refused a.wild.gate.test:22: no rule allows it; on the host, 'box net allow a.wild.gate.test:22' would"
    run in_box ssh -o BatchMode=yes a.wild.gate.test
    assert_contains "'box net allow a.wild.gate.test:22' would"
}

@test "filtered: on port 22 both sides must speak SSH, and nothing else reaches the server (4)" {
    on_host raw web.gate.test 22 'GET / HTTP/1.1\r\n'
    assert_contains "GET / HTTP"
    from_box raw web.gate.test 22 'GET / HTTP/1.1\r\n'
    [[ $output == ECONNRESET || $output == SSH-2.0-reached ]] || fail "$output"
    from_box raw web.gate.test 22 'SSH-2.0-box\r\nmore'
    assert_contains "SSH-2.0-reached"
    assert_contains "SSH-2.0-box"
    assert_contains more
    from_box greeting web.gate.test 22
    assert_output "SSH-2.0-reached"
    touch "$TEST_HOME/no-ssh"
    on_host raw web.gate.test 22 'SSH-2.0-box\r\n'
    assert_contains "400 reached"
    from_box raw web.gate.test 22 'SSH-2.0-box\r\n'
    rm "$TEST_HOME/no-ssh"
    assert_output ECONNRESET
    eventually logged "its first bytes are not those of SSH" --denied
}

@test "filtered: the listener of the gate and other addresses of its range lead nowhere (4)" {
    local port
    port=$(in_box sh -c "cat /proc/net/tcp" | awk '$2 ~ /^010012C6:/ && $4 == "0A" { sub(".*:", "", $2); print $2 }' |
        while read -r hex; do echo $((16#$hex)); done | grep -vx 53)
    [ -n "$port" ]
    from_box raw 198.18.0.1 "$port" hello
    assert_output ECONNRESET
    from_box raw 198.18.200.7 8080 hello
    assert_output ECONNRESET
    from_box raw 198.19.255.255 443 hello
    assert_output ECONNRESET
}

@test "filtered: neither a user nor root of the box changes routes or rules, or makes raw sockets (4, 6)" {
    attempt --root 'ip route del local 198.18.0.0/15 dev lo table local; ip link add x type dummy; nft flush ruleset'
    attempt 'ip route add default dev lo; nft delete table ip litterbox'
    run in_box python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
    assert_contains "not supported"
    run in_box python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'
    assert_contains "not supported"
    run in_box python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'
    assert_contains PermissionError
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
}

address_of() { in_box getent ahostsv4 "$1" | awk '{ print $1; exit }'; }
serves_again() { [ "$(in_box python3 client raw web.gate.test 8080 hello)" = "reached hello" ]; }

@test "filtered: SIGKILL of the gate opens nothing, and it comes back with its addresses (9)" {
    local before worker
    before=$(address_of web.gate.test) && [ -n "$before" ]
    worker=$(worker_pid "$RUNTIME/shop" gate)
    kill -STOP "$(supervisor_pid "$RUNTIME/shop" gate)"
    kill -KILL "$worker"
    eventually sh -c "grep -q '^State:.*[ZX]' /proc/$worker/status || ! test -e /proc/$worker"
    from_box raw "$before" 8080 hello
    assert_output ECONNREFUSED
    from_box raw "$OWN" 8080 hello
    assert_output ECONNREFUSED
    # Who looks up a name waits for the next gate.
    run in_box timeout 1 python3 client raw web.gate.test 8080 hello
    refute_contains reached
    from_box raw 1.1.1.1 443 hello
    assert_output ENETUNREACH
    kill -CONT "$(supervisor_pid "$RUNTIME/shop" gate)"
    eventually serves_again
    [ "$(address_of a.wild.gate.test)" != "$before" ]
    [ "$(address_of web.gate.test)" = "$before" ]
    # With its supervisor: the next command starts both.
    helper_kill "$RUNTIME/shop" gate
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
    [ "$(address_of web.gate.test)" = "$before" ]
}

@test "filtered: the gate and its resolver are confined: seccomp, no new privileges, no capability, not dumpable" {
    local worker process
    worker=$(worker_pid "$RUNTIME/shop" gate)
    for process in "$worker" "$(pgrep -P "$worker" -x gate-resolver)"; do
        run cat "/proc/$process/status"
        assert_contains "Seccomp:	2"
        assert_contains "NoNewPrivs:	1"
        assert_contains "CapEff:	0000000000000000"
        [ "$(stat -c %u "/proc/$process/environ")" = 0 ]
    done
}

@test "filtered: names keep their addresses when the box starts again, and the gate ends with it (4)" {
    local before worker
    before=$(address_of web.gate.test)
    worker=$(worker_pid "$RUNTIME/shop" gate)
    box stop
    eventually process_ended "$worker"
    run in_box getent ahostsv4 a.wild.gate.test
    assert_contains 198.18.
    [ "$(address_of web.gate.test)" = "$before" ]
    run in_box getent hosts "$before"
    [[ $output =~ ^"$before"\ +web\.gate\.test$ ]] || fail "$output"
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
}

@test "filtered: a box whose network cannot be set up stays stopped, and says why (4)" {
    box stop
    mv "$DATA/boxes/shop/network-names" "$TEST_HOME/names"
    echo "not a name" >"$DATA/boxes/shop/network-names"
    run box run -- true
    mv "$TEST_HOME/names" "$DATA/boxes/shop/network-names"
    [ "$status" != 0 ]
    assert_contains "box 'shop' was not started: its network cannot be filtered"
    run box list --json
    assert_contains '"stopped"'
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
}

# hold_connection: a client in the box opens a connection, says "open" in the file "told", uses it when descriptor 7 gets a
# line, and says how it ended. Sets `client`.
hold_connection() {
    rm -f "$TEST_HOME"/{line,told}
    mkfifo "$TEST_HOME/line"
    in_box python3 -c '
import socket, sys
old = socket.create_connection(("web.gate.test", 8080))
old.recv(8, socket.MSG_WAITALL)
print("open", flush=True)
sys.stdin.readline()
old.sendall(b"still here")
print(old.recv(10, socket.MSG_WAITALL).decode(), flush=True)
try:
    print("end" if not old.recv(10) else "data", flush=True)
except ConnectionResetError:
    print("reset", flush=True)' <"$TEST_HOME/line" >"$TEST_HOME/told" 3>&- &
    client=$!
    exec 7>"$TEST_HOME/line"
    eventually grep -qx open "$TEST_HOME/told"
}

@test "net: a rule holds at once, leaves other connections open, and ends those that it denies" {
    run box net why web.gate.test
    assert_status 0
    assert_contains "web.gate.test:443 is allowed by 'allow web.gate.test'"
    run box net why xweb.gate.test:8080
    assert_status 1
    assert_contains "'box net allow xweb.gate.test:8080' would"
    hold_connection
    from_box raw xweb.gate.test 8080 hello
    assert_output "no such name"
    box net allow xweb.gate.test:8080
    from_box raw xweb.gate.test 8080 hello
    assert_output "reached hello"
    echo >&7
    eventually grep -qx "still here" "$TEST_HOME/told"
    box net deny web.gate.test:8080
    from_box raw web.gate.test 8080 hello
    assert_output ECONNRESET
    eventually grep -qx reset "$TEST_HOME/told"
    exec 7>&-
    wait "$client"
    run box net why web.gate.test:8080
    assert_status 1
    assert_contains "'box net forget web.gate.test:8080' would take it back"
    box net forget web.gate.test:8080
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
    run box net rules --json
    assert_contains '"rule":"xweb.gate.test:8080","denies":false,"group":null,"from":"box net"'
    box net forget xweb.gate.test:8080
}

@test "net: of rules that are added and denied at once none is lost (4)" {
    local i round
    local -a pids
    for round in 1 2 3 4 5 6 7 8; do
        pids=()
        for i in 1 2 3 4 5 6 7 8; do
            box net allow "a$i.r$round.gate.test" 3>&- &
            pids+=($!)
            box net deny "d$i.r$round.gate.test" 3>&- &
            pids+=($!)
        done
        for i in "${pids[@]}"; do wait "$i"; done
        # As the gate holds them.
        run box net rules
        [ "$(grep -c "[ad][1-8]\.r$round\.gate\.test" <<<"$output")" = 16 ] || fail "$output"
    done
    for round in 1 2 3 4 5 6 7 8; do
        for i in 1 2 3 4 5 6 7 8; do echo "a$i.r$round.gate.test" "d$i.r$round.gate.test"; done
    done | xargs -n 1 box net forget 2>/dev/null
}

@test "net: a rule for an address ends connections that have reached it by a name (4)" {
    hold_connection
    # Control: a rule for another port leaves it open.
    box net deny "$OWN:8081"
    echo >&7
    eventually grep -qx "still here" "$TEST_HOME/told"
    box net deny "$OWN:8080"
    from_box raw web.gate.test 8080 hello
    assert_output ECONNRESET
    eventually grep -qx reset "$TEST_HOME/told"
    exec 7>&-
    wait "$client"
    eventually logged "a rule denies its address" --denied
    box net forget "$OWN:8080"
    box net forget "$OWN:8081"
}

@test "net: a rule with a new port starts the gate anew, and outlives a restart of the box" {
    from_box raw web.gate.test 8081 hello
    assert_output ECONNREFUSED
    box net allow web.gate.test:8081
    # It leads to an address of this machine, which needs a rule of its own.
    from_box raw web.gate.test 8081 hello
    assert_output ECONNRESET
    eventually logged "it is an address of this machine, which no rule names" --denied
    box net allow "$OWN:8081"
    from_box raw web.gate.test 8081 hello
    assert_output "reached hello"
    box stop
    from_box raw web.gate.test 8081 hello
    assert_output "reached hello"
    box net forget web.gate.test:8081
    from_box raw web.gate.test 8081 hello
    assert_output ECONNRESET
    run box net forget web.gate.test:8081
    [ "$status" != 0 ]
    assert_contains "keeps no rule"
}

# Each host is reached from the box exactly when the list that is shown allows it.
list_binds() {
    local names="web.gate.test xweb.gate.test a.wild.gate.test bad.wild.gate.test wild.gate.test evilwild.gate.test"
    # shellcheck disable=SC2016 # the variables are jq's
    box net rules --json | jq -r --arg names "$names" '
        def has($name): (.rule | split(":")) as [$host, $port] |
            (if .denies then [null, "8080"] else ["8080"] end | index([$port]) != null) and
            ($host == $name or ($host[:2] == "*." and ($name | endswith($host[1:]))));
        .rules as $rules | $names | split(" ")[] as $name |
        any($rules[]; (.denies | not) and has($name)) and (any($rules[]; .denies and has($name)) | not) |
        if . then "reached hello" else "no such name" end | "\($name) \(.)"' >"$TEST_HOME/shown"
    # shellcheck disable=SC2016,SC2086 # of the shell in the box, which gets a word a name
    in_box sh -c 'for name; do echo "$name $(python3 client raw "$name" 8080 hello)"; done' sh $names >"$TEST_HOME/held"
    diff "$TEST_HOME/shown" "$TEST_HOME/held" || fail "shown and held differ"
}

@test "net: the gate holds the rules of a group that are shown, until the next start (4)" {
    mkdir -p "$CONFIG/network"
    echo 'hosts = ["xweb.gate.test:8080", "*.wild.gate.test:8080"]' >"$CONFIG/network/mine.toml"
    run box net allow @nosuch
    [ "$status" != 0 ]
    assert_contains "there is no group '@nosuch'"
    box net allow @mine
    list_binds
    run box net rules --json
    assert_contains '"rule":"xweb.gate.test:8080","denies":false,"group":"@mine","from":"box net"'
    run box net why xweb.gate.test:8080
    assert_contains "a rule of '@mine'"
    # The file changes. Neither the gate nor the list does, until both do.
    echo 'hosts = ["evilwild.gate.test:8080"]' >"$CONFIG/network/mine.toml"
    run box net rules --json
    assert_contains '"xweb.gate.test:8080"'
    refute_contains evilwild
    list_binds
    box stop
    box run -- true
    run box net rules --json
    refute_contains '"xweb.gate.test:8080"'
    assert_contains '"evilwild.gate.test:8080"'
    list_binds
    # A group that is gone: the box does not start without its rules, some of which may deny.
    box stop
    rm "$CONFIG/network/mine.toml"
    run box run -- true
    [ "$status" != 0 ]
    assert_contains "there is no group '@mine'"
    box net forget @mine
}

@test "net: what no rule can allow is refused, and broken rules change nothing (1, 4)" {
    local rule
    for rule in 127.0.0.1:80 169.254.169.254:80 localhost:80 0x7f000001:80 'a.test%x:80' 8.0.0.0/8:53 host "*" "*.test:0"; do
        run box net allow "$rule"
        [ "$status" != 0 ] || fail "$rule"
    done
    echo "allow everything" >>"$DATA/boxes/shop/network-rules"
    run box net allow good.test
    [ "$status" != 0 ]
    assert_contains "did not write"
    sed -i '$d' "$DATA/boxes/shop/network-rules"
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
    run in_box find / -xdev \( -name gate.sock -o -name network.rules -o -name network-rules \)
    refute_contains gate.sock
    refute_contains network
    # PID 1, guards, the processes that wait for the next session and what this one runs: nothing of the gate.
    pgrep -x litterbox-gate >/dev/null
    run in_box ps -eo comm=
    assert_contains init
    run grep -vxE 'init|box-guard|box-session|ps' <<<"$output"
    assert_output ""
}

@test "net: the log has each connection with its bytes, and each name that was refused once" {
    box net log --follow --json >"$TEST_HOME/followed" 3>&- &
    local follower=$!
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
    from_box raw a.wild.gate.test 443 hello
    assert_output ECONNRESET
    from_box raw bad.wild.gate.test 8080 hello
    assert_output "no such name"
    in_box python3 -c '
import socket
for i in range(300):
    try: socket.create_connection(("tunnel.gate.test", 443))
    except OSError: pass'
    eventually logged "web.gate.test:8080"
    eventually logged '"name":"bad.wild.gate.test","port":null,"rule":"deny bad.wild.gate.test","reason":"a rule denies it"' --json
    eventually logged '"decision":"refused","kind":"connection","program":"python3","name":"a.wild.gate.test","port":443' --json --denied
    run box net log --json
    assert_contains '"name":"web.gate.test","port":8080,"rule":"allow web.gate.test:8080","reason":null,"sent":5,"received":13'
    # 300 questions for a name are not 300 lines.
    [ "$(grep -c tunnel.gate.test <<<"$output")" -lt 10 ] || fail "$output"
    run box net log --denied
    refute_contains "allowed "
    # What is written meanwhile is followed.
    eventually grep -q '"name":"a.wild.gate.test"' "$TEST_HOME/followed"
    kill "$follower"
    wait "$follower" || [ "$?" = 143 ]
    run box net suggest
    assert_contains '"tunnel.gate.test", #'
    assert_contains '"a.wild.gate.test", #'
    refute_contains '"bad.wild.gate.test"'
    [ "$(stat -c %a "$XDG_RUNTIME_DIR"/litterbox*/shop/network.log)" = 600 ]
    # When the box ends, what was counted and is still open is recorded.
    in_box python3 -c '
import socket
line = socket.create_connection(("web.gate.test", 8080))
line.recv(8, socket.MSG_WAITALL)
print("open", flush=True)
line.recv(1)' >"$TEST_HOME/out" 3>&- &
    eventually grep -q open "$TEST_HOME/out"
    named() { box net top --json | jq -e 'any(.[]; .name == "web.gate.test" and .program == "python3")' >/dev/null; }
    eventually named
    run -0 jq -r '.[] | select(.name == "web.gate.test") | "\(.program) \(.port) \(.rule) \(.received) \(.received_rate)"' \
        <(box net top --json)
    assert_output "python3 8080 allow web.gate.test:8080 8 0"
    run -0 box net top
    assert_contains "python3  web.gate.test:8080  0 B   8 B"
    # One that goes on has rates.
    in_box python3 -c '
import socket
line = socket.create_connection(("web.gate.test", 8080))
while True:
    line.sendall(bytes(1000))
    line.recv(1000)' >/dev/null 2>&1 3>&- &
    moves() { box net top --json | jq -e 'any(.[]; .received > 8 and .received_rate > 0 and .sent_rate > 0)' >/dev/null; }
    eventually moves
    box stop
    eventually logged '"sent":0,"received":8' --json
    counted() { box net log --json | jq -es 'map(select(.name == "tunnel.gate.test").count) | add >= 300' >/dev/null; }
    eventually counted
    box run -- true
}

# Nothing listens at the proxies.
@test "filtered: proxies that the caller's or the box's variables name are not asked (4)" {
    local proxy=http://127.0.0.1:9
    box stop
    http_proxy=$proxy https_proxy=$proxy HTTP_PROXY=$proxy HTTPS_PROXY=$proxy ALL_PROXY=$proxy all_proxy=$proxy box run -- true
    run in_box curl -sS http://web.gate.test/
    assert_contains "reached by Host: web.gate.test"
    from_box tls web.gate.test 443 web.gate.test
    assert_output "reached as web.gate.test"
    # A proxy that the box names is a host like any other.
    run in_box curl -sS --proxy "http://web.gate.test:8081" http://evil.test/
    refute_contains reached
    run in_box curl -sS --proxy "http://127.0.0.1:$LOOPBACK" http://evil.test/
    refute_contains reached
    box stop
    box run -- true
}

# is_listened PORT: the gate has a listener on all addresses of the box there.
is_listened() { in_box cat /proc/net/tcp | grep -qE ": 00000000:$(printf %04X "$1") 00000000:0000 0A"; }

@test "filtered: without nft the same names, ports and addresses are reached, and no others (2, 4, 9)" {
    local address worker
    # The control: with nft all ports lead to one listener, and none to this one.
    box run -- true
    run is_listened 8080
    assert_status 1
    box stop
    rm -f "$DATA/boxes/shop/network-rules" # of the tests before
    without_nft box run -- true
    is_listened 8080
    for address in web.gate.test a.b.wild.gate.test "$OWN"; do
        from_box raw "$address" 8080 hello
        assert_output "reached hello"
    done
    from_box raw host.box.internal "$LOOPBACK" hello
    assert_output "reached hello"
    from_box tls web.gate.test 443 web.gate.test
    assert_output "reached as web.gate.test"
    from_box raw web.gate.test 80 'GET / HTTP/1.1\r\nHost: web.gate.test\r\n\r\n'
    assert_contains "reached by Host: web.gate.test"
    from_box greeting web.gate.test 2222
    assert_output "SSH-2.0-reached"
    for address in xweb.gate.test wild.gate.test bad.wild.gate.test example.org; do
        from_box raw "$address" 8080 hello
        assert_output "no such name"
    done
    for address in web.gate.test "$OWN" 10.99.1.1 198.18.200.7; do
        from_box raw "$address" 8081 hello
        assert_output ECONNREFUSED
    done
    # A port of another rule: the gate listens there, and finds that no rule has it with this address.
    for address in 198.18.0.1 198.18.200.7 198.19.255.255 127.0.0.1 127.1.2.3 host.box.internal; do
        from_box raw "$address" 8080 hello
        assert_output ECONNRESET
    done
    from_box raw "$OWN" "$LOOPBACK" hello
    assert_output ECONNRESET
    from_box raw a.wild.gate.test 443 hello
    assert_output ECONNRESET
    from_box raw loop.gate.test "$LOOPBACK" hello
    assert_output ECONNRESET
    from_box raw 1.1.1.1 443 hello
    assert_output ENETUNREACH
    from_box udp web.gate.test 443 hello
    assert_output ECONNREFUSED
    from_box tls web.gate.test 443 other.test
    refute_contains reached
    from_box raw web.gate.test 80 'GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'
    assert_contains "403 Forbidden"
    # The price, which box doctor tells.
    run in_box python3 -c 'import socket; socket.create_server(("127.0.0.1", 8080))'
    assert_contains "Address already in use"
    # A rule with a new port, and a gate that was killed.
    box net allow "$OWN:8081"
    from_box raw "$OWN" 8081 hello
    assert_output "reached hello"
    worker=$(worker_pid "$RUNTIME/shop" gate)
    kill -KILL "$worker"
    eventually serves_again
    is_listened 8080
    from_box raw web.gate.test 8081 hello
    assert_output ECONNRESET
    box net forget "$OWN:8081"
    # nft is there from the next start on.
    box stop
    box run -- true
    run is_listened 8080
    assert_status 1
    from_box raw web.gate.test 8080 hello
    assert_output "reached hello"
}

@test "net: the log has at most 1 MiB, and goes on in a new file, also for who follows it" {
    local log=$RUNTIME/shop/network.log padding
    box run -- true
    box net log --follow --json >"$TEST_HOME/followed" 3>&- &
    local follower=$!
    # As a box fills it, twice.
    padding="$(date +%Y-%m-%dT%H:%M:%S.000%:z) litterbox-gate: refused tcp padding%d.test 443 1 0 0 0 - - - -\n"
    fill() {
        # shellcheck disable=SC2059 # the line is the format
        for ((i = 0; $(stat -c %s "$log") < 524288; i += 500)); do printf "$padding" $(seq "$i" $((i + 499))) >>"$log"; done
    }
    fill
    from_box raw web.gate.test 8080 first
    assert_output "reached first"
    eventually grep -q '"sent":5,"received":13' "$TEST_HOME/followed"
    eventually test -e "$log.1"
    fill
    from_box raw web.gate.test 8080 seconds
    assert_output "reached seconds"
    eventually grep -q '"sent":7,"received":15' "$TEST_HOME/followed"
    for file in "$log" "$log.1"; do
        [ "$(stat -c %a "$file")" = 600 ]
        [ "$(stat -c %s "$file")" -le $((600 * 1024)) ] || fail "$(stat -c %s "$file")"
    done
    [ ! -e "$log.2" ]
    [ "$(stat -c %s "$log")" -lt 10000 ] || fail "no new file was begun"
    run -0 box net log --json
    assert_contains '"sent":5,"received":13'
    assert_contains '"sent":7,"received":15'
    kill "$follower"
    wait "$follower" || [ "$?" = 143 ]
}

@test "net: top shows on a terminal what is open, anew each second, until Ctrl-C" {
    hold_connection
    in_tmux "cd $PROJECT && trap : INT; box net top" # the shell lives on
    eventually shows "^python3 .*web.gate.test:8080 .*10 B\|^python3 .*web.gate.test:8080 .*8 B"
    # What moves meanwhile is seen.
    echo >&7
    eventually shows "^python3 .*web.gate.test:8080  10 B  18 B"
    [ "$(screen | grep -c '^PROGRAM ')" = 1 ] || fail "$(screen)"
    box net deny web.gate.test:8080
    wait "$client"
    exec 7>&-
    is_gone() { ! shows web.gate.test; }
    eventually is_gone
    box net forget web.gate.test:8080
    type_keys C-c
    eventually tmux_ended
    run cat "$TEST_HOME/ended"
    assert_output 130
    tmux_end
}

@test "filtered: an empty list allows nothing (4)" {
    rm -f "$DATA/boxes/shop/network-rules"
    box stop
    escape_config '[network]
mode = "filtered"'
    from_box raw web.gate.test 8080 hello
    assert_output "no such name"
    from_box raw "$OWN" 8080 hello
    assert_output ENETUNREACH
    from_box dns 198.18.0.1 53 "web.gate.test 1"
    assert_output "code 3 answers 0"
    box stop
    filtered
}

@test "filtered: rules that would be ignored are refused, and a project's need a yes (4, 7)" {
    printf '[network]\nmode = "open"\ndeny = ["web.gate.test"]\n' >litterbox.toml
    box trust --yes
    run setsid box apply --yes </dev/null
    [ "$status" != 0 ]
    assert_contains 'needs network.mode = "ask" or "filtered"'
    filtered
    sed -i 's/allow = \[/allow = ["evil.test", /' litterbox.toml
    box stop
    run setsid box run -- true </dev/null
    assert_status 78
    # A service of this machine is called that.
    filtered
    sed -i 's/allow = \[/allow = ["host:5432", /' litterbox.toml
    run setsid box run -- true </dev/null
    assert_status 78
    run box trust --show
    assert_contains "reach port 5432 of this machine's loopback interface ('host:5432')"
    filtered
}
