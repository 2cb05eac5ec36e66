"""A Wayland window that prints everything it learns about the clipboard.

selection_client.py APP_ID ORDERS

Prints "up", "keyboard" and "no keyboard", "selection TYPE…" ("selection none"), and then what it reads: "text TEXT",
"picture BYTES SHA256". ORDERS is a file that others add lines to:

  read        reads anew what it was offered last, "nothing" if that gives nothing
  copy TEXT   makes TEXT the clipboard, with the serial of the last input event
  force TEXT  the same with every serial up to 2000
  end         ends
It speaks the protocol without a library, which would follow the rules.
"""
import array
import hashlib
import os
import select
import socket
import struct
import sys
import time

DISPLAY, REGISTRY = 1, 2
SIZE = 64
KEYBOARD = 2
TEXT, PICTURE = "text/plain;charset=utf-8", "image/png"


def text(value):
    data = value.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


class Client:
    wanted = {"wl_compositor": 1, "wl_shm": 1, "xdg_wm_base": 1, "wl_seat": 1, "wl_data_device_manager": 1}

    def __init__(self, app_id):
        path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/"), os.environ["WAYLAND_DISPLAY"])
        self.s = socket.socket(socket.AF_UNIX)
        self.s.connect(path)
        self.buffer, self.fds, self.next, self.bound = b"", [], REGISTRY, {}
        self.app_id, self.serial, self.offers, self.offer, self.copied = app_id, 0, {}, None, {}
        self.made = {}
        self.send(DISPLAY, 1, struct.pack("=I", self.make("registry")))
        self.send(DISPLAY, 0, struct.pack("=I", self.make("sync")))

    def make(self, what):
        number = self.next
        self.next += 1
        self.made[number] = what
        return number

    def send(self, target, opcode, body=b"", fd=None):
        data = struct.pack("=II", target, (len(body) + 8) << 16 | opcode) + body
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))] if fd is not None else []
        self.s.sendmsg([data], rights)

    def fill(self):
        data, fds, _, _ = socket.recv_fds(self.s, 65536, 16)
        if not data:
            sys.exit("the compositor has gone")
        self.buffer += data
        self.fds += fds

    def events(self):
        while len(self.buffer) >= 8:
            sender, word = struct.unpack("=II", self.buffer[:8])
            if len(self.buffer) < word >> 16:
                return
            body = self.buffer[8:word >> 16]
            self.buffer = self.buffer[word >> 16:]
            yield sender, word & 0xFFFF, body

    def string(self, body):
        return body[4:4 + struct.unpack("=I", body[:4])[0] - 1].decode()

    def bind(self, name, interface):
        if interface in self.wanted and interface not in self.bound:
            self.bound[interface] = self.make(interface)
            self.send(REGISTRY, 0, struct.pack("=I", name) + text(interface)
                      + struct.pack("=II", self.wanted[interface], self.bound[interface]))

    def open_window(self):
        seat = struct.pack("=I", self.bound["wl_seat"])
        self.device = self.make("device")
        self.send(self.bound["wl_data_device_manager"], 1, struct.pack("=I", self.device) + seat)
        self.surface = self.make("surface")
        self.send(self.bound["wl_compositor"], 0, struct.pack("=I", self.surface))
        self.xdg = self.make("xdg")
        self.send(self.bound["xdg_wm_base"], 2, struct.pack("=II", self.xdg, self.surface))
        self.toplevel = self.make("toplevel")
        self.send(self.xdg, 1, struct.pack("=I", self.toplevel))
        self.send(self.toplevel, 3, text(self.app_id))
        self.send(self.surface, 6)

    def show(self, body):
        self.send(self.xdg, 4, body)
        if "pool" not in self.made.values():
            fd = os.memfd_create("window")
            os.ftruncate(fd, SIZE * SIZE * 4)
            pool = self.make("pool")
            self.send(self.bound["wl_shm"], 0, struct.pack("=Ii", pool, SIZE * SIZE * 4), fd)
            self.pixels = self.make("buffer")
            self.send(pool, 0, struct.pack("=IiiiiI", self.pixels, 0, SIZE, SIZE, SIZE * 4, 1))
            print("up", flush=True)
        self.send(self.surface, 1, struct.pack("=Iii", self.pixels, 0, 0))
        self.send(self.surface, 6)

    def read(self):
        kinds = self.offers.get(self.offer, [])
        for kind in (TEXT, PICTURE):
            if kind in kinds:
                self.receive(kind)
        if TEXT not in kinds and PICTURE not in kinds:
            print("nothing", flush=True)

    def receive(self, kind):
        ours, theirs = os.pipe()
        self.send(self.offer, 1, text(kind), theirs)
        os.close(theirs)
        data = b""
        while select.select([ours], [], [], 30)[0]:
            more = os.read(ours, 65536)
            if not more:
                break
            data += more
        os.close(ours)
        if not data:
            print("nothing", flush=True)
        elif kind == TEXT:
            print("text", data.decode("utf-8", "replace"), flush=True)
        else:
            print("picture", len(data), hashlib.sha256(data).hexdigest(), flush=True)

    def copy(self, what, serials):
        for serial in serials:
            source = self.make("source")
            self.copied[source] = what.encode()
            self.send(self.bound["wl_data_device_manager"], 0, struct.pack("=I", source))
            self.send(source, 0, text(TEXT))
            self.send(self.device, 1, struct.pack("=II", source, serial))

    def on_keyboard(self, opcode, body):
        if opcode == 0:
            os.close(self.fds.pop(0))
        elif opcode in (1, 2, 3, 4):
            self.serial = struct.unpack("=I", body[:4])[0]
        if opcode in (1, 2):
            print("keyboard" if opcode == 1 else "no keyboard", flush=True)

    def on_device(self, opcode, body):
        if opcode == 0:
            self.offers[struct.unpack("=I", body)[0]] = []
            self.made[struct.unpack("=I", body)[0]] = "offer"
        elif opcode == 5:
            self.offer = struct.unpack("=I", body)[0]
            print("selection", " ".join(self.offers.get(self.offer, [])) or "none", flush=True)
            if self.offer and not self.copied:
                self.read()

    def on_event(self, sender, opcode, body):
        what = self.made.get(sender)
        if sender == DISPLAY and opcode == 0:
            sys.exit("error: %r" % body)
        if what == "registry" and opcode == 0:
            self.bind(struct.unpack("=I", body[:4])[0], self.string(body[4:]))
        elif what == "sync":
            self.open_window()
        elif what == "wl_seat" and opcode == 0 and struct.unpack("=I", body)[0] & KEYBOARD:
            if "keyboard" not in self.made.values():
                self.send(sender, 1, struct.pack("=I", self.make("keyboard")))
        elif what == "xdg_wm_base":
            self.send(sender, 3, body)
        elif what == "xdg":
            self.show(body)
        elif what == "toplevel" and opcode == 1:
            sys.exit(0)
        elif what == "keyboard":
            self.on_keyboard(opcode, body)
        elif what == "device":
            self.on_device(opcode, body)
        elif what == "offer" and opcode == 0:
            self.offers[sender].append(self.string(body))
        elif what == "source" and opcode == 1:
            fd = self.fds.pop(0)
            os.write(fd, self.copied[sender])
            os.close(fd)
        elif what == "source" and opcode == 2:
            del self.copied[sender]

    def obey(self, order):
        word, _, rest = order.partition(" ")
        if word == "read":
            self.read()
        elif word == "copy":
            self.copy(rest, [self.serial])
        elif word == "force":
            self.copy(rest, range(2000))
        elif word == "end":
            sys.exit(0)
        print("done", order, flush=True)


def main(app_id, orders):
    client, obeyed, end = Client(app_id), 0, time.monotonic() + 600
    while time.monotonic() < end:
        select.select([client.s], [], [], 0.1)
        with open(orders) as file:
            lines = file.read().splitlines()
        # After reading the orders: what was sent before an order was written is handled before it.
        while select.select([client.s], [], [], 0)[0]:
            client.fill()
        for event in client.events():
            client.on_event(*event)
        for line in lines[obeyed:]:
            client.obey(line)
        obeyed = len(lines)


main(*sys.argv[1:])
