"""Opens that wait: of FIFOs and of leased files, and what signals do to them."""
import fcntl
import os
import signal
import subprocess
import sys
import time

from attempts import AT_FDCWD, attempt, in_child, run, system_call, waits_in_open, write

STATE_LIMIT = 60


def open_raw(name, flags):
    return system_call("openat", AT_FDCWD, name.encode(), flags, 0o644) >= 0


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def eventually(what, *arguments):
    end = time.monotonic() + STATE_LIMIT
    while time.monotonic() < end:
        if what(*arguments):
            return True
        time.sleep(0.005)
    return False


def start(name, flags, prepare=lambda: None):
    """A process that opens NAME, once it waits there. It ends with 0, or with the errno."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        prepare()
        status = 0
        try:
            open_raw(name, flags)
        except OSError as error:
            status = error.errno
        os._exit(status)
    print("  waits", eventually(waits_in_open, child, name))
    return child


def release(name, flags):
    """Opens the other end, and closes it when the process that waited has ended."""
    return os.open(name, (os.O_RDONLY if flags & os.O_ACCMODE else os.O_WRONLY) | os.O_NONBLOCK)


def handle(restart):
    """With a handler, that has or has not SA_RESTART."""
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.siginterrupt(signal.SIGUSR1, not restart)


ENDS = {
    "to write": os.O_WRONLY,
    "to write, made if need be": os.O_WRONLY | os.O_CREAT,
    "to write, emptied": os.O_WRONLY | os.O_TRUNC,
    "to read": os.O_RDONLY,
}


def fifo_released():
    for what, flags in ENDS.items():
        print(what)
        child = start("fifo", flags)
        other = release("fifo", flags)
        print("  ended", os.waitpid(child, 0)[1])
        os.close(other)


def fifo_interrupted():
    """A handler without SA_RESTART ends the open with EINTR."""
    for what, flags in ENDS.items():
        print(what)
        child = start("fifo", flags, lambda: handle(False))
        os.kill(child, signal.SIGUSR1)
        print("  ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def fifo_restarted():
    """One with SA_RESTART, an ignored and a blocked signal, and a stop do not."""
    for what, prepare, number in (
        ("a handler with SA_RESTART", lambda: handle(True), signal.SIGUSR1),
        ("an ignored signal", lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN), signal.SIGUSR1),
        ("a blocked signal", lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]), signal.SIGUSR1),
        ("a signal without a meaning", lambda: None, signal.SIGWINCH),
    ):
        for name, flags in ENDS.items():
            print(what, name)
            child = start("fifo", flags, prepare)
            for _ in range(3):
                os.kill(child, number)
            print("  goes on to wait", eventually(waits_in_open, child, "fifo"))
            other = release("fifo", flags)
            print("  ended", os.waitpid(child, 0)[1])
            os.close(other)


def fifo_stopped():
    for number in signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTOU:
        for name, flags in ENDS.items():
            print(number.name, name)
            # Of an orphaned group the kernel stops nobody but by SIGSTOP.
            child = start("fifo", flags, lambda: os.setpgid(0, 0))
            os.kill(child, number)
            print("  stops", eventually(lambda: state(child) == "T"))
            os.kill(child, signal.SIGCONT)
            print("  waits again", eventually(waits_in_open, child, "fifo"))
            other = release("fifo", flags)
            print("  ended", os.waitpid(child, 0)[1])
            os.close(other)


def fifo_ended():
    for number in signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGALRM:
        for name, flags in ENDS.items():
            print(number.name, name)
            # The guard may notice a moment later: so each has a FIFO of its own.
            fifo = f"fifo.{number}.{flags:o}"
            os.mkfifo(fifo)
            child = start(fifo, flags, lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            os.kill(child, number)
            print("  ended", os.waitpid(child, 0)[1])


def fifos():
    os.mkfifo("fifo")
    for part in fifo_released, fifo_interrupted, fifo_restarted, fifo_stopped, fifo_ended:
        print(part.__name__)
        part()
    for what, flags in ENDS.items():
        in_child(attempt, f"without waiting, {what}", lambda flags=flags: open_raw("fifo", flags | os.O_NONBLOCK))
    attempt("both ends", lambda: os.close(os.open("fifo", os.O_RDWR)))


def shells():
    os.mkfifo("fifo")
    reader = subprocess.Popen(["cat", "fifo"], stdout=subprocess.PIPE)
    subprocess.run(["sh", "-c", "echo through a FIFO >fifo"], check=True)
    print(reader.communicate()[0])
    waits = subprocess.run(["timeout", "0.2", "sh", "-c", "echo never >fifo"], check=False)
    print("timeout(1) says", waits.returncode)
    inside = "trap 'echo trapped; exit 3' TERM; sleep 0.2 && kill $$ & echo never >fifo"
    print(subprocess.run(["sh", "-c", inside], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))


def lease_given_up():
    """An open of a leased file waits until its owner has given the lease up."""
    for kind, flags in (
        ("read", os.O_WRONLY),
        ("read", os.O_RDWR | os.O_TRUNC),
        ("write", os.O_WRONLY | os.O_CREAT),
        ("write", os.O_RDONLY),
    ):
        write("leased")
        owner = os.open("leased", os.O_RDONLY if kind == "read" else os.O_RDWR)
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        attempt(f"a {kind} lease", fcntl.fcntl, owner, fcntl.F_SETLEASE, fcntl.F_RDLCK if kind == "read" else fcntl.F_WRLCK)
        attempt("  opened without waiting", open_raw, "leased", flags | os.O_NONBLOCK)
        print(f"  opened {flags:o}")
        child = start("leased", flags)
        fcntl.fcntl(owner, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        print("  ended", os.waitpid(child, 0)[1])
        os.close(owner)


def lease_interrupted():
    write("leased")
    owner = os.open("leased", os.O_RDONLY)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fcntl.fcntl(owner, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    child = start("leased", os.O_WRONLY, lambda: handle(False))
    os.kill(child, signal.SIGUSR1)
    print("interrupted", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    child = start("leased", os.O_WRONLY)
    os.kill(child, signal.SIGTERM)
    print("ended", os.waitpid(child, 0)[1])


run(fifos, shells, lease_given_up, lease_interrupted)
