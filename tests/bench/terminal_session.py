"""Milliseconds that `box run -- true` takes on a terminal, with a terminal in the box and without one.

terminal_session.py ROUNDS: prints the median with one, and that with -T. Both are started in turn, on one
pseudo terminal, whose output is read at once.
"""
import os
import pty
import statistics
import sys
import time

WITH = ["box", "run", "--", "true"]
WITHOUT = ["box", "run", "-T", "--", "true"]


def measure(command):
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit(f"{command} failed")
    return (time.perf_counter() - begin) * 1000


def child(rounds, report):
    times = [(measure(WITH), measure(WITHOUT)) for _ in range(rounds)]
    with os.fdopen(report, "w") as out:
        print(*(f"{statistics.median(column):.3f}" for column in zip(*times)), file=out)
    os._exit(0)


def main():
    result, report = os.pipe()
    pid, master = pty.fork()
    if pid == 0:
        child(int(sys.argv[1]), report)
    os.close(report)
    while True:
        try:
            if not os.read(master, 65536):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    with os.fdopen(result) as lines:
        print(lines.read().strip())


main()
