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
calls = [S.start("run", command="until [ -e release ]; do sleep 0.1; done") for _ in range(20)]
answers = [S.receive() for _ in range(4)]
assert all("16 calls" in one["result"]["content"][0]["text"] for one in answers)
open("release", "w").close()
answers += [S.receive() for _ in range(16)]
assert sorted(one["id"] for one in answers) == calls
assert sum("16 calls" in one["result"]["content"][0]["text"] for one in answers) == 4
os.unlink("release")
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

@test "mcp: no branch but one's own is worked in or dropped, and nothing takes or restores (2)" {
    box run --branch users -- sh -c 'echo work >work; echo mine >"$HOME/mine"'
    (cd ../other && box run --branch away -- sh -c 'echo work >work')
    client <<'PY'
def names():
    return sorted(b["name"] for b in S.tool("branch", action="list")["branches"])
def is_whole():
    return subprocess.run(["box", "run", "--branch", "users", "--", "cat", "work"], capture_output=True).stdout == b"work\n"
# The control: one's own is worked in and dropped.
S.tool("branch", action="new", name="own")
assert S.output("echo x >x; cat x", branch="own") == "x\n"
assert names() == ["own", "users"]
for name in ("users", "away", "other.away", "shop.users", "nosuch"):
    S.fails("branch", action="drop", name=name)
    S.fails("run", branch=name, command="rm -f work; touch worked")
assert "is the user's" in S.fails("branch", action="drop", name="users")
assert "is the user's" in S.fails("run", branch="users", command="true", background=True)
# What another server has made is not this one's while that one works there.
other = Server()
assert "another agent works in" in other.fails("branch", action="drop", name="own")
assert "another agent works in" in other.fails("run", branch="own", command="true")
assert other.close() == 0
# Names are no paths, options or other boxes.
for name in ("", ".", "..", "../users", "users/", "/users", "a/b", "-y", "--yes", "--all", "-", "own --yes", "own\n", "own.x", "*", "Own", "x" * 300,
             "$(id)", "\u202eown"):
    for action in ("new", "diff", "drop"):
        S.fails("branch", action=action, name=name)
    S.fails("run", branch=name, command="true")
assert names() == ["own", "users"]
# Nothing of it reaches the project: there are no such actions.
for tool, actions in (("branch", ("take", "refresh", "rename", "gc", "new --isolated", "")), ("snapshot", ("restore", "drop", "auto", "show", "--yes", ""))):
    for action in actions:
        assert "must be one of" in S.fails(tool, action=action, name="own") or "no argument" in S.fails(tool, action=action), action
for more in ({"undo": True}, {"yes": True}, {"commits": True}):
    assert "no argument" in S.fails("branch", action="drop", name="own", **more)
assert not os.path.exists("x") and not os.path.exists("work")
# One that the user has dropped and made anew is the user's.
subprocess.run(["box", "branch", "drop", "--yes", "own"], check=True, capture_output=True)
subprocess.run(["box", "run", "--branch", "own", "--", "sh", "-c", "echo users >work"], check=True, capture_output=True)
assert "is the user's" in S.fails("branch", action="drop", name="own")
assert "is the user's" in S.fails("run", branch="own", command="rm work")
assert [b["own"] for b in S.tool("branch", action="list")["branches"]] == [False, False]
assert is_whole()
assert subprocess.run(["box", "branch", "drop", "--yes", "own"], capture_output=True).returncode == 0
PY
    box branch drop --yes users
    (cd ../other && box branch drop --yes away)
}

@test "mcp: a client that comes back has its own branches, one server at a time, and never what is the user's (2)" {
    client <<'PY'
def own(server):
    return {b["name"]: b["own"] for b in server.tool("branch", action="list")["branches"]}
def box(*words):
    return subprocess.run(["box", *words], capture_output=True, text=True)
def owner(name):
    return [b["owner"] for b in json.loads(box("branch", "list", "--json", ".").stdout) if b["name"] == name]
assert box("run", "--branch", "users", "--", "touch", "work").returncode == 0
earlier = Server()
earlier.tool("branch", action="new", name="idea")
earlier.output("echo early >early", branch="idea")
# While that one is there, its branch is its own; when it is killed, also with a command at work, it is not.
assert "another agent works in" in S.fails("run", branch="idea", command="true")
assert "another agent works in" in S.fails("branch", action="drop", name="idea")
earlier.start("run", branch="idea", command="touch began; exec sleep 4341")
eventually(lambda: "began" in earlier.tool("branch", action="diff", name="idea")["changes"][0]["path"])
os.kill(earlier.pid, signal.SIGKILL)
earlier.process.wait()
earlier.process.stdin.close()
assert own(S) == {"idea": True, "users": False} and owner("idea") == ["mcp"]
# The control: the next server goes on in it, and then holds it as its own.
assert S.output("cat early; echo late >late", branch="idea") == "early\n"
late = Server()
assert "another agent works in" in late.fails("run", branch="idea", command="true")
# The user may work in it all the same; from then on only the user drops it, and the model goes on.
assert box("run", "--branch", "idea", "--", "cat", "late").stdout == "late\n"
assert owner("idea") == ["both"]
assert S.output("cat early", branch="idea") == "early\n"
assert "only the user drops it" in S.fails("branch", action="drop", name="idea")
assert "alone has worked in" in box("branch", "drop", "--mcp", "--yes", "idea").stderr
assert box("branch", "drop", "--mcp", "--yes", "users").returncode != 0
# So is one to which the user has given another name, whoever holds it.
S.tool("branch", action="new", name="kept")
assert box("branch", "rename", "--yes", "kept", "named").returncode == 0
assert S.output("echo x", branch="named") == "x\n"
assert "only the user drops it" in S.fails("branch", action="drop", name="named")
assert "no branch 'kept'" in S.fails("run", branch="kept", command="true")
# What a box writes makes no branch the server's.
assert box("run", "--branch", "users", "--", "sh", "-c", "touch mcp ../mcp; touch \"$HOME/mcp\"").returncode == 0
assert "is the user's" in S.fails("branch", action="drop", name="users")
assert late.close() == 0
for name in "idea", "named", "users":
    assert box("branch", "drop", "--yes", name).returncode == 0
PY
}

@test "mcp: paths of a diff lead out of no project, and a hostile branch's names and files are harmless text (1)" {
    client <<'PY'
S.tool("branch", action="new", name="evil")
S.tool("run", branch="evil", command=r"""
    mkdir -- "$(printf 'a\033]0;t\007b')" "$(printf 'line\nbox: error')" --yes "$(printf '\342\200\256rtl')"
    printf 'x' >"$(printf 'bad\377')"; printf '\033[31mred\033]52;c;eA==\007\n' >file; printf '\0\377' >binary
    ln -s /etc/passwd link; ln -s ../neighbour/secret up; mkfifo fifo""")
found = S.tool("branch", action="diff", name="evil")
assert not any((ord(c) < 32 and c != "\n") or ord(c) == 127 for one in found["changes"] for c in one["path"]), found
assert {"a\ufffd]0;t\ufffdb", "--yes", "line\nbox: error"} <= {c["path"] for c in found["changes"]}, found
assert "link-out" in [c["doubts"] for c in found["changes"] if c["path"] == "link"][0], found
for form in "patch", "stat":
    text = S.tool("branch", action="diff", name="evil", format=form)["text"]
    assert not any(ord(c) < 32 and c not in "\n\t\r" or ord(c) == 127 for c in text), text
    assert "root:" not in text and os.environ["SECRET"] not in text, text
for path in ("..", "../neighbour", "/etc/passwd", "x/../../neighbour", os.path.realpath("../neighbour/secret")):
    assert "below the project" in S.fails("branch", action="diff", name="evil", paths=["file", path])
# What looks like an option is a path, with control.
assert [c["path"] for c in S.tool("branch", action="diff", name="evil", paths=["--yes"])["changes"]] == ["--yes"]
assert S.tool("branch", action="diff", name="evil", paths=["--json", "-p", "--tool=touch"])["changes"] == []
assert "'paths' has more than" in S.fails("branch", action="diff", name="evil", paths=["x"] * 300)
S.tool("branch", action="drop", name="evil")
# A note is a text, not an option.
made = S.tool("snapshot", action="create", part="project", note="--yes\n\u001b]0;t\u0007 --home")["snapshots"][0]
assert made["parts"] == ["project"], made
PY
    run box snapshot list
    refute_contains $'\033'
    assert_contains 'box mcp: --yes'
}

@test "mcp: a branch shows nothing that is hidden by now, with control (1)" {
    client <<'PY'
S.tool("branch", action="new", name="early")
S.tool("run", branch="early", command="echo guess >.env; echo guess >shown")
with open(".env", "w") as hidden, open("shown", "w") as shown:
    hidden.write(os.environ["SECRET"] + "\n")
    shown.write("contents of the host\n")
with open("litterbox.toml", "a") as file:
    file.write('[project]\nhidden = [".env"]\n')
subprocess.run(["box", "trust", "--yes"], check=True, capture_output=True)
text = S.tool("branch", action="diff", name="early", format="patch")["text"]
assert "-contents of the host" in text, text
assert os.environ["SECRET"] not in text and "guess" in text, text
assert os.environ["SECRET"] not in S.tool("branch", action="diff", name="early", paths=[".env"], format="patch")["text"]
S.tool("branch", action="drop", name="early")
PY
    rm .env shown
    trust_file '[box]
idle_stop = "never"'
    box stop
}

@test "mcp: branches and snapshots of one server are limited, also when all are wanted at once (9)" {
    client <<'PY'
def ask(calls):
    numbers = {S.start(tool, **arguments) for tool, arguments in calls}
    answers = []
    while numbers:
        answer = S.receive()
        numbers.discard(answer["id"])
        answers.append(answer["result"])
    return answers
made = ask([("branch", {"action": "new", "name": f"b{n}"}) for n in range(16)])
failed = [one["content"][0]["text"] for one in made if one["isError"]]
assert not failed, failed
assert "16 branches" in S.fails("branch", action="new", name="more")
S.tool("branch", action="drop", name="b3")
S.tool("branch", action="new", name="more")
made = [one for _ in range(3) for one in ask([("snapshot", {"action": "create", "part": "project"})] * 16)]
refused = [one["content"][0]["text"] for one in made if one["isError"]]
assert len(refused) == 16 and all("snapshots were made already" in text for text in refused), refused
for branch in S.tool("branch", action="list")["branches"]:
    S.tool("branch", action="drop", name=branch["name"])
PY
}

@test "mcp: a command of box holds up no other call, and ends when its call is cancelled or the server is killed (9)" {
    LOCK=$RUNTIME/shop.held/lock client <<'PY'
# Held where it waits for the lock of its branch.
def children(server):
    with open(f"/proc/{server.pid}/task/{server.pid}/children") as file:
        return [pid for pid in file.read().split() if b"drop" in open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")]
def waits(server):
    with open("/proc/locks") as file:
        waiting = [line.split()[5] for line in file if "->" in line]
    return [pid for pid in children(server) if pid in waiting]
def held():
    process = subprocess.Popen(["flock", os.environ["LOCK"], "sh", "-c", "echo held; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    return process
def release(process):
    process.stdin.close()
    process.wait()
S.tool("branch", action="new", name="held")
S.output("echo x >x", branch="held")
lock = held()
call = S.begin("tools/call", token="t", name="branch", arguments={"action": "drop", "name": "held"})
told = S.receive()
assert told["method"] == "notifications/progress" and told["params"]["progressToken"] == "t", told
eventually(lambda: waits(S))
child = waits(S)[0]
assert S.output("echo meanwhile") == "meanwhile\n"
S.send(method="notifications/cancelled", params={"requestId": call})
eventually(lambda: not os.path.exists(f"/proc/{child}"))
release(lock)
assert S.output("cat x", branch="held") == "x\n"
S.tool("branch", action="drop", name="held")
# A server that is killed takes it along.
victim = Server()
victim.tool("branch", action="new", name="held")
lock = held()
victim.start("branch", action="drop", name="held")
eventually(lambda: waits(victim))
child = waits(victim)[0]
os.kill(victim.pid, signal.SIGKILL)
victim.process.wait()
eventually(lambda: not os.path.exists(f"/proc/{child}"))
release(lock)
assert [b["name"] for b in S.tool("branch", action="list")["branches"]] == ["held"]
PY
    box branch drop --yes held
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

@test "mcp: output in thousands of pieces costs the host no more than other output (9)" {
    # Each byte comes alone: the program waits until the last one was read.
    cat >pieces.py <<'PY'
import fcntl, os, struct, termios
for i in range(20000):
    os.write(1 + i % 2, b"x")
    while struct.unpack("i", fcntl.ioctl(1 + i % 2, termios.FIONREAD, b"0000"))[0]:
        pass
PY
    client <<'PY'
result = S.tool("run", command="python3 pieces.py", max_output=1 << 20)
assert result["truncated"] and 4000 < len(result["output"]) < 10000, len(result["output"])
PY
}

@test "mcp: answers that a box makes up are no longer than honest ones, or there is no room for them (9)" {
    # In place of litterbox-files it writes to the pipe of the server: the contents of a file, or a match.
    cat >false.py <<'PY'
import os, sys, time
head, data = (word.encode().decode("unicode_escape").encode() for word in sys.argv[1:3])
done = set()
while len(done) < int(sys.argv[3]):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"litterbox-files" not in open(f"/proc/{pid}/cmdline", "rb").read() or pid in done:
                continue
            with open(f"/proc/{pid}/fd/1", "wb") as out:
                out.write(head + data * 7900000 + b"\0")
            done.add(pid)
        except OSError:
            pass
PY
    truncate -s 6G large
    yes x | head -c 31000000 >lines
    client <<'PY'
false = S.start("run", command=r"python3 false.py '1\0001\0001\0000\000' x 1")
S.start("read", path="large", line=2147483647)
answers = {one["id"]: one["result"] for one in (S.receive(), S.receive())}
assert not answers.pop(false)["isError"]
assert "not valid" in str(answers), answers
false = S.start("run", command=r"python3 false.py 'path\0001\000' '\x22' 7")
calls = [S.start("search", path="lines", text="(y|z)+w", regex=True) for _ in range(7)]
# Nobody reads before all have ended.
eventually(lambda: not subprocess.run(["box", "run", "--", "pgrep", "-f", "litterbox-fil[e]s"], capture_output=True).stdout)
answers = {one["id"]: one["result"] for one in (S.receive() for _ in range(8))}
assert sorted(answers) == [false] + calls
refused = [one for one in answers.values() if one["isError"]]
assert refused and all("no room" in one["content"][0]["text"] for one in refused), refused
PY
    rm large lines
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
