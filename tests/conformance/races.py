"""Several threads and processes at once: who wins, and no error that one call alone could not have."""
import errno
import os
import random
import sys
import threading

from attempts import in_child, run, write

THREADS = 6


def in_threads(work):
    """WORK(number) in several threads. What they returned."""
    results = [None] * THREADS

    def keep(number):
        results[number] = work(number)

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def attempt_all(rounds, call, allowed):
    """How often CALL(round) succeeds, and the errors that it must not have."""
    wins, strange = 0, set()
    for i in range(rounds):
        try:
            call(i)
            wins += 1
        except OSError as error:
            if error.errno not in allowed:
                strange.add(errno.errorcode[error.errno])
    return wins, strange


def winners():
    """Of those who make one name, one makes it."""
    for what, call in {
        "open": lambda i: os.close(os.open(f"file{i}", os.O_CREAT | os.O_EXCL | os.O_WRONLY)),
        "mkdir": lambda i: os.mkdir(f"folder{i}"),
        "symlink": lambda i: os.symlink("target", f"link{i}"),
        "mkfifo": lambda i: os.mkfifo(f"fifo{i}"),
        "link": lambda i: os.link("old", f"linked{i}"),
    }.items():
        write("old")
        results = in_threads(lambda _, call=call: attempt_all(300, call, {errno.EEXIST}))
        print(what, sum(wins for wins, _ in results), set().union(*[strange for _, strange in results]))


def renames():
    """One file goes from name to name; it is never lost, nor there twice."""
    write("0")
    results = in_threads(lambda number: attempt_all(500, lambda i: os.rename(str(i % 5), str((i + number) % 5)), {errno.ENOENT}))
    print(set().union(*[strange for _, strange in results]), len(os.listdir(".")))


MIXED = {
    "made": (lambda a, b: os.close(os.open(a, os.O_CREAT | os.O_WRONLY)), set()),
    "made, emptied": (lambda a, b: os.close(os.open(a, os.O_CREAT | os.O_RDWR | os.O_TRUNC)), set()),
    "made exclusively": (lambda a, b: os.close(os.open(a, os.O_CREAT | os.O_EXCL | os.O_WRONLY)), {errno.EEXIST}),
    "opened": (lambda a, b: os.close(os.open(a, os.O_RDWR)), {errno.ENOENT}),
    "linked": (lambda a, b: os.link(a, b), {errno.ENOENT, errno.EEXIST}),
    "renamed": (lambda a, b: os.rename(a, b), {errno.ENOENT}),
    "removed": (lambda a, b: os.unlink(a), {errno.ENOENT}),
    "truncated": (lambda a, b: os.truncate(a, 3), {errno.ENOENT}),
    "chmod": (lambda a, b: os.chmod(a, 0o755), {errno.ENOENT}),
}


def mixed():
    """All calls at once on three names."""

    def work(number):
        choose = random.Random(number)
        strange = set()
        for _ in range(1500):
            what = choose.choice(list(MIXED))
            call, allowed = MIXED[what]
            _, more = attempt_all(1, lambda _: call(f"n{choose.randrange(3)}", f"n{choose.randrange(3)}"), allowed)
            strange |= {f"{what}: {each}" for each in more}
        return strange

    print(sorted(set().union(*in_threads(work))))


def ways():
    """The folder on the way is now a folder, now a link to another."""
    os.makedirs("real/below")
    os.makedirs("other/below")
    os.mkdir("way")
    allowed = {errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY}

    def work(number):
        if number == 0:
            return attempt_all(600, change, allowed)[1]
        return attempt_all(600, lambda i: make(number, i), allowed)[1]

    def change(i):
        os.symlink("real" if i % 2 else "other", "next")
        os.rename("next", "link")
        os.rename("way", "gone")
        os.rename("gone", "way")

    def make(number, i):
        os.mkdir(f"link/below/{number}.{i}")
        os.close(os.open(f"link/below/{number}.{i}/file", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.rename(f"link/below/{number}.{i}", f"way/{number}.{i}")

    print(sorted(set().union(*in_threads(work))))


def links():
    """What a name leads to changes between nothing, a file and a link."""

    def work(number):
        if number % 2:
            return attempt_all(800, change, {errno.ENOENT, errno.EEXIST})[1]
        return attempt_all(800, lambda _: os.close(os.open("name", os.O_CREAT | os.O_RDWR, 0o644)), {errno.ENOENT})[1]

    def change(i):
        os.unlink("name")
        if i % 2:
            os.symlink("target", "name")
        os.unlink("name")

    print(sorted(set().union(*in_threads(work))))


def processes():
    """Each in a process of its own, at the same time."""
    write("0")
    children = []
    sys.stdout.flush()
    for number in range(THREADS):
        child = os.fork()
        if child == 0:
            wins, strange = attempt_all(300, lambda i: os.mkdir(f"f{i}"), {errno.EEXIST})
            with open(f"wins{number}", "w", encoding="utf-8") as out:
                out.write(str(wins))
            os._exit(len(strange))
        children.append(child)
    print("strange", [os.waitpid(child, 0)[1] for child in children])
    print("folders", sum(int(open(f"wins{number}", encoding="utf-8").read()) for number in range(THREADS)))


def masks():
    """A umask that one thread changes is all threads' (umask(2)), and no other process's."""
    before = os.umask(0o027)

    def child():
        for i in range(300):
            os.umask(i % 8)
            os.mkdir(f"c{i}")
            if os.stat(f"c{i}").st_mode & 0o777 != 0o777 & ~(i % 8):
                print("wrong", i)

    sys.stdout.flush()
    in_child(lambda: in_threads(lambda number: child() if number == 0 else None))
    wrong = attempt_all(300, lambda i: os.mkdir(f"p{i}"), set())
    print(wrong, {os.stat(f"p{i}").st_mode & 0o777 for i in range(300)})
    os.umask(before)


run(winners, renames, mixed, ways, links, processes, masks)
