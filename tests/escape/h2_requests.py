"""h2_requests.py NAME: requests of HTTP/2 that a box may not send, or that look like such ones. Prints what is answered to
each: the status, with the reason of a refusal, or how the stream has ended.
"""
import sys

from h2_client import DATA, END_STREAM, TOKEN, Client, frame

KEY = ("authorization", f"Bearer {TOKEN}")


def show(name, answer):
    print(f"{name}: {answer}")


def fields(client):
    """Each in one stream of one connection, which the others survive."""
    ask = client.ask
    for name, number in {
        "key": ask("/who", KEY),
        "basic": ask("/who", ("authorization", "Basic !")),
        "note": ask("/who", ("x-note", TOKEN)),
        "path": ask(f"/{TOKEN}"),
        "query": ask(f"/?other={TOKEN}"),
        "query of it": ask(f"/?key={TOKEN}"),
        "method": ask(method=TOKEN),
        "crumbs": ask("/who", ("cookie", "a=b"), ("cookie", f"c={TOKEN}"), ("cookie", "d=e")),
        "scheme of it": ask("/who", ("authorization", f"Digest {TOKEN}")),
        "trailers": ask("/never", KEY, method="POST", body=b"x", trailers=[("x-sum", TOKEN)]),
        "harmless trailers": ask("/who", KEY, method="POST", body=b"x", trailers=[("x-sum", "1")]),
        "authority of it": ask(authority=f"{TOKEN}.h2.test"),
        "same authority": ask(authority="API.h2.test:443"),
        "other authority": ask("/who", KEY, authority="other.h2.test"),
        "other port": ask("/who", KEY, authority="api.h2.test:444"),
        "user": ask("/who", KEY, authority="x@api.h2.test"),
        "same host": ask("/who", ("host", "api.h2.test")),
        "other host": ask("/who", KEY, ("host", "other.h2.test")),
        "two hosts": ask("/who", ("host", "api.h2.test"), ("host", "api.h2.test")),
        "trace": ask("/who", KEY, method="TRACE"),
        "track": ask("/who", KEY, method="track"),
        "options": ask("*", method="OPTIONS"),
        "two lengths": ask("/who", ("content-length", "1"), ("content-length", "1"), method="POST", body=b"x"),
        "te": ask("/who", ("te", "trailers")),
        "end": ask("/who", KEY),
    }.items():
        show(name, client.wait(number))


def malformed():
    """Each in a connection of its own, which may end with it."""
    good = dict(Client("api.h2.test").pseudo())
    for name, wrong in {
        "line break": [*good.items(), ("x-a", "b\r\nauthorization: c")],
        "nul": [*good.items(), ("x-a", "b\0c")],
        "line break in a name": [*good.items(), ("x\r\ny", "z")],
        "upper case": [*good.items(), ("X-Note", "a")],
        "colon": [*good.items(), ("x:y", "a")],
        "blank": [*good.items(), ("x y", "a")],
        "no name": [*good.items(), ("", "a")],
        "chunks": [*good.items(), ("transfer-encoding", "chunked")],
        "connection": [*good.items(), ("connection", "close")],
        "proxy": [*good.items(), ("proxy-connection", "close")],
        "upgrade": [*good.items(), ("upgrade", "h2c")],
        "te": [*good.items(), ("te", "gzip")],
        "path with a line": list({**good, ":path": "/who HTTP/1.1\r\nx: y"}.items()),
        "path with a blank": list({**good, ":path": "/who HTTP/1.1"}.items()),
        "whole URL": list({**good, ":path": "https://other.h2.test/"}.items()),
        "empty path": list({**good, ":path": ""}.items()),
        "no path": [pair for pair in good.items() if pair[0] != ":path"],
        "no host": [pair for pair in good.items() if pair[0] != ":authority"],
        "http": list({**good, ":scheme": "http"}.items()),
        "blank method": list({**good, ":method": "GET /x HTTP/1.1"}.items()),
        "connect": [(":method", "CONNECT"), (":authority", "api.h2.test:443")],
        "connect with a path": list({**good, ":method": "CONNECT"}.items()),
        "websocket": [*{**good, ":method": "CONNECT"}.items(), (":protocol", "websocket")],
        "two paths": [*good.items(), (":path", "/x")],
        "unknown": [*good.items(), (":x", "y")],
        "late": [("x-a", "b"), *good.items()],
        "status": [*good.items(), (":status", "200")],
        "host twice": [*good.items(), ("host", "api.h2.test"), ("host", "x.test")],
        "too long": [*good.items(), *((f"x-{i}", "y" * 4000) for i in range(17))],
    }.items():
        client = Client("api.h2.test")
        show(name, client.wait(client.head(wrong)))
    for name, length, body in (("short", "5", b"1234"), ("long", "5", b"123456")):
        client = Client("api.h2.test")
        show(name, client.wait(client.ask("/body", ("content-length", length), method="POST", body=body)))


def checked(client):
    """Streams of one connection to a host with rules."""
    ask = client.ask
    for name, number in {
        "allowed": ask("/org/a"),
        "coded": ask("/org/%61?x=/../b"),
        "post": ask("/org/b/open/x", method="POST", body=b"x"),
        "method": ask("/org/a", method="DELETE"),
        "path": ask("/org/b"),
        "parts": ask("/org/a/open/../../../admin"),
        "override": ask("/org/a", ("x-http-method-override", "DELETE")),
        "original": ask("/org/a", ("x_original_url", "/admin")),
        "settings": ask("/org/a", ("http2-settings", "AAMAAABkAAQAAP__")),
        "body of a GET": ask("/org/a", body=b"DELETE /x HTTP/1.1\r\nhost: checked.h2.test\r\n\r\n"),
        "trailers": ask("/org/never/open/x", method="POST", body=b"x", trailers=[("x-http-method", "DELETE")]),
        "other name": ask("/org/a", authority="api.h2.test"),
        "still": ask("/org/a"),
    }.items():
        show(name, client.wait(number))


def duplex():
    """What is sent comes back before the request has ended."""
    client = Client("api.h2.test")
    number = client.head(client.pseudo("/duplex", "POST") + [KEY], end=False)
    for text in b"one", b"two":
        client.send(frame(DATA, 0, number, text))
        while not client.answers[number].body.endswith(text.upper()) and client.read():
            pass
    client.send(frame(DATA, END_STREAM, number, b"three"))
    answer = client.wait(number)
    show("duplex", answer)
    show("trailers", answer.trailers)
    # The answer is there before the request is: nobody wants the rest.
    number = client.head(client.pseudo("/early", "POST") + [KEY], end=False)
    show("early", client.wait(number))


def answers():
    for path in "split", "switch", "reset":
        client = Client("api.h2.test")
        before, number = client.ask("/who"), client.ask(f"/{path}", KEY)
        show(path, f"{client.wait(before)}, {client.wait(number)}, goaway {client.goaway}")
        show("again", client.wait(client.ask("/who")))
    for path in "close", "push", "goaway":
        client = Client("api.h2.test")
        text = "" if path == "push" else f"{client.wait(client.ask('/who'))}, "
        answer = client.wait(client.ask(f"/{path}", KEY))
        while client.goaway is None and client.read():
            pass
        show(path, f"{text}{answer}, goaway {client.goaway}")


def wrong():
    client = Client("wrong.h2.test")
    show("wrong", f"{client.wait(client.ask('/who', KEY))}, goaway {client.goaway}")


if sys.argv[1] == "fields":
    fields(Client("api.h2.test"))
elif sys.argv[1] == "checked":
    checked(Client("checked.h2.test"))
else:
    {"malformed": malformed, "duplex": duplex, "answers": answers, "wrong": wrong}[sys.argv[1]]()
