"""A connection to an X server, of bytes alone, and what a program waits for there."""
import socket
import struct
import time

from x11_client import connect

FOCUS_IN, NONLINEAR, CLIENT_MESSAGE = 9, 3, 33
BUTTON_PRESS, BUTTON_RELEASE, MAP_NOTIFY = 4, 5, 19
EVENTS = 1 << 21 | 1 << 17 | 1 << 3 | 1 << 2  # FocusChange, StructureNotify, ButtonRelease, ButtonPress
REDIRECT = 1 << 20
ATOM, CARDINAL, STRING, WINDOW = 4, 6, 31, 33
WM_HINTS, WM_NORMAL_HINTS, WM_SIZE_HINTS, WM_TRANSIENT_FOR = 35, 40, 41, 68


class Display:
    def __init__(self, path, cookie):
        self.server = path, cookie
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
        end = time.monotonic() + 45
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

    def clicked(self, window, what):
        """As the server says it, with where in WINDOW that is."""
        press, release = (self.event(
            lambda e, kind=kind: e[0] == kind and struct.unpack_from("<I", e, 12)[0] == window,
            "the click into " + what) for kind in (BUTTON_PRESS, BUTTON_RELEASE))
        assert press[1] == release[1] == 1, (press[1], release[1])
        x, y = struct.unpack_from("<hh", press, 24)
        width, height = self.geometry(window)[2:]
        print(what, "is clicked" if 0 <= x < width and 0 <= y < height else (x, y))

    def top(self):
        """The window above all others."""
        self.ask(15, 0, struct.pack("<I", self.root))
        data = self.reply()
        return struct.unpack_from("<I", data, 28 + 4 * struct.unpack_from("<H", data, 16)[0])[0]

    def told(self, window, value):
        self.event(lambda e: e[0] & 127 == CLIENT_MESSAGE
                   and struct.unpack_from("<II", e, 4) == (window, self.atom("WM_PROTOCOLS"))
                   and struct.unpack_from("<I", e, 12)[0] == self.atom(value), value)
        print("told", value)


def fills(d, window):
    return d.geometry(window) == (0, 0) + d.geometry(d.root)[2:]
