#!/usr/bin/env bats
# Windows of a box, whatever the compositor knows.

load ../lib/box.bash
load desktop.bash
setup() { windows_setup; }
teardown() { windows_teardown; }

@test "desktop: none, and no display, are no socket and no process" {
    configure '[desktop]\nwayland = "none"\nopen = "deny"\nnotify = false'
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"; ls -A /run/litterbox'
    assert_output "[]"$'\n'"bin"$'\n'"root"$'\n'"ssh"
    [ -z "$(bridge_pid)" ]
    rm "$CONFIG/config.toml"
    box stop
    unset WAYLAND_DISPLAY
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_output "[]"
    [ -z "$(bridge_pid)" ]
}

@test "desktop: plain is the compositor's own socket, which a project has to ask for" {
    configure '[desktop]\nwayland = "plain"'
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    [ "$(stat -c %i "$RUNTIME/shop/desktop/wayland-0")" = "$(stat -c %i "$WAYLAND_DISPLAY")" ]
    rm "$CONFIG/config.toml"
    box stop
    printf '[desktop]\nwayland = "plain"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "see the screen and the clipboard"
}

no_bridge() { [ -z "$(bridge_pid)" ]; }

@test "desktop: a compositor that hangs holds nobody up for long, and is told of once" {
    python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
time.sleep(60)' "$TEST_HOME/silent" 3>&- 4>&- &
    local silent=$!
    eventually 5 test -S "$TEST_HOME/silent"
    export WAYLAND_DISPLAY=$TEST_HOME/silent
    run timeout 10 box run -- true
    assert_status 0
    assert_contains "does not answer"
    run timeout 2 box run -- true
    assert_status 0
    refute_contains answer
    box stop
    eventually 5 no_bridge
    kill "$silent"
}
