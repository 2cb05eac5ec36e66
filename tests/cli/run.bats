#!/usr/bin/env bats
# `box run`: pipes, status, signals, environment, folders.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "run: creates, starts and uses a box" {
    run --separate-stderr box run -- sh -c 'id -un; pwd'
    assert_status 0
    assert_output "$(id -un)"$'\n'"$PROJECT"
}

@test "run: the exit status is the command's" {
    run box run -- sh -c 'exit 42'
    assert_status 42
    run box run -- sh -c 'kill -TERM $$'
    assert_status 143
}

@test "run: exits with 127 for a missing command and 126 for one that cannot run" {
    run box run -- no-such-command
    assert_status 127
    assert_contains "no-such-command"
    run box run -- /etc
    assert_status 126
}

@test "run: bytes in pipes are unchanged in both directions" {
    head -c 5000000 /dev/urandom >data
    box run -- cat <data >copy
    cmp data copy
    # shellcheck disable=SC2002
    cat data | box run -- cat | cmp - data
}

@test "run: stdout and stderr are separate" {
    box run -- sh -c 'echo out; echo err >&2' >out 2>err
    [ "$(cat out)" = out ]
    [ "$(grep -v '^box:' err)" = err ]
}

@test "run: -e sets and passes variables, and no others of the host reach the box" {
    export SECRET_TOKEN=hunter2 PASSED=through
    run --separate-stderr box run -e A=1 -e PASSED -- sh -c 'echo $A $PASSED $SECRET_TOKEN'
    assert_output "1 through"
}

@test "run: starts in the caller's folder when that is in the project, else in the project" {
    mkdir -p a/b
    cd a/b
    run --separate-stderr box run -- pwd
    assert_output "$PROJECT/a/b"
    cd "$HOME"
    run --separate-stderr box run "$PROJECT" -- pwd
    assert_output "$PROJECT"
    run --separate-stderr box run -w /usr "$PROJECT" -- pwd
    assert_output /usr
    run box run -w /nowhere "$PROJECT" -- pwd
    assert_status 125
}

@test "run: files that the command writes belong to the user on the host" {
    box run -- sh -c 'echo x > made'
    [ "$(stat -c %u made)" = "$(id -u)" ]
}

@test "run: signals reach the command" {
    box run -- sh -c 'trap "echo got; exit 3" TERM; echo ready; while :; do sleep 0.05; done' >out 2>&1 3>&- &
    pid=$!
    eventually grep -q ready out
    kill -TERM "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" = 3 ]
    grep -q got out
}

@test "run: the command ends when its client is killed" {
    box run -- sh -c 'echo ready; exec sleep 1000' >out 2>&1 3>&- &
    pid=$!
    eventually grep -q ready out
    kill -KILL "$pid"
    wait "$pid" || true
    eventually sh -c '! box run -- pgrep -x sleep >/dev/null 2>&1'
}

@test "run: --timeout ends the command and all it started, with 124" {
    run box run --timeout 1s -- sh -c 'setsid sleep 1000 & (trap "" TERM; sleep 1001 & sleep 1002) & sleep 1003'
    assert_status 124
    run box run -- pgrep -x sleep
    assert_status 1
}

@test "run: --wait decides about background processes" {
    box run --wait kill -- sh -c 'sleep 1000 & exit 0'
    run box run -- pgrep -x sleep
    assert_status 1
    box run --wait background -- sh -c '(sleep 0.5; echo late > late) & exit 0'
    [ -e late ]
    box run -- sh -c 'sleep 1000 >/dev/null 2>&1 & exit 0'
    eventually box run -- pgrep -x sleep
}

@test "run: --detach returns at once and its output is in the log" {
    box run --detach -- sh -c 'until [ -e go ]; do sleep 0.1; done; echo from-detached'
    touch go
    eventually sh -c 'box logs | grep -q from-detached'
}

@test "run: -u root is root only in the box" {
    run --separate-stderr box run -u root -- id -u
    assert_output 0
    box run -u root -- sh -c 'touch /tmp/by-root'
    run box run -u root -- sh -c 'touch /usr/by-root'
    [ "$status" != 0 ]
}

@test "run: --json has status, signal, duration and output; --stdin-code runs the code on standard input" {
    local python="import sys; print(sys.argv[1:]); print('err', file=sys.stderr); sys.exit(3)"
    run --separate-stderr box run --json --stdin-code python -- a 'b c' <<<"$python"
    assert_status 3
    jq -e '.status == 3 and .signal == null and .timed_out == false and .truncated == false and .duration > 0 and
        ([.output[] | {(.stream): .text}] | add) == {"stdout": "['"'a', 'b c'"']\n", "stderr": "err\n"}' <<<"$output"
    [ "$(box run --stdin-code sh -- one <<<'echo "$0 $1"')" = 'sh one' ]
    run --separate-stderr box run --json --timeout 60 -- sh -c 'kill -9 $$'
    assert_status 137
    jq -e '.status == 137 and .signal == "SIGKILL"' <<<"$output"
    # What is left running may print for ever.
    run --separate-stderr box run --json --max-output 100 -- sh -c 'printf "\377\n"; yes | head -c 1000; yes & exit 0'
    assert_status 0
    jq -e '.truncated and ([.output[].text] | add | length) <= 100 and (.output[0].text | startswith("\ufffd\n"))' <<<"$output"
    run --separate-stderr box run --json --timeout 1 -- sleep 60
    assert_status 124
    jq -e .timed_out <<<"$output"
    run -127 --separate-stderr box run --json -- no-such-command
    jq -e '.status == 127 and .output == []' <<<"$output"
    run box run --json --detach -- true
    assert_status 64
}

@test "run: usage errors exit with 64 and say what is right" {
    run box run
    assert_status 64
    run box run --tty --detach -- true
    assert_status 64
    run box run -t -T -- true
    assert_status 64
    run box run --timeuot 3s -- true
    assert_status 64
    assert_contains "--timeout"
    run box run one two -- true
    assert_status 64
}
