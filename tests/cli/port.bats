#!/usr/bin/env bats
# box port: forwards into a running box, with real servers in it.

load ../lib/box.bash
load ../lib/port.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "port: a server in a running box is reachable at once, on 127.0.0.1 only" {
    local port
    port=$(free_port)
    web
    run box port add "$port:8000"
    assert_status 0
    assert_contains "127.0.0.1:$port leads to port 8000 of the box"
    eventually answers "$port"
    run ss -Hltn "sport = :$port"
    [[ $output == *"127.0.0.1:$port"* ]]
    [ "${#lines[@]}" = 1 ]
    box port remove "$port"
    run ! curl -s -m 2 "http://127.0.0.1:$port/"
    assert_status 7
    eventually no_forwarder
}

@test "port: a server on ::1 is reachable, and one that starts later" {
    local port
    port=$(free_port)
    box run -- true
    run box port add "$port:8000"
    assert_status 0
    assert_contains "nothing answers on port 8000 of the box yet"
    run ! curl -s -m 2 "http://127.0.0.1:$port/"
    [ "$status" != 28 ] # an end, not silence
    web 8000 ::1
    eventually answers "$port"
}

@test "port: list shows forwards, published ports, and servers that are not forwarded" {
    local port published
    port=$(free_port)
    published=$(free_port)
    user_config "[network]
mode = \"open\"
ports = [\"$published:8001\"]"
    box rm --yes
    mkdir .git # a project that has no box yet
    run box port list
    assert_status 125
    web 8000
    web 8001 0.0.0.0
    web 8002
    box port add --keep "$port:8000"
    eventually eval '[ "$(box port list --json | jq ".listeners | length")" = 3 ]'
    run --separate-stderr box port
    assert_status 0
    [[ ${lines[0]} =~ ^HOST\ +BOX\ +PROGRAM\ +NOTE ]]
    [[ ${lines[1]} =~ ^127.0.0.1:$port\ +8000\ +python3\ \([0-9]+\)\ +kept$ ]] || fail "$output"
    [[ ${lines[2]} =~ ^127.0.0.1:$published\ +8001\ +python3\ .*published ]] || fail "$output"
    [[ ${lines[3]} =~ ^-\ +8002\ +python3\ .*"not forwarded: box port add 8002"$ ]] || fail "$output"
    [ "${#lines[@]}" = 4 ]
    run --separate-stderr box port list --json shop
    [ "$(jq -c '.running, .host_network, (.forwards[0] | .ip, .host, .box, .kept, .listening, .error, .program)' <<<"$output" | tr '\n' ' ')" = \
        "true false \"127.0.0.1\" $port 8000 true true null \"python3\" " ]
    [ "$(jq -c '.published' <<<"$output")" = "[{\"ip\":\"127.0.0.1\",\"host\":$published,\"box\":8001,\"protocol\":\"tcp\"}]" ]
    [ "$(jq -c '[.listeners[] | [.port, .forwarded]]' <<<"$output")" = '[[8000,true],[8001,false],[8002,false]]' ]
    # The listed process is the right one.
    [ "$(tr '\0' ' ' <"/proc/$(jq '.forwards[0].pid' <<<"$output")/cmdline")" = "python3 -m http.server --bind 127.0.0.1 8000 " ]
    run --separate-stderr box status
    assert_contains "port       127.0.0.1:$port -> 8000"
    [ "$(box status --json | jq -r '.ports[0].host')" = "$port" ]
}

@test "port: works in a box without a network" {
    local port
    port=$(free_port)
    user_config '[network]
mode = "none"'
    web
    box port add "$port:8000"
    eventually answers "$port"
}

@test "port: with the host's network it says that there is nothing to forward" {
    user_config '[network]
mode = "host"'
    box run -- true
    run box port add 8000
    assert_status 125
    assert_contains "has the network of this machine"
    run box port list
    assert_status 0
    assert_contains "its ports need no forward"
    [ "$(box port list --json 2>/dev/null | jq .host_network)" = true ]
}

@test "port: a forward ends when the box stops; a kept one returns" {
    local once kept
    once=$(free_port)
    kept=$(free_port)
    web
    box port add "$once:8000"
    box port add --keep "$kept:8000"
    eventually answers "$once"
    box stop
    eventually no_forwarder
    run --separate-stderr box port list
    assert_contains "127.0.0.1:$kept"
    assert_contains "from the next start on"
    refute_contains ":$once"
    web
    eventually answers "$kept"
    run ! answers "$once"
    box restart
    web
    eventually answers "$kept"
    box port remove "$kept"
    box restart
    web
    run box port list
    refute_contains ":$kept"
    eventually no_forwarder
}

@test "port: for a stopped box only kept forwards can be added, and work at the next start" {
    local port
    port=$(free_port)
    box run -- true
    box stop
    run box port add "$port:8000"
    assert_status 125
    assert_contains "is not running: start it with 'box start'"
    run box port add --keep "$port:8000"
    assert_status 0
    assert_contains "will lead"
    web
    eventually answers "$port"
}

@test "port: a kept forward whose port is in use is only a warning at the start" {
    local port
    port=$(free_port)
    box run -- true
    box stop
    box port add --keep "$port:8000"
    python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 3>&- &
    local server=$!
    eventually sh -c "curl -s http://127.0.0.1:$port/ >/dev/null"
    run box run -- echo ran-here
    assert_status 0
    assert_contains ran-here
    assert_contains "port $port of 127.0.0.1 is in use by another program"
    run box port list
    assert_contains "Address already in use"
    kill "$server"
    wait "$server" || true
    # The next list tries again.
    web
    eventually sh -c "box port list --json | jq -e '.forwards[0].listening' >/dev/null"
    eventually answers "$port"
}

@test "port: errors say what to do, and change nothing" {
    local port
    port=$(free_port)
    web
    box port add "$port:8000"
    run box port add "$port:8001"
    assert_status 125
    assert_contains "127.0.0.1:$port already leads to port 8000 of the box; remove that with 'box port remove $port'"
    run box port add "$port:8000"
    assert_status 0
    assert_contains "leads already"
    run box port add 21:8000
    assert_status 125
    assert_contains "only root can listen on port 21"
    assert_contains "box port add 8021:8000"
    run box port add "192.0.2.1:$port:8000"
    assert_status 125
    assert_contains "this machine does not have the address '192.0.2.1'"
    local wrong
    for wrong in 0 65536 nonsense 1:2:3 ::1:1:1 -- 1/sctp $'8000\e[31m'; do
        run box port add "$wrong"
        assert_status 64
        refute_contains $'\e'
    done
    run box port add 53/udp
    assert_status 64
    assert_contains "only TCP"
    run box port add
    assert_status 64
    run box port remove 1234
    assert_status 125
    assert_contains "is not forwarded"
    run box port remove "$port:9999"
    assert_status 125
    run box port nonsense
    assert_status 64
    [ "$(box port list --json | jq -c '[.forwards[].host]')" = "[$port]" ]
    eventually answers "$port"
}

@test "port: the error for a port in use names its owner" {
    local port
    port=$(free_port)
    new_project "$TEST_HOME/other"
    box run -- true
    box run "$TEST_HOME/other" -- true
    box port add "$port:8000"
    run box port add other "$port:8000"
    assert_status 125
    assert_contains "port $port of 127.0.0.1 is in use by box 'shop'"
    box port remove "$port"
    box port add other "$port:8000"
    [ "$(box port list other --json | jq '.forwards | length')" = 1 ]
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
}

@test "port: other addresses are used as given, with a warning" {
    local port
    port=$(free_port)
    web
    run box port add "0.0.0.0:$port:8000"
    assert_status 0
    assert_contains "others can reach the box's port 8000"
    eventually answers "$port" "$(hostname -I 2>/dev/null | cut -d' ' -f1 || echo 127.0.0.1)"
    run box port list
    assert_contains "others on the network reach it"
    run box port add "[::1]:$port:8000"
    assert_status 0
    refute_contains "visible on the network"
    eventually answers "$port" '[::1]'
    # Both at once.
    box port remove "$port"
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
}
