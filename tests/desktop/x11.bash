# The X11 side of a box.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

x11_client() { python3 "$BATS_TEST_DIRNAME/x11_client.py" "$@"; }
# Runs x11_client.py in the box, from the project.
client_in_box() {
    cp "$BATS_TEST_DIRNAME/x11_client.py" "$PROJECT/.x11_client.py"
    box run -- python3 "$PROJECT/.x11_client.py" "$@"
}
# windows_in_box ACTION: runs x11_windows.py in the box.
windows_in_box() {
    mkdir -p "$PROJECT/.x11"
    cp "$BATS_TEST_DIRNAME"/../{desktop/x11_{client,display,windows},escape/x11_attacks}.py "$PROJECT/.x11"
    box run -- python3 "$PROJECT/.x11/x11_windows.py" "$inside_socket" "$inside_cookie" "$1"
}
export inside_socket=/tmp/.X11-unix/X0
export inside_cookie=/run/litterbox/desktop/xauthority

# The X11 supervisor, which waits for the display's first client: a child of the bridge.
x11_supervisor_pid() { pgrep -P "$(bridge_pid)" -x litterbox-x11 || true; }
# The process that serves the display: the supervisor's child. Its own children are the X server and the window manager.
server_pid() {
    local supervisor
    supervisor=$(x11_supervisor_pid)
    [ -z "$supervisor" ] || comm -23 <(pgrep -P "$supervisor" | LC_ALL=C sort) <(clip_pid | LC_ALL=C sort)
}
# The process that shares the clipboard, if any.
clip_pid() {
    local supervisor
    supervisor=$(x11_supervisor_pid)
    [ -z "$supervisor" ] || pgrep -P "$supervisor" -x litterbox-clip || true
}
x_server_pid() { pgrep -P "$(server_pid)" -x 'Xwayland|Xephyr' || true; }
manager_pid() { pgrep -P "$(server_pid)" -x litterbox-wm || true; }
# shows_more_than CHECKSUM: the screen has changed.
shows_more_than() { [ "$(grim -o HEADLESS-1 -t ppm - | cksum)" != "$1" ]; }
no_server() { [ -z "$(server_pid)" ]; }
# x11_focused TITLE: the window that has the focus on the box's X server has such a title.
x11_focused() { box run -- xdotool getwindowfocus getwindowname 2>/dev/null | grep -q -- "$1"; }
# Checks the clicks that x11_windows.py reports in $TEST_HOME/clicked.
assert_clicked() {
    run grep -v '^ready' "$TEST_HOME/clicked"
    assert_output "left has the keyboard
right has the keyboard
left has the keyboard
left is clicked
left is in front
right has the keyboard
right is clicked
right is in front"
}
# configure_x11 HOW [LINES]
configure_x11() { configure "[desktop]\nx11 = \"$1\"\n${2:-}"; }
