"""Calls on files, whose results are the same on the host and in a box.

Prints a line for each: what was called, and the result or errno. Runs in an empty folder.
"""
import errno
import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time

from attempts import attempt, describe, remove, renameat2, run


def place():
    """Every kind of thing that a name can be, in a new folder that becomes the working one."""
    os.makedirs("place/dir/deep")
    os.chdir("place")
    for name, text in ("file", "text"), ("empty", ""), ("dir/inside", "x"), ("readonly", "x"), ("program", "x"):
        with open(name, "w") as out:
            out.write(text)
    os.chmod("readonly", 0o444)
    os.chmod("program", 0o755)
    os.link("file", "second")
    for name, target in (
        ("link", "file"),
        ("chain", "link"),
        ("dangling", "made"),
        ("loop", "loop"),
        ("dirlink", "dir"),
        ("up", "dir/../file"),
        ("absolute", os.path.abspath("file")),
        ("null", "/dev/null"),
    ):
        os.symlink(target, name)
    os.mkfifo("fifo")
    os.mkdir("closed")
    os.mkdir("locked")
    os.chmod("closed", 0o600)
    os.chmod("locked", 0o555)


def clear():
    os.chdir("..")
    remove("place")


NAMES = (
    "file empty dir readonly program second link chain dangling loop dirlink up absolute null fifo missing file/ dir/ link/ "
    "missing/ dir/. dir/.. . .. closed/new locked/new missing/new file/new dirlink/new dir/new dir//new "
).split() + ["", "n" * 256, "x/" * 2100]

FLAGS = {
    name: eval(name, {}, vars(os))  # pylint: disable=eval-used
    for name in (
        "O_WRONLY",
        "O_RDWR",
        "O_WRONLY|O_TRUNC",
        "O_RDONLY|O_TRUNC",
        "O_WRONLY|O_APPEND",
        "O_WRONLY|O_NOFOLLOW",
        "O_WRONLY|O_DIRECTORY",
        "O_WRONLY|O_CREAT",
        "O_RDONLY|O_CREAT",
        "O_RDWR|O_CREAT|O_TRUNC|O_CLOEXEC",
        "O_WRONLY|O_CREAT|O_EXCL",
        "O_WRONLY|O_CREAT|O_NOFOLLOW",
        "O_RDONLY|O_CREAT|O_DIRECTORY",
        "O_RDWR|O_TMPFILE",
        "O_RDONLY|O_TMPFILE",
        "O_WRONLY|O_CREAT|O_SYNC",
        "O_PATH|O_WRONLY|O_CREAT",
    )
}


def opens():
    for flags, value in FLAGS.items():
        for name in NAMES:
            place()
            # A FIFO without a reader would wait.
            attempt(f"open {name[:20]!r} {flags}", lambda: describe(os.open(name, value | os.O_NONBLOCK, 0o751)))
            clear()


def paths():
    """The calls with one name."""
    for what, call in {
        "mkdir": lambda name: os.mkdir(name, 0o1750),
        "mkfifo": lambda name: os.mkfifo(name, 0o640),
        "mknod": lambda name: os.mknod(name, stat.S_IFREG | 0o640),
        "device": lambda name: os.mknod(name, stat.S_IFCHR | 0o640, os.makedev(1, 3)),
        "symlink": lambda name: os.symlink("target", name),
        "truncate": lambda name: os.truncate(name, 2),
        "chmod": lambda name: os.chmod(name, 0o751),
        "chmod -x": lambda name: os.chmod(name, 0o640),
    }.items():
        for name in NAMES:
            # Not of the machine's own, nor so that the folder cannot be left.
            if what.startswith("chmod") and name in ("null", "..", ".", "dir/.."):
                continue
            place()
            attempt(f"{what} {name[:20]!r}", call, name)
            attempt("  then", lambda: f"{os.lstat(name).st_mode:o} {os.lstat(name).st_nlink}")
            clear()


def pairs():
    """The calls with two names."""
    for what, call in {
        "link": os.link,
        "link a link": lambda old, new: os.link(old, new, follow_symlinks=False),
        "rename": os.rename,
        "noreplace": lambda old, new: renameat2(old, new, 1),
        "exchange": lambda old, new: renameat2(old, new, 2),
        "both": lambda old, new: renameat2(old, new, 3),
    }.items():
        for old in "file", "dir", "link", "dirlink", "dangling", "missing", "dir/", "file/", "dir/inside", ".":
            for new in "new", "file", "second", "empty", "dir", "link", "dir/deep", "dir/deep/", "locked/new", "new/":
                place()
                attempt(f"{what} {old} {new}", call, old, new)
                clear()
    for flags in 4, 8, 1 << 31:
        attempt(f"renameat2 {flags:x}", renameat2, "a", "b", flags)


def descriptors():
    place()
    folder = os.open("dir", os.O_RDONLY)
    attempt("open at", lambda: describe(os.open("new", os.O_WRONLY | os.O_CREAT, 0o640, dir_fd=folder)))
    attempt("mkdir at", os.mkdir, "made", dir_fd=folder)
    attempt("open at a file", os.open, "new", os.O_WRONLY | os.O_CREAT, dir_fd=os.open("file", os.O_RDONLY))
    attempt("open at no descriptor", os.open, "new", os.O_WRONLY | os.O_CREAT, dir_fd=900)
    attempt("absolute at no descriptor", lambda: describe(os.open(os.path.abspath("file"), os.O_WRONLY, dir_fd=900)))
    attempt("fchmod", os.fchmod, os.open("file", os.O_RDONLY), 0o755)
    attempt("fchmod of O_PATH", os.fchmod, os.open("file", os.O_PATH), 0o755)
    attempt("fchmod of nothing", os.fchmod, 900, 0o755)
    os.rename("dir", "elsewhere")
    attempt("mkdir at a renamed folder", os.mkdir, "after", dir_fd=folder)
    os.mkdir("gone")
    gone = os.open("gone", os.O_RDONLY)
    os.rmdir("gone")
    attempt("open in a deleted folder", os.open, "new", os.O_WRONLY | os.O_CREAT, dir_fd=gone)
    attempt("mkdir in a deleted folder", os.mkdir, "new", dir_fd=gone)
    unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)
    attempt("a name for an unnamed file", os.link, f"/proc/self/fd/{unnamed}", "named", follow_symlinks=True)
    attempt("  then", lambda: f"{os.stat('named').st_mode:o}")
    clear()


def open_link(path):
    """A kernel that begins its walk again, as beside a rename, counts the links of its first try, too."""
    for _ in range(20):
        try:
            return describe(os.open(path, os.O_WRONLY))
        except OSError as error:
            problem = error
            if error.errno != errno.ELOOP:
                break
    raise problem


def links():
    """40 links may be followed, on the way and at the end."""
    os.mkdir("links")
    with open("end", "w"):
        pass
    for i in range(45):
        os.symlink("../end" if i == 0 else f"l{i - 1}", f"links/l{i}")
        os.symlink("." if i == 0 else f"d{i - 1}", f"d{i}")
    for i in 38, 39, 40, 41:
        attempt(f"{i + 1} links", open_link, f"links/l{i}")
        attempt(f"{i + 1} folders", open_link, f"d{i}/end")
    for i in 18, 19, 20:
        attempt(f"{i} links and 20 folders", open_link, f"d19/links/l{i - 1}")
    attempt("a name behind 41 links", lambda: os.mkdir("d40/new"))


def limits():
    with open("full", "w") as out:
        out.write("data")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard))
    held = []
    try:
        while True:
            held.append(os.open("full", os.O_RDONLY))
    except OSError:
        pass
    attempt("truncate with a full table", os.open, "full", os.O_WRONLY | os.O_TRUNC)
    attempt("create with a full table", os.open, "fresh", os.O_WRONLY | os.O_CREAT, 0o644)
    attempt("create exclusively with a full table", os.open, "fresh", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
    for fd in held:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print("  then", os.stat("full").st_size, os.path.exists("fresh"))
    signal.signal(signal.SIGXFSZ, lambda *_: print("SIGXFSZ"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    attempt("truncate beyond the limit", os.truncate, "full", 2000)
    attempt("truncate to the limit", os.truncate, "full", 1000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    attempt("truncate to a negative length", os.truncate, "full", -1)


def made(name, mode=0o777):
    os.mkdir(name, mode)
    text = f"{os.stat(name).st_mode:o}"
    os.rmdir(name)
    return text


def umasks():
    """Of a process that changes it, its threads and its children."""
    for mask in 0o022, 0o077, 0o027, 0, 0o777, 0o002:
        os.umask(mask)
        print(f"umask {mask:o}", made("masked"), made("again"))
        os.umask(mask)
        thread = threading.Thread(target=lambda: print("  thread", made("masked")))
        thread.start()
        thread.join()
    os.umask(0o022)
    changer = threading.Thread(target=lambda: os.umask(0o077))
    changer.start()
    changer.join()
    print("changed by a thread", made("masked"))
    sys.stdout.flush()
    for mask in 0o027, 0o007:
        child = os.fork()
        if child == 0:
            os.umask(mask)
            print(f"child with {mask:o}", made("masked"))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        print("  its parent", made("masked"))
        sys.stdout.flush()
    os.umask(0o022)


def signals():
    """A FIFO's open waits for its other end, handles signals, and can be stopped."""
    os.mkfifo("fifo")
    got = []
    signal.signal(signal.SIGALRM, lambda *_: got.append("alarm"))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    reader = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.6); open('fifo').read()"])
    os.close(os.open("fifo", os.O_WRONLY))
    print("FIFO", got, reader.wait())
    writer = subprocess.Popen(["sh", "-c", "echo text >fifo"])
    states = []
    for number, wanted in (signal.SIGSTOP, "T"), (signal.SIGCONT, "S"):
        time.sleep(0.2)
        writer.send_signal(number)
        for _ in range(500):
            with open(f"/proc/{writer.pid}/stat") as state:
                found = state.read().rsplit(")", 1)[1].split()[0]
            if found == wanted:
                break
            time.sleep(0.01)
        states.append(found)
    with open("fifo") as fifo:
        print("stopped and continued", states, fifo.read().strip(), writer.wait())
    writer = subprocess.Popen(["sh", "-c", "echo text >fifo"])
    time.sleep(0.2)
    writer.terminate()
    print("ended", writer.wait())


def closed_when_closed():
    """What was closed is not open any more: it can be executed and locked."""
    failures = 0
    for i in range(300):
        for mode in 0o755, 0o644:
            name = f"script{i % 7}.{mode:o}"
            if os.path.exists(name):
                os.unlink(name)
            out = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            os.write(out, b"#!/bin/true\n")
            os.close(out)
            os.chmod(name, 0o755)
            try:
                os.posix_spawn("./" + name, [name], {})
                os.wait()
            except OSError:
                failures += 1
    print("executed at once, failures:", failures)
    failures = 0
    for i in range(300):
        lock = os.open("lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            failures += 1
        os.close(lock)
    print("locked at once, failures:", failures)


run(opens, paths, pairs, descriptors, links, limits, umasks, signals, closed_when_closed)
