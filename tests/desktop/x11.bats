#!/usr/bin/env bats
# X11 programs in a box, on a Wayland desktop: a rootful Xwayland of the box's own, on a compositor with security
# contexts (Debian 13's sway, in the Podman 5 lab), and on one without (Debian 12's).
# shellcheck disable=SC2154 # x11.bash sets them

load ../lib/box.bash
load desktop.bash
load x11.bash
setup() {
    windows_setup
    configure_x11 nested
}
teardown() { windows_teardown; }
# Without Wayland, so that the editor uses X11.
with_editor() { configure_x11 nested $'wayland = "none"\n[editor]\nterminal = false\ncommand = '"\"$1\""; }
# Types into the editor as soon as its window has the focus, and saves.
types() {
    eventually x11_focused a.txt
    eventually a_window_has_the_focus
    type_text hello
    eventually saves '^helloone' || fail "$(cat a.txt)"
    [ "$(stat -c %u a.txt)" = "$(id -u)" ]
}

@test "x11: an editor without Wayland support opens a window, edits, and saves on the host" {
    local empty
    empty=$(grim -o HEADLESS-1 -t ppm - | cksum)
    with_editor geany
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"; ls /run/litterbox/desktop'
    assert_output "[]"$'\nrequests\nxauthority'
    keyboard_start
    box edit a.txt
    eventually shows_more_than "$empty" || fail "$(box logs)"
    types
    local server
    server=$(server_pid)
    box stop
    eventually process_ended "$server"
}

@test "x11: a Motif program has the focus wherever the pointer is, and saves on the host" {
    swaymsg -q seat seat0 cursor set 1279 719
    with_editor nedit
    keyboard_start # before the editor, which binds its shortcuts to the keys that the keyboard has then
    box edit a.txt
    types
}

@test "x11: a window fills the screen; its dialog is centred, gets the focus, and gives it back" {
    run --separate-stderr windows_in_box dialog
    assert_output "window has the keyboard
fills the screen
dialog has the keyboard
in the middle
window has the keyboard"
}

@test "x11: when a window that took the focus itself closes, another one gets it" {
    run --separate-stderr windows_in_box own
    assert_output "one has the keyboard
the other has the keyboard
one has the keyboard
the other has the keyboard"
}

@test "x11: a window like Java's is told to take the focus, and to close" {
    run --separate-stderr windows_in_box java
    assert_output "LG3D
told WM_TAKE_FOCUS
state 1 0
active True
told WM_DELETE_WINDOW"
}

@test "x11: Alt+Tab goes to the next window, and Alt+F4 closes it" {
    keyboard_start
    windows_in_box keys >"$TEST_HOME/keys" 3>&- &
    local client=$!
    eventually grep -q 'the other' "$TEST_HOME/keys"
    eventually a_window_has_the_focus
    press alt+Tab
    eventually grep -q 'one again' "$TEST_HOME/keys"
    press alt+F4
    wait "$client"
    run tail -n 1 "$TEST_HOME/keys"
    assert_output "told WM_DELETE_WINDOW"
}

@test "x11: a click into a partly covered window focuses it, raises it, and reaches it" {
    keyboard_start mouse
    windows_in_box click >"$TEST_HOME/clicked" 3>&- &
    local client=$! side x=300
    for side in left right; do
        eventually grep -q "ready for $side" "$TEST_HOME/clicked"
        eventually a_window_has_the_focus
        order click "$x" 300
        x=1000
    done
    wait "$client"
    assert_clicked
}

@test "x11: 200 windows are managed, and the last one left has the focus" {
    run --separate-stderr windows_in_box many
    assert_output "the last has the keyboard
200 are listed
the first has the keyboard
the first has the keyboard"
}

@test "x11: another window manager in the box may replace ours, and the server still ends" {
    run --separate-stderr windows_in_box replace
    assert_output taken
    [ -n "$(server_pid)" ]
    eventually no_server
}

@test "x11: the server starts with its first client, and ends after its last" {
    run box run -- sh -c 'echo "$DISPLAY $XAUTHORITY"'
    assert_contains ":0 /run/litterbox/desktop/xauthority"
    no_server
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    [ "$(server_pid | wc -w)" = 1 ]
    eventually no_server
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
}

@test "x11: the next client restarts a server or bridge that was killed" {
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    # A client that waits when a server ends soon after its start is refused: it may be the reason.
    kill -KILL "$(server_pid)"
    eventually accepted
    local server bridge
    server=$(server_pid) bridge=$(bridge_pid)
    kill -KILL "$bridge"
    eventually process_ended "$server"
    eventually accepted
    [ "$(bridge_pid)" != "$bridge" ]
    # The same for the supervisor.
    bridge=$(bridge_pid)
    kill -KILL "$(x11_supervisor_pid)"
    eventually process_ended "$bridge"
    eventually accepted
    server=$(server_pid)
    kill -KILL "$(box_init_pid)"
    eventually process_ended "$server"
    [ ! -e "$RUNTIME/shop/x11/X0" ]
}
accepted() { [ "$(client_in_box "$inside_socket" "$inside_cookie" 2>/dev/null)" = accepted ]; }
box_init_pid() { podman_get "containers/$(containers)/json" | jq .State.Pid; }
