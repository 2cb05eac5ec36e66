"""secrets_server.py ADDRESS FOLDER: a service that takes a key, for secrets.bats: HTTPS on port 443 of ADDRESS, and
HTTP on port 80. Each connection to port 444 gets a part of a ServerHello, and no more.

FOLDER has cert.pem and key.pem. Each request is a line in FOLDER/seen: its Host, Authorization, and X-Api-Key or
Private-Token, as they came; and one in FOLDER/asked: its method and path. FOLDER/ready is made when it listens. What has stalled is
a line in FOLDER/stalled, and when its client has gone in FOLDER/ended.
"""
import gzip
import hashlib
import http.server
import itertools
import socket
import ssl
import sys
import threading
import time
import wsgiref.simple_server
import zlib

import tls_service

address, folder = sys.argv[1:]
STALLED = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Field: value\r\n\r\n"
           b"5\r\nhello\r\n3\r\nend\r\n0\r\n\r\n")


def note(file, what):
    with open(folder + file, "a", encoding="utf-8") as out:
        out.write(what + "\n")


def stall(line, what):
    """Reads until the other side has gone."""
    note("/stalled", what)
    try:
        while line.recv(4096):
            pass
    except OSError:
        pass
    note("/ended", what)


def stall_handshake(line, part):
    incoming, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    server = context.wrap_bio(incoming, out, server_side=True)
    while not out.pending:
        incoming.write(line.recv(65536))
        try:
            server.do_handshake()
        except ssl.SSLWantReadError:
            pass
    hello = out.read()
    line.sendall(hello[:int(len(hello) * part)])
    stall(line, "handshake")


def serve_handshakes():
    server = socket.create_server((address, 444))
    for part in itertools.cycle((0, 0.001, 0.01, 0.3, 0.6, 0.999)):
        threading.Thread(target=stall_handshake, args=(server.accept()[0], part), daemon=True).start()


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def note(self):
        key = self.headers.get("X-Api-Key", self.headers.get("Private-Token", "-"))
        note("/seen", " ".join((self.headers.get("Host", "-"), self.headers.get("Authorization", "-"), key)))
        note("/asked", self.command + " " + self.path)

    def reply(self, body, status=200, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.note()
        key = self.headers.get("Authorization", self.headers.get("X-Api-Key", "-"))
        path = self.path.split("?")[0]
        if path == "/echo":
            self.reply(b"you sent " + key.encode())
        elif path == "/echo-field":
            self.reply(b"", X_Echo=key)
        elif path == "/echo-slowly":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for byte in key:
                self.wfile.write(b"1\r\n" + byte.encode() + b"\r\n")
                self.wfile.flush()
                time.sleep(0.001)
            self.wfile.write(b"0\r\n\r\n")
        elif path == "/echo-extension":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5;" + key.encode() + b"\r\nhello\r\n0\r\n\r\n")
        elif path == "/redirect":
            self.reply(b"", 302, Location="https://other.secrets.test/who")
        elif path == "/big":
            self.send_response(200)
            self.send_header("Content-Length", str(100 << 20))
            self.end_headers()
            for _ in range(100):
                self.wfile.write(bytes(1 << 20))
        elif path.startswith("/stall/"):
            self.wfile.write(STALLED[:int(path[7:])])
            stall(self.connection, path)
            self.close_connection = True
        elif path == "/switch":
            self.send_response(101)
            self.send_header("Connection", "Upgrade")
            self.send_header("Upgrade", "echo")
            self.end_headers()
            while data := self.connection.recv(4096):
                self.connection.sendall(data)
            self.close_connection = True
        elif path == "/wide":
            # As ASP.NET answers who has asked for that by Accept-Charset.
            self.reply(("you sent " + key).encode("utf-16"))
        elif path == "/charset":
            # As Spring's StringHttpMessageConverter answers.
            wanted = self.headers.get_params(header="Accept", failobj=[])
            self.reply(("you sent " + key).encode(dict(wanted).get("charset", "utf-8")))
        elif path == "/coded":
            # As programs behind CGI (RFC 3875, 4.1.18) and WSGI see fields.
            self.server.base_environ = {}
            fields = wsgiref.simple_server.WSGIRequestHandler.get_environ(self)
            if "gzip" in fields.get("HTTP_ACCEPT_ENCODING", ""):
                self.reply(gzip.compress(b"you sent " + key.encode()), Content_Encoding="gzip")
            else:
                self.reply(b"you sent " + key.encode())
        elif path == "/ranges":
            self.ranges(b"you sent " + key.encode())
        elif path == "/file":
            self.ranges(b"0123456789" * 4, ETag='"x"')
        elif path == "/websocket":
            self.websocket(key)
        elif path == "/unasked":
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        elif path.endswith("/info/refs"):
            if key == "-":
                self.reply(b"", 401, WWW_Authenticate='Basic realm="git"')
            else:
                self.reply(b"%040d\trefs/heads/main\n" % 7, Content_Type="text/plain")
        elif path == "/-/whoami":
            self.reply(b'{"username":"npm-user"}', Content_Type="application/json")
        else:
            self.reply(b"served\n")

    def ranges(self, body, **fields):
        """As Apache answers, also for what a program has written: one part, or several (RFC 9110, 14.6)."""
        unit, _, ranges = ",".join(self.headers.get_all("Range", [""])).partition("=")
        if unit != "bytes":
            self.reply(body, **fields)
            return
        parts = []
        for each in ranges.replace("bytes=", "").split(","):
            first, _, last = each.strip().partition("-")
            first, last = int(first), min(int(last or len(body) - 1), len(body) - 1)
            parts.append((f"bytes {first}-{last}/{len(body)}", body[first:last + 1]))
        if len(parts) == 1:
            self.reply(parts[0][1], 206, Content_Range=parts[0][0], **fields)
            return
        text = b"".join(f"--x\r\nContent-Range: {place}\r\n\r\n".encode() + part + b"\r\n" for place, part in parts)
        self.reply(text + b"--x--\r\n", 206, Content_Type="multipart/byteranges; boundary=x", **fields)

    def websocket(self, key):
        """Sends the key in a message (RFC 6455, 5.2), compressed where the client takes that (RFC 7692)."""
        deflates = "permessage-deflate" in self.headers.get("Sec-WebSocket-Extensions", "")
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", "websocket")
        if deflates:
            self.send_header("Sec-WebSocket-Extensions", "permessage-deflate")
        self.end_headers()
        text = b"you sent " + key.encode()
        if deflates:
            deflate = zlib.compressobj(wbits=-15)
            text = (deflate.compress(text) + deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]
        self.wfile.write(bytes((0xc1 if deflates else 0x81, len(text))) + text)
        self.close_connection = True

    def read_chunks(self):
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def do_POST(self):
        self.note()
        left = int(self.headers.get("Content-Length", 0))
        parts = self.read_chunks() if self.headers.get("Transfer-Encoding") else iter(
            lambda: self.rfile.read(min(left, 1 << 16)), None)
        sum_, length = hashlib.sha256(), 0
        for part in parts:
            sum_.update(part)
            length += len(part)
            left -= len(part)
            if left == 0:
                break
        self.reply(b"%d %s\n" % (length, sum_.hexdigest().encode()))

    def do_DELETE(self):
        self.note()
        self.reply(b"deleted\n")

    def do_TRACE(self):
        self.note()
        self.reply(str(self.headers).encode())

    def log_message(self, *_):
        pass


plain = http.server.ThreadingHTTPServer((address, 80), Service)
threading.Thread(target=plain.serve_forever, daemon=True).start()
threading.Thread(target=serve_handshakes, daemon=True).start()
tls_service.serve(Service, address, folder)
