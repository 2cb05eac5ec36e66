"""Windows of a program in a box, of bytes alone, and what their manager makes of them.

x11_windows.py SOCKET COOKIE-FILE ACTION

Prints a line for each thing that it waited for, in this order, or what has not come within 15 s.
"""
import random
import socket
import struct
import sys
import time

from x11_client import connect

FOCUS_IN, NONLINEAR, CLIENT_MESSAGE = 9, 3, 33
EVENTS = 1 << 21 | 1 << 17  # FocusChange, StructureNotify
REDIRECT = 1 << 20
ATOM, CARDINAL, STRING, WINDOW = 4, 6, 31, 33
WM_HINTS, WM_NORMAL_HINTS, WM_SIZE_HINTS, WM_TRANSIENT_FOR = 35, 40, 41, 68


class Display:
    def __init__(self, path, cookie):
        self.s, setup = connect(path, cookie)
        self.next, vendor, formats = (struct.unpack_from("<xxxxI", setup)[0],
                                      struct.unpack_from("<H", setup, 16)[0], setup[21])
        screen = 32 + vendor + -vendor % 4 + 8 * formats
        self.root = struct.unpack_from("<I", setup, screen)[0]
        self.events, self.atoms = [], {}

    def ask(self, opcode, detail, body):
        body += b"\0" * (-len(body) % 4)
        self.s.sendall(struct.pack("<BBH", opcode, detail & 255, 1 + len(body) // 4) + body)

    def receive(self, count):
        data = b""
        while len(data) < count:
            more = self.s.recv(count - len(data))
            if not more:
                raise SystemExit("the server has gone")
            data += more
        return data

    def packet(self):
        data = self.receive(32)
        if data[0] == 1:
            data += self.receive(4 * struct.unpack_from("<I", data, 4)[0])
        return data

    def reply(self, or_error=False):
        while True:
            data = self.packet()
            if data[0] == 1 or (data[0] == 0 and or_error):
                return data
            if data[0]:
                self.events.append(data)

    def event(self, wanted, what):
        """The next one for which WANTED holds."""
        end = time.monotonic() + 15
        while time.monotonic() < end:
            try:
                data = self.events.pop(0) if self.events else self.packet()
            except socket.timeout:
                break
            if data[0] > 1 and wanted(data):
                return data
        raise SystemExit("not seen: " + what)

    def atom(self, name):
        if name not in self.atoms:
            self.ask(16, 0, struct.pack("<HH", len(name), 0) + name.encode())
            self.atoms[name] = struct.unpack_from("<I", self.reply(), 8)[0]
        return self.atoms[name]

    def window(self, x=0, y=0, width=200, height=100):
        self.next += 1
        self.ask(1, 0, struct.pack("<IIhhHHHHIII", self.next, self.root, x, y, width, height, 0, 1, 0,
                                   0x800, EVENTS))
        return self.next

    def set(self, window, prop, kind, *values):
        self.set_bytes(window, prop, kind, 32, len(values), struct.pack("<%dI" % len(values), *values))

    def set_bytes(self, window, prop, kind, width, count, data):
        self.ask(18, 0, struct.pack("<IIIBxxxI", window, prop, kind, width, count) + data)

    def get(self, window, prop):
        self.ask(20, 0, struct.pack("<IIIII", window, prop, 0, 0, 4096))
        data = self.reply()
        return data[32:32 + struct.unpack_from("<I", data, 16)[0] * (data[1] // 8)]

    def map(self, window):
        self.ask(8, 0, struct.pack("<I", window))

    def unmap(self, window):
        self.ask(10, 0, struct.pack("<I", window))

    def destroy(self, window):
        self.ask(4, 0, struct.pack("<I", window))

    def geometry(self, window):
        self.ask(14, 0, struct.pack("<I", window))
        return struct.unpack_from("<hhHH", self.reply(), 12)

    def tell_manager(self, window, kind, *values):
        values = (values + (0,) * 5)[:5]
        self.ask(25, 0, struct.pack("<II", self.root, REDIRECT | 1 << 19)
                 + struct.pack("<BBHII5I", CLIENT_MESSAGE, 32, 0, window, kind, *values))

    def focused(self, window, what):
        # In itself, and not for having the pointer in it.
        self.event(lambda e: e[0] & 127 == FOCUS_IN and e[1] == NONLINEAR
                   and struct.unpack_from("<I", e, 4)[0] == window, "the focus of " + what)
        print(what, "has the keyboard")

    def told(self, window, value):
        self.event(lambda e: e[0] & 127 == CLIENT_MESSAGE
                   and struct.unpack_from("<II", e, 4) == (window, self.atom("WM_PROTOCOLS"))
                   and struct.unpack_from("<I", e, 12)[0] == self.atom(value), value)
        print("told", value)


def fills(d, window):
    return d.geometry(window) == (0, 0) + d.geometry(d.root)[2:]


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


def lies(d):
    """Whatever a manager reads, wrong in every way; and then a window that is honest."""
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
        # Dialogs of each other, of themselves, of the root, of nothing.
        owner = random.choice([window, liars[number - 1], random.choice(liars), d.root, check, 1])
        d.set(window, WM_TRANSIENT_FOR, WINDOW, owner)
        d.set(window, WM_NORMAL_HINTS, WM_SIZE_HINTS, 0xffffffff, *random.choices(
            [0, 1, 0x7fffffff, 0x80000000, 0xffffffff], k=17))
        d.map(window)
        for prop in props:
            d.tell_manager(random.choice([window, d.root, check, 0xffffffff]), prop,
                           *random.choices([0, 1, 2, 0xffffffff] + props, k=5))
        # As if the server said it.
        d.ask(25, 0, struct.pack("<II", d.root, REDIRECT)
              + bytes([random.randrange(2, 36)] + random.choices(range(256), k=31)))
        if number % 10 == 0:
            d.destroy(window)
        if number % 50 == 0:
            d.ask(43, 0, b"")  # what has come is read
            d.reply()
            d.events.clear()
    for window in liars:
        d.destroy(window)
    honest = d.window()
    d.map(honest)
    d.focused(honest, "window")
    print("fills the screen" if fills(d, honest) else d.geometry(honest))


def steal(d):
    """The manager's own window, shown, and its owner ended."""
    check = struct.unpack("<I", d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")))[0]
    d.ask(2, 0, struct.pack("<III", check, 0x200, 0))
    d.map(check)
    d.tell_manager(check, d.atom("_NET_CLOSE_WINDOW"))
    d.ask(113, 0, struct.pack("<I", check))
    d.event(lambda e: False, "its end")


def main(path, cookie, action):
    sys.stdout.reconfigure(line_buffering=True)
    d = Display(path, cookie)
    # The manager may be a moment behind the first client.
    for _ in range(100):
        if d.get(d.root, d.atom("_NET_SUPPORTING_WM_CHECK")):
            break
        time.sleep(0.1)
    actions = [dialog, java, many, own, resize, keys, replace, lies, steal]
    {each.__name__: each for each in actions}[action](d)


main(*sys.argv[1:])
