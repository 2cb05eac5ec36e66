"""A socket at NAME, by every kind of it and every way to say the name: bind_attempts.py NAME.

Prints how the tries ended, each result once. What was made is removed again.
"""
import errno
import os
import socket
import sys

folder, name = os.path.split(os.path.abspath(sys.argv[1]))
fd = os.open(folder, os.O_RDONLY)
try:
    os.symlink(folder, "/tmp/way")
except OSError:
    pass  # as it was, or /tmp is read-only
ways = [
    sys.argv[1],
    "./" + sys.argv[1],
    f"{folder}/{name}",
    f"{folder}//./{name}",
    f"/proc/self/fd/{fd}/{name}",
    f"/dev/fd/{fd}/{name}",
    f"/proc/self/cwd/{sys.argv[1]}",
    f"/proc/self/root{folder}/{name}",
]
if os.readlink("/proc/self") == str(os.getpid()):  # not so in a pid namespace with the /proc of another
    ways.append(f"/proc/{os.getpid()}/cwd/{sys.argv[1]}")
if os.path.realpath("/tmp/way") == os.path.realpath(folder):
    ways.append("/tmp/way/" + name)
results = set()
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET:
    for way in ways:
        try:
            socket.socket(socket.AF_UNIX, kind).bind(way)
            results.add("made")
            os.unlink(sys.argv[1])
        except OSError as error:
            results.add(errno.errorcode[error.errno])
print(*sorted(results))
