"""login_model.py ADDRESS FOLDER: login_server.py with a model behind the API, for who comes with a token that is good."""
import json
import os
import sys

sys.path += [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..", "escape")]

import login_server  # noqa: E402
import model  # noqa: E402
import tls_service  # noqa: E402


class Service(login_server.Service, model.Model):
    def do_POST(self):
        path = self.path.split("?")[0]
        if path.startswith("/api/accounts/deviceauth/"):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.reply('{"device_auth_id": "d", "user_code": "ABCD-1234", "interval": "1"}' if path.endswith("usercode") else
                       '{"authorization_code": "code-bob", "code_challenge": "c", "code_verifier": "v"}')
            return
        key = self.headers.get("Authorization", "-").removeprefix("Bearer ")
        if not path.endswith(("/messages", "/responses")):
            login_server.Service.do_POST(self)
            return
        self.note("seen", self.headers["Host"], self.path, "Bearer " + key)
        if login_server.made.get(key, (None, None))[1] != "access":
            self.rfile.read(int(self.headers["Content-Length"]))
            self.reply('{"type":"error","error":{"type":"authentication_error","message":"who are you"}}', 401)
            return
        # Codex compresses what it sends to ChatGPT.
        self.rfile.read(int(self.headers["Content-Length"]))
        events = self.events_of_messages(None) if path.endswith("/messages") else self.events(model.message())
        body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if "Upgrade" in self.headers:
            self.reply("", 404)
            return
        if self.path.startswith("/api/oauth/profile"):
            self.note("seen", self.headers["Host"], self.path, self.headers.get("Authorization", "-"))
            self.reply('{"account": {"uuid": "3f8e7b9a-0000-4000-8000-000000000001", "email": "anna@example.com", '
                       '"display_name": "Anna", "has_claude_max": true}, "organization": {"uuid": '
                       '"aaaaaaaa-0000-4000-8000-000000000000", "organization_type": "claude_max", '
                       '"rate_limit_tier": "default_claude_max_5x", "name": "Example"}}')
        elif self.path.startswith("/backend-api/wham/accounts/check"):
            self.reply('{"accounts": [{"id": "acc-bob", "plan_type": "plus", "workspace_backend_origin": "https://chatgpt.com", '
                       '"account_routing_override": "NO_CONSTRAINT"}], "default_account_id": "acc-bob"}')
        else:
            login_server.Service.do_GET(self)


tls_service.serve(Service, *sys.argv[1:])
