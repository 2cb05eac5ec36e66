"""egress_battery.py ADDRESS: prints "ID allowed", or "ID blocked", for each case of the battery that tests the egress of
github/gh-aw-firewall (test-egress-enforcement-adversarial), written anew from its description for a network without a
proxy to configure. Only what a server says counts, and never that a connection was made. ADDRESS has the servers of
gate_servers.py. allowed.peers.test and api.allowed.peers.test are allowed on ports 80 and 443, and nothing else is.
"""
import socket
import ssl
import struct
import subprocess
import sys

address = sys.argv[1]
ALLOWED, BLOCKED = "allowed.peers.test", "blocked.peers.test"
WAIT = 5


def connect(host, port):
    return socket.create_connection((host, port), WAIT)


def says(host, port, text=b"hello", expected=b"reached"):
    with connect(host, port) as line:
        line.sendall(text)
        line.shutdown(socket.SHUT_WR)
        got = b""
        while part := line.recv(4096):
            got += part
    return expected in got


def https(host, name):
    context = ssl._create_unverified_context()
    context.check_hostname = False
    with connect(host, 443) as line, context.wrap_socket(line, server_hostname=name) as secure:
        return b"reached" in secure.recv(100)


def request(host, name, first=None):
    first = first or "GET / HTTP/1.1"
    text = f"{first}\r\nHost: {name}\r\nConnection: close\r\n\r\n"
    return says(host, 80, text.encode(), f"reached by Host: {name}".encode())


def datagram(text, port=8084):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(WAIT)
        line.sendto(text, (address, port))
        return line.recv(4096)[:2] == text[:2]


def dns():
    labels = b"".join(bytes([len(each)]) + each.encode() for each in ALLOWED.split("."))
    return datagram(struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1))


def private():
    """The host, its network, and the box's way out, on ports that are never the gate's."""
    return any(attempt(lambda host=host, port=port: says(host, port))
               for host in (address, "10.0.0.1", "192.168.0.1", "172.17.0.1") for port in (8080, 8081))


def ping():
    return subprocess.run(["ping", "-c1", "-W1", address], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def ipv6():
    """The host's own address, as programs without IPv6 see it."""
    with socket.socket(socket.AF_INET6) as line:
        line.settimeout(WAIT)
        line.connect(("::ffff:" + address, 8081))
        line.sendall(b"hello")
        return b"reached" in line.recv(100, socket.MSG_WAITALL)


def tampers():
    """A route around the gate, or a gate without rules."""
    done = [subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
            for command in (["ip", "route", "add", "10.123.123.0/24", "dev", "lo"],
                            ["nft", "flush", "ruleset"])]
    return any(done)


CASES = {
    "L1": lambda: https(ALLOWED, ALLOWED),
    "L2": lambda: request(ALLOWED, ALLOWED),
    "L3": lambda: https("api." + ALLOWED, "api." + ALLOWED),
    # A proxy's CONNECT to another name: here a request on an allowed connection that asks for it.
    "A1": lambda: request(ALLOWED, BLOCKED, f"CONNECT {BLOCKED}:443 HTTP/1.1") or request(ALLOWED, BLOCKED),
    "A2": lambda: https(BLOCKED, BLOCKED),
    # Programs that know of no proxy must not get around the rules: the name is another one than the connection's.
    "A3": lambda: https(ALLOWED, BLOCKED),
    "A4": lambda: says(address, 8081),
    "A5": lambda: says(ALLOWED, 22, b"SSH-2.0-x\r\n"),
    "A6": dns,
    "A7": lambda: request("169.254.169.254", "169.254.169.254"),
    "A8": private,
    "A9": lambda: says(ALLOWED, 2222),
    "A10": lambda: datagram(b"quic"),
    "A11": ping,
    "A12": ipv6,
    "TAMPER": tampers,
}


def attempt(case):
    try:
        return case()
    except (OSError, UnicodeError):
        return False


for name, case in CASES.items():
    print(name, "allowed" if attempt(case) else "blocked", flush=True)
