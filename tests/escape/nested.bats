#!/usr/bin/env bats
# Boxes with security.nested, which can create namespaces and mounts and use openat2 (7).

load escape.bash
setup_file() {
    escape_setup_guarded '[security]
nested = true'
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

# The ways to enter a new namespace.
views() {
    printf '%s\n' "env" "unshare -Ur" "unshare -Urm" "bwrap --dev-bind / /" \
        "bwrap --ro-bind / / --bind $PROJECT $PROJECT --proc /proc --dev /dev" \
        "bwrap --dev-bind / / --unshare-all --bind $PROJECT /mnt --chdir /mnt"
}

@test "nested: control: openat2 creates, reads and writes ordinary files in each namespace" {
    local view
    while read -r view; do
        rm -f plain
        # shellcheck disable=SC2086 # words
        run in_box $view ./attack open-how plain </dev/null
        assert_succeeded
        [ -e plain ]
    done < <(views)
}

@test "nested: openat2 does not reach protected names in any namespace (7)" {
    local view path
    while read -r view; do
        for path in .envrc .git/commondir .git/config .vscode/tasks.json; do
            # shellcheck disable=SC2086 # words
            run in_box $view ./attack open-how "$path" </dev/null
            assert_refused
        done
    done < <(views)
    [ ! -e .envrc ]
    [ ! -e .git/commondir ]
}

@test "nested: other calls do not reach protected names in any namespace (7)" {
    local view
    echo evil >evil
    while read -r view; do
        # shellcheck disable=SC2086 # words
        run in_box $view sh -c 'echo evil >.envrc; mkdir .idea; ln -s evil .envrc; ln evil .envrc; mv evil .envrc;
            ./attack exchange evil .envrc; mknod .envrc p;
            echo tried' </dev/null
        assert_contains tried
        [ ! -e .envrc ] || fail "made in: $view"
        [ ! -L .envrc ]
        [ ! -e .idea ]
    done < <(views)
}

@test "nested: sockets get ordinary names in each namespace, and no protected ones (7)" {
    local view name
    cp "$BATS_TEST_DIRNAME/bind_attempts.py" bind.py
    while read -r view; do
        # shellcheck disable=SC2086 # words
        run in_box $view python3 bind.py plain-socket </dev/null
        assert_output made
        for name in .envrc .git/commondir .git/hooks/post-update; do
            # shellcheck disable=SC2086 # words
            run in_box $view python3 bind.py "$name" </dev/null
            assert_output EROFS
            [ ! -e "$name" ] || fail "made in: $view"
        done
    done < <(views)
}

@test "nested: names and flags of openat2 that change during a call do not defeat the guard (7)" {
    local kind
    # "how" is won within 0.6 s where nothing protects, the others within 0.1.
    for kind in openat2 how; do
        run in_box ./races "$kind" "$PROJECT/.git/commondir" 2000
        assert_status 1
        run in_box unshare -Ur ./races "$kind" "$PROJECT/.git/commondir" 2000
        assert_status 1
        [ ! -e .git/commondir ]
    done
}

@test "nested: a nested box's mounts cannot unmount, move or unlock protected paths (7)" {
    local path
    for path in .git/config .git/hooks .vscode; do
        for name in uncover remount clone-tree writable-tree; do
            run in_box unshare -Urm ./attack "$name" "$path"
            assert_refused
        done
    done
    # Another mount of the same files.
    run in_box unshare -Urm sh -c 'mkdir -p /tmp/m && mount --rbind . /tmp/m && cd /tmp/m && echo x >mounted &&
        { echo evil >.envrc; mkdir .idea; echo evil >.git/commondir; echo evil >.git/hooks/post-checkout; }'
    [ "$status" != 0 ] # of the last command
    [ -e mounted ]
    [ ! -e .envrc ]
    [ ! -e .idea ]
    [ ! -e .git/commondir ]
    [ ! -e .git/hooks/post-checkout ]
}

@test "nested: a repository in a subvolume of btrfs is one in the project in each view (7)" {
    python3 -c 'import fcntl, os, struct # BTRFS_IOC_SUBVOL_CREATE
fcntl.ioctl(os.open(".", os.O_RDONLY), 0x5000940e, bytearray(struct.pack("q4088s", 0, b"volume")), True)' 2>/dev/null || mkdir volume
    run in_box sh -c 'git init -q volume; for enter in "" "mkdir -p /tmp/v && mount --bind volume /tmp/v && cd /tmp &&"; do
            unshare -Urm sh -c "$enter cd [v]* && echo x >file && { echo evil >>.git/config; echo evil >.git/hooks/post-checkout
                echo evil >.git/commondir; }"; rm volume/file || echo not tried; done'
    refute_contains "not tried"
    run grep -rl evil volume/.git
    rm -rf volume
    assert_output ""
}

@test "nested: a folder that the box closes does not let its own root write protected names below it (7)" {
    local closed
    for closed in "$PROJECT" "$(dirname "$PROJECT")"; do
        run in_box unshare -Urm sh -c 'mkdir -p .config && chmod 0 "$1" && echo closed
            echo evil >.config/mise.toml; mkdir .config/mise; echo evil >.idea; echo evil >.envrc; echo tried' sh "$closed"
        chmod 755 "$closed"
        assert_contains closed
        assert_contains tried
        [ ! -e .config/mise.toml ]
        [ ! -e .config/mise ]
        [ ! -e .idea ]
        [ ! -e .envrc ]
        # Of the box's home, where the host's is.
        in_box chmod 755 "$closed"
        in_box unshare -Urm sh -c 'echo x >.config/after'
        [ -e .config/after ]
        rm -r .config
    done
}

@test "nested: openat2 never opens the guard's files in /proc (6)" {
    run in_box python3 -c '
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def openat2(path, flags, resolve=0):
    how = (ctypes.c_uint64 * 3)(flags, 0, resolve)
    return libc.syscall(437, -100, path.encode(), how, 24)
for name in ("self", "thread-self", "self/fd", "self/root", "self/cwd", "self/task", "self/fd/../ns"):
    for flags in (os.O_PATH, os.O_RDONLY, os.O_RDONLY | os.O_DIRECTORY):
        fd = openat2("/proc/" + name, flags)
        if fd >= 0:
            where = os.readlink(f"/proc/self/fd/{fd}")
            if where.startswith("/proc") and where.split("/")[2] != str(os.getpid()):
                print("SUCCEEDED", name, where)
assert openat2("/proc", os.O_PATH) >= 0
print("nothing")'
    assert_output nothing
}

@test "nested: a sandbox may make an empty .codex to mount over, and nothing can be put into it or in its place (7)" {
    local view
    mkdir -p other/.codex
    echo evil | tee evil other/.codex/config.toml >/dev/null
    while read -r view; do
        # shellcheck disable=SC2086 # words
        run in_box $view sh -c 'mkdir .codex && echo made; mkdir .codex/deeper .CODEX .idea; echo evil >.codex/config.toml
            cp evil .codex/x; ln evil .codex/x; ln -s evil .codex/x; mv evil .codex/x; mv -T .codex moved
            mv -T other/.codex .codex; ./attack exchange other/.codex .codex; mkdir .vscode/.codex .git/.codex; rmdir .codex
            ln -s other/.codex .codex; mv -T other/.codex .codex; echo evil >.codex; echo tried' </dev/null
        assert_contains made
        assert_contains tried
        [ ! -e .codex ] && [ ! -L .codex ] || fail "there is something in: $view"
        [ ! -e .CODEX ]
        [ ! -e .idea ]
        [ ! -e .vscode/.codex ]
        [ ! -e moved ]
        [ -e evil ]
    done < <(views)
    # Nor while it stays, nor by another user of the host.
    in_box python3 -c 'import os; os.umask(0); os.mkdir(".codex", 0o777)'
    in_box chmod 777 .codex || true # may be refused, or leave bits out
    [ "$(stat -c %a .codex)" = 755 ]
    [ -z "$(ls -A .codex)" ]
    attempt "echo evil >.codex/config.toml; mv other/.codex/config.toml .codex"
    # By other mounts of it.
    run in_box unshare -Urm sh -c 'mkdir /tmp/own /tmp/whole && mount --bind .codex /tmp/own && mount --rbind . /tmp/whole && echo mounted
        echo evil >/tmp/own/config.toml; cp evil /tmp/own/x; ln -s evil /tmp/own/x; mkdir /tmp/own/deeper
        mv evil /tmp/own/x; echo evil >/tmp/whole/.codex/config.toml; ./attack exchange other/.codex /tmp/whole/.codex
        cd /tmp/own && echo evil >config.toml; mkdir deeper; cd /tmp/whole && mv -T other/.codex .codex'
    assert_contains mounted
    [ -z "$(ls -A .codex)" ]
    rmdir .codex
    rm -r other evil
}

@test "nested: what Codex's sandbox mounts works: read-only and empty folders in a writable project" {
    local name arguments=(--ro-bind / / --dev /dev --proc /proc --bind "$PROJECT" "$PROJECT" --ro-bind "$PROJECT/.git" "$PROJECT/.git")
    for name in .agents .codex; do
        arguments+=(--perms 555 --tmpfs "$PROJECT/$name" --remount-ro "$PROJECT/$name")
    done
    run in_box bwrap "${arguments[@]}" --unshare-user --unshare-pid --unshare-net sh -c '
        echo yes >allowed; echo no >.codex/x; echo no >.agents/x; echo no >.git/x; echo no >../x'
    [ "$status" != 0 ] # of the last command
    [ "$(cat allowed)" = yes ]
    [ -z "$(ls -A .codex)" ]
    [ -z "$(ls -A .agents)" ]
    [ ! -e .git/x ]
    [ ! -e ../x ]
    rmdir .codex .agents
    rm allowed
}
