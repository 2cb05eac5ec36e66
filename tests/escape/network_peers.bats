#!/usr/bin/env bats
# What others attack their filters of a network with (invariant 4): the battery of github/gh-aw-firewall, and the clients that
# end one side of a connection with which sandbox-runtime tests its transparent mode. Both are written from what is said of them.
# The tables of coder/boundary and iron-proxy are a unit test, network_peers.
# shellcheck disable=SC2154 # bats sets status and output

load escape.bash
load gate.bash

setup_file() {
    gate_begin
    cp "$BATS_TEST_DIRNAME/egress_battery.py" "$PROJECT/battery"
    hosts_add "$OWN allowed.peers.test api.allowed.peers.test blocked.peers.test"
    escape_config "[network]
mode = \"filtered\"
allow = [\"allowed.peers.test\", \"allowed.peers.test:80\", \"api.allowed.peers.test\",
    \"allowed.peers.test:8082\", \"allowed.peers.test:8083\", \"$OWN:80\", \"$OWN:443\", \"$OWN:8082\", \"$OWN:8083\"]
[box]
idle_stop = \"never\""
    box run -- true
}
teardown_file() { gate_end peers.test; }
setup() { escape_setup; }

# battery COMMAND…: the cases that pass, in one line.
battery() { "$@" python3 battery "$OWN" | awk '$2 == "allowed" { printf "%s%s", line++ ? " " : "", $1 } END { print " of " NR }'; }

@test "peers: control: without a box all of the battery's servers are reached" {
    # There is no metadata service, no request leads a server to another, and no ordinary user changes the host's routes.
    run battery env
    assert_output "L1 L2 L3 A1 A2 A3 A4 A5 A6 A8 A9 A10 A11 A12 of 16" ||
        assert_output "L1 L2 L3 A1 A2 A3 A4 A5 A6 A8 A9 A10 A12 of 16"
}

@test "peers: of gh-aw-firewall's battery only the three allowed cases pass, as the user and as root of the box (4, 6)" {
    run battery in_box
    assert_output "L1 L2 L3 of 16"
    run battery in_box_as -u root --
    assert_output "L1 L2 L3 of 16"
}

@test "peers: a server that waits for the end of the client's side answers it, with all that was sent" {
    run in_box python3 -c '
import socket
line = socket.create_connection(("allowed.peers.test", 8083))
line.sendall(bytes(8 << 20))
line.shutdown(socket.SHUT_WR)
print(line.makefile("rb").read().decode())'
    assert_output "reached with $((8 << 20))"
}

@test "peers: a client that sends nothing and ends its side gets an answer" {
    run in_box python3 client raw allowed.peers.test 8083 ""
    assert_output "reached with 0"
}

@test "peers: what is sent after the server has ended its side arrives" {
    rm -f "$TEST_HOME/early"
    run in_box python3 -c '
import socket
line = socket.create_connection(("allowed.peers.test", 8082))
print(line.makefile("rb").read().decode())
line.sendall(bytes(8 << 20))'
    assert_output "reached "
    eventually test -e "$TEST_HOME/early"
    [ "$(cat "$TEST_HOME/early")" = $((8 << 20)) ]
}

@test "peers: a client that resets its connection after half of an upload ends the server's, too" {
    rm -f "$TEST_HOME/early"
    run in_box python3 -c '
import socket, struct
line = socket.create_connection(("allowed.peers.test", 8082))
line.recv(8, socket.MSG_WAITALL)
line.sendall(bytes(1 << 20))
line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
line.close()
print("reset")'
    assert_output "reset"
    run in_box python3 client raw allowed.peers.test 8083 after
    assert_output "reached with 5"
    # The server saw a reset, and took no half for the whole.
    [ ! -e "$TEST_HOME/early" ]
}
