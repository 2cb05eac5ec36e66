"""Who may: modes of files and folders, sticky folders, ACLs, and what nobody may."""
import os
import stat
import struct

from attempts import attempt, describe, mode_of, remove, renameat2, run, write

OPENS = {
    "read and write": os.O_RDWR,
    "write": os.O_WRONLY,
    "read, emptied": os.O_RDONLY | os.O_TRUNC,
    "write, emptied": os.O_WRONLY | os.O_TRUNC,
    "made": os.O_WRONLY | os.O_CREAT,
    "made exclusively": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "for both and neither": os.O_ACCMODE,
}


def try_all(name):
    """Every call that can change NAME, or what NAME lies in."""
    for what, flags in OPENS.items():
        attempt(f"  open to {what}", lambda flags=flags: describe(os.open(name, flags, 0o640)))
    attempt("  truncate", os.truncate, name, 1)
    attempt("  chmod", os.chmod, name, 0o755)
    attempt("  mkdir", os.mkdir, name)
    attempt("  mkfifo", os.mkfifo, name)
    attempt("  symlink", os.symlink, "target", name)
    attempt("  link to it", os.link, "other", name)
    attempt("  link from it", os.link, name, "linked")
    attempt("  exchange", renameat2, name, "other", 2)
    attempt("  no replace", renameat2, name, "other", 1)
    attempt("  rename to it", os.rename, "third", name)
    attempt("  rename from it", os.rename, name, "moved")


def files():
    for mode in 0o644, 0o444, 0o222, 0o111, 0:
        for name in "file", "folder/file":
            os.mkdir("place")
            os.chdir("place")
            os.mkdir("folder")
            for each in "other", "third":
                write(each)
            write(name, mode=mode)
            print(f"a file of mode {mode:o}, {name}")
            try_all(name)
            os.chdir("..")
            remove("place")


def folders():
    for mode in 0o755, 0o555, 0o666, 0o333, 0o111, 0, 0o1777, 0o1333:
        for name in "there", "missing", "below/there", "below/missing":
            os.mkdir("place")
            os.chdir("place")
            os.makedirs("folder/below")
            for each in "other", "third", "folder/there", "folder/below/there":
                write(each)
            os.chmod("folder", mode)
            print(f"in a folder of mode {mode:o}, {name}")
            try_all("folder/" + name)
            attempt("  unnamed", lambda: describe(os.open("folder", os.O_TMPFILE | os.O_RDWR, 0o600)))
            os.chdir("..")
            remove("place")




def others():
    """What belongs to root."""
    for name in "/proc/version", "/proc/new", "/proc/1/mem", "/proc/1/oom_score_adj", "/", "/etc/passwd/new":
        for what, flags in OPENS.items():
            attempt(f"{name} open to {what}", lambda name=name, flags=flags: describe(os.open(name, flags)))
        attempt(f"{name} mkdir", os.mkdir, name)
        attempt(f"{name} symlink", os.symlink, "target", name)
    write("file")
    attempt("rename into /proc", os.rename, "file", "/proc/new")
    attempt("link from /proc", os.link, "/proc/version", "version")
    attempt("chmod in /proc", os.chmod, "/proc/version", 0o755)
    attempt("truncate in /proc", os.truncate, "/proc/version", 0)
    for what, flags in ("without a sign", os.O_RDWR | os.O_NOATIME), ("and run it", os.O_WRONLY | os.O_DIRECT):
        attempt(f"one's own, {what}", lambda flags=flags: bool(describe(os.open("file", flags))))


def acl(*entries):
    """As the attribute holds it (acl(5), linux/posix_acl_xattr.h)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, rights, who) for tag, rights, who in entries)


def inherited():
    """What a new name gets from its folder: an ACL, not the umask, and a group."""
    nobody = 0xFFFFFFFF
    for rights in 0o770, 0o750, 0o700:
        folder = f"with{rights:o}"
        os.mkdir(folder)
        default = acl((1, rights >> 6, nobody), (4, rights >> 3 & 7, nobody), (0x20, rights & 7, nobody))
        attempt("a default ACL", os.setxattr, folder, "system.posix_acl_default", default)
        for mask in 0o077, 0:
            before = os.umask(mask)
            for what, make in {
                "file": lambda name: os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o666)),
                "folder": lambda name: os.mkdir(name, 0o777),
                "fifo": lambda name: os.mkfifo(name, 0o666),
                "node": lambda name: os.mknod(name, stat.S_IFREG | 0o666),
            }.items():
                name = f"{folder}/{what}{mask:o}"
                attempt(f"{name} is made", make, name)
                attempt("  then", mode_of, name)
                attempt("  its ACL", lambda name=name: len(os.getxattr(name, "system.posix_acl_access")))
            os.umask(before)
    os.mkdir("group")
    attempt("a folder that gives its group", os.chmod, "group", 0o2775)
    for name in "group/folder", "group/folder/deeper":
        attempt(f"{name} is made", os.mkdir, name)
        attempt("  then", mode_of, name)


def attributes():
    write("file")
    os.symlink("file", "link")
    for name in "file", "link", "missing", "":
        for flags in 0, os.XATTR_CREATE, os.XATTR_REPLACE, 3, 4:
            for key in "user.key", "trusted.key", "no.such", "user.", "k" * 256:
                attempt(f"{key[:12]} of {name}, flags {flags}", os.setxattr, name, key, b"value", flags)
    attempt("of a link itself", os.setxattr, "link", "user.key", b"x", follow_symlinks=False)
    attempt("too much", os.setxattr, "file", "user.big", b"x" * 65537)
    with open("file", "rb") as read_only:
        attempt("of a descriptor", os.setxattr, read_only.fileno(), "user.other", b"")
    attempt("  then", lambda: sorted(os.listxattr("file")))


run(files, folders, others, inherited, attributes)
