# A Wayland desktop for one test, in the lab's runtime folder.
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # set elsewhere

# shellcheck source=tests/ui/display.bash
. "$BATS_TEST_DIRNAME/../ui/display.bash"
# shellcheck source=tests/ui/sway.bash
. "$BATS_TEST_DIRNAME/../ui/sway.bash"

# Starts sway with its files in a folder of the test. WAYLAND_DISPLAY is an absolute path, which `box` must accept.
desktop_begin() {
    local runtime=$XDG_RUNTIME_DIR
    export XDG_RUNTIME_DIR=$runtime/desktop-$LITTERBOX_INSTANCE
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sway_start
    WAYLAND_DISPLAY=$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY
    XDG_RUNTIME_DIR=$runtime
}

desktop_end() {
    [ -z "${sway:-}" ] || kill "$sway" 2>/dev/null || true
    [ -z "${sway:-}" ] || wait "$sway" 2>/dev/null || true
    sway=
    rm -rf "$XDG_RUNTIME_DIR/desktop-$LITTERBOX_INSTANCE"
}

# A box on such a desktop, with a file to edit.
windows_setup() {
    box_setup
    desktop_begin
    mkdir -p "$CONFIG"
    printf 'one\n' >a.txt
}
windows_teardown() {
    ui_end
    desktop_end
    box_teardown
}

# windows: prints app_id and title of each window, a line each.
windows() {
    swaymsg -t get_tree | jq -r '.. | objects | select(.pid? and .app_id? != null) | "\(.app_id) \(.name)"'
}
# A window has the keyboard. A box's X server gives its own windows the focus without that.
a_window_has_the_focus() { swaymsg -t get_tree | jq -e 'any(.. | objects; .focused? == true and .pid? != null)' >/dev/null; }
has_window() { windows | grep -q -- "$1"; }

configure() { printf '%b\n' "$*" >"$CONFIG/config.toml"; }
globals() { "$@" wayland-info 2>/dev/null | sed -n "s/^interface: '\([^']*\)'.*/\1/p" | sort -u; }
# Prints the PIDs of the box's bridges, without their launchers and supervisors.
bridge_pid() {
    local pid
    for pid in $(pgrep -u "$(id -u)" -f "litterbox-bridge $RUNTIME/shop"); do
        [ "$(cat "/proc/$pid/comm")" != litterbox-bridg ] || echo "$pid"
    done
}
socket_in_box() { box run -- sh -c 'echo "$WAYLAND_DISPLAY"; test -S "$WAYLAND_DISPLAY"' 2>/dev/null; }
no_windows() { [ -z "$(windows)" ]; }
# saves PATTERN: for eventually; presses Ctrl+S until the file a.txt has such a line.
saves() {
    press ctrl+s
    grep -q -- "$1" a.txt
}

# Kills its supervisor, too, which would start another.
kill_bridge() { helper_kill "$RUNTIME/shop" bridge; }
