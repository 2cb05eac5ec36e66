"""gate.py serve: a server on each address; prints its port.
gate.py drive RUNS KIND PROGRAM…: runs the programs in turn, each with a client behind it; prints the median of what each printed.
gate.py client ADDRESS PORT KIND: prints milliseconds. down, up: for a GiB. first: for a connection with one byte, the median of
many. many: for 1,000 connections with one byte each, which stay until standard input ends. dns: for an answer of the DNS server
ADDRESS to a name that it knows, the median of many.
"""
import resource
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

GIB = 1 << 30
BLOCK = bytes(1 << 20)


def talk(line):
    """A line "down N" asks for N bytes; "up N" is followed by them, and answered by one."""
    with line:
        words = line.makefile("rb", 0)
        while request := words.readline().split():
            left = int(request[1])
            while left and request[0] == b"down":
                left -= line.send(BLOCK[:left])
            while left:
                left -= len(line.recv(min(left, len(BLOCK))))
            if request[0] == b"up":
                line.sendall(b"x")


def serve():
    threading.stack_size(1 << 18)
    server = socket.create_server(("0.0.0.0", 0), backlog=1024)
    print(server.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()


def read_all(line, left):
    buffer = bytearray(1 << 20)
    while left:
        got = line.recv_into(buffer, min(left, len(buffer)))
        assert got, "the server hung up"
        left -= got


def down(target):
    with socket.create_connection(target) as line:
        line.sendall(b"down %d\n" % GIB)
        read_all(line, GIB)


def up(target):
    with socket.create_connection(target) as line:
        line.sendall(b"up %d\n" % GIB)
        for _ in range(GIB // len(BLOCK)):
            line.sendall(BLOCK)
        read_all(line, 1)


def first(target):
    with socket.create_connection(target) as line:
        line.sendall(b"down 1\n")
        read_all(line, 1)


def many(target):
    lines = [socket.create_connection(target) for _ in range(1000)]
    for line in lines:
        line.sendall(b"down 1\n")
    for line in lines:
        read_all(line, 1)
    return lines


def dns(line):
    line.send(struct.pack("!6H", 1, 256, 1, 0, 0, 0) + b"\5bench\4test\0\0\1\0\1")
    assert line.recv(1000)[7] == 1, "no answer"


def clock(call, *arguments, times=1):
    taken = []
    for _ in range(times):
        begun = time.monotonic()
        kept = call(*arguments)
        taken.append((time.monotonic() - begun) * 1000)
    print(round(statistics.median(taken), 4), flush=True)
    return kept


def client(target, kind):
    if kind == "dns":
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.connect(target)
        clock(dns, line, times=1000)
    elif kind == "first":
        clock(first, target, times=300)
    elif kind == "many":
        kept = clock(many, target)
        sys.stdin.read()
        del kept
    else:
        clock({"down": down, "up": up}[kind], target)


def drive(times, kind, programs):
    taken = [[float(subprocess.run([program, kind], check=True, stdout=subprocess.PIPE).stdout) for program in programs]
             for _ in range(times)]
    print(*(round(statistics.median(column), 3) for column in zip(*taken)))


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
if sys.argv[1] == "serve":
    serve()
elif sys.argv[1] == "drive":
    drive(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
else:
    client((sys.argv[2], int(sys.argv[3])), sys.argv[4])
