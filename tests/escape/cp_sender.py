#!/usr/bin/python3
"""The end in a box of `box cp` (tree/tree.h), taken over by an attacker.

Installed in place of litterbox-copy; the attack's name is the first line of ~/attack, and OUTSIDE,
what is to be reached, the second. `cp_sender.py naive ATTACK OUTSIDE FOLDER` is the control: the
same stream, received by a program that believes it.
"""
import os
import struct
import sys
import time

FILE, FOLDER, LINK, DATA, END, NOTE, FAILED, DONE = range(1, 9)
EVIL = "\x1b[2J\x1b]0;evil\a\nbox: all is well\u202e"


def record(kind, body=b"", mode=0o6777, offset=0):
    return struct.pack("=IIIIqQ", kind, len(body), mode, 0, 0, offset) + body


def file(name, text=b"evil", end=None):
    return record(FILE, name) + record(DATA, text) + record(END, offset=len(text) if end is None else end)


def folder(name, *entries):
    return record(FOLDER, name) + b"".join(entries) + record(END)


def link(name, target):
    return record(LINK, name + b"\0" + target)


def streams(outside):
    up = b"../" * 12 + outside.encode().lstrip(b"/")
    plain = outside.encode()
    return {
        "dotdot-file": folder(b"t", file(b"../" + b"evil")),
        "dotdot-folder": folder(b"t", folder(b"..", file(b"evil"))),
        "absolute-file": folder(b"t", file(plain + b"/evil")),
        "relative-file": folder(b"t", file(up + b"/evil")),
        "file-through-link": folder(b"t", link(b"l", plain), file(b"l/evil")),
        "folder-over-link": folder(b"t", link(b"l", plain), folder(b"l", file(b"evil"))),
        "relative-link": folder(b"t", link(b"l", up), folder(b"l", file(b"evil"))),
        "link-of-links": folder(b"t", folder(b"d"), link(b"a", b"d/../.."), folder(b"a", file(b"evil"))),
        "top-is-link": link(b"t", plain) + folder(b"t", file(b"evil")),
        "file-over-link": folder(b"t", link(b"l", plain + b"/evil"), file(b"l")),
        "two-tops": file(b"t") + file(b"../evil"),
        "more-ends": record(FOLDER, b"t") + record(END) + record(END) + file(b"evil"),
        "set-user-id": folder(b"t", file(b"suid")),
        "long-name": folder(b"t", file(b"n" * 256)),
        "nul-name": folder(b"t", file(b"a\0b")),
        "data-outside": record(DATA, b"evil"),
        "huge-length": struct.pack("=IIIIqQ", FILE, 0xFFFFFFFF, 0, 0, 0, 0),
        "huge-size": file(b"t", end=2**63),
        "huge-offset": record(FILE, b"t") + record(DATA, b"evil", offset=2**64 - 2),
        "deep": b"".join(record(FOLDER, b"d") for _ in range(100000)),
        "garbage": os.urandom(100000),
        "evil-note": record(NOTE, EVIL.encode()) * 1000 + file(b"t"),
        "evil-failure": record(FAILED, EVIL.encode()),
        "evil-name": folder(b"t", file(EVIL.encode()), link(EVIL.encode() + b"l", b"/")),
    }


def endless():
    """Streams after which nothing comes, not even an end."""
    return {
        "hangs-after-done": file(b"t") + record(DONE),
        "hangs-in-record": record(FILE, b"t") + struct.pack("=IIIIqQ", DATA, 1000, 0, 0, 0, 0),
    }


def naive(stream, folder_path):
    """Believes names and follows links."""
    at, here, out = 0, folder_path, None
    while at + 32 <= len(stream):
        kind, length, mode, _, _, offset = struct.unpack_from("=IIIIqQ", stream, at)
        body = stream[at + 32:at + 32 + length]
        at += 32 + length
        if kind == FILE:
            out, mode_of_file = open(os.path.join(os.fsencode(here), body), "wb"), mode
        elif kind == DATA:
            out.seek(offset)
            out.write(body)
        elif kind == FOLDER:
            here = os.path.join(os.fsencode(here), body)
            os.makedirs(here, exist_ok=True)
        elif kind == LINK:
            name, target = body.split(b"\0", 1)
            os.symlink(target, os.path.join(os.fsencode(here), name))
        elif kind == END and out:
            out.flush()
            os.chmod(out.fileno(), mode_of_file)
            out.close()
            out = None
        elif kind == END:
            here = os.path.dirname(here)


def main():
    if sys.argv[1] == "naive":
        naive(streams(sys.argv[3])[sys.argv[2]] + record(DONE), sys.argv[4])
        return
    attack, outside = open(os.path.expanduser("~/attack"), encoding="utf-8").read().split()
    stream = streams(outside).get(attack)
    if stream is not None:
        sys.stdout.buffer.write(stream + record(DONE))
        return
    sys.stdout.buffer.write(endless()[attack])
    sys.stdout.buffer.flush()
    time.sleep(10000)


main()
