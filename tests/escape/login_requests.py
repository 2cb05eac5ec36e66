"""login_requests.py: what a hostile program of a box asks of the token endpoint, by a socket. It prints the status of
each answer, and the reason of a refusal; nothing else of an answer.
"""
import json
import os
import re
import socket
import ssl
import sys

HOST = "platform.claude.com"
context = ssl.create_default_context()


def connect(host):
    return context.wrap_socket(socket.create_connection((host, 443), timeout=20), server_hostname=host)


def ask(name, *parts, host=HOST):
    """Sends PARTS, each in a record of its own."""
    line = connect(host)
    got = b""
    try:
        for part in parts:
            line.sendall(part.encode())
        while data := line.recv(65536):
            got += data
            if got.endswith(b"\n") and re.search(rb"\r\n\r\n.*\n$", got, re.S) and b"Connection: close" in got:
                break
    except OSError:
        pass
    statuses = re.findall(rb"HTTP/1.1 (\d+)", got)
    why = re.search(rb"(?:Litterbox: |request: )([^\"\n]*)", got)
    print(name + ":", *(status.decode() for status in statuses), *([why.group(1).decode()] if why else []))


def post(path, body, fields="", host=HOST, kind="application/json"):
    return (f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            f"{fields}Connection: close\r\n\r\n{body}")


with open("/tmp/got", encoding="ascii") as file:
    got = json.load(file)
code = json.dumps({"grant_type": "authorization_code", "code": "code-anna"})
renew = {"grant_type": "refresh_token", "refresh_token": got["refresh_token"]}
other = sys.argv[1]

for path in ("/v1/oauth/token/", "/v1//oauth/token", "/v1/oauth/%74oken", "/v1/oauth/x/../token", "/V1/OAuth/Token", "/v1/oauth/token;x",
             "/v1/oauth;x/token", "/oauth/token", "/v1/oauth/token%00", "/v1/oauth%252ftoken", "/v1/oauth/./token", "/v1/oauth/token.json",
             "/x/%2e%2e/v1/oauth/token", "/v1/oauth\\token"):
    ask("path " + path, post(path, code))
for field in ("X-HTTP-Method-Override: POST", "X-Original-URL: /v1/oauth/token", "Upgrade: x"):
    ask("field " + field.split(":")[0], post("/page", code, field + "\r\n"))
for field in ("X-Original-URL: /v1/oauth/token\r\nUpgrade: websocket", "Upgrade: h2c"):
    ask("API and " + field.split(":")[0], post("/v1/messages", code, field + "\r\nConnection: Upgrade\r\n",
                                               host="api.anthropic.com"), host="api.anthropic.com")
ask("other host", post("/v1/oauth/token", code, host="claude.com"))
ask("GET", post("/v1/oauth/token", code).replace("POST", "GET", 1))
ask("exchange", post("/v1/oauth/token", json.dumps({"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                                                    "subject_token": got["access_token"]})))
ask("own token", post("/v1/oauth/token", json.dumps({**renew, "refresh_token": "sk-ant-ort01-" + "x" * 95})))
ask("other box", post("/v1/oauth/token", json.dumps({**renew, "refresh_token": other})))
ask("access token", post("/v1/oauth/token", json.dumps({**renew, "refresh_token": got["access_token"]})))
ask("later", post("/v1/oauth/token", json.dumps({**renew, "refresh_token": re.sub("r0000....", "r0000ffff",
                                                                                  got["refresh_token"])})))
ask("two tokens", post("/v1/oauth/token", json.dumps(renew)[:-1] + ', "refresh_token": "' + other + '"}'))
ask("two grants", post("/v1/oauth/token", "grant_type=refresh_token&refresh_token=" + got["refresh_token"] +
                       "&grant_type=authorization_code&code=code-eve", kind="application/x-www-form-urlencoded"))
ask("other name", post("/v1/oauth/token", json.dumps({**renew, "Grant_Type": "authorization_code", "code": "code-eve"})))
ask("long", post("/v1/oauth/token", json.dumps({**json.loads(code), "expires_in": 31536000})))
ask("large", f"POST /v1/oauth/token HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 100000\r\n\r\n" + "x" * 1000)
ask("chunks", f"POST /v1/oauth/token HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
ask("nothing", post("/v1/oauth/token", ""))
ask("key", post("/api/oauth/claude_cli/create_api_key", "", f"Authorization: Bearer {got['access_token']}\r\n",
                host="api.anthropic.com"), host="api.anthropic.com")
ask("phantom elsewhere", f"GET /page HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {got['access_token']}\r\n\r\n")
ask("refresh token as key", "GET /echo HTTP/1.1\r\nHost: api.anthropic.com\r\n"
    f"Authorization: Bearer {got['refresh_token']}\r\n\r\n", host="api.anthropic.com")
ask("field elsewhere", "GET /echo HTTP/1.1\r\nHost: api.anthropic.com\r\n"
    f"X-Note: {got['access_token']}\r\n\r\n", host="api.anthropic.com")
ask("logout", post("/v1/oauth/revoke", json.dumps({"token": got["refresh_token"]})))
