"""Runs a command on a pseudo terminal, throws away what it shows, prints the milliseconds it took.

terminal.py [--bytes N] COMMAND...: fails when it shows less than N bytes (200 MB)."""
import os
import pty
import sys
import time

least = 200_000_000
if sys.argv[1] == "--bytes":
    least = int(sys.argv[2])
    del sys.argv[1:3]
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
if shown < least:
    sys.exit(f"only {shown} bytes came")
print(round((time.monotonic() - begun) * 1000, 1))
