"""What a newcomer types on the first day. Started by first-day, which makes the home and the Podman."""
import os
import re
import sys

from typist import DONE, Typist, play

HOME = os.environ["TEST_HOME"]
BASE, CONFIG = os.environ["BASE"], os.environ["CONFIG"]
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
    you.command("rm litterbox.toml Containerfile && box trust --revoke && box run -- sh -c 'cat ~/kept'", shows="kept")


def image(you):
    """A changed Containerfile is seen, and built"""
    you.command(f"mkdir -p {HOME}/site && cd {HOME}/site && git init -q . && printf 'FROM {BASE}\\nRUN echo one >/etc/motd\\n' >Containerfile")
    you.command("printf '[box]\\ncontainerfile = \"Containerfile\"\\n' >litterbox.toml")
    you.command("box run -- cat /etc/motd", (r"\[y/N\] ", "y"), shows="one")
    you.command("sed -i s/one/two/ Containerfile && box trust --yes && box status", shows="outdated")
    you.command("box apply && box run -- cat /etc/motd", shows="two")
    you.command("box run -u root -- touch /opt/mine && sed -i s/two/three/ Containerfile && box trust --yes")
    you.command("box apply", (r"\[y/N\] ", "n"), status=130, shows=["/opt/mine", "--keep-files"])
    you.command("box apply --keep-files && box run -- ls /opt/mine /etc/motd", shows="/opt/mine")
    you.command(f"cd {HOME}/tool && box upgrade")


def settings(you):
    """What a setting cannot mean is said, with its place"""
    you.command(f"cd {HOME}/tool && printf '[box]\\nenv = {{ PATH = \"/opt:$PATH\" }}\\nimge = 1\\n' >litterbox.toml")
    you.command("box apply", status=78, shows=["litterbox.toml:2:", r"box\.path", "litterbox.toml:3:.*image"])
    you.command("printf '[box]\\npath = [\"~/bin\"]\\n' >litterbox.toml && box trust --yes && box apply --yes")
    you.command("""box run -- sh -c 'mkdir -p ~/bin; printf "#!/bin/sh\\necho mine\\n" >~/bin/mine; chmod +x ~/bin/mine'""")
    you.command("box run -- mine && rm litterbox.toml", shows="mine")


def left_running(you):
    """What is left running keeps the box running, and is named"""
    you.command(f"cd {HOME}/shop && box run -- tmux new-session -d 'sleep 1000'", shows="keeps running for: tmux")
    you.command("box status", shows=r"kept by +tmux")
    you.command("box run -- tmux kill-server")
    you.command("while box status | grep 'kept by'; do sleep 0.1; done")  # tmux ends its programs after it answered
    you.command("box run -- true", lacks="keeps running")


def closed_window(you):
    """A terminal that is closed ends what ran on it"""
    you.command(f"cd {HOME}/shop && box stop && box start")
    window = Typist(you.environment)
    window.command(f"cd {HOME}/shop")
    window.type("""box run -- sh -c 'trap "" HUP; echo ready; while :; do sleep 0.1; done'""")
    window.wait_for(re.compile(b"ready"))
    you.command("box status", shows=r"sessions +1")
    window.close()
    you.command("until box status | grep -q 'sessions  *0'; do sleep 0.1; done")


def agent(you):
    """Without a display the terminal that waits for a signature says what is asked"""
    you.command("eval $(ssh-agent) && ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id && ssh-add -q ~/.ssh/id")
    you.command(f"cd {HOME}/shop && box keys list; box keys attach \"$(ssh-add -l | cut -d' ' -f2)\" && box restart")
    you.command("box run -- ssh-add -L >key.pub; echo hello >text")
    you.type("box run -- ssh-keygen -Y sign -f key.pub -n git text; echo signed $?")
    you.wait_for(re.compile(b"box consent approve ([0-9]+)"))
    other = Typist(you.environment)
    other.command("box consent pending", shows=r"Sign a git object")
    other.command("box consent approve 1", (r"\[y/N\] ", "y"))
    other.close()
    you.wait_for(re.compile(b"signed 0"))
    you.wait_for(DONE)
    you.command("rm -f key.pub text text.sig; kill $SSH_AGENT_PID")


def isolation(you):
    """What is in a box reaches the project, and nothing else of yours"""
    you.command(f"cd {HOME}/shop", quiet=True)
    you.typescript = ""
    you.command("ls ~/.ssh", shows="^id")
    you.command("box run -- cat ~/.ssh/id", status=1, shows="No such file")
    you.command("box run -- sh -c 'echo evil >.git/hooks/post-checkout'", status=2, shows="Read-only file system")
    you.command("box run -- grep -E 'CapBnd|NoNewPrivs' /proc/self/status", shows=[r"(?m)CapBnd:\s+0+$", r"NoNewPrivs:\s+1"])
    you.command("box run -- python3 -c 'print(6 * 7)' >answer && cat answer", shows="42")
    you.command("rm answer && box status", shows="running")


def branches(you):
    """What was done on a branch is looked at, and taken or not"""
    you.command(f"cd {HOME}/shop && printf 'tea = 10\\ncoffee = 12\\n' >prices", quiet=True)
    you.command("printf '#!/bin/sh\\nsed -i s/10/9/ prices; mkdir .vscode; echo {} >.vscode/tasks.json\\n' >agent", quiet=True)
    you.command("chmod +x agent && box run --branch sale -- true", quiet=True)
    you.typescript = ""
    you.command("box run --branch sale -- ./agent", shows=["1 added, 1 changed", r"left there +\.vscode"])
    you.command("grep tea prices", shows="tea = 10")
    you.command("box branch diff -p sale", shows=[r"-tea = 10", r"\+tea = 9", r"\.vscode/tasks\.json"])
    you.command("box branch take sale", (r"\[y/N\] ", "y"), shows="2 left out")
    you.command("grep tea prices; ls -A", shows="tea = 9", lacks="vscode")
    you.command("box branch drop --yes sale && rm prices agent", quiet=True)


def times(you):
    """Times are local for people and UTC for programs; a table of what boxes use"""
    you.command(f"cd {HOME}/shop && box run -- true; TZ=XYZ-5 box status", shows=r"started +\S+ \S+ XYZ")
    you.command("box status --json", shows=r'"started": "[^"]+Z"')
    you.command("box stats", shows=r"NAME +CPU +MEMORY")


def completion(you):
    """Tab knows each operand"""
    you.type("stty echo; PS1='tab> ' bash --norc --noprofile -i")
    you.wait_for(re.compile(b"tab> "))
    you.type("source <(box completion bash)")
    you.wait_for(re.compile(b"tab> "))
    you.press("box image boots\t")
    you.wait_for(re.compile(b"box image bootstrap "))
    you.press("debian:bo\t")
    you.wait_for(re.compile(b"debian:bookworm"))
    you.press("\x15exit\r")  # ^U: nothing of the line is run
    you.wait_for(DONE)
    you.command("stty -echo", quiet=True)


def network(you):
    """A box that has lost its network says so"""
    you.command(f"mkdir -p {CONFIG}/boxes && printf '[network]\\nmode = \"open\"\\n' >{CONFIG}/boxes/shop.toml")
    you.command(f"cd {HOME}/shop && box apply --yes --keep-files && box run -- true", lacks="lost")
    you.command("kill -KILL $(pgrep -x 'slirp4netns|pasta.*' | tail -n 1)")
    you.command("until box status | grep '^network *lost'; do sleep 0.1; done")
    you.command("box run -- true", shows="has lost its network.*box restart")
    you.command("box restart && box status", lacks="network +lost")


def git(you):
    """Git in a box knows who commits and which hosts there are, and everyday configuration goes through"""
    you.command("git config --global user.name 'New Comer' && git config --global user.email new@example.org")
    you.command(f"cd {HOME}/shop && box restart && box run -- git add README && box run -- git commit -qm 'The shop opens'")
    you.command("git log --format='%an <%ae> %s'", shows="New Comer <new@example.org> The shop opens")
    you.command("git init -q --bare ../shop.git && cp -r ../shop.git . && box run -- git remote add origin ./shop.git")
    you.command("box run -- git push -q -u origin main && box run -- git branch -m trunk")
    you.command("box run -- git checkout -q --track origin/main && git branch -vv", shows=["trunk", r"main .*\[origin/main\]"])
    you.command("box run -- ssh-keygen -F github.com -f /etc/ssh/ssh_known_hosts2", shows="ssh-ed25519")
    you.command("rm -rf shop.git && git status --short", lacks=".")


def own_shell(you):
    """A shell in a box looks like one's own, with the box's name in its prompt"""
    you.command("mkdir -p ~/dotfiles && echo \"alias hi='echo hi from my dotfiles'\" >~/dotfiles/.bash_aliases")
    you.command(f"mkdir -p {CONFIG} && printf '[home]\\ndotfiles = \"~/dotfiles\"\\n' >{CONFIG}/config.toml")
    you.command(f"mkdir -p {HOME}/desk && cd {HOME}/desk && git init -q .")
    you.command("box enter", (r"desk\S*\$ $", "hi; alias ls; echo done"),
                (r"\ndone\r\n", "exit"), shows=["hi from my dotfiles", "alias ls='ls --color=auto'"])


def words(you):
    """Words of other tools work, or say what it is called here"""
    you.command(f"cd {HOME}/shop && box", shows=["shop", "running", "box enter"])
    you.command("box ps -a && box list -q && box version && box exec shop echo hi", shows=["shop +running", "(?m)^hi$"])
    you.command("box create", status=64, shows="box init.*box enter")
    you.command("box stopp", status=64, shows="box stop")
    you.command("box list --runing", status=64, shows="--running")
    you.command("box top", shows=r"PID +USER +CPU")
    you.command("echo text >/tmp/copied && box cp /tmp/copied shop: && box run -- cat ~/copied && rm /tmp/copied", shows="text")
    you.command("box rename shop boutique && box list", shows="boutique +running")
    you.command("box run -- sh -c 'cat ~/kept' && box rename boutique shop", shows="kept")


def filtered(you):
    """A filtered network reaches what was allowed, and says what would allow more"""
    you.command(f"mkdir -p {HOME}/net && cd {HOME}/net && git init -q . && printf '[network]\\nmode = \"filtered\"\\n' >litterbox.toml")
    you.command("box trust --yes && box run -- true && box net why example.org", status=1, shows="box net allow example.org")
    you.command("box run -- getent hosts example.org", status=2)
    you.command("box net allow example.org && box net why example.org && box net rules", shows="example.org.*allowed|allowed")
    you.command("box run -- getent hosts example.org", shows="198.18.")


def the_end(you):
    """What was made is listed, and goes again"""
    you.command(f"cd {HOME}/shop && box run --detach -- sleep 1000")
    you.command("box rm", (r"\[y/N\] ", "n"), status=130, shows="session")
    you.command("box prune -n")
    you.command("box uninstall -n", shows=["shop", "tool"])
    you.command("box uninstall --yes --homes", status=None)
    you.command("box list", shows="no boxes yet")


CHAPTERS = [plain_folder, repository, terminal, nothing_lost, image, settings, left_running, closed_window, agent, isolation, branches,
            times, completion, network, git, own_shell, words, filtered, the_end]


def main():
    environment = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8")
    for name in ("CI", "NO_COLOR"):
        environment.pop(name, None)
    failed = play(CHAPTERS, environment)
    print(f"\n{len(CHAPTERS) - failed} of {len(CHAPTERS)} chapters went as a newcomer expects")
    sys.exit(failed > 0)


main()
