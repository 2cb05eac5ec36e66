#!/usr/bin/env bats
# X11 programs in a box, on an X11 desktop: a Xephyr of the box's own, or the host's display.
# shellcheck disable=SC2154 # x11.bash sets them

load ../lib/box.bash
load desktop.bash
load x11.bash
setup() {
    box_setup
    x11_start 1600x1000
    mkdir -p "$CONFIG"
    printf 'one\n' >a.txt
}
teardown() {
    ui_end
    box_teardown
}

# types WINDOW: into the window of the editor, or of the Xephyr that it is in, with the pointer in it.
types() {
    local id
    id=$(xdotool search --sync --onlyvisible --name "$1" | tail -n 1)
    [ "$1" != Xephyr ] || eventually x11_focused a.txt
    xdotool mousemove --window "$id" 300 300 mousemove_relative 5 5 type --delay 100 hello
    eventually saves '^helloone' || fail "$(cat a.txt)"
    [ "$(stat -c %u a.txt)" = "$(id -u)" ]
}

@test "x11: an editor opens in a Xephyr of the box's, edits, and saves on the host" {
    configure_x11 nested $'[editor]\ncommand = "geany"'
    box edit a.txt
    types 'Xephyr'
    # The editor has no window on the host's display.
    run xdotool search --name a.txt
    assert_output ""
    local server
    server=$(server_pid)
    # Its memory does not count towards the box's limit, so the kernel kills it first when memory runs out.
    [ "$(cat "/proc/$server/oom_score_adj")" = 1000 ]
    box stop
    eventually process_ended "$server"
}

@test "x11: a window has the size of the Xephyr that it is in, and follows it" {
    configure_x11 nested
    windows_in_box resize >"$TEST_HOME/resized" 3>&- &
    local client=$!
    eventually grep -q 'fills the screen' "$TEST_HOME/resized"
    xdotool search --sync --onlyvisible --name Xephyr windowsize 900 700
    wait "$client"
    run cat "$TEST_HOME/resized"
    assert_contains "fills the other"
}

@test "x11: in a Xephyr, too, a click focuses a window and reaches it" {
    configure_x11 nested
    windows_in_box click >"$TEST_HOME/clicked" 3>&- &
    local client=$! side id x=200
    for side in left right; do
        eventually grep -q "ready for $side" "$TEST_HOME/clicked"
        id=$(xdotool search --sync --onlyvisible --name Xephyr | tail -n 1)
        xdotool mousemove --window "$id" "$x" 300 click 1
        x=1000
    done
    wait "$client"
    assert_clicked
}

@test "x11: host is the host's display, with only that display's cookie" {
    configure_x11 host $'[editor]\ncommand = "geany"'
    local right=$XAUTHORITY
    xauth -q -f "$right" add :99 . 00112233445566778899aabbccddeeff
    box edit a.txt
    types 'a.txt'
    run --separate-stderr box run -- sh -c 'od -An -tx1 "$XAUTHORITY" | tr -d " \n"'
    refute_contains 00112233445566778899aabbccddeeff
    [ "${#output}" = 88 ]
    # As documented: the box can read what is typed anywhere.
    client_in_box "$inside_socket" "$inside_cookie" keys >"$TEST_HOME/heard" 3>&- &
    eventually grep -q accepted "$TEST_HOME/heard"
    xdotool keydown a
    eventually grep -q heard "$TEST_HOME/heard"
    xdotool keyup a
    wait $!
}

@test "x11: a project has to request it, and box trust says what host means" {
    printf '[desktop]\nx11 = "nested"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "an X server of the box's own"
    printf '[desktop]\nx11 = "host"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "can read what you type anywhere, see the screen, and control other windows"
}

@test "x11: no later bridge or run uses the display that a killed bridge left" {
    configure_x11 nested
    box run -- true
    kill_bridge
    [ -S "$RUNTIME/shop/x11/X0" ]
    # A display that cannot be reached.
    DISPLAY=elsewhere:0 run --separate-stderr box run -- sh -c 'echo "[$DISPLAY]"'
    assert_output "[]"
    box stop
    box run -- true
    kill_bridge
    box stop
    run --separate-stderr env -u DISPLAY box run -- sh -c 'echo "[$DISPLAY]"; ls -A /tmp/.X11-unix'
    assert_output "[]"
}

@test "x11: with none, or without an installed server, there is no display" {
    run --separate-stderr box run -- sh -c 'echo "[$DISPLAY$XAUTHORITY]"; ls -d /tmp/.X11-unix'
    [ "${lines[*]}" = "[]" ]
    [ -z "$(x11_supervisor_pid)" ]
    configure_x11 nested
    box stop
    # A PATH with all that `box` needs, but no X server.
    local program
    mkdir "$TEST_HOME/bin"
    for program in sh podman crun conmon slirp4netns pasta newuidmap newgidmap; do
        ! command -v "$program" >/dev/null || ln -s "$(command -v "$program")" "$TEST_HOME/bin/$program"
    done
    local box
    box=$(command -v box)
    run env PATH="$TEST_HOME/bin" "$box" run -- /bin/sh -c 'echo "[$DISPLAY]"'
    assert_contains "[]"
    assert_contains "needs Xephyr (package xserver-xephyr)"
    run env PATH="$TEST_HOME/bin" "$box" run -- /bin/sh -c 'echo "[$DISPLAY]"'
    refute_contains Xephyr
}
