"""Limits of a process: sizes of files, and descriptors."""
import errno
import os
import resource
import signal

from attempts import attempt, describe, in_child, renameat2, run, write

hits = []


def count_signals():
    signal.signal(signal.SIGXFSZ, lambda *_: hits.append("SIGXFSZ"))


def grow(name, how, size):
    fd = os.open(name, how)
    try:
        return os.pwrite(fd, b"x" * 10, size - 10)
    finally:
        os.close(fd)


def sizes_within(limit):
    count_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for size in 10, limit - 1, limit, limit + 1, limit + 100, 1 << 40:
        write("file", "text" * 5)
        attempt(f"truncate to {size}", os.truncate, "file", size)
        print("  then", os.stat("file").st_size, hits)
        attempt("  and shorter", os.truncate, "file", 5)
        fd = os.open("file", os.O_RDWR)
        attempt(f"ftruncate to {size}", os.ftruncate, fd, size)
        attempt("allocate", os.posix_fallocate, fd, 0, size)
        os.close(fd)
        for how in os.O_WRONLY, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_CREAT:
            attempt(f"write up to {size} {how:o}", grow, "file", how, size)
        print("  then", os.stat("file").st_size, hits)
        hits.clear()


def sizes():
    for limit in 1000, 4096:
        in_child(sizes_within, limit)


def shrinks():
    """What is longer than the limit already may be cut."""
    write("long", "x" * 5000)
    count_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    for size in 6000, 5000, 4999, 1001, 1000:
        attempt(f"a long file cut to {size}", os.truncate, "long", size)
        print("  then", os.stat("long").st_size, hits)


def ignored():
    write("file")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    attempt("truncate, the signal ignored", os.truncate, "file", 200)
    attempt("write, the signal ignored", grow, "file", os.O_WRONLY, 200)


def killed():
    write("file")
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    os.truncate("file", 200)
    print("not killed")


def signals_of_size():
    for part in shrinks, ignored, killed:
        in_child(part)


def fill():
    """Takes all descriptors."""
    held = []
    try:
        while True:
            held.append(os.dup(1))
    except OSError as error:
        assert error.errno == errno.EMFILE
    return held


def with_a_full_table():
    os.mkfifo("fifo")
    reader = os.open("fifo", os.O_RDONLY | os.O_NONBLOCK)
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    held = fill()
    # An open that fails anyway may say that first.
    for flags in os.O_WRONLY, os.O_RDWR | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_CREAT | os.O_TRUNC:
        for name in "file", "fifo", "/dev/null", "/proc/self/comm":
            attempt(f"full table: {name} {flags:o}", os.open, name, flags, 0o644)
    for flags in os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, os.O_RDWR | os.O_CREAT | os.O_TRUNC:
        for name in "new", "folder/new", "program":
            attempt(f"full table: {name} {flags:o}", os.open, name, flags, 0o755 if name == "program" else 0o644)
    attempt("full table: by a link", os.open, "link", os.O_WRONLY | os.O_CREAT, 0o644)
    attempt("full table: unnamed", os.open, ".", os.O_RDWR | os.O_TMPFILE, 0o600)
    attempt("full table: mkdir", os.mkdir, "made")
    attempt("full table: rename", os.rename, "made", "renamed")
    attempt("full table: exchange", renameat2, "file", "renamed", 2)
    attempt("full table: and back", renameat2, "file", "renamed", 2)
    attempt("full table: link", os.link, "file", "linked")
    attempt("full table: truncate", os.truncate, "linked", 3)
    attempt("full table: chmod", os.chmod, "linked", 0o755)
    os.close(held.pop(5))
    attempt("one is free", lambda: os.open("file", os.O_WRONLY | os.O_APPEND) - held[0])
    os.close(reader)
    attempt("another is free", lambda: os.open("made", os.O_WRONLY | os.O_CREAT, 0o644) - held[0])


def tables():
    os.mkdir("folder")
    write("file")
    os.symlink("target", "link")
    in_child(with_a_full_table)
    print("  then", sorted(os.listdir(".")), os.stat("file").st_size)


def below():
    """A limit below the descriptors that are open."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    attempt("no descriptor at all", os.open, "none", os.O_WRONLY | os.O_CREAT, 0o644)
    attempt("and a folder", os.mkdir, "folder")


def numbers():
    """The lowest free number, and what is inherited."""
    held = [os.open("file", os.O_WRONLY | os.O_CREAT, 0o644) for _ in range(6)]
    print("in a row", [fd - held[0] for fd in held])
    os.close(held[3])
    os.close(held[1])
    for flags in os.O_WRONLY, os.O_RDWR | os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC:
        fd = os.open("file", flags)
        print("the lowest", fd - held[0])
    os.dup2(held[0], 200)
    attempt("far above", lambda: os.open("other", os.O_WRONLY | os.O_CREAT) - held[0])


def few():
    in_child(below)
    in_child(numbers)


def full_device():
    fd = os.open("/dev/full", os.O_WRONLY)
    attempt("a full device", os.write, fd, b"x")
    attempt("a full device, opened", lambda: bool(describe(fd)))


run(sizes, signals_of_size, tables, few, full_device)
