#!/usr/bin/env bats
# A box's output must not type for the user or hide the host's output (invariants 7, 8).
# shellcheck disable=SC1003 # "\\" at the end of a string is the end of a sequence

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

# Queries that terminals answer, printed at the end of a session. In printf's format.
questions=(
    '\033[c' '\033[0c' '\033[>c' '\033[=c' '\033Z' '\033[5n' '\033[6n' '\033[21t' '\033[18t'
    '\033[>q' '\033[?2026$p' '\033[1;1;1;1;1;1*y' '\033[?4m' '\033[?1;1;0S' "\\\\033['|"
    '\033P$qm\033\\' '\033P+q544e\033\\' '\033]11;?\007' '\033]52;c;?\007'
    '\033]1337;ReportCellSize\007' '\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\' '\005'
)
# The same query in forms that a simple parser misses.
disguised=(
    '\033\033[6n' '\033\n[6n' '\302\2336n' '\302\233c' '\033]0;x\033[6n' '\033P\030\033[6n'
    '\033[\0306n\033[6n' 'x\033]2;title\033\\\033[6n'
)

terminal() { timeout 40 python3 "$BATS_TEST_DIRNAME/terminal.py" "$@"; }

asks_in_vain() { # HOW PRINTED…
    local how=$1 question
    shift
    for question in "$@"; do
        # shellcheck disable=SC2086 # HOW is words
        run terminal box $how -- printf "$question"
        assert_output CLEAN
    done
}

@test "terminal: control: without box every answer is typed at the shell" {
    local question
    for question in '\033[c' '\033[6n' '\033[21t' '\033P$qm\033\\' '\033]11;?\007' '\005'; do
        run terminal printf "$question"
        assert_contains LEAKED
    done
}

@test "terminal: answers to a session's last queries are not typed at the shell (7)" {
    asks_in_vain "run -t" "${questions[@]:0:11}"
}

@test "terminal: nor answers about checksums, settings, clipboard and graphics (7)" {
    asks_in_vain "run -t" "${questions[@]:11}"
}

@test "terminal: nor answers to disguised queries: doubled ESC, C1, aborted strings (7)" {
    asks_in_vain "run -t" "${disguised[@]}"
}

@test "terminal: nor answers to queries of a command without a terminal (7)" {
    asks_in_vain run '\033[c' '\033[6n' '\033[21t' '\033P$qm\033\\' '\302\2336n'
    run terminal box run -- sh -c 'printf "\033[6n" >&2'
    assert_output CLEAN
}

@test "terminal: nor answers to many queries at once or on a slow line (7)" {
    run terminal box run -t -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 0; do printf "\033[c\033[6n\033[21t"; done'
    assert_output CLEAN
    run terminal --delay 0.3 box run -t -- printf '\033[6n\033[21t'
    assert_output CLEAN
}

@test "terminal: mouse, focus and paste modes are off after a session (7)" {
    local mode
    for mode in 1000 1002 1003 1004 1006 1049 2004 25l; do
        run on_terminal box run -t -- printf '\033[?'"${mode%l}$([ "$mode" = 25l ] && echo l || echo h)"
        assert_contains $'\e[?'"${mode%l}$([ "$mode" = 25l ] && echo h || echo l)"
    done
}

@test "terminal: concealed text and other character sets are reset (8)" {
    run on_terminal box run -t -- printf '\033[8mhidden\033(0\016'
    # The terminal is reset after the box's last output.
    [[ ${output##*hidden} == *$'\e[0m'* ]] || fail "still concealed: $(printf %q "$output")"
    [[ ${output##*hidden} == *$'\e(B'* ]] || fail "still another alphabet: $(printf %q "$output")"
}

@test "terminal: a session that is killed leaves the terminal usable (9)" {
    run terminal box run -t -- sh -c 'stty raw; printf "\033[?1049h\033[6n"; kill -9 $$'
    assert_output CLEAN
}
