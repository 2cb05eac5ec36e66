"""sigv4_requests.py: requests of a box that signs with its placeholders, and of one that cheats. Prints the status of each
answer, and of a refusal the reason.
"""
import datetime
import hashlib
import hmac
import os
import socket
import ssl

ID, KEY = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
HOST = "sts.aws.test"
NOW = datetime.datetime.now(datetime.timezone.utc)
context = ssl.create_default_context()


def at(minutes):
    return (NOW + datetime.timedelta(minutes=minutes)).strftime("%Y%m%dT%H%M%SZ")


def signed(names=("host", "x-amz-date"), fields=(), target="/", canonical=("/", ""), body=b"", payload=None, time=at(0),
           method="POST", secret=KEY, extra="", host=HOST, sent=None):
    """A request that signs NAMES. EXTRA stands in the head, and is signed only where FIELDS has it, too."""
    values = dict([("host", host), ("x-amz-date", time), *fields])
    text = "\n".join([method, *canonical, *(f"{name}:{values[name]}" for name in names), "", ";".join(names),
                      payload or hashlib.sha256(body).hexdigest()])
    scope = f"{time[:8]}/eu-west-1/sts/aws4_request"
    step = ("AWS4" + secret).encode()
    hashed = hashlib.sha256(text.encode()).hexdigest()
    for part in (time[:8], "eu-west-1", "sts", "aws4_request", f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashed}"):
        step = hmac.new(step, part.encode(), hashlib.sha256).digest()
    extra = extra or "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = (f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nX-Amz-Date: {time}\r\n{extra}"
            f"Authorization: AWS4-HMAC-SHA256 Credential={ID}/{scope}, SignedHeaders={';'.join(names)}, "
            f"Signature={step.hex()}\r\n")
    length = "" if "Transfer-Encoding" in extra else f"Content-Length: {len(body)}\r\n"
    return (head + length + "\r\n").encode() + (body if sent is None else sent)


def answers(data):
    with context.wrap_socket(socket.create_connection((HOST, 443)), server_hostname=HOST) as line:
        line.sendall(data)
        line.settimeout(15)
        got = b""
        try:
            while part := line.recv(65536):
                got += part
                if got.count(b"HTTP/1.1 ") == got.count(b"signed") + got.count(b"Litterbox") > data.count(b" HTTP/1.1") - 1:
                    break
        except (OSError, ssl.SSLError):
            pass
    texts = got.decode().split("HTTP/1.1 ")[1:]
    return " ".join(text.split()[0] + text.partition("this request:")[2].rstrip() for text in texts) or "none"


X = "x-amz-content-sha256"
THREE = ("host", X, "x-amz-date")
STREAM = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
for name, request in {
    "good": signed(body=b"a=b"),
    "two in a row": signed(body=b"x" * 70000) + signed(body=b"y"),
    "long behind short": signed(body=b"x") + signed(body=b"y" * 300000),
    "unsigned": signed(THREE, [(X, "UNSIGNED-PAYLOAD")], payload="UNSIGNED-PAYLOAD", body=b"whatever"),
    "values": signed(("host", "x-amz-date", "x-n"), [("x-n", "a b,c")], extra="X-N:  a   b \r\nx-N: c\r\n"),
    "path": signed(target="/a%20(b)/%E4?b=(&a", canonical=("/a%2520%28b%29/%25E4", "a=&b=%28")),
    "late": signed(time=at(-16)),
    "early": signed(time=at(16)),
    "no host": signed(("x-amz-date",)),
    "no date": signed(("host",)),
    "field of AWS": signed(extra="X-Amz-Acl: public-read\r\n"),
    "second date": signed(extra=f"X-Amz-Date: {at(0)}\r\n"),
    "second key": signed(extra="Authorization: Bearer x\r\n"),
    "other token": signed(("host", "x-amz-date", "x-amz-security-token"), [("x-amz-security-token", "mine")]),
    "chunk signatures": signed(THREE, [(X, STREAM)], payload=STREAM),
    "chunks": signed(extra="Transfer-Encoding: chunked\r\n", sent=b"0\r\n\r\n"),
    "no key": signed(secret="x" * 40),
    "other body": signed(body=b"1234", sent=b"4321"),
    "other method": signed().replace(b"POST", b"PUT"),
    "other path": signed(target="/admin"),
    "folded": signed(extra="X-N: a\r\n b\r\n"),
    "key in a field": signed(("host", "x-amz-date", "x-n"), [("x-n", KEY)]),
    "other name": signed(host="s3.aws.test"),
    "presigned": signed(target=f"/?X-Amz-Credential={ID}").replace(b"Authorization", b"X-Not"),
    "smuggled": signed(body=b"12") + b"GET / HTTP/1.1\r\nHost: s3.aws.test\r\n\r\n",
    "endless": signed().replace(b"Content-Length: 0", b"Content-Length: 33554433"),
}.items():
    print(f"{name}: {answers(request)}")
