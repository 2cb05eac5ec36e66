"""Runs a command on a pseudo terminal of 24 x 80 and prints what it shows.

on_terminal.py [--size ROWSxCOLS] [--after TEXT] [--send TEXT | --answer QUESTION TEXT]... COMMAND...
--after: types nothing before TEXT is shown.
--send: types Python-escaped TEXTs in order, each when the terminal has been quiet for a quarter of
a second: enough for a shell, which reads in order. --answer: types TEXT as soon as QUESTION is shown,
for what must not come early: a signal, an answer, a key of a program on the whole screen.
Exits with the command's status, or with 124 when it did not end: a minute without output, or ten
minutes in all, as a program with a clock is never silent.
"""
import argparse
import fcntl
import os
import pty
import select
import struct
import sys
import signal
import termios
import time

QUIET = 0.25
SILENT_LIMIT = 60
LIMIT = 600


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="24x80")
    parser.add_argument("--after", default="")
    parser.add_argument("--send", action="append", dest="typed", nargs=1, default=[])
    parser.add_argument("--answer", action="append", dest="typed", nargs=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    args = parse()
    rows, columns = map(int, args.size.split("x"))
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(args.command[0], args.command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    # Waits for the question (none: for silence), then types.
    pending = [("".join(typed[:-1]).encode(),
                typed[-1].encode().decode("unicode_escape").encode("latin-1"))
               for typed in args.typed]
    asked = b""
    begun = heard = time.monotonic()
    shown = b""
    while time.monotonic() < min(begun + LIMIT, heard + SILENT_LIMIT):
        ready, _, _ = select.select([master], [], [], QUIET)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            heard = time.monotonic()
            shown += data
            asked += data
        if not pending or args.after.encode() not in shown:
            continue
        question, text = pending[0]
        if question in asked if question else not ready:
            os.write(master, text)
            pending.pop(0)
            asked = b""
    else:
        print(f"on_terminal: {args.command} did not end", file=sys.stderr)
        os.kill(pid, signal.SIGKILL)
        sys.exit(124)
    os.close(master)
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


main()
