"""Fills a small file system again and again, and calls on it: full_disk.py FOLDER SECONDS.

Prints each call with the results that it had.
"""
import errno
import os
import shutil
import sys
import time

MEBIBYTE = 1 << 20


def fill(name):
    """To the last block."""
    fd = os.open(name, os.O_CREAT | os.O_WRONLY, 0o644)
    for size in MEBIBYTE, 4096:
        try:
            while True:
                os.posix_fallocate(fd, os.fstat(fd).st_size, size)
        except OSError as error:
            assert error.errno == errno.ENOSPC
    os.close(fd)


def write(name, how):
    fd = os.open(name, how, 0o755)
    try:
        os.write(fd, b"x" * 8192)
    finally:
        os.close(fd)


CALLS = {
    "make and write": lambda: write("new", os.O_CREAT | os.O_WRONLY),
    "make exclusively": lambda: write("exclusive", os.O_CREAT | os.O_EXCL | os.O_RDWR),
    "empty and write": lambda: write("new", os.O_TRUNC | os.O_WRONLY),
    "append": lambda: write("new", os.O_APPEND | os.O_WRONLY),
    "unnamed": lambda: write(".", os.O_TMPFILE | os.O_RDWR),
    "mkdir": lambda: os.mkdir("folder"),
    "a long link": lambda: os.symlink("t" * 4000, "link"),
    "rename": lambda: os.rename("new", "renamed"),
    "link": lambda: os.link("renamed", "new"),
    "truncate": lambda: os.truncate("renamed", 1 << 30),
    "chmod": lambda: os.chmod("renamed", 0o711),
}


def turn(results):
    os.mkdir("turn")
    os.chdir("turn")
    fill("filler")
    for what, call in CALLS.items():
        try:
            call()
            result = "done"
        except OSError as error:
            result = errno.errorcode[error.errno]
        results.setdefault(what, set()).add(result)
    os.chdir("..")
    shutil.rmtree("turn")


os.chdir(sys.argv[1])
end = time.monotonic() + float(sys.argv[2])
results = {}
while time.monotonic() < end:
    turn(results)
for what, found in results.items():
    print(what, *sorted(found))
