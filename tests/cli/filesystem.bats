#!/usr/bin/env bats
# Calls on files in a box: the same results as on the host, also under load.

load ../escape/escape.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "files: 1,500 calls have the same results in a box as on the host" {
    mkdir host here
    cp "$BATS_TEST_DIRNAME/filesystem.py" .
    (cd host && python3 ../filesystem.py) >"$TEST_HOME/host"
    # In a file and not a variable, so that a difference is a few lines.
    box run -- sh -c 'cd here && exec python3 ../filesystem.py' >"$TEST_HOME/here" 2>"$TEST_HOME/error" ||
        fail "$(cat "$TEST_HOME/error")"
    sed -i "s#$PWD/host#HERE#" "$TEST_HOME/host"
    sed -i "s#$PWD/here#HERE#" "$TEST_HOME/here"
    [ "$(wc -l <"$TEST_HOME/host")" -gt 1500 ]
    diff "$TEST_HOME/host" "$TEST_HOME/here" || fail "they differ"
}

# The guards and their workers, as the host sees them.
leaders() { pgrep -x box-guard -P "$(pid_one "$(container_name)")"; }
guards() { pgrep -x box-guard -s "$(leaders | paste -sd,)"; }

@test "files: 16 writers, FIFOs and signals leave the guard as it was" {
    box run -- true
    local before pid
    before=$(leaders)
    cp "$BATS_TEST_DIRNAME/load.py" .
    run --separate-stderr box run -- python3 load.py 5
    # shellcheck disable=SC2154 # bats sets it
    [ "$output" = "0 failures" ] || fail "$output: $stderr"
    [ "$(leaders)" = "$before" ]
    for pid in $(guards); do
        # Each worker starts on a stack of its own, however many there were.
        [ "$(awk '/^VmStk:/ { print $2 }' "/proc/$pid/status")" -lt 200 ]
    done
    few_are_left() { [ "$(guards | wc -l)" -le 12 ]; }
    eventually few_are_left
}
