"""fchmodat2(2), which newer libraries call."""
import os

from attempts import AT_FDCWD, attempt, mode_of, run, system_call, write

AT_SYMLINK_NOFOLLOW, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 0x100, 0x400, 0x1000


def modes():
    write("file")
    os.symlink("file", "link")
    os.symlink("missing", "dangling")
    by_path, folder = os.open("file", os.O_PATH), os.open(".", os.O_RDONLY)
    for what, fd, name, flags in (
        ("a file", AT_FDCWD, b"file", 0),
        ("a link", AT_FDCWD, b"link", 0),
        ("a link itself", AT_FDCWD, b"link", AT_SYMLINK_NOFOLLOW),
        ("a file itself", AT_FDCWD, b"file", AT_SYMLINK_NOFOLLOW),
        ("a dangling link", AT_FDCWD, b"dangling", 0),
        ("a descriptor", by_path, b"", AT_EMPTY_PATH),
        ("a descriptor without the flag", by_path, b"", 0),
        ("an unknown flag", AT_FDCWD, b"file", 0x4000),
        ("another call's flag", AT_FDCWD, b"file", AT_SYMLINK_FOLLOW),
        ("the folder", AT_FDCWD, b"", AT_EMPTY_PATH),
        ("nothing", AT_FDCWD, b"", 0),
    ):
        for mode in 0o751, 0o640, 0o1755:
            attempt(f"fchmodat2 of {what} {mode:o}", system_call, "fchmodat2", fd, name, mode, flags)
            os.fchmod(folder, 0o755)
            print("  then", mode_of("file"))


run(modes)
