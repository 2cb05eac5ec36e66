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
    run terminal --apart 0.3 box run -t -- printf '\033[6n\033[5n\033[18t'
    assert_output CLEAN
    # Far more than one read of the client takes, and one answer each.
    run terminal box run -t -- python3 -c 'import sys; sys.stdout.write("\033[c" * 20000)'
    assert_output CLEAN
    run terminal --apart 0.02 box run -t -- python3 -c 'import sys; sys.stdout.write("\033[6n" * 400)'
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
    # In the middle of a string, which would swallow what the host prints.
    run on_terminal box run -t -- sh -c 'printf "\033]0;half a title"; kill -9 $$'
    [[ ${output##*half a title} == $'\e\\'* ]] || fail "the title is open: $(printf %q "$output")"
    run on_terminal box run -t -- sh -c 'printf "\033]52;c;half"; kill -9 $$'
    assert_output ''
    run on_terminal box run -t -- sh -c 'printf "\033[38;5"; kill -9 $$'
    assert_output ''
}

@test "terminal: a session that switches nothing prints nothing of ours (8)" {
    run on_terminal box run -t -- printf '\033[31mred\033[0m'
    assert_output $'\e[31mred\e[0m'
    run on_terminal box run -T -- printf 'text'
    assert_output text
}

@test "terminal: key modes, colours, margins and links are undone, with and without -t (7, 8)" {
    local how switch undo
    for how in "run -t" "run -T"; do
        while IFS=' ' read -r switch undo; do
            # shellcheck disable=SC2059,SC2086 # a format; HOW is words
            run on_terminal box $how -- printf "$switch"
            # shellcheck disable=SC2059
            [[ $output == *"$(printf "$undo")" ]] || fail "$switch: $(printf %q "$output")"
        done <<'CASES'
\033[>1u \033[<1u
\033[>4;2m \033[>4m
\033[?1h\033= \033[?1l\033>
\033]11;#ffffff\a \033]111\033\\
\033]4;1;red\a \033]104\033\\
\033[3;5r \0337\033[r\0338
\033]8;;https://example.org\a \033]8;;\033\\
\033[4h \033[4l
CASES
    done
}

@test "terminal: a stopped session's modes are undone, and switched again when it continues (7)" {
    local shown=$TEST_HOME/shown pid
    on_terminal sh -c "echo \$\$ >$TEST_HOME/pid; exec box run -t -- sh -c '
        printf \"\\033[?1000h\\033[31mready\"; until [ -e go ]; do sleep 0.1; done; printf done'" >"$shown" &
    local terminal=$!
    eventually grep -q ready "$shown"
    pid=$(cat "$TEST_HOME/pid")
    kill -TSTP "$pid"
    eventually grep -qF $'ready\e[?1000l\e[0m' "$shown" || fail "$(cat -v "$shown")"
    kill -CONT "$pid"
    eventually grep -qF $'\e[?1000l\e[0m\e[?1000h' "$shown" || fail "$(cat -v "$shown")"
    touch go
    wait "$terminal"
    [[ $(cat "$shown") == *done$'\e[?1000l\e[0m' ]] || fail "$(cat -v "$shown")"
    rm go
}

# Fills the user's clipboard, in printf's format.
copies=(
    '\033]52;c;ZXZpbA==\a' '\033]52;c;ZXZpbA==\033\\' '\033]52;;ZXZpbA==\a' '\033]52;c;?\a'
    '\033]052;c;ZXZpbA==\a' '\302\23552;c;ZXZpbA==\302\234' '\033[31\033]52;c;ZXZpbA==\a'
    '\033]0;t\033]52;c;ZXZpbA==\a' '\033]0;t\302\235\033]52;c;ZXZpbA==\a' '\033]1337;Copy=:ZXZpbA==\a'
    '\033]5522;type=wdata;ZXZpbA==\033\\' '\033]5522;type=read;Lg==\033\\'
    '\033Ptmux;\033\033]52;c;ZXZpbA==\a\033\\' '\033P\033]52;c;ZXZpbA==\a\033\\'
)

# is_clean OUTPUT: no sequence that some terminal takes for one of the above.
is_clean() {
    ! LC_ALL=C grep -qaP '\x1b\](0*52|5522|1337);|\x1bP|\x9b|\x9d|\x90' <<<"$1"
}

@test "terminal: control: without box, each way to the clipboard reaches the terminal" {
    local copy
    for copy in "${copies[@]}"; do
        # shellcheck disable=SC2059
        run on_terminal printf "$copy"
        ! is_clean "$output" || fail "not a way to the clipboard: $copy"
    done
}

@test "terminal: nothing that a box prints reaches the clipboard, with and without -t (8)" {
    local copy how
    for copy in "${copies[@]}"; do
        for how in "run -t" "run -T"; do
            # shellcheck disable=SC2086
            run on_terminal box $how -- printf "$copy-the-end"
            is_clean "$output" || fail "$how: $copy: $(printf %q "$output")"
            assert_contains -the-end
        done
    done
    # Divided between writes, and between stdout and stderr.
    run on_terminal box run -t -- sh -c 'printf "\033"; printf "]"; printf 5; printf "2;c;ZXZpbA==\a"'
    assert_output ''
    run on_terminal box run -T -- sh -c 'printf "\033]5"; printf "2;c;ZXZpbA==\a" >&2'
    is_clean "$output"
    # A command's output to a pipe is data, and passes unchanged.
    run box run -- printf '\033]52;c;ZXZpbA==\a'
    assert_output $'\e]52;c;ZXZpbA==\a'
}

@test "terminal: keys, files, folders and prompts are not for a box to set (7, 8)" {
    local what
    for what in '\033P0;1|17/6c730d\033\\' '\033]7;file:///etc\a' '\033]133;A\a' '\033]50;x\a' '\033[5i' \
        '\033_Gt=f,a=T;L2V0Yy9wYXNzd2Q=\033\\' '\033]1337;File=name=eA==:QUJD\a' '\033]9;7;calc\a' \
        '\033[?2l' '\033%%@' '\033[2h' '\033[21t' '\033]8;;file:///etc/passwd\a' '\033]777;notify;a;b\a'; do
        # shellcheck disable=SC2059
        run on_terminal printf "$what"
        assert_contains $'\e' # control
        run on_terminal box run -t -- printf "$what"
        assert_output ''
    done
}

@test "terminal: text, images, titles and links pass as they are" {
    local what
    for what in '\303\233 \342\234\235 \360\237\230\200' '\033Pq#0;2;0;0;0#0!9~-\033\\' '\033]0;t\303\251\a' \
        '\033_Gf=100,a=T;iVBORw0KGgo=\033\\\033[0m' '\033]8;;https://example.org\ax\033]8;;\a'; do
        # shellcheck disable=SC2059
        run on_terminal printf "$what"
        local wanted=$output
        run on_terminal box run -T -- printf "$what"
        [[ $output == "$wanted"* ]] || fail "$what: $(printf %q "$output")"
    done
}

@test "terminal: [terminal] decides, and a project that asks for the clipboard needs a yes (7, 8)" {
    printf '[terminal]\nclipboard = "allow"\ntitles = false\nlinks = false\nimages = false\n' >litterbox.toml
    run box trust --yes
    assert_contains "replace your clipboard, without asking"
    box apply 2>/dev/null
    run on_terminal box run -t -- printf '\033]52;c;ZXZpbA==\a'
    assert_output $'\e]52;c;ZXZpbA==\a'
    # Reading it is never allowed.
    run on_terminal box run -t -- printf '\033]52;c;?\a\033]0;t\a\033]8;;https://example.org\a\033Pq~\033\\'
    assert_output ''
    rm litterbox.toml
    box trust --revoke
    box apply 2>/dev/null
    run on_terminal box run -t -- printf '\033]52;c;ZXZpbA==\a'
    assert_output ''
}
