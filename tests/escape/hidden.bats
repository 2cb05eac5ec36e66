#!/usr/bin/env bats
# Files that are hidden from a box, when the host replaces them while the box runs (1). The kernel drops the mount that
# covers a file as soon as the host renames another one over it, as editors, `sed -i` and `git checkout` do.

load escape.bash
setup_file() {
    escape_setup_file
    cd "$PROJECT" || return
    mkdir -p private deep/er "$HOME/.cargo/bin"
    echo old >.env
    echo old >private/key
    echo old >deep/er/token
    echo old >"$HOME/.cargo/bin/credentials.toml"
    escape_config '[box]
idle_stop = "never"
[home]
share_toolchains = true
[project]
hidden = [".env", "private", "deep/er/token", "later", "later-folder"]'
    box run -- true
    # Opens NAME in every way that gives what it holds, and prints what comes out of each.
    cat >read.py <<'PY'
import ctypes, os, sys, threading
def show(way, function):
    try:
        text = function()
        print(way, "got", text.decode(errors="replace").strip() or "nothing")
    except OSError as e:
        print(way, "refused", e.strerror)
def content(fd):
    try:
        return os.read(fd, 100)
    finally:
        os.close(fd)
def by_fd(name, flags=os.O_PATH):
    fd = os.open(name, flags)
    return content(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY))
for name in sys.argv[1:]:
    folder, base = os.path.split(os.path.abspath(name))
    show("open", lambda: content(os.open(name, os.O_RDONLY)))
    show("write", lambda: content(os.open(name, os.O_RDWR)))
    show("nofollow", lambda: content(os.open(name, os.O_RDONLY | os.O_NOFOLLOW)))
    show("cwd", lambda: content(os.open("/proc/self/cwd/" + os.path.relpath(name), os.O_RDONLY)))
    show("dots", lambda: content(os.open(f"{folder}/../{os.path.basename(folder)}/./{base}", os.O_RDONLY)))
    show("folder", lambda: content(os.open(base, os.O_RDONLY, dir_fd=os.open(folder, os.O_RDONLY))))
    show("path", lambda: by_fd(name))
    def other(call):
        call()
        return open("other", "rb").read()
    for leftover in ("other", "other-folder", "way"):
        if os.path.islink(leftover) or os.path.exists(leftover):
            os.unlink(leftover)
    show("link", lambda: other(lambda: os.link(name, "other")))
    show("link of a descriptor", lambda: other(lambda: os.link(f"/proc/self/fd/{os.open(name, os.O_PATH)}", "other")))
    show("rename", lambda: other(lambda: os.rename(name, "other")))
    os.symlink(os.path.abspath(name), "way")
    show("symbolic link", lambda: content(os.open("way", os.O_RDONLY)))
    os.unlink("way")
    def moved():
        os.rename(folder, folder + "-moved")
        return open(f"{folder}-moved/{base}", "rb").read()
    if folder != os.getcwd():
        show("folder renamed", moved)
    number = 2 if os.uname().machine == "x86_64" else None
    if number:
        libc = ctypes.CDLL(None, use_errno=True)
        def raw():
            fd = libc.syscall(number, name.encode(), 0)
            if fd < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            return content(fd)
        show("open(2)", raw)
    show("script", lambda: __import__("subprocess").run(["sh", "-c", '. "$0"; cat < "$0"; exec 3<"$0"; cat <&3', name],
                                                          capture_output=True).stdout or b"")
PY
}
teardown_file() {
    rm -f "$HOME/.cargo/bin/credentials.toml"
    box_teardown
}
setup() { escape_setup; }

# hide WORD PATH: as an editor does, a new file takes the name; it is renamed from where no box sees it.
hide() {
    mkdir -p "$TEST_HOME/editor"
    echo "$SECRET $1" >"$TEST_HOME/editor/new"
    mv "$TEST_HOME/editor/new" "$2"
}

# Every way was tried, and none told.
assert_hidden() {
    [ "$(grep -c 'got\|refused' <<<"$output")" -ge 11 ] || fail "not every way was tried: $output"
    refute_contains "$SECRET"
    assert_contains "open refused"
}

@test "hidden: control: without the rule the box reads what the host puts there" {
    hide ordinary ordinary
    run in_box python3 read.py ordinary
    [ "$(grep -c "got $SECRET" <<<"$output")" -ge 9 ] || fail "$output"
    rm -f ordinary other
}

@test "hidden: a file that the host replaces stays hidden (1)" {
    run in_box python3 read.py .env
    assert_hidden
    hide env .env
    [ "$(in_box stat -c %s .env)" -gt 0 ] # the cover is gone
    run in_box python3 read.py .env
    assert_hidden
    run in_box_as -u root -- python3 read.py .env
    refute_contains "$SECRET"
    assert_contains "open refused"
    # Nor may it be written, as the mount allowed.
    run in_box sh -c 'echo evil >.env || echo evil >>.env || truncate -s 0 .env || cp read.py .env'
    [ "$status" != 0 ]
    [ "$(cat .env)" = "$SECRET env" ]
}

@test "hidden: files below folders, folders that the host replaces, and names that come later (1)" {
    local name
    hide deep deep/er/token
    run in_box python3 read.py deep/er/token
    assert_hidden
    rm -r private
    mkdir private
    hide folder private/key
    [ "$(in_box stat -c %s private/key)" -gt 0 ]
    run in_box python3 read.py private/key
    assert_hidden
    run in_box sh -c 'ls private; cd private && ls && cat key; find private; tar c private | strings; grep -r . private'
    refute_contains "$SECRET"
    hide later later
    mkdir later-folder
    hide inside later-folder/file
    for name in later later-folder/file; do
        run in_box python3 read.py "$name"
        assert_hidden
    done
    run in_box cp -r . /tmp/copy
    assert_contains "Permission denied"
    run in_box grep -rs "$SECRET" /tmp/copy
    refute_contains "$SECRET"
}

@test "hidden: the credentials of a shared toolchain that the host replaces (1)" {
    run in_box cat "$HOME/.cargo/bin/credentials.toml"
    assert_output ""
    hide cargo "$HOME/.cargo/bin/credentials.toml"
    run in_box python3 read.py "$HOME/.cargo/bin/credentials.toml"
    refute_contains "$SECRET"
    assert_contains "open refused"
}

@test "hidden: a program that spins sees nothing while the host replaces a file again and again (1)" {
    in_box python3 -u -c '
import os, threading
seen, tries, refused = set(), 0, 0
paths, held = ["", ""], []
def spin():
    global tries, refused
    while not os.path.exists("enough"):
        for way in ("direct", "descriptor"):
            try:
                flags = os.O_RDONLY if way == "direct" else os.O_PATH
                fd = os.open(".env", flags)
                if way == "descriptor":
                    held.append(fd)
                    fd = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
                seen.add(os.read(fd, 100))
                os.close(fd)
            except OSError:
                refused += 1
            tries += 1
            while len(held) > 200:
                os.close(held.pop(0))
threads = [threading.Thread(target=spin) for _ in range(3)]
[t.start() for t in threads]
open("spinning", "w").close()
[t.join() for t in threads]
# Files that the host has removed meanwhile, by descriptors of the time when they were there.
for fd in held:
    try:
        seen.add(os.read(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY), 100))
    except OSError:
        refused += 1
print("seen", sorted(seen), "tries", tries, "refused", refused)' >out 3>&- &
    local client=$! i
    eventually test -e spinning
    for i in $(seq $((300 / TEST_STEP))); do
        hide "number $i" .env
    done
    touch enough
    wait "$client"
    run cat out
    refute_contains "$SECRET"
    assert_contains "seen ["
    [ "$(sed 's/.*refused //' out)" -gt 100 ]
    rm enough spinning
}

@test "hidden: a box that may nest reads no hidden file in namespaces and by mounts of its own (1)" {
    escape_config '[box]
idle_stop = "never"
[security]
nested = true
[project]
hidden = [".env", "private"]'
    box apply 2>/dev/null
    box run -- true
    hide nested .env
    rm -rf private
    mkdir private
    hide nested private/key
    [ "$(in_box stat -c %s .env)" -gt 0 ]
    run in_box unshare -Urm python3 read.py .env
    refute_contains "$SECRET"
    assert_contains "open refused"
    run in_box unshare -Urm sh -c 'mkdir -p /tmp/a /tmp/b; mount --rbind . /tmp/a && cat /tmp/a/.env /tmp/a/private/key
        touch /tmp/file; mount --bind .env /tmp/file && cat /tmp/file
        mount --bind private /tmp/b && cat /tmp/b/key; chroot /tmp/a cat .env; ls /tmp/a; echo tried'
    assert_contains tried
    assert_contains read.py
    refute_contains "$SECRET"
    # A folder that the box has closed is open to its own root alone, and not to the guard.
    run in_box unshare -Urm sh -c 'chmod 0 . && echo closed; read -r line <.env; echo "$line tried"'
    chmod 755 "$PROJECT"
    assert_contains closed
    assert_contains tried
    refute_contains "$SECRET"
}

@test "hidden: known: an overlay that a box that may nest mounts shows what the host has replaced" {
    # Its files have inodes of their own. As long as a cover stands there is no such overlay.
    local overlay='mkdir -p /tmp/m && mount -t tmpfs t /tmp/m && mkdir /tmp/m/u /tmp/m/w /tmp/m/o &&
        mount -t overlay o -o "userxattr,lowerdir=$PWD/$1,upperdir=/tmp/m/u,workdir=/tmp/m/w" /tmp/m/o && echo mounted
        cat /tmp/m/o/key'
    mkdir -p plain
    run in_box unshare -Urm sh -c "$overlay" sh plain
    [[ $output == *mounted* ]] || skip "this kernel mounts no overlay in a user namespace"
    mkdir -p covered
    echo "$SECRET" >covered/key
    escape_config '[security]
nested = true
[project]
hidden = ["covered/key"]'
    box apply 2>/dev/null
    run in_box unshare -Urm sh -c "$overlay" sh covered
    refute_contains mounted
    refute_contains "$SECRET"
    hide nested covered/key
    run in_box unshare -Urm sh -c "$overlay" sh covered
    assert_contains "$SECRET"
    rm -r plain covered
}

@test "hidden: control: in such a box programs open everything else as ever" {
    run in_box python3 -c '
import errno, os, pty, socket, subprocess, tempfile, threading
assert open("/proc/self/status").read().split("Pid:\t")[1].split()[0] == str(os.getpid())
assert "python" in open("/proc/self/cmdline").read() and open("/proc/self/maps").read() and open("/proc/thread-self/comm").read()
assert os.readlink("/proc/self/exe") and open("/proc/self/exe", "rb").read(4) == b"\x7fELF"
assert open("/proc/1/cmdline").read() != open("/proc/self/cmdline").read()
assert os.listdir("/usr") and os.listdir("/proc/self/fd")
master, slave = pty.openpty()
os.fsencode(os.ttyname(slave))
assert open(os.ttyname(slave), "rb", 0)
with tempfile.TemporaryFile() as f:
    f.write(b"kept")
    f.flush()
    assert open(f"/proc/self/fd/{f.fileno()}", "rb").read() == b"kept"
os.mkfifo("/tmp/fifo")
writer = threading.Thread(target=lambda: open("/tmp/fifo", "w").write("through"))
writer.start()
assert open("/tmp/fifo").read() == "through"
writer.join()
s = socket.socket(socket.AF_UNIX)
s.bind("/tmp/socket")
for name, wanted in (("/tmp/socket", errno.ENXIO), ("/nowhere", errno.ENOENT), ("/etc/passwd/x", errno.ENOTDIR)):
    try:
        os.open(name, os.O_RDONLY)
        print("opened", name)
    except OSError as e:
        assert e.errno == wanted, (name, e)
try:
    os.open("/etc/passwd", os.O_RDONLY | os.O_DIRECTORY)
except OSError as e:
    assert e.errno == errno.ENOTDIR
os.symlink("/etc/passwd", "/tmp/link")
try:
    os.open("/tmp/link", os.O_RDONLY | os.O_NOFOLLOW)
except OSError as e:
    assert e.errno == errno.ELOOP
os.mkdir("/tmp/closed", 0)
try:
    os.listdir("/tmp/closed")
    print("listed")
except OSError as e:
    assert e.errno == errno.EACCES
assert open("/dev/zero", "rb").read(2) == b"\0\0" and open("/dev/urandom", "rb").read(1)
print("all is well")'
    assert_output "all is well"
    run in_box_as -t -- sh -c 'read -r line </dev/tty; echo "has read $line"' <<<typed
    assert_contains "has read typed"
    run in_box sh -c 'cat /etc/shadow; cat /proc/1/environ'
    [ "$status" != 0 ]
}
