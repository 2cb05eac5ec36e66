"""A client of `box mcp` for the tests: speaks either generation of the protocol, and can lie."""

import json
import os
import select
import subprocess
import time

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
# Ends a failed test alone.
LIMIT_S = 60


def fits(value, schema):
    """Whether VALUE is as SCHEMA says, by the words that the schemas of box mcp have."""
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}
    if not isinstance(value, kinds[schema["type"]]) or (isinstance(value, bool) and schema["type"] != "boolean"):
        return False
    if schema["type"] == "object":
        return set(schema["required"]) <= set(value) <= set(schema["properties"]) and all(
            fits(one, schema["properties"][name]) for name, one in value.items())
    if schema["type"] == "array":
        return all(fits(one, schema["items"]) for one in value)
    return value in schema.get("enum", [value])


class Server:
    """A server for PROJECT (None: that of the current folder)."""

    def __init__(self, project=None):
        command = ["box", "mcp"] + ([project] if project else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid, self.last, self.rest = self.process.pid, 0, bytearray()
        self.schemas = None

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def receive(self, limit=LIMIT_S):
        """The next message; None when none comes within LIMIT seconds, or at the end."""
        end, searched = time.monotonic() + limit, 0
        while (at := self.rest.find(b"\n", searched)) < 0:
            searched = len(self.rest)
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not data:
                return None
            self.rest += data
        message = json.loads(self.rest[:at])
        del self.rest[:at + 1]
        assert message["jsonrpc"] == "2.0", message
        return message

    def begin(self, method, token=None, **params):
        """Sends a request of the newer generation; its ID."""
        self.last += 1
        meta = dict(META, **({"progressToken": token} if token else {}))
        self.send(id=self.last, method=method, params=dict(params, _meta=meta))
        return self.last

    def answer(self, number):
        """The answer to the request NUMBER."""
        while True:
            message = self.receive()
            assert message, "no answer"
            if message.get("id") == number:
                return message

    def request(self, method, **params):
        return self.answer(self.begin(method, **params))

    def start(self, tool, /, **arguments):
        return self.begin("tools/call", name=tool, arguments=arguments)

    def tool(self, name, /, **arguments):
        """The structured result of a tool that succeeds, which is as its schema says."""
        if not self.schemas:
            self.schemas = {tool["name"]: tool["outputSchema"] for tool in self.request("tools/list")["result"]["tools"]}
        result = self.answer(self.start(name, **arguments))["result"]
        assert not result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert fits(result["structuredContent"], self.schemas[name]), result
        return result["structuredContent"]

    def fails(self, name, /, **arguments):
        """The text of a tool that fails."""
        result = self.answer(self.start(name, **arguments))["result"]
        assert result["isError"], result
        return result["content"][0]["text"]

    def output(self, command, stream="stdout", **arguments):
        """What COMMAND prints."""
        pieces = self.tool("run", command=command, **arguments)["output"]
        return "".join(piece["text"] for piece in pieces if piece["stream"] == stream)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(LIMIT_S)


def eventually(check):
    """Waits until CHECK() is true."""
    end = time.monotonic() + LIMIT_S
    while not check():
        assert time.monotonic() < end, "it does not become true"
        time.sleep(0.05)
