"""Names and paths: long, odd, at the end of a page, and none at all."""
import ctypes
import mmap
import os

from attempts import AT_FDCWD, attempt, libc, mode_of, run, system_call, write

PAGE = mmap.PAGESIZE
MADE = os.O_CREAT | os.O_RDWR


def calls(name, other="target"):
    yield "open", lambda: os.close(os.open(name, MADE, 0o644))
    yield "open to write", lambda: os.close(os.open(name, os.O_WRONLY))
    yield "mkdir", lambda: os.mkdir(name)
    yield "mkfifo", lambda: os.mkfifo(name)
    yield "symlink", lambda: os.symlink(other, name)
    yield "symlink to it", lambda: os.symlink(name, other)
    yield "link", lambda: os.link("file", name)
    yield "rename", lambda: os.rename("file", name)
    yield "truncate", lambda: os.truncate(name, 0)
    yield "chmod", lambda: os.chmod(name, 0o755)


def clear():
    for name in os.listdir(b"."):
        if os.path.isdir(name) and not os.path.islink(name):
            os.rmdir(name)
        else:
            os.unlink(name)


def long():
    """As long as a name or path may be, and one more."""
    cases = {f"a name of {n}": "n" * n for n in (1, 254, 255, 256, 300)}
    for length in 4094, 4095, 4096, 5000:
        cases[f"a path of {length}"] = "./" * ((length - 1) // 2) + "e" * (1 + (length - 1) % 2)
        cases[f"slashes of {length}"] = "." + "/" * (length - 2) + "e"
        cases[f"a path of {length} that ends with a slash"] = "./" * (length // 2)
    cases["a name of 256 in a folder"] = "." + "/" + "n" * 256
    cases["in a name of 256"] = "n" * 256 + "/new"
    for what, name in cases.items():
        for call_name, call in calls(name):
            write("file")
            attempt(f"{what}: {call_name}", call)
            clear()


def odd():
    names = [b" ", b"new\nline", b"\xff\x01", "caf\u00e9".encode(), b"\\", b"...", b".. ", b"trail.", b"a:b", b"-", b"*"]
    names += [b"\x7f", b"HEAD ", b".GIT2", "\u200d.gi".encode(), b"con", b"x" * 100 + b"\xe2\x82"]
    for name in names:
        for call_name, call in calls(name, b"other"):
            write(b"file")
            attempt(f"{name!r}: {call_name}", call)
            clear()


def link_texts():
    """The text of a link is no path until it is followed."""
    for length in 1, 255, 256, 4094, 4095, 4096:
        attempt(f"a link to {length}", os.symlink, "z" * length, f"z{length}")
        attempt("  made through it", lambda length=length: os.close(os.open(f"z{length}", MADE, 0o644)))
        attempt("  written through it", lambda length=length: os.close(os.open(f"z{length}", os.O_WRONLY)))
        text = "./" * (length // 2) + "e"
        attempt("a link along a long way", os.symlink, text, f"way{length}")
        attempt("  followed", lambda length=length: os.close(os.open(f"way{length}", MADE, 0o644)))
        attempt("  and further", lambda length=length: os.open(f"way{length}/more", MADE, 0o644))
    attempt("a link to nothing", os.symlink, "", "nothing")


def raw(what, address):
    for name, more in ("openat", (MADE, 0o644)), ("mkdirat", (0o755,)):
        attempt(f"{what}: {name}", lambda name=name, more=more: system_call(name, AT_FDCWD, address, *more) >= 0)
    attempt(f"{what}: symlinkat", lambda: system_call("symlinkat", address, AT_FDCWD, b"from"))
    attempt(f"{what}: linkat", lambda: system_call("linkat", AT_FDCWD, address, AT_FDCWD, b"linked", 0))
    attempt(f"{what}: renameat2", lambda: system_call("renameat2", AT_FDCWD, address, AT_FDCWD, b"moved", 0))
    attempt(f"{what}: truncate", lambda: system_call("truncate", address, 0))
    clear()


def addresses():
    """Paths that begin or end where no memory is."""
    libc.mmap.restype = ctypes.c_void_p
    area = libc.mmap(None, ctypes.c_size_t(3 * PAGE), 3, 0x22, -1, ctypes.c_long(0))
    libc.munmap(ctypes.c_void_p(area + 2 * PAGE), ctypes.c_size_t(PAGE))
    end = area + 2 * PAGE
    for length in 1, 2, 3, 200, 255, 256, 257, 300, 4000:
        text = b"." + b"/" * (length - 2) + b"e" if length > 1 else b"e"
        ctypes.memmove(end - length - 1, text + b"\0", length + 1)
        raw(f"{length} bytes up to the end of memory", end - length - 1)
        ctypes.memmove(end - length, text, length)
        raw(f"{length} bytes without an end", end - length)
    for what, address in ("nowhere", 0), ("page 0", 1), ("behind the end", end), ("of the kernel", -4096):
        raw(what, address)
    ctypes.memset(area, ord("a"), 2 * PAGE)
    raw("a path that is too long and never ends", area)
    libc.mprotect(ctypes.c_void_p(area), ctypes.c_size_t(PAGE), 0)
    raw("what may not be read", area + 10)


def deep():
    """Relative names in a folder whose own path is long."""
    start = os.open(".", os.O_RDONLY)
    for _ in range(15):
        os.mkdir("k" * 250)
        os.chdir("k" * 250)
    for call_name, call in calls("name"):
        write("file")
        attempt(f"far below: {call_name}", call)
        clear()
    attempt("up again", lambda: os.close(os.open("../" * 15 + "top", MADE, 0o644)))
    os.fchdir(start)
    attempt("at the top", mode_of, "top")


run(long, odd, link_texts, addresses, deep)
