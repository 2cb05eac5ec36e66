"""An X11 client without a library: prints whether the server accepts it.

x11_client.py SOCKET [COOKIE-FILE|hex:COOKIE|none] [keys|hold]

Prints "accepted", "refused: REASON" or "unreachable: ERROR"; a SOCKET that begins with "@" is an abstract
one. With "keys" it then asks 40 times within 8 s which keys are down (QueryKeymap), and prints "heard" once
one is. With "hold" it stays until it is ended.
"""
import socket
import struct
import sys
import time


def receive(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data


def cookie_of(wanted):
    if wanted.startswith("hex:"):
        return bytes.fromhex(wanted[4:])
    with open(wanted, "rb") as file:
        return file.read()[-16:]


class Refused(Exception):
    """What the server says when it does not let a client in."""


def connect(path, wanted):
    """The connection, and what the server tells about itself."""
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(45)
    s.connect("\0" + path[1:] if path.startswith("@") else path)
    name, cookie = (b"", b"") if wanted == "none" else (b"MIT-MAGIC-COOKIE-1", cookie_of(wanted))
    s.sendall(struct.pack("<BxHHHHxx", 0x6C, 11, 0, len(name), len(cookie))
              + name + b"\0" * (-len(name) % 4) + cookie)
    status, length, _, _, words = struct.unpack("<BBHHH", receive(s, 8))
    rest = receive(s, 4 * words)
    if status != 1:
        raise Refused(rest[:length].decode("ascii", "replace").strip())
    return s, rest


def main(path, wanted="none", then=""):
    try:
        s, _ = connect(path, wanted)
    except OSError as error:
        print("unreachable:", error)
        return
    except Refused as error:
        print("refused:", error)
        return
    print("accepted", flush=True)
    if then == "hold":
        time.sleep(600)
    if then != "keys":
        return
    for _ in range(40):
        s.sendall(struct.pack("<BxH", 44, 1))
        if any(receive(s, 40)[8:]):
            print("heard")
            return
        time.sleep(0.2)


if __name__ == "__main__":
    main(*sys.argv[1:])
