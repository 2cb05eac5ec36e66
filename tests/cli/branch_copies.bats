#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr; each test has its own BEFORE
# Branches where no overlay can be mounted: copies. branch.bats and the others have what is the same for both.

load ../lib/box.bash
load ../lib/branch.bash
load ../lib/killed.bash
setup() {
    branch_setup
    box run -- true
    BRANCH=$DATA/boxes/shop/branches/b
}
teardown() { box_teardown; }

@test "branch copies: one is made and said, its changes are listed, shown, taken and undone, and the host's are not among them" {
    run --separate-stderr without_mounts run --branch b -- sh -ec 'cat one sub/deep/three; readlink link; ./script; '"$CHANGE_ALL"
    assert_status 0
    assert_output $'one\nthree\none\nrun'
    [[ $stderr == *"branch 'b': copied "*" files, "*"cannot hold an overlay"* ]] || fail "$stderr"
    before=$(listing)
    run --separate-stderr box branch diff b
    assert_output "$ALL_CHANGES"
    run --separate-stderr box branch diff -p b one
    assert_contains $'-one\n+changed'
    run --separate-stderr box branch diff --stat b one
    assert_contains 'one'
    run --separate-stderr box branch list --json
    [ "$(jq -c '.[] | [.name, .changed, .git, .commits]' <<<"$output")" = '["b",7,false,0]' ] || fail "$output"
    # It is said once, and stays a copy.
    run --separate-stderr box run --branch b -- cat one
    assert_output changed
    [[ $stderr != *copied* ]]
    box branch take --yes b
    run --separate-stderr box branch diff b
    assert_output ""
    [ "$(cat one sub/new)" = $'changed\nnew' ]
    box branch take --undo b
    [ "$(listing)" = "$before" ]
    box branch rename --yes b c
    [ "$(box run --branch c -- cat one)" = changed ]
    box branch drop --yes c
    [ ! -e "$DATA/boxes/shop/branches/c" ]
}

# start COMMAND: in the branch "b", as a copy if it is new.
start() { without_overlays box run --branch b -- sh -ec "$1" 2>"$TEST_HOME/said"; }

@test "branch copies: the host's changes are none of the branch's, and come with its next start; what the branch has stays" {
    mkdir dir other
    echo x | tee dir/x other/x >gone
    touch -d @1000000000 sub/two
    start 'stat -c "%a %Y" script sub/two; echo b >sub/deep/three; rm other/x; chmod 700 dir; echo own >own; echo b >one'
    # Of each kind: changed, removed, made, and of another kind.
    rm -r empty gone
    echo host >empty
    mkdir gone
    echo host | tee gone/in new sub/two one other/x dir/x >/dev/null
    chmod 711 sub
    ln -sfn sub link
    own='M dir/
M one   (changed on the host, too)
D other/x   (changed on the host, too)
A own
M sub/deep/three'
    run --separate-stderr box branch diff b
    assert_output "$own"
    # It sees none of them so far.
    [ "$(start 'cat gone sub/two one; readlink link')" = $'x\ntwo\nb\none' ]
    box branch refresh b
    [ "$(start 'cat empty gone/in new sub/two one; readlink link; stat -c %a sub dir; ! cat other/x')" = $'host\nhost\nhost\nhost\nb\nsub\n711\n700' ] || fail "$(cat "$TEST_HOME/said")"
    [[ $(cat "$TEST_HOME/said") != *copied* ]]
    run --separate-stderr box branch diff b
    assert_output "$own"
    # What was taken is the host's from the next start on.
    box branch take --yes b own sub/deep/three
    box branch refresh b
    [ "$(start 'cat own')" = own ]
    echo later >own
    box branch refresh b
    [ "$(start 'cat own')" = later ]
    # Folders that the host removes go, but for what the branch has there.
    start 'echo b >gone/mine'
    rm -r gone sub
    box branch refresh b
    [ "$(start 'ls -d gone/* sub || true')" = gone/mine ]
    [ "$(box branch diff b gone)" = $'A gone/\nA gone/mine' ]
}

@test "branch copies: hidden names are not in it, also such as become hidden later; it has rights, times, holes and links, but no set-ID bits, FIFOs and sockets" {
    mkdir config locked ro
    echo secret | tee .env config/secret >locked/x
    echo x >ro/x
    truncate -s 1G sparse
    mkfifo fifo
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
    ln script second
    chmod 4755 script
    chmod 640 one
    touch -d @1000000000 one
    chmod 0 locked/x
    chmod 555 ro
    trust_file $'[project]\nhidden = [".env", "config/secret"]'
    [ "$(start 'ls -A; ls config; stat -c "%a %Y" one script second ro; stat -c "%s" sparse; cat config/secret .env || true')" = "config
empty
link
litterbox.toml
locked
one
ro
script
second
sparse
sub
640 1000000000
$(stat -c '755 %Y' script)
$(stat -c '755 %Y' second)
$(stat -c '555 %Y' ro)
1073741824" ] || fail "$(cat "$TEST_HOME/said")"
    grep -q 'could not be copied' "$TEST_HOME/said"
    UPPER=$BRANCH/layers/project/upper
    [ "$(du -s --block-size=1M "$UPPER" | cut -f1)" -lt 50 ]
    run grep -r secret "$UPPER"
    refute_contains "$UPPER/.env"
    refute_contains "$UPPER/config"
    run --separate-stderr box branch diff b
    assert_output ""
    # Control: it is there when it is not hidden.
    trust_file ''
    box branch refresh b
    [ "$(start 'cat config/secret .env')" = $'secret\nsecret' ]
    trust_file $'[project]\nhidden = [".env", "config/secret"]'
    box branch refresh b
    run start 'cat config/secret .env'
    assert_output ""
    [ ! -e "$UPPER/.env" ]
    run --separate-stderr box branch diff b
    assert_output ""
}

@test "branch copies: a home of its own and a worktree's repository are copies, too, and commits are taken" {
    as=(-c user.name=x -c user.email=x@x)
    box run -- sh -c 'echo box >~/who'
    git init -q .
    git add .
    git "${as[@]}" commit -q -m first
    without_overlays box run --branch b --isolated -- sh -ec 'cat ~/who; echo b >~/who; echo b >one; git -c user.name=x -c user.email=x@x commit -qam second'
    [ "$(box run -- cat "$HOME/who")" = box ]
    [ "$(start 'cat ~/who')" = b ]
    box run -- sh -c 'echo new >~/new'
    box branch refresh b
    [ "$(start 'cat ~/who ~/new')" = $'b\nnew' ]
    [ "$(box branch list --json | jq -c '.[] | [.git, .commits]')" = '[true,1]' ]
    box branch take --yes --commits b
    [ "$(git log --format=%s refs/litterbox/b)" = $'second\nfirst' ]
    # A branch without commits of its own.
    without_overlays box run --branch c -- true
    [ "$(box branch list --json | jq -c '.[] | select(.name == "c") | [.git, .commits]')" = '[false,0]' ]
    git worktree add -q "$TEST_HOME/tree"
    cd "$TEST_HOME/tree"
    without_overlays box run --branch b -- git "${as[@]}" commit -q --allow-empty -m third
    [ "$(git log --format=%s --all | grep -c third)" = 0 ]
    [ "$(box run --branch b -- git log --format=%s)" = $'third\nfirst' ]
}

@test "branch copies: of a project in which a file system is mounted there is none" {
    box run --branch b --detach -- sleep 1000 2>/dev/null
    box stop shop.b
    run unshare -rm sh -ec "mount -t tmpfs none sub; exec unshare -U --map-user=$(id -u) --map-group=$(id -g) strace -qq -o /dev/null -e trace=setxattr -e inject=setxattr:error=EOPNOTSUPP box run --branch c -- true"
    assert_status 125
    assert_contains "a file system is mounted in it"
    [ ! -e "$DATA/boxes/shop/branches/c/layers/project/upper" ]
}

# killed.bash.
check_copied() {
    local found
    found=$(box branch list --json | jq -r '.[].name')
    [ -z "$found" ] || [ "$found" = n ] || return
    [ "$1" != 0 ] || [ "$found" = n ] || return
    [ "$(listing)" = "$before" ] || return
    # A part of a copy is no change of the branch's, whatever is asked then.
    [ -z "$found" ] || [ -z "$(box branch diff n)" ] || return
    if [ $((rounds % 2)) = 0 ]; then
        [ "$(without_overlays box run --branch n -- sh -c 'find . -type f | wc -l; cat sub/deep/three' 2>/dev/null)" = "$(find . -type f | wc -l)"$'\n'three ] || return
        [ -z "$(box branch diff n)" ] || return
    elif [ -n "$found" ]; then
        box branch gc || return
        [ -z "$(ls -A "$DATA/boxes/shop/branches")" ] || return
    fi
    [ -n "$(box branch list --json | jq -r '.[].name')" ] || box prune --yes >/dev/null 2>&1
}
drop_copy() { [ ! -e "$DATA/boxes/shop/branches/n" ] || box branch drop --yes n; }


# Kills, with killed.bash.

# A branch that has no copy so far, but will get one.
begin_first() {
    box stop shop.b 2>/dev/null
    rm -rf "$BRANCH/layers/project/upper"
    : >"$BRANCH/copies/project"
}
check_first() {
    [ "$(listing)" = "$before" ] || return
    # A part of a copy is no change of the branch's, and a disk that was full is not so any more.
    [ -z "$(box branch diff b)" ] || return
    [ "$fault" = KILL ] || [ ! -e "$BRANCH/layers/project/part" ] || return
    [ "$(start 'find . ! -name part | wc -l; cat sub/deep/three')" = "$(find . | wc -l)"$'\nthree' ] || return
    [ ! -e "$BRANCH/layers/project/part" ] || return
    [ -z "$(box branch diff b)" ]
}

@test "branch copies: a first copy that is killed, or finds the disk full, at any moment: the next command begins anew" {
    start true
    before=$(listing)
    rounds=0
    each KILL begin_first check_first 'mkdirat symlinkat utimensat syncfs rename fsync' box run --branch b -- true
    each ENOSPC begin_first check_first 'mkdirat symlinkat ftruncate syncfs rename' box run --branch b -- true
    box branch drop --yes b
    enough 20
}

# The host's changes and those of the branch, from a new start on.
begin_later() {
    [ ! -e "$BRANCH" ] || box branch drop --yes b 2>/dev/null
    find "$PROJECT" -mindepth 1 -delete
    mkdir -p sub/deep turns other
    echo one | tee one two file sub/two sub/deep/three turns/in >other/x
    ln -s one link
    start 'echo b >one; rm sub/two; echo b >own'
    box stop shop.b 2>/dev/null
    rm -r turns file other
    echo host | tee turns two new >sub/two
    mkdir -p file new-folder/in
    echo host | tee file/in >new-folder/in/file
    ln -sfn two link
    ln -s two new-link
    before=$(listing)
}
check_later() {
    [ "$(listing)" = "$before" ] || return
    [ "$(box branch diff b)" = $'M one\nA own\nD sub/two   (changed on the host, too)' ] || return
    [ "$(start 'cat one own turns two new file/in new-folder/in/file link new-link; ls -d other sub/two || true')" = $'b\nb\nhost\nhost\nhost\nhost\nhost\nhost\nhost' ] || return
    [ "$(box branch diff b)" = $'M one\nA own\nD sub/two   (changed on the host, too)' ]
}

@test "branch copies: a later copy that is killed, or finds the disk full, at any moment: what the branch has is what it was" {
    rounds=0
    each KILL begin_later check_later 'mkdirat symlinkat renameat unlinkat utimensat' box run --branch b -- true
    each ENOSPC begin_later check_later 'mkdirat symlinkat renameat' box run --branch b -- true
    box branch drop --yes b
    enough 15
}

@test "branch copies: Ctrl-C during the first copy leaves nothing of it" {
    truncate -s 1M large
    start true
    begin_first
    run on_terminal --answer 'copying for branch' '\x03' strace -f -b execve -qq -o /dev/null -e trace=utimensat -e inject=utimensat:delay_enter=1000000 \
        "$(dirname "$(type -P box)")/../libexec/litterbox/box" run --branch b -- true
    assert_status 130
    [ ! -e "$BRANCH/layers/project/part" ]
    [ ! -e "$BRANCH/layers/project/upper" ]
    [ "$(start 'cat one')" = one ]
}
