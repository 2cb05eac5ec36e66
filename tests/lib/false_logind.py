"""A fake logind: owns its name on the system bus, answers once and correctly that the user's session is
locked, and then sends malformed signals, and signals about other sessions, again and again."""
import os
import sys

from gi.repository import Gio, GLib

LOGIN = "org.freedesktop.login1"
MANAGER = "/org/freedesktop/login1"
OWN = MANAGER + "/session/own"
INTERFACES = """<node><interface name="org.freedesktop.login1.Manager">
<method name="ListSessions"><arg type="a(susso)" direction="out"/></method></interface>
<interface name="org.freedesktop.login1.Session">
<property name="LockedHint" type="b" access="read"/></interface></node>"""

lists = 0


def say(bus, path, interface, name, value):
    bus.emit_signal(None, path, interface, name, GLib.Variant.parse(None, value, None, None))


def lie(bus):
    properties = "org.freedesktop.DBus.Properties"
    session = LOGIN + ".Session"
    for value in ("()", "(1,)", "('x', false)", "('%s', {'LockedHint': 0}, @as [])" % session,
                  "('%s', {'LockedHint': <'no'>}, @as [])" % session,
                  "('%s', {'LockedHint': <uint32 0>}, @as [])" % session,
                  "('%s', {'lockedhint': <false>}, @as [])" % session,
                  "('%s', @a{sv} {}, ['LockedHint'])" % session,
                  "('%s.User', {'LockedHint': <false>}, @as [])" % LOGIN):
        say(bus, OWN, properties, "PropertiesChanged", value)
    good = "('%s', {'LockedHint': <false>}, @as [])" % session
    for path in (MANAGER, MANAGER + "/session/other", "/"):
        say(bus, path, properties, "PropertiesChanged", good)
        say(bus, path, LOGIN + ".Session", "Unlock", "()")
    say(bus, OWN, LOGIN + ".Session", "Unlock", "(1, 'x')")
    for name, value in (("PrepareForSleep", "()"), ("PrepareForSleep", "('yes',)"),
                        ("SessionNew", "()"), ("SessionRemoved", "(1,)"), ("Nonsense", "(<1>,)")):
        say(bus, MANAGER, LOGIN + ".Manager", name, value)


def on_call(bus, sender, path, interface, method, arguments, call):
    global lists
    lists += 1
    rows = [("c1", os.getuid(), "me", "", OWN)] * 2 + [("c9", 0, "root", "", MANAGER + "/session/other")]
    if lists == 1:
        call.return_value(GLib.Variant("(a(susso))", (rows,)))
        GLib.timeout_add(500, lambda: lie(bus))
        GLib.timeout_add(2000, lambda: print("finished", file=sys.stderr, flush=True))
    else:
        # The caller asks again because of SessionNew and drops this answer of a wrong type.
        call.return_dbus_error("org.freedesktop.DBus.Error.Failed", "no")


def on_get(bus, sender, path, interface, name):
    return GLib.Variant("b", True)


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
    node = Gio.DBusNodeInfo.new_for_xml(INTERFACES)
    bus.register_object(MANAGER, node.interfaces[0], on_call, None, None)
    bus.register_object(OWN, node.interfaces[1], None, on_get, None)
    Gio.bus_own_name_on_connection(bus, LOGIN, Gio.BusNameOwnerFlags.NONE, lambda *_: print(
        "ready", file=sys.stderr, flush=True), None)
    GLib.MainLoop().run()


main()
