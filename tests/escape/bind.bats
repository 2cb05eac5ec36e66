#!/usr/bin/env bats
# Sockets at protected names and in repositories, by bind(2) (7). Git on the host takes one that may be executed for a
# folder, so that `objects` makes a repository of a folder that the box has filled.

load escape.bash
setup_file() {
    escape_setup_guarded '[project]
hidden = [".secret"]'
    git config --global user.name Me
    git config --global user.email me@example.org
    echo one >file
    git add file
    git commit -qm one
    printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$TEST_HOME" >evil.sh
    chmod +x evil.sh
    cp "$(dirname "$ATTACK")/bind-races" bind-races 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/bind_races.c" -o bind-races
    cp "$BATS_TEST_DIRNAME/bind_attempts.py" bind.py
}
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() { rm -rf "$PROJECT"/.git/refs/x "$PROJECT"/races.d "$TEST_HOME/ran"; }

# A folder of references with all that git wants of a repository, but for objects.
incomplete() { # FOLDER
    mkdir -p "$1/refs"
    cp .git/HEAD .git/index "$1"
    printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n\tfsmonitor = %s/evil.sh\n' "$PWD" "$PWD" >"$1/config"
}

# What the host's git does in FOLDER. Nothing may have run.
host_git() { # FOLDER
    (cd "$1" && git status --short; git add -A --dry-run "$PROJECT") >/dev/null 2>&1 || true
    [ ! -e "$TEST_HOME/ran" ] || fail "git on the host ran a program of the box"
}

@test "bind: control: a socket can be made at ordinary names, and on the host at all of these" {
    local name has_compat
    attack abi compat
    has_compat=$status
    mkdir -p sub .github
    for name in plain sub/plain .github/x .git.x; do
        run in_box python3 bind.py "$name"
        assert_output made
        attack socket-by-compat "$name"
        [ "$has_compat" != 0 ] || assert_succeeded # else this kernel has no 32-bit system calls
        rm -f "$name"
    done
    incomplete .git/refs/x
    for name in .envrc .git/refs/x/objects; do
        run python3 bind.py "$name"
        assert_output made
    done
    # Control: with such a socket it is a repository.
    "$ATTACK" socket .git/refs/x/objects
    run host_git .git/refs/x
    assert_contains "ran a program"
    # And not without the right to execute it.
    rm "$TEST_HOME/ran"
    chmod a-x .git/refs/x/objects
    host_git .git/refs/x
}

@test "bind: no socket comes about at a protected name (7)" {
    local name
    in_box sh -c 'mkdir -p sub; git init -q other; mkdir -p .git/refs/x'
    for name in .envrc .idea ENVRC~1 .envrc.lock .secret sub/.git sub/HEAD sub/GIT~1 .git/commondir .git/hooks/post-update .git/x \
        .git/config.lock other/.git/commondir other/.git/hooks/post-update .git/refs/x/objects .git/refs/x/commondir; do
        run in_box python3 bind.py "$name"
        assert_output EROFS
        attack socket "$name"
        assert_refused EROFS
        attack socket-by-compat "$name"
        assert_refused ENOSYS # what socketcall(2) says
        [ ! -e "$name" ] || fail "made: $name"
    done
    for name in .vscode .git/HEAD .git/config; do
        run in_box python3 bind.py "$name"
        assert_output EADDRINUSE
    done
}

@test "bind: nor by root of the box (7)" {
    local name
    chmod 0777 . .git .git/refs # root of the box cannot enter the user's folders
    in_box sh -c 'mkdir -p .git/refs/x; chmod 777 .git/refs/x'
    for name in .envrc .git/x .git/refs/x/objects; do
        run box run -u root -w "$PROJECT" -- ./attack socket "$name"
        assert_refused EROFS
        [ ! -e "$name" ]
    done
    # Control: it can make one.
    run box run -u root -w "$PROJECT" -- ./attack socket plain
    assert_succeeded
    rm -f plain
    chmod 0755 . .git .git/refs
}

assert_races_lost() { # PATH KIND…
    local kind path=$1
    shift
    for kind; do
        # Control: they are won where nothing protects.
        mkdir -p "$TEST_HOME/free"
        (cd "$TEST_HOME" && "$PROJECT/bind-races" "$kind" "$TEST_HOME/free/${path##*/}" 10000 && rm -rf races.d free)
        run in_box ./bind-races "$kind" "$path" "$RACE_MS"
        assert_status 1
        [ ! -e "$path" ]
    done
}

@test "bind: addresses, folders and sockets that change during a call make none that git takes for a folder (7)" {
    assert_races_lost "$PROJECT/.envrc" address abstract socket folder
    in_box sh -c 'mkdir -p .git/refs/x'
    assert_races_lost "$PROJECT/.git/refs/x/objects" socket folder # no other name is harmless there
}

@test "bind: a socket that a race has left in a repository gets no right to be executed (7)" {
    incomplete .git/refs/x
    (umask 0111 && "$ATTACK" socket .git/refs/x/objects)
    host_git .git/refs/x
    # shellcheck disable=SC2016 # the box's shell expands these
    attempt 'cd .git/refs/x; chmod 777 objects; setfacl -m u::rwx objects; exec 3<.; chmod 777 /proc/self/fd/3/objects
        ln objects ../../../alias; ln objects alias; mv objects ../../../alias; mv ../x ../y; mv ../x ../../../y'
    attempt 'python3 -c "
import os
fd = os.open(\".git/refs/x/objects\", os.O_PATH)
def tries(call):
    try: call()
    except OSError as error: print(error)
path = f\"/proc/self/fd/{fd}\"
tries(lambda: os.chmod(path, 0o777))
tries(lambda: os.link(path, \"alias\", src_dir_fd=0))
os.chmod(\".git/refs/x\", 0)
tries(lambda: os.chmod(path, 0o777))
os.chmod(\".git/refs/x\", 0o755)
"'
    refute_contains Traceback
    refute_contains "cross-device" # then it would not have followed the link
    [ ! -e alias ]
    [ -S .git/refs/x/objects ]
    [ ! -x .git/refs/x/objects ]
    host_git .git/refs/x
    # Control: the box may do that with its own.
    (umask 0111 && "$ATTACK" socket plain)
    in_box chmod 777 plain
    [ -x plain ]
    rm plain
}

@test "bind: the guard does not wait for a connection that it is the last to close (9)" {
    cp "$(dirname "$ATTACK")/bind-lingers" bind-lingers 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/bind_lingers.c" -o bind-lingers
    run in_box ./bind-lingers 150
    assert_output "0 of 150 hang"
    assert_succeeded
    rm bind-lingers
}
