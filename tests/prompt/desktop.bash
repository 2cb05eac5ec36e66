# A display of its own for each test, with a bus for screen readers, and one litterbox-prompt on it.
# Needs no Podman: bats tests/prompt
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

prompt=${BOX_PREFIX:-$BATS_TEST_DIRNAME/../../build/prefix}/libexec/litterbox/litterbox-prompt
states=$BATS_TEST_DIRNAME/states
# Debian's, which has the bindings.
python=/usr/bin/python3

# Starts COMMAND with its output in a file, and none of bats' descriptors.
in_background() { # FILE COMMAND…
    local file=$1
    shift
    "$@" >"$file" 2>"$file.err" 3>&- 4>&- </dev/null &
    started+=($!)
}

desktop_folders() {
    started=()
    home=$(mktemp -d "${TMPDIR:-/tmp}/prompt-XXXXXX")
    cd "$home" || return
    mkdir -m 700 runtime config data
    export HOME=$home XDG_RUNTIME_DIR=$home/runtime XDG_CONFIG_HOME=$home/config \
        XDG_DATA_HOME=$home/data XDG_CACHE_HOME=$home/cache
    unset DISPLAY WAYLAND_DISPLAY GTK_THEME GDK_SCALE GDK_BACKEND NO_AT_BRIDGE AT_SPI_BUS_ADDRESS
}

# The bus on which a screen reader finds the prompt.
desktop_bus() {
    in_background bus dbus-daemon --session --nofork --print-address
    until_true 10 test -s bus
    DBUS_SESSION_BUS_ADDRESS=$(cat bus)
    export DBUS_SESSION_BUS_ADDRESS
}

desktop_start() {
    desktop_folders
    desktop_bus
    # Without -noreset it begins anew, pointer and all, when its last client goes.
    in_background xvfb Xvfb -displayfd 1 -screen 0 1280x720x24 -nolisten tcp -noreset
    until_true 10 test -s xvfb
    DISPLAY=:$(cat xvfb)
    export DISPLAY
}

desktop_stop() {
    local pid
    for pid in "${asking:-}" "${started[@]}"; do
        [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    done
    for pid in "${started[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    cd / && rm -rf "$home"
}

# until_true SECONDS COMMAND…: tries until it succeeds.
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "never true: $*" >&2; return 1; }
        sleep 0.02
    done
}

# question STATE [JQ-FILTER]: the question of a state, changed.
question() {
    jq -c "${2:-.}" "$states/$1.json"
}

# ask STATE [JQ-FILTER]: asks that, and returns when the window is on the screen. Its id: $window.
ask() {
    question "$@" >asked
    "$prompt" <asked >answer 2>errors 3>&- 4>&- &
    asking=$!
    until_true 10 on_screen
}

on_screen() {
    window=$(xdotool search --onlyvisible --class '^litterbox-prompt$' 2>/dev/null | head -n 1)
    [ -n "$window" ]
}

# The window gets the keyboard, as a window manager would give it.
focus() {
    xdotool windowfocus "$1"
}

# Takes it away again, for as long as nobody gives it back.
unfocus() {
    focus "$(xdotool search --maxdepth 0 '.*' 2>/dev/null | head -n 1)"
}

# expect STATUS [ANSWER]: how the program ends, within ten seconds, and all that it has said.
expect() {
    local status=0
    until_true "${patience:-10}" ended "$asking"
    wait "$asking" || status=$?
    asking=
    [ "$status" = "$1" ] || { echo "exit status $status, not $1: $(cat errors)" >&2; return 1; }
    [ "$(cat answer)" = "${2:-}" ] || { echo "answer is '$(cat answer)', not '${2:-}'" >&2; return 1; }
}

ended() {
    ! kill -0 "$1" 2>/dev/null
}

still_asking() {
    ! ended "$asking" && [ ! -s answer ]
}

at_spi() {
    "$python" "$BATS_TEST_DIRNAME/at_spi.py" "$@"
}

# point_at NAME [ROLE]: moves the pointer to the button, or what else ROLE says, of that name.
point_at() {
    local x y role=${2:-push button}
    read -r x y < <(at_spi where "$role" "$1") || { echo "no $role '$1'" >&2; return 1; }
    xdotool mousemove "$x" "$y"
}

# Waits until a yes would count: a second, and longer on a machine that is busy.
past_the_guard() {
    sleep 0.5
    at_spi open
}
