#!/usr/bin/env bats
# Another ordinary user of the same machine, alone or together with a hostile program in a box: what that user can
# see and do of a user's boxes (invariants 1, 2, 5, 6, 7). The user's home is open to all, as it is on some systems.

load escape.bash
load ../lib/other_user.bash
load ../lib/port.bash
load ../lib/ssh.bash

setup_file() {
    need_other_user
    HOME_MODE=$(stat -c %a "$HOME")
    export HOME_MODE TOKEN=$SECRET-and-of-no-other-test
    escape_setup_file
    ssh_setup work
    attach work
    git init -q .
    escape_config "[box]
idle_stop = \"never\"
env = { TOKEN = \"$TOKEN\" }"
    chmod 600 litterbox.toml
    chmod 755 "$HOME"
    PORT=$(free_port)
    export PORT
    # What others may do with the files that `box` makes must not depend on the umask.
    (umask 0 && box run -- sh -c 'echo "$TOKEN" >~/secret' && box port add "$PORT:8000" && box list) >/dev/null
    web
}
teardown_file() {
    [ -n "${LAB_OTHER:-}" ] || return 0
    chmod "$HOME_MODE" "$HOME"
    ssh_teardown
    box_teardown
}
setup() {
    escape_setup
    # As /tmp, but that another user owns it.
    SHARED=$(as_other mktemp -d /var/tmp/shared.XXXXXX)
    as_other chmod 1777 "$SHARED"
    mkdir "$TEST_HOME/mine"
    new_project "$TEST_HOME/two"
    echo "$SECRET" >"$TEST_HOME/mine/secret"
    chmod 700 "$TEST_HOME/mine"
}
teardown() {
    [ -n "${LAB_OTHER:-}" ] || return 0
    [ -z "${SWAPPER:-}" ] || { kill "$SWAPPER" && wait "$SWAPPER"; } || true
    attach work
    rm -rf "$TEST_HOME/mine" "$TEST_HOME/two" "${SHARED:?}"/* 2>/dev/null || true # the rest is the other user's
    as_other rm -rf "$SHARED"
}

# Tries to connect to each socket.
connect='
import os, socket, sys
for path in sys.argv[1:]:
    for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET:
        try:
            socket.socket(socket.AF_UNIX, kind).connect(path)
            print("connected", path)
        except OSError as error:
            print(error.strerror, path)'

@test "other user: no socket of a box, its agent or Podman can be reached, with control (2)" {
    local sockets name open=$SHARED/open.sock
    # Those of other tests may have nobody behind them.
    mapfile -t sockets < <(find "$XDG_RUNTIME_DIR" -type s)
    mapfile -t sockets < <(python3 -c "$connect" "${sockets[@]}" | sed -n 's/^connected //p')
    for name in shop/ctl/sock shop/port.sock .agent/control .agent/boxes/shop/socket; do
        [[ " ${sockets[*]} " == *" $RUNTIME/$name "* ]] || fail "no $name"
    done
    chmod 755 "$XDG_RUNTIME_DIR"
    run as_other python3 -c "$connect" "${sockets[@]}"
    chmod 700 "$XDG_RUNTIME_DIR"
    [ "$(grep -c '^Permission denied' <<<"$output")" = $((2 * ${#sockets[@]})) ] || fail "$output"
    # Control.
    (umask 0 && exec python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1] + ".new"); s.listen()
os.rename(sys.argv[1] + ".new", sys.argv[1]) # nobody finds it before it listens
s.accept()' "$open") 3>&- &
    eventually test -S "$open"
    run as_other python3 -c "$connect" "$open"
    assert_contains "connected $open"
    wait "$!"
    rm "$open"
}

# open_files: what the second user can read and finds the secret in, or can write, of files that are not its own.
open_files() {
    # shellcheck disable=SC2016 # the other user's shell expands these
    as_other bash -c 'find /home /run /tmp /var/tmp /dev/shm ! -user "$USER" ! -type l \( -type f -readable -exec grep -l "$0" {} + \
        -o -writable ! -perm -1000 ! -type c ! -type s -printf "writable: %p\n" \) 2>/dev/null' "$TOKEN"
}

@test "other user: no file of Litterbox can be written, and none with a secret read, with control (1, 5)" {
    local known=$TEST_HOME/known
    grep -rq "$TOKEN" "$DATA/boxes/shop/home"
    grep -q "$TOKEN" "$STATE/trust/"*.toml
    mkdir -m 777 "$known"
    echo "$TOKEN" >"$known/secret"
    run open_files
    rm -r "$known"
    [ "$(sort <<<"$output")" = "$known/secret
writable: $known" ] || fail "$output" # the controls alone
}

# What can be learned of each process, and whether it can be stopped.
look='
import os, signal, sys
for pid in sys.argv[1:]:
    for name in "environ", "maps", "mem", "cwd", "root", "exe", "fd", "task/" + pid + "/environ":
        path = "/proc/%s/%s" % (pid, name)
        try:
            if name in ("cwd", "root", "exe"):
                os.readlink(path)
            elif name == "fd":
                os.listdir(path)
            else:
                with open(path, "rb") as file:
                    if name != "mem": file.read()
            if name in ("cwd", "root"):
                os.listdir(path)
            print("open", path)
        except OSError:
            print("closed", path)
    try:
        os.kill(int(pid), 0)
        print("open to signals", pid)
    except PermissionError:
        print("closed to signals", pid)'

@test "other user: processes of a box and its helpers show neither memory nor files, with control (5, 6)" {
    local pids first
    first=$(pid_one "$(container_name)")
    mapfile -t pids < <(echo "$first"; pgrep -P "$first"; forwarder_pid; agent_pid)
    [ "${#pids[@]}" -ge 4 ]
    run as_other python3 -c "$look" "${pids[@]}"
    refute_contains open
    [ "$(grep -c '^closed /proc/' <<<"$output")" = $((8 * ${#pids[@]})) ] || fail "$output"
    [ "$(grep -c '^closed to signals' <<<"$output")" = "${#pids[@]}" ] || fail "$output"
    # Controls: the same tool, on a process of its own, and the user's on the server in the box.
    run as_other python3 -c "import os, sys; sys.argv[1:] = [str(os.getpid())]; $look"
    refute_contains closed
    run python3 -c "$look" "$(pgrep -f 'http.server --bind 127.0.0.1 8000')"
    assert_contains "/environ"
    refute_contains "closed"
}

@test "other user: no command line of Litterbox or Podman has what a box's environment has, with control (5)" {
    # shellcheck disable=SC2016 # the box's shell expands these
    TOLD=$TOKEN-told box run --detach -e TOLD -- sh -c 'test "$TOLD" = "$TOKEN-told" && exec sleep 1000.5'
    eventually pgrep -f 'sleep 1000.5'
    # shellcheck disable=SC2016 # the other user's shell expands these
    run as_other sh -c 'cd /proc; for pid in [0-9]*; do tr "\0" " " 2>/dev/null <$pid/cmdline; echo; done'
    assert_contains "sleep 1000.5" # what a box runs is seen by all, as every command
    assert_contains "litterbox-port"
    refute_contains "$SECRET"
    pkill -f 'sleep 1000\.5'
}

@test "other user: a program that a box made gives nobody the rights of the user, with control (6)" {
    local made
    # shellcheck disable=SC2016 # the box's shell expands these
    attempt 'for to in "$1" ~; do cp /usr/bin/id "$to/made" && chmod 6755 "$to/made"; done' "$PROJECT"
    ln "$DATA/boxes/shop/home/made" "$TEST_HOME/made" # else the folders above it are closed
    for made in "$PROJECT/made" "$TEST_HOME/made"; do
        run as_other "$made" -u
        rm "$made"
        assert_output "$(id -u "$LAB_OTHER")"
    done
    cp /usr/bin/id "$TEST_HOME/control"
    chmod 4755 "$TEST_HOME/control"
    run as_other "$TEST_HOME/control" -u
    rm "$TEST_HOME/control"
    assert_output "$(id -u)"
}

# Makes folders open to all, in all ways.
open_up='
import errno, os, struct, subprocess
os.umask(0)
tags = 1, 4, 0x20 # acl(5): owner, group, others
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, 7, 0xffffffff) for tag in tags)
def open_up(path):
    fd = os.open(path, os.O_RDONLY)
    for mode in 0o777, 0o722, 0o622, 0o733:
        os.fchmod(fd, mode)
    os.chmod(path, 0o777)
    os.chmod("/proc/self/fd/%d" % fd, 0o777)
    for kind in "access", "default":
        try:
            os.setxattr(path, "system.posix_acl_" + kind, acl)
            print("acl", path)
        except OSError as error:
            assert error.errno == errno.EOPNOTSUPP
subprocess.run(["git", "init", "-q", "new"], check=True)
for path in ".config", ".git/modules", "free", "moved":
    os.mkdir(path, 0o777)
for path in ".", ".git", ".config", ".git/modules", "new/.git", "new/.git/hooks", "free", "moved":
    open_up(path)
os.mkdir("moved/.git", 0o777)'

@test "other user: a box gives others no right to make protected names, with control (7)" {
    run in_box python3 -c "$open_up"
    assert_output "acl free
acl free
acl moved
acl moved" # controls
    [ "$(stat -c %a .)" = 755 ]
    # shellcheck disable=SC2016 # the other user's shell expands these
    run as_other sh -c 'cd "$1" && shift && for name; do mkdir "$name" 2>/dev/null && echo "planted $name"; done; true' sh \
        "$PROJECT" .envrc .git/hooks2 .git/modules/new .config/mise.toml new/.git/new new/.git/hooks/pre-commit \
        moved/.git/hooks free/.envrc
    as_other find "$PROJECT" -user "$LAB_OTHER" -delete
    rm -rf new free moved .config .git/modules
    assert_output "planted free/.envrc" # control
}

@test "other user: a box gives others no right to write what leads git to its configuration, with control (7)" {
    run in_box python3 -c '
import os, struct, subprocess
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, 6, 0xffffffff) for tag in (1, 4, 0x20))
os.umask(0)
subprocess.run(["git", "init", "-q", "new"], check=True)
subprocess.run(["git", "config", "user.name", "x"], check=True)
os.mkdir("sub")
with open("sub/.git", "w") as file:
    file.write("gitdir: ../.git/modules/x\n")
open("free", "w").close()
os.open("new/.git/config.lock", os.O_WRONLY | os.O_CREAT, 0o666)
for path in ".git/config", "new/.git/config", "new/.git/config.lock", "sub/.git", "free":
    fd = os.open(path, os.O_RDONLY)
    for mode in 0o666, 0o664, 0o646, 0o602:
        os.chmod(path, mode)
        os.fchmod(fd, mode)
        os.chmod("/proc/self/fd/%d" % fd, mode)
    try:
        os.setxattr(path, "system.posix_acl_access", acl)
    except OSError:
        print("no list", path)
os.rename("new/.git/config.lock", "new/.git/config")'
    assert_output "no list .git/config
no list new/.git/config
no list new/.git/config.lock
no list sub/.git"
    run find . -maxdepth 3 '(' -name .git -o -name config -o -name free ')' ! -type d -perm /022
    assert_output "./free" # control
    rm -rf new sub free
}

@test "other user: a box that removes an access list gives the group no rights to write, with control (7)" {
    # One user more may write; the group may not, but the mode says so of what it stands for then (acl(5)).
    local lists='
import os, struct, sys
entries = (1, 7, -1), (2, 7, 12345), (4, 5, -1), (16, 7, -1), (32, 5, -1)
for path in sys.argv[1:]:
    os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) +
                b"".join(struct.pack("<HHi", *entry) for entry in entries))'
    mkdir -p free .config .config/below
    python3 -c "$lists" . .git .config free
    [ "$(stat -c %a . .git .config free | uniq)" = 775 ]
    run in_box python3 -c '
import os
os.removexattr(".", "system.posix_acl_access")
fd = os.open(".git", os.O_RDONLY)
os.removexattr(fd, "system.posix_acl_access")
os.removexattr(".config", "system.posix_acl_access", follow_symlinks=False)
os.removexattr("free", "system.posix_acl_access")
for path in ".", ".git", ".config", "free":
    assert not os.listxattr(path)'
    assert_status 0
    run stat -c %a . .git .config free
    assert_output "755
755
755
775" # control
    chmod 775 .git # without a list the mode stays
    run in_box python3 -c 'import os; os.removexattr(".git", "system.posix_acl_access")'
    assert_status 0
    [ "$(stat -c %a .git)" = 775 ]
    chmod 755 .git
    rm -r free .config
}

@test "other user: a box of the same project is another box, and sees what its user may see (1, 2)" {
    echo private >private
    chmod 600 private
    run as_other box run "$PROJECT" -- true
    assert_status 64
    assert_contains "belongs to another user"
    as_other box init --anyway --no-file "$PROJECT"
    run as_other box run "$PROJECT" -- true
    assert_status 78 # the second user has not approved its litterbox.toml, and cannot read it either
    mv litterbox.toml "$TEST_HOME/aside"
    # shellcheck disable=SC2016 # the box's shell expands these
    run as_other box run "$PROJECT" -- sh -c 'cat private; echo evil >evil; echo "user $(id -u)"; cat ~/secret; ls /run/litterbox/ssh'
    mv "$TEST_HOME/aside" litterbox.toml
    assert_contains "user $(id -u "$LAB_OTHER")"
    refute_contains private$'\n'
    refute_contains "$SECRET"
    [ ! -e evil ]
    run as_other box list
    assert_contains shop
    as_other box rm --yes "$PROJECT"
    assert_box_alive
}

@test "other user: a project that another user plants above a folder is not found, with control (1)" {
    mkdir "$SHARED/work"
    cp -r "$TEST_HOME/mine" "$SHARED/beside"
    as_other sh -c "cd '$SHARED' && git init -q . && echo '[box]' >litterbox.toml"
    cd "$SHARED/work"
    box init --no-file
    run box run -- sh -c "ls -A $SHARED; cat $SHARED/beside/secret"
    assert_contains work
    refute_contains "$SECRET"
    box rm --yes
    as_other rm -rf "$SHARED/.git" "$SHARED/litterbox.toml"
    git init -q "$SHARED" # the user's own counts
    box init --no-file --anyway "$SHARED"
    run box run -- cat "$SHARED/beside/secret"
    box rm --yes
    rm -rf "$SHARED/.git"
    assert_contains "$SECRET"
}

@test "other user: a link of another user leads no mount to the user's files, with control (1)" {
    ln -s "$TEST_HOME/mine" "$TEST_HOME/own"
    as_other ln -s "$TEST_HOME/mine" "$SHARED/linked"
    cd "$TEST_HOME/two"
    user_config "[[mount]]
source = \"$SHARED/linked\"
target = \"/mnt/linked\""
    run box run -- cat /mnt/linked/secret
    refute_contains "$SECRET"
    assert_status 78
    user_config "[[mount]]
source = \"$TEST_HOME/own\"
target = \"/mnt/linked\""
    run box run -- cat /mnt/linked/secret
    attach work
    box rm --yes
    assert_contains "$SECRET"
}

@test "other user: a mount's source that another user swaps shows no file of the user (1)" {
    as_other sh -c "chmod 755 '$SHARED' && mkdir '$SHARED/source' && ln -s '$TEST_HOME/mine' '$SHARED/other'"
    cd "$TEST_HOME/two"
    user_config "[[mount]]
source = \"$SHARED/source\"
target = \"/mnt/source\""
    as_other python3 -c 'import ctypes, random, sys, time
libc = ctypes.CDLL(None)
while True:
    time.sleep(random.uniform(0, 0.08))
    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)' "$SHARED/source" "$SHARED/other" 3>&- &
    SWAPPER=$!
    local i swaps=0
    for ((i = 0; i < 15; i++)); do
        [ ! -L "$SHARED/source" ] || swaps=$((swaps + 1))
        run box run -- sh -c 'cat /mnt/source/secret; true'
        refute_contains "$SECRET"
        box stop >/dev/null 2>&1 || true # it may not have been started
    done
    [ "$swaps" -gt 0 ]
}

@test "other user: a project that another user swaps for a link shows no file of the user (1)" {
    as_other sh -c "mkdir -m 777 '$SHARED/shop2'"
    box init --anyway --no-file "$SHARED/shop2"
    box run "$SHARED/shop2" -- true
    box stop shop2
    as_other sh -c "cd '$SHARED' && mv shop2 away && ln -s '$TEST_HOME/mine' shop2"
    run box run shop2 -- sh -c "cat $SHARED/shop2/secret; ls"
    refute_contains "$SECRET"
    [ "$status" != 0 ]
    box rm --yes shop2
}

@test "other user: a runtime folder that others may write is refused (2)" {
    local open=$TEST_HOME/open
    mkdir -m 700 "$open"
    run env XDG_RUNTIME_DIR="$open" box doctor # control: it is taken
    refute_contains "no runtime folder of your own"
    chmod 777 "$open"
    run env XDG_RUNTIME_DIR="$open" box run -- true
    assert_status 125
    assert_contains "runtime folder"
}

@test "other user: a forwarded port is open to every user of the machine, which is known" {
    run as_other curl -s -m 20 "http://127.0.0.1:$PORT/"
    assert_contains "Directory listing"
}
