"""input_method.py TEXT: an input method of the compositor's (input-method-v2) that commits TEXT into the first text
field that has the focus, and ends."""
import struct
import sys

from compositor import bind, event, send, settle, text

(seat, manager), METHOD = bind("wl_seat", "zwp_input_method_manager_v2")
send(manager, 0, struct.pack("=II", seat, METHOD))
active, done = False, 0
while True:
    sender, opcode, _ = event()
    if sender != METHOD:
        continue
    if opcode == 6:
        sys.exit("there is another input method")
    if opcode in (0, 1):
        active = opcode == 0
    if opcode == 5:
        done += 1
        if active:
            break
send(METHOD, 0, text(sys.argv[1]))
send(METHOD, 3, struct.pack("=I", done))
settle(METHOD + 1)
