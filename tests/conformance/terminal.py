"""Terminals: /dev/tty, what makes a terminal the controlling one, and job control of a shell on it."""
import errno
import fcntl
import os
import pty
import random
import select
import signal
import subprocess
import sys
import termios
import threading
import time

from attempts import attempt, in_child, run, waits_in_open

LIMIT = 20


def opened(name, flags=os.O_RDWR):
    """That NAME is a terminal, whichever it is called."""
    fd = os.open(name, flags, 0o644)
    try:
        return os.isatty(fd), os.get_inheritable(fd), fcntl.fcntl(fd, fcntl.F_GETFL)
    finally:
        os.close(fd)


def without():
    """A session without a terminal."""
    os.setsid()
    for flags in os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_NOCTTY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC:
        attempt(f"no terminal {flags:o}", opened, "/dev/tty", flags)


def with_one():
    master, slave = os.openpty()
    name = os.ttyname(slave)
    os.setsid()
    attempt("made the controlling one", fcntl.ioctl, slave, termios.TIOCSCTTY, 0)
    for flags in os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_NONBLOCK, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, os.O_RDWR | os.O_EXCL:
        attempt(f"/dev/tty {flags:o}", opened, "/dev/tty", flags)
        attempt(f"by its name {flags:o}", opened, name, flags)
        attempt(f"by its descriptor {flags:o}", opened, f"/proc/self/fd/{slave}", flags)
    fd = os.open("/dev/tty", os.O_RDWR)
    print("foreground", os.tcgetpgrp(fd) == os.getpgrp(), os.tcgetpgrp(slave) == os.getpgrp())
    os.write(fd, b"said\n")
    print(os.read(master, 100))
    for call in os.truncate, os.mkdir, lambda it, _: os.chmod(it, 0o755) if it != name else None:
        for it in "/dev/tty", name:
            attempt("not for it", call, it, 0)
    attempt("exclusively made", os.open, "/dev/tty", os.O_RDWR | os.O_CREAT | os.O_EXCL)
    # A child of the session has it as well, and loses it with a session of its own.
    in_child(attempt, "a child's", opened, "/dev/tty")
    in_child(without)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    attempt("given up", fcntl.ioctl, fd, termios.TIOCNOTTY)
    attempt("and gone", opened, "/dev/tty")


def not_taken():
    """Opened with O_NOCTTY, or by one who leads no session."""
    _, slave = os.openpty()
    os.setsid()
    attempt("with O_NOCTTY", opened, os.ttyname(slave), os.O_RDWR | os.O_NOCTTY)
    attempt("  then", opened, "/dev/tty")
    in_child(lambda: (attempt("a child", opened, os.ttyname(slave)), attempt("  then", opened, "/dev/tty")))
    attempt("only to write", opened, os.ttyname(slave), os.O_WRONLY)
    attempt("  then", opened, "/dev/tty")


def leader(name, flags, prepare=lambda: None):
    """A session's leader without a terminal opens one."""
    os.setsid()
    prepare()
    masked, traps = signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGTRAP)
    attempt("  opened", opened, name, flags)
    print("  mask and handler", signal.pthread_sigmask(signal.SIG_BLOCK, []) == masked, signal.getsignal(signal.SIGTRAP) == traps)
    attempt("  then", opened, "/dev/tty")
    attempt("  foreground", lambda: os.tcgetpgrp(os.open("/dev/tty", os.O_RDWR)) == os.getpgrp())


def by_opening():
    """It becomes the controlling one, if it is no other session's."""
    os.symlink("/dev/pts", "link")
    for what, flags in {
        "to read": os.O_RDONLY,
        "to read and write": os.O_RDWR,
        "closed when executing": os.O_RDWR | os.O_CLOEXEC,
        "without waiting": os.O_RDWR | os.O_NONBLOCK,
        "made if need be": os.O_RDWR | os.O_CREAT,
    }.items():
        master, slave = os.openpty()
        print(what)
        in_child(leader, os.ttyname(slave), flags)
        in_child(leader, f"/proc/self/fd/{slave}", flags)
        in_child(leader, "link/" + os.path.basename(os.ttyname(slave)), flags)
        in_child(with_threads, os.ttyname(slave), flags)
        os.close(slave)
        os.close(master)


def with_threads(name, flags):
    os.setsid()
    threading.Thread(target=time.sleep, args=(0.2,)).start()
    thread = threading.Thread(target=attempt, args=("  a thread", opened, name, flags))
    thread.start()
    thread.join()
    attempt("  then", opened, "/dev/tty")


def with_signals():
    """Many timers' signals, and what is blocked."""
    got = []

    def prepare():
        signal.signal(signal.SIGALRM, lambda *_: got.append(1))
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        signal.signal(signal.SIGTRAP, lambda *_: print("SIGTRAP"))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGHUP])

    for _ in range(10):
        master, slave = os.openpty()
        in_child(leader, os.ttyname(slave), os.O_RDWR, prepare)
        os.close(slave)
        os.close(master)


def end_of(prepare, meanwhile=lambda pid: None):
    """How a session's leader ends that opens a terminal, and then ends with 7."""
    master, slave = os.openpty()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        prepare(os.ttyname(slave))
        os._exit(7)
    meanwhile(child)
    status = os.waitpid(child, 0)[1]
    os.close(slave)
    os.close(master)
    return status


def disturbed():
    """Another thread executes a program meanwhile; or the leader is stopped, or killed."""
    moment = random.Random(1)

    def execute(name):
        threading.Thread(target=os.open, args=(name, os.O_RDWR)).start()
        time.sleep(moment.random() / 1000)
        os.execv("/bin/sh", ["sh", "-c", "exit 7"])

    def stop(child):
        for _ in range(3):
            time.sleep(moment.random() / 1000)
            os.kill(child, signal.SIGSTOP)
            os.kill(child, signal.SIGCONT)

    def kill(child):
        time.sleep(moment.random() / 200)
        os.kill(child, signal.SIGKILL)

    def opens(name):
        os.open(name, os.O_RDWR)

    print("executes", {end_of(execute) for _ in range(40)})
    print("is stopped", {end_of(opens, stop) for _ in range(40)})
    print("is killed", {end_of(opens, kill) for _ in range(40)} <= {7 << 8, signal.SIGKILL})


def of_others():
    """Another session's terminal is not taken, and nobody has two."""
    _, slave = os.openpty()
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    in_child(leader, os.ttyname(slave), os.O_RDWR)
    _, second = os.openpty()
    attempt("a second one", opened, os.ttyname(second))
    attempt("  the first is kept", lambda: os.tcgetpgrp(slave) == os.getpgrp())
    attempt("  the second is not", os.tcgetpgrp, second)


def shell_by_opening():
    """A shell whose terminal is opened for it, as xterm's."""
    master, slave = os.openpty()
    script = f"exec <>{os.ttyname(slave)} >&0 2>&0; exec bash --norc --noprofile -ic 'tty | cut -c 1-9; echo x >/dev/tty; jobs; ps -o tty= -p $$ | cut -c 1-4'"
    status = subprocess.run(["setsid", "-w", "sh", "-c", script], check=False, stdin=subprocess.DEVNULL).returncode
    os.close(slave)
    print("a shell", status, all_of(master))
    os.close(master)


def all_of(master):
    """What was written to a terminal that nobody has open any more: a read may give a part of it."""
    text = b""
    while True:
        try:
            text += os.read(master, 1000)
        except OSError as error:
            assert error.errno == errno.EIO
            return text


def sessions():
    for part in without, with_one, not_taken, of_others:
        in_child(part)
    by_opening()
    with_signals()
    disturbed()
    shell_by_opening()


def masters():
    fds = [os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(3)]
    names = {fcntl.ioctl(fd, 0x80045430, bytes(4)) for fd in fds}  # TIOCGPTN
    print("three different", len(names))
    for name in "/dev/ptmx", "/dev/pts/none", "/dev/console/new":
        attempt(name, opened, name, os.O_RDWR | os.O_NOCTTY)
        attempt(f"  made {name}", opened, name, os.O_RDWR | os.O_NOCTTY | os.O_CREAT)
    for fd in fds:
        os.close(fd)
    master, slave = os.openpty()
    name = os.ttyname(slave)
    os.close(slave)
    os.close(master)
    attempt("of a master that is closed", opened, name, os.O_RDWR | os.O_NOCTTY)


class Shell:
    """A shell with job control on a terminal of its own."""

    def __init__(self):
        sys.stdout.flush()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], {"PS1": "", "PATH": os.environ["PATH"]})
        self.text = ""
        self.type("stty -echo; echo ready''\n")
        self.until("ready")

    def type(self, text):
        os.write(self.fd, text.encode())

    def until(self, wanted):
        """What came before WANTED, or the end."""
        end = time.monotonic() + LIMIT
        while wanted not in self.text and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.fd, 4096).decode()
                except OSError as error:
                    assert error.errno == errno.EIO
                    break
        found = wanted in self.text
        self.text = self.text.partition(wanted)[2]
        return found


def job_control():
    """Ctrl-Z and Ctrl-C while a program waits for a FIFO, and while the shell itself does."""
    os.mkfifo("fifo")
    shell = Shell()
    for command in "cat /dev/zero >fifo", "sh -c 'exec 3>fifo; sleep 1000'", "dd of=fifo conv=notrunc":
        print(command)
        shell.type(command + "\n")
        print("  waits", someone_waits(shell.pid))
        shell.type("\x1a")
        print("  stopped", shell.until("Stopped"))
        shell.type("fg\n")
        print("  goes on", someone_waits(shell.pid))
        interrupt(shell)
    # What opened the other one for writing may count a moment longer (docs/security.md): no reader would wait.
    os.mkfifo("second")
    for command in "echo text >>second", "exec 3>second", "read line <second":
        print(command)
        shell.type(command + "\n")
        print("  waits", someone_waits(shell.pid, "second"))
        interrupt(shell)
    shell.type("echo to the terminal >/dev/tty; tty | cut -c 1-9; exit 5\n")
    print(shell.until("to the terminal"), shell.until("/dev/pts/"))
    os.close(shell.fd)
    print("ended", os.waitpid(shell.pid, 0)[1] in (5 << 8, signal.SIGHUP))


def interrupt(shell):
    shell.type("\x03")
    shell.type("echo ended $?\n")
    print("  interrupted", shell.until("ended 130"))


def family(pid):
    """PID and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [pid] + [int(each) for each in file.read().split()]


def someone_waits(pid, name="fifo"):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if any(waits_in_open(each, name) for each in family(pid)):
            return True
        time.sleep(0.01)
    return False


run(sessions, masters, job_control)
