"""h2_server.py ADDRESS FOLDER: a service of HTTP/2 that takes a key, for secrets_h2.bats, on port 443 of ADDRESS.

FOLDER has cert.pem and key.pem. Each request is a line in FOLDER/seen: its method, authority and path, and its
authorization; each connection, and each stream that the client has reset, a line in FOLDER/events. FOLDER/ready is
made when it listens.
"""
import email.message
import hashlib
import socket
import ssl
import struct
import sys
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.settings

import sigv4_verdict

address, folder = sys.argv[1:]
MIB = 1 << 20


def note(name, text):
    with open(f"{folder}/{name}", "a", encoding="utf-8") as file:
        file.write(text + "\n")


class Stream:
    def __init__(self, headers):
        self.headers = headers
        self.fields = dict(headers)
        self.path = self.fields[":path"].split("?")[0]
        self.key = self.fields.get("authorization", self.fields.get("x-api-key", "-"))
        self.sum, self.length, self.body = hashlib.sha256(), 0, b""
        self.left = iter(())  # what is still to be sent
        self.rest = b""
        self.trailers = None
        self.answered = False


class Signed(sigv4_verdict.Signed):
    """What STREAM has asked for, as its client may have signed it."""

    def __init__(self, stream):
        self.command, self.path = stream.fields[":method"], stream.fields[":path"]
        self.headers = email.message.Message()
        for name, value in stream.headers:
            self.headers["host" if name == ":authority" else name] = value


class Connection:
    def __init__(self, line):
        self.line = line
        # What it sends is not checked: some of it is wrong.
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False))
        self.streams = {}

    def flush(self):
        self.line.sendall(self.h2.data_to_send())

    def raw(self, kind, flags, stream, payload=b""):
        """A frame that the library would not send."""
        self.flush()
        self.line.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def head(self, number, status=200, end=False, **fields):
        fields = [(name.replace("_", "-"), value) for name, value in fields.items()]
        self.h2.send_headers(number, [(":status", str(status)), *fields], end_stream=end)

    def reply(self, number, body, status=200, trailers=None, **fields):
        stream = self.streams[number]
        stream.answered, stream.trailers = True, trailers
        self.head(number, status, **fields)
        stream.left = iter(body if isinstance(body, list) else [body])

    def pump(self, number):
        """Sends what the windows have room for. TRUE when that is all."""
        stream = self.streams[number]
        while True:
            if not stream.rest:
                stream.rest = next(stream.left, None)
            if stream.rest is None:
                if stream.trailers:
                    self.h2.send_headers(number, stream.trailers, end_stream=True)
                else:
                    self.h2.end_stream(number)
                return True
            room = min(self.h2.local_flow_control_window(number), self.h2.max_outbound_frame_size)
            if room <= 0:
                return False
            self.h2.send_data(number, stream.rest[:room])
            stream.rest = stream.rest[room:]
            if stream.path == "/echo-slowly":
                self.flush()
                time.sleep(0.001)

    def pump_all(self):
        for number in list(self.streams):
            if self.streams[number].answered and self.pump(number):
                del self.streams[number]
            self.flush()

    def begin(self, number):
        """Answers that do not wait for the body."""
        stream, key = self.streams[number], self.streams[number].key
        note("seen", f"{stream.fields[':method']} {stream.fields[':authority']}{stream.fields[':path']} {key}")
        if stream.path == "/duplex":
            self.head(number)
        elif stream.path == "/early":
            self.reply(number, b"early\n")
            self.pump_all()
            self.h2.reset_stream(number, 0)
        elif stream.path == "/both":
            self.reply(number, bytes(100000))
        elif stream.path == "/few":
            self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1})
            self.head(number, 103)
        elif stream.path == "/interim":
            self.head(number, 103, link="</style.css>; rel=preload")
        elif stream.path == "/interim-echo":
            self.head(number, 103, link=key)
        elif stream.path == "/split":
            self.head(number, end=True, x_note="a\r\nset-cookie: b")
            del self.streams[number]
        elif stream.path == "/switch":
            self.head(number, 101)
            del self.streams[number]
        elif stream.path == "/push":
            self.raw(5, 4, number, struct.pack(">I", 2) + b"\x82\x87\x84\x41\x01a")
        elif stream.path == "/reset":
            self.head(number)
            self.h2.send_data(number, b"part")
            self.h2.reset_stream(number, 11)
            del self.streams[number]
        elif stream.path == "/close":
            self.flush()
            self.line.shutdown(socket.SHUT_RDWR)
        elif stream.path == "/goaway":
            self.raw(7, 0, 0, struct.pack(">II", number, 0) + b"debug " + key.encode())

    def finish(self, number):
        """Answers to a whole request."""
        stream = self.streams[number]
        path, key = stream.path, stream.key
        if stream.fields[":authority"].startswith("sts."):
            self.reply(number, f"{Signed(stream).verdict(stream.body)} {len(stream.body)}\n".encode())
        elif path == "/echo":
            self.reply(number, b"you sent " + key.encode())
        elif path == "/range":
            first = int(stream.fields.get("range", "bytes=0-")[6:].split("-")[0])
            self.reply(number, key[first:].encode(), 206, content_range=f"bytes {first}-{len(key) - 1}/{len(key)}")
        elif path == "/echo-slowly":
            self.reply(number, [key[i:i + 1].encode() for i in range(len(key))])
        elif path == "/echo-field":
            self.reply(number, b"", x_echo=key)
        elif path == "/echo-trailer":
            self.reply(number, b"body", trailers=[("x-echo", key)])
        elif path == "/body":
            self.reply(number, b"%d %s\n" % (stream.length, stream.sum.hexdigest().encode()))
        elif path == "/big":
            self.reply(number, [bytes(MIB)] * 100)
        elif path == "/trailers":
            self.reply(number, b"body\n", trailers=[("x-sum", "17"), ("grpc-status", "0")])
        elif path == "/fields":
            self.reply(number, "".join(f"{n}: {v}\n" for n, v in stream.headers if n != "authorization").encode())
        elif path in ("/204", "/304"):
            self.head(number, int(path[1:]), end=True, etag="x")
            del self.streams[number]
        elif path == "/duplex":
            stream.answered = True
            stream.trailers = [("x-length", str(stream.length))]
        elif path != "/never" and stream.fields[":method"] == "HEAD":
            self.head(number, end=True, content_length="7")
            del self.streams[number]
        elif path != "/never" and not stream.answered:
            self.reply(number, b"served\n")

    def take_data(self, event):
        stream = self.streams.get(event.stream_id)
        if stream and stream.path in ("/stuck", "/both"):
            return
        self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        if not stream:
            return
        stream.sum.update(event.data)
        stream.length += len(event.data)
        if stream.fields[":authority"].startswith("sts."):
            stream.body += event.data
        if stream.path == "/duplex":
            self.h2.send_data(event.stream_id, event.data.upper())

    def handle(self, event):
        number = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RequestReceived):
            self.streams[number] = Stream(event.headers)
            self.begin(number)
        elif isinstance(event, h2.events.TrailersReceived):
            note("events", "trailers " + " ".join(f"{n}={v}" for n, v in event.headers))
        elif isinstance(event, h2.events.DataReceived):
            self.take_data(event)
        elif isinstance(event, h2.events.StreamEnded) and number in self.streams:
            self.finish(number)
        elif isinstance(event, h2.events.StreamReset):
            note("events", f"reset {int(event.error_code)}")
            self.streams.pop(number, None)

    def run(self):
        try:
            self.line.do_handshake()
            note("events", f"connection {self.line.selected_alpn_protocol()}")
            self.h2.initiate_connection()
            self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 100})
            self.flush()
            while data := self.line.recv(1 << 16):
                for event in self.h2.receive_data(data):
                    self.handle(event)
                self.flush()
                self.pump_all()
        except Exception as problem:  # pylint: disable=broad-except
            note("events", f"ended {type(problem).__name__}")
        self.line.close()


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
context.set_alpn_protocols(["h2"])
listener = socket.create_server((address, 443), backlog=64)
open(folder + "/ready", "w", encoding="ascii").close()
while True:
    accepted, _ = listener.accept()
    try:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wrapped = context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
    except OSError:
        continue  # the client has reset the connection
    threading.Thread(target=Connection(wrapped).run, daemon=True).start()
