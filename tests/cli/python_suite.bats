#!/usr/bin/env bats
# The tests of Python's standard library, natively and in a box: each ends the same way.
#
# BOX_PYTHON_SUITE: other modules than those that are quick (docs/testing.md).

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

modules() {
    echo "${BOX_PYTHON_SUITE:-test_os test_posix test_shutil test_tempfile test_pathlib test_pty test_fcntl
        test_glob test_fileio ${BOX_TESTS_ALL:+test_subprocess test_mailbox}}"
}

# results FOLDER: how the tests ended. What they say of themselves goes elsewhere, and has numbers of processes. A new
# pipe is smaller when others of the same user have many (pipe(7)), who may be other tests.
results() {
    grep -E '^(test\.|test_)[^ ]* |^(setUp|tearDown)' "$1/said" | grep -v '\.test_pipesize' |
        sed 's/@test_[0-9]*_tmp/@test_tmp/g' | sort
}

# run_both MODULE…: at once, as they mostly wait.
run_both() {
    local child program=$PROJECT/python_suite.py
    (cd "$TEST_HOME/work" && exec /usr/bin/python3 "$program" "$@" </dev/null >said 2>errors) 3>&- &
    child=$!
    # shellcheck disable=SC2016 # the box's shell expands it
    box run -- sh -c 'cd work && exec /usr/bin/python3 ../python_suite.py "$@" </dev/null >said 2>errors' sh "$@"
    wait "$child"
    results "$TEST_HOME/work" >"$TEST_HOME/host"
    results "$PROJECT/work" >"$TEST_HOME/box"
}

# The modules with tests that ended differently.
differing() {
    diff "$TEST_HOME/host" "$TEST_HOME/box" |
        sed -nE 's/^[<>] .*\btest\.(test_[a-z]+)\..*/\1/p; s/^[<>] (test_[a-z]+) .*/\1/p' | sort -u
}

@test "python: the tests of its standard library end in a box as they do on the host" {
    python3 -c 'import test.test_os' 2>/dev/null || skip "Python's tests are not installed"
    local names
    mkdir "$PROJECT/work" "$TEST_HOME/work"
    cp "$BATS_TEST_DIRNAME/../conformance/python_suite.py" .
    read -ra names <<<"$(modules | paste -sd ' ')"
    run_both "${names[@]}"
    echo "$(grep -c ' ok$' "$TEST_HOME/host") ok, $(wc -l <"$TEST_HOME/host") in all"
    [ "$(grep -c ' ok$' "$TEST_HOME/host")" -gt 1000 ] || [ -n "${BOX_PYTHON_SUITE:-}" ]
    # Some of them have limits of a second, too short for a busy machine; what really differs does so again.
    mapfile -t names < <(differing)
    [ "${#names[@]}" = 0 ] || run_both "${names[@]}"
    diff -U 0 "$TEST_HOME/host" "$TEST_HOME/box" || fail "they differ: $(tail -n 40 work/errors)"
}
