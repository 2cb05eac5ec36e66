#!/usr/bin/env bats
# Windows of a box on a compositor without security contexts: Debian 12's sway.
# shellcheck disable=SC2154 # x11.bash sets them

load ../lib/box.bash
load desktop.bash
load x11.bash
setup() { windows_setup; }
teardown() { windows_teardown; }

@test "desktop: without security contexts there are no windows until the user says so, and that is said once" {
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_contains "[]"
    assert_contains "no security contexts"
    assert_contains 'wayland = "plain"'
    run box run -- true
    refute_contains contexts
    # On a terminal it is a question; a yes holds until the box is removed.
    box stop
    run on_terminal --answer 'Give the box' 'y\n' box enter -- sh -c 'test -S "$WAYLAND_DISPLAY" && echo there'
    assert_contains "Give the box that socket?"
    assert_contains there
    box stop
    run box run -- sh -c 'test -S "$WAYLAND_DISPLAY" && echo there'
    assert_contains there
    refute_contains contexts
    box rm --yes
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_contains "[]"
}

@test "x11: without security contexts there is an X display all the same, and no Wayland socket" {
    configure_x11 nested
    run box run -- sh -c 'echo "[$WAYLAND_DISPLAY] $DISPLAY"; ls /run/litterbox/desktop'
    assert_contains "no security contexts"
    assert_contains "[] :0"
    refute_contains wayland-0
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    kill -KILL "$(bridge_pid)"
    run client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
}
