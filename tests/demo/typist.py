"""A person at a terminal, for demos: types commands into a real shell on a pseudo terminal and looks at
what comes.

The shell's prompt marks the end of each command with its exit status (OSC 133), as terminals' shell
integration does. Every command, what was seen and how long it took are printed as they happen.
"""
import base64
import os
import pty
import re
import select
import struct
import termios
import fcntl
import time

ROWS, COLUMNS = 30, 100
LIMIT = 60
DONE = re.compile(rb"\x1b\]133;D;(\d+)\x07\$ ")
SEQUENCE = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[?][0-9;?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b.")


class Unexpected(Exception):
    """What was seen is not what a newcomer should see."""


def readable(data):
    """The text without sequences; of lines that were drawn over, what stayed."""
    text = SEQUENCE.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    return "\n".join(line.rsplit("\r", 1)[-1].rstrip() for line in text.split("\n")).strip("\n")


class Typist:
    def __init__(self, environment):
        self.environment = environment
        self.typescript = ""
        self.rest = b""  # what came after the last thing that was waited for
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.began = time.monotonic()
        # --noediting: the shell does not draw the line that is typed; the terminal shows it.
        self.type(r"""PS1='\[\e]133;D;$?\a\]$ ' PS2= HISTFILE=""")
        self.wait_for(DONE)
        # The first prompt may have come before the second one, which has our mark.
        self.command("stty -echo", quiet=True)

    def press(self, keys):
        os.write(self.master, keys.encode())

    def type(self, text):
        self.press(text + "\r")

    def wait_for(self, pattern, what=None):
        """What came up to PATTERN (compiled, bytes) and its match."""
        seen = self.rest
        end = time.monotonic() + LIMIT
        while not (match := pattern.search(seen)):
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            try:
                data = os.read(self.master, 65536) if ready else b""
            except OSError:
                data = b""
            if not data:
                what = what or f"'{pattern.pattern.decode()}'"
                raise Unexpected(f"{what} did not come in {LIMIT} s:\n{readable(seen)}")
            seen += data
        self.rest = seen[match.end():]
        return seen[:match.end()], match

    def command(self, words, *dialog, status=0, shows=(), lacks=(), quiet=False):
        """
        Types WORDS. DIALOG: pairs of what is waited for (a regular expression) and what is typed
        then. STATUS: the exit status that is expected (None: any). SHOWS, LACKS: regular expressions.
        Returns the readable output.
        """
        began = time.monotonic()
        if not quiet:
            print(f"\n$ {words}", flush=True)
        self.type(words)
        seen = shown = b""
        for awaited, typed in dialog:
            part, match = self.wait_for(re.compile(awaited.encode()), f"'{awaited}'")
            # What came after it belongs to what follows.
            seen += part
            shown += part + typed.encode() + b"\n"  # which the terminal does not echo here
            self.type(typed)
        part, match = self.wait_for(DONE)
        seen += part[:match.start()]
        shown += part[:match.start()]
        text = readable(seen)
        if not quiet:
            self.typescript += f"{self.picture_prompt()}{words}\n" + shown.decode(errors="replace").replace("\r\n", "\n")
        spent = time.monotonic() - began
        if not quiet:
            print(f"{text}\n   [{spent:.2f} s, status {match.group(1).decode()}]", flush=True)
        if status is not None and int(match.group(1)) != status:
            raise Unexpected(f"'{words}' ended with {match.group(1).decode()}, not {status}")
        for pattern in [shows] if isinstance(shows, str) else shows:
            if not re.search(pattern, text):
                raise Unexpected(f"'{words}' does not show '{pattern}'")
        for pattern in [lacks] if isinstance(lacks, str) else lacks:
            if re.search(pattern, text):
                raise Unexpected(f"'{words}' shows '{pattern}'")
        return text

    def picture_prompt(self):
        """As an ordinary shell's; the one of this terminal marks the ends of commands alone."""
        return "\x1b[1;32mdev@laptop\x1b[0m:\x1b[1;34m~/shop\x1b[0m$ "

    def close(self):
        """Closes the terminal, which ends what runs on it."""
        os.close(self.master)
        os.waitpid(self.pid, 0)


def play(chapters, environment):
    """Runs each chapter, a function whose first line of documentation says what it shows. The number of failures."""
    failed = 0
    for chapter in chapters:
        title = chapter.__doc__.splitlines()[0]
        print(f"\n== {title}", flush=True)
        typist = Typist(environment)
        try:
            chapter(typist)
        except Unexpected as problem:
            failed += 1
            print(f"!! {title}: {problem}", flush=True)
        if environment.get("DEMO_PICTURE") == chapter.__name__:
            picture = typist.typescript.replace(environment["TEST_HOME"], "~").replace(environment["HOME"], "~")
            print("typescript:", base64.b64encode(picture.encode()).decode())
        typist.close()
    return failed
