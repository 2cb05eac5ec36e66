"""Prints the appearance settings that GTK 3 and the C library have. With an argument, SECONDS, opens a window for so long."""
import locale
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

settings = Gtk.Settings.get_default()
for name in ("theme-name", "icon-theme-name", "cursor-theme-name", "cursor-theme-size", "font-name",
             "application-prefer-dark-theme", "decoration-layout", "xft-dpi", "enable-animations"):
    print("%s %s" % (name, settings.get_property("gtk-" + name)))
schemas = Gio.SettingsSchemaSource.get_default()
if schemas and schemas.lookup("org.gnome.desktop.interface", True):
    interface = Gio.Settings.new("org.gnome.desktop.interface")
    print("scheme %s" % interface.get_string("color-scheme"))
    print("monospace %s" % interface.get_string("monospace-font-name"))
else:
    print("no schemas")
print("context %s" % Gtk.IMMulticontext().get_context_id())
print("locale %s" % locale.setlocale(locale.LC_ALL, ""))
print("zone %s" % time.strftime("%Z"))
sys.stdout.flush()
if len(sys.argv) > 1:
    window = Gtk.Window(title="appearance")
    window.connect("destroy", Gtk.main_quit)
    window.set_default_size(400, 300)
    window.show_all()
    GLib.timeout_add_seconds(int(sys.argv[1]), Gtk.main_quit)
    Gtk.main()
