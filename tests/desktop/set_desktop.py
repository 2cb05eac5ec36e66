"""set_desktop.py KEY VALUE…: sets keys of org.gnome.desktop.interface as a settings program does."""
import sys

from gi.repository import Gio, GLib

interface = Gio.Settings.new("org.gnome.desktop.interface")
for key, value in zip(sys.argv[1::2], sys.argv[2::2]):
    kind = interface.get_value(key).get_type()
    text = kind.equal(GLib.VariantType.new("s"))
    if not interface.set_value(key, GLib.Variant("s", value) if text else GLib.Variant.parse(kind, value)):
        sys.exit("cannot set " + key)
Gio.Settings.sync()
