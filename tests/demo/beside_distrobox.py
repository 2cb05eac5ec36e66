"""Tasks of every day, with Litterbox and with distrobox. Started by beside-distrobox, which makes the home and the Podman.

Both columns of a task are judged by the same list of results: the first whose regular expression is in what was seen.
Nothing found, or a command that hangs, is a failure, whichever tool it is.
"""
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

import typist
from typist import DONE, SEQUENCE, Typist, Unexpected, readable

HOME, DATA, BASE = os.environ["TEST_HOME"], os.environ["DATA"], os.environ["BASE"]
PROMPT = r"\$ "
ENTER = "distrobox enter shop -- "
ERASE = "\x15"
FIRST, LATER = 150, 40  # seconds: the first start of a distrobox installs packages


@dataclass
class Do:
    """What is typed. KEYS: pairs of what is waited for, and pressed. BEFORE and CHECK are neither shown nor timed."""
    typed: str
    keys: list = field(default_factory=list)
    before: str = ""
    check: str = ""
    shown: str = ""


@dataclass
class Task:
    title: str
    results: dict
    box: Do
    other: Do | None


def answer(seen):
    """The result of a command that shows SEEN, and of one that ends with 0."""
    return {"works": seen}


OK = answer(r"\[status 0\]")
SHELL = [(PROMPT, "pwd; echo $((40 + 2))\r"), (r"shop\r\n42\r\n.*" + PROMPT, "exit\r")]
REACH = {"readable": r"PRIVATE", "not there": "No such file"}
SITE = "printf 'FROM %s\\nRUN echo %s >/etc/motd\\n' >Containerfile"
SIGN = "ssh-keygen -Y sign -f key.pub -n git text"
ENTRY = r"printf '[Desktop Entry]\nType=Application\nName=notes\nExec=/usr/bin/true\n'"
SERVER = "python3 -m http.server"
# What an image for distrobox is made from, as its manual says, so that only the first start installs packages.
READY = "docker.io/library/ready:latest"
PREPARE = f"env -u CONTAINER_HOST podman commit -q shop {READY} >/dev/null"


def create(name, image=READY, more=""):
    return f"distrobox create --yes --image {image} --name {name}{more} && distrobox enter {name} -- true"


BEGIN = [
    Task("a first shell in a project", answer(r"shop\n42"), Do("box enter", SHELL),
         Do(f'distrobox create --yes --image debian:bookworm --name shop --additional-packages "git nano tmux openssh-client"'
            " && distrobox enter shop", SHELL)),
    Task("a second shell", answer(r"shop\n42"), Do("box enter", SHELL), Do("distrobox enter shop", SHELL)),
    Task("run one command", answer(r"(?m)^42$"), Do("box run -- expr 6 '*' 7"), Do(ENTER + "expr 6 '*' 7")),
    Task("a command has the terminal's size", answer("30 100"), Do("box run -- stty size"), Do(ENTER + "stty size")),
    Task("pipes, in and out", answer(r"(?m)^3$"), Do("seq 3 | box run -- cat | wc -l"), Do("seq 3 | distrobox enter -T shop -- cat | wc -l")),
    Task("the exit status", answer(r"\[status 7\]"), Do("box run -- sh -c 'exit 7'"), Do(ENTER + "sh -c 'exit 7'")),
    Task("Ctrl-C ends a command", answer(r"\[status 130\]"), Do("box run -- tail -f README", [("hello", "\x03")]),
         Do(ENTER + "tail -f README", [("hello", "\x03")])),
    Task("from a subfolder", answer("shop/src"), Do("box run -- pwd", before="mkdir src; cd src"), Do(ENTER + "pwd", before="mkdir src; cd src")),
    Task("root, in the box", answer(r"(?m)^0$"), Do("box run --user root -- id -u"), Do(ENTER + "sudo id -u")),
    Task("an editor", OK, Do("EDITOR=nano box edit README", [("hello", "\x18")]), Do(ENTER + "nano README", [("hello", "\x18")])),
    Task("git commit, with your name", answer("New Comer"), Do("box run -- git commit -qam one", check="git log --format=%an"),
         Do(ENTER + "git commit -qam one", check="git log --format=%an")),
    Task("git push to a bare repository in the project", answer("main"), Do("box run -- git push -q -u forge main", check="git branch -r"),
         Do(ENTER + "git push -q -u forge main", check="git branch -r")),
]

ISOLATION = [
    Task("your SSH key, read from inside", REACH, Do(f"box run -- cat {os.environ['HOME']}/.ssh/id"), Do(ENTER + "cat ~/.ssh/id")),
    Task("a file of another project", REACH, Do(f"box run -- cat {HOME}/other/secret"), Do(ENTER + f"cat {HOME}/other/secret")),
    Task("the SSH agent signs", {"asks first": "(?s)Sign a git object.*U1NIU0lH", "without asking": r"U1NIU0lH"},
         Do(f"(box run -- {SIGN} &); until box consent pending | tee pending | grep Sign; do sleep 0.05; done; box consent approve 1",
            [(r"\[y/N\] ", "y\r")], shown=f"box run -- {SIGN}; box consent approve 1",
            before="box keys attach \"$(ssh-add -l | cut -d' ' -f2)\" && box restart; ssh-add -L >key.pub; echo hello >text",
            check="until test -s text.sig; do sleep 0.05; done; cat pending text.sig"),
         Do(ENTER + SIGN, before="ssh-add -L >key.pub; echo hello >text", check="cat text.sig")),
    Task("a box for one command, which is gone then", answer(r"(?m)^42$"), Do("box run --ephemeral -- expr 40 + 2"),
         Do(f"distrobox ephemeral --yes --image {READY} -- expr 40 + 2", before=PREPARE)),
    Task("a box without network", {"off": r"(?m)^lo$"}, Do("printf '[network]\\nmode = \"none\"\\n' >litterbox.toml; box trust --yes; box apply --yes",
         check="box run -- ls /sys/class/net; rm litterbox.toml; box trust --revoke; box apply --yes"),
         Do(create("dark", more=' --unshare-netns --additional-flags "--network none"'), before=PREPARE,
            check="distrobox enter dark -- awk -F: 'NR > 2 { print $1 }' /proc/net/dev | tr -d ' '; distrobox rm --force dark")),
]

LIFE = [
    Task("a server in the box, from your browser", answer("Directory listing"), Do("box port add 8123; curl -sS 127.0.0.1:8123/",
         before=f"box run -d -- {SERVER} 8123; until box run -- curl -s 127.0.0.1:8123 >/dev/null; do sleep 0.1; done"),
         Do("curl -sS 127.0.0.1:8124/", before=f"distrobox enter -T shop -- {SERVER} 8124 >/dev/null 2>&1 & "
            "until curl -s 127.0.0.1:8124 >/dev/null; do sleep 0.1; done")),
    Task("tmux goes on after the shell has ended", answer("sleep 8765"), Do("box run -- tmux new-session -d 'sleep 8765'", check="pgrep -fax 'sleep 8765'"),
         Do(ENTER + "tmux new-session -d 'sleep 8766'", check="pgrep -fax 'sleep 8766' | sed s/6$/5/")),
    Task("list", answer(r"shop.*([Rr]unning|Up)"), Do("box list"), Do("distrobox list")),
    Task("JSON for scripts", answer(r'(?m)^"shop"'), Do("box list --json | jq '.[].name'", shown="box list --json"), None),
    Task("status: state, sessions, what has changed", answer("running"), Do("box status"), None),
    Task("processes", {"the box's alone": r"(?m)^0$", "the whole machine's": r"(?m)^[1-9]\d*$"},
         Do("box top | tee /tmp/top", check="grep -c 'system service' /tmp/top", shown="box top"),
         Do(ENTER + "ps -ef | tee /tmp/top", check="grep -c 'system service' /tmp/top", shown=ENTER + "ps -ef")),
    Task("CPU and memory of each box", answer("NAME +CPU +MEMORY"), Do("box stats"), None),
    Task("the output of what runs detached", answer("GET /"), Do("box logs"), None),
    Task("a file into the box's home", answer("carried"), Do("box cp note :note", before="echo carried >note", check="box run -- sh -c 'cat ~/note'"),
         Do("cp note ~/note", before="echo carried >note", check=ENTER + "sh -c 'cat ~/note'")),
    Task("your time zone", answer("JST"), Do("TZ=Asia/Tokyo box run -- date +%Z"), Do(f"TZ=Asia/Tokyo {ENTER}date +%Z")),
    Task("a command of the box, as one of yours", answer("(?m)^shop$"), Do("box shim add printenv", check=f"{DATA}/shims/printenv LITTERBOX_BOX"),
         Do(ENTER + "distrobox-export --bin /usr/bin/printenv --export-path ~/.local/bin", before="mkdir -p ~/.local/bin", check="~/.local/bin/printenv CONTAINER_ID")),
    Task("a program of the box in your menu", answer(r"Exec=.*(box|distrobox)"), Do("box app export notes",
         before=f"box run -- sh -c \"mkdir -p ~/.local/share/applications; {ENTRY} >~/.local/share/applications/notes.desktop\"",
         check="cat ~/.local/share/applications/litterbox*notes.desktop"),
         Do(ENTER + "distrobox-export --app notes", before=f"{ENTER}sudo sh -c \"{ENTRY} >/usr/share/applications/notes.desktop\"",
            check="cat ~/.local/share/applications/shop-notes.desktop")),
    Task("stop one that has programs running", answer(r"shop.*(stopped|Exited)"), Do("box stop", check="box list"),
         Do("distrobox stop --yes shop", check="distrobox list")),
    Task("use one that is stopped", answer(r"(?m)^42$"), Do("box run -- expr 6 '*' 7"), Do(ENTER + "expr 6 '*' 7")),
    Task("a second box, for another project", answer(r"(?m)^42$"), Do("box run -- expr 6 '*' 7", before=f"cd {HOME}/other"),
         Do(create("other"), before=f"cd {HOME}/other", check="distrobox enter other -- expr 6 '*' 7")),
    Task("rename it", answer("(?m)^back"), Do("box rename other back --yes", check="box list", before=f"cd {HOME}/other"),
         Do("distrobox stop --yes other && distrobox create --yes --clone other --name back && distrobox rm --force other",
            check="distrobox list | cut -d'|' -f2 | tr -d ' '")),
]

IMAGES = [
    Task("install a package that stays", answer("Hello, world"), Do("printf '[box]\\nimage = \"debian:bookworm\"\\npackages = [\"hello\"]\\n' >litterbox.toml; "
         "box trust --yes; box apply --yes", before=f"cd {HOME}/other", check="box restart && box run -- hello"),
         Do(ENTER + "sudo apt-get install -y hello", check=f"distrobox stop --yes shop && {ENTER}hello")),
    Task("a box from a Containerfile", answer("one"), Do("box run -- cat /etc/motd", [(r"\[y/N\] ", "y\r")],
         before=f"cd {HOME}/site && {SITE % (BASE, 'one')}; printf '[box]\\ncontainerfile = \"Containerfile\"\\n' >litterbox.toml"),
         Do("podman build -q -t site . && " + create("site", "localhost/site"), before=f"cd {HOME}/site && {SITE % (READY, 'one')}",
            check="distrobox enter site -- cat /etc/motd")),
    Task("recreate it after a change of the Containerfile", answer("two"), Do("box trust --yes; box apply --yes",
         before=f"cd {HOME}/site; sed -i s/one/two/ Containerfile", check="box run -- cat /etc/motd"),
         Do("podman build -q -t site . && distrobox rm --force site && " + create("site", "localhost/site"),
            before=f"cd {HOME}/site; sed -i s/one/two/ Containerfile", check="distrobox enter site -- cat /etc/motd")),
    Task("upgrade", OK, Do("box upgrade --yes", before=f"cd {HOME}/site"), Do("distrobox upgrade site")),
    Task("a Containerfile that does not build", {"the old box stays": "two"}, Do("box trust --yes; box apply --yes",
         before=f"cd {HOME}/site; echo RUN false >>Containerfile", check="box run -- cat /etc/motd; rm litterbox.toml; box trust --revoke"),
         Do("podman build -q -t site . && distrobox rm --force site && " + create("site", "localhost/site"),
            before=f"cd {HOME}/site; echo RUN false >>Containerfile", check="distrobox enter site -- cat /etc/motd")),
]

WORDS = [
    Task("a command misspelt", {"names the right one": "did you mean", "prints all commands": "(?i)usage|invalid"}, Do("box strat"), Do("distrobox strat")),
    Task("help of a command", answer("(?i)usage"), Do("box rm --help"), Do("distrobox rm --help")),
    Task("Tab completes a command", answer("completion|ephemeral"), Do("box comple<Tab>", [], before="source <(box completion bash)"),
         Do("distrobox ephem<Tab>", before="source /usr/share/bash-completion/completions/distrobox")),
    Task("remove a box", answer("(?m)^gone"), Do("box rm --yes", before=f"cd {HOME}/site", check="box list | grep site || echo gone"),
         Do("distrobox rm --force site", check="distrobox list | grep site || echo gone")),
    Task("remove all", answer("(?m)^gone"), Do("box uninstall --yes --homes", check="box list 2>&1 | grep -E 'shop|back' || echo gone"),
         Do("distrobox rm --all --force", check="distrobox list | grep -E 'shop|back' || echo gone")),
]
TASKS = BEGIN + ISOLATION + LIFE + IMAGES + WORDS


def complete(you, do):
    """What the shell makes of a word and Tab."""
    you.type("stty echo; PS1='tab> ' bash --norc --noprofile -i")
    for line in ("source /usr/share/bash-completion/bash_completion", do.before, ""):
        you.wait_for(re.compile(b"tab> "))
        you.type(line)
    you.wait_for(re.compile(b"tab> "))
    began = time.monotonic()
    you.press(do.typed.replace("<Tab>", "\t"))
    seen, _ = you.wait_for(re.compile(rb"(completion|ephemeral) "))
    spent = time.monotonic() - began
    for key in (ERASE, "\x04"):
        you.press(key)
    you.wait_for(DONE)
    text = SEQUENCE.sub("", seen.decode(errors="replace"))
    print(f"{text}\n   [{spent:.2f} s]", flush=True)
    return text, spent


def play(you, do):
    """What was seen, with the status, and the seconds that it took."""
    if "<Tab>" in do.typed:
        return complete(you, do)
    if do.before:
        you.command(do.before, status=None, quiet=True)
    print(f"\n$ {do.typed}", flush=True)
    began = time.monotonic()
    you.type(do.typed)
    seen = b""
    for awaited, keys in do.keys:
        part, _ = you.wait_for(re.compile(awaited.encode(), re.S))
        seen += part
        you.press(keys)
    part, match = you.wait_for(DONE)
    spent = time.monotonic() - began
    text = f"{readable(seen + part[:match.start()])}\n[status {match.group(1).decode()}]"
    if do.check:
        print(f"{text}\n   then:", flush=True)
        text = you.command(do.check, status=None, quiet=True)
    print(f"{text}\n   [{spent:.2f} s]", flush=True)
    return text, spent


def column(task, do, folder, environment):
    """The cells of one tool; whether it did what it was asked."""
    if not do:
        return "- | | ", True
    you, result, spent = Typist(environment), None, 0
    try:
        you.command(f"cd {folder}", quiet=True)
        typist.LIMIT = FIRST if task is TASKS[0] else LATER
        text, spent = play(you, do)
        result = next((name for name, pattern in task.results.items() if re.search(pattern, text)), None)
    except Unexpected as problem:
        print(problem)
    you.close()
    shown = (do.shown or do.typed).replace("|", "\\|").replace(HOME, "~").replace(os.environ["HOME"], "~")
    return f"`{shown}` | {spent:.2f} | {result or 'FAILED'}", result is not None


def prepare(folder):
    subprocess.run(["bash", "-euc", f"mkdir -p {folder} && cd {folder} && git init -q -b main . && echo hello >README && git add README"
                    " && git init -q --bare forge.git && git remote add forge ./forge.git"], check=True)


def main():
    environment = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8")
    for name in ("CI", "NO_COLOR"):
        environment.pop(name, None)
    folders = [f"{HOME}/ours/shop", f"{HOME}/theirs/shop"]
    for folder in folders + [f"{HOME}/other", f"{HOME}/site"]:
        prepare(folder)
    with open(f"{HOME}/other/secret", "w") as secret:
        secret.write("PRIVATE\n")
    rows, failed = [], 0
    only = os.environ.get("ONLY", "")
    for task in TASKS:
        if only and not re.search(only, task.title):
            continue
        print(f"\n== {task.title}", flush=True)
        cells = [column(task, do, folder, environment) for do, folder in zip((task.box, task.other), folders)]
        failed += sum(not fine for _, fine in cells)
        rows.append(f"| {task.title} | " + " | ".join(cell for cell, _ in cells) + " |")
    print("\n| task | Litterbox | s | result | distrobox | s | result |\n| --- | --- | ---: | --- | --- | ---: | --- |")
    print("\n".join(rows))
    print(f"\n{failed} of {2 * len(rows)} failed")
    sys.exit(failed > 0)


main()
