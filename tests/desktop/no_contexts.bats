#!/usr/bin/env bats
# Windows of a box on a compositor without security contexts: Debian 12's sway.
# shellcheck disable=SC2154 # x11.bash sets them

load ../lib/box.bash
load desktop.bash
load x11.bash
setup() { windows_setup; }
teardown() {
    [ -z "${weston:-}" ] || kill "$weston" 2>/dev/null || true
    [ -z "${weston:-}" ] || wait "$weston" 2>/dev/null || true
    rm -rf "$XDG_RUNTIME_DIR/weston-$LITTERBOX_INSTANCE"
    windows_teardown
}

@test "desktop: without security contexts there are no windows until the user agrees; box says so once" {
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_contains "[]"
    assert_contains "no security contexts"
    assert_contains 'wayland = "plain"'
    run box run -- true
    refute_contains contexts
    # On a terminal box asks; an approval holds until the box is removed.
    box stop
    run on_terminal --answer 'Allow this' 'y\n' box enter -- sh -c 'test -S "$WAYLAND_DISPLAY" && echo there'
    assert_contains "Allow this access?"
    assert_contains there
    box stop
    run box run -- sh -c 'test -S "$WAYLAND_DISPLAY" && echo there'
    assert_contains there
    refute_contains contexts
    box rm --yes
    project_setup
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_contains "[]"
}

@test "x11: without security contexts there is an X display, but no Wayland socket" {
    configure_x11 nested
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY] $DISPLAY"; ls /run/litterbox/desktop'
    assert_contains "no security contexts"
    assert_contains "[] :0"
    refute_contains wayland-0
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    kill_bridge
    run client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
}

# Weston has no data-control protocol, as GNOME has none.
weston_begin() {
    local runtime=$XDG_RUNTIME_DIR/weston-$LITTERBOX_INSTANCE
    mkdir -m 700 "$runtime"
    XDG_RUNTIME_DIR=$runtime weston --backend=headless-backend.so --no-config --socket=wayland-9 --idle-time=0 \
        >"$TEST_HOME/weston" 2>&1 3>&- 4>&- &
    weston=$!
    WAYLAND_DISPLAY=$runtime/wayland-9
    eventually socket_listens "$WAYLAND_DISPLAY" || fail "$(cat "$TEST_HOME/weston")"
}

@test "clipboard: a compositor without data-control is reported, and the box keeps a clipboard of its own" {
    desktop_end
    weston_begin
    run globals env
    assert_contains xdg_wm_base
    refute_contains data_control # control
    configure_x11 nested $'wayland = "none"\nclipboard = "both"'
    run box run -- true
    assert_contains "no data-control protocol"
    run box run -- true
    assert_output ""
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    [ -n "$(server_pid)" ]
    [ -z "$(clip_pid)" ]
    # Without the key box does not mention it.
    box stop
    configure_x11 nested 'wayland = "none"'
    run box run -- true
    refute_contains data-control
}

@test "clipboard: with the plain socket a box can read it at any time" {
    configure '[desktop]\nwayland = "plain"'
    printf 'of the host' | wl-copy 3>&-
    run --separate-stderr box run -- wl-paste --no-newline
    assert_output "of the host"
    [ -z "$(windows)" ]
}
