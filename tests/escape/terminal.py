"""A terminal that answers queries like xterm, and a shell that runs after the command.

terminal.py [--delay SECONDS | --apart SECONDS] COMMAND…: runs COMMAND on a new pty, answers the queries in its output,
each after that time or so long after the last answer, and then acts as the shell that reads the terminal next: prints "LEAKED: …" with what was typed at
it, or "CLEAN". With --control COMMAND runs without box, to show that the answers do arrive.
"""
import os
import pty
import re
import select
import subprocess
import sys
import time

# Query -> answer of real terminals, including answers with text that a program can choose.
ANSWERS = [
    (rb"\x1b\[>0?c", b"\x1b[>41;354;0c"),
    (rb"\x1b\[=0?c", b"\x1bP!|00000000\x1b\\"),
    (rb"\x1b\[0?c|\x1bZ|\xc2\x9b0?c", b"\x1b[?64;1;2;6;22c"),
    (rb"\x1b\[5n", b"\x1b[0n"),
    (rb"\x1b\[6n|\x1b\x1b\[6n|\x1b\n\[6n|\xc2\x9b6n", b"\x1b[12;40R"),
    (rb"\x1b\[21t", b"\x1b]lrm -rf evil\x1b\\"),
    (rb"\x1b\[18t", b"\x1b[8;24;80t"),
    (rb"\x1b\[>0?q", b"\x1bP>|XTerm(354)\x1b\\"),
    (rb"\x1b\[\?2026\$p", b"\x1b[?2026;2$y"),
    (rb"\x1b\[1;1;1;1;1;1\*y", b"\x1bP1!~EVIL\x1b\\"),
    (rb"\x1b\[\?4m", b"\x1b[>4;0m"),
    (rb"\x1b\[\?1;1;0S", b"\x1b[?1;0;256S"),
    (rb"\x1b\['\|", b"\x1b[0&w"),
    (rb"\x1bP\$qm\x1b\\", b"\x1bP1$r0m\x1b\\"),
    (rb"\x1bP\+q544e\x1b\\", b"\x1bP1+r544e=787465726d\x1b\\"),
    (rb"\x1b\]11;\?(\x07|\x1b\\)", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    (rb"\x1b\]52;c;\?(\x07|\x1b\\)", b"\x1b]52;c;ZXZpbA==\x1b\\"),
    (rb"\x1b\]1337;ReportCellSize(\x07|\x1b\\)", b"\x1b]1337;ReportCellSize=17.0;8.0\x1b\\"),
    (rb"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", b"\x1b_Gi=31;OK\x1b\\"),
    (rb"\x05", b"answer-back evil"),
]
QUESTION = re.compile(b"|".join(b"(?P<q%d>%s)" % (i, q) for i, (q, _) in enumerate(ANSWERS)))


class Terminal:
    def __init__(self, master, delay, apart):
        self.master, self.delay, self.apart = master, delay, apart
        self.seen, self.due, self.shown = b"", [], b""

    def output(self, data):
        self.shown += data
        self.seen += data
        end = 0
        for match in QUESTION.finditer(self.seen):
            self.due.append((time.time() + self.delay, ANSWERS[int(match.lastgroup[1:])][1]))
            end = match.end()
        self.seen = self.seen[end:][-64:]

    def step(self, patience):
        ready, _, _ = select.select([self.master], [], [], patience)
        if ready:
            try:
                data = os.read(self.master, 65536)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self.output(data)
        while self.due and self.due[0][0] <= time.time():
            try:
                sent = os.write(self.master, self.due[0][1])
            except BlockingIOError:  # nobody reads now: it keeps them, as terminals do
                break
            answer = self.due.pop(0)[1][sent:]
            if answer:
                self.due.insert(0, (0, answer))
            elif self.apart and self.due:
                self.due[0] = (time.time() + self.apart, self.due[0][1])
        return True


def shell(control):
    """The child on the pty: runs the command, then reads as a shell would."""
    args = sys.argv[1:]
    if args[0] in ("--delay", "--apart"):
        args = args[2:]
    if args[0] == "--control":
        args = args[1:]
    subprocess.run(["stty", "-echo"], check=False)
    subprocess.run(args, check=False)
    import termios
    import tty
    time.sleep(0)
    tty.setraw(0, termios.TCSANOW)
    typed = b""
    end = time.time() + 0.7
    while time.time() < end:
        if select.select([0], [], [], 0.1)[0]:
            typed += os.read(0, 4096)
    verdict = b"LEAKED: " + repr(typed).encode() if typed else b"CLEAN"
    os.write(1, b"\r\n=== " + verdict + b" ===\r\n")


def main():
    delay = float(sys.argv[2]) if sys.argv[1] in ("--delay", "--apart") else 0.005
    pid, master = pty.fork()
    if pid == 0:
        shell(False)
        os._exit(0)
    os.set_blocking(master, False)
    terminal = Terminal(master, delay, delay if sys.argv[1] == "--apart" else 0)
    end = time.time() + 35
    while time.time() < end and terminal.step(0.005):
        pass
    os.waitpid(pid, 0)
    verdict = re.search(rb"=== (.*) ===", terminal.shown)
    print(verdict.group(1).decode() if verdict else "BROKEN: " + repr(terminal.shown))


main()
