# Runs litterbox-prompt alone, with a question from a file. Needs neither a box nor Podman.
# shellcheck shell=bash disable=SC2119,SC2154 # others set these, and have parameters

bats_require_minimum_version 1.5.0

# shellcheck source=tests/ui/display.bash
. "$BATS_TEST_DIRNAME/../ui/display.bash"
# shellcheck source=tests/ui/prompt.bash
. "$BATS_TEST_DIRNAME/../ui/prompt.bash"

prompt=${BOX_PREFIX:-$BATS_TEST_DIRNAME/../../build/prefix}/libexec/litterbox/litterbox-prompt
states=$BATS_TEST_DIRNAME/states

# A home without anything in it, and a bus for screen readers.
ask_begin() {
    TEST_HOME=$(mktemp -d "${TMPDIR:-/tmp}/prompt-XXXXXX")
    cd "$TEST_HOME" || return
    mkdir -m 700 runtime config data
    export HOME=$TEST_HOME XDG_RUNTIME_DIR=$TEST_HOME/runtime XDG_CONFIG_HOME=$TEST_HOME/config \
        XDG_DATA_HOME=$TEST_HOME/data XDG_CACHE_HOME=$TEST_HOME/cache
    unset DISPLAY WAYLAND_DISPLAY XAUTHORITY GTK_THEME GDK_SCALE GDK_BACKEND NO_AT_BRIDGE AT_SPI_BUS_ADDRESS
    session_bus_start
    reader_start
}

ask_end() {
    [ -z "${asking:-}" ] || started+=("$asking")
    ui_end
    cd / || return
    # What the session's bus has started, and is just ending, may still make a file there.
    eventually rm -rf "$TEST_HOME"
}

# question STATE [JQ-FILTER]: prints the question of a state, changed by the filter.
question() {
    if [ "$#" = 1 ]; then cat "$states/$1.json"; else jq -c "$2" "$states/$1.json"; fi
}

# ask STATE [JQ-FILTER]: asks that question, and focuses the window, whose number is in $window then.
ask() {
    start "$@"
    prompt_appears
}

# start STATE [JQ-FILTER]: asks that question, and does not wait for the window. What it gives goes to the file given, of a
# value through a pipe.
start() {
    question "$@" >asked
    if [ "$(jq -r .kind asked)" = value ]; then
        rm -f pipe
        mkfifo pipe
        in_background given cat pipe
        "$prompt" <asked >answer 2>errors 3>pipe 4>&- &
    else
        "$prompt" <asked >answer 2>errors 3>given 4>&- &
    fi
    asking=$!
    export PROMPT_PID=$asking
}

# early COMMAND…: the input that COMMAND makes is the first that the program handles after its window got the focus. The
# program is stopped meanwhile, so that this holds on a slow machine, too.
early() {
    unfocus
    kill -STOP "$asking"
    focus "$window"
    "$@"
    kill -CONT "$asking"
}

# expect STATUS [ANSWER]: waits for the program's end, and checks its status and all of its output.
expect() {
    local status=0
    eventually process_ended "$asking" || { grep -E '^(State|SigBlk|SigPnd|ShdPnd):' "/proc/$asking/status" >&2; return 1; }
    wait "$asking" || status=$?
    asking=
    [ "$status" = "$1" ] || { echo "exit status $status, not $1: $(cat errors)" >&2; return 1; }
    [ "$(cat answer)" = "${2:-}" ] || { echo "answer is '$(cat answer)', not '${2:-}'" >&2; return 1; }
}

still_asking() {
    ! process_ended "$asking" && [ ! -s answer ]
}
