"""Runs a command on a pseudo terminal of 24 x 80 and prints what it shows.

on_terminal.py [--size ROWSxCOLS] [--after TEXT] [--send TEXT]... COMMAND...
--after: nothing is typed before TEXT has been shown.
--send: Python-escaped text that is typed, one after the other, each once the terminal has been
quiet for a quarter of a second. Exits with the command's status.
"""
import argparse
import fcntl
import os
import pty
import select
import struct
import sys
import termios

QUIET = 0.25
LIMIT = 60


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="24x80")
    parser.add_argument("--after", default="")
    parser.add_argument("--send", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    args = parse()
    rows, columns = map(int, args.size.split("x"))
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(args.command[0], args.command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    pending = [text.encode().decode("unicode_escape").encode("latin-1") for text in args.send]
    waited = 0.0
    shown = b""
    while waited < LIMIT:
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
            waited = 0.0
            shown += data
            continue
        waited += QUIET
        if pending and args.after.encode() in shown:
            os.write(master, pending.pop(0))
    os.close(master)
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


main()
