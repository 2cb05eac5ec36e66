"""Runs a command on a pseudo terminal, throws away what it shows, prints the milliseconds it took."""
import os
import pty
import sys
import time

begun = time.monotonic()
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = 0
buffer = bytearray(1 << 16)
while True:
    try:
        count = os.readv(master, [buffer])
    except OSError:
        break
    if not count:
        break
    shown += count
os.waitpid(pid, 0)
if shown < 200_000_000:
    sys.exit(f"only {shown} bytes came")
print(round((time.monotonic() - begun) * 1000, 1))
