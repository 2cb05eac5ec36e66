#!/usr/bin/env bats
# Calls on files in a box: the same results as on the host, also under load. What differs is in docs/security.md.

load ../escape/escape.bash
setup() {
    box_setup
    PROGRAMS=$BATS_TEST_DIRNAME/../conformance
    cp "$PROGRAMS"/*.py .
    export PYTHONDONTWRITEBYTECODE=1
}
teardown() { box_teardown; }

# same_results PROGRAM LINES: runs it on the host and then in a box, in a folder of the same name. It prints the
# same in both, at least LINES.
same_results() {
    mkdir work
    # By a pipe, as in a box: a limit of a file's size would be one for what is printed.
    (cd work && python3 "../$1.py") </dev/null | cat >"$TEST_HOME/host"
    clean_up
    # In a file and not a variable, so that a difference is a few lines.
    box run -- sh -c "cd work && exec python3 -B ../$1.py" </dev/null >"$TEST_HOME/box" 2>"$TEST_HOME/error" ||
        fail "$(cat "$TEST_HOME/error")"
    clean_up
    [ "$(wc -l <"$TEST_HOME/host")" -ge "$2" ]
    diff -U 3 "$TEST_HOME/host" "$TEST_HOME/box" || fail "they differ"
}
clean_up() { chmod -R u+rwx work && rm -rf work && mkdir work; }

@test "files: 1,500 calls have the same results in a box as on the host" { same_results file_calls 1500; }
@test "files: what may not be done has the same results" { same_results rights 1000; }
@test "files: long and odd names, and addresses of none, have the same results" { same_results names 500; }
@test "files: calls by descriptor, O_PATH and /proc have the same results" { same_results descriptors 1400; }
@test "files: fchmodat2 has the same results" {
    [ "${LAB_PODMAN:-}" != 4 ] || skip "Podman 4's profile lacks it"
    same_results modes 60
}
@test "files: sockets get names and all other addresses with the same results" { same_results binds 900; }
@test "files: limits of size and descriptors have the same results" { same_results limits 150; }
@test "files: locks, leases, running programs and unnamed files have the same results" { same_results locks 500; }
@test "files: threads with a folder of their own, and a deleted folder, have the same results" { same_results threads 180; }
@test "files: opens that wait, and signals, have the same results" { same_results waiting 240; }
@test "files: terminals and job control have the same results" { same_results terminal 80; }
@test "files: races have the same winners and no other errors" { same_results races 20; }

@test "files: what differs is what docs/security.md lists" {
    local host inside
    mkdir work
    host=$(cd work && python3 ../differences.py host)
    clean_up
    rm .envrc # made by the host, as it may
    inside=$(in_box sh -c 'cd work && exec python3 -B ../differences.py box')
    [[ $host =~ ^([0-9]+)\ of\ ([0-9]+)$ && ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" ]] || fail "on the host: $host"
    [ "$inside" = "$host" ] || fail "in the box: $inside"
}

@test "files: 16 writers, FIFOs and signals leave the guard as it was" {
    box run -- true
    local before pid
    before=$(guard_leaders)
    run --separate-stderr box run -- python3 load.py $((6 / TEST_STEP))
    # shellcheck disable=SC2154 # bats sets it
    [ "$output" = "0 failures" ] || fail "$output: $stderr"
    [ "$(guard_leaders)" = "$before" ]
    for pid in $(guards); do
        # Each worker starts on a stack of its own, however many there were.
        [ "$(awk '/^VmStk:/ { print $2 }' "/proc/$pid/status")" -lt 200 ]
    done
    few_are_left() { [ "$(guards | wc -l)" -le 12 ]; }
    eventually few_are_left
}

@test "files: cp -a of a repository copies all but its configuration, without a word about rights" {
    git init -q there
    box run -- true
    run box run -- cp -a there copy
    assert_status 1
    assert_output "cp: error writing 'copy/.git/config': Operation not permitted"
    [ ! -s copy/.git/config ]
    [ "$(diff -rq there copy)" = "Files there/.git/config and copy/.git/config differ" ]
}
