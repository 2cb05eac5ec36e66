"""Attacks of a hostile program on its window manager: actions of x11_windows.py."""
import random
import select
import struct
import time

from x11_display import (ATOM, CARDINAL, CLIENT_MESSAGE, MAP_NOTIFY, REDIRECT, STRING, WINDOW,
                         WM_HINTS, WM_NORMAL_HINTS, WM_SIZE_HINTS, WM_TRANSIENT_FOR, Display, fills)


def lies(d):
    """Sets each property that a window manager reads to wrong values, then opens a correct window."""
    random.seed(4)
    names = ["WM_PROTOCOLS", "WM_STATE", "_NET_WM_STATE", "_NET_WM_WINDOW_TYPE", "_NET_CLIENT_LIST",
             "_NET_WM_STATE_FULLSCREEN", "_NET_ACTIVE_WINDOW", "_NET_REQUEST_FRAME_EXTENTS", "WM_S0"]
    props = [d.atom(name) for name in names] + [WM_HINTS, WM_NORMAL_HINTS, WM_TRANSIENT_FOR]
    kinds = [ATOM, CARDINAL, STRING, WINDOW, WM_HINTS, WM_SIZE_HINTS]
    check = struct.unpack("<I", d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")))[0]
    liars = [d.window(random.randrange(-32768, 32767), 32767, 65535, 1) for _ in range(1300)]
    for number, window in enumerate(liars):
        for prop in random.sample(props, 6):
            width, count = random.choice([8, 16, 32]), random.choice([0, 1, 2, 9, 500])
            data = bytes(random.choices(range(256), k=count * width // 8))
            d.set_bytes(window, prop, random.choice(kinds), width, count, data)
        # Windows transient for each other, themselves, the root, or no window.
        owner = random.choice([window, liars[number - 1], random.choice(liars), d.root, check, 1])
        d.set(window, WM_TRANSIENT_FOR, WINDOW, owner)
        d.set(window, WM_NORMAL_HINTS, WM_SIZE_HINTS, 0xffffffff, *random.choices(
            [0, 1, 0x7fffffff, 0x80000000, 0xffffffff], k=17))
        d.map(window)
        for prop in props:
            d.tell_manager(random.choice([window, d.root, check, 0xffffffff]), prop,
                           *random.choices([0, 1, 2, 0xffffffff] + props, k=5))
        # Forged events of the server.
        d.ask(25, 0, struct.pack("<II", d.root, REDIRECT)
              + bytes([random.randrange(2, 36)] + random.choices(range(256), k=31)))
        if number % 10 == 0:
            d.destroy(window)
        if number % 50 == 0:
            d.ask(43, 0, b"")  # reads what has arrived
            d.reply()
            d.events.clear()
    for window in liars:
        d.destroy(window)
    honest = d.window()
    d.map(honest)
    d.focused(honest, "window")
    print("fills the screen" if fills(d, honest) else d.geometry(honest))


def flood(d):
    """Sends everything that a window manager answers for 5 s, then opens a correct window of another program."""
    windows, honest = [d.window() for _ in range(300)], Display(*d.server)
    everything = b""
    for number, window in enumerate(windows):
        # Windows transient for the first, which is transient for them.
        d.set(window, WM_TRANSIENT_FOR, WINDOW, windows[0 if number else 1])
        everything += struct.pack("<BBHI", 8, 0, 2, window)  # shown, in front, other state, hidden
        everything += struct.pack("<BBHIHHI", 12, 0, 4, window, 0x40, 0, 0)
        everything += struct.pack("<BBHII", 25, 0, 11, d.root, REDIRECT) + struct.pack(
            "<BBHII5I", CLIENT_MESSAGE, 32, 0, window, d.atom("_NET_WM_STATE"), 2,
            d.atom("_NET_WM_STATE_FULLSCREEN"), 0, 0, 0)
        everything += struct.pack("<BBHI", 10, 0, 2, window)
        # A keyboard of the maximum size.
        everything += struct.pack("<BBHBBH", 100, 1, 2 + 255, 8, 255, 0) + b"\0" * 1020
    end = time.monotonic() + 5
    while time.monotonic() < end:
        d.s.sendall(everything)
        while select.select([d.s], [], [], 0)[0]:
            d.s.recv(1 << 20)
    d.s.close()
    window = honest.window()
    honest.map(window)
    honest.focused(window, "window")
    print("fills the screen" if fills(honest, window) else honest.geometry(window))


def orphaned(d, window):
    """Runs when there is no window manager any more."""
    for _ in range(100):
        d.ask(23, 0, struct.pack("<I", d.atom("WM_S0")))
        if not struct.unpack_from("<I", d.reply(), 8)[0]:
            break
        time.sleep(0.1)
    later = d.window()
    d.map(later)
    d.event(lambda e: e[0] == MAP_NOTIFY and struct.unpack_from("<I", e, 8)[0] == later, "its showing")
    print("a later one is shown")
    d.ask(43, 0, b"")
    print("the keyboard", "stays" if struct.unpack_from("<I", d.reply(), 8)[0] == window else "has gone")


def orphan(d):
    """Continues while the window manager is killed."""
    window = d.window()
    d.map(window)
    d.focused(window, "window")
    orphaned(d, window)


def steal(d):
    """Maps the window manager's own window and kills its owner."""
    window = d.window()
    d.map(window)
    d.focused(window, "window")
    check = struct.unpack("<I", d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")))[0]
    d.ask(2, 0, struct.pack("<III", check, 0x200, 0))
    d.map(check)
    d.tell_manager(check, d.atom("_NET_CLOSE_WINDOW"))
    d.ask(113, 0, struct.pack("<I", check))
    orphaned(d, window)
