#!/usr/bin/env bats
# SIGKILL of what forwards: the next command puts it right.
#
# CRASH_ROUNDS: how many. CRASH_SEED: repeats the choices of a run, which prints it.

load ../lib/box.bash
load ../lib/port.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "port: a forwarder that was killed is back with the next command, whichever it is" {
    local port command first second
    port=$(free_port)
    web
    box port add "$port:8000"
    for command in 'box port list' 'box run -- true' "box port add $(free_port):8000" 'box status'; do
        eventually 10 answers "$port"
        kill -9 "$(forwarder_pid)"
        eventually 5 no_forwarder
        run ! answers "$port"
        $command >/dev/null
        eventually 5 answers "$port"
    done
    # Two at once start one.
    kill -9 "$(forwarder_pid)"
    box port list >/dev/null 3>&- &
    first=$!
    box port list >/dev/null 3>&- &
    second=$!
    box run -- true
    wait "$first" "$second"
    [ "$(forwarder_pid | wc -l)" = 1 ]
    answers "$port"
}

@test "port: a forwarder that hangs is replaced" {
    local port pid
    port=$(free_port)
    web
    box port add "$port:8000"
    pid=$(forwarder_pid)
    kill -STOP "$pid"
    run timeout 20 box port list
    assert_status 0
    [ "$(forwarder_pid)" != "$pid" ]
    eventually 5 answers "$port"
}

@test "port: when box-init is killed the forwarder ends, and the next run is none of the last one's" {
    local port
    port=$(free_port)
    web
    box port add "$port:8000"
    kill -9 "$(podman_get "containers/$(containers)/json" | jq .State.Pid)"
    eventually 5 no_forwarder
    web
    run box port list
    refute_contains ":$port"
    run ! answers "$port"
}

@test "port: box is killed while it adds and removes: the list stays whole" {
    local round pid seed=${CRASH_SEED:-$RANDOM} first
    RANDOM=$seed
    echo "# CRASH_SEED=$seed" >&3
    first=$((20000 + RANDOM % 10000))
    web
    for round in $(seq "${CRASH_ROUNDS:-20}"); do
        box port add --keep "127.0.0.9:$((first + round)):8000" >/dev/null 2>&1 3>&- &
        pid=$!
        sleep "0.0$(printf %02d $((RANDOM % 30)))"
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        if [ $((RANDOM % 3)) = 0 ]; then kill -9 "$(forwarder_pid)" 2>/dev/null || true; fi
        # Each is there and listened on, or not there at all.
        run --separate-stderr box port list --json
        [ "$(jq '[.forwards[] | select(.listening | not)] | length' <<<"$output")" = 0 ] || fail "$output"
        box port add --keep "127.0.0.9:$((first + round)):8000"
        eventually 10 sh -c "curl -s -m 5 http://127.0.0.9:$((first + round))/ | grep -q 'Directory listing'"
        box port remove "$((first + round))"
    done
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
    eventually 5 no_forwarder
    run find "$DATA/boxes/shop" "$RUNTIME/shop" -maxdepth 1 -name 'ports*' ! -name ports.lock
    assert_output ""
}
