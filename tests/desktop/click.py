"""click.py X Y: a mouse that is plugged in, moved to this place of the compositor's 1280x720, and clicked."""
import struct
import sys
import time

from compositor import bind, send, settle

SIZE = 1280, 720
LEFT = 0x110
(manager,), MOUSE = bind("zwlr_virtual_pointer_manager_v1")
send(manager, 0, struct.pack("=II", 0, MOUSE))
callback, x, y = MOUSE + 1, int(sys.argv[1]), int(sys.argv[2])
# Motion, button down, button up: and time for who is below to see the mouse first.
for opcode, values in ((1, (x - 5, y, *SIZE)), (1, (x, y, *SIZE)), (2, (LEFT, 1)), (2, (LEFT, 0))):
    now = int(time.monotonic() * 1000) & 0xFFFFFFFF
    send(MOUSE, opcode, struct.pack("=%dI" % (1 + len(values)), now, *values))
    send(MOUSE, 4, b"")
    settle(callback)
    callback += 1
    time.sleep(0.5)
