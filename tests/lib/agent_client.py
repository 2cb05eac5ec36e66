"""A test client of an SSH agent that sends any message, well-formed or not.

agent_client.py [--socket PATH] COMMAND [ARGUMENT…]; prints one line an answer: the type's number and
what is in it. Exit status 0 when there was an answer, 1 when the connection was closed."""
import base64
import os
import socket
import struct
import sys
import time


def string(data):
    return struct.pack(">I", len(data)) + data


def frame(body):
    return string(body)


class Agent:
    def __init__(self, path=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path or os.environ["SSH_AUTH_SOCK"])
        self.socket.settimeout(90)

    def send(self, data):
        self.socket.sendall(data)

    def take(self, length):
        data = b""
        while len(data) < length:
            piece = self.socket.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def answer(self):
        return self.take(struct.unpack(">I", self.take(4))[0])

    def ask(self, body):
        self.send(frame(body))
        return self.answer()

    def list(self):
        body = self.ask(b"\x0b")
        count, at, keys = struct.unpack(">I", body[1:5])[0], 5, []
        for _ in range(count):
            fields = []
            for _ in range(2):
                length = struct.unpack(">I", body[at:at + 4])[0]
                fields.append(body[at + 4:at + 4 + length])
                at += 4 + length
            keys.append(tuple(fields))
        return keys


def public_key(path):
    return base64.b64decode(open(path).read().split()[1])


def sign_request(blob, data, flags=0):
    return b"\x0d" + string(blob) + string(data) + struct.pack(">I", flags)


def sshsig(namespace=b"git", name=b"sha512", digest=b"h" * 64):
    return b"SSHSIG" + string(namespace) + string(b"") + string(name) + string(digest)


def userauth(blob, user=b"git", session=b"s" * 32, algorithm=b"ssh-ed25519", tail=b""):
    return (string(session) + b"\x32" + string(user) + string(b"ssh-connection") +
            string(b"publickey") + b"\x01" + string(algorithm) + string(blob) + tail)


def show(body):
    print(body[0], len(body))
    sys.stdout.flush()


def main(argv):
    path = None
    if argv and argv[0] == "--socket":
        path, argv = argv[1], argv[2:]
    what, rest = argv[0], argv[1:]
    try:
        return COMMANDS[what](Agent(path), *rest) or 0
    except (EOFError, ConnectionError):
        print("closed")
        return 1


def do_sign(agent, key, namespace="git"):
    show(agent.ask(sign_request(public_key(key), sshsig(namespace.encode()))))


def do_login(agent, key, user="git"):
    blob = public_key(key)
    show(agent.ask(sign_request(blob, userauth(blob, user.encode().decode("unicode_escape").encode("latin-1")))))


def do_data(agent, key, text="hello", flags="0"):
    show(agent.ask(sign_request(public_key(key), text.encode(), int(flags))))


def do_request(agent, *expressions):
    """Sends requests whose bodies are Python EXPRESSIONs; `key` is k.pub and `other` is other.pub."""
    names = dict(globals(), key=public_key("k.pub"))
    if os.path.exists("other.pub"):
        names["other"] = public_key("other.pub")
    for expression in expressions:
        show(agent.ask(eval(expression, names)))


def forged_bind(host, forwarding=0, session=b"s" * 32, kind=b"ssh-ed25519", length=64):
    """Sends a session-bind with an invalid signature of LENGTH bytes."""
    signature = string(string(kind) + string(b"\x01" * length))
    return (b"\x1b" + string(b"session-bind@openssh.com") + string(host) + string(session) +
            signature + bytes([forwarding]))


def do_raw(agent, *bodies):
    """Sends each BODY (hex) in a frame; one answer for each."""
    for body in bodies:
        show(agent.ask(bytes.fromhex(body)))


def do_bytes(agent, data):
    """Sends DATA (hex) without a frame, then prints what arrives."""
    agent.send(bytes.fromhex(data))
    show(agent.answer())


def do_slow(agent):
    """Sends a list request byte by byte."""
    for byte in frame(b"\x0b"):
        agent.send(bytes([byte]))
        time.sleep(0.05)
    show(agent.answer())


def do_pipeline(agent, count="500"):
    """Sends many list requests at once; checks that all answers arrive in order."""
    agent.send(frame(b"\x0b") * int(count) + frame(b"\x01"))
    kinds = [agent.answer()[0] for _ in range(int(count) + 1)]
    print(kinds.count(12), kinds[-1])


def do_extension(agent, name, contents=""):
    show(agent.ask(b"\x1b" + string(name.encode()) + bytes.fromhex(contents)))


def do_hold(agent, count, path=None, seconds="0"):
    """Opens COUNT idle connections, sends a list request on the last, and holds them for SECONDS."""
    held = [agent]
    for _ in range(int(count) - 1):
        held.append(Agent(path))
    print(len(held), held[-1].ask(b"\x0b")[0])
    sys.stdout.flush()
    time.sleep(int(seconds))


def do_flood(agent, key, count="50"):
    """Requests COUNT different signatures at once, each on its own connection."""
    blob, held = public_key(key), []
    for i in range(int(count)):
        each = Agent()
        each.send(frame(sign_request(blob, sshsig(digest=b"%064d" % i))))
        held.append(each)
    kinds = [each.answer()[0] for each in held]
    print(kinds.count(5), kinds.count(14))


COMMANDS = {name[3:]: value for name, value in globals().items() if name.startswith("do_")}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
