"""Threads with a folder, umask or descriptors of their own, and a process whose first thread is gone."""
import os
import subprocess
import sys
import threading
import time

from attempts import AT_FDCWD, attempt, describe, in_child, mode_of, run, system_call, write

CLONE_FS, CLONE_FILES = 0x200, 0x400


def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def make_all(name):
    """Every call that makes a name, in the folder of the moment."""
    attempt(f"{name}: open", lambda: describe(os.open(name, os.O_CREAT | os.O_RDWR, 0o666)))
    attempt(f"{name}: mkdir", os.mkdir, name + ".folder")
    attempt(f"{name}: mkfifo", os.mkfifo, name + ".fifo")
    attempt(f"{name}: symlink", os.symlink, "target", name + ".link")
    attempt(f"{name}: link", os.link, name, name + ".linked")
    attempt(f"{name}: rename", os.rename, name, name + ".renamed")
    attempt(f"{name}: chmod", os.chmod, name + ".renamed", 0o755)
    attempt(f"{name}: truncate", os.truncate, name + ".renamed", 3)
    attempt(f"{name}: unnamed", lambda: describe(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o666)))


def show(folder):
    for name in sorted(os.listdir(folder)):
        print(" ", folder, name, mode_of(os.path.join(folder, name)))


def own_folder():
    def leave(name, mask):
        attempt("a folder of its own", system_call, "unshare", CLONE_FS)
        os.mkdir(name)
        os.chdir(name)
        os.umask(mask)
        make_all("thread")

    for name, mask in ("private", 0o077), ("open", 0), ("usual", 0o022):
        in_thread(lambda name=name, mask=mask: leave(name, mask))
        make_all("main." + name)
        show(name)
    show(".")


def many_folders():
    """At the same time: none of them gets into another's."""
    wrong = []
    barrier = threading.Barrier(8)

    def work(number):
        system_call("unshare", CLONE_FS)
        os.mkdir(f"f{number}")
        os.chdir(f"f{number}")
        os.umask(number)
        barrier.wait()
        for i in range(200):
            os.close(os.open(f"file{i}", os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o666))
            os.mkdir(f"folder{i}", 0o777)
            os.rename(f"file{i}", f"folder{i}/moved")
            modes = os.stat(f"folder{i}").st_mode & 0o777, os.stat(f"folder{i}/moved").st_mode & 0o777
            if modes != (0o777 & ~number, 0o666 & ~number):
                wrong.append((number, i, modes))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("wrong", wrong[:5], [len(os.listdir(f"f{number}")) for number in range(8)], sorted(os.listdir(".")))


def own_descriptors():
    """The same number is another folder in each thread."""
    for name in "mine", "theirs":
        os.mkdir(name)
    os.dup2(os.open("mine", os.O_RDONLY), 300)

    def work():
        attempt("descriptors of its own", system_call, "unshare", CLONE_FILES)
        os.dup2(os.open("theirs", os.O_RDONLY), 300)
        attempt("made in the thread's", lambda: describe(os.open("thread", os.O_CREAT | os.O_RDWR, 0o644, dir_fd=300)))
        attempt("mkdir in the thread's", os.mkdir, "thread.folder", dir_fd=300)
        fd = os.open("only", os.O_CREAT | os.O_RDWR, 0o644)
        attempt("chmod of the thread's", os.fchmod, fd, 0o755)
        os.dup2(fd, 301)

    in_thread(work)
    attempt("made in the first's", lambda: describe(os.open("main", os.O_CREAT | os.O_RDWR, 0o644, dir_fd=300)))
    attempt("the thread's are not here", os.fchmod, 301, 0o755)
    for name in ".", "mine", "theirs":
        show(name)


def everything():
    def work():
        attempt("all of its own", system_call, "unshare", CLONE_FS | CLONE_FILES)
        os.umask(0o027)
        make_all("all")

    in_thread(work)
    show(".")


def first_thread_ends():
    """Its threads live on in a process of which /proc shows little."""

    def work():
        time.sleep(0.1)
        make_all("orphan")
        for name in "/dev/null", "/proc/thread-self/comm":
            attempt(f"  {name}", lambda name=name: os.close(os.open(name, os.O_WRONLY)))
        attempt("  emptied", lambda: describe(os.open("orphan.renamed", os.O_WRONLY | os.O_TRUNC)))
        sys.stdout.flush()
        os._exit(0)

    threading.Thread(target=work).start()
    system_call("exit", 0)


def processes():
    in_child(first_thread_ends)
    show(".")
    # The child shares its parent's memory until it executes.
    for command in "echo x >made; mkdir sub; mv made sub/moved; chmod +x sub/moved", "umask 077; echo x >private":
        subprocess.run(["sh", "-c", command], check=True)
    subprocess.run(["sh", "-c", "echo x >made"], check=True, cwd="sub", umask=0o027)
    show("sub")
    show(".")


def gone_folder():
    """The working folder is deleted."""
    os.mkdir("gone")
    os.mkdir("other")
    write("there")
    os.chdir("gone")
    os.rmdir("../gone")
    make_all("new")
    for name in "../new", "./new", ".", "..", "../there", "../other/new":
        attempt(f"{name}: open", lambda: describe(os.open(name, os.O_CREAT | os.O_RDWR, 0o644)))
        attempt(f"{name}: mkdir", os.mkdir, name)
        attempt(f"{name}: rename to it", os.rename, "../other", name)
    attempt("unnamed", lambda: os.close(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)))
    attempt("absolute", os.mkdir, "/proc/self/cwd/new")
    attempt("openat", system_call, "openat", AT_FDCWD, b"new", os.O_CREAT | os.O_WRONLY, 0o644)
    subprocess.run(["sh", "-c", "echo x >new; mkdir new; echo x >../new2"], check=False, stderr=subprocess.DEVNULL)


def gone():
    in_child(gone_folder)
    show(".")


run(own_folder, many_folders, own_descriptors, everything, processes, gone)
