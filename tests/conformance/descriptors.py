"""Calls by descriptor: of folders, of what O_PATH opened, and by way of /proc."""
import os
import signal
import socket

from attempts import AT_FDCWD, attempt, describe, in_child, remove, run, system_call, write

AT_EMPTY_PATH = 0x1000


def place():
    os.makedirs("folder/inside")
    write("file")
    write("folder/file")
    os.symlink("file", "link")
    os.symlink("missing", "dangling")
    os.mkfifo("fifo")


def deleted(make, remove_it):
    fd = make()
    remove_it()
    return fd


KINDS = {
    "a file": lambda: os.open("file", os.O_RDONLY),
    "a file, O_PATH": lambda: os.open("file", os.O_PATH),
    "a folder": lambda: os.open("folder", os.O_RDONLY),
    "a folder, O_PATH": lambda: os.open("folder", os.O_PATH),
    "a link, O_PATH": lambda: os.open("link", os.O_PATH | os.O_NOFOLLOW),
    "a FIFO, O_PATH": lambda: os.open("fifo", os.O_PATH),
    "a pipe": lambda: os.pipe()[1],
    "a socket": lambda: socket.socket(socket.AF_UNIX).detach(),
    "memory": lambda: os.memfd_create("memory"),
    "an event": lambda: os.eventfd(0),
    "an unnamed file": lambda: os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600),
    "a device": lambda: os.open("/dev/null", os.O_RDWR),
    "a folder of /proc": lambda: os.open("/proc/self", os.O_RDONLY),
    "a deleted file": lambda: deleted(lambda: os.open("gone", os.O_CREAT | os.O_RDWR), lambda: os.unlink("gone")),
    "a deleted folder": lambda: deleted(lambda: (os.mkdir("gone"), os.open("gone", 0))[1], lambda: os.rmdir("gone")),
    "nothing": lambda: 900,
    "minus one": lambda: -1,
    "minus five": lambda: -5,
}


def in_places(call):
    """CALL with a descriptor of each kind, each in a new folder."""
    for what, make in KINDS.items():
        os.mkdir("place")
        os.chdir("place")
        place()
        print(what)
        fd = make()
        call(what, fd)
        if fd >= 0 and fd != 900:
            os.close(fd)
        os.chdir("..")
        remove("place")


def try_at(what, fd):
    for name in "new", "file", "inside", "../new", "", ".":
        attempt(f"  open {name!r}", lambda: describe(os.open(name, os.O_CREAT | os.O_RDWR, 0o640, dir_fd=fd)))
        attempt(f"  open to write {name!r}", lambda: describe(os.open(name, os.O_WRONLY, dir_fd=fd)))
    attempt("  unnamed", lambda: describe(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600, dir_fd=fd)))
    attempt("  mkdir", os.mkdir, "made", dir_fd=fd)
    attempt("  symlink", os.symlink, "target", "linked", dir_fd=fd)
    attempt("  mkfifo", os.mkfifo, "pipe", dir_fd=fd)
    attempt("  rename from it", os.rename, "made", "made.here", src_dir_fd=fd)
    attempt("  rename to it", os.rename, "made.here", "back", dst_dir_fd=fd)
    attempt("  rename of what is missing", os.rename, "no", "no", src_dir_fd=fd, dst_dir_fd=fd)
    attempt("  link from it", os.link, "file", "hard.here", src_dir_fd=fd)
    attempt("  link to it", os.link, "file", "hard", dst_dir_fd=fd)
    attempt("  link of it", system_call, "linkat", fd, b"", AT_FDCWD, b"of.it", AT_EMPTY_PATH)
    attempt("  link of it without the flag", system_call, "linkat", fd, b"", AT_FDCWD, b"of.it2", 0)
    absolute = os.path.abspath("absolute")
    attempt("  absolute", lambda: describe(os.open(absolute, os.O_CREAT | os.O_RDWR, 0o640, dir_fd=fd)))
    for mode in 0o755, 0o640:
        if what != "a device":
            attempt(f"  fchmod {mode:o}", os.fchmod, fd, mode)
        attempt(f"  chmod at it {mode:o}", os.chmod, "file", mode, dir_fd=fd)
    if fd >= 0:
        attempt("  setxattr", os.setxattr, fd, "user.key", b"x")


def each_kind():
    in_places(try_at)


def try_by_proc(what, fd):
    """/proc/self/fd/N and its other names."""
    for form in "/proc/self/fd/{}", "/proc/thread-self/fd/{}", "/dev/fd/{}", "/proc/PID/fd/{}":
        name = form.format(fd).replace("PID", str(os.getpid()))
        print(" ", form)
        for flags in (
            os.O_RDWR | os.O_NONBLOCK,
            os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK,
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL,
            os.O_WRONLY | os.O_NOFOLLOW,
        ):
            attempt(f"  open {flags:o}", lambda: describe(os.open(name, flags, 0o644)))
        attempt("  below it", lambda: describe(os.open(name + "/new", os.O_CREAT | os.O_RDWR, 0o644)))
        attempt("  mkdir below it", os.mkdir, name + "/made")
        attempt("  truncate", os.truncate, name, 2)
        if what not in ("a device", "a folder of /proc"):
            attempt("  chmod", os.chmod, name, 0o755)
        attempt("  link", os.link, name, "by.proc", follow_symlinks=True)
        attempt("  rename", os.rename, name, "by.proc2")


def by_proc():
    in_places(try_by_proc)


def ways():
    place()
    for name in "/proc/self/cwd/new", "/proc/self/root/proc/new", "/proc/self/task/none/new", "/dev/stdout/new":
        attempt(name, lambda: describe(os.open(name, os.O_CREAT | os.O_RDWR, 0o644)))
        attempt(f"  mkdir {name}", os.mkdir, name + ".folder")
    os.chdir("/proc/self/fd")
    attempt("relative to /proc/self/fd", lambda: bool(describe(os.open("1", os.O_WRONLY | os.O_APPEND))))
    for name in "comm", "oom_score_adj", "coredump_filter", "status", "maps", "none", "timerslack_ns", "clear_refs":
        for flags in os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_TRUNC:
            attempt(f"/proc/self/{name} {flags:o}", lambda: bool(describe(os.open(f"/proc/self/{name}", flags))))


def other_ways():
    in_child(ways)


def of_others():
    """What another process has open."""
    place()
    fd = os.open("file", os.O_RDWR)
    child = os.fork()
    if child == 0:
        signal.pause()
    for name in f"fd/{fd}", "fd/900/none", "cwd/by.other", "comm", "mem", "oom_score_adj", "root/none/new":
        for flags in os.O_RDWR, os.O_WRONLY | os.O_CREAT:
            attempt(f"a child's {name.strip('0123456789')} {flags:o}", lambda: bool(describe(os.open(f"/proc/{child}/{name}", flags, 0o644))))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    attempt("of one that has ended", os.open, f"/proc/{child}/fd/{fd}", os.O_RDWR)


run(each_kind, by_proc, other_ways, of_others)
