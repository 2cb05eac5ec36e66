"""login_server.py ADDRESS FOLDER: the services of two subscriptions under their real names, for login.bash.

Codes of logins are "code-ACCOUNT". A refresh token is good for one request; a second one is a line "reuse" in
FOLDER/events, as each request for tokens is one with what it granted. Requests to the API are lines of FOLDER/seen:
host, path, Authorization. A client is the client_id, or an Authorization. FOLDER/how changes the next answers of a token endpoint: see WAYS. With "close" they end
with the connection, with "cut" that has no end of TLS. With "old" in it access tokens end at once, with "wait" an answer
waits until FOLDER/go is there, and FOLDER/waits says that it does. With "alone" there is no refresh token.
"""
import base64
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

import tls_service

address, folder = sys.argv[1:]
lock = threading.Lock()
made = {}  # token: (account, "access" or "refresh"); None: used
clients = {}  # refresh token: who has got it


def random_text(length):
    return (base64.urlsafe_b64encode(os.urandom(length)).decode().replace("-", "x").replace("_", "y"))[:length]


def jwt(claims):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return part({"alg": "RS256", "typ": "JWT", "kid": "k1"}) + "." + part(claims) + "." + random_text(342)


def claims_of(account, what, seconds):
    return {"iss": "https://auth.openai.com", "aud": [what], "exp": int(time.time()) + seconds, "sub": "auth0|" + account,
            "email": account + "@example.com", "jti": "not-for-the-box", "at_hash": "not-for-the-box",
            "https://api.openai.com/auth": {"chatgpt_account_id": "acc-" + account, "chatgpt_plan_type": "plus",
                                            "chatgpt_user_id": "user-" + account, "other_id": "not-for-the-box"}}


def tokens(host, account, seconds=28800):
    if "openai" in host:
        new = {"access_token": jwt(claims_of(account, "api", seconds)), "refresh_token": "rt_" + random_text(90),
               "id_token": jwt(claims_of(account, "id", seconds))}
    else:
        new = {"access_token": "sk-ant-oat01-" + random_text(95), "refresh_token": "sk-ant-ort01-" + random_text(95),
               "token_type": "Bearer", "expires_in": seconds, "scope": "user:inference user:profile",
               "account": {"uuid": "3f8e7b9a-0000-4000-8000-%012x" % sum(account.encode()),
                           "email_address": account + "@example.com"},
               "organization": {"uuid": "aaaaaaaa-0000-4000-8000-000000000000", "name": "Example"}}
    made[new["access_token"]] = (account, "access")
    made[new["refresh_token"]] = (account, "refresh")
    return new


# How an answer with tokens is written, instead of as it should be.
WAYS = {
    "unknown": lambda new: json.dumps({**new, "session_secret": random_text(40)}),
    "nested": lambda new: json.dumps({**new, "more": {"list": [{"a": "sk-ant-oat01-" + random_text(95)}]}}),
    "name": lambda new: json.dumps({**new, "x": {random_text(64) + "1a": True}}),
    "text": lambda new: "access_token=" + new["access_token"],
    "twice": lambda new: json.dumps(new)[:-1] + ', "access_token": "' + new["access_token"] + '"}',
    "array": lambda new: json.dumps([new]),
    "huge": lambda new: json.dumps({**new, "padding": "a " * 200000}),
    "short": lambda new: json.dumps({**new, "access_token": "sk-ant-short"}),
    "number": lambda new: json.dumps({**new, "refresh_token": 12345678901234567890}),
    "empty": lambda new: "{}",
    "broken": lambda new: json.dumps(new)[:-1],
}


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def note(self, file, *words):
        with lock, open(folder + "/" + file, "a", encoding="ascii") as to:
            to.write(" ".join(words) + "\n")

    def reply(self, text, status=200, fields=(), chunked=False, closes=None):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, value in fields:
            self.send_header(name, value)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(body), 7):
                part = body[at:at + 7]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        if closes:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if closes == "close":
            self.connection.unwrap()

    def grant(self, fields, client):
        """The account, or None."""
        with lock:
            if fields.get("grant_type") == "authorization_code":
                return fields["code"].removeprefix("code-")
            account, kind = made.get(fields.get("refresh_token"), (None, None))
            if account and client != clients[fields["refresh_token"]]:
                return None
            if kind == "used":
                account = None
                with open(folder + "/events", "a", encoding="ascii") as events:
                    events.write("reuse\n")
            elif account:
                made[fields["refresh_token"]] = (account, "used")
            return account

    def answer_tokens(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.headers["Content-Type"] == "application/json":
            fields = json.loads(body)
        else:
            fields = dict(urllib.parse.parse_qsl(body))
        with open(folder + "/how", encoding="ascii") as file:
            how = file.read().split()
        client = self.headers.get("Authorization", fields.get("client_id"))
        account = None if {"ended", "client"} & set(how) else self.grant(fields, client)
        self.note("events", self.headers["Host"], fields.get("grant_type", "-"), account or "refused",
                  self.headers.get("Accept-Encoding", "-"))
        if "wait" in how:
            open(folder + "/waits", "w", encoding="ascii").close()
            while not os.path.exists(folder + "/go"):
                time.sleep(0.01)
        if "client" in how:
            self.reply('{"error": "invalid_client"}', 400)
            return
        if not account:
            self.reply('{"error": "invalid_grant", "error_description": "Refresh token not found or invalid"}', 400)
            return
        new = tokens(self.headers["Host"], account, 1 if "old" in how else 28800)
        clients[new["refresh_token"]] = client
        if "alone" in how:
            del new["refresh_token"]
        with open(folder + "/real", "a", encoding="ascii") as real:
            for name in ("access_token", "refresh_token", "id_token"):
                if name in new:
                    real.write(new[name] + "\n")
        status = 302 if "redirect" in how else 400 if "error" in how else 200
        fields = [("Location", "https://" + self.headers["Host"] + "/#" + new["access_token"])] if status == 302 else []
        fields += [("Content-Encoding", "br")] if "coded" in how else []
        fields += [("Set-Cookie", "session=" + new["access_token"])] if "cookie" in how else []
        text = json.dumps(new)
        for way, write in WAYS.items():
            text = write(new) if way in how else text
        self.reply(text, status, fields, "chunked" in how, next((way for way in ("close", "cut") if way in how), None))

    def do_POST(self):
        if self.path in ("/v1/oauth/token", "/oauth/token"):
            self.answer_tokens()
        else:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.do_GET()

    def do_GET(self):
        key = self.headers.get("Authorization", "-")
        self.note("seen", self.headers["Host"], self.path, key)
        account, kind = made.get(key.removeprefix("Bearer "), (None, None))
        if self.path == "/echo":
            self.reply("you sent " + key)
        elif self.path == "/page":
            self.reply(json.dumps(tokens(self.headers["Host"], "page")))
        elif kind == "access":
            self.reply("hello " + account)
        else:
            self.reply("who are you", 401)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    tls_service.serve(Service, address, folder)
