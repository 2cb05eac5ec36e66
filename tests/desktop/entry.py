"""entry.py FILE: a window with a text field, whose text goes into FILE."""
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def write(entry):
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(entry.get_text())


field = Gtk.Entry()
field.connect("changed", write)
window = Gtk.Window(title="entry")
window.connect("destroy", Gtk.main_quit)
window.add(field)
window.show_all()
field.grab_focus()
Gtk.main()
