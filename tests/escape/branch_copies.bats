#!/usr/bin/env bats
# What a hostile project or branch could do where branches are copies. branch_as_copies.bats has the attacks of branch.bats.

load escape.bash
load ../lib/branch.bash
setup_file() {
    escape_setup_file
    OUTSIDE=$TEST_HOME/outside
    mkdir -p "$OUTSIDE/deep"
    echo "$SECRET" | tee "$OUTSIDE/file" "$OUTSIDE/deep/file" >"$OUTSIDE/secret"
    export OUTSIDE
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    BRANCH=$DATA/boxes/shop/branches/b
    UPPER=$BRANCH/layers/project/upper
    mkdir -p src/deep
    echo host | tee src/file >src/deep/file
}
teardown() {
    cd "$PROJECT" || return
    : >"$TEST_HOME/stop" # for the swapper of a test that has failed
    box branch drop --yes b 2>/dev/null || true
    find "$PROJECT" -mindepth 1 -delete
    box trust --revoke
}

plant() { without_overlays box run --branch b -- sh -ec "$1" 2>/dev/null; }
outside() { find "$OUTSIDE" -printf '%p %i %y %m %s %l %T@ %C@\n'; }

@test "branch copies: links that the branch has put in place of folders are not followed by later copies (1, 7)" {
    plant "rm -r src; ln -s '$OUTSIDE' src"
    [ -L "$UPPER/src" ]
    before=$(outside)
    # The host writes, makes and removes below, and changes rights.
    echo later | tee src/file src/deep/new >/dev/null
    mkdir src/more
    chmod 711 src/deep
    box branch refresh b
    plant true
    rm -r src/deep
    box branch refresh b
    plant true
    rm -r src
    box branch refresh b
    plant true
    [ "$(outside)" = "$before" ] || fail "$(diff <(echo "$before") <(outside))"
    # Controls: the box is told the link; without it the folder follows the host.
    [ -L "$UPPER/src" ]
    mkdir -p src
    echo control >src/file
    plant 'rm src'
    box branch drop --yes b
    plant true
    echo more >src/more
    box branch refresh b
    [ "$(plant 'cat src/file src/more')" = $'control\nmore' ]
}

@test "branch copies: a project that swaps folders and files for links while it is copied gets nothing else into the copy (1)" {
    mkdir -p "$PROJECT/other"
    ln -s "$OUTSIDE" links
    ln -s "$OUTSIDE/secret" other/link
    echo host >other/file
    plant true
    rm -f "$TEST_HOME/stop"
    python3 - "$TEST_HOME/stop" <<'P' >"$TEST_HOME/swaps" 3>&- &
import ctypes, os, sys
libc = ctypes.CDLL(None)
swaps = 0
while not os.path.exists(sys.argv[1]):
    swaps += libc.renameat2(-100, b"src", -100, b"links", 2) == 0
    swaps += libc.renameat2(-100, b"other/link", -100, b"other/file", 2) == 0
print(swaps)
P
    swapper=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        box stop shop.b 2>/dev/null
        rm -rf "$UPPER"
        : >"$BRANCH/copies/project"
        plant true
        [ -d "$UPPER" ]
        ! grep -rq "$SECRET" "$UPPER" || fail "the secret is in the copy"
    done
    : >"$TEST_HOME/stop"
    wait "$swapper"
    # Controls: names were swapped all the time, and what is read through the link is the secret.
    [ "$(<"$TEST_HOME/swaps")" -gt 1000 ]
    [ "$(cat links/secret src/secret 2>/dev/null)" = "$SECRET" ]
}

@test "branch copies: no change of a file is kept from the host by its times, its size, its inode or the list (7)" {
    plant 'stat -c %y src/file >/tmp/then; printf evil\\n >src/file; touch -d "$(cat /tmp/then)" src/file
        cp -a src/deep/file src/deep/x; printf evil\\n >src/deep/x; touch -r src/deep/file src/deep/x; mv src/deep/x src/deep/file'
    run box branch diff b
    assert_output $'M src/deep/file\nM src/file'
    trust_file $'[security]\nsudo = "allow"'
    # Control: the list is there.
    [ -s "$BRANCH/copies/project" ]
    run box run --branch b -u root -- sh -c 'find / -path /proc -prune -o -path "*copies/project*" -print 2>/dev/null; echo searched'
    assert_contains searched
    refute_contains copies/project
}

@test "branch copies: what root of the box has given to another user holds up no later start (9)" {
    trust_file $'[security]\nsudo = "allow"'
    without_overlays box run --branch b -u root -- sh -ec 'chown -R 1234:1234 src; chmod 700 src' 2>/dev/null
    echo later | tee src/file new >/dev/null
    box branch refresh b
    run without_overlays box run --branch b -- cat new
    assert_status 0
    assert_contains later
    assert_contains "could not be copied"
    box branch drop --yes b
    [ ! -e "$BRANCH" ]
}

@test "branch copies: what the host removes, and root of the box keeps there, is no work of the branch (7)" {
    trust_file $'[security]\nsudo = "allow"'
    mkdir given
    echo host >given/file
    without_overlays box run --branch b -u root -- chown 1234:1234 given 2>/dev/null
    rm -r given
    for _ in 1 2; do
        box branch refresh b
        run --separate-stderr without_overlays box run --branch b -- cat given/file
        assert_output host
        run --separate-stderr box branch diff b
        assert_output ""
    done
    # It goes when it can; control: what the branch makes there is its work.
    without_overlays box run --branch b -u root -- sh -c "chown $(id -u):$(id -g) given; echo b >given/own; chmod 666 given/own" 2>/dev/null
    box branch refresh b
    run --separate-stderr without_overlays box run --branch b -- ls given
    assert_output own
    run --separate-stderr box branch diff b
    assert_output $'A given/\nA given/own'
}

@test "branch copies: huge files with holes, deep folders and odd names cost no more than they hold (9)" {
    truncate -s 1T huge
    python3 - <<'P'
import os
top = os.getcwd()
for i in range(700):
    os.mkdir("deeper-and-deeper")
    os.chdir("deeper-and-deeper")
open("bottom", "w").close()
os.chdir(top)
open("bad\033]0;t\007name\n", "w").close()
open(b"\xff\xfe", "w").close()
P
    run timeout 60 env PATH="$PATH" bash -c "$(declare -f without_overlays); without_overlays box run --branch b -- sh -c 'stat -c %s huge; ls | wc -l'"
    assert_status 0
    assert_contains 1099511627776
    assert_no_controls
    [ "$(du -sm "$UPPER" | cut -f1)" -lt 50 ]
    run timeout 60 box branch list
    assert_status 0
}
