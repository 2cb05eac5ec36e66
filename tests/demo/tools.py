"""The calls of tests/demo/tools, in a project that is read-only but for out/, in a box without network."""

import json
import os
import statistics
import subprocess
import time

from mcp_client import Server

CALLS = 30
failures = []


def show(title, holds, said, seconds):
    """One line of the story; HOLDS: it went as it must."""
    print(f"{'ok  ' if holds else 'FAIL'} {seconds * 1000:8.1f} ms  {title}: {' '.join(said.split())[:90]}", flush=True)
    if not holds:
        failures.append(title)


def run_json(code, language, *options):
    """Code by `box run --json`: its object, and the time that the call took."""
    start = time.perf_counter()
    done = subprocess.run(["box", "run", "--json", "--stdin-code", language, *options], input=code.encode(), capture_output=True)
    return json.loads(done.stdout), time.perf_counter() - start, done.stderr.decode()


def text(state):
    return "".join(piece["text"] for piece in state["output"])


class Tools:
    def __init__(self):
        self.server = Server()

    def call(self, name, **arguments):
        """The result, whether it is an error, and the time that the call took."""
        start = time.perf_counter()
        result = self.server.answer(self.server.start(name, **arguments))["result"]
        seconds = time.perf_counter() - start
        return result.get("structuredContent") or result["content"][0]["text"], result["isError"], seconds


def code_and_files(tools):
    state, _, seconds = tools.call("run", language="python", code="print(sum(range(10)))")
    show("python by standard input", text(state) == "45\n", text(state), seconds)
    state, _, seconds = tools.call("run", language="node", code="console.log([1, 2].map(x => x * 2).join())")
    show("node by standard input, where there is one", text(state) == "2,4\n" or "not in this box" in str(state["problem"]),
         text(state) or state["problem"], seconds)
    state, seconds, _ = run_json("import sys; print(sys.version_info[0]); sys.exit(3)", "python")
    show("the same by box run --json", state["status"] == 3 and text(state) == "3\n", json.dumps(state), seconds)
    state, _, seconds = tools.call("write", path="out/result.txt", content="made\n")
    show("a file in the folder for results", state == {"bytes": 5, "created": True}, json.dumps(state), seconds)
    said, failed, seconds = tools.call("write", path="settings.json", content="{}")
    show("a file that must not be written", failed and "read-only" in said, said, seconds)
    state, failed, seconds = tools.call("run", command="echo '{}' >settings.json; touch new; rm -f settings.json")
    show("nor by a command", failed and os.listdir(".").count("new") == 0 and "none" in open("settings.json").read(), text(state), seconds)
    said, failed, seconds = tools.call("read", path="../neighbour")
    show("a path out of the project", failed, said, seconds)
    state, _, seconds = tools.call("run", command="touch /tmp/scratch && findmnt -n -o FSTYPE /tmp; touch /usr/new")
    show("/tmp in memory, the system read-only", "tmpfs" in text(state) and "Read-only" in text(state), text(state), seconds)


# Where the kernel enforces no limits, a box says so when it starts, and nothing else can be shown.
def limits(tools, enforced):
    held = "held" if enforced else "not enforced on this machine, as the first line says"
    if enforced:
        state, _, seconds = tools.call("run", language="python", code="x = bytearray(1 << 30); print(len(x))")
        show("more memory than there may be", state["signal"] == "SIGKILL", json.dumps(state), seconds)
        state, _, seconds = tools.call("run", command="for i in $(seq 300); do sleep 9 & done 2>&1 | tail -n 1", timeout=20)
        show("more processes than there may be", "ork" in text(state), text(state), seconds)
    else:
        show("memory and process limits", True, held, 0)
    state, failed, seconds = tools.call("run", command="sleep 60 & while :; do :; done", timeout=0.5)
    show("a loop without end", failed and state["timed_out"], state["problem"], seconds)
    state, _, seconds = tools.call("run", command="yes", timeout=0.5, max_output=2000)
    show("output without end", state["truncated"] and len(text(state)) <= 2000, state["problem"], seconds)


def network(tools):
    code = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 3)\nexcept OSError as e:\n    print(e)"
    state, _, seconds = tools.call("run", language="python", code=code)
    show("no network", "unreachable" in text(state), text(state), seconds)
    state, _, seconds = tools.call("run", command="ls /sys/class/net")
    show("nothing but loopback", text(state) == "lo\n", text(state), seconds)


def timed(action):
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


# By turns, so that a machine that is busy is so for all of them.
def times(tools):
    container = json.loads(subprocess.run(["box", "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)[0]["container"]
    kinds = {
        "a tool call: run": lambda: tools.call("run", command="true"),
        "a tool call: read": lambda: tools.call("read", path="settings.json"),
        # The tool starts a shell as well.
        "box run": lambda: subprocess.run(["box", "run", "--", "bash", "-c", "true"], check=True),
        "box run --json": lambda: subprocess.run(["box", "run", "--json", "--", "true"], check=True, stdout=subprocess.DEVNULL),
        # What other sandboxes of tools use.
        "podman exec": lambda: subprocess.run(["podman", "exec", container, "true"], check=True),
    }
    taken = {name: [] for name in kinds}
    for _ in range(CALLS):
        for name, action in kinds.items():
            taken[name].append(timed(action))
    for name, all_of in taken.items():
        print(f"{name:20} median {statistics.median(all_of):7.2f} ms, least {min(all_of):7.2f} ms", flush=True)
    # Of the least: a busy machine doubles a median.
    ratio = min(taken["a tool call: run"]) / min(taken["box run"])
    show("a call takes the time of box run", ratio < 1.5, f"{ratio:.2f} of it", 0)
    ratio = min(taken["a tool call: run"]) / min(taken["podman exec"])
    show("and a small part of that of podman exec", ratio < 0.1, f"{ratio:.3f} of it", 0)


def main():
    started = time.perf_counter()
    said = subprocess.run(["box", "start"], capture_output=True, text=True, check=True).stderr
    show("the box starts", True, said or "without a word", time.perf_counter() - started)
    tools = Tools()
    code_and_files(tools)
    limits(tools, "not enforced" not in said)
    network(tools)
    times(tools)
    assert tools.server.close() == 0
    print(f"{len(failures)} of the calls went wrong" if failures else "every call went as it must")
    raise SystemExit(bool(failures))


main()
