#!/usr/bin/env bats
# Attacks of a box on the host's X server, another box's and its own (2, 9).
# shellcheck disable=SC2154 # x11.bash sets them

load escape.bash
load ../desktop/desktop.bash
load ../desktop/x11.bash
setup() {
    box_setup
    x11_start 1600x1000
    mkdir -p "$CONFIG"
    printf '[desktop]\nx11 = "nested"\n' >"$CONFIG/config.toml"
    cp "$BATS_TEST_DIRNAME/../desktop/x11_client.py" .x11_client.py
}
teardown() {
    ui_end
    desktop_end
    box_teardown
}
is_accepted() { [ "$(attack "$inside_socket" "$inside_cookie" 2>/dev/null)" = accepted ]; }
attack() { box run -- python3 .x11_client.py "$@"; }

@test "x11: a box cannot reach the host's display by path, abstract socket or cookie (2)" {
    local cookie
    cookie=$(tail -c 16 "$XAUTHORITY" | od -An -tx1 | tr -d ' \n')
    # Controls: on the host it is reachable, also by the abstract socket, with the cookie only.
    local by_path=/tmp/.X11-unix/X${DISPLAY#:}
    run python3 .x11_client.py "$by_path" "hex:$cookie"
    assert_output accepted
    run python3 .x11_client.py "@$by_path" "hex:$cookie"
    assert_output accepted
    run python3 .x11_client.py "$by_path" hex:00112233445566778899aabbccddeeff
    assert_contains refused
    local socket
    for socket in "$by_path" "@$by_path" "/proc/1/root$by_path"; do
        run --separate-stderr attack "$socket" "hex:$cookie"
        assert_contains unreachable
    done
    run --separate-stderr box run -- ls -A /tmp/.X11-unix
    assert_output X0
    run box run -- cat "$XAUTHORITY"
    [ "$status" != 0 ]
    # The host's cookie is not the box's, and opens no display in the box.
    run --separate-stderr attack "$inside_socket" "hex:$cookie"
    assert_contains refused
}

@test "x11: a box does not see keys typed on the host (2)" {
    attack "$inside_socket" "$inside_cookie" keys >"$TEST_HOME/inside" 3>&- &
    local inside=$!
    eventually grep -q accepted "$TEST_HOME/inside"
    python3 .x11_client.py "/tmp/.X11-unix/X${DISPLAY#:}" "$XAUTHORITY" keys >"$TEST_HOME/outside" 3>&- &
    local outside=$!
    eventually grep -q accepted "$TEST_HOME/outside"
    # The pointer is outside of the box's window.
    xdotool mousemove 1599 999 keydown a
    wait "$outside" "$inside"
    xdotool keyup a
    grep -q heard "$TEST_HOME/outside" # control
    run cat "$TEST_HOME/inside"
    assert_output accepted
}

@test "x11: a wrong cookie, or another box's, is refused (2)" {
    local cookie
    run --separate-stderr attack "$inside_socket" none
    assert_contains refused
    run --separate-stderr attack "$inside_socket" hex:00112233445566778899aabbccddeeff
    assert_contains refused
    run --separate-stderr attack "$inside_socket" "$inside_cookie"
    assert_output accepted
    new_project "$TEST_HOME/other"
    cp .x11_client.py "$TEST_HOME/other"
    cd "$TEST_HOME/other"
    cookie=$(tail -c 16 "$RUNTIME/shop/desktop/xauthority" | od -An -tx1 | tr -d ' \n')
    run --separate-stderr attack "$RUNTIME/shop/x11/X0" "hex:$cookie"
    assert_contains unreachable
    run --separate-stderr attack "$inside_socket" "hex:$cookie"
    assert_contains refused
    run --separate-stderr attack "@/tmp/.X11-unix/X0" "hex:$cookie"
    assert_contains unreachable
}

@test "x11: a box, even its root, cannot replace socket and cookie (2)" {
    box run -u root -- sh -c 'rm -f /tmp/.X11-unix/X0 /run/litterbox/desktop/xauthority
        echo x >/run/litterbox/desktop/xauthority; touch /tmp/.X11-unix/X1
        mv /tmp/.X11-unix /tmp/moved; umount /tmp/.X11-unix' || true
    run --separate-stderr attack "$inside_socket" "$inside_cookie"
    assert_output accepted
    run ls -A "$RUNTIME/shop/x11"
    assert_output X0
}

@test "x11: the X server has no host files, network, other processes or privileges (2, 6)" {
    # Without a client the server ends after some seconds.
    attack "$inside_socket" "$inside_cookie" hold >"$TEST_HOME/inside" 3>&- &
    local server process client=$!
    eventually grep -q accepted "$TEST_HOME/inside"
    server=$(server_pid)
    # The window manager may be a moment behind the first client.
    eventually manager_is_confined
    for process in "$server" "$(manager_pid)" "$(x_server_pid)"; do
        assert_jailed "$process"
    done
    # The window manager and the process that waits for both cannot start programs: they have a filter besides the jail's.
    for process in "$server" "$(manager_pid)"; do
        [ "$(filters "$process")" -gt "$(filters "$(x_server_pid)")" ]
        [ "$(awk '/Max address space/ { print $4 }' "/proc/$process/limits")" = $((256 << 20)) ]
    done
    kill "$client"
}
manager_is_confined() { [ "$(filters "$(manager_pid)")" -gt "$(filters "$(x_server_pid)")" ]; }
filters() { awk '/^Seccomp_filters:/ { print $2 }' "/proc/$1/status"; }
assert_jailed() { # PID
    local root=/proc/$1/root namespace
    run ls "$root"
    refute_contains home
    refute_contains run
    refute_contains proc
    [ ! -e "$root$HOME" ]
    [ ! -e "$root/etc/passwd" ]
    # /tmp has only the host's display, on which the server's window is shown; and what a program that was built to
    # count its lines makes there, if the checkout is below /tmp.
    run sh -c "cd $root/tmp && find . -type s -o -type f ! -name '*.profraw' | grep -vx ./.X0-lock | LC_ALL=C sort"
    assert_output "./.X11-unix/X${DISPLAY#:}"$'\n'"./cookie"$'\n'"./host-cookie"
    ! touch "$root/usr/x" 2>/dev/null || fail "$root can be written"
    for namespace in user mnt net ipc uts pid; do
        [ "$(readlink "/proc/$1/ns/$namespace")" != "$(readlink "/proc/self/ns/$namespace")" ]
    done
    grep -q '^NoNewPrivs:.1' "/proc/$1/status"
    grep -q '^Seccomp:.2' "/proc/$1/status"
    grep -qE '^CapEff:.0+$' "/proc/$1/status"
    # No open descriptor is a file of the host except /dev/null.
    run sh -c "readlink /proc/$1/fd/* | grep '^/' | grep -vx /dev/null"
    assert_output ""
    [ "$(awk '/Max core file size/ { print $5 }' "/proc/$1/limits")" = 0 ]
}

@test "x11: windows with false properties and messages do not stop the window manager (9)" {
    run --separate-stderr windows_in_box dialog
    assert_contains "in the middle"
    local server bridge
    server=$(server_pid) bridge=$(bridge_pid)
    run --separate-stderr windows_in_box lies
    assert_output "window has the keyboard"$'\n'"fills the screen"
    [ "$(server_pid)" = "$server" ]
    [ "$(bridge_pid)" = "$bridge" ]
}

@test "x11: the window manager recovers from a flood of windows, requests and keyboards (9)" {
    run --separate-stderr windows_in_box dialog
    assert_contains "in the middle"
    local manager before
    manager=$(manager_pid)
    run --separate-stderr windows_in_box flood
    assert_output "window has the keyboard"$'\n'"fills the screen"
    [ "$(manager_pid)" = "$manager" ]
    [ "$(ticks "$manager")" -gt 0 ]
    # The end of the flood may still be on its way.
    rests() { before=$(ticks "$manager") && sleep 2 && [ $(($(ticks "$manager") - before)) -lt 20 ]; }
    eventually rests
}
no_manager() { [ -z "$(manager_pid)" ]; }
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

@test "x11: killing the window manager closes no window, and the next server has a new one (9)" {
    run --separate-stderr windows_in_box dialog
    assert_contains "in the middle"
    local bridge server end
    bridge=$(bridge_pid)
    for end in steal orphan; do
        server=$(server_pid)
        windows_in_box "$end" >"$TEST_HOME/$end" 3>&- &
        local client=$!
        eventually grep -qs 'has the keyboard' "$TEST_HOME/$end"
        [ "$end" = steal ] || kill -KILL "$(manager_pid)"
        wait "$client"
        run cat "$TEST_HOME/$end"
        assert_output "window has the keyboard"$'\n'"a later one is shown"$'\n'"the keyboard stays"
        [ "$(server_pid)" = "$server" ]
        eventually no_manager
        eventually no_server
        run --separate-stderr windows_in_box dialog
        assert_contains "in the middle"
        [ "$(bridge_pid)" = "$bridge" ]
    done
}

@test "x11: killing the X server or its jail ends both, and the next client gets a new one (9)" {
    run --separate-stderr windows_in_box dialog
    assert_contains "in the middle"
    local which process server
    for which in x_server_pid server_pid; do
        server=$(server_pid)
        process=$($which)
        kill -KILL "$process"
        eventually process_ended "$server"
        eventually shows_dialog
    done
}
shows_dialog() { windows_in_box dialog 2>/dev/null | grep -q 'in the middle'; }

@test "x11: an X server that a box put on PATH is not run (2)" {
    desktop_begin
    mkdir bin
    printf '#!/bin/sh\necho x >"%s/planted"\n' "$TEST_HOME" >bin/Xwayland
    chmod +x bin/Xwayland
    # Control: on the host it runs.
    bin/Xwayland
    rm "$TEST_HOME/planted"
    PATH=$PROJECT/bin:$PATH attack "$inside_socket" "$inside_cookie"
    [ -n "$(x11_supervisor_pid)" ]
    sleep 1
    [ ! -e "$TEST_HOME/planted" ]
}

@test "x11: crashes, floods and garbage leave bridge and box running (9)" {
    box run -- true
    local bridge
    bridge=$(bridge_pid)
    run --separate-stderr box run -- python3 - "$inside_socket" <<'END'
import os, random, socket, sys
random.seed(4)
held = []
for i in range(1200):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(1)
    try:
        s.connect(sys.argv[1])
        s.send(bytes(random.randrange(256) for _ in range(random.randrange(1, 64))))
    except OSError:
        pass
    held.append(s)
print("end")
END
    assert_contains end
    [ "$(bridge_pid)" = "$bridge" ]
    # It may be starting or ending just now.
    local server
    server=$(server_pid)
    [ -z "$server" ] || pkill -SEGV -P "$server" -x 'Xwayland|Xephyr' || true
    eventually is_accepted
    [ "$(bridge_pid)" = "$bridge" ]
    [ "$(awk '/^RssAnon:/ { print $2 }' "/proc/$bridge/status")" -lt 600 ]
}
