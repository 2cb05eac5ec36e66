"""X11 windows of a program in a box, without a library, and what the window manager does with them.

x11_windows.py SOCKET COOKIE-FILE ACTION

Prints a line for each thing that it waited for, in this order, or what has not come within 45 s.
"""
import struct
import sys
import time

import x11_attacks
from x11_display import (ATOM, REDIRECT, WINDOW, WM_HINTS, WM_NORMAL_HINTS, WM_SIZE_HINTS,
                         WM_TRANSIENT_FOR, Display, fills)


def dialog(d):
    main = d.window()
    d.map(main)
    d.focused(main, "window")
    print("fills the screen" if fills(d, main) else d.geometry(main))
    over = d.window(0, 0, 300, 200)
    d.set(over, WM_TRANSIENT_FOR, WINDOW, main)
    d.map(over)
    d.focused(over, "dialog")
    width, height = d.geometry(d.root)[2:]
    at = d.geometry(over)
    print("in the middle" if at == ((width - 300) // 2, (height - 200) // 2, 300, 200) else at)
    d.destroy(over)
    d.focused(main, "window")


def java(d):
    """Wants no keyboard, but to be told to take it; asks who manages it."""
    check = struct.unpack("<I", d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")))[0]
    print(d.get(check, d.atom("_NET_WM_NAME")).decode())
    main = d.window()
    d.set(main, WM_HINTS, WM_HINTS, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    d.set(main, d.atom("WM_PROTOCOLS"), ATOM, d.atom("WM_TAKE_FOCUS"), d.atom("WM_DELETE_WINDOW"))
    d.map(main)
    d.told(main, "WM_TAKE_FOCUS")
    print("state", *struct.unpack("<II", d.get(main, d.atom("WM_STATE"))))
    print("active", struct.unpack("<I", d.get(d.root, d.atom("_NET_ACTIVE_WINDOW")))[0] == main)
    d.tell_manager(main, d.atom("_NET_CLOSE_WINDOW"))
    d.told(main, "WM_DELETE_WINDOW")


def many(d):
    """Each has the keyboard once; the ones that are left get it back in turn."""
    all_of_them = [d.window() for _ in range(200)]
    for window in all_of_them:
        d.map(window)
    last = all_of_them[-1]
    d.focused(last, "the last")
    print(len(d.get(d.root, d.atom("_NET_CLIENT_LIST"))) // 4, "are listed")
    while len(all_of_them) > 1:
        d.destroy(all_of_them.pop())
    d.focused(all_of_them[0], "the first")
    d.unmap(all_of_them[0])
    d.map(all_of_them[0])
    d.focused(all_of_them[0], "the first")


def own(d):
    """Gives the keyboard to one of its windows itself, which then ends."""
    one, other = d.window(), d.window()
    d.map(one)
    d.focused(one, "one")
    d.map(other)
    d.focused(other, "the other")
    d.ask(42, 0, struct.pack("<II", one, 0))  # with nobody to go back to
    d.focused(one, "one")
    d.destroy(one)
    d.focused(other, "the other")


def click(d):
    """Somebody clicks into the left one of two, of which the other covers a part; then into that."""
    width, height = d.geometry(d.root)[2:]
    size = width * 6 // 10, height - 20
    windows = {"left": d.window(1, 10, *size), "right": d.window(width - size[0], 10, *size)}
    for what, window in windows.items():
        d.set(window, WM_NORMAL_HINTS, WM_SIZE_HINTS, 0x20, *[0] * 6, *size, *[0] * 9)
        d.map(window)
        d.focused(window, what)
    for what, window in windows.items():
        print("ready for", what)
        d.focused(window, what)
        d.clicked(window, what)
        print(what, "is in front" if d.top() == window else "is not in front")


def resize(d):
    """The screen gets another size meanwhile."""
    main, before = d.window(), d.geometry(d.root)
    d.map(main)
    d.focused(main, "window")
    print("fills the screen" if fills(d, main) else d.geometry(main))
    for _ in range(100):
        if d.geometry(d.root) != before and fills(d, main):
            print("fills the other")
            return
        time.sleep(0.1)
    print(before, d.geometry(d.root), d.geometry(main))


def keys(d):
    """Somebody presses Alt+Tab and then Alt+F4 meanwhile."""
    one, other = d.window(), d.window()
    d.set(one, d.atom("WM_PROTOCOLS"), ATOM, d.atom("WM_DELETE_WINDOW"))
    d.map(one)
    d.focused(one, "one")
    d.map(other)
    d.focused(other, "the other")
    d.focused(one, "one again")
    d.told(one, "WM_DELETE_WINDOW")


def replace(d):
    """Is a window manager itself, as one is that is started with --replace."""
    mine = d.window()
    d.ask(22, 0, struct.pack("<III", mine, d.atom("WM_S0"), 0))
    for _ in range(50):
        d.ask(2, 0, struct.pack("<III", d.root, 0x800, REDIRECT))
        d.ask(43, 0, b"")
        if d.reply(or_error=True)[0] == 1:
            print("taken")
            return
        d.reply()
        time.sleep(0.1)
    print("not given up")


def main(path, cookie, action):
    sys.stdout.reconfigure(line_buffering=True)
    d = Display(path, cookie)
    # The manager may be a moment behind the first client.
    for _ in range(100):
        if d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")):
            break
        time.sleep(0.1)
    actions = [dialog, java, many, own, click, resize, keys, replace,
               x11_attacks.lies, x11_attacks.flood, x11_attacks.orphan, x11_attacks.steal]
    {each.__name__: each for each in actions}[action](d)


main(*sys.argv[1:])
