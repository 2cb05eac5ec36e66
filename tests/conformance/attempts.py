"""Calls on files, and how they ended: one line for each, which is compared between host and box."""
import ctypes
import errno
import fcntl
import os
import shutil
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
MODES = stat.S_IFMT(0o170000) | 0o7777
# By machine; newer calls have the same number everywhere.
NUMBERS = {
    "add_key": {"x86_64": 248, "aarch64": 217},
    "exit": {"x86_64": 60, "aarch64": 93},
    "linkat": {"x86_64": 265, "aarch64": 37},
    "mkdirat": {"x86_64": 258, "aarch64": 34},
    "openat": {"x86_64": 257, "aarch64": 56},
    "renameat2": {"x86_64": 316, "aarch64": 276},
    "symlinkat": {"x86_64": 266, "aarch64": 36},
    "truncate": {"x86_64": 76, "aarch64": 45},
    "unshare": {"x86_64": 272, "aarch64": 97},
}
NEWER = {"io_uring_setup": 425, "openat2": 437, "landlock_create_ruleset": 444, "fchmodat2": 452}


def system_call(name, *arguments):
    """Without Python, which calls again after EINTR."""
    number = NEWER[name] if name in NEWER else NUMBERS[name][os.uname().machine]
    words = [word if isinstance(word, bytes) else ctypes.c_long(word) for word in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def attempt(what, call, *arguments, **named):
    try:
        result = call(*arguments, **named)
    except OSError as error:
        result = errno.errorcode[error.errno]
    print(what, result)


def describe(fd):
    """Of an open descriptor, which is closed."""
    found = os.fstat(fd)
    text = f"{found.st_mode & MODES:o} {found.st_size} {fcntl.fcntl(fd, fcntl.F_GETFL):o} {os.get_inheritable(fd)}"
    os.close(fd)
    return text


def mode_of(name):
    found = os.lstat(name)
    return f"{found.st_mode:o} {found.st_nlink}"


def write(name, text="text", mode=0o644):
    with open(name, "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(name, mode)


def renameat2(old, new, flags):
    system_call("renameat2", AT_FDCWD, old.encode(), AT_FDCWD, new.encode(), flags)


def in_child(call, *arguments):
    """CALL in a process of its own, whose end is printed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            call(*arguments)
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    print("  ended", os.waitpid(child, 0)[1])


def waits_in_open(pid, name):
    """1 when PID, a descendant, sleeps in an open of NAME."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
            words = file.read().split()
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            sleeps = file.read().rsplit(")", 1)[1].split()[0] == "S"
        if not sleeps or words[0] not in ("2", "56", "257"):  # open of x86-64; openat
            return False
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(int(words[1 if words[0] == "2" else 2], 16))
            return memory.read(len(name) + 1) == name.encode() + b"\0"
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it has ended
        return False


def run(*parts):
    """Each part in an empty folder of its own."""
    for part in parts:
        os.mkdir(part.__name__)
        os.chdir(part.__name__)
        print(part.__name__)
        part()
        os.chdir("..")
        sys.stdout.flush()


def remove(folder):
    """Also what may not be entered."""
    os.chmod(folder, 0o755)
    for above, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(above, name)):
                os.chmod(os.path.join(above, name), 0o755)
    shutil.rmtree(folder)
