# Displays, a session bus and a keyboard for one test, and what is kept of a test that fails. Needs TEST_HOME, the
# test's folder.
# shellcheck shell=bash disable=SC2034,SC2120,SC2153,SC2154 # set here for others, or by others for here

ui=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/lib/wait.bash
. "$ui/../lib/wait.bash"
# shellcheck source=tests/ui/failure.bash
. "$ui/failure.bash"
# Debian's Python has the bindings for GTK and AT-SPI.
python=/usr/bin/python3
started=()

# in_background FILE COMMAND…: starts it with its output in FILE, without bats' descriptors. ui_end ends it. FILE is empty
# when this returns, so that nobody takes what an earlier one has written for this one's.
in_background() {
    local file=$1
    shift
    : >"$file"
    "$@" >"$file" 2>"$file.err" 3>&- 4>&- </dev/null &
    started+=($!)
}

# Call this first in teardown, while there is a screen to take a picture of.
ui_end() {
    local pid
    [ -n "${BATS_TEST_COMPLETED:-}" ] || keep_failure
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
        kill -CONT "$pid" 2>/dev/null || true # a test that fails may have stopped it
    done
    for pid in "${started[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    started=()
}

# A bus on which a screen reader finds the prompt.
session_bus_start() {
    in_background "$TEST_HOME/bus" dbus-daemon --session --nofork --print-address
    eventually test -s "$TEST_HOME/bus"
    DBUS_SESSION_BUS_ADDRESS=$(cat "$TEST_HOME/bus")
    export DBUS_SESSION_BUS_ADDRESS
}

# x11_start [WIDTHxHEIGHT]: an X server that requires a cookie and listens as Xorg does: on a path and on an abstract
# socket. Not :0, the number of a box's own server. Without -noreset it would reset when its last client disconnects.
x11_start() {
    local number=21
    while [ -e "/tmp/.X11-unix/X$number" ]; do number=$((number + 1)); done
    unset WAYLAND_DISPLAY
    export DISPLAY=:$number XAUTHORITY=$TEST_HOME/host-authority
    xauth -q -f "$XAUTHORITY" add "$DISPLAY" . "$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')" 2>/dev/null
    # It writes its number there when it is ready.
    in_background "$TEST_HOME/xvfb" Xvfb "$DISPLAY" -displayfd 1 -auth "$XAUTHORITY" \
        -screen 0 "${1:-1280x720}x24" -nolisten tcp -noreset
    x11=${started[-1]}
    eventually test -s "$TEST_HOME/xvfb"
}

# x11_copy TYPE: copies stdin to the clipboard of $DISPLAY. xclip returns a moment before the clipboard is its own.
x11_copy() {
    local before
    before=$(clipboard_owner)
    xclip -selection clipboard -t "$1" -i >/dev/null 2>&1 3>&-
    eventually clipboard_has_another_owner "$before"
}
# Prints the number of a window, 0 for none.
clipboard_owner() {
    "$python" -c 'from ctypes import CDLL, c_void_p
x11 = CDLL("libX11.so.6")
x11.XOpenDisplay.restype = c_void_p
display = c_void_p(x11.XOpenDisplay(None))
print(x11.XGetSelectionOwner(display, x11.XInternAtom(display, b"CLIPBOARD", 0)))'
}
clipboard_has_another_owner() { [ "$(clipboard_owner)" != "$1" ]; }

# keyboard_start [mouse]: plugs a keyboard, and perhaps a mouse, into the Wayland compositor until the test ends. Without
# a keyboard no window has the focus.
keyboard_start() {
    local reply
    mkfifo "$TEST_HOME/input-orders" "$TEST_HOME/input-done"
    in_background "$TEST_HOME/input" "$python" "$ui/input.py" "$TEST_HOME/input-orders" "$TEST_HOME/input-done" "$@"
    read -r -t 30 reply <>"$TEST_HOME/input-done"
}

# order ORDER…: sends an order to input.py, and returns when the compositor has passed the input on.
order() {
    local reply=
    # Opened for reading and writing, so that neither blocks when input.py has ended.
    echo "$*" 1<>"$TEST_HOME/input-orders"
    read -r -t 30 reply <>"$TEST_HOME/input-done" || true
    [ "$reply" = "done" ] || { echo "keyboard: '$*': $reply $(cat "$TEST_HOME/input.err")" >&2; return 1; }
}

# press KEY…: one after the other; each is a keysym with modifiers in front, such as ctrl+s.
press() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then order key "$@"; else xdotool key "$@"; fi
}

type_text() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then order type "$1"; else xdotool type --delay 20 "$1"; fi
}
