"""bind(2), whose results are the same on the host and in a box: names of files, and all other addresses.

Prints a line for each: what was called, and the result or errno. Runs in an empty folder.
"""
import ctypes
import os
import socket
import struct
import threading

from attempts import attempt, in_child, libc, mode_of, remove, system_call, write

CLONE_FS = 0x200
IN_DELETE_SELF = 0x400
UNIX = socket.AF_UNIX
PATH_AT = 2  # in struct sockaddr_un
TYPES = {"STREAM": socket.SOCK_STREAM, "DGRAM": socket.SOCK_DGRAM, "SEQPACKET": socket.SOCK_SEQPACKET}


def place():
    """Every kind of thing that a name can be, in a new folder that becomes the working one."""
    os.makedirs("place/dir/deep")
    os.chdir("place")
    write("file")
    for name, target in (
        ("link", "file"),
        ("dangling", "made"),
        ("loop", "loop"),
        ("dirlink", "dir"),
        ("absolute", os.path.abspath("dir")),
    ):
        os.symlink(target, name)
    os.mkfifo("fifo")
    os.mkdir("closed")
    os.mkdir("locked")
    os.chmod("closed", 0o600)
    os.chmod("locked", 0o555)
    with socket.socket(UNIX) as left:
        left.bind("used")


def clear():
    os.chdir("..")
    remove("place")


def raw_bind(fd, address, length):
    if libc.bind(fd, address, ctypes.c_int(length)) < 0:
        raise OSError(ctypes.get_errno(), "bind")


def sockaddr(path, family=UNIX):
    return struct.pack("=H", family) + path


def node_of(name):
    return mode_of(name) if os.path.lexists(name) else None


def bind_and_tell(name, kind=socket.SOCK_STREAM):
    with socket.socket(UNIX, kind) as made:
        made.bind(name)
        return made.getsockname() == name, node_of(name)


NAMES = (
    "new ./new dir/new dir//new /dir/../new dir/../new dir/./new dirlink/new absolute/new dir/deep/new dir/deep/../../new "
    "file dir link dangling loop fifo used dirlink missing/new file/new link/new loop/new closed/new locked/new new/ dir/ "
    "used/ file/ dangling/ dir/. dir/.. . .. / // /. "
).split()


def names():
    for kind, number in TYPES.items():
        for name in NAMES:
            for start in "", os.getcwd() + "/place/":
                place()
                attempt(f"{kind} {start and 'absolute '}{name}", bind_and_tell, start + name, number)
                print(sorted(os.listdir(".")))
                clear()


def lengths():
    for size in 1, 2, 14, 50, 106, 107, 108, 109, 110, 126, 127, 200:
        place()
        path = b"n" * size
        for end in b"", b"\0", b"\0more":
            address = sockaddr(path + end)
            with socket.socket(UNIX) as made:
                attempt(f"{size} bytes and {end}", raw_bind, made.fileno(), address, len(address))
                print(made.getsockname(), [len(name) for name in sorted(os.listdir(".")) if "nn" in name])
        clear()
    for length in -1, 0, 1, 2, 3, 4, 5, 100, 110, 111, 127, 128, 129, 1 << 20:
        place()
        with socket.socket(UNIX) as made:
            address = sockaddr(b"ab" + bytes(126))
            attempt(f"length {length}", raw_bind, made.fileno(), address, length)
            print(sorted(os.listdir(".")), len(made.getsockname()))
        clear()


def addresses():
    kinds = {"unix": (UNIX, 1), "datagrams": (UNIX, 2), "tcp": (socket.AF_INET, 1), "udp": (socket.AF_INET, 2)}
    for what, (family, kind) in kinds.items():
        for other in 0, UNIX, socket.AF_INET, socket.AF_NETLINK, 200:
            for path in b"x" + bytes(13), bytes(14), b"\0name" + bytes(9):
                place()
                with socket.socket(family, kind) as made:
                    attempt(f"{what} {other} {path}", raw_bind, made.fileno(), sockaddr(path, other), 16)
                    print("x" in os.listdir("."))
                clear()
        for pointer in 0, 16, -1:
            with socket.socket(family, kind) as made:
                attempt(f"{what} at {pointer}", raw_bind, made.fileno(), ctypes.c_void_p(pointer), 16)
                attempt(f"{what} at {pointer}, empty", raw_bind, made.fileno(), ctypes.c_void_p(pointer), 0)


def descriptors():
    place()
    read_end, write_end = os.pipe()
    fds = {
        "none": -1,
        "closed": 999,
        "a file": os.open("file", os.O_RDWR),
        "a pipe": read_end,
        "a path": os.open("file", os.O_PATH),
        "a socket's path": os.open("used", os.O_PATH),
    }
    for what, fd in fds.items():
        for length in 5, -1, 200:
            attempt(f"{what}, {length}", raw_bind, fd, sockaddr(b"new"), length)
        attempt(f"{what}, no address", raw_bind, fd, ctypes.c_void_p(16), 5)
    for fd in set(fds.values()) | {write_end}:
        if fd >= 0 and fd != 999:
            os.close(fd)
    clear()


def modes():
    for mask in 0, 0o022, 0o027, 0o077, 0o111, 0o137, 0o177, 0o777:
        for mode in None, 0o600, 0o640, 0o644, 0o666, 0o1777, 0:
            place()
            before = os.umask(mask)
            with socket.socket(UNIX) as made:
                if mode is not None:
                    os.fchmod(made.fileno(), mode)
                made.bind("dir/new")
                print(f"umask {mask:o}, mode {mode}:", mode_of("dir/new"), f"{os.umask(mask):o}")
            os.umask(before)
            clear()
    place()
    with socket.socket(UNIX) as made:
        made.bind("new")
        for mode in 0o777, 0o755, 0o700, 0o600, 0o111, 0, 0o644:
            attempt(f"chmod {mode:o}", os.chmod, "new", mode)
            print(mode_of("new"))
    clear()


def twice():
    place()
    for first in "one", "\0abstract-of-binds", "":
        for second in "two", "one", "file", "missing/two", "\0another-of-binds", "":
            with socket.socket(UNIX) as made:
                attempt(f"first {first!r}", made.bind, first)
                attempt(f"then {second!r}", made.bind, second)
                print(sorted(os.listdir(".")))
            if os.path.lexists("one"):
                os.unlink("one")
    with socket.socket(UNIX) as one, socket.socket(UNIX) as other:
        one.bind("\0shared-of-binds")
        attempt("an abstract name that is in use", other.bind, "\0shared-of-binds")
        other.bind("")
        print("autobind", len(other.getsockname()))
    pair = socket.socketpair()
    attempt("of a pair", pair[0].bind, "of-pair")
    attempt("of a pair, seen by its peer", pair[1].getpeername)
    for each in pair:
        each.close()
    clear()


def answer_all(listener):
    for _ in range(2):
        connection, _ = listener.accept()
        connection.sendall(connection.recv(99)[::-1])
        connection.close()


def servers():
    for start in "", os.getcwd() + "/place/":
        place()
        for name in "new", "dir/new", "dirlink/other":
            with socket.socket(UNIX) as listener:
                listener.bind(start + name)
                listener.listen(1)
                thread = threading.Thread(target=answer_all, args=(listener,))
                thread.start()
                for path in name, os.path.abspath(name):
                    with socket.socket(UNIX) as client:
                        client.connect(path)
                        client.sendall(b"word")
                        print(name, client.recv(99), client.getpeername() == start + name)
                thread.join()
            os.unlink(start + name)
        with socket.socket(UNIX, socket.SOCK_DGRAM) as one, socket.socket(UNIX, socket.SOCK_DGRAM) as other:
            one.bind(start + "one")
            other.bind(start + "other")
            one.sendto(b"word", "other")
            print(other.recvfrom(99)[1] == start + "one")
        clear()


def in_own_folder():
    """A thread with a working folder of its own."""

    def body():
        system_call("unshare", CLONE_FS)
        os.chdir("dir")
        with socket.socket(UNIX) as made:
            attempt("a thread's own folder", made.bind, "of-thread")

    place()
    for target in body, lambda: attempt("a thread", bind_and_tell, "of-thread"):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
        print(sorted(os.listdir(".")), sorted(os.listdir("dir")))
    in_child(lambda: attempt("a child", bind_and_tell, "of-child"))

    def deleted():
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
        for name in "new", "../new", "./new":
            attempt(f"in a deleted folder: {name}", bind_and_tell, name)

    in_child(deleted)

    os.mkdir("will-close")
    above = os.open(".", os.O_RDONLY)
    os.chdir("will-close")
    os.chmod(".", 0)
    for name in "new", "../new", "./new":
        attempt(f"in a folder that was closed: {name}", bind_and_tell, name)
    os.fchdir(above)
    os.close(above)
    os.chmod("will-close", 0o700)
    clear()


def through_proc():
    place()
    folder = os.open("dir", os.O_RDONLY)
    for number, path in enumerate(
        (
            f"/proc/self/fd/{folder}/",
            f"/dev/fd/{folder}/",
            "/proc/self/cwd/",
            "/proc/thread-self/cwd/",
            "/proc/self/root" + os.path.abspath("dir") + "/",
            f"/proc/{os.getpid()}/cwd/dir/",
        )
    ):
        with socket.socket(UNIX) as made:
            attempt(f"way {number}", made.bind, f"{path}way{number}")
            print(node_of(f"dir/way{number}"), node_of(f"way{number}"))
    os.close(folder)
    for path in "/proc/new", "/proc/self/new", "/proc/self/fd/new", "/proc/self", "/dev/null/new":
        with socket.socket(UNIX) as made:
            attempt(path, made.bind, path)
    clear()


def removed_folders():
    """inotify(7) tells of a folder's end when nobody is in it any more."""
    for what, make in ("socket", bind_and_tell), ("FIFO", os.mkfifo):
        place()
        watch = libc.inotify_init1(os.O_NONBLOCK)
        os.mkdir("watched")
        libc.inotify_add_watch(watch, b"watched", IN_DELETE_SELF)
        os.chdir("watched")
        make("new")
        os.chdir("..")
        os.unlink("watched/new")
        os.rmdir("watched")
        attempt(f"events of a folder with a {what}", lambda: os.read(watch, 4096).hex())
        os.close(watch)
        clear()


def networks():
    for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET, "127.1.2.3"):
        for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
            with socket.socket(family, kind) as one, socket.socket(family, kind) as other:
                attempt(f"{address} {kind}", one.bind, (address, 0))
                port = one.getsockname()[1]
                print(port >= 1024, one.getsockname()[0])
                attempt("again", one.bind, (address, 0))
                attempt("in use", other.bind, (address, port))
                attempt("nobody's", other.bind, ("192.0.2.1", 0))
                attempt("a port of root's", other.bind, (address, 1))
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        print(client.getpeername() == server.getsockname())
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as one:
        with socket.create_server(one.getsockname(), reuse_port=True) as other:
            print(one.getsockname() == other.getsockname())


def netlinks():
    def open_one():
        return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)

    def in_thread():
        with open_one() as made:
            made.bind((0, 0))
            print("of a thread", made.getsockname() == (os.getpid(), 0))

    def in_fork():
        with open_one() as made:
            made.bind((0, 0))
            print("of a child", made.getsockname() == (os.getpid(), 0))
            attempt("and again", made.bind, (os.getpid(), 0))
            attempt("and without a number", made.bind, (0, 0))

    with open_one() as first, open_one() as second, open_one() as third:
        first.bind((0, 0))
        second.bind((0, 1))
        print(first.getsockname() == (os.getpid(), 0), second.getsockname()[0] not in (0, os.getpid()))
        print(second.getsockname()[1])
        attempt("a number in use", third.bind, (os.getpid(), 0))
        attempt("a number", third.bind, (12345678, 0))
        attempt("the same", third.bind, (12345678, 1))
        attempt("another", third.bind, (12345679, 0))
        attempt("none", third.bind, (0, 0))
        print(third.getsockname())
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    in_child(in_fork)
    with open_one() as made:
        for length in 0, 2, 11, 12, 16:
            attempt(f"length {length}", raw_bind, made.fileno(), struct.pack("=HHIII", 16, 0, 0, 0, 0), length)


names()
lengths()
addresses()
descriptors()
modes()
twice()
servers()
in_own_folder()
through_proc()
removed_folders()
networks()
netlinks()
