"""A language model that asks for one thing after the other and then ends: model.py STEP… Speaks OpenAI's protocols
(/v1/responses and /v1/chat/completions), Anthropic's (/v1/messages) and Google's (…:generateContent).

A STEP is "read PATH" or "edit PATH OLD NEW", which the client's own tool for files does, or a command. That is run by the
tool `run` of `box mcp` where the client has that, else by the client's own. Prints its port. The names of the client's tools
("tools: …"), and what it says of the steps, are on standard error.
"""
import base64
import hashlib
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

STEPS = sys.argv[1:]
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


def names(tools, above=None):
    """(name, namespace) of each tool: Codex puts those of an MCP server into a namespace."""
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from names(tool["tools"], tool["name"])
        else:
            yield tool.get("name") or tool.get("function", {}).get("name", ""), above
        for one in tool.get("functionDeclarations", []):
            yield one["name"], None


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tools = list(names(request.get("tools", [])))
        print("tools:", *(name for name, _ in tools), file=sys.stderr, flush=True)
        results_of, events_of = next(both for part, both in self.protocols().items() if part in self.path)
        results = list(results_of(request))
        print(*results, file=sys.stderr, flush=True)
        for media, data in self.pictures(request):
            print(f"picture: {media} {hashlib.sha256(base64.b64decode(data)).hexdigest()}", file=sys.stderr, flush=True)
        events = list(events_of(self.call(tools, len(results))))
        is_stream = request.get("stream") or "stream" in self.path
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.end_headers()
        if not is_stream:
            self.wfile.write(json.dumps(events[0]).encode())
            return
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if "/completions" in self.path:
            self.wfile.write(b"data: [DONE]\n\n")

    def protocols(self):
        """By a part of the path: what is in a request of the results of calls, and the events of an answer."""
        return {"/messages": (self.results_of_messages, self.events_of_messages),
                "/completions": (self.results_of_completions, self.events_of_completions),
                "enerateContent": (self.results_of_contents, self.events_of_contents),
                "/responses": (self.results, lambda call: self.events(call or message()))}

    def call(self, tools, number):
        """Step NUMBER, as the client's tool wants it: the name depends on its version. None: it has none, or that was all."""
        if number >= len(STEPS):
            return None
        for name, given in self.wanted(STEPS[number]).items():
            for tool, above in tools:
                if tool == name:
                    key = str(number + 1)
                    item = {"type": "function_call", "id": key, "call_id": key, "name": name, "arguments": json.dumps(given)}
                    return dict(item, namespace=above) if above else item
        return None

    def wanted(self, step):
        """The tools that do STEP, and what each has to be given."""
        words = step.split(" ")
        if words[0] == "read" and len(words) == 2:
            path = os.path.abspath(words[1])
            command = f"cat {words[1]}"
            return {"Read": {"file_path": path}, "read": {"filePath": path}, "read_file": {"file_path": path},
                    "exec_command": {"cmd": command}, "shell_command": {"command": command}}
        if words[0] == "edit" and len(words) == 4:
            path, old, new = os.path.abspath(words[1]), *words[2:]
            # Codex takes its patches out of commands.
            patch = f"*** Begin Patch\n*** Update File: {words[1]}\n@@\n-{old}\n+{new}\n*** End Patch"
            command = f"apply_patch <<'END'\n{patch}\nEND"
            return {"Edit": {"file_path": path, "old_string": old, "new_string": new},
                    "edit": {"filePath": path, "oldString": old, "newString": new},
                    "replace": {"file_path": path, "old_string": old, "new_string": new, "instruction": "Edit it"},
                    "exec_command": {"cmd": command}, "shell_command": {"command": command}}
        return {"run": {"command": step}, "mcp__box__run": {"command": step},
                "Bash": {"command": step, "description": "Looks"},
                "bash": {"command": step, "description": "Looks"},
                "exec_command": {"cmd": step}, "shell_command": {"command": step},
                "run_shell_command": {"command": step, "is_background": False}}

    def results(self, request):
        return (item["output"] for item in request["input"] if item.get("type", "").endswith("_output"))

    def results_of_messages(self, request):
        parts = (part for one in request["messages"] if isinstance(one["content"], list) for part in one["content"])
        return (part["content"] for part in parts if part["type"] == "tool_result")

    def pictures(self, request):
        """(type, base64) of each picture of the user's."""
        for one in request.get("messages", request.get("input", request.get("contents", []))):
            content = one.get("content", one.get("parts"))
            for part in content if isinstance(content, list) else []:
                if part.get("type") == "image":
                    yield part["source"]["media_type"], part["source"]["data"]
                elif "inlineData" in part:
                    yield part["inlineData"]["mimeType"], part["inlineData"]["data"]
                elif part.get("type") in ("input_image", "image_url"):
                    url = part["image_url"] if isinstance(part["image_url"], str) else part["image_url"]["url"]
                    media, data = url.removeprefix("data:").split(";base64,")
                    yield media, data

    def events(self, item):
        begun = dict(item, arguments="") if "arguments" in item else dict(item, content=[])
        yield {"type": "response.created", "response": {"id": "1", "created_at": 0, "model": "none"}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
        for part in item.get("content", []):
            yield {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": item["id"],
                   "delta": part["text"]}
        done = dict(item, status="completed")
        yield {"type": "response.output_item.done", "output_index": 0, "item": done}
        yield {"type": "response.completed", "response": {"id": "1", "output": [done], "usage": USAGE}}

    def events_of_messages(self, call):
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": call["arguments"]}
        yield {"type": "message_start", "message": {"id": "1", "type": "message", "role": "assistant", "content": [],
                                                    "model": "none", "stop_reason": None, "usage": USAGE}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if call else "end_turn"}, "usage": USAGE}
        yield {"type": "message_stop"}

    def results_of_completions(self, request):
        return (one["content"] for one in request["messages"] if one["role"] == "tool")

    def events_of_completions(self, call):
        delta = {"role": "assistant", "content": "done"}
        if call:
            function = {"name": call["name"], "arguments": call["arguments"]}
            delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": call["id"], "type": "function", "function": function}]}
        for part, reason in ((delta, None), ({}, "tool_calls" if call else "stop")):
            yield {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "none",
                   "choices": [{"index": 0, "delta": part, "message": delta, "finish_reason": reason}]}

    def results_of_contents(self, request):
        parts = (part for one in request["contents"] for part in one["parts"])
        return (part["functionResponse"]["response"] for part in parts if "functionResponse" in part)

    def events_of_contents(self, call):
        part = {"text": "done"}
        if call:
            part = {"functionCall": {"name": call["name"], "args": json.loads(call["arguments"])}}
        yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
               "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}

    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


def message():
    return {"type": "message", "role": "assistant", "id": "2", "content": [{"type": "output_text", "text": "done"}]}


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", 0), Model)
    print(server.server_port, flush=True)
    server.serve_forever()
