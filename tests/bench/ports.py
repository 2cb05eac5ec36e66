"""ports.py FORWARDED PUBLISHED: the same server of a box by two ports of the host, in turn.

Prints two lines, each with a figure of the one and of the other, medians in milliseconds: for 200 MB from
the server, and for a connection with one byte.
"""
import socket
import statistics
import sys
import time

LARGE = 200_000_000


def fetch(port, size):
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"%d\n" % size)
        left = size
        while left > 0:
            got = line.recv(1 << 18)
            assert got, "the server hung up"
            left -= len(got)
    return (time.monotonic() - begun) * 1000


def measure(ports, size, times):
    taken = [[fetch(port, size) for port in ports] for _ in range(times)]
    print(*(round(statistics.median(column), 3) for column in zip(*taken)))


ports = [int(word) for word in sys.argv[1:]]
for port in ports:
    while True:
        try:
            fetch(port, 1)
            break
        except (OSError, AssertionError):
            time.sleep(0.1)
measure(ports, LARGE, 11)
measure(ports, 1, 200)
