#!/usr/bin/env bats
# What a hostile branch, or a hostile box of the project, could do to the host by a file that 'box branch take' merges.

load escape.bash
load ../lib/branch.bash
setup_file() { escape_setup_file; }
teardown_file() { box_teardown; }
setup() {
    escape_setup
    printf '%s\n' a b c d e >text
    git init -q .
    git add text
    git -c user.name=x -c user.email=x@x commit -q -m first
}
teardown() {
    cd "$PROJECT" || return
    box branch drop --yes b 2>/dev/null || true
    find "$PROJECT" -mindepth 1 -delete
}

plant() { box run --branch b -- sh -ec "$1" 2>/dev/null; }
take() { run timeout 60 box branch take --yes b "$@"; }

@test "branch: a merge runs nothing that attributes, a configuration or the repository name (7)" {
    driver="touch $TEST_HOME/ran; exit 0"
    # The host's own repository and user have it, too: none of it is in force.
    git config merge.evil.driver "$driver"
    git config filter.evil.smudge "$driver"
    git config filter.evil.clean "$driver"
    git config core.fsmonitor "$driver"
    git config core.hooksPath "$PROJECT/hooks"
    mkdir hooks
    printf '#!/bin/sh\n%s\n' "$driver" >hooks/post-index-change
    chmod 755 hooks/*
    plant "sed -i s/a/A/ text; echo 'text merge=evil filter=evil diff=evil' >.gitattributes; mkdir -p .git/info; echo 'text merge=evil' >.git/info/attributes
        git config merge.evil.driver '$driver'; git config core.fsmonitor '$driver'; cp .git/config ~/.gitconfig"
    cp .git/config "$TEST_HOME/global"
    sed -i s/e/E/ text
    run env GIT_CONFIG_GLOBAL="$TEST_HOME/global" GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0="$driver" GIT_EXEC_PATH="$PROJECT" timeout 60 box branch take --yes b text
    assert_status 0
    assert_contains "(merged with what the host has)"
    [ "$(tr -d '\n' <text)" = AbcdE ]
    [ ! -e "$TEST_HOME/ran" ]
    # Control: git of the user would have run it.
    git status >/dev/null 2>&1 || true
    [ -e "$TEST_HOME/ran" ]
}

@test "branch: what the host had is not what the branch says, nor can an index lead out of the project (1, 7)" {
    # Whoever may write the index of the host's repository names another object, and a path above.
    echo "$SECRET" >"$TEST_HOME/secret"
    python3 - <<'P'
import struct, hashlib
def entry(path, mode=0o100644):
    fixed = struct.pack(">10I", 1, 0, 1, 0, 0, 1, mode, 0, 0, 7) + b"\x11" * 20 + struct.pack(">H", len(path))
    return fixed + path + b"\0" * (8 - (62 + len(path)) % 8)
paths = sorted([b"../secret", b"/etc/hostname", b"out/secret", b"text"])
data = b"DIRC" + struct.pack(">II", 2, len(paths)) + b"".join(map(entry, paths))
open(".git/index", "wb").write(data + hashlib.sha1(data).digest())
P
    ln -s .. out
    plant 'sed -i s/a/A/ text; rm -rf .git; git init -q; printf lies >text.orig'
    run ! grep -rqF "$SECRET" "$DATA/boxes/shop/branches/b/then"
    grep -aq text "$DATA/boxes/shop/branches/b/then/list"
    sed -i s/e/E/ text
    # The file did not look as the index says, so there is a copy of it.
    take text
    assert_status 0
    [ "$(tr -d '\n' <text)" = AbcdE ]
    # An object that is not there is an error, and nothing is taken.
    box branch drop --yes b
    git read-tree HEAD
    touch -d '1 minute ago' text
    git update-index --refresh -q || true
    git add text
    touch .git/index
    plant 'sed -i s/b/B/ text'
    rm -rf .git/objects/??
    sed -i s/d/D/ text
    take text
    assert_status 125
    assert_contains "cannot merge 'text'"
    [ "$(tr -d '\n' <text)" = AbcDE ]
}

@test "branch: what a merge is shown as is what is taken, whatever the branch writes meanwhile (7, 9)" {
    plant "sed -i s/a/A/ text; printf '\033]0;t\007\n' >>text"
    sed -i s/b/host/ text
    run timeout 60 box branch take -p --yes b
    assert_status 0
    assert_no_controls
    assert_contains "+A"
    box branch take --undo b
    # A file that has become large, or no text, is left where it is.
    plant 'truncate -s 40M text'
    take
    assert_contains "stays in the branch: 'text' (changed on the host, too)"
    plant 'printf "\0" >text'
    take --strict
    assert_status 125
    [ "$(sed -n 2p text)" = host ]
}
