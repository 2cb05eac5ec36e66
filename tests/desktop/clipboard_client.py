"""An X11 client that owns the clipboard, and breaks the rules for it (ICCCM, section 2).

clipboard_client.py SOCKET COOKIE-FILE HOW [SECONDS]

Owns the clipboard for SECONDS (20), offers text and a picture, prints "owns", and when asked for them:

  idle     owns nothing, but prints "owns" when it is connected
  hog      the same, and asks for the text 60 times, into properties that it never takes; prints "answered N" and
           "refused N" in the end
  silent   never answers
  hangs    starts an INCR transfer, and sends no piece
  endless  sends piece after piece, without an end
  huge     sends one byte more than 16 MiB, in pieces
  lies     sends invalid UTF-8 as text, and a program as a picture
  secret   marks the contents as a password manager's
  late     the same, and says so only 7 s after it was asked for the list; prints "asked late"
  flood    copies anew for 5 s, as fast as it can, "flood N", and answers what it is asked meanwhile; prints
           "copied N", and "asked for TARGETS" as well
  slow     sends text 3 s after it was asked
  control  sends text with control characters in it
Prints "asked for NAME" for every request but the list.
"""
import select
import struct
import sys
import time

from x11_display import Display

LIMIT = 16 << 20
PIECE = 1 << 16
FLOOD_S = 5
PROPERTY_CHANGES = 0x400000


class Client(Display):
    def __init__(self, path, cookie):
        super().__init__(path, cookie)
        self.s.settimeout(30)
        self.owner = self.window(width=1, height=1)
        self.watch(self.owner)
        self.clipboard = self.atom("CLIPBOARD")

    def own(self):
        self.ask(22, 0, struct.pack("<III", self.owner, self.clipboard, 0))

    def put(self, window, place, kind, data):
        self.set_bytes(window, place, kind, 8, len(data), data)

    def notify(self, asked, place):
        time_, _, window, selection, target, _ = asked
        event = struct.pack("<BxHIIIII8x", 31, 0, time_, window, selection, target, place)
        self.ask(25, 0, struct.pack("<II", window, 0) + event)

    def convert(self, target, place):
        self.ask(24, 0, struct.pack("<IIIII", self.owner, self.clipboard, target, place, 0))

    def watch(self, window):
        self.ask(2, 0, struct.pack("<III", window, 0x800, PROPERTY_CHANGES))


def content(how, number, name):
    if how == "lies":
        return b"\xff\xfe\0not text" if name != "image/png" else b"\x7fELF" + b"\0" * 100
    if how == "late":
        return b"hunter2"
    if how == "control":
        return b"a\x1b[201~b\x07c\n"
    return b"at last" if how == "slow" else b"flood %d" % number


def main(path, cookie, how, seconds="20"):
    client = Client(path, cookie)
    named = {name: client.atom(name)
             for name in ("TARGETS", "INCR", "ATOM", "UTF8_STRING", "image/png", "x-kde-passwordManagerHint")}
    names = {number: name for name, number in named.items()}
    offered = ["TARGETS", "UTF8_STRING", "image/png"] + (
        ["x-kde-passwordManagerHint"] if how in ("secret", "late") else [])
    end = time.monotonic() + float(seconds)
    flood_end = time.monotonic() + FLOOD_S if how == "flood" else 0
    sent, number, transfer = 0, 0, None
    answers = {True: 0, False: 0}
    late = []  # requests for the list, and when they are answered

    def list_targets(asked):
        client.set(asked[2], asked[5], 4, *(named[each] for each in offered))
        client.notify(asked, asked[5])

    if how == "hog":
        for place in range(1, 61):  # atoms that every server has
            client.convert(named["UTF8_STRING"], place)
    elif how != "idle":
        client.own()
    print("owns", flush=True)
    while time.monotonic() < end:
        is_flooding = time.monotonic() < flood_end
        if is_flooding:
            number += 1
            client.own()
        elif flood_end:
            flood_end = 0
            print("copied", number, flush=True)
        while late and time.monotonic() >= late[0][0]:
            list_targets(late.pop(0)[1])
        if not client.events and not select.select([client.s], [], [], 0.002 if is_flooding else 0.2)[0]:
            continue
        event = client.events.pop(0) if client.events else client.packet()
        if event[0] & 0x7F == 30:
            asked = struct.unpack("<IIIIII", event[4:28])
            window, target, place = asked[2], asked[4], asked[5]
            name = names.get(target, "?")
            if how == "flood" or name != "TARGETS":
                print("asked for", name, flush=True)
            if name == "TARGETS" and how == "late":
                print("asked late", flush=True)
                late.append((time.monotonic() + 7, asked))
                continue
            if name == "TARGETS":
                list_targets(asked)
                continue
            if how == "silent":
                continue
            if how == "slow":
                time.sleep(3)
            if how in ("hangs", "endless", "huge"):
                client.watch(window)
                client.set(window, place, named["INCR"], 1000)
                client.notify(asked, place)
                transfer, sent = (window, place, target), 0
                continue
            client.put(window, place, target, content(how, number, name))
            client.notify(asked, place)
        elif event[0] & 0x7F == 31:
            answers[event[20:24] != b"\0\0\0\0"] += 1
            if sum(answers.values()) == 60:
                print("answered", answers[True], "refused", answers[False], flush=True)
        elif event[0] & 0x7F == 28 and transfer and how != "hangs":
            window, place = struct.unpack("<II", event[4:12])
            if (window, place) != transfer[:2] or event[16] != 1:
                continue
            size = PIECE if how == "endless" else min(PIECE, LIMIT + 1 - sent)
            sent += size
            client.put(window, place, transfer[2], b"a" * size)


main(*sys.argv[1:])
