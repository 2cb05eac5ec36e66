#!/usr/bin/env bats
# SIGKILL of the forwarder: the next command repairs it.
#
# CRASH_ROUNDS: number of rounds. CRASH_SEED: repeats the choices of a run, which prints it.

load ../lib/box.bash
load ../lib/port.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "port: each command restarts a killed forwarder" {
    local port command first second
    port=$(free_port)
    web
    box port add "$port:8000"
    for command in 'box port list' 'box run -- true' "box port add $(free_port):8000" 'box status'; do
        eventually answers "$port"
        forwarder_kill
        run ! answers "$port"
        $command >/dev/null
        eventually answers "$port"
    done
    # Two commands at once start only one.
    forwarder_kill
    box port list >/dev/null 3>&- &
    first=$!
    box port list >/dev/null 3>&- &
    second=$!
    box run -- true
    wait "$first" "$second"
    # It and its supervisor; the supervisor that comes second ends.
    eventually eval '[ "$(pgrep -c -f "^[^ ]*litterbox-port $RUNTIME/shop ")" = 2 ]'
    eventually answers "$port"
}

@test "port: its supervisor restarts a killed forwarder" {
    local port pid
    port=$(free_port)
    web
    box port add "$port:8000"
    eventually answers "$port"
    for signal in KILL SEGV; do
        pid=$(forwarder_pid)
        kill -"$signal" "$pid"
        eventually answers "$port"
        [ "$(forwarder_pid)" != "$pid" ]
        grep -q "litterbox-port: killed by SIG$signal in stage 'serving'.*; restarting in 0\.[1-4] s" \
            "$RUNTIME/shop/port.log" || fail "$(cat "$RUNTIME/shop/port.log")"
    done
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
    eventually answers "$port"
}

@test "port: the forwarder ends when box-init is killed, and the next run has its own" {
    local port
    port=$(free_port)
    web
    box port add "$port:8000"
    kill -9 "$(podman_get "containers/$(containers)/json" | jq .State.Pid)"
    eventually no_forwarder
    web
    run box port list
    refute_contains ":$port"
    run ! answers "$port"
}

@test "port: the list stays valid when box is killed while it adds and removes" {
    local round pid seed=${CRASH_SEED:-$RANDOM} first
    RANDOM=$seed
    echo "# CRASH_SEED=$seed" >&3
    first=$((20000 + RANDOM % 10000))
    web
    for round in $(seq "${CRASH_ROUNDS:-8}"); do
        box port add --keep "127.0.0.9:$((first + round)):8000" >/dev/null 2>&1 3>&- &
        pid=$!
        sleep "0.0$(printf %02d $((RANDOM % 30)))"
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        if [ $((RANDOM % 3)) = 0 ]; then kill -9 "$(forwarder_pid)" 2>/dev/null || true; fi
        if [ $((RANDOM % 3)) = 0 ]; then kill -9 "$(supervisor_pid "$RUNTIME/shop" port)" 2>/dev/null || true; fi
        # Each forward is listed and works, or is missing.
        run --separate-stderr box port list --json
        [ "$(jq '[.forwards[] | select(.listening | not)] | length' <<<"$output")" = 0 ] || fail "$output"
        box port add --keep "127.0.0.9:$((first + round)):8000"
        eventually sh -c "curl -s -m 5 http://127.0.0.9:$((first + round))/ | grep -q 'Directory listing'"
        box port remove "$((first + round))"
    done
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
    eventually no_forwarder
    run find "$DATA/boxes/shop" "$RUNTIME/shop" -maxdepth 1 -name 'ports*' ! -name ports.lock
    assert_output ""
}
