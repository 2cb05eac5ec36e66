#!/usr/bin/env bats
# `box secret add` where no terminal can ask for the value: a window does, and the value goes nowhere else.
# shellcheck disable=SC2034,SC2154 # used by what is loaded, or set there

load ../lib/box.bash
load ../lib/ssh.bash
load ../lib/logind.bash
load ../ui/display.bash
load ../ui/prompt.bash
states=$BATS_TEST_DIRNAME/states
REAL=ghp_value-of-the-window01

setup() {
    box_setup
    HELPERS=()
    session_bus_start
    reader_start
    x11_start
}
teardown() {
    ui_end
    [ -z "$(agent_supervisor)" ] || agent_kill
    [ -z "${BUS:-}" ] || bus_stop
    box_teardown
}

# adds [OPTION…] NAME: adds a secret in the background; what it says goes to NAME.said, its exit status to NAME.ended.
adds() {
    local name=${*: -1}
    rm -f "$name.ended"
    { box secret add --host github.com --host api.github.com "$@" </dev/null >"$name.said" 2>&1 3>&- 4>&- &&
        echo 0 >"$name.ended" || echo "$?" >"$name.ended"; } &
}
ended_with() { # NAME STATUS
    eventually test -s "$1.ended" || fail "it does not end: $(cat "$1.said")"
    [ "$(cat "$1.ended")" = "$2" ] || fail "$1: status $(cat "$1.ended"), not $2: $(cat "$1.said")"
}
# stores VALUE: types it into the window.
stores() {
    prompt_appears
    accepting
    type_text "$1"
    press Return
}
kept() { cat "$DATA/secrets/$1"; }
nothing_kept() {
    [ ! -e "$DATA/secrets/$1" ] || fail "$1 is kept"
    [ ! -e "$CONFIG/secrets/$1.toml" ] || fail "$1 is defined"
}

@test "value: a window asks for it where no terminal is, whatever stdin is, and with --prompt on one" {
    adds github
    prompt_appears
    like_picture value
    [ "$(box consent pending --json | jq -c '.[0] | [.headline, .known, .address]')" = \
        "$(jq -c '[.headline, .known, .address]' "$states/value.json")" ]
    stores "$REAL"
    ended_with github 0
    [ "$(kept github)" = "$REAL" ]
    [ "$(stat -c %a "$DATA/secrets/github")" = 600 ]
    box secret list --json | jq -e '.[0] | [.name, .source, .hosts] == ["github", "kept", ["github.com", "api.github.com"]]'
    eventually no_prompt
    # A script that has closed its descriptors: no end of the pipe takes their numbers.
    (exec setsid box secret add --host a.test closed <&- >&- 2>&-) 3>&- 4>&- &
    adding=$!
    stores "$REAL-closed"
    wait "$adding"
    [ "$(kept closed)" = "$REAL-closed" ]
    eventually no_prompt
    on_terminal box secret add --prompt --host a.test asked >asked.said 2>&1 3>&- 4>&- &
    adding=$!
    stores "$REAL-asked"
    wait "$adding" || fail "$(cat asked.said)"
    [ "$(kept asked)" = "$REAL-asked" ]
    # The control: the terminal asks there.
    run on_terminal --answer 'Value of the secret: ' "$REAL-typed\n" box secret add --host a.test typed
    assert_status 0
    [ "$(kept typed)" = "$REAL-typed" ]
}

@test "value: one that is there is replaced, and the window says so" {
    box secret add --host github.com --value-fd 0 github <<<"$REAL-before"
    adds github
    prompt_appears
    box consent pending --json | jq -e '[.[0].known[].label] == ["Kept", "Replaces", "Boxes"]'
    stores "$REAL"
    ended_with github 0
    [ "$(kept github)" = "$REAL" ]
}

@test "value: a tracer of box and all that it starts does not see it" {
    local traced=(strace -f -qq -v -s 20000 -e 'trace=execve,read,readv,pread64,write,writev,pwrite64,sendto,sendmsg,recvfrom,recvmsg'
        -o "$TEST_HOME/trace")
    # The agent, its launcher, the window and litterbox-secrets let nobody look, and box never has it.
    BOX_DEBUG=all "${traced[@]}" box secret add --host a.test traced </dev/null >said 2>&1 3>&- 4>&- &
    adding=$!
    stores "$REAL"
    eventually grep -q "'traced' is there" said
    agent_kill # strace waits for it
    wait "$adding" || true
    [ "$(kept traced)" = "$REAL" ]
    grep -q 'execve.*"--keep", "traced"' "$TEST_HOME/trace"
    run ! grep -F "$REAL" "$TEST_HOME/trace"
    # The control: what others read and write is in it.
    "${traced[@]}" sh -c 'printf %s "$0" | box secret add --host a.test --value-fd 0 traced' "$REAL"
    grep -qF "$REAL" "$TEST_HOME/trace"
}

# finds: prints the files and processes of the user that have the value.
finds() {
    local file
    grep -rlF -- "$REAL" "$TEST_HOME" "$STATE" "$CONFIG" "$RUNTIME" "$DATA" 2>/dev/null || true
    for file in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do
        if grep -qF -- "$REAL" "$file" 2>/dev/null; then echo "$file"; fi
    done
}

@test "value: it is in no argument, variable, log or JSON, while it is typed and afterwards" {
    export BOX_DEBUG=all
    adds github
    prompt_appears
    accepting
    type_text "$REAL"
    at_spi wait sensitive:Store
    [ -z "$(finds)" ] || fail "$(finds)"
    run ! grep -F "$REAL" <(box consent pending --json; box consent status --json; box consent log --json; at_spi tree)
    # No program of the user can look into the window's memory, nor does it dump core.
    [ "$(stat -c %u "/proc/$(xdotool getwindowpid "$window")/mem")" = 0 ]
    press Return
    ended_with github 0
    eventually no_prompt
    [ "$(finds)" = "$DATA/secrets/github" ] || fail "$(finds)"
    run ! grep -F "$REAL" <(box secret list --json; box consent log --json; cat github.said)
    # The control: such places are searched.
    WITH_IT=$REAL sleep 60 3>&- 4>&- &
    started+=($!)
    eventually finds_process
}
finds_process() { finds | grep -q environ; }

@test "value: after a no, a lost window or none at all nothing is kept, and the message says why" {
    adds github
    prompt_appears
    accepting
    type_text "$REAL"
    press Escape
    ended_with github 125
    grep -q 'no value was given: the window was cancelled' github.said
    nothing_kept github
    # As boxes, it may not ask again at once.
    adds github
    ended_with github 125
    nothing_kept github
    agent_kill
    adds github
    prompt_appears
    kill -KILL "$(xdotool getwindowpid "$window")"
    ended_with github 125
    grep -q 'the window that asked for the value ended without an answer' github.said
    agent_kill
    adds github
    prompt_appears
    accepting
    type_text "$REAL"
    agent_kill
    ended_with github 64
    eventually no_prompt
    nothing_kept github
    box consent lock
    adds github
    ended_with github 125
    grep -q "'box consent unlock' unlocks the agent" github.said
    no_prompt
    box consent unlock
    # The control.
    adds github
    stores "$REAL"
    ended_with github 0
}

@test "value: without a desktop, with one that does not answer, and without a prompt the other ways are named" {
    local display=$DISPLAY other
    for other in :4242 ''; do
        export DISPLAY=$other
        [ -n "$other" ] || unset DISPLAY
        run setsid --wait box secret add --host a.test github </dev/null
        assert_status 64
        assert_contains "there is no terminal and no desktop to ask for the value in"
        assert_contains --value-fd
        assert_contains --source
        # The terminal is not asked in place of the window that was wanted.
        run on_terminal box secret add --prompt --host a.test github
        assert_status 64
        assert_contains "there is no desktop with a window to ask for the value in"
        refute_contains "Value of the secret:"
        nothing_kept github
    done
    # What those ways do without one.
    box secret add --host a.test --value-fd 5 github 5<<<"$REAL"
    [ "$(kept github)" = "$REAL" ]
    export DISPLAY=$display
    no_prompt
}

@test "value: what the other ways refuse is refused, and nothing is kept" {
    local value
    for value in short 0123456789abcd. "$(printf '.%.0s' {1..20})a1" "$REAL with a blank"; do
        adds github
        stores "$value"
        ended_with github 125
        grep -q 'its value cannot be used' github.said || fail "$(cat github.said)"
        run ! grep -F -- "$value" github.said
        nothing_kept github
        eventually no_prompt
    done
    # What cannot be typed.
    printf '%s\nInjected: header' "$REAL" | x11_copy UTF8_STRING
    adds github
    prompt_appears
    accepting
    press ctrl+v
    at_spi wait sensitive:Store
    press Return
    ended_with github 125
    grep -q 'a line break' github.said
    nothing_kept github
    eventually no_prompt
    # An access key has a form.
    adds --as sigv4 aws
    prompt_appears
    [ "$(box consent pending --json | jq -r '.[0].headline')" = "Access key of the secret aws, which is for github.com and 1 more host" ]
    stores "$REAL"
    ended_with aws 78
    nothing_kept aws
    eventually no_prompt
    adds --as sigv4 aws
    stores AKIAREALREALREAL0123:realRealReal+key0123456789
    ended_with aws 0
    [ "$(kept aws)" = AKIAREALREALREAL0123:realRealReal+key0123456789 ]
}

@test "value: options that say two places, or a place for a login, are refused" {
    run box secret add --host a.test --prompt --value-fd 0 x <<<"$REAL"
    assert_status 64
    assert_contains "--value-fd and --prompt exclude each other"
    run box secret add --host a.test --prompt --source env:X x
    assert_status 64
    assert_contains "--prompt is for a value that is kept"
    run box secret add --login claude --prompt x
    assert_status 64
    assert_contains "--prompt is for a value, and a login has none"
    no_prompt
}

one_window() { [ "$(prompt_windows | wc -l)" = 1 ]; }
ended_both() { [ -s "$1.ended" ] && [ -s "$2.ended" ]; }
count_pending() { [ "$(box consent pending --json | jq length)" = "$1" ]; }

@test "value: only its window gives one; the same asked twice is one question, others wait for it" {
    adds github
    prompt_appears
    run box consent approve "$(pending_ids)" once
    [ "$status" != 0 ]
    assert_contains "only its window can allow this, as the value is typed there"
    box consent pending | grep -q 'only its window can allow this, as the value is typed there'
    # The same: whoever asks second gets no value, not even this one.
    mkdir second
    (cd second && adds github && wait)  &
    adds other
    count_two() { count_pending 2; }
    eventually count_two
    one_window
    stores "$REAL"
    ended_with github 0
    eventually test -s second/github.ended
    grep -q "another 'box secret add' asked for the same value" second/github.said || fail "$(cat second/github.said)"
    # The next one.
    eventually has_prompt "secret other"
    one_window
    box consent deny "$(pending_ids)"
    ended_with other 125
    eventually no_prompt
    [ "$(kept github)" = "$REAL" ]
    nothing_kept other
}

@test "value: a command that is killed takes its window along, and the fifth that waits is refused" {
    local name
    adds first
    prompt_appears
    for name in second third fourth; do
        adds "$name"
        eventually is_pending "$name"
    done
    adds fifth
    ended_with fifth 125
    one_window
    ends first
    eventually has_prompt "secret second"
    for name in second third fourth; do ends "$name"; done
    eventually no_prompt
    count_pending 0
    for name in first second third fourth fifth; do nothing_kept "$name"; done
}
is_pending() { box consent pending --json | jq -e --arg text "secret $1," 'any(.[]; .headline | contains($text))' >/dev/null; }
# ends NAME: ends the command that adds it.
ends() { kill "$(pgrep -n -f "secret add --host github.com --host api.github.com $1\$")" && eventually test -s "$1.ended"; }

is_held() { [ "$(box consent status --json | jq .held)" = true ]; }
is_shown() { [ "$(box consent pending --json | jq -c '[.[].shown]')" = "[$1]" ]; }

@test "value: behind a locked screen no window opens, and one does afterwards" {
    rm "$TEST_HOME/bus" # the session bus has told its address
    bus_start
    logind_start
    screen_locked true
    box consent unlock # starts the agent
    eventually is_held
    adds github
    eventually is_shown false
    no_prompt
    screen_locked false
    stores "$REAL"
    ended_with github 0
    [ "$(kept github)" = "$REAL" ]
    # One that is open when the screen is locked ends, as those of boxes do.
    eventually no_prompt
    adds other
    prompt_appears
    screen_locked true
    ended_with other 125
    grep -q 'while the screen or the SSH agent is locked' other.said || fail "$(cat other.said)"
    nothing_kept other
}
