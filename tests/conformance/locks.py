"""Who else has it open: locks, leases, programs that run, files without a name."""
import fcntl
import os
import shutil
import signal
import struct
import subprocess

from attempts import AT_FDCWD, attempt, describe, in_child, mode_of, run, system_call, write

AT_EMPTY_PATH = 0x1000
F_OFD_GETLK, F_OFD_SETLK = 36, 37


def flock_of(kind):
    return struct.pack("hhqqi4x", kind, 0, 0, 0, 0)


LOCKS = {
    "flock, shared": lambda fd: fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB),
    "flock, exclusive": lambda fd: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
    "OFD, to read": lambda fd: bool(fcntl.fcntl(fd, F_OFD_SETLK, flock_of(fcntl.F_RDLCK))),
    "OFD, to write": lambda fd: bool(fcntl.fcntl(fd, F_OFD_SETLK, flock_of(fcntl.F_WRLCK))),
    "POSIX, to read": lambda fd: bool(fcntl.fcntl(fd, fcntl.F_SETLK, flock_of(fcntl.F_RDLCK))),
    "POSIX, to write": lambda fd: bool(fcntl.fcntl(fd, fcntl.F_SETLK, flock_of(fcntl.F_WRLCK))),
}


def pairs_of_locks():
    """Two descriptors of one file, each with its lock, of one process and of two."""
    write("file")
    for first, take in LOCKS.items():
        for second, too in LOCKS.items():
            one, other = os.open("file", os.O_RDWR), os.open("file", os.O_RDWR)
            attempt(first, take, one)
            attempt(f"  {second}", too, other)
            in_child(attempt, f"  {second}, a child", too, other)
            os.close(one)
            attempt("  the first is closed", too, other)
            os.close(other)
            for flags in os.O_WRONLY, os.O_RDWR | os.O_CREAT:
                third = os.open("file", flags, 0o644)
                attempt("  both are closed", take, third) if "read" not in first else None
                os.close(third)


LEASES = {"to read": fcntl.F_RDLCK, "to write": fcntl.F_WRLCK, "none": fcntl.F_UNLCK}


def leases():
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    for flags in os.O_RDONLY, os.O_WRONLY, os.O_RDWR:
        for what, kind in LEASES.items():
            for others in (), (os.O_RDONLY,), (os.O_WRONLY,):
                write("file")
                fd = os.open("file", flags)
                held = [os.open("file", other) for other in others]
                attempt(f"lease {what} of {flags}, also open {others}", fcntl.fcntl, fd, fcntl.F_SETLEASE, kind)
                for other in held:
                    os.close(other)
                attempt("  alone", fcntl.fcntl, fd, fcntl.F_SETLEASE, kind)
                for how in os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_TRUNC:
                    attempt(f"  opened {how:o}", lambda how=how: describe(os.open("file", how | os.O_NONBLOCK)))
                os.close(fd)


def copy_program(name):
    shutil.copy("/bin/sleep", name)
    os.chmod(name, 0o755)


def programs():
    """A program that runs is not written, and one that is open for writing does not run."""
    copy_program("sleeper")
    running = subprocess.Popen(["./sleeper", "100"])
    for what, call in {
        "open to write": lambda: describe(os.open("sleeper", os.O_WRONLY)),
        "open to append": lambda: describe(os.open("sleeper", os.O_RDWR | os.O_APPEND | os.O_CREAT)),
        "emptied": lambda: describe(os.open("sleeper", os.O_WRONLY | os.O_TRUNC)),
        "open to read, emptied": lambda: describe(os.open("sleeper", os.O_RDONLY | os.O_TRUNC)),
        "truncate": lambda: os.truncate("sleeper", 0),
        "by a link": lambda: (os.symlink("sleeper", "link"), describe(os.open("link", os.O_WRONLY))),
        "by /proc": lambda: describe(os.open(f"/proc/{running.pid}/exe", os.O_WRONLY)),
        "chmod": lambda: os.chmod("sleeper", 0o711),
        "link": lambda: os.link("sleeper", "second"),
        "by a second name": lambda: describe(os.open("second", os.O_WRONLY)),
        "rename": lambda: os.rename("sleeper", "renamed"),
        "a new one": lambda: copy_program("sleeper"),
    }.items():
        attempt(f"runs: {what}", call)
    running.kill()
    running.wait()
    attempt("has run", lambda: bool(describe(os.open("renamed", os.O_WRONLY))))
    for flags in os.O_WRONLY, os.O_RDWR | os.O_CREAT, os.O_RDONLY:
        fd = os.open("sleeper", flags)
        attempt(f"open {flags:o}: executed", lambda: subprocess.run(["./sleeper", "0"], check=True).returncode)
        os.close(fd)
        attempt("  and closed", lambda: subprocess.run(["./sleeper", "0"], check=True).returncode)
    for mode in 0o755, 0o644, 0o500:
        fd = os.open(f"made{mode:o}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        os.write(fd, b"#!/bin/true\n")
        os.fchmod(fd, 0o755)
        attempt(f"made with {mode:o}, still open", lambda mode=mode: subprocess.run([f"./made{mode:o}"], check=True))
        os.close(fd)
        attempt("  closed", lambda mode=mode: subprocess.run([f"./made{mode:o}"], check=True).returncode)


def name_it(fd, how, name):
    if how == "by descriptor":
        return system_call("linkat", fd, b"", AT_FDCWD, name.encode(), AT_EMPTY_PATH)
    return os.link(f"/proc/self/fd/{fd}", name, follow_symlinks=True)


def unnamed():
    """O_TMPFILE, and linkat(2), which gives such a file a name."""
    os.mkdir("folder")
    os.symlink("folder", "link")
    write("file")
    for mask in 0o022, 0o077:
        os.umask(mask)
        for flags in os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_EXCL, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC:
            for how in "by /proc", "by descriptor":
                fd = os.open("folder", os.O_TMPFILE | flags, 0o767)
                os.write(fd, b"abc")
                name = f"folder/{mask:o}{flags:o}{how[-4:]}"
                attempt(f"unnamed {flags:o}, named {how}", name_it, fd, how, name)
                attempt("  then", mode_of, name)
                attempt("  once more", name_it, fd, how, name)
                attempt("  a second name", name_it, fd, how, name + "2")
                attempt("  opened anew", lambda fd=fd: describe(os.open(f"/proc/self/fd/{fd}", os.O_RDWR)))
                attempt("  chmod", os.fchmod, fd, 0o711)
                attempt("  truncate", os.truncate, f"/proc/self/fd/{fd}", 1)
                print(" ", describe(fd))
    for name in "folder/", "link", "link/", "file", "missing", "", "folder/.", "/dev/shm":
        for flags in os.O_RDWR, os.O_RDWR | os.O_NOFOLLOW, os.O_RDONLY, os.O_RDWR | os.O_CREAT:
            attempt(f"unnamed in {name!r} {flags:o}", lambda: describe(os.open(name, os.O_TMPFILE | flags, 0o640)))


run(pairs_of_locks, leases, programs, unnamed)
