"""Where a box differs from the host, as docs/security.md lists it: differences.py host|box.

Prints each difference that is not as it says there, and how many are.
"""
import errno
import fcntl
import os
import resource
import socket
import stat
import struct
import sys
import termios

from attempts import AT_FDCWD, describe, libc, system_call, write

IN_NONBLOCK, IN_ALL_EVENTS = 0o4000, 0xFFF
RESOLVE_IN_ROOT = 0x10
CLONE_NEWUSER = 0x10000000


def made_with(mode):
    name = f"made{mode:o}"
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode))
    return f"{stat.S_IMODE(os.stat(name).st_mode):o}"


def chmod_with(mode):
    write("changed")
    os.chmod("changed", mode)
    return f"{stat.S_IMODE(os.stat('changed').st_mode):o}"


def openat2():
    system_call("openat2", AT_FDCWD, b".", struct.pack("<QQQ", 0, 0, RESOLVE_IN_ROOT), 24)


def landlock():
    return system_call("landlock_create_ruleset", 0, 0, 1) > 0


def very_deep():
    start = os.open(".", os.O_RDONLY)
    try:
        for _ in range(20):
            os.mkdir("k" * 250)
            os.chdir("k" * 250)
    finally:
        os.fchdir(start)
        os.close(start)


def with_full_table(flags):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
    try:
        os.open("missing", flags)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def terminal_is_tty():
    """Of /dev/tty opened for writing, in a session of its own that has a terminal."""
    _, slave = os.openpty()
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    sys.exit(os.fstat(os.open("/dev/tty", os.O_RDWR)).st_rdev != os.makedev(5, 0))


def exits(call):
    child = os.fork()
    if child == 0:
        try:
            call()
        except SystemExit as end:
            os._exit(end.code)
        finally:
            os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def events_of_truncate():
    write("watched")
    with open("watched", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # from now on the guard has it open no more
    watch = libc.inotify_init1(IN_NONBLOCK)
    libc.inotify_add_watch(watch, b"watched", IN_ALL_EVENTS)
    os.truncate("watched", 1)
    events = os.read(watch, 4096)
    os.close(watch)
    return [f"{struct.unpack_from('<iIII', events, i)[1]:x}" for i in range(0, len(events), 16)]


def events_of_bind():
    os.mkdir("watched.d")
    watch = libc.inotify_init1(IN_NONBLOCK)
    libc.inotify_add_watch(watch, b"watched.d", IN_ALL_EVENTS)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("watched.d/new")
    events = os.read(watch, 4096)
    os.close(watch)
    return [f"{struct.unpack_from('<iIII', events, i)[1]:x}" for i in range(0, len(events), 32)]


def socket_by_proc():
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("/proc/self/cwd/by-proc")
        return made.getsockname()


def reopened_proc():
    with open("/proc/self/comm", "rb") as file:
        describe(os.open(f"/proc/self/fd/{file.fileno()}", os.O_WRONLY))


def unnamed_in_proc():
    os.open("/proc/self/fd", os.O_TMPFILE | os.O_RDWR, 0o600)


def repository(name, make):
    os.makedirs("below/repository/.git", exist_ok=True)
    make("below/" + name)


def touch(name):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))


def own_namespace():
    try:
        sys.exit(system_call("unshare", CLONE_NEWUSER))
    except OSError as error:
        sys.exit(error.errno)


# What, the call, and its result on the host and in a box.
DIFFERENCES = (
    ("set-user-ID of a new file", lambda: made_with(0o4755), "4755", "755"),
    ("set-group-ID of a new file", lambda: made_with(0o2755), "2755", "755"),
    ("set-user-ID by chmod", lambda: chmod_with(0o6755), "6755", "755"),
    ("openat2", openat2, "None", "ENOSYS"),
    ("Landlock", landlock, "True", "ENOTSUP"),
    ("a folder whose path is longer than PATH_MAX", very_deep, "None", "EROFS"),
    ("a missing file, with a full table", lambda: with_full_table(os.O_WRONLY), "EMFILE", "ENOENT"),
    ("/dev/tty opened for writing is another name", lambda: exits(terminal_is_tty), "0", "1"),
    ("events of truncate(2)", events_of_truncate, "['2']", "['20', '2', '8']"),
    ("events of bind(2)", events_of_bind, "['100']", "['100', '4']"),
    ("a socket's name by /proc", socket_by_proc, "/proc/self/cwd/by-proc", "by-proc"),
    ("a file of /proc opened anew", reopened_proc, "None", "EACCES"),
    ("an unnamed file in /proc", unnamed_in_proc, "ENOTSUP", "EACCES"),
    ("mode of a program of the system", lambda: os.chmod("/usr/bin/env", 0o755), "EPERM", "EROFS"),
    ("a protected name", lambda: touch("../.envrc"), "None", "EROFS"),
    ("a HEAD outside of a .git", lambda: repository("HEAD", touch), "None", "EROFS"),
    ("a .git that is a link", lambda: repository(".git", lambda name: os.symlink("target", name)), "None", "EROFS"),
    ("another spelling of .git", lambda: repository("GIT~1", lambda name: os.symlink("target", name)), "None", "EROFS"),
    ("a link in a .git", lambda: repository("repository/.git/x", lambda name: os.symlink("target", name)), "None", "EROFS"),
    ("a namespace", lambda: exits(own_namespace), "0", "1"),
    ("a keyring", lambda: system_call("add_key", 0, 0, 0, 0, 0), "EFAULT", "EPERM"),
    ("io_uring", lambda: system_call("io_uring_setup", 1, 0), "EFAULT", "EPERM"),
)


def result_of(call):
    try:
        return str(call())
    except OSError as error:
        return errno.errorcode[error.errno]


def check(where):
    right = 0
    for what, call, host, box in DIFFERENCES:
        expected, found = box if where == "box" else host, result_of(call)
        right += found == expected
        if found != expected:
            print(f"{what}: {found}, not {expected}")
    print(f"{right} of {len(DIFFERENCES)}")


check(sys.argv[1])
