"""HTTP in front of `box mcp`, for the conformance suite of MCP, which speaks nothing else.

    mcp_bridge.py [PROJECT]      prints its port

Streamable HTTP as far as the suite needs it: each POST is one message. A request is answered as an event stream, with
the notifications that come before its answer. One server serves all, as it does on standard input and output.
"""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
server = subprocess.Popen(["box", "mcp"] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lock = threading.Lock()
waiting = {}  # our ID: what has come for it, and an event
count = 0


def read_server():
    for line in server.stdout:
        message = json.loads(line)
        params = message.get("params", {})
        key = message.get("id", params.get("progressToken", params.get("_meta", {}).get(SUBSCRIPTION)))
        with lock:
            entry = next((one for one in waiting.values() if key in (one["number"], one["token"])), None)
            if entry is None:
                continue
            if "id" in message:
                message["id"] = entry["id"]
            elif SUBSCRIPTION in params.get("_meta", {}):
                params["_meta"][SUBSCRIPTION] = entry["id"]
            entry["messages"].append(message)
            # A stream of notifications has no answer: the first of them is all that comes.
            if "progressToken" not in params:
                entry["done"].set()


def ask(message):
    """All that comes for the request MESSAGE. IDs of several clients would clash: it gets one of ours."""
    global count
    with lock:
        count += 1
        token = ((message.get("params") or {}).get("_meta") or {}).get("progressToken")
        entry = {"id": message["id"], "number": count, "token": token, "messages": [], "done": threading.Event()}
        waiting[count] = entry
        number = count
        server.stdin.write(json.dumps(dict(message, id=number)).encode() + b"\n")
        server.stdin.flush()
    entry["done"].wait(30)
    with lock:
        del waiting[number]
    return entry["messages"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, kind="application/json", body=b""):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        self.reply(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message or "method" not in message:
            with lock:
                server.stdin.write(json.dumps(message).encode() + b"\n")
                server.stdin.flush()
            self.reply(202)
            return
        messages = ask(message)
        code = messages[-1].get("error", {}).get("code") if messages else None
        if code is not None:
            self.reply(404 if code == -32601 else 400, body=json.dumps(messages[-1]).encode())
            return
        events = "".join(f"event: message\ndata: {json.dumps(one)}\n\n" for one in messages)
        self.reply(200, "text/event-stream", events.encode())


threading.Thread(target=read_server, daemon=True).start()
http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(http.server_address[1], flush=True)
http.serve_forever()
