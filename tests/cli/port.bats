#!/usr/bin/env bats
# box port: forwards into a running box, with real servers in it.

load ../lib/box.bash
load ../lib/port.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "port: a server in a running box is reached, at once and on 127.0.0.1 alone" {
    local port
    port=$(free_port)
    web
    run box port add "$port:8000"
    assert_status 0
    assert_contains "127.0.0.1:$port leads to port 8000 of the box"
    eventually 10 answers "$port"
    run ss -Hltn "sport = :$port"
    [[ $output == *"127.0.0.1:$port"* ]]
    [ "${#lines[@]}" = 1 ]
    box port remove "$port"
    run ! curl -s -m 2 "http://127.0.0.1:$port/"
    assert_status 7
    eventually 5 no_forwarder
}

@test "port: a server on ::1 alone is reached, too, and one that comes later" {
    local port
    port=$(free_port)
    box run -- true
    run box port add "$port:8000"
    assert_status 0
    assert_contains "nothing answers on port 8000 of the box yet"
    run ! curl -s -m 2 "http://127.0.0.1:$port/"
    [ "$status" != 28 ] # an end, not silence
    web 8000 ::1
    eventually 10 answers "$port"
}

@test "port: list shows forwards, published ports, and servers that are not forwarded" {
    local port published
    port=$(free_port)
    published=$(free_port)
    user_config "[network]
ports = [\"$published:8001\"]"
    run box port list
    assert_status 125
    web 8000
    web 8001 0.0.0.0
    web 8002
    box port add --keep "$port:8000"
    eventually 10 eval '[ "$(box port list --json | jq ".listeners | length")" = 3 ]'
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
    # The process is the one that it says.
    [ "$(tr '\0' ' ' <"/proc/$(jq '.forwards[0].pid' <<<"$output")/cmdline")" = "python3 -m http.server --bind 127.0.0.1 8000 " ]
    run --separate-stderr box status
    assert_contains "port       127.0.0.1:$port -> 8000"
    [ "$(box status --json | jq -r '.ports[0].host')" = "$port" ]
}

@test "port: works without a network, where nothing else does" {
    local port
    port=$(free_port)
    user_config '[network]
mode = "none"'
    web
    box port add "$port:8000"
    eventually 10 answers "$port"
}

@test "port: with the host's network there is nothing to forward, and that is said" {
    user_config '[network]
mode = "host"'
    box run -- true
    run box port add 8000
    assert_status 125
    assert_contains "has the host's own network"
    run box port list
    assert_status 0
    assert_contains "nothing to forward"
    [ "$(box port list --json 2>/dev/null | jq .host_network)" = true ]
}

@test "port: a forward ends with the run of the box; a kept one comes back" {
    local once kept
    once=$(free_port)
    kept=$(free_port)
    web
    box port add "$once:8000"
    box port add --keep "$kept:8000"
    eventually 10 answers "$once"
    box stop
    eventually 5 no_forwarder
    run --separate-stderr box port list
    assert_contains "127.0.0.1:$kept"
    assert_contains "from the next start on"
    refute_contains ":$once"
    web
    eventually 10 answers "$kept"
    run ! answers "$once"
    box restart
    web
    eventually 10 answers "$kept"
    box port remove "$kept"
    box restart
    web
    run box port list
    refute_contains ":$kept"
    no_forwarder
}

@test "port: without a run only what is kept can be added, and is listened on later" {
    local port
    port=$(free_port)
    box run -- true
    box stop
    run box port add "$port:8000"
    assert_status 125
    assert_contains "does not run: 'box start' starts it"
    run box port add --keep "$port:8000"
    assert_status 0
    assert_contains "will lead"
    web
    eventually 10 answers "$port"
}

@test "port: a kept one whose port is taken is a warning at the start, and no more" {
    local port
    port=$(free_port)
    box run -- true
    box stop
    box port add --keep "$port:8000"
    python3 -m http.server --bind 127.0.0.1 "$port" >/dev/null 2>&1 3>&- &
    local server=$!
    eventually 10 sh -c "curl -s http://127.0.0.1:$port/ >/dev/null"
    run box run -- echo ran-here
    assert_status 0
    assert_contains ran-here
    assert_contains "port $port of 127.0.0.1 is taken by another program"
    run box port list
    assert_contains "Address already in use"
    kill "$server"
    wait "$server" || true
    # The next look tries again.
    web
    eventually 10 sh -c "box port list --json | jq -e '.forwards[0].listening' >/dev/null"
    eventually 10 answers "$port"
}

@test "port: what cannot be is said, with what to do, and changes nothing" {
    local port
    port=$(free_port)
    web
    box port add "$port:8000"
    run box port add "$port:8001"
    assert_status 125
    assert_contains "127.0.0.1:$port leads to port 8000 of the box already: 'box port remove $port' ends that"
    run box port add "$port:8000"
    assert_status 0
    assert_contains "leads already"
    run box port add 80:8000
    assert_status 125
    assert_contains "port 80 of this machine is root's"
    assert_contains "box port add 8080:8000"
    run box port add "192.0.2.1:$port:8000"
    assert_status 125
    assert_contains "this machine has no address '192.0.2.1'"
    local wrong
    for wrong in 0 65536 nonsense 1:2:3 ::1:1:1 -- 1/sctp $'8000\e[31m'; do
        run box port add "$wrong"
        assert_status 64
        refute_contains $'\e'
    done
    run box port add 53/udp
    assert_status 64
    assert_contains "TCP alone"
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
    eventually 10 answers "$port"
}

@test "port: a port that another program or another box has is an error that says whose it is" {
    local port
    port=$(free_port)
    mkdir "$TEST_HOME/other"
    box run -- true
    box run "$TEST_HOME/other" -- true
    box port add "$port:8000"
    run box port add other "$port:8000"
    assert_status 125
    assert_contains "port $port of 127.0.0.1 is taken by box 'shop'"
    box port remove "$port"
    box port add other "$port:8000"
    [ "$(box port list other --json | jq '.forwards | length')" = 1 ]
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
}

@test "port: other addresses are taken at their word, and the word is said" {
    local port
    port=$(free_port)
    web
    run box port add "0.0.0.0:$port:8000"
    assert_status 0
    assert_contains "others on the network reach the box's port 8000"
    eventually 10 answers "$port" "$(hostname -I 2>/dev/null | cut -d' ' -f1 || echo 127.0.0.1)"
    run box port list
    assert_contains "others on the network reach it"
    run box port add "[::1]:$port:8000"
    assert_status 0
    refute_contains "others on the network"
    eventually 10 answers "$port" '[::1]'
    # Both at once.
    box port remove "$port"
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
}
