#!/usr/bin/env bats
# box mcp: a box as a tool. tests/escape/mcp.bats has clients and boxes that lie; tests/conformance/mcp.bats, real clients.

load ../lib/box.bash
setup_file() {
    export PYTHONPATH=$BATS_TEST_DIRNAME/../lib PYTHONDONTWRITEBYTECODE=1
    box_setup
    git init -q .
    trust_file '[box]
idle_stop = "never"
[project]
hidden = ["secret"]'
    echo hidden >secret
    box start
}
teardown_file() { box_teardown; }
setup() { cd "$PROJECT" || return; }

# client: Python on standard input, with a server S.
client() {
    python3 -c "from mcp_client import *; import json, os, re, signal, subprocess, sys, time
S = Server()
$(cat)
assert S.close() == 0"
}

@test "mcp: the generation without a handshake: discover, tools in one order, errors by the rules" {
    client <<'PY'
found = S.request("server/discover")["result"]
assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete", found
assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "litterbox"
names = [tool["name"] for tool in S.request("tools/list")["result"]["tools"]]
assert names == ["run", "output", "stop", "read", "write", "edit", "list", "search", "branch", "snapshot", "port", "status"], names
S.send(id="x", method="tools/list", params={"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}})
refused = S.receive()
assert refused["error"]["code"] == -32022 and refused["error"]["data"]["supported"] == ["2026-07-28"], refused
S.send(id="x", method="tools/list")
assert S.receive()["error"]["code"] == -32602
assert S.request("tools/call", name="rm", arguments={})["error"]["code"] == -32602
assert S.request("roots/list")["error"]["code"] == -32601
assert "'path' is missing" in S.fails("read")
assert "no argument 'file'" in S.fails("read", path="a", file="b")
PY
}

@test "mcp: the generation with initialize, which says nothing of the other" {
    client <<'PY'
S.send(id=0, method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"}})
begun = S.receive()["result"]
assert begun["protocolVersion"] == "2025-11-25" and begun["capabilities"] == {"tools": {}}, begun
S.send(method="notifications/initialized")
S.send(id="a", method="ping")
assert S.receive() == {"jsonrpc": "2.0", "id": "a", "result": {}}
S.send(id="b", method="tools/call", params={"name": "run", "arguments": {"command": "echo hi"}})
answer = S.receive()
assert answer["id"] == "b" and "resultType" not in answer["result"] and "_meta" not in answer["result"], answer
assert answer["result"]["structuredContent"]["output"] == [{"stream": "stdout", "text": "hi\n"}]
PY
}

@test "mcp: run has status, streams, signal, timeout and folder of a command" {
    mkdir -p sub
    client <<'PY'
done = S.tool("run", command="echo out; echo err >&2; exit 0")
assert (done["status"], done["signal"], done["timed_out"], done["truncated"]) == (0, None, False, False), done
assert {(p["stream"], p["text"]) for p in done["output"]} == {("stdout", "out\n"), ("stderr", "err\n")}
assert json.loads(S.fails("run", command="exit 3"))["problem"] == "exit status 3"
killed = json.loads(S.fails("run", command="kill -9 $$"))
assert (killed["status"], killed["signal"]) == (137, "SIGKILL") and "memory" in killed["problem"], killed
late = json.loads(S.fails("run", command="sleep 99 & sleep 99", timeout=0.2))
assert late["timed_out"] and late["status"] == 124 and late["duration"] < 30 and "timeout" in late["problem"], late
if subprocess.run(["sh", "-c", "command -v ruby"]).returncode != 0: # the box has this machine's programs
    assert "not in this box" in json.loads(S.fails("run", code="1", language="ruby"))["problem"]
assert S.output("pwd", folder="sub").endswith("/shop/sub\n")
assert S.output("cat; echo $A $TERM", stdin="in ", env={"A": "b"}) == "in b dumb\n"
assert "cannot change to" in S.fails("run", command="true", folder="nowhere")
assert "below the project" in S.fails("run", command="true", folder="..")
assert "either" in S.fails("run", command="true", code="1", language="sh")
assert "needs 'language'" in S.fails("run", code="1")
# What a command leaves running ends with it.
S.tool("run", command="setsid sleep 4321 >/dev/null 2>&1 & true")
assert S.output("pgrep -f 'sleep 432[1]' || echo none") == "none\n"
PY
}

@test "mcp: run takes code of several languages" {
    client <<'PY'
def says(language, code):
    return "".join(p["text"] for p in S.tool("run", language=language, code=code)["output"])
assert says("python", "import sys\nprint(6 * 7, sys.stdin.read() == '')") == "42 True\n"
assert says("bash", "a=(1 2 3); echo ${#a[@]}") == "3\n"
assert says("sh", "echo $0") == "sh\n"
assert says("perl", "print 6 * 7") == "42"
PY
}

@test "mcp: of too much output the beginning and the end are kept, and the command ends as usual" {
    client <<'PY'
done = S.tool("run", command="echo begin; head -c 50000000 /dev/zero | tr '\\0' x; echo end", max_output=1024)
text = "".join(p["text"] for p in done["output"])
assert done["truncated"] and text.startswith("begin\n") and text.endswith("end\n") and len(text) == 1024, len(text)
assert sum(p.get("omitted_before", 0) for p in done["output"]) == 50000000 + 10 - 1024
# No control character but line ends and tabs, and no broken UTF-8.
assert S.output(r"printf 'a\033[31m\t\377\0b'") == "a\ufffd[31m\t\ufffd\ufffdb"
PY
}

@test "mcp: a command in the background has a handle, output by pieces, an end" {
    client <<'PY'
begun = S.tool("run", command="echo one; read x < fifo; echo two; exit 5", background=True, env={"X": "y"}) \
    if not S.tool("run", command="rm -f fifo; mkfifo fifo")["status"] else None
handle = begun["handle"]
assert begun["running"] and begun["output"] == [] and begun["status"] is None, begun
first = S.tool("output", handle=handle, wait=30)
assert first["output"] == [{"stream": "stdout", "text": "one\n"}] and first["running"], first
assert S.tool("output", handle=handle)["output"] == []
assert [one["running"] for one in S.tool("status")["background"]] == [True]
S.tool("run", command="echo >fifo")
text = ""
while True:
    result = S.answer(S.start("output", handle=handle, wait=30))["result"]
    state = result["structuredContent"]
    text += "".join(p["text"] for p in state["output"])
    if not state["running"]:
        break
assert text == "two\n" and state["status"] == 5 and result["isError"], (text, state)
assert "unknown handle" in S.fails("output", handle=handle)
# Stopped, with all that it has started, also what does not hear SIGTERM.
handle = S.tool("run", command="trap '' TERM; setsid sh -c 'trap \"\" TERM HUP; echo up; sleep 4322' & wait", background=True)["handle"]
S.tool("output", handle=handle, wait=30)
assert not S.tool("stop", handle=handle)["running"]
eventually(lambda: S.output("pgrep -f 'sleep 432[2]' || echo none") == "none\n")
assert S.tool("status")["background"] == []
PY
}

@test "mcp: files are read, written, edited, listed and searched" {
    client <<'PY'
assert S.tool("write", path="deep/er/file.txt", content="one\ntwo\nthree\n") == {"bytes": 14, "created": True}
part = S.tool("read", path="deep/er/file.txt", line=2, lines=1)
assert part == {"content": "two\n", "encoding": "utf-8", "size": 14, "line": 2, "lines": 1, "truncated": True}, part
assert S.tool("read", path=os.path.realpath("deep/er/file.txt"), max_bytes=5)["content"] == "one\nt"
assert S.tool("edit", path="deep/er/file.txt", old="two", new="2 €") == {"replaced": 1}
assert "contains 'old'" in S.fails("edit", path="deep/er/file.txt", old="e", new="E")
assert "does not contain" in S.fails("edit", path="deep/er/file.txt", old="nine", new="")
assert S.tool("edit", path="deep/er/file.txt", old="e", new="E", all=True)["replaced"] == 3
assert open("deep/er/file.txt").read() == "onE\n2 €\nthrEE\n"
os.chmod("deep/er/file.txt", 0o750)
assert not S.tool("write", path="deep/er/file.txt", content="AP8=", encoding="base64")["created"]
assert os.stat("deep/er/file.txt").st_mode & 0o777 == 0o750
assert S.tool("read", path="deep/er/file.txt")["content"] == "AP8="
for text in "a b c", "AP8", "AP8=x", "A===":
    assert "not base64" in S.fails("write", path="deep/er/file.txt", content=text, encoding="base64")
os.symlink("er/file.txt", "deep/link")
S.tool("write", path="deep/link", content="by a link\n")
assert os.path.islink("deep/link") and open("deep/er/file.txt").read() == "by a link\n"
listed = S.tool("list", path="deep", depth=3)["entries"]
assert [(e["path"], e["type"]) for e in listed] == [("deep/er", "folder"), ("deep/er/file.txt", "file"), ("deep/link", "link")], listed
assert S.tool("list", depth=5, pattern="*.txt")["entries"][0]["path"] == "deep/er/file.txt"
assert S.tool("list", max_entries=1)["truncated"]
found = S.tool("search", text="A LINK", ignore_case=True)["matches"]
assert found == [{"path": "deep/er/file.txt", "line": 1, "text": "by a link"}], found
assert S.tool("search", text="^by .*k$", regex=True, path="deep")["matches"] == found
assert "regular expression" in S.fails("search", text="(", regex=True)
assert "No such file" in S.fails("read", path="nothing")
assert "is a folder" in S.fails("read", path="deep")
os.chmod("deep/er/file.txt", 0o440)
assert "denied" in S.fails("write", path="deep/er/file.txt", content="")
PY
}

@test "mcp: nobody reads a private file while it is written, and nothing of a write stays" {
    client <<'PY'
import threading
open("private", "w").close()
os.chmod("private", 0o600)
# What killed writes have left, by the number of their process.
for number in range(1, 5000):
    open(f".litterbox-{number}.tmp", "w").close()
left, modes, going = set(os.listdir()), set(), True
def look():
    while going:
        for name in set(os.listdir()) - left:
            try:
                modes.add(os.stat(name).st_mode & 0o777)
            except FileNotFoundError:
                pass
looking = threading.Thread(target=look)
looking.start()
try:
    # Until the file in its place was seen.
    for _ in range(100):
        S.tool("write", path="private", content="x" * 7000000)
        if modes:
            break
finally:
    going = False
    looking.join()
assert modes == {0o600}, modes
assert os.stat("private").st_mode & 0o777 == 0o600 and os.stat("private").st_size == 7000000
for name in left:
    if name.startswith(".litterbox-"):
        os.unlink(name)
PY
}

@test "mcp: a write that is cancelled leaves the old file or the new one" {
    client <<'PY'
size = 7000000
S.tool("write", path="whole", content="z" * size)
# A session with many processes beside it takes a while to find those that it has to end; meanwhile they go on.
crowd = S.start("run", command="for i in $(seq 1500); do sleep 1000 & done; touch many; wait")
eventually(lambda: os.path.exists("many"))
# Those of the box are processes here, too.
writes = ["pgrep", "-f", f"litterbox-files write {os.path.realpath('.')} whole"]
for moment in range(15):
    call = S.start("write", path="whole", content=chr(97 + moment) * size)
    time.sleep(0.02 + 0.004 * moment) # from before its process is there to after its end
    S.send(method="notifications/cancelled", params={"requestId": call})
    eventually(lambda: subprocess.run(writes, stdout=subprocess.DEVNULL).returncode == 1)
    with open("whole") as file:
        text = file.read()
    assert len(text) == size and text == text[0] * size, (moment, len(text))
S.send(method="notifications/cancelled", params={"requestId": crowd})
assert not [name for name in os.listdir() if name.endswith(".tmp")]
PY
}

@test "mcp: a refusal names its rule" {
    client <<'PY'
assert "[protect] paths" in S.fails("write", path=".envrc", content="x")
assert "litterbox.toml, the files" in S.fails("edit", path="litterbox.toml", old="never", new="1m")
assert "[project] hidden" in S.fails("read", path="secret")
status = S.tool("status")
assert ".envrc" in status["protected"] and status["hidden"] == ["secret"] and status["state"] == "running", status
assert not os.path.exists(".envrc") and not [name for name in os.listdir(".") if name.endswith(".tmp")]
PY
}

@test "mcp: progress for who asks, and none after the answer; a cancelled call is not answered" {
    client <<'PY'
number = S.begin("tools/call", token="t", name="run", arguments={"command": "mkfifo end; read x <end"})
told = S.receive()
assert told["method"] == "notifications/progress" and told["params"]["progressToken"] == "t", told
again = S.receive()
assert again["params"]["progress"] > told["params"]["progress"]
S.tool("run", command="echo >end; rm end")
quiet = S.start("run", command="echo $$ >number; exec sleep 4323")
eventually(lambda: os.path.exists("number"))
S.send(method="notifications/cancelled", params={"requestId": quiet})
S.send(method="notifications/cancelled", params={"requestId": "nobody"})
eventually(lambda: S.output("pgrep -f 'sleep 432[3]' || echo none") == "none\n")
last = S.start("run", command="true")
assert S.receive()["id"] == last
PY
}

@test "mcp: a port of the box is forwarded to this machine alone" {
    client <<'PY'
server = "import http.server as s; h = s.HTTPServer(('127.0.0.1', 4399), s.SimpleHTTPRequestHandler); print('up', flush=True); h.serve_forever()"
handle = S.tool("run", command=f'exec python3 -c "{server}"', background=True)["handle"]
S.tool("output", handle=handle, wait=30)
assert [one["port"] for one in S.tool("port", action="list")["listening"]] == [4399]
made = S.tool("port", action="add", port=4399)["forwards"]
assert made == [{"host_ip": "127.0.0.1", "host_port": 4399, "box_port": 4399, "open": True}], made
assert subprocess.run(["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:4399/"]).returncode == 0
assert S.tool("port", action="remove", port=4399)["forwards"] == []
assert "no such forward" in S.fails("port", action="remove", port=4399)
assert "'port' is missing" in S.fails("port", action="add")
PY
}

@test "mcp: a branch is made, worked in, compared and dropped, and the project stays as it is" {
    mkdir -p taken
    printf 'host\n' >taken/file
    box run --branch users -- sh -c 'echo b >taken/file'
    client <<'PY'
before = sorted(os.listdir("."))
def rows(result):
    return {b["name"]: (b["state"], b["changed"], b["commits"], b["own"]) for b in result["branches"]}
assert rows(S.tool("branch", action="list"))["users"][1:] == (1, 0, False)
made = S.tool("branch", action="new", name="idea")
assert rows(made)["idea"] == ("running", 0, 0, True), made
assert made["changes"] is None and made["text"] is None, made
# Worked in: by commands, code, in the background and in a folder of it.
assert S.output("echo idea >file; mkdir new; echo n >new/n; pwd", branch="idea", folder="taken").endswith("/shop/taken\n")
assert S.tool("run", branch="idea", language="python", code="open('code', 'w').write('by code')")["status"] == 0
handle = S.tool("run", branch="idea", command="echo late >late; cat taken/file; exec sleep 4341", background=True)["handle"]
assert S.tool("output", handle=handle, wait=30)["output"] == [{"stream": "stdout", "text": "idea\n"}]
assert S.output("cat taken/file") == "host\n" and S.tool("read", path="taken/file")["content"] == "host\n"
assert S.output("git -c user.name=x -c user.email=x@x commit -q --allow-empty -m inside && git log --format=%s", branch="idea") == "inside\n"
assert rows(S.tool("branch", action="list"))["idea"][2] == 1
# Compared.
found = S.tool("branch", action="diff", name="idea")
assert {(c["path"], c["change"]) for c in found["changes"]} >= {("taken/file", "M"), ("taken/new", "A"), ("code", "A"), ("late", "A")}, found
assert found["git"] is True and found["text"] is None and not found["truncated"], found
one = S.tool("branch", action="diff", name="idea", paths=["taken/file"])["changes"]
assert [(c["path"], c["size"], c["doubts"]) for c in one] == [("taken/file", 5, [])], one
patch = S.tool("branch", action="diff", name="idea", paths=["taken/file", "code"], format="patch")
assert "-host\n+idea\n" in patch["text"] and "+by code" in patch["text"] and patch["changes"] is None, patch
assert "taken/file   +1 -1" in S.tool("branch", action="diff", name="idea", format="stat")["text"]
assert S.tool("branch", action="diff", name="idea", max_changes=1)["truncated"]
S.tool("run", branch="idea", command="seq 100000 >many")
cut = S.tool("branch", action="diff", name="idea", paths=["many"], format="patch", max_output=1024)
assert cut["truncated"] and len(cut["text"]) == 1024, len(cut["text"])
assert S.tool("branch", action="diff", name="users", format="patch")["text"].endswith("-host\n+b\n")
# Dropped, with what runs in it.
assert list(rows(S.tool("branch", action="drop", name="idea"))) == ["users"]
while S.answer(S.start("output", handle=handle, wait=30))["result"]["structuredContent"]["running"]:
    pass
assert "no branch 'idea'" in S.fails("branch", action="diff", name="idea")
assert "no branch 'idea'" in S.fails("run", branch="idea", command="true")
assert sorted(os.listdir(".")) == before and open("taken/file").read() == "host\n"
assert subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD"], capture_output=True).returncode != 0
# What is wrong is said.
assert "'name' is missing" in S.fails("branch", action="new")
assert "choose another name" in S.fails("branch", action="new", name="users")
assert "must be of type array of texts" in S.fails("branch", action="diff", name="users", paths=[1])
assert "below the project" in S.fails("branch", action="diff", name="users", paths=["../x"])
PY
    box branch drop --yes users
}

@test "mcp: a call that fails says why, whatever there is to say" {
    client <<'PY'
# Of 1,024 bytes of an error, the last ones may be a part of a character.
for start in "", "x", "xx":
    said = S.fails("run", command="true", folder=start + "/".join(["\u20ac" * 80] * 5))
    assert "cannot change to" in said, said
S.tool("branch", action="new", name="stuck")
assert S.close() == 0
os.environ["CONTAINER_HOST"] = "unix:///nonexistent/podman.sock"
S = Server()
said = S.fails("branch", action="drop", name="stuck")
assert "podman.sock" in said, said
assert S.close() == 0
del os.environ["CONTAINER_HOST"]
S = Server()
S.tool("branch", action="drop", name="stuck")
PY
}

@test "mcp: a snapshot is made, listed and compared" {
    client <<'PY'
assert S.tool("snapshot", action="list") == {"snapshots": [], "changes": None, "truncated": False}
made = S.tool("snapshot", action="create", note="before the change")["snapshots"][0]
assert made["note"] == "box mcp: before the change" and made["parts"] == ["home", "project"], made
only = S.tool("snapshot", action="create", part="project")["snapshots"][0]
assert only["note"] == "box mcp" and only["parts"] == ["project"] and only["number"] == made["number"] + 1, only
assert [s["number"] for s in S.tool("snapshot", action="list")["snapshots"]] == [made["number"], only["number"]]
S.tool("run", command="echo x >since; echo x >~/since-too")
found = S.tool("snapshot", action="diff", number=made["number"])
assert {"part": "project", "path": "since", "change": "A", "kind": "file"} in found["changes"], found
assert {"part": "home", "path": "since-too", "change": "A", "kind": "file"} in found["changes"], found
alone = S.tool("snapshot", action="diff", number=made["number"], part="project")["changes"]
assert {c["part"] for c in alone} == {"project"}, alone
assert S.tool("snapshot", action="diff", number=made["number"], max_changes=1)["truncated"]
assert "has no home" in S.fails("snapshot", action="diff", number=only["number"], part="home")
assert "'number' is missing" in S.fails("snapshot", action="diff")
assert "snapshot" in S.fails("snapshot", action="diff", number=99)
PY
}

@test "mcp: a refused host names the command that would allow it, and other failures do not" {
    new_project "$TEST_HOME/filtered"
    cd "$TEST_HOME/filtered" || return
    printf '%s\n' '[network]' 'mode = "filtered"' 'deny = ["denied.example.invalid"]' >litterbox.toml
    box trust --yes
    client <<'PY'
def problem(command, **more):
    return json.loads(S.fails("run", command=command, **more))["problem"]
text = problem("getent hosts refused.example.invalid")
assert text.startswith("exit status 2; ") and "only the user can allow it: 'box net allow filtered refused.example.invalid'" in text, text
assert problem("exit 3") == "exit status 3"
text = problem("getent hosts denied.example.invalid; exit 3")
assert "only the user can change" in text and "denied.example.invalid (deny denied.example.invalid)" in text and "net allow" not in text, text
text = problem("for i in 1 2 3 4 5; do getent hosts $i.example.invalid; done; exit 3")
assert "'box net allow filtered 1.example.invalid'" in text and "and 2 more" in text, text
# A command that ends well has nothing to explain.
assert S.tool("run", command="getent hosts other.example.invalid; true")["problem"] is None
# In the background.
handle = S.tool("run", command="getent hosts late.example.invalid", background=True)["handle"]
while True:
    result = S.answer(S.start("output", handle=handle, wait=30))["result"]["structuredContent"]
    if not result["running"]:
        break
assert "'box net allow filtered late.example.invalid'" in result["problem"], result
# Where the log is written a moment later, as on a busy machine. Tried again for one that is too busy to tell.
supervisor = int(subprocess.check_output([os.environ["TEST_TOOLS"] + "/lock-holder", os.environ["RUNTIME"] + "/filtered/gate.lock"]))
def is_told(number):
    os.kill(supervisor, signal.SIGSTOP)
    call = S.start("run", command=f"getent hosts stopped{number}.example.invalid; echo >ended{number}; exit 2")
    eventually(lambda: os.path.exists(f"ended{number}"))
    time.sleep(0.25)
    os.kill(supervisor, signal.SIGCONT)
    return f"'box net allow filtered stopped{number}.example.invalid'" in S.answer(call)["result"]["structuredContent"]["problem"]
assert any(is_told(number) for number in range(10))
# A branch has a gate of its own, and the rules of its box.
S.tool("branch", action="new", name="idea")
assert "'box net allow filtered branch.example.invalid'" in problem("getent hosts branch.example.invalid", branch="idea")
S.tool("branch", action="drop", name="idea")
PY
}

@test "mcp: a command that has ended is not forgotten for another one while a call waits for its end" {
    new_project "$TEST_HOME/full"
    cd "$TEST_HOME/full" || return
    printf '%s\n' '[network]' 'mode = "filtered"' >litterbox.toml
    box trust --yes
    client <<'PY'
S.tool("run", command="mkfifo fifo")
for _ in range(15):
    S.tool("run", command="exec sleep 4345", background=True)
handle = S.tool("run", command="read x <fifo; exit 3", background=True)["handle"]
waiting = S.start("output", handle=handle, wait=60)
assert "16 commands" in S.fails("run", command="true", background=True)
S.start("run", command="echo >fifo")
# The answer comes a moment after the end. Until then there is no room.
answers = {}
while waiting not in answers:
    more = S.start("run", command="exec sleep 4346", background=True)
    while more not in answers:
        message = S.receive()
        assert message, "no answer"
        answers[message["id"]] = message["result"]
    assert answers[more]["isError"] or waiting in answers, "forgotten while a call waits for it"
assert answers[waiting]["structuredContent"]["status"] == 3, answers[waiting]
PY
}

@test "mcp: a host that the user was asked about names the answer, and the command" {
    client <<'PY'
call = S.start("run", command="curl -sS https://asked.example.invalid:8443")
questions = lambda: json.loads(subprocess.run(["box", "net", "pending", "--json"], check=True, capture_output=True).stdout)
eventually(questions)
subprocess.run(["box", "net", "deny", questions()[0]["id"]], check=True, capture_output=True)
text = S.answer(call)["result"]["structuredContent"]["problem"]
assert "and the user said no; only the user can allow it: 'box net allow shop asked.example.invalid:8443'" in text, text
PY
}

@test "mcp: at the end of its input the server ends, and all that it runs" {
    client <<'PY'
S.tool("run", command="exec sleep 4324", background=True)
S.start("run", command="touch began; exec sleep 4324")
eventually(lambda: os.path.exists("began"))
PY
    eventually box run -- sh -c "! pgrep -f 'sleep 432[4]'"
}

@test "mcp: a file as standard input is served to its end, and its calls are answered; /dev/null is an empty one" {
    python3 - >requests <<'PY'
from mcp_client import *
for number, tool, arguments in ((1, "run", {"command": "sleep 0.3; echo late"}), (2, "status", {})):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": META}}))
PY
    run --separate-stderr timeout 60 box mcp <requests
    assert_status 0
    [ "$(jq -s -c 'sort_by(.id)[] | [.id, .result.isError]' <<<"$output")" = $'[1,false]\n[2,false]' ] || fail "$output"
    assert_contains 'late'
    run --separate-stderr timeout 60 box mcp </dev/null
    assert_status 0
    assert_output ''
}

@test "mcp: a project that is none is refused" {
    cd /
    run box mcp </dev/null
    [ "$status" != 0 ]
}
