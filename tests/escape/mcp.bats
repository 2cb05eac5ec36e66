#!/usr/bin/env bats
# box mcp against clients that lie, and against what a box plants for it. tests/unit/mcp.c and the fuzzer have the
# parsers, also of answers that a box makes up.

load escape.bash
setup_file() {
    export PYTHONPATH=$BATS_TEST_DIRNAME/../lib PYTHONDONTWRITEBYTECODE=1
    box_setup
    git init -q .
    trust_file '[box]
idle_stop = "never"'
    mkdir -p "$TEST_HOME/neighbour"
    echo "$SECRET" >"$TEST_HOME/neighbour/secret"
    new_project "$TEST_HOME/other"
    box start
}
teardown_file() { box_teardown; }
setup() { cd "$PROJECT" || return; }

# client: Python on standard input, with a server S that must be alive in the end.
client() {
    python3 -c "from mcp_client import *; import json, os, signal, subprocess, sys, time
S = Server()
$(cat)
assert S.output('echo alive') == 'alive\n'
assert S.close() == 0"
}

@test "mcp: lines without end, deep and broken JSON, NUL and foreign answers get an error, and no more (9)" {
    client <<'PY'
def refused(data, code):
    S.send_bytes(data + b"\n")
    answer = S.receive()
    assert answer["error"]["code"] == code and "id" not in answer, answer
refused(b"x" * (9 << 20), -32700)
refused(b"[" * 100000, -32700)
refused(b'{"a":' * 100000, -32700)
refused(b"\0\0\0", -32700)
refused(b"\xff\xfe{}", -32700)
refused(b'{"jsonrpc":"2.0","id":1,"method":"tools/list\\u0000"}', -32700)
refused(b"[]", -32600)
refused(b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600)
refused(b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600)
for quiet in (b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
              b'{"jsonrpc":"2.0","method":"rm -rf"}'):
    S.send_bytes(quiet + b"\n")
# An ID that is in use is not used twice, and a long one is not repeated.
S.send_bytes(json.dumps({"jsonrpc": "2.0", "id": "y" * 300, "method": "ping"}).encode() + b"\n")
assert S.receive()["error"]["code"] == -32600
first = S.start("run", command="mkfifo hold; read x <hold")
S.last -= 1
S.start("run", command="true")
assert S.receive()["error"]["code"] == -32600
eventually(lambda: os.path.exists("hold"))
subprocess.run(["timeout", "30", "sh", "-c", "echo >hold"], check=True)
assert S.receive()["id"] == first
os.unlink("hold")
# More calls than there may be are refused, and those that run are not harmed.
calls = [S.start("run", command="sleep 0.2") for _ in range(20)]
answers = [S.receive() for _ in calls]
assert sorted(one["id"] for one in answers) == calls
assert sum("16 calls" in one["result"]["content"][0]["text"] for one in answers) == 4
with open(f"/proc/{S.pid}/status") as status:
    peak = [int(line.split()[1]) for line in status if line.startswith("VmHWM")][0]
assert peak < 100000, peak
PY
}

@test "mcp: no path leads out of the project: neither '..' nor links that the box plants, with control (1)" {
    client <<'PY'
outside = os.path.realpath("../neighbour")
S.tool("run", command=f"""mkdir -p sub && cd sub && ln -s /etc/passwd absolute && ln -s ../../neighbour up &&
    ln -s {outside}/secret host && ln -s loop loop && ln -s /proc/self/root root && ln -s ../sub/../../neighbour/secret long &&
    ln -s . here && echo inside >file && ln -s ../sub/here/file inner && mkfifo fifo""")
# The control: links work, in the box for whoever runs a command there, and here where they stay in the project.
assert "root:" in S.output("cat sub/absolute")
assert S.tool("read", path="sub/inner")["content"] == "inside\n"
for path in ("sub/absolute", "sub/up/secret", "sub/host", "sub/loop", "sub/root/etc/passwd", "sub/long", "sub/here/up/secret"):
    for tool, more in (("read", {}), ("write", {"content": "x"}), ("edit", {"old": "root", "new": "x"}), ("list", {}), ("search", {"text": "o"})):
        text = S.fails(tool, path=path, **more)
        assert "leads out of the project" in text or "symbolic links" in text, text
for path in ("..", "../neighbour/secret", "sub/../../neighbour/secret", "/etc/passwd", outside + "/secret", "x/" * 3000):
    assert "below the project" in S.fails("read", path=path)
    assert "below the project" in S.fails("write", path=path, content="x")
# What is no file neither hangs nor is replaced; links are not gone through.
assert "no regular file" in S.fails("read", path="sub/fifo")
assert "No such device" in S.fails("write", path="sub/fifo", content="x")
assert S.tool("search", text="root:")["matches"] == []
assert [e["type"] for e in S.tool("list", path="sub")["entries"] if e["path"] == "sub/up"] == ["link"]
assert open(outside + "/secret").read() == os.environ["SECRET"] + "\n"
assert os.listdir(outside) == ["secret"]
S.tool("run", command="rm -r sub")
PY
}

@test "mcp: protected names are neither written nor made, whatever way is taken (7)" {
    client <<'PY'
for path in (".envrc", ".git/hooks/pre-commit", ".vscode/tasks.json", "litterbox.toml", "a/../.envrc"):
    assert "only the user" in S.fails("write", path=path, content="touch /tmp/ran") or "ask the user" in S.fails("write", path=path, content="x"), path
S.tool("run", command="ln -s .envrc innocent; ln -s .git/hooks hooks")
S.fails("write", path="innocent", content="x")
S.fails("write", path="hooks/pre-commit", content="x")
assert not os.path.lexists(".envrc") and not os.path.exists(".git/hooks/pre-commit") and not os.path.exists(".vscode/tasks.json")
S.tool("run", command="rm innocent hooks")
PY
}

@test "mcp: a handle is good for the server that gave it, and not to be guessed (2)" {
    client <<'PY'
handle = S.tool("run", command="echo mine; exec sleep 4331", background=True)["handle"]
other = Server()
for wrong in (handle, handle[:-1] + "0", "", "1", "../1"):
    assert "unknown handle" in other.fails("output", handle=wrong)
    assert "unknown handle" in other.fails("stop", handle=wrong)
assert other.tool("status")["background"] == []
assert other.close() == 0
assert S.tool("output", handle=handle, wait=30)["running"]
# One box's server reaches no other box.
away = Server("other")
assert "unknown handle" in away.fails("stop", handle=handle)
assert away.close() == 0
S.tool("stop", handle=handle)
PY
}

@test "mcp: a flood of output costs the host neither memory nor the other calls, and the client may be slow (9)" {
    client <<'PY'
flood = S.start("run", command="yes $(head -c 5000 /dev/zero | tr '\\0' x)", timeout=3)
quiet = S.start("run", command="yes >&2", background=True, max_output=1048576)
assert S.output("echo meanwhile") == "meanwhile\n"
result = S.answer(flood)["result"]["structuredContent"]
assert result["timed_out"] and result["truncated"], result["duration"]
assert sum(len(p["text"]) for p in result["output"]) <= 65536
# Answers that nobody reads hold up reading, and not more.
for _ in range(400):
    S.begin("tools/list")
    if not S.last % 50:
        time.sleep(0)
with open(f"/proc/{S.pid}/status") as status:
    peak = [int(line.split()[1]) for line in status if line.startswith("VmHWM")][0]
assert peak < 100000, peak
assert S.answer(S.last)["result"]["tools"]
PY
}

@test "mcp: what a cancelled call or a killed server has started is gone from the box (9)" {
    local stubborn="trap '' HUP TERM; setsid sh -c 'trap \"\" HUP TERM; exec sleep 4332' & nohup sleep 4332 & touch began; wait"
    STUBBORN=$stubborn client <<'PY'
cancelled = S.start("run", command=os.environ["STUBBORN"])
eventually(lambda: os.path.exists("began"))
os.unlink("began")
S.send(method="notifications/cancelled", params={"requestId": cancelled})
eventually(lambda: S.output("pgrep -f 'sleep 433[2]' || echo none") == "none\n")
victim = Server()
victim.start("run", command=os.environ["STUBBORN"])
victim.start("run", command=os.environ["STUBBORN"], background=True)
eventually(lambda: os.path.exists("began"))
# The control: it is there.
assert S.output("pgrep -f 'sleep 433[2]' || echo none") != "none\n"
os.kill(victim.pid, signal.SIGKILL)
victim.process.wait()
eventually(lambda: S.output("pgrep -f 'sleep 433[2]' || echo none") == "none\n")
PY
}

@test "mcp: a box that is stopped under its calls fails them, and the next one starts it (9)" {
    client <<'PY'
call = S.start("run", command="touch began-too; exec sleep 4333")
eventually(lambda: os.path.exists("began-too"))
subprocess.run(["box", "stop"], check=True, capture_output=True)
result = S.answer(call)["result"]
assert result["isError"], result
PY
}
