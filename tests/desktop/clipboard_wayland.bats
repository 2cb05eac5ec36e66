#!/usr/bin/env bats
# What windows of a box on Wayland can do with the clipboard: what the compositor allows a sandboxed client. The limits are
# the protocol's; the key [desktop] clipboard does not change them. box-desktop(7), CLIPBOARD, describes them.
# With Debian 13's sway.

load ../lib/box.bash
load desktop.bash
setup() {
    windows_setup
    cp "$BATS_TEST_DIRNAME/selection_client.py" .selection_client.py
    keyboard_start # without one no window has the focus
    # The first window of a workspace always gets the focus.
    client outside env
    eventually says outside keyboard
}
teardown() { windows_teardown; }

# client NAME COMMAND…: opens a window of that name, with selection_client.py, which COMMAND runs.
client() {
    local name=$1
    shift
    : >".orders-$name"
    "$@" python3 .selection_client.py "$name" ".orders-$name" >"$TEST_HOME/$name" 2>"$TEST_HOME/$name.err" 3>&- &
    eventually says "$name" up || fail "$(cat "$TEST_HOME/$name.err")"
}
says() { grep -qxF "$2" "$TEST_HOME/$1"; }
tell() { # NAME ORDER…: has the client NAME carry out an order of selection_client.py
    echo "${*:2}" >>".orders-$1"
    eventually says "$1" "done ${*:2}" || fail "$(cat "$TEST_HOME/$1")"
}
focus() { swaymsg -q "[app_id=\"$1\"] focus"; }
host_copy() { wl-copy --type "${1:-text/plain;charset=utf-8}" 3>&-; }
host_has() { [ "$(timeout 10 wl-paste --no-newline | tr -d '\0')" = "$1" ]; }
host_has_picture() { timeout 10 wl-paste --type image/png | cmp -s - "$TEST_HOME/picture"; }
inside_without_focus() {
    swaymsg -q 'no_focus [app_id="inside"]'
    client inside box run --
}

@test "clipboard: a window without the focus can neither read nor replace it" {
    inside_without_focus
    printf 'for others' | host_copy
    eventually says outside "text for others" # control: the window that has the focus
    sleep 1
    tell inside read
    tell inside force planted
    sleep 1
    run cat "$TEST_HOME/inside"
    assert_output "up"$'\n'"nothing"$'\n'"done read"$'\n'"done force planted"
    host_has "for others"
}

@test "clipboard: a window with the focus can read and replace it, until it loses the focus" {
    inside_without_focus
    printf 'for the box' | host_copy
    focus inside
    eventually says inside "text for the box"
    head -c 300000 /dev/urandom >"$TEST_HOME/picture"
    host_copy image/png <"$TEST_HOME/picture"
    eventually says inside "picture 300000 $(sha256sum <"$TEST_HOME/picture" | cut -d ' ' -f 1)"
    # A serial from before the last copy is too old to replace the clipboard.
    tell inside copy 'too early'
    sleep 1
    host_has_picture
    press Shift_L
    tell inside copy 'from the box'
    eventually host_has "from the box"
    focus outside
    eventually says inside "no keyboard"
    # With its last serial the compositor still accepts one copy.
    tell inside copy 'in parting'
    eventually host_has "in parting"
    printf 'behind its back' | host_copy
    eventually says outside "text behind its back"
    tell inside read
    sleep 1
    run cat "$TEST_HOME/inside"
    refute_contains "behind its back"
    tell inside copy 'too late'
    sleep 1
    host_has "behind its back"
}

@test "clipboard: opening a window is enough to read it where new windows get the focus" {
    printf 'for whoever opens a window' | host_copy
    # Without a window it cannot: the box has no data-control protocol.
    run --separate-stderr timeout 20 box run -- wl-paste --no-newline
    assert_output "for whoever opens a window"
}
