#!/usr/bin/env bats
# box top: the processes of a box.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# in_box COMMAND…: leaves it running in a session, and waits until it runs; it prints "here" first.
in_box() {
    box run --wait background -- "$@" >started &
    eventually grep -q here started
}

@test "top: pid, user, CPU, memory and command of each process; the busiest is first" {
    in_box sh -c 'echo here $$; while :; do :; done' busy-loop
    pid=$(sed 's/here //' started)
    run --separate-stderr box top
    assert_status 0
    [ "$(head -n 1 <<<"$output" | tr -s ' ')" = "PID USER CPU MEMORY COMMAND" ]
    [ "$(sed -n 2p <<<"$output" | awk '{print $1, $2}')" = "$pid $(id -un)" ]
    sed -n 2p <<<"$output" | grep -q 'while :; do :; done busy-loop$'
    grep -qE '^1 +root ' <<<"$output"
    # JSON: the same, and the process of the host.
    run --separate-stderr box top --json
    jq -e --argjson pid "$pid" --argjson uid "$(id -u)" \
        '.[] | select(.pid == $pid) | .cpu > 1 and .memory > 10000 and .uid == $uid and .threads == 1' <<<"$output"
    host=$(jq --argjson pid "$pid" '.[] | select(.pid == $pid) | .host_pid' <<<"$output")
    grep -qz busy-loop "/proc/$host/cmdline"
    # The pid is right: kill takes it.
    box run -- kill "$pid"
    eventually sh -c '! box top | grep -q busy-loop'
}

@test "top: a box that does not run has none" {
    run box top
    assert_status 0
    assert_contains "not running"
    run --separate-stderr box top --json
    assert_status 0
    assert_output '[]'
}

@test "top: fields are in its page; processes of other boxes are not listed" {
    new_project "$TEST_HOME/cafe"
    in_box sh -c 'echo here; exec sleep 1234'
    box start cafe
    run box top cafe --json
    refute_contains 1234
    page=$BATS_TEST_DIRNAME/../../data/man/box-top.1.scd
    for field in $(box top --json | jq -r '.[0] | keys[]'); do
        grep -qF "*${field//_/\\_}*" "$page" || fail "$field"
    done
}
