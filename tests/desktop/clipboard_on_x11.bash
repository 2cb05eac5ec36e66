# An X11 desktop whose clipboard a box's X server may share. Source it after box.bash or escape.bash.
# shellcheck shell=bash disable=SC2119,SC2120,SC2154 # set elsewhere; what clipboard.bash calls has a type

load ../desktop/desktop.bash
load ../desktop/x11.bash
load ../desktop/clipboard.bash
setup() {
    box_setup
    x11_start 1600x1000
    mkdir -p "$CONFIG"
    # Without a window manager the window below the pointer has the focus; the box's window is at the top left.
    xdotool mousemove 300 300
}
teardown() {
    ui_end
    box_teardown
}
host_copy() { x11_copy "${1:-UTF8_STRING}"; }
host_paste() { timeout 10 xclip -selection clipboard -o -t "${1:-UTF8_STRING}" 2>/dev/null; }
