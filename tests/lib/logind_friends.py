"""Fake peers of a real logind: polkit, which allows everything, and systemd, which reports that each unit
was started, and does nothing."""
import itertools
import sys

from gi.repository import Gio, GLib

SYSTEMD = "/org/freedesktop/systemd1"
INTERFACES = """<node><interface name="org.freedesktop.PolicyKit1.Authority">
<method name="CheckAuthorization"><arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/>
<arg type="a{ss}" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="(bba{ss})" direction="out"/></method></interface>
<interface name="org.freedesktop.systemd1.Manager"><method name="Subscribe"/><method name="StartUnit">
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
<method name="StartTransientUnit"><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="a(sv)" direction="in"/><arg type="a(sa(sv))" direction="in"/><arg type="o" direction="out"/></method>
</interface>
<interface name="org.freedesktop.systemd1.Unit"><property name="LoadState" type="s" access="read"/></interface>
</node>"""
numbers = itertools.count(1)


def on_polkit(bus, sender, path, interface, method, arguments, call):
    call.return_value(GLib.Variant("((bba{ss}))", ((True, False, {}),)))


def on_systemd(bus, sender, path, interface, method, arguments, call):
    if method == "Subscribe":
        call.return_value(None)
        return
    number, unit = next(numbers), arguments.unpack()[0]
    job = SYSTEMD + "/job/%d" % number
    call.return_value(GLib.Variant("(o)", (job,)))
    bus.emit_signal(sender, SYSTEMD, interface, "JobRemoved", GLib.Variant("(uoss)", (number, job, unit, "done")))


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
    polkit, manager, unit = Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces
    bus.register_object("/org/freedesktop/PolicyKit1/Authority", polkit, on_polkit, None, None)
    bus.register_object(SYSTEMD, manager, on_systemd, None, None)
    bus.register_object(SYSTEMD + "/unit/suspend_2etarget", unit, None,
                        lambda *_: GLib.Variant("s", "loaded"), None)
    for name in ("org.freedesktop.PolicyKit1", "org.freedesktop.systemd1"):
        Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, lambda _, name: print(
            "ready", name, file=sys.stderr, flush=True), None)
    GLib.MainLoop().run()


main()
