"""A Podman that is broken in one way: crash_podman.py SOCKET HOW [GOOD]

The first GOOD requests (default 0) get a valid ping reply, all others fail as HOW says. It only
simulates failures: tests of a working Podman use a real one.
"""
import os
import socket
import sys
import threading
import time

HEAD = b"HTTP/1.1 200 OK\r\nLibpod-API-Version: 5.4.2\r\nContent-Type: application/json\r\n"
PING = HEAD + b"Content-Length: 2\r\n\r\nOK"


def reply(body, status=b"200 OK"):
    return HEAD.replace(b"200 OK", status) + b"Content-Length: %d\r\n\r\n" % len(body) + body


def slowly(client, data, pause):
    for byte in data:
        client.sendall(bytes([byte]))
        time.sleep(pause)


def endless(client, head, chunk):
    client.sendall(head)
    while True:
        client.sendall(chunk)


HTML = b"<html><body><h1>502 Bad Gateway</h1>\x1b[31m\x07</body></html>"
WAYS = {
    "garbage": lambda c: c.sendall(os.urandom(4096)),
    "text": lambda c: c.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n"),
    "silence": lambda c: time.sleep(1000),
    "half": lambda c: (c.sendall(HEAD), time.sleep(1000)),
    "close": lambda c: None,
    "cut-head": lambda c: c.sendall(HEAD[:40]),
    "cut-body": lambda c: c.sendall(HEAD + b"Content-Length: 500\r\n\r\n[{\"Id\":"),
    "cut-chunk": lambda c: c.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\n[{"),
    "bad-chunk": lambda c: c.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n[{\r\n"),
    "truncated": lambda c: c.sendall(reply(b'[{"Id":"abc","Names":["x"')),
    "binary": lambda c: c.sendall(reply(os.urandom(1000))),
    "html-error": lambda c: c.sendall(reply(HTML, b"502 Bad Gateway")),
    "html": lambda c: c.sendall(reply(HTML)),
    "json-error": lambda c: c.sendall(reply(b'{"cause":"\\u001b[31m\\u0000","message":"\\u202e' +
                                            b'm' * 5000 + b'","response":500}', b"500 x")),
    "wrong-error": lambda c: c.sendall(reply(b'{"cause":[],"message":{},"response":"x"}', b"500 x")),
    "empty": lambda c: c.sendall(reply(b"")),
    "null": lambda c: c.sendall(reply(b"null")),
    "number": lambda c: c.sendall(reply(b"17")),
    "wrong-types": lambda c: c.sendall(reply(b'[{"Id":1,"Names":"x","Labels":[],"State":{},"Image":[]},7,null,[]]')),
    "object": lambda c: c.sendall(reply(b'{"State":[],"Config":7,"Id":{},"Name":null}')),
    "nested": lambda c: c.sendall(reply(b"[" * 200000)),
    "redirect": lambda c: c.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
    "teapot": lambda c: c.sendall(reply(b"short and stout", b"418 teapot")),
    "huge": lambda c: endless(c, HEAD + b"\r\n[", b'"' + b"x" * 65530 + b'",'),
    "huge-length": lambda c: c.sendall(HEAD + b"Content-Length: 99999999999999999999\r\n\r\n[]"),
    "negative": lambda c: c.sendall(HEAD + b"Content-Length: -5\r\n\r\n[]"),
    "headers": lambda c: endless(c, HEAD, b"X-More: " + b"y" * 8000 + b"\r\n"),
    "slow": lambda c: slowly(c, reply(b"[]"), 0.02),
    "trickle": lambda c: slowly(c, reply(b" " * 100000), 0.5),
}


def serve(client, how, count):
    good = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    try:
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            data = data.partition(b"\r\n\r\n")[2]
            count[0] += 1
            if count[0] > good:
                WAYS[how](client)
                return
            client.sendall(PING)
    except OSError:
        pass
    finally:
        client.close()


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    count = [0]
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, sys.argv[2], count), daemon=True).start()


if sys.argv[1] == "--list":
    print("\n".join(WAYS))
else:
    main()
