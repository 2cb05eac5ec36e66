"""Calls methods on a box's session bus. Prints the answer as GVariant text, an error as "error NAME: TEXT".

portal.py names                        who is on the bus
portal.py call DEST PATH FACE.METHOD [PARAMETERS]
portal.py open ADDRESS [TOKEN]         the portal's OpenURI, to its Response
portal.py cancel ADDRESS FILE          the same, closed as soon as FILE exists
portal.py own NAME                     has that name until it is called "Stop"
portal.py flood COUNT                  so many notifications at once; prints how many were refused, and why
portal.py application ID TITLE BODY FILE   a GApplication's notification; ends as soon as FILE exists
portal.py chooser                      GTK's dialog for a file, until it is closed
"""
import os
import sys

import gi
from gi.repository import Gio, GLib

DESKTOP = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")


def call(bus, name, path, method, parameters=None):
    face, member = method.rsplit(".", 1)
    return bus.call_sync(name, path, face, member, parameters, None, Gio.DBusCallFlags.NONE, 90000, None)


def names(bus):
    for name in sorted(call(bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames").unpack()[0]):
        if not name.startswith(":"):
            print(name)


def any_call(bus, name, path, method, text=None):
    print(call(bus, name, path, method, GLib.Variant.parse(None, text, None, None) if text else None).print_(True))


def when_exists(path, then):
    """Calls THEN once, when the file PATH exists."""
    def look():
        if not os.path.exists(path):
            return True
        then()
        return False
    GLib.timeout_add(50, look)


def open_page(bus, address, token="", close_at=""):
    loop = GLib.MainLoop()

    def on_response(_bus, _sender, path, _face, _signal, parameters):
        print(path.rsplit("/", 1)[1], parameters.print_(True))
        loop.quit()

    def on_order():
        call(bus, DESKTOP[0], handle, "org.freedesktop.portal.Request.Close")
        print("closed")
        GLib.timeout_add(1000, loop.quit)

    bus.signal_subscribe(DESKTOP[0], "org.freedesktop.portal.Request", "Response", None, None,
                         Gio.DBusSignalFlags.NONE, on_response)
    options = {"handle_token": GLib.Variant("s", token)} if token else {}
    handle = call(bus, *DESKTOP, "org.freedesktop.portal.OpenURI.OpenURI",
                  GLib.Variant("(ssa{sv})", ("", address, options))).unpack()[0]
    sender = bus.get_unique_name()[1:].replace(".", "_")
    assert handle.startswith(f"{DESKTOP[1]}/request/{sender}/"), handle
    if close_at:
        when_exists(close_at, on_order)
    loop.run()


def own(bus, name):
    loop = GLib.MainLoop()
    face = Gio.DBusNodeInfo.new_for_xml('<node><interface name="a.b"><method name="Stop"/></interface></node>')

    def on_call(*arguments):
        arguments[-1].return_value(None)
        bus.flush_sync(None)
        loop.quit()

    bus.register_object("/a", face.interfaces[0], on_call, None, None)
    Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, lambda *_: print("owned", flush=True),
                                   lambda *_: sys.exit("lost"))
    loop.run()


def flood(bus, count):
    loop = GLib.MainLoop()
    refused, open_calls = [], [int(count)]

    def on_answer(_source, result):
        try:
            bus.call_finish(result)
        except GLib.Error as error:
            refused.append(error.message)
        open_calls[0] -= 1
        if not open_calls[0]:
            loop.quit()

    for number in range(int(count)):
        bus.call("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications",
                 "Notify", GLib.Variant("(susssasa{sv}i)", ("flood", 0, "", f"{number}", "", [], {}, -1)), None,
                 Gio.DBusCallFlags.NONE, 90000, None, on_answer)
    loop.run()
    print("refused:", len(refused), *sorted(set(refused)))


def application(_bus, ident, title, body, end_at):
    app = Gio.Application(application_id=ident, flags=Gio.ApplicationFlags.FLAGS_NONE)

    def on_activate(_app):
        one = Gio.Notification.new(title)
        one.set_body(body)
        app.send_notification("one", one)
        app.hold()
        when_exists(end_at, app.quit)

    app.connect("activate", on_activate)
    app.run([])


def chooser(_bus):
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk  # pylint: disable=import-outside-toplevel
    dialog = Gtk.FileChooserNative.new("choose a file of the box", None, Gtk.FileChooserAction.OPEN, None, None)
    dialog.connect("response", lambda *_: Gtk.main_quit())
    dialog.show()
    Gtk.main()


def main():
    wanted = {"names": names, "call": any_call, "open": open_page, "own": own, "flood": flood,
              "application": application, "chooser": chooser,
              "cancel": lambda bus, address, file: open_page(bus, address, close_at=file)}
    try:
        assert os.environ["DBUS_SESSION_BUS_ADDRESS"]
        wanted[sys.argv[1]](Gio.bus_get_sync(Gio.BusType.SESSION), *sys.argv[2:])
    except GLib.Error as error:
        name = Gio.DBusError.get_remote_error(error)
        Gio.DBusError.strip_remote_error(error)
        print(f"error {name}: {error.message}")
        sys.exit(1)


main()
