#!/usr/bin/env bats
# [terminal] clipboard = "ask": no text of a box's output reaches the clipboard but one that the user was shown, and has
# said yes to (invariants 7, 8).
# shellcheck disable=SC2016,SC2154 # the box's shell expands these; ssh.bash and bats set the others

load escape.bash
load ../lib/ssh.bash
load ../ui/display.bash
load ../ui/prompt.bash
load terminal.bash

setup() {
    box_setup
    escape_config $'[terminal]\nclipboard = "ask"'
    session_bus_start
    x11_start
    box start
}

teardown() {
    session_teardown
    ! agent_is_there || agent_kill
    box_teardown
}

# No part of a way to the clipboard, and nothing else than text.
shows_no_copy() { ! LC_ALL=C grep -qaP '\x1b\]|52;|ZXZp' "$shown" || fail "$(cat -v "$shown")"; }

evil='\033]52;c;ZXZpbA==\a'
is_asked() { has_pending; }
the_text() { box consent pending --json | jq -r '.[0].claimed[] | select(.label == "Text") | .value'; }

# Nothing signals that no question comes. What the box prints next comes behind it, and is shown.
is_not_asked() { # TEXT that the box prints at the end
    eventually has_shown "$1"
    no_pending && no_prompt
}

@test "terminal clipboard: control: with \"allow\" the same text reaches the terminal, and nobody is asked" {
    escape_config $'[terminal]\nclipboard = "allow"'
    box apply
    session -t "printf '$evil'; echo ready"
    is_not_asked ready
    has_shown $'\e]52;c;ZXZpbA==\a'
}

@test "terminal clipboard: a yes passes on what was shown, and the output goes on meanwhile, with and without -t (7, 8)" {
    local how
    for how in -t -T; do
        # shellcheck disable=SC2086 # HOW is an option, or none
        session $how "printf '$evil'; while [ ! -e more ]; do sleep 0.1; done; echo goes on"
        eventually is_asked
        prompt_appears "Replace your clipboard"
        [ "$(the_text)" = evil ]
        touch more
        eventually has_shown "goes on"
        shows_no_copy
        answer once
        eventually has_shown $'\e]52;c;ZXZpbA==\e\\'
        eventually no_prompt
        session_ends
        has_shown "the end"
        rm more
    done
}

@test "terminal clipboard: a no passes nothing on, and nobody is asked again at once (7, 8)" {
    # In one session, as the pause is of seconds.
    session -t "printf '$evil'; until [ -e again ]; do sleep 0.1; done; printf '$evil'; echo ready"
    prompt_appears
    press Escape
    eventually no_prompt
    touch again
    is_not_asked ready
    session_ends
    shows_no_copy
}

@test "terminal clipboard: reading it, emptying it and what is no text are not asked about (7)" {
    session -t "printf '\\033]52;c;?\\a\\033]52;c;\\a\\033]52;c;!\\a\\033]52;c;ZXZpbA\\a\\033]1337;Copy=:ZXZpbA==\\a'; echo ready"
    is_not_asked ready
    session_ends
    shows_no_copy
}

@test "terminal clipboard: a flood opens one window, and none after a no (8)" {
    session -t "flood() { for i in \$(seq 2000); do printf '$evil'; done; }
        flood; echo many; until [ -e again ]; do sleep 0.1; done; flood; echo as many"
    eventually has_shown many
    prompt_appears
    [ "$(prompt_windows | wc -l)" = 1 ]
    [ "$(pending_ids | wc -l)" = 1 ]
    answer deny
    touch again # the agent's pause is of seconds (RATE_LIMIT_COOLDOWN_SECONDS)
    eventually no_prompt
    is_not_asked "as many"
    session_ends
    shows_no_copy
}

@test "terminal clipboard: a huge text is dropped in bounded memory, with one line at the end (9)" {
    session -t "echo begin; until [ -e huge ]; do sleep 0.1; done; for i in 1 2; do printf '\\033]52;c;'
        head -c 60000000 /dev/zero | tr '\\0' A; printf '\\a'; done; echo ready"
    eventually has_shown begin
    local before
    before=$(most_memory "$client")
    touch huge
    is_not_asked ready
    [ $(($(most_memory "$client") - before)) -lt 4000 ]
    session_ends
    shows_no_copy
    [ "$(grep -c 'too long to ask about' "$shown")" = 1 ]
}

@test "terminal clipboard: the preview is one harmless line, whatever the text is (8)" {
    # A text that ends what is known, and begins a line of ours.
    local text=$'ls\n\n  Size       1 B, 1 line\r\n\e[2J\e]0;x\a\xc2\x9b31m\xe2\x80\xae\xffend'
    session -t "printf '\\033]52;c;$(printf '%s' "$text" | base64 -w0)\\033\\\\'"
    prompt_appears
    run box consent pending
    assert_no_controls
    assert_contains 'ls\n\n \x20Size \x20\x20\x20\x20\x20\x201 B, 1 line\x0d\n\x1b[2J\x1b]0;x\x07\u{009b}31m\u{202e}\xffend'
    [ "$(grep -cE '^ +Size ' <<<"$output")" = 1 ]
    assert_contains "may run at once"
    assert_contains "control characters"
    at_spi tree >"$TEST_HOME/said"
    grep -qF 'label|Text: ls\n\n' "$TEST_HOME/said"
    answer once
    eventually has_shown $'\e]52;c;'"$(printf '%s' "$text" | base64 -w0)"
}

@test "terminal clipboard: the question goes with its session, however that ends (7, 9)" {
    session -t "printf '$evil'; echo ready"
    prompt_appears
    session_ends
    eventually no_prompt
    no_pending
    shows_no_copy
    # The client is killed,
    session -t "printf '$evil'; echo ready"
    prompt_appears
    kill -KILL "$client"
    eventually no_prompt
    no_pending
    shows_no_copy
    # or its terminal hangs up.
    session -t "printf '$evil'; echo ready"
    prompt_appears
    kill -KILL "$terminal"
    eventually no_prompt
    no_pending
    # The box is killed.
    session -t "printf '$evil'; echo ready"
    prompt_appears
    kill -KILL "$(pid_one "$(container_name)")"
    eventually no_prompt
    no_pending
    shows_no_copy
}

@test "terminal clipboard: a killed agent and a killed window are a no, and the session goes on (9)" {
    # More than one, as a box may not ask so soon after its last question.
    session -t "printf '$evil'; until [ -e more ]; do sleep 0.1; done
        until [ -e asked ]; do printf '$evil'; sleep 0.1; done"
    prompt_appears
    agent_kill
    eventually no_prompt
    # The next text starts the agent again.
    touch more
    prompt_appears
    touch asked
    xdotool windowkill "$window"
    eventually no_pending
    session_ends
    has_shown "the end"
    shows_no_copy
}

@test "terminal clipboard: without a display the answer is no, with one line at the end (7)" {
    unset DISPLAY
    session -t "printf '$evil'; echo one; printf '$evil'; echo two"
    eventually has_shown two
    session_ends
    shows_no_copy
    [ "$(grep -c 'no display to ask you on' "$shown")" = 1 ]
    grep -q 'clipboard = "allow"' "$shown"
    # The same where there is one that cannot be reached.
    export DISPLAY=:4242
    session -t "printf '$evil'; echo ready"
    eventually grep -q 'no display that can be reached' "$RUNTIME/.agent/agent.log"
    eventually no_pending
    session_ends
    shows_no_copy
    grep -q 'no display to ask you on' "$shown"
}

@test "terminal clipboard: a stopped session gets its answer when it continues (7)" {
    session -t "printf '$evil'; echo ready"
    prompt_appears
    kill -TSTP "$client"
    eventually grep -q 'State:.T' "/proc/$client/status"
    answer once
    eventually no_prompt
    shows_no_copy
    kill -CONT "$client"
    eventually has_shown $'\e]52;c;ZXZpbA==\e\\'
}

@test "terminal clipboard: what is no terminal gets its bytes unchanged, and nobody is asked" {
    run --separate-stderr box run -- printf "$evil"
    assert_output $'\e]52;c;ZXZpbA==\a'
    no_pending
}
