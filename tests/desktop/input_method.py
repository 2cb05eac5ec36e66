"""input_method.py TEXT: an input method of the compositor's (input-method-v2) that commits TEXT into the first text
field that has the focus, and ends. It speaks Wayland by hand: no library for it has that protocol."""
import os
import socket
import struct
import sys

DISPLAY, REGISTRY, METHOD = 1, 2, 5  # 3 and 4: seat and manager, in the order in which they are announced
path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/"), os.environ["WAYLAND_DISPLAY"])
compositor = socket.socket(socket.AF_UNIX)
compositor.settimeout(30)
compositor.connect(path)


def text(value):
    data = value.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


def send(target, opcode, body):
    compositor.sendall(struct.pack("=II", target, (len(body) + 8) << 16 | opcode) + body)


def exactly(count):
    data = b""
    while len(data) < count:
        more = compositor.recv(count - len(data))
        if not more:
            sys.exit("the compositor has gone")
        data += more
    return data


def event():
    sender, word = struct.unpack("=II", exactly(8))
    return sender, word & 0xFFFF, exactly((word >> 16) - 8)


def bind(name, interface, new):
    send(REGISTRY, 0, struct.pack("=I", name) + text(interface) + struct.pack("=II", 1, new))


send(DISPLAY, 1, struct.pack("=I", REGISTRY))
bound, active, done = {}, False, 0
while True:
    sender, opcode, body = event()
    if sender == DISPLAY and opcode == 0:
        sys.exit("error: %r" % body)
    if sender == REGISTRY and opcode == 0:
        name, length = struct.unpack("=II", body[:8])
        interface = body[8:8 + length - 1].decode()
        if interface in ("wl_seat", "zwp_input_method_manager_v2") and interface not in bound:
            bound[interface] = REGISTRY + 1 + len(bound)
            bind(name, interface, bound[interface])
            if len(bound) == 2:
                send(bound["zwp_input_method_manager_v2"], 0, struct.pack("=II", bound["wl_seat"], METHOD))
    if sender == METHOD and opcode == 6:
        sys.exit("there is another input method")
    if sender == METHOD and opcode in (0, 1):
        active = opcode == 0
    if sender == METHOD and opcode == 5:
        done += 1
        if active:
            send(METHOD, 0, text(sys.argv[1]))
            send(METHOD, 3, struct.pack("=I", done))
            send(DISPLAY, 0, struct.pack("=I", METHOD + 1))
            active = None
    if sender == METHOD + 1:
        break
