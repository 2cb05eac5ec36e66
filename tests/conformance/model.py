"""A language model of OpenAI's protocol that asks for one shell command and then ends: model.py COMMAND.

Prints its port. What the client says of the command is on standard error.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = [item["output"] for item in request["input"] if item.get("type", "").endswith("_output")]
        print(*results, file=sys.stderr, flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in self.events(message() if results else self.call({tool.get("name") for tool in request["tools"]})):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def call(self, tools):
        """The command, as the client's tool wants it: the name depends on its version."""
        arguments = {"exec_command": {"cmd": sys.argv[1]}, "shell_command": {"command": sys.argv[1]}}
        name = next(name for name in arguments if name in tools)
        return {"type": "function_call", "id": "1", "call_id": "1", "name": name, "arguments": json.dumps(arguments[name])}

    def events(self, item):
        yield {"type": "response.created", "response": {"id": "1"}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        yield {"type": "response.completed", "response": {"id": "1", "usage": usage}}

    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


def message():
    return {"type": "message", "role": "assistant", "id": "2", "content": [{"type": "output_text", "text": "done"}]}


server = HTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
