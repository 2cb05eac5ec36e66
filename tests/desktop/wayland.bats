#!/usr/bin/env bats
# Windows of a box, with and without security contexts in the compositor.

load ../lib/box.bash
load desktop.bash
setup() { windows_setup; }
teardown() { windows_teardown; }

@test "desktop: with none, or without a display, there is no socket and no process" {
    configure '[desktop]\nwayland = "none"\nopen = "deny"\nnotify = false\nsound = "none"'
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"; ls -A /run/litterbox'
    assert_output "[]"$'\n'"bin"$'\n'"certificates"$'\n'"git"$'\n'"root"$'\n'"ssh"$'\n'"tools"
    [ -z "$(bridge_pid)" ]
    rm "$CONFIG/config.toml"
    box stop
    unset WAYLAND_DISPLAY
    run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_output "[]"
    [ -z "$(bridge_pid)" ]
}

@test "desktop: plain is the compositor's own socket, which a project has to request" {
    configure '[desktop]\nwayland = "plain"'
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
    [ "$(stat -c %i "$RUNTIME/shop/desktop/wayland-0")" = "$(stat -c %i "$WAYLAND_DISPLAY")" ]
    # A symbolic link is resolved, as its target's path does not exist in the box.
    box stop
    ln -s "$WAYLAND_DISPLAY" "$TEST_HOME/link"
    WAYLAND_DISPLAY=$TEST_HOME/link run socket_in_box
    assert_status 0
    rm "$CONFIG/config.toml"
    box stop
    printf '[desktop]\nwayland = "plain"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "see the screen and the clipboard"
}

@test "desktop: the next run does not get the socket that a killed bridge left" {
    configure '[desktop]\nwayland = "plain"'
    box run -- true
    kill_bridge
    [ -S "$RUNTIME/shop/desktop/wayland-0" ]
    box stop
    configure '[desktop]\nwayland = "none"'
    run --separate-stderr box run -- ls -A /run/litterbox/desktop
    assert_output requests
    # The same without a display, where no bridge starts.
    kill_bridge
    box stop
    env -u WAYLAND_DISPLAY box run -- sh -c '[ -z "$(ls -A /run/litterbox/desktop)" ]'
}

no_bridge() { [ -z "$(bridge_pid)" ]; }

# A compositor that announces security contexts, and answers nothing else.
half='
import socket, struct, sys, time
def event(who, what, body):
    return struct.pack("=IHH", who, what, 8 + len(body)) + body
name = b"wp_security_context_manager_v1\0"
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
held = []
while True:
    held.append(s.accept()[0])
    held[-1].recv(4096)
    held[-1].send(event(2, 0, struct.pack("=II", 1, len(name)) + name.ljust(32, b"\0") + struct.pack("=I", 1)) +
                  event(3, 0, struct.pack("=I", 1)) + event(1, 1, struct.pack("=I", 3)))
'

@test "desktop: a socket that the compositor did not accept is removed" {
    python3 -c "$half" "$TEST_HOME/half" 3>&- 4>&- &
    local compositor=$!
    eventually socket_listens "$TEST_HOME/half"
    configure '[desktop]\nopen = "deny"\nnotify = false'
    WAYLAND_DISPLAY=$TEST_HOME/half run timeout 60 box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"; ls -A /run/litterbox/desktop'
    assert_contains "does not answer"
    assert_contains "[]"
    refute_contains wayland-0
    eventually no_bridge
    kill "$compositor"
}

# Whoever connected before has a line in $TEST_HOME/connected, and then the program that connects here.
all_are_known() {
    local last
    last=$(python3 -c 'import os, socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])
print(os.getpid())' "$TEST_HOME/silent")
    eventually grep -qx "$last" "$TEST_HOME/connected"
}

@test "desktop: a compositor that hangs delays only the first command, and is reported once" {
    # Says who has connected.
    python3 -c 'import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
held = []
while True:
    held.append(s.accept()[0])
    print(struct.unpack("iii", held[-1].getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0], flush=True)' "$TEST_HOME/silent" >"$TEST_HOME/connected" 3>&- 4>&- &
    local silent=$!
    eventually socket_listens "$TEST_HOME/silent"
    export WAYLAND_DISPLAY=$TEST_HOME/silent
    run timeout 60 box run -- true
    assert_status 0
    assert_contains "does not answer"
    local tried
    all_are_known
    tried=$(wc -l <"$TEST_HOME/connected")
    [ "$tried" -gt 1 ]
    run box run -- true
    assert_status 0
    refute_contains answer
    all_are_known
    [ "$(wc -l <"$TEST_HOME/connected")" = $((tried + 1)) ] # it is not tried again
    box stop
    eventually no_bridge
    kill "$silent"
}

@test "desktop: if the compositor that the environment names has ended there is no bridge; the next one is found" {
    configure '[desktop]\nwayland = "plain"'
    WAYLAND_DISPLAY=$TEST_HOME/gone run --separate-stderr box run -- sh -c 'echo "[$WAYLAND_DISPLAY]"'
    assert_output "[]"
    [ ! -e "$RUNTIME/shop/bridge.lock" ]
    [ "$(socket_in_box)" = /run/litterbox/desktop/wayland-0 ]
}
