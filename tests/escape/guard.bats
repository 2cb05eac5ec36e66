#!/usr/bin/env bats
# Attacks on the guard of protected names by races, and after the host has replaced protected files (7).

load escape.bash
setup_file() {
    escape_setup_guarded
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

assert_races_lost() { # KIND…
    local kind
    for kind; do
        echo "# $kind"
        run in_box ./races "$kind" "$PROJECT/.envrc" "$RACE_MS"
        assert_status 1
        [ ! -e .envrc ]
    done
}

@test "guard: a name that changes during a call does not defeat the guard (7)" {
    assert_races_lost open create-only mkdir mknod symlink link rename
    attack abi compat
    [ "$status" -ne 0 ] || assert_races_lost open32 # this kernel has 32-bit system calls
}

@test "guard: folders, links and descriptors that change during a call do not defeat it (7)" {
    assert_races_lost cwd descriptor folder last
}

@test "guard: root of the box loses the same races (7)" {
    local kind
    chmod 0777 . .git # root of the box cannot enter the user's folders
    for kind in open rename folder; do
        run box run -u root -w "$PROJECT" -- ./races "$kind" "$PROJECT/.envrc" "$RACE_MS"
        [ "$status" != 0 ]
        [ ! -e .envrc ]
    done
    chmod 0755 . .git
}

@test "guard: a file that the host replaced stays protected (7)" {
    sed -i s/number/list/ .exrc # renames a new file over it, which removes the mount
    local before
    before=$(sha256sum .exrc)
    attack open-write .exrc
    assert_refused EROFS
    attack truncate .exrc
    assert_refused EROFS
    attack open-path .exrc
    assert_refused
    attack link .exrc second
    assert_refused EROFS
    attack rename .exrc away
    assert_refused EROFS
    run in_box sh -c 'echo evil >evil; ln -sf "$PWD/.exrc" by-link; echo evil >>by-link'
    assert_status 2
    run in_box mv evil .exrc
    assert_status 1
    run in_box ./races write "$PROJECT/.exrc" "$RACE_MS"
    assert_status 1
    [ "$(sha256sum .exrc)" = "$before" ]
}

@test "guard: a second name of a protected file, made by the host, is not written by a race, with control (7)" {
    local kind
    for kind in linked linked-empty linked-truncate linked-fifo linked-device; do
        mkdir -p races.d/plain
        rm -f races.d/plain/*
        ln .exrc races.d/plain/linked
        run in_box ./races "$kind" "$PROJECT/.exrc" "$RACE_MS"
        assert_status 1
        [ "$(<.exrc)" != "" ]
    done
    rm -rf races.d
    # On the host nothing protects it.
    cp .exrc control
    mkdir -p races.d/plain
    ln control races.d/plain/linked
    run ./races linked "$PWD/control" 10000
    assert_status 0
    rm -rf races.d control
}

# The name is one that only its folder makes a hook: the guard takes its shorter way for the harmless one.
@test "guard: a file that must be new becomes no hook of a repository by a race, with control (7)" {
    local kind hook=$PROJECT/sub/.git/hooks/pre-push
    rm -rf races.d
    git init -q sub
    mkdir -p sub/.git/hooks
    for kind in exclusive exclusive-cwd exclusive-descriptor; do
        run in_box ./races $kind "$hook" "$RACE_MS"
        assert_status 1
        [ ! -e "$hook" ]
        run ./races $kind "$hook" "$RACE_MS"
        assert_status 0
        rm "$hook"
    done
    rm -rf races.d sub
}

@test "guard: a configuration of git is not written by its descriptor while its folder moves, with control (7)" {
    in_box git init -q sub
    run in_box ./races moved "$PROJECT/sub/.git/config" "$RACE_MS"
    assert_status 1
    [ -e sub ] || mv sub~ sub # where it was when the race ended
    run ./races moved "$PROJECT/sub/.git/config" 10000
    assert_status 0
    rm -rf sub sub~ races.d
}

@test "guard: a configuration of git is not written by its descriptor where its path is too long, with control (7)" {
    cat >deep.py <<'PY'
import os, subprocess
def chain(path, count):
    os.mkdir(path)
    fd = os.open(path, os.O_RDONLY)
    for _ in range(count):
        os.mkdir("d" * 250, dir_fd=fd)
        fd = os.open("d" * 250, os.O_RDONLY, dir_fd=fd)
    return fd
def attempt(what, call):
    try:
        call()
        print(what)
    except OSError:
        pass
subprocess.run(["git", "init", "-q", "sub"], check=True)
config = os.open("sub/.git/config", os.O_RDONLY)
other = os.open(".", os.O_RDONLY)
upper, lower = chain("upper", 14), chain("lower", 10)
os.rename("sub", "sub", dst_dir_fd=lower)
os.rename("lower", "lower", dst_dir_fd=upper)
path = f"/proc/self/fd/{config}"
attempt("a path", lambda: os.readlink(path))
attempt("write", lambda: os.open(path, os.O_WRONLY))
attempt("truncate", lambda: os.truncate(path, 1))
attempt("empty", lambda: os.open(path, os.O_RDONLY | os.O_TRUNC))
attempt("link", lambda: os.link(path, "linked", dst_dir_fd=other, follow_symlinks=True))
attempt("open", lambda: os.fchmod(config, 0o666))
print("tried")
PY
    run in_box python3 deep.py
    rm -rf upper linked
    assert_output tried
    run python3 deep.py
    rm -rf upper linked deep.py
    assert_output "write
truncate
empty
link
open
tried"
}

@test "guard: what it writes under a name of its own for a moment is not swapped, with control (7)" {
    mkdir sub
    cp "$(dirname "$ATTACK")/own-name" own-name 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/own_name.c" -o own-name
    run in_box ./own-name sub "$RACE_MS"
    assert_status 1
    # Control: on the host the name is like any other.
    mv sub/evil sub/config.litterbox-1
    mv sub/config.litterbox-1 sub/evil
    run in_box sh -c 'cd sub && { mv evil config.litterbox-1 || mkdir config.litterbox-1 || : >config.litterbox-1 ||
        ln -s x config.litterbox-1; }'
    [ "$status" != 0 ]
    [ "$(ls sub)" = evil ]
    rm -rf sub own-name
}

@test "guard: the host's temporary file for a replacement stays protected (7)" {
    cp .exrc .exrc.lock
    attack open-write .exrc.lock
    assert_refused EROFS
    mv .exrc.lock .exrc
    run in_box sh -c 'echo evil >.exrc.lock'
    assert_status 2
}

@test "guard: a folder that the host created again stays protected (7)" {
    rm -r .vscode
    run in_box mkdir .vscode
    assert_status 1
    mkdir -p .vscode/deeper
    echo '{}' >.vscode/tasks.json
    attack open-write .vscode/tasks.json
    assert_refused EROFS
    attack below .vscode
    assert_refused EROFS
    attack below .vscode/deeper
    assert_refused EROFS
    attack below .VSCode/deeper
    assert_refused
    run in_box sh -c 'cd .vscode/deeper && echo evil >evil'
    assert_status 2
    run in_box sh -c 'ln -s .vscode/deeper way; echo evil >way/evil'
    assert_status 2
    [ "$(find .vscode -type f)" = .vscode/tasks.json ]
}

@test "guard: old descriptors and modes give nothing after the host replaced file and folder (7)" {
    mkdir -p .git/hooks
    printf '#!/bin/sh\n' >.git/hooks/pre-commit
    chmod 0644 .git/hooks/pre-commit
    in_box python3 -u -c '
import os, struct, time
# An ACL of owner, group and others alone is a mode (acl(5)): here 0755.
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, right, 0xffffffff) for tag, right in ((1, 7), (4, 5), (32, 5)))
held = [os.open(".exrc", os.O_RDONLY), os.open(".git/hooks/pre-commit", os.O_RDONLY), os.open(".git/hooks", os.O_RDONLY)]
os.mkdir("opened")
while not os.path.exists("replaced"):
    time.sleep(0.1)
def attempt(what, function, *arguments, **more):
    try:
        function(*arguments, **more)
        print("SUCCEEDED", what)
    except OSError:
        print("refused", what)
for name in (".exrc", ".git/hooks/pre-commit"):
    held.append(os.open(name, os.O_RDONLY))
    attempt("chmod", os.chmod, name, 0o755)
    attempt("setxattr", os.setxattr, name, "system.posix_acl_access", acl)
    attempt("lsetxattr", os.setxattr, name, "system.posix_acl_access", acl, 0, follow_symlinks=False)
    attempt("link", os.link, name, "second")
    attempt("rename", os.rename, name, "second")
    attempt("truncate", os.truncate, name, 0)
for fd in held:
    if os.fstat(fd).st_nlink == 0: # the file has no name any more
        continue
    attempt("fchmod", os.fchmod, fd, 0o755)
    attempt("fsetxattr", os.setxattr, fd, "system.posix_acl_access", acl)
    attempt("ftruncate", os.ftruncate, fd, 0)
    attempt("open anew", os.open, f"/proc/self/fd/{fd}", os.O_RDWR)
    attempt("link of a descriptor", os.link, f"/proc/self/fd/{fd}", "second", follow_symlinks=True)
attempt("below", os.open, "evil", os.O_CREAT | os.O_WRONLY, dir_fd=held[2])
attempt("chmod below", os.chmod, "pre-commit", 0o755, dir_fd=held[2])
print("done")' >out 3>&- &
    local client=$!
    eventually test -d opened
    sed -i s/list/wrap/ .exrc
    cp -r .git/hooks .git/anew
    rm -r .git/hooks
    mv .git/anew .git/hooks
    touch replaced
    wait "$client" || true
    run cat out
    assert_contains "refused fchmod"
    assert_contains "refused lsetxattr"
    assert_contains "refused fsetxattr"
    assert_contains "chmod below"
    refute_contains SUCCEEDED
    [ ! -x .git/hooks/pre-commit ]
    [ ! -x .exrc ]
}

@test "guard: control: a box can change modes of ordinary files by path, descriptor and link" {
    run in_box sh -c 'echo x >ordinary; chmod +x ordinary; ln -s ordinary its-link; chmod 0711 its-link; stat -c %a ordinary
        python3 -c "import os; os.fchmod(os.open(\"ordinary\", os.O_RDONLY), 0o755)"; stat -c %a ordinary'
    assert_output "711
755"
}

@test "guard: control: a box can set ACLs and other attributes of ordinary files" {
    run in_box python3 -c '
import errno, os, struct
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, right, 0xffffffff) for tag, right in ((1, 7), (4, 5), (32, 5)))
open("attributes", "w").close()
os.symlink("attributes", "attributes-link")
for name, file in (("path", "attributes"), ("link", "attributes-link"), ("descriptor", os.open("attributes", os.O_RDONLY))):
    os.chmod("attributes", 0o600)
    os.setxattr(file, "system.posix_acl_access", acl)
    print(name, oct(os.stat("attributes").st_mode & 0o777))
for size in (0, 1, 1000):
    os.setxattr("attributes", "user.size", bytes(size))
    print(len(os.getxattr("attributes", "user.size")))
def attempt(*arguments, **more):
    try:
        os.setxattr(*arguments, **more)
        print("set")
    except OSError as e:
        print(errno.errorcode[e.errno])
attempt("attributes", "user.size", b"x", os.XATTR_CREATE)
attempt("attributes", "user.other", b"x", os.XATTR_REPLACE)
attempt("attributes", "user.size", b"x", 4)
attempt("attributes", "", b"x")
attempt("attributes", "user." + 300 * "x", b"x")
attempt("attributes", "user.size", bytes(65537))
attempt("missing", "user.size", b"x")
attempt("attributes-link", "user.size", b"x", follow_symlinks=False)
attempt("attributes", "trusted.size", b"x")
attempt(os.open("attributes", os.O_PATH), "user.size", b"x")'
    assert_output "path 0o755
link 0o755
descriptor 0o755
0
1
1000
EEXIST
ENODATA
EINVAL
ERANGE
ERANGE
E2BIG
ENOENT
EPERM
EPERM
EBADF"
}

@test "guard: editors' temporary names and other spellings of a protected name are refused (7)" {
    local name
    for name in config.vsctmp config___jb_tmp___ 'config ' 'config...' 'config::$DATA' $'con\u200cfig'; do
        attempt 'echo evil >".git/$1"' "$name"
        [ ! -e ".git/$name" ] || fail "made: .git/$name"
    done
    for name in CONFIG.Lock CONFIG~1.LOC 'config.lock '; do
        attempt 'echo evil >".git/$1"' "$name"
        run cat ".git/$name"
        refute_contains evil
        rm -f ".git/$name"
    done
    for name in GIT~1 .GIT $'.g\u200dit' .git. .vscode::x VSCODE~1 ENVRC~1; do
        echo evil >evil
        attempt 'mv evil "$1"' "$name"
        [ ! -e "$name" ] || fail "made: $name"
        attempt 'ln -s /tmp "$1"' "$name"
        [ ! -L "$name" ] || fail "made: $name"
    done
    # Control: similar names are allowed.
    in_box sh -c 'echo x >.gitignore; echo x >.git/configuration; mkdir .github'
    [ -e .gitignore ]
    [ -d .github ]
}

@test "guard: a box gets no descriptor of the guard (6)" {
    local pid file
    for pid in $(in_box pgrep box-guard) 1; do
        for file in mem fd/3 cwd/x root/tmp/x task/$pid/mem oom_score_adj; do
            run in_box sh -c "echo evil >/proc/$pid/$file"
            assert_status 2
        done
        run in_box kill -9 "$pid"
        assert_status 1
    done
}

@test "guard: without its guard a session writes nothing and is ended, and new sessions get a new guard (7)" {
    box run -- sh -c 'trap "" TERM; echo ready >ready; while sleep 0.1; do echo x >written; done' 2>"$TEST_HOME/said" 3>&- &
    local client=$!
    eventually test -e written
    box run -u root -- sh -c 'echo begun; sleep 1000' >"$TEST_HOME/other" 3>&- &
    local other=$!
    eventually grep -q begun "$TEST_HOME/other"
    env -u CONTAINER_HOST podman unshare kill -KILL "$(user_guard)"
    local ended=0
    wait "$client" || ended=$?
    [ "$ended" = 125 ] || fail "status $ended: $(cat "$TEST_HOME/said")"
    run cat "$TEST_HOME/said"
    assert_contains "cannot create written: Function not implemented"
    assert_contains "the guard of the box's protected files crashed"
    kill -0 "$other" # has a guard of its own
    kill "$other"
    wait "$other" || true
    in_box sh -c 'echo x >written'
    [ -e written ]
}

# Makes a repository where paths are too long for the kernel to tell, and moves it up. There the guard knows of a folder
# only on which file system it lies.
deep_repository() {
    run in_box python3 -c '
import os
os.mkdir("deep")
top = os.open(".", os.O_RDONLY)
folders = [os.open("deep", os.O_RDONLY)]
try:
    for name in ["d" * 240] * 20 + [".git", "hooks"]:
        os.mkdir(name, dir_fd=folders[-1])
        folders.append(os.open(name, os.O_RDONLY, dir_fd=folders[-1]))
    os.close(os.open("config", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folders[-2]))
    os.close(os.open("post-checkout", os.O_WRONLY | os.O_CREAT, 0o755, dir_fd=folders[-1]))
except OSError as e:
    print("refused", e.strerror, "after", len(folders))
os.rename("d" * 240, "near", src_dir_fd=folders[9], dst_dir_fd=top)
print("moved")'
    assert_contains moved
    run find near -name post-checkout -printf '%f\n'
    rm -rf deep near
}

@test "guard: a repository where paths are too long to be known (7)" {
    deep_repository
    assert_output ""
}

@test "guard: nor after root of the box has let a guard begin that cannot look at the project (7)" {
    local first
    first=$(user_guard)
    # Root has a guard of its own by then.
    attempt --root 'chmod 0 "$1" && kill -KILL $(pgrep -o -x box-guard -P 1 -u "$2")' "$(dirname "$PROJECT")" "$(id -u)"
    eventually eval '[ -n "$(user_guard)" ] && [ "$(user_guard)" != "$first" ]'
    attempt --root 'chmod 755 "$1"' "$(dirname "$PROJECT")"
    deep_repository
    assert_output ""
}

# Regression: workers share descriptors, and the end of one session closed a descriptor of another.
@test "guard: each of 800 parallel short sessions can create files, though some are killed (9)" {
    local loop loops=()
    for loop in 1 2 3 4; do
        python3 - "$loop" <<'END' >"$TEST_HOME/said.$loop" 2>&1 3>&- &
import subprocess, sys, time
killed = sys.argv[1] == "1"
for _ in range(200):
    run = subprocess.Popen(["box", "run", "--", "sh", "-c", f"echo x >>~/sessions.{sys.argv[1]}"])
    if killed:
        time.sleep(0.002)
        run.kill()
    if run.wait() != 0 and not killed:
        sys.exit(f"exit status {run.returncode}")
END
        loops+=($!)
    done
    for loop in "${loops[@]}"; do wait "$loop" || fail "$(cat "$TEST_HOME"/said.*)"; done
    run cat "$TEST_HOME"/said.*
    assert_output ""
    [ "$(cat "$DATA"/boxes/shop/home/sessions.[234] | wc -l)" = 600 ]
}

# sockets PID: the sockets that PID has open.
sockets() { env -u CONTAINER_HOST podman unshare sh -c 'readlink /proc/$1/fd/*' sh "$1" | grep '^socket:' | sort -u; }

@test "guard: a restarted guard has no descriptor of PID 1 (6)" {
    local first
    first=$(pid_one "$(container_name)")
    env -u CONTAINER_HOST podman unshare kill -KILL "$(user_guard)"
    in_box sh -c 'echo x >again'
    [ -n "$(sockets "$first")" ]
    [ -n "$(sockets "$(user_guard)")" ]
    run comm -12 <(sockets "$first") <(sockets "$(user_guard)")
    assert_output ""
}

# may_fork yes|no PID…: sets whether these processes of the box's root can fork.
may_fork() {
    local pid limit=1
    for pid in "${@:2}"; do
        [ "$1" = no ] || limit=$(prlimit --pid "$pid" --nproc --output HARD --noheadings)
        env -u CONTAINER_HOST podman unshare prlimit --pid "$pid" --nproc="$limit": || return
    done
}

@test "guard: a worker starts as soon as forking is possible again (9)" {
    local guard number workers
    in_box sh -c 'echo x >warm'
    guard=$(user_guard)
    mapfile -t workers < <(pgrep -P "$guard")
    may_fork no "$guard" "${workers[@]}"
    # Each session takes an idle worker, and there are fewer idle workers than sessions.
    for number in {1..8}; do
        box run --detach -- sh -c "echo x >held.$number; exec sleep 1001"
    done
    sleep 1
    [ ! -e held.8 ]
    may_fork yes "$guard" "${workers[@]}"
    eventually [ -e held.8 ]
    in_box sh -c 'echo x >after'
    [ -e after ]
    in_box pkill -x sleep
}

@test "guard: a box whose guard cannot restart runs nothing (7)" {
    local first guard
    first=$(pid_one "$(container_name)")
    guard=$(user_guard)
    may_fork no "$first"
    env -u CONTAINER_HOST podman unshare kill -KILL "$guard"
    eventually eval '[ -z "$(user_guard)" ]'
    run box run -- sh -c 'echo evil >.git/commondir'
    [ "$status" != 0 ]
    may_fork yes "$first"
    run in_box sh -c 'echo evil >.git/commondir'
    [ "$status" != 0 ]
    [ ! -e .git/commondir ]
    in_box sh -c 'echo x >again'
    [ -e again ]
}
