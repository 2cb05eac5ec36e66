"""gate_client.py KIND HOST PORT [TEXT]: connects, and prints what the server says, or the error.

KIND raw: sends TEXT, ends its side, and reads to the end. twice: sends TEXT up to its last "GET", waits for
the answer, sends the rest, and reads on. greeting: reads one line and sends
nothing. tls: TEXT is the name in the ClientHello, "" for none. ech: the same, with an encrypted
ClientHello as browsers send it, and prints what the server begins with. sni: the same with a plain ClientHello, and any
bytes as the name. retry: TEXT is "FIRST SECOND HOW": sends a ClientHello with the name FIRST, for which the server asks for
a second one, and that one with SECOND: when it is "asked" for, "early" (right behind the first), or "joined" (in one record
with it); "tiny" sends one without an end instead, a byte in a record. Prints what the server says to it. dns: asks the server
HOST for TEXT, "NAME TYPE", and prints the code and the number of answers. udp: sends TEXT and waits a second.
"""
import errno
import os
import socket
import ssl
import struct
import sys

kind, host, port, text = (sys.argv[1:] + [""])[:4]
text = text.encode().decode("unicode_escape").encode("latin1")


def read_all(line):
    out = b""
    while part := line.recv(65536):
        out += part
    return out


def dns():
    name, kind_of = text.decode().split(" ")
    labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split(".") if each)
    query = struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", int(kind_of), 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(10)
        line.connect((host, int(port)))
        line.send(query)
        answer = line.recv(4096)
    udp = answer
    with socket.create_connection((host, int(port)), 10) as line:
        line.sendall(struct.pack("!H", len(query)) + query)
        size = struct.unpack("!H", line.recv(2, socket.MSG_WAITALL))[0]
        assert line.recv(size, socket.MSG_WAITALL) == udp, "TCP answers something else"
    return b"code %d answers %d" % (answer[3] & 15, struct.unpack("!H", answer[6:8])[0])


def with_ech(hello):
    """Adds the extension of RFC 9849 with random bytes to a ClientHello in one record."""
    body = struct.pack("!BHHBH", 0, 1, 1, 7, 32) + os.urandom(32) + struct.pack("!H", 144) + os.urandom(144)
    extension = struct.pack("!HH", 0xfe0d, len(body)) + body
    at = 5 + 4 + 2 + 32
    at += 1 + hello[at]
    at += 2 + struct.unpack_from("!H", hello, at)[0]
    at += 1 + hello[at]
    size = struct.unpack_from("!H", hello, at)[0] + len(extension)
    message = hello[9:at] + struct.pack("!H", size) + hello[at + 2:] + extension
    return hello[:3] + struct.pack("!HI", len(message) + 4, 1 << 24 | len(message)) + message


def hello(name):
    out = ssl.MemoryBIO()
    context = ssl._create_unverified_context()
    context.check_hostname = False
    try:
        context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def say_hello(line):
    # Python takes no name that is none.
    other = "a" * len(text)
    line.sendall(with_ech(hello(text.decode())) if kind == "ech" else hello(other).replace(other.encode(), text))
    answer = line.recv(6, socket.MSG_WAITALL)
    return b"ServerHello" if answer[:1] == b"\x16" and answer[5:] == b"\x02" else answer.hex().encode()


def vector(size, data):
    return len(data).to_bytes(size, "big") + data


def own_hello(name, share):
    """A ClientHello of TLS 1.3. Without a share of a key the server asks for another one (RFC 8446, 4.2.8)."""
    extensions = (
        (0, vector(2, b"\0" + vector(2, name.encode()))),
        (43, b"\2\3\4"), (10, b"\0\2\0\x1d"), (13, vector(2, b"\x08\4\4\3\x08\7")),
        (51, vector(2, b"\0\x1d" + vector(2, os.urandom(32)) if share else b"")))
    body = b"\3\3" + bytes(32) + b"\0" + vector(2, b"\x13\1\x13\2\x13\3") + b"\1\0" + vector(
        2, b"".join(struct.pack("!H", each) + vector(2, data) for each, data in extensions))
    return b"\1" + vector(3, body)


def record(*messages):
    return b"\x16\3\3" + vector(2, b"".join(messages))


def next_server_hello(line):
    """Which one comes; records of other kinds are left out."""
    while True:
        head = line.recv(5, socket.MSG_WAITALL)
        data = line.recv(int.from_bytes(head[3:], "big"), socket.MSG_WAITALL)
        if head[:1] == b"\x16" and data[:1] == b"\2":
            return b"HelloRetryRequest" if data[6:10].hex() == "cf21ad74" else b"ServerHello"
        if head[:1] != b"\x14":
            return (head + data).hex().encode() or b"the end"


def retry(line):
    first, second, how = text.decode().split(" ")
    hellos = own_hello(first, False), own_hello(second, True)
    line.sendall(record(*hellos) if how == "joined" else record(hellos[0]))
    if how == "early":
        line.sendall(record(hellos[1]))
    answer = next_server_hello(line)
    if answer != b"HelloRetryRequest":
        return answer
    if how == "asked":
        # In two records, and behind another kind of one.
        line.sendall(b"\x14\3\3\0\1\1" + record(hellos[1][:50]) + record(hellos[1][50:]))
    if how == "tiny":
        line.sendall(b"".join(record(bytes([byte])) for byte in b"\1\0\xea\x60" + bytes(5000)))
    return next_server_hello(line)


def talk():
    if kind == "dns":
        return dns()
    if kind == "udp":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.settimeout(1)
            line.connect((host, int(port)))
            line.send(text)
            return line.recv(4096)
    with socket.create_connection((host, int(port)), 10) as line:
        if kind == "tls":
            context = ssl._create_unverified_context()
            context.check_hostname = False
            with context.wrap_socket(line, server_hostname=text.decode() or None) as secure:
                return read_all(secure)
        if kind in ("ech", "sni"):
            return say_hello(line)
        if kind == "retry":
            return retry(line)
        if kind == "greeting":
            return line.recv(4096)
        answer = b""
        if kind == "twice":
            first, text_left = text[:text.rindex(b"GET")], text[text.rindex(b"GET"):]
            line.sendall(first)
            while not answer.endswith(b"\n"):
                answer += line.recv(4096)
        line.sendall(text_left if kind == "twice" else text)
        line.shutdown(socket.SHUT_WR)
        return answer + read_all(line)


try:
    print(talk().decode("latin1").strip())
except socket.gaierror as error:
    print("no such name" if error.errno == socket.EAI_NONAME else error)
except OSError as error:
    # What a call says of a connection that was reset depends on when it was.
    reset = error.errno in (errno.ENOTCONN, errno.EPIPE)
    print("ECONNRESET" if reset else errno.errorcode.get(error.errno, error))
