"""Owns the clipboard of WAYLAND_DISPLAY with a picture that never ends; prints "owns"."""
import os
import socket
import struct
import sys

from compositor import bind, compositor, send, settle, text

(seat, manager), free = bind("wl_seat", "zwlr_data_control_manager_v1")
source, device = free, free + 1
send(manager, 0, struct.pack("=I", source))
send(source, 0, text("image/png"))
send(manager, 1, struct.pack("=II", device, seat))
send(device, 0, struct.pack("=I", source))
settle(free + 2)
print("owns", flush=True)
compositor.settimeout(None)
# The source's first event is send, with the descriptor to write to.
fds = []
while not fds:
    data, fds, _, _ = socket.recv_fds(compositor, 4096, 4)
    if not data:
        sys.exit("the compositor has gone")
part = b"a" * 65536
try:
    while True:
        os.write(fds[0], part)
except OSError:
    pass
