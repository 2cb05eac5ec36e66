"""A hostile box-init: listens at PATH and answers the host's `box` as BEHAVIOUR says.

hostile_init.py PATH BEHAVIOUR. Run by root of a box in place of the real socket, or by a test on the
host. Runs until it is killed.
"""
import os
import signal
import socket
import struct
import sys
import time

VERSION = 1
START, SIGNAL, ANSWER, QUERY, STARTED, FAILED, EXITED, ASK, INFO, CONNECT, CONNECTED = range(1, 12)


def message(kind, body=b"", length=None, version=VERSION):
    return struct.pack("=HHI", version, kind, len(body) if length is None else length) + body


def send(line, data, fds=()):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
    line.sendmsg([data], rights)


STARTED_OK = message(STARTED, struct.pack("=i", 7))
EXITED_0 = message(EXITED, struct.pack("=ii", 0, 0))


def garbage(line):
    line.sendall(os.urandom(4096))


def huge(line):
    line.sendall(message(STARTED, b"", 0xFFFFFFFF))


def start_to_client(line):
    line.sendall(message(START, b"", 4 << 20))


def short(line):
    line.sendall(STARTED_OK[:5])


def silent(line):
    time.sleep(60)


def half(line):
    """After the session has started, sends a header without its body."""
    line.sendall(STARTED_OK + message(EXITED, b"")[:4] + struct.pack("=I", 8))
    time.sleep(60)


def trickle(line, data, seconds):
    for i in range(len(data)):
        line.sendall(data[i:i + 1])
        time.sleep(seconds)


def slow_info(line):
    """An answer that always comes on, and never to its end."""
    trickle(line, message(INFO, struct.pack("=II", 0, 5) + LEFT), 1)


def slow_end(line):
    """The same when the session has started, on a terminal of its own."""
    send(line, STARTED_OK, [os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)])
    trickle(line, message(ASK, b"x" * 4096), 1)


def endless(line):
    """The session has started, and never ends."""
    line.sendall(STARTED_OK)
    KEPT.append(line.dup())


def blocking_pty(line):
    """A terminal that it keeps, and that blocks whoever reads it, whatever the client sets."""
    terminal = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    send(line, STARTED_OK, [terminal])
    line.sendall(EXITED_0)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        os.set_blocking(terminal, True)


def early_exit(line):
    line.sendall(EXITED_0)


def exited_twice(line):
    line.sendall(STARTED_OK + EXITED_0 + EXITED_0)


def wild_status(line):
    line.sendall(STARTED_OK + message(EXITED, struct.pack("=ii", 0x7FFFFF2A, -1)))


# As many programs as there is room for, without a NUL, with numbers that overflow a sum.
LEFT = struct.pack("=II", 99, 0xFFFFFFFF) + struct.pack("=16sI", b"\x1b]0;t\x07\nbox: \xe2\x80\xae", 0xFFFFFFFF) * 8


def exited_left(line):
    line.sendall(STARTED_OK + message(EXITED, struct.pack("=ii", 0, 0) + b"\0\0\0\0" + LEFT[4:]))


def info_left(line):
    line.sendall(message(INFO, struct.pack("=II", 0, 5) + LEFT))


def info_long(line):
    line.sendall(message(INFO, struct.pack("=II", 0, 5) + LEFT + b"more"))


def folder_as_pty(line):
    send(line, STARTED_OK, [os.open("/", os.O_RDONLY)])
    time.sleep(1)


def file_as_pty(line):
    send(line, STARTED_OK, [os.open(os.path.abspath(sys.argv[0]), os.O_RDONLY)])
    time.sleep(1)


def no_pty(line):
    line.sendall(STARTED_OK)
    time.sleep(1)


def many_descriptors(line):
    null = os.open("/dev/null", os.O_RDWR)
    send(line, STARTED_OK, [null] * 200)
    line.sendall(EXITED_0)


def ask_flood(line):
    line.sendall(b"".join(message(ASK, b"flood") for _ in range(20000)))
    line.sendall(STARTED_OK + EXITED_0)


def ask_escapes(line):
    line.sendall(message(ASK, b"\x1b[2J\x1b]0;evil\x07harmless\r\nbox: all is well\xe2\x80\xae\xc2\x9b31m" + b"x" * 900))
    line.recv(4096)
    line.sendall(STARTED_OK + EXITED_0)


def ask_long(line):
    line.sendall(message(ASK, b"apt install vim" + b" x" * 1500))
    line.recv(4096)
    line.sendall(STARTED_OK + EXITED_0)


def failed_escapes(line):
    line.sendall(message(FAILED, struct.pack("=Ii", 0xFFFFFFFF, -0x7FFFFFFF)))


# Answers to CONNECT: descriptors that are not a connection to the requested port.
CONNECTED_OK = message(CONNECTED)


def give_file(line):
    send(line, CONNECTED_OK, [os.open("/etc/passwd", os.O_RDONLY)])
    time.sleep(0.2)


def give_unix(line):
    pair = socket.socketpair()
    pair[0].sendall(b"hostile")
    send(line, CONNECTED_OK, [pair[1].fileno()])
    time.sleep(0.2)


def give_udp(line):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.connect(("127.0.0.1", 8000))
    send(line, CONNECTED_OK, [udp.fileno()])
    time.sleep(0.2)


def give_listener(line):
    listener = socket.create_server(("127.0.0.1", 0))
    send(line, CONNECTED_OK, [listener.fileno()])
    time.sleep(0.2)


def give_unconnected(line):
    send(line, CONNECTED_OK, [socket.socket().fileno()])
    time.sleep(0.2)


def talk(where):
    """A connection to a server of this program at WHERE, which sends "hostile"."""
    listener = socket.create_server(where)
    near = socket.create_connection(listener.getsockname())
    far, _ = listener.accept()
    far.sendall(b"HTTP/1.0 200 OK\r\n\r\nhostile\n")
    return near, far


def give_other_port(line):
    near, far = talk(("127.0.0.1", 0))
    send(line, CONNECTED_OK, [near.fileno()])
    far.close()
    time.sleep(0.2)


def give_other_host(line):
    near, far = talk(("127.0.0.2", 8000))
    send(line, CONNECTED_OK, [near.fileno()])
    far.close()
    time.sleep(0.2)


def give_many(line):
    pairs = [talk(("127.0.0.1", 0)) for _ in range(3)]
    send(line, CONNECTED_OK, [near.fileno() for near, _ in pairs])
    time.sleep(0.2)


def give_nothing(line):
    line.sendall(CONNECTED_OK)
    time.sleep(0.2)


def refuse_wildly(line):
    line.sendall(message(FAILED, struct.pack("=Ii", 0xFFFFFFFF, -0x7FFFFFFF)))


def hang_up(line):
    """Answers as an old box-init without CONNECT."""


KEPT = []


def stop_server():
    """Accepts connections in its queue and reads from none."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as words:
                if b"http.server" in words.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGSTOP)
        except OSError:
            pass


def give_blocking(line):
    """The right descriptor, but blocking, slow to close, and never read."""
    stop_server()
    server = socket.create_connection(("127.0.0.1", 8000))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))
    server.setblocking(True)
    KEPT.append(server)
    send(line, CONNECTED_OK, [server.fileno()])
    end = time.monotonic() + 1
    while time.monotonic() < end:  # ignores the other end's settings
        os.set_blocking(server.fileno(), True)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))


BEHAVIOURS = {f.__name__: f for f in (
    exited_left, info_left, info_long, garbage, huge, start_to_client, short, silent, half, early_exit, exited_twice, wild_status,
    folder_as_pty, file_as_pty, no_pty, many_descriptors, ask_flood, ask_escapes, ask_long, failed_escapes,
    give_file, give_unix, give_udp, give_listener, give_unconnected, give_other_port, give_other_host,
    give_many, give_nothing, refuse_wildly, hang_up, give_blocking, slow_info, slow_end, blocking_pty, endless)}


def main():
    path, behaviour = sys.argv[1], BEHAVIOURS.get(sys.argv[2])
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o777)
    listener.listen(64 if behaviour else 0)
    waiting = []
    while not behaviour:  # "full": accepts nobody, and its queue is full
        waiting.append(socket.socket(socket.AF_UNIX))
        waiting[-1].setblocking(False)
        try:
            waiting[-1].connect(path)
        except BlockingIOError:
            time.sleep(1000)
    while True:
        line, _ = listener.accept()
        try:
            line.recv(65536)
            behaviour(line)
        except OSError:
            pass
        line.close()


main()
