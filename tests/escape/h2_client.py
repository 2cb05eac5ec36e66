"""A client of HTTP/2 that sends what it is told, for attacks: frames (RFC 9113, 4) and HPACK, and no rule."""
import os
import socket
import ssl
import struct

import hpack

DATA, HEADERS, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
TOKEN = os.environ.get("API_TOKEN", "")


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Answer:
    """Of a stream: its status, body, fields and trailers, and how it ended: None, "end" or "reset CODE"."""

    def __init__(self):
        self.status, self.body, self.fields, self.trailers, self.interim = None, b"", {}, {}, []
        self.end = None

    def __str__(self):
        text = self.body.decode("utf-8", "replace").strip()
        reason = text.removeprefix("Litterbox refused this request: ") if text.startswith("Litterbox") else ""
        ended = "" if self.end == "end" else str(self.end)
        return " ".join(part for part in (self.status, reason, ended) if part)


class Client:
    def __init__(self, host, settings=()):
        context = ssl.create_default_context()
        context.set_alpn_protocols(["h2"])
        self.host, self.number, self.goaway, self.closed = host, -1, None, False
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.answers, self.buffer, self.block = {}, b"", b""
        self.gives_room = True  # for as much as has come
        self.windows = {0: 65535}  # what may be sent; of a stream more than that
        self.line = context.wrap_socket(socket.create_connection((host, 443)), server_hostname=host)
        self.line.settimeout(20)
        payload = b"".join(struct.pack(">HI", *each) for each in settings)
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, payload=payload))

    def send(self, data):
        try:
            self.line.sendall(data)
        except (OSError, ssl.SSLError):
            self.closed = True

    def room(self, number):
        return min(self.windows[0], 65535 + self.windows.get(number, 0))

    def head(self, fields, end=True):
        """Begins a stream with FIELDS. Its number."""
        self.number += 2
        self.answers[self.number] = Answer()
        block, end = self.encoder.encode(fields), END_STREAM if end else 0
        parts = [block[i:i + 16384] for i in range(0, len(block), 16384)] or [b""]
        for i, part in enumerate(parts):
            self.send(frame(CONTINUATION if i else HEADERS, (0 if i else end) | (END_HEADERS if part is parts[-1] else 0),
                            self.number, part))
        return self.number

    def pseudo(self, path="/who", method="GET", authority=None):
        return [(":method", method), (":scheme", "https"), (":authority", authority or self.host), (":path", path)]

    def ask(self, path="/who", *fields, method="GET", authority=None, body=None, trailers=None):
        number = self.head(self.pseudo(path, method, authority) + list(fields), end=body is None and not trailers)
        if body is not None:
            self.send(frame(DATA, 0 if trailers else END_STREAM, number, body))
        if trailers:
            self.send(frame(HEADERS, END_HEADERS | END_STREAM, number, self.encoder.encode(trailers)))
        return number

    def take_head(self, number, flags):
        fields = [(n.decode() if isinstance(n, bytes) else n, v.decode() if isinstance(v, bytes) else v)
                  for n, v in self.decoder.decode(self.block)]
        self.block = b""
        answer = self.answers.get(number, Answer())
        status = dict(fields).get(":status", "")
        if answer.status:
            answer.trailers = dict(fields)
        elif status.startswith("1"):
            answer.interim.append(fields)
        else:
            answer.status, answer.fields = status, dict(fields)
        if flags & END_STREAM:
            answer.end = "end"

    def take(self, kind, flags, number, payload):
        answer = self.answers.get(number, Answer())
        if kind == DATA:
            answer.body += payload
            if payload and self.gives_room:
                room = struct.pack(">I", len(payload))
                self.send(frame(WINDOW, 0, 0, room) + frame(WINDOW, 0, number, room))
            if flags & END_STREAM:
                answer.end = "end"
        elif kind in (HEADERS, CONTINUATION):
            self.block += payload
            if flags & END_HEADERS:
                self.take_head(number, flags)
        elif kind == RESET:
            if answer.end is None:
                answer.end = f"reset {struct.unpack('>I', payload)[0]}"
        elif kind == GOAWAY:
            self.goaway = struct.unpack(">I", payload[4:8])[0]
        elif kind == SETTINGS and not flags & ACK:
            self.send(frame(SETTINGS, ACK))
        elif kind == WINDOW:
            self.windows[number] = self.windows.get(number, 0) + int.from_bytes(payload, "big")
        elif kind == PING and not flags & ACK:
            self.send(frame(PING, ACK, 0, payload))

    def read(self):
        """Takes what has come. False when nothing more does."""
        try:
            data = self.line.recv(1 << 16)
        except (OSError, ssl.SSLError):
            data = b""
        self.buffer += data
        while len(self.buffer) >= 9:
            size = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + size:
                break
            kind, flags, number = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big")
            payload, self.buffer = self.buffer[9:9 + size], self.buffer[9 + size:]
            self.take(kind, flags, number, payload)
        self.closed |= not data
        return bool(data)

    def wait(self, number):
        answer = self.answers[number]
        while answer.end is None and self.read():
            pass
        if answer.end is None:
            answer.end = f"goaway {self.goaway}" if self.goaway is not None else "cut"
        return answer
