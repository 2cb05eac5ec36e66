"""Plugs a keyboard, and with "mouse" a mouse, into the compositor of WAYLAND_DISPLAY until it is ended.

input.py ORDERS DONE [mouse]

Both are FIFOs. Writes a line "done" to DONE when all is plugged in, and each time that the compositor has handled a
line of ORDERS:

    key [MODIFIER+…]KEYSYM…   presses and releases each; a modifier is ctrl, alt or shift
    type TEXT
    click X Y                 moves the mouse to this place of a display of 1280x720, and clicks
"""
import os
import struct
import sys
import time

from compositor import bind, send, settle

SIZE = 1280, 720
LEFT = 0x110
# The masks of the modifiers that every keymap has.
MASKS = {"shift": 1, "ctrl": 4, "alt": 8}
SHIFT, CONTROL, ALT = "Shift_L", "Control_L", "Alt_L"
NAMED = ["Escape", "Tab", "Return", "BackSpace", "Delete", "Home", "F4"]
NAMES = {" ": "space", "\n": "Return", "€": "EuroSign"}
FIRST_KEYCODE = 9


def keysym(letter):
    return NAMES.get(letter) or ("U%04X" % ord(letter))


# A key for each keysym, without levels.
SYMS = [SHIFT, CONTROL, ALT] + NAMED + [keysym(chr(c)) for c in range(32, 127)] + ["EuroSign"]
# "a" is the name of U0061, and so for all letters and digits.
KEYS = {name: i + 1 for i, name in enumerate(SYMS)}
KEYS.update({chr(c): KEYS["U%04X" % c] for c in range(33, 127)})


def keymap():
    codes = "".join("<K%d> = %d;\n" % (i, FIRST_KEYCODE + i - 1) for i in KEYS.values() if i)
    syms = "".join("key <K%d> {[%s]};\n" % (i, name) for name, i in zip(SYMS, range(1, len(SYMS) + 1)))
    mods = "".join("modifier_map %s { <K%d> };\n" % (mod, KEYS[key])
                   for mod, key in (("Shift", SHIFT), ("Control", CONTROL), ("Mod1", ALT)))
    return ("xkb_keymap {\nxkb_keycodes \"tests\" { minimum = 8; maximum = 255;\n%s};\n"
            "xkb_types \"tests\" { include \"complete\" };\nxkb_compatibility \"tests\" { include \"complete\" };\n"
            "xkb_symbols \"tests\" {\n%s%s};\n};\n" % (codes, syms, mods))


def now():
    return int(time.monotonic() * 1000) & 0xFFFFFFFF


class Input:
    def __init__(self, with_mouse):
        wanted = ["wl_seat", "zwp_virtual_keyboard_manager_v1"]
        if with_mouse:
            wanted.append("zwlr_virtual_pointer_manager_v1")
        bound, self.keyboard = bind(*wanted)
        self.mouse = self.keyboard + 1
        # The number of a callback can be used again after it was called.
        self.callback = self.keyboard + (2 if with_mouse else 1)
        send(bound[1], 0, struct.pack("=II", bound[0], self.keyboard))
        self.send_keymap()
        if with_mouse:
            send(bound[2], 0, struct.pack("=II", 0, self.mouse))
        settle(self.callback)

    def send_keymap(self):
        data = keymap().encode() + b"\0"
        fd = os.memfd_create("keymap")
        os.write(fd, data)
        send(self.keyboard, 0, struct.pack("=II", 1, len(data)), fd)
        os.close(fd)

    def press(self, key, mask=0):
        if mask:
            send(self.keyboard, 2, struct.pack("=IIII", mask, 0, 0, 0))
        for state in (1, 0):
            # As the kernel counts keys: eight less than XKB.
            send(self.keyboard, 1, struct.pack("=III", now(), FIRST_KEYCODE + key - 1 - 8, state))
        if mask:
            send(self.keyboard, 2, struct.pack("=IIII", 0, 0, 0, 0))

    def key(self, *names):
        for name in names:
            *modifiers, last = name.split("+")
            self.press(KEYS[last], sum(MASKS[each] for each in modifiers))

    def type(self, text):
        for letter in text:
            self.press(KEYS[keysym(letter)])

    def click(self, x, y):
        for opcode, values in ((1, (int(x), int(y), *SIZE)), (2, (LEFT, 1)), (2, (LEFT, 0))):
            send(self.mouse, opcode, struct.pack("=%dI" % (1 + len(values)), now(), *values))
            send(self.mouse, 4, b"")

    def obey(self, line):
        word, _, rest = line.partition(" ")
        if word == "type":
            self.type(rest)
        else:
            {"key": self.key, "click": self.click}[word](*rest.split())
        settle(self.callback)


def main(orders, done, mouse=""):
    # Opened for reading and writing: no side waits for the other to open them, and there is no end of file.
    with open(os.open(orders, os.O_RDWR)) as lines, os.fdopen(os.open(done, os.O_RDWR), "w", buffering=1) as replies:
        plugged_in = Input(mouse == "mouse")
        print("done", file=replies)
        for line in lines:
            plugged_in.obey(line.rstrip("\n"))
            print("done", file=replies)


main(*sys.argv[1:])
