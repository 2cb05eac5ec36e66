#!/usr/bin/env bats
# Windows of a box on a compositor with security contexts: Debian 13's sway.
# shellcheck disable=SC2154 # x11.bash sets them

load ../lib/box.bash
load ../lib/tmux.bash
load desktop.bash
load x11.bash
setup() { windows_setup; }
teardown() {
    tmux_end
    windows_teardown
}

# The compositor lists a window before anything is drawn in it.
painted() { [ "$(grim -o HEADLESS-1 -t ppm - | cksum)" != "$empty" ]; }

# edits EDITOR WINDOW KEY…: the editor opens its window, takes what is typed, and KEYs save it into the file on the host.
edits() {
    local editor=$1 title=$2
    shift 2
    configure "[editor]\ncommand = \"$editor\""
    box stop 2>/dev/null || true
    printf 'one\n' >a.txt
    box edit a.txt
    eventually has_window "$title" || fail "$(windows; box logs)"
    eventually painted
    type_text hello
    press "$@"
    eventually grep -q '^helloone' a.txt || fail "$(cat a.txt)"
    [ "$(stat -c %u a.txt)" = "$(id -u)" ]
    box stop
    eventually no_windows
}

@test "desktop: editors of GTK, Qt and Emacs open a window, edit, and save on the host" {
    local empty
    keyboard_start # before the windows, so that each gets the focus when it is mapped
    empty=$(grim -o HEADLESS-1 -t ppm - | cksum)
    edits geany 'geany.*a.txt' ctrl+s
    edits featherpad 'featherpad.*a.txt' ctrl+s
    edits emacs 'emacs a.txt' ctrl+x ctrl+s
}

@test "desktop: Helix edits and saves in the terminal, whatever the desktop" {
    configure '[editor]\ncommand = "hx"'
    in_tmux "box edit a.txt"
    eventually shows "one" || fail "$(screen)"
    type_keys ihello
    eventually shows helloone
    # If more keys followed at once, the terminal's Escape would be read as Alt.
    type_keys Escape
    eventually shows NOR
    type_keys :wq Enter
    eventually tmux_ended || fail "$(screen)"
    [ "$(cat "$TEST_HOME/ended")" = 0 ]
    [ "$(cat a.txt)" = helloone ]
    [ "$(stat -c %u a.txt)" = "$(id -u)" ]
}

@test "desktop: box edit returns when the window is open, and waits with --wait" {
    configure '[editor]\ncommand = "featherpad"'
    box run -- true
    local waiting
    timeout 60 box edit a.txt # the window stays open for as long as nobody closes it
    eventually has_window featherpad
    swaymsg -q '[app_id=.*] kill'
    eventually no_windows
    box edit --wait a.txt 3>&- &
    waiting=$!
    eventually has_window featherpad
    sleep 1
    kill -0 "$waiting"
    swaymsg -q '[app_id=.*] kill'
    wait "$waiting"
}

@test "desktop: a program from the menu opens its window, and the box stops after the last one" {
    local apps=${XDG_DATA_HOME:-$HOME/.local/share}/applications name=litterbox+$LITTERBOX_INSTANCE+shop+geany
    configure '[box]\nidle_stop = 0'
    box run -- true
    box app export geany
    desktop-file-validate "$apps/$name.desktop"
    gtk-launch "$name" "$PROJECT/a.txt"
    eventually has_window 'geany.*a.txt'
    [ "$(box list --json | jq -r '.[0].state')" = running ]
    swaymsg -q '[app_id=.*] kill'
    eventually no_windows
    eventually sh -c '[ "$(box list --json | jq -r ".[0].state")" = stopped ]'
    box rm --yes
    [ ! -e "$apps/$name.desktop" ]
}

@test "desktop: none of the compositor's privileged globals is offered in the box" {
    local outside inside name
    outside=$(globals env)
    inside=$(globals box run --)
    for name in wl_compositor wl_seat wl_shm xdg_wm_base; do
        grep -qx "$name" <<<"$inside" || fail "no $name"
    done
    for name in zwlr_screencopy_manager_v1 zwlr_data_control_manager_v1 zwp_virtual_keyboard_manager_v1 \
        zwlr_layer_shell_v1 zwlr_foreign_toplevel_manager_v1 zwlr_virtual_pointer_manager_v1 \
        ext_session_lock_manager_v1 zwlr_gamma_control_manager_v1 wp_security_context_manager_v1; do
        grep -qx "$name" <<<"$outside" || fail "the test is out of date: no $name outside"
        ! grep -qx "$name" <<<"$inside" || fail "$name inside"
    done
    run box run -- wtype hello
    [ "$status" != 0 ]
    run box run -- grim "$PROJECT/screen.png"
    [ "$status" != 0 ]
    [ ! -e screen.png ]
}

@test "desktop: the box has a socket of its own, which it cannot replace and which is removed with it" {
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    run box run -u root -- sh -c 'rm -f /run/litterbox/desktop/wayland-0; ls /run/litterbox/desktop'
    assert_contains wayland-0
    run box run -- sh -c "ls -d $WAYLAND_DISPLAY $XDG_RUNTIME_DIR/wayland-1"
    [ "$status" != 0 ]
    # The box does not see the bridge's lock, so it can neither fake nor block a bridge.
    run box run -- sh -c 'ls -A /run/litterbox/desktop'
    assert_contains wayland-0
    refute_contains lock
    local bridge
    bridge=$(bridge_pid)
    [ -n "$bridge" ]
    box stop
    eventually process_ended "$bridge"
    [ ! -e "$RUNTIME/shop/desktop/wayland-0" ]
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    box restart
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    eventually one_bridge
}

@test "desktop: the next command restarts a bridge that was killed or whose compositor has ended" {
    box run -- true
    kill_bridge
    run globals box run --
    assert_contains xdg_wm_base
    local bridge
    bridge=$(bridge_pid)
    desktop_end
    eventually process_ended "$bridge"
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_output "[]"
    desktop_begin
    run globals box run --
    assert_contains xdg_wm_base
    # Several commands at once start one bridge.
    kill_bridge
    local pids=() pid
    while [ "${#pids[@]}" -lt 5 ]; do
        box run -- sh -c 'test -S "$WAYLAND_DISPLAY"' 3>&- 2>>"$TEST_HOME/said" &
        pids+=($!)
    done
    # Those that did not start it waited until it was ready.
    for pid in "${pids[@]}"; do wait "$pid"; done
    # None of them says that the compositor does not answer.
    run cat "$TEST_HOME/said"
    refute_contains answer
    [ ! -e "$RUNTIME/shop/no-windows" ]
    eventually one_bridge
}

# What it starts has its name for a moment.
one_bridge() { [ "$(bridge_pid | wc -w)" = 1 ]; }
has_bridge() { [ -n "$(bridge_pid)" ]; }

@test "desktop: a command waits for a bridge that restarts after a crash, however slow the machine is" {
    local bridge
    box run -- true
    kill -STOP "$sway" # which a new bridge waits for
    # Until the pause is so long that the command ends it.
    for _ in 1 2 3 4 5; do
        eventually has_bridge
        bridge=$(bridge_pid)
        kill -KILL "$bridge"
        eventually process_ended "$bridge"
    done
    socket_in_box >"$TEST_HOME/said" 3>&- &
    eventually has_bridge
    sleep 1.5 # longer than until it is seen to restart (RESTART_BEGIN_MS)
    kill -CONT "$sway"
    wait "$!"
    [ "$(cat "$TEST_HOME/said")" = /run/litterbox/desktop/wayland-0 ]
}

@test "desktop: consent to the plain socket is not used where there are security contexts" {
    mkdir -p "$STATE/plain-wayland"
    touch "$STATE/plain-wayland/shop"
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    [ "$(stat -c %i "$RUNTIME/shop/desktop/wayland-0")" != "$(stat -c %i "$WAYLAND_DISPLAY")" ]
    run globals box run --
    refute_contains zwlr_screencopy_manager_v1
}

@test "desktop: a bridge uses less than 400 KiB of memory" {
    box run -- true
    local own
    own=$(awk '/^RssAnon:/ { print $2 }' "/proc/$(bridge_pid)/status")
    [ "$own" -lt 400 ] || fail "$own KiB"
}

@test "x11: by default the box's server does not share the desktop's clipboard" {
    configure_x11 nested 'wayland = "none"'
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_status 0
    eventually has_window Xwayland
    printf 'of the host' | wl-copy 3>&-
    # Control: on the host it can be read.
    run wl-paste
    assert_output "of the host"
    run box run --timeout 10 -- xclip -selection clipboard -o
    refute_contains "of the host"
    # xclip returns before it owns the clipboard.
    box run -- timeout 30 sh -c 'printf "of the box" | xclip -selection clipboard; until xclip -selection clipboard -o; do sleep 0.1; done' >"$TEST_HOME/own"
    grep -q "of the box" "$TEST_HOME/own"
    run wl-paste
    assert_output "of the host"
}
