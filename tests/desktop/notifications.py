"""A desktop's notification service for tests: writes each one as a line of JSON to FILE.

notifications.py FILE [CAPABILITY…]
"""
import json
import sys

from gi.repository import Gio, GLib

XML = """<node><interface name="org.freedesktop.Notifications">
<method name="GetCapabilities"><arg type="as" direction="out"/></method>
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
<arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method>
</interface></node>"""
KEYS = ("app", "replaces", "icon", "title", "body", "actions", "hints", "timeout")


def on_call(_bus, _sender, _path, _interface, method, parameters, invocation):
    if method == "GetCapabilities":
        invocation.return_value(GLib.Variant("(as)", (sys.argv[2:],)))
        return
    with open(sys.argv[1], "a", encoding="utf-8") as out:
        out.write(json.dumps(dict(zip(KEYS, parameters.unpack()))) + "\n")
    invocation.return_value(GLib.Variant("(u)", (1,)))


def on_bus(bus, _name):
    bus.register_object("/org/freedesktop/Notifications", Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0],
                        on_call, None, None)


Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.Notifications", Gio.BusNameOwnerFlags.NONE, on_bus,
                 lambda *_: open(sys.argv[1], "a", encoding="utf-8").close(), None)
GLib.MainLoop().run()
