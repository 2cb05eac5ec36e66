#!/usr/bin/env bats
# What a box has of the clipboard through its own windows on Wayland: what the compositor gives to a sandboxed client.
# The limits are the protocol's: [desktop] clipboard has no say in it.
# Shown with Debian 13's sway; box-desktop(7), CLIPBOARD, says it in words.

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

# client NAME COMMAND…: a window of that name, of a program that COMMAND runs.
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

@test "clipboard: a window without the keyboard is not told of it, cannot read it, and cannot replace it" {
    inside_without_focus
    printf 'for others' | host_copy
    eventually says outside "text for others" # a control: the window that has the keyboard
    sleep 1
    tell inside read
    tell inside force planted
    sleep 1
    run cat "$TEST_HOME/inside"
    assert_output "up"$'\n'"nothing"$'\n'"done read"$'\n'"done force planted"
    host_has "for others"
}

@test "clipboard: a window with the keyboard reads it, text and pictures, and replaces it, and that ends with it" {
    inside_without_focus
    printf 'for the box' | host_copy
    focus inside
    eventually says inside "text for the box"
    head -c 300000 /dev/urandom >"$TEST_HOME/picture"
    host_copy image/png <"$TEST_HOME/picture"
    eventually says inside "picture 300000 $(sha256sum <"$TEST_HOME/picture" | cut -d ' ' -f 1)"
    # What it was told before the last copy gives it no right to another.
    tell inside copy 'too early'
    sleep 1
    host_has_picture
    press Shift_L
    tell inside copy 'from the box'
    eventually host_has "from the box"
    focus outside
    eventually says inside "no keyboard"
    # So far the compositor believes it: this comes right behind what it had the keyboard for.
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

@test "clipboard: where a new window has the keyboard at once, to open one is to read it" {
    printf 'for whoever opens a window' | host_copy
    # It has no other way there: the protocol without windows is not the box's.
    run --separate-stderr timeout 20 box run -- wl-paste --no-newline
    assert_output "for whoever opens a window"
}
