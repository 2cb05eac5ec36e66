#!/usr/bin/env bats
# Attacks on the bus of a box from inside: ways to the host's bus, rights of services, floods, kills, the portal.
# shellcheck disable=SC2154,SC2153 # open.bash and box.bash set what is used

load escape.bash
load ../desktop/open.bash

setup() {
    escape_setup_file
    open_begin
    cp "$BATS_TEST_DIRNAME/../desktop/portal.py" .
    # The host's session bus with a service.
    notifications_begin body
}
teardown() {
    open_end
    box_teardown
}

ask_bus() { run --separate-stderr in_box timeout 60 python3 portal.py "$@"; }
portal=(org.freedesktop.portal.Desktop /org/freedesktop/portal/desktop)

@test "bus: control: the host's bus has the host's service and the box's bus does not (2)" {
    run /usr/bin/python3 portal.py names
    assert_contains org.freedesktop.Notifications
    ask_bus names
    assert_output org.freedesktop.DBus
}

@test "bus: a box cannot reach the host's buses by address, abstract name or as root (2)" {
    local address
    for address in "$DBUS_SESSION_BUS_ADDRESS" "${DBUS_SESSION_BUS_ADDRESS%,guid=*}" unix:path=/run/dbus/system_bus_socket \
        unix:path=/var/run/dbus/system_bus_socket unix:path=/proc/1/root/run/dbus/system_bus_socket; do
        run in_box env DBUS_SESSION_BUS_ADDRESS="$address" timeout 10 python3 portal.py names
        [ "$status" != 0 ] || fail "$address: $output"
        run box run -u root -- env DBUS_SESSION_BUS_ADDRESS="$address" timeout 10 python3 portal.py names
        [ "$status" != 0 ] || fail "root: $address: $output"
    done
    run in_box dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames
    [ "$status" != 0 ]
    run in_box cat /proc/net/unix
    refute_contains "@/tmp/dbus"
    run in_box env
    refute_contains "$DBUS_SESSION_BUS_ADDRESS"
    refute_contains DBUS_SYSTEM
}

@test "bus: a service that the bus starts has a session's rights and guard (6, 7)" {
    git init -q .
    touch .git/config
    cp .git/config before
    cat >evil.sh <<'EVIL'
#!/bin/sh
cd "$(dirname "$0")" || exit
grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status >status
echo evil >.envrc
mkdir .vscode
echo evil >.git/config
echo evil >.git/hooks/pre-commit
sudo -n true && touch root
touch "done"
exit 1
EVIL
    chmod +x evil.sh
    in_box sh -c 'mkdir -p ~/.local/share/dbus-1/services
        printf "[D-BUS Service]\nName=org.example.Evil\nExec=%s/evil.sh\n" "$PWD" >~/.local/share/dbus-1/services/a.service'
    ask_bus call org.example.Evil / a.b.C
    assert_status 1
    eventually test -e "done"
    in_box grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status >expected
    cmp status expected || fail "$(cat status)"
    grep -q '^CapBnd:[[:space:]]*0*$' status
    cmp .git/config before
    [ ! -e .envrc ]
    [ ! -e .vscode ]
    [ ! -e .git/hooks/pre-commit ]
    [ ! -e root ]
}

flood='import os, socket
path = os.environ["XDG_RUNTIME_DIR"] + "/bus"
kept = []
for i in range(3000):
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try: s.connect(path)
    except OSError: pass
    if len(kept) < 500: kept.append(s)
    else: s.close()
print("flooded")'

@test "bus: a bus daemon that dies, hangs or is flooded blocks neither PID 1 nor sessions (9)" {
    local body
    for body in 'exit 1' 'kill -KILL $$' 'exec sleep 300' 'exec 3<\&-; sleep 2'; do
        in_box sh -c 'mkdir -p ~/.local/bin; printf "#!/bin/sh\n%s\n" "$0" >~/.local/bin/dbus-daemon; chmod +x ~/.local/bin/dbus-daemon' "$body"
        run in_box timeout 60 python3 -c "$flood"
        assert_contains flooded
        run timeout 60 box run -- echo alive
        assert_contains alive
        box stop
    done
    # Clients connect again and again to a daemon that ends at once.
    in_box sh -c 'printf "#!/bin/sh\nexit 1\n" >~/.local/bin/dbus-daemon'
    box run --detach -- timeout 30 sh -c 'while :; do timeout 5 python3 -c "$0"; done' "$flood"
    sleep 1
    for body in 1 2 3 4 5; do
        run timeout 60 box run -- echo alive
        assert_contains alive
    done
    box stop
    in_box sh -c 'rm ~/.local/bin/dbus-daemon'
    run in_box timeout 60 python3 -c "$flood"
    [ "$status" != 124 ]
    run timeout 60 box run -- echo alive
    assert_contains alive
    ask_bus names
    assert_output org.freedesktop.DBus
}

@test "bus: replacing or removing the bus socket affects only the box (2)" {
    in_box sh -c 'rm $XDG_RUNTIME_DIR/bus'
    ask_bus names
    assert_status 1
    in_box sh -c "ln -s '${DBUS_SESSION_BUS_ADDRESS#unix:*=}' \$XDG_RUNTIME_DIR/bus"
    ask_bus names
    assert_status 1
    assert_box_alive
    box stop
    ask_bus names
    assert_output org.freedesktop.DBus
}

@test "portal: after malformed calls it has opened and shown nothing, and still answers (2, 8, 9)" {
    ask_bus call "${portal[@]}" org.freedesktop.DBus.Peer.Ping
    assert_output "()"
    cat >hostile.py <<'END'
import random
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
random.seed(1)
texts = ["", "\u202e", "x" * 300000, "<b>", "\x1b[31m", "-h", "/etc/passwd", "https://a.example/\n"]
def text(): return random.choice(texts)
for i in range(300):
    method, kind, values = random.choice([
        ("org.freedesktop.portal.OpenURI.OpenURI", "(ssa{sv})", (text(), text(), {"handle_token": GLib.Variant("s", text())})),
        ("org.freedesktop.portal.OpenURI.OpenURI", "(ssa{sv})", (text(), text(), {})),
        ("org.freedesktop.portal.Notification.RemoveNotification", "(s)", (text(),)),
        ("org.freedesktop.portal.Settings.ReadAll", "(as)", ([text()] * 50,)),
        ("org.freedesktop.portal.Request.Close", "()", ()),
        ("org.freedesktop.DBus.Properties.Get", "(ss)", (text(), text())),
        ("org.freedesktop.portal.OpenURI.OpenFile", "(ss)", (text(), text()))])
    face, member = method.rsplit(".", 1)
    path = random.choice(["/org/freedesktop/portal/desktop", "/", "/org/freedesktop/portal/desktop/request/1_1/t"])
    bus.call("org.freedesktop.portal.Desktop", path, face, member, GLib.Variant(kind, values), None,
             Gio.DBusCallFlags.NONE, 1000, None, None)
bus.flush_sync(None)
print("called")
try: # larger than the maximum message
    bus.call_sync("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "Notify",
                  GLib.Variant("(s)", ("x" * 40000000,)), None, Gio.DBusCallFlags.NONE, 20000, None)
except GLib.Error as error:
    print("ended:", error.message)
END
    run in_box timeout 120 python3 hostile.py
    assert_contains called
    assert_contains ended
    ask_bus call "${portal[@]}" org.freedesktop.DBus.Peer.Ping
    assert_output "()"
    [ ! -e "$opened" ] || fail "$(cat "$opened")"
    [ ! -s "$shown" ] || fail "$(cat "$shown")"
    assert_box_alive
}

@test "portal: taking its bus names affects only the box (2)" {
    begin python3 portal.py own org.freedesktop.Notifications
    eventually grep -q owned "$asked"
    ask_bus call org.freedesktop.Notifications /org/freedesktop/Notifications org.freedesktop.Notifications.Notify \
        "('e', uint32 0, '', 't', 'b', @as [], @a{sv} {}, -1)"
    assert_status 1
    [ ! -s "$shown" ]
    # The host's names are unchanged, and the portal still owns its other name.
    run /usr/bin/python3 portal.py call org.freedesktop.Notifications /org/freedesktop/Notifications \
        org.freedesktop.Notifications.GetCapabilities
    assert_output "(['body'],)"
    ask_bus call "${portal[@]}" org.freedesktop.DBus.Peer.Ping
    assert_output "()"
    ask_bus call org.freedesktop.Notifications /a a.b.Stop
    assert_output "()"
    ended_with 0
}
