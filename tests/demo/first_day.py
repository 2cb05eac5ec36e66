"""What a newcomer types on the first day. Started by first-day, which makes the home and the Podman."""
import os
import sys

from typist import play

HOME = os.environ["TEST_HOME"]
PROMPT = r"\$ $"


def plain_folder(you):
    """A folder becomes a project by a yes, and never by a slip"""
    you.command(f"mkdir -p {HOME}/tool && cd {HOME}/tool && echo 'print(6 * 7)' >answer.py")
    you.command("box run -- ls", (r"\[y/N\] ", "n"), status=130, shows="1 entry", lacks="answer.py\n")
    you.command("box list", shows="no boxes yet")
    you.command("box run -- ls", (r"\[y/N\] ", "y"), shows="answer.py")
    you.command("cd /tmp && box run -- pwd", status=64, shows="system folder")
    you.command("mkdir -p ~/.ssh && cd ~/.ssh && box run -- ls", status=64, shows=r"lies in '\.ssh'")


def repository(you):
    """A repository gets a box by entering it"""
    you.command(f"mkdir -p {HOME}/shop && cd {HOME}/shop && git init -q -b main . && echo hello >README")
    you.command("box enter", (PROMPT, "pwd; echo $((40 + 2))"), (r"42\r\n.*" + PROMPT, "exit"), shows=f"{HOME}/shop")
    you.command("box list", shows=r"shop +running")
    you.command("box status", shows="running")


def terminal(you):
    """A command on a terminal has one"""
    you.command(f"cd {HOME}/shop && box run -- python3 -q", (">>> ", "print(6 * 7)"), ("42", "exit()"), shows="42")
    you.command("box run -- stty size", shows="30 100")
    you.command("box run -- sh -c 'test -t 1 || echo piped' | cat", shows="piped")
    you.command("box run -- sh -c 'echo out; echo err >&2' 2>/dev/null", shows="out", lacks="err")


def nothing_lost(you):
    """A box that cannot be made anew stays as it is"""
    you.command(f"cd {HOME}/shop && box run -- sh -c 'echo kept >~/kept'")
    you.command("printf '[box]\\ncontainerfile = \"Containerfile\"\\n' >litterbox.toml; echo 'FROM nowhere' >Containerfile")
    you.command("box trust --yes && box apply --yes", status=125)
    you.command("rm litterbox.toml Containerfile && box run -- sh -c 'cat ~/kept'", shows="kept")


def git(you):
    """Git in a box knows who commits, and everyday configuration goes through"""
    you.command("git config --global user.name 'New Comer' && git config --global user.email new@example.org")
    you.command(f"cd {HOME}/shop && box restart && box run -- git add README && box run -- git commit -qm 'The shop opens'")
    you.command("git log --format='%an <%ae> %s'", shows="New Comer <new@example.org> The shop opens")
    you.command("box run -- git remote add origin https://example.org/shop.git && box run -- git branch -m trunk")
    you.command("git remote -v && git branch", shows=["example.org/shop.git", "trunk"])


def the_end(you):
    """What was made is listed, and goes again"""
    you.command(f"cd {HOME}/shop && box run --detach -- sleep 1000")
    you.command("box rm", (r"\[y/N\] ", "n"), status=130, shows="session")
    you.command("box prune -n")
    you.command("box uninstall -n", shows=["shop", "tool"])
    you.command("box uninstall --yes --homes", status=None)
    you.command("box list", shows="no boxes yet")


CHAPTERS = [plain_folder, repository, terminal, nothing_lost, git, the_end]


def main():
    environment = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8")
    for name in ("CI", "NO_COLOR"):
        environment.pop(name, None)
    failed = play(CHAPTERS, environment)
    print(f"\n{len(CHAPTERS) - failed} of {len(CHAPTERS)} chapters went as a newcomer expects")
    sys.exit(failed > 0)


main()
