"""Wayland by hand, for protocols that no library at hand has: the compositor of WAYLAND_DISPLAY."""
import array
import os
import socket
import struct
import sys

DISPLAY, REGISTRY = 1, 2
path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/"), os.environ["WAYLAND_DISPLAY"])
compositor = socket.socket(socket.AF_UNIX)
compositor.settimeout(30)
compositor.connect(path)


def text(value):
    data = value.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


def send(target, opcode, body, fd=None):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))] if fd is not None else []
    compositor.sendmsg([struct.pack("=II", target, (len(body) + 8) << 16 | opcode) + body], rights)


def exactly(count):
    data = b""
    while len(data) < count:
        more = compositor.recv(count - len(data))
        if not more:
            sys.exit("the compositor has gone")
        data += more
    return data


def event():
    """Sender, opcode and body of the next one."""
    sender, word = struct.unpack("=II", exactly(8))
    opcode, body = word & 0xFFFF, exactly((word >> 16) - 8)
    if sender == DISPLAY and opcode == 0:
        sys.exit("error: %r" % body)
    return sender, opcode, body


def bind(*wanted):
    """The objects, from REGISTRY + 1 on in the order in which they are announced, of these interfaces; and the first
    number that is free then."""
    send(DISPLAY, 1, struct.pack("=I", REGISTRY))
    bound = {}
    while len(bound) < len(wanted):
        sender, opcode, body = event()
        if sender != REGISTRY or opcode != 0:
            continue
        name, length = struct.unpack("=II", body[:8])
        interface = body[8:8 + length - 1].decode()
        if interface in wanted and interface not in bound:
            bound[interface] = REGISTRY + 1 + len(bound)
            send(REGISTRY, 0, struct.pack("=I", name) + text(interface) + struct.pack("=II", 1, bound[interface]))
    return [bound[interface] for interface in wanted], REGISTRY + 1 + len(bound)


def settle(callback):
    """Until the compositor has done all that was sent. CALLBACK: a number that is free."""
    send(DISPLAY, 0, struct.pack("=I", callback))
    while event()[0] != callback:
        pass
