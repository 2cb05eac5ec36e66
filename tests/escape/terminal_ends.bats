#!/usr/bin/env bats
# However a session ends, the user's terminal is left as it was (invariants 7, 9).
# shellcheck disable=SC2030,SC2031 # a test is a process of its own
# shellcheck disable=SC2086,SC2154 # $how is an option, or none; terminal.bash and bats set the others

load escape.bash
load ../ui/display.bash
load terminal.bash

setup_file() { session_setup_file; }
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() { session_teardown; }

# Switches all kinds of things, and begins a title, which would swallow what the host prints. In printf's format.
switches='\033[?1049h\033[?1000;1006h\033[?2004h\033[?25l\033[?1h\033=\033[>1u\033[>4;2m\033[3;9r\033[4h\033(0\016\033[8;31m'
switches+='\033]4;1;red\a\033]11;blue\a\033]8;;https://example.org\aready\033]0;half a title'

# What a terminal must be told after that; each is one thing that stayed at the end of a session.
undone=(
    $'\e\\' $'\e[<1u' $'\e[?1000l' $'\e[?1006l' $'\e[?2004l' $'\e[?25h' $'\e[?1l' $'\e[?1049l' $'\e[4l' $'\e[r'
    $'\e]8;;\e\\' $'\e[0m' $'\e(B' $'\e]104\e\\' $'\e]111\e\\' $'\e>' $'\e[>4m'
)

begin() { # OPTION…
    session "$@" "printf '$switches'"
    eventually has_shown "half a title"
}

# The terminal is at rest behind the title that was begun.
is_at_rest() {
    session_has_ended
    local rest each
    rest=$(tr -d '\0' <"$shown")
    rest=${rest#*half a title}
    for each in "${undone[@]}"; do
        [[ $rest == *"$each"* ]] || fail "$(printf %q "$each") is missing in $(printf %q "$rest")"
    done
    # What still came of the session belonged to the title.
    [[ $'\e'${rest#*$'\e'} == $'\e\\'* ]] || fail "the title is open: $(printf %q "$rest")"
}

@test "terminal ends: control: without box all of it stays" {
    run on_terminal printf "$switches"
    assert_contains "half a title"
    [[ $output == *"half a title" ]]
}

@test "terminal ends: at a usual end, with and without -t (7)" {
    local how
    for how in -t -T; do
        begin $how
        touch go
        is_at_rest
    done
}

@test "terminal ends: when the command ends itself by a signal, with and without -t (7, 9)" {
    local number
    for number in 9 6 15; do
        session -t "printf '$switches'; kill -$number \$\$"
        is_at_rest
        session -T "printf '$switches'; kill -$number \$\$"
        is_at_rest
    done
}

@test "terminal ends: at ^C, which the box's terminal or the client gets (7)" {
    local how
    # shellcheck disable=SC2034 # for session
    typed=(--answer "half a title" '\x03')
    for how in -t -T; do
        begin $how
        is_at_rest
    done
}

@test "terminal ends: when box gets a signal that ends it, with and without -t (7, 9)" {
    local how number
    for how in -t -T; do
        for number in HUP TERM QUIT; do
            begin $how
            kill -"$number" "$client"
            is_at_rest
        done
    done
}

@test "terminal ends: at a timeout (7)" {
    local how seconds
    for how in -t -T; do
        # A busy machine may need longer than a second to show anything.
        for seconds in 1 4 16; do
            session $how --timeout "${seconds}s" "printf '$switches'"
            session_has_ended
            has_shown "timed out"
            ! has_shown "half a title" || break
        done
        is_at_rest
    done
}

@test "terminal ends: when the box is stopped, and when it is killed (7, 9)" {
    local how
    for how in -t -T; do
        begin $how
        box stop
        is_at_rest
        box start
        begin $how
        kill -KILL "$(pid_one "$(container_name)")"
        is_at_rest
        # What `box` says about it stands behind all that.
        [[ $(tail -n 1 "$shown") == *"the box was stopped"* ]]
        box start
    done
}

# The kernel ends the session's programs when the terminal of the box's is gone.
runs_in_box() { box run -- pgrep -f "$1" >/dev/null 2>&1; }
runs_no_more() { ! runs_in_box "$1"; }

# The process that would put the terminal in order if the client PID were killed.
rescue_of() { eventually pgrep -P "$1" -x box-terminal; }

@test "terminal ends: when the terminal hangs up, box and the session's command end (9)" {
    local how rescue
    for how in -t -T; do
        session $how "printf '$switches'; exec sleep 98765"
        eventually has_shown "half a title"
        eventually runs_in_box 'sleep 9876[5]'
        rescue=$(rescue_of "$client")
        # Its other end is closed.
        kill -KILL "$terminal"
        eventually process_ended "$client"
        eventually process_ended "$rescue"
        eventually runs_no_more 'sleep 9876[5]'
    done
}

@test "terminal ends: when box is killed, with and without -t, and the session ends (7, 9)" {
    local how
    for how in -t -T; do
        session $how "printf '$switches'; exec sleep 98764"
        eventually has_shown "half a title"
        kill -KILL "$client"
        is_at_rest
        eventually runs_no_more 'sleep 9876[4]'
    done
}

@test "terminal ends: when box is killed while it is stopped, nothing is undone twice (9)" {
    session -t "printf '$switches'; exec sleep 98763"
    eventually has_shown "half a title"
    kill -TSTP "$client"
    eventually grep -q 'State:.T' "/proc/$client/status"
    kill -KILL "$client"
    is_at_rest
    [ "$(grep -aoF $'\e[?1049l' "$shown" | wc -l)" = 1 ]
}

# The terminal's mode as in $before, as the shell has it that started `box`.
mode_is_as_before() { [ "$(stty -g <"$tty")" = "$before" ]; }

@test "terminal ends: a killed box leaves no raw mode to the shell that started it (9)" {
    local before tty rescue
    shown=$TEST_HOME/shown
    rm -f go "$TEST_HOME/client"
    # shellcheck disable=SC2016 # the shells that are started expand these
    in_background "$shown" "$TEST_TOOLS/on-terminal" sh -c \
        'stty -g >"$0/before"; sh -c "echo \$\$ >$0/client; exec box run -t -- sh -c \"echo ready; exec sleep 98762\""
        until [ -e go ]; do sleep 0.1; done' "$TEST_HOME"
    eventually test -s "$TEST_HOME/client" # before that, $shown may be the last test's
    eventually has_shown ready
    client=$(cat "$TEST_HOME/client") before=$(cat "$TEST_HOME/before")
    tty=$(readlink "/proc/$client/fd/0")
    rescue=$(rescue_of "$client")
    ! mode_is_as_before || fail "it is not in raw mode" # control
    kill -KILL "$client"
    eventually mode_is_as_before
    eventually process_ended "$rescue"
    touch go
    eventually process_ended "${started[-1]}"
}

@test "terminal ends: when the guard of the session's files is killed, and the session with it (7, 9)" {
    local how
    for how in -t -T; do
        begin $how
        env -u CONTAINER_HOST podman unshare kill -KILL "$(user_guard)"
        is_at_rest
        has_shown "the guard of the box's protected files crashed"
    done
}

@test "terminal ends: after a hard reset of the terminal by the box, no mode of the box's stays (7)" {
    session -t "printf '\\033[?1000hone\\033c\\033[?1003h\\033[31mtwo\\033[!p\\033[?1002hready'"
    eventually has_shown ready
    touch go
    session_has_ended
    local rest mode
    rest=$(sed 's/.*ready//' "$shown")
    for mode in $'\e[?1002l' $'\e[?1003l' $'\e[0m'; do
        [[ $rest == *"$mode"* ]] || fail "$(printf %q "$mode") is missing in $(printf %q "$rest")"
    done
}
