#!/usr/bin/env bats
# `box run` on a terminal gives the command one, as ssh -t does.

load ../lib/box.bash
load ../lib/tmux.bash

setup() { box_setup; }
teardown() {
    tmux_end
    box_teardown
}

# What a command in the box sees of its terminal.
look='for fd in 0 1 2; do test -t $fd && echo "$fd: terminal" || echo "$fd: none"; done; stty size 2>&1'

@test "run on a terminal: the command gets one, of its size and not the user's own" {
    run on_terminal --size 33x101 box run -- sh -c "$look"
    assert_status 0
    assert_contains "0: terminal"
    assert_contains "1: terminal"
    assert_contains "2: terminal"
    assert_contains "33 101"
    run on_terminal sh -c 'stat -L -c "host:%d" "$(tty)"; box run -- stat -L -c box:%d /proc/self/fd/0'
    [ "$(grep -o 'host:[0-9]*' <<<"$output" | cut -d: -f2)" != "$(grep -o 'box:[0-9]*' <<<"$output" | cut -d: -f2)" ]
}

@test "run on a terminal: -T, --no-tty, --wait background and redirections give none, -t always gives one" {
    local how
    for how in -T --no-tty "--wait background" "--wait foreground"; do
        # shellcheck disable=SC2086 # words
        run on_terminal box run $how -- sh -c "$look"
        assert_contains "0: none"
        assert_contains "1: none"
    done
    run on_terminal sh -c "box run -- sh -c '$look' </dev/null"
    assert_contains "1: none"
    run on_terminal sh -c "box run -- sh -c '$look' | cat"
    assert_contains "0: none"
    run --separate-stderr box run -- sh -c "$look"
    assert_contains "0: none"
    assert_contains "1: none"
    run --separate-stderr box run -t -- sh -c "$look"
    assert_contains "0: terminal"
    assert_contains "1: terminal"
}

@test "run on a terminal: standard error stays apart when it is a file, a pipe or closed" {
    run on_terminal sh -c "box run -- sh -c 'echo out; readlink /proc/self/fd/2 >&2; test -t 0' 2>$TEST_HOME/err"
    assert_status 0
    assert_output $'out\r'
    # A box that had the file itself could open it again.
    grep -q '^pipe:' "$TEST_HOME/err"
    run on_terminal sh -c "box run -- sh -c 'head -c 3000000 /dev/zero >&2; exit 3' 2>&1 >/dev/tty </dev/tty | wc -c"
    assert_contains 3000000
    run on_terminal sh -c "box run -- sh -c 'test -t 0 && test -t 1 && echo both' 2>&-"
    assert_contains both
}

@test "run on a terminal: exit status, a signal's status, and no status of the terminal's" {
    run on_terminal box run -- sh -c 'exit 7'
    assert_status 7
    run on_terminal box run -- sh -c 'kill -9 $$'
    assert_status 137
    run on_terminal box run -- no-such-command
    assert_status 127
    run on_terminal box run --timeout 1s -- sleep 100
    assert_status 124
}

@test "run on a terminal: Ctrl-C reaches the command alone, and the terminal is as before" {
    run on_terminal --answer ready '\x03' sh -c 'before=$(stty -g)
        box run -- sh -c "trap \"exit 5\" INT; echo ready; while :; do sleep 0.05; done"
        echo "status=$?"; [ "$(stty -g)" = "$before" ] && echo same'
    assert_contains status=5
    assert_contains same
}

@test "run on a terminal: python3 shows its prompt, top its screen, and a resize arrives" {
    in_tmux "box run -- python3 -q"
    eventually shows '>>>'
    type_keys 'print(6 * 7)' Enter
    eventually shows '^42'
    type_keys C-d
    eventually tmux_ended
    [ "$(cat "$TEST_HOME/ended")" = 0 ]
    in_tmux "box run -- sh -c 'trap \"stty size\" WINCH; echo ready; while :; do sleep 0.05; done'"
    eventually shows ready
    tmux -S "$TMUX_SOCKET" resize-window -x 61 -y 17
    eventually shows '17 61'
    tmux_end
    in_tmux "box run -- top"
    eventually shows 'PID USER'
    type_keys q
    eventually tmux_ended
    [ "$(cat "$TEST_HOME/ended")" = 0 ]
}

@test "run on a terminal: a job in the background gets none and is not stopped" {
    run on_terminal bash -c 'set -m; box run -- sh -c "test -t 0 || echo none" & wait $!; echo "status=$?"'
    assert_contains none
    assert_contains status=0
}

@test "run on a terminal: the filter of [terminal] applies" {
    run on_terminal printf '\033]52;c;ZXZpbA==\a'
    assert_contains $'\e]52' # control
    run on_terminal box run -- printf '\033]52;c;ZXZpbA==\aend'
    assert_contains end
    refute_contains $'\e]52'
}
