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
shows_more_than() { [ "$(grim -o HEADLESS-1 -t ppm - | cksum)" != "$1" ]; }
# Without Wayland the editor has nothing but X11.
with_editor() { configure_x11 nested $'wayland = "none"\n[editor]\ncommand = "geany"'; }

@test "x11: an editor that knows X11 alone opens in a window, edits, and saves on the host" {
    local empty
    empty=$(grim -o HEADLESS-1 -t ppm - | cksum)
    with_editor
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"; ls /run/litterbox/desktop'
    assert_output "[]"$'\nrequests\nxauthority'
    box edit a.txt
    eventually 30 shows_more_than "$empty" || fail "$(box logs)"
    sleep 5
    # The keyboard goes to where the pointer is: there is no window manager.
    swaymsg -q seat seat0 cursor set 300 300
    swaymsg -q seat seat0 cursor move 5 5
    wtype -k Shift_L -s 1500 hello -s 300 -M ctrl -k s -m ctrl -s 500
    eventually 10 grep -q '^helloone' a.txt || fail "$(cat a.txt)"
    [ "$(stat -c %u a.txt)" = "$(id -u)" ]
    local server
    server=$(server_pid)
    box stop
    eventually 10 ended "$server"
}

@test "x11: the server starts with its first client, and ends after its last" {
    run box run -- sh -c 'echo "$DISPLAY $XAUTHORITY"'
    assert_contains ":0 /run/litterbox/desktop/xauthority"
    no_server
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    [ "$(server_pid | wc -w)" = 1 ]
    eventually 30 no_server
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
}

@test "x11: a server that is killed, and a bridge, are made good by the next client" {
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    kill -KILL "$(server_pid)"
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    local server bridge
    server=$(server_pid) bridge=$(bridge_pid)
    kill -KILL "$bridge"
    eventually 5 ended "$server"
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    [ "$(bridge_pid)" != "$bridge" ]
    # What waits for the first client, too.
    bridge=$(bridge_pid)
    kill -KILL "$(keeper_pid)"
    eventually 5 ended "$bridge"
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    server=$(server_pid)
    kill -KILL "$(box_init_pid)"
    eventually 10 ended "$server"
    [ ! -e "$RUNTIME/shop/x11/X0" ]
}
box_init_pid() { podman_get "containers/$(containers)/json" | jq .State.Pid; }

@test "x11: a clipboard that is not there yet is refused by name" {
    local how
    for how in to-box from-box both; do
        printf '[desktop]\nclipboard = "%s"\n' "$how" >"$CONFIG/config.toml"
        run box config show
        assert_status 78
        assert_contains "\"$how\" is not available in this version yet"
    done
}
