#!/usr/bin/env bats
# What overlayfs does in a branch, and a program there may notice: each is in box-branch(1), or nobody notices it.

load ../lib/box.bash
load ../lib/branch.bash
setup() {
    branch_setup
    needs_overlays
    UPPER=$DATA/boxes/shop/branches/b/layers/project/upper
}
teardown() { box_teardown; }

# attributes FILE: names of its extended attributes.
attributes() { python3 -c 'import os, sys; print(*sorted(os.listxattr(sys.argv[1], follow_symlinks=False)))' "$1"; }

@test "overlay: a folder of the project is removed, and made again without what was in it; nothing of that marks the project" {
    in_branch 'rm -r sub; mkdir sub; echo new >sub/new; rm one; rm -r empty'
    [ "$(in_branch 'ls -A sub; ls -A')" = $'new\nlink\nscript\nsub' ]
    # The layer says so by a mark and by whiteouts: without userxattr a folder of the project could not be removed at all.
    [ "$(attributes "$UPPER/sub")" = user.overlay.opaque ] || fail "$(attributes "$UPPER/sub")"
    [ "$(stat -c '%F %t:%T' "$UPPER/one")" = 'character special file 0:0' ]
    box branch take --yes b
    [ "$(ls -A sub; ls -A)" = $'new\nlink\nscript\nsub' ]
    [ -z "$(find . -exec python3 -c 'import os, sys
for name in sys.argv[1:]:
    print(*os.listxattr(name, follow_symlinks=False), end="")' {} +)" ]
}

@test "overlay: a folder of the project is renamed by mv, and not in one step; one of the branch is" {
    run box run --branch b -- python3 -c '
import errno, os
try:
    os.rename("sub", "moved")
except OSError as e:
    print(errno.errorcode[e.errno])
os.mkdir("own")
os.rename("own", "renamed")'
    assert_contains EXDEV
    in_branch 'mv sub moved'
    run --separate-stderr box branch diff b
    assert_output 'A moved/
A moved/deep/
A moved/deep/three
A moved/two
A renamed/
D sub/
D sub/deep/
D sub/deep/three
D sub/two'
    box branch take --yes b
    [ "$(cat moved/two moved/deep/three)" = $'two\nthree' ]
    [ ! -e sub ]
}

@test "overlay: a file that is changed keeps its time, holes and inode number, and its second name is a file of its own" {
    truncate -s 100M sparse
    touch -d '2001-02-03 04:05:06.789' one sparse
    echo linked >first
    ln first second
    look='stat -c "%n %i %Y" one sparse'
    before=$(in_branch "$look")
    in_branch 'chmod 600 one sparse'
    [ "$(in_branch "$look")" = "$before" ]
    [ "$(du -k "$UPPER/sparse" | cut -f 1)" -lt 1024 ]
    in_branch 'echo changed >>first'
    [ "$(in_branch 'cat first second')" = $'linked\nchanged\nlinked' ]
    [ "$(box branch diff --name-only b)" = $'first\none\nsparse' ]
    # Nor are they one file on the host after a take: what another program has open there is not written.
    box branch take --yes b first
    [ "$(cat first second)" = $'linked\nchanged\nlinked' ]
}

@test "overlay: of what the host does meanwhile a branch sees what is written in place, and the rest after a refresh" {
    in_branch 'cat one sub/two >/dev/null; ls later sub/later >/dev/null 2>&1 || true'
    box run --branch b --detach -- sleep 1000 2>/dev/null
    echo in-place >one
    echo replaced >"$TEST_HOME/new"
    mv "$TEST_HOME/new" sub/two
    echo made >later
    [ "$(in_branch 'cat one')" = in-place ]
    # Whether it sees these is the kernel's to choose; it must be one or the other, and no error.
    run --separate-stderr box run --branch b -- cat sub/two
    [ "$output" = two ] || [ "$output" = replaced ] || fail "$output"
    box branch refresh b
    [ "$(in_branch 'cat one sub/two later')" = $'in-place\nreplaced\nmade' ]
    [ -z "$(box branch diff b)" ]
}

@test "overlay: commands that begin one branch at once share one mount of its layer" {
    local i
    for i in 1 2 3 4; do
        box run --branch b -- sh -ec "echo $i >from$i; stat -c %m . >mount$i" 2>"$TEST_HOME/said$i" 3>&- &
    done
    for i in 1 2 3 4; do wait -n || fail "$(cat "$TEST_HOME"/said*)"; done
    [ "$(in_branch 'cat from1 from2 from3 from4')" = $'1\n2\n3\n4' ]
    [ "$(containers | grep -c 'shop\.b$')" = 1 ]
    # The mount is in the box's namespace alone, once.
    [ "$(in_branch 'grep -c " overlay " /proc/self/mountinfo')" = "$(in_branch 'grep " overlay " /proc/self/mountinfo | cut -d " " -f 5 | sort -u | wc -l')" ]
    run grep -cF "$UPPER" /proc/self/mountinfo
    assert_output 0
}
