#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box branch take: parts, what the host has changed, kills and failures.

load ../lib/box.bash
load ../lib/branch.bash
setup() { branch_setup; }
teardown() { box_teardown; }

@test "branch: part of it is taken, and what the host has changed is left" {
    in_branch 'echo b >one; echo b >sub/two; mkdir -p new/deep; echo n >new/deep/file; echo m >new/other; rm script'
    run --separate-stderr box branch take --yes b new/deep/file sub
    assert_status 0
    [ "$(cat one sub/two new/deep/file)" = $'one\nb\nn' ]
    [ ! -e new/other ]
    # The host moves on.
    echo host >one
    in_branch 'echo again >sub/two'
    run box branch diff b
    assert_contains "M one   (changed on the host, too)"
    assert_contains "D script"
    # What the branch has put there itself is no work of the host's.
    [[ $output == *'M sub/two' ]]
    run box branch take --yes --strict b
    assert_status 125
    [ -e script ]
    run box branch take --yes b
    assert_status 0
    assert_contains "stays in the branch: 'one' (changed on the host, too)"
    [ "$(cat one sub/two)" = $'host\nagain' ]
    [ ! -e script ]
    box branch take --yes --overwrite b one
    [ "$(cat one)" = b ]
    box branch take --undo b
    [ "$(cat one)" = host ]
}

@test "branch: a name of which only the case changes comes when the old one goes" {
    echo r >readme
    mkdir Dir
    echo d >Dir/file
    in_branch 'mv readme README; mkdir dir; mv Dir/file dir; rmdir Dir; echo x >Script'
    # One of both alone would be the other's twin.
    run box branch take --yes b README
    assert_contains "stays in the branch: 'README' (another name differs only in case)"
    [ ! -e README ]
    run box branch take --yes b
    assert_status 0
    assert_contains "stays in the branch: 'Script' (another name differs only in case)"
    [ "$(cat README dir/file)" = $'r\nd' ]
    [ ! -e readme ]
    [ ! -e Dir ]
    box branch take --undo b
    [ "$(cat readme Dir/file)" = $'r\nd' ]
    # The host goes on with the old one.
    echo host >readme
    run box branch take --yes b
    assert_contains "stays in the branch: 'README' (another name differs only in case)"
    [ "$(cat readme dir/file)" = $'host\nd' ]
}

@test "branch: a name of which only the case changes does not come for one that goes elsewhere" {
    mkdir a A
    echo x | tee a/X A/X
    in_branch 'rm a/X; mv A/X A/x'
    run box branch take --yes b a/X A/x
    assert_status 0
    assert_contains "stays in the branch: 'A/x' (another name differs only in case)"
    [ "$(ls A)" = X ]
    [ -z "$(ls a)" ]
}

@test "branch: a folder in which something stays is neither removed nor replaced" {
    mkdir gone
    echo g >gone/old
    in_branch 'rm -r gone sub; echo file >sub; echo b >one'
    echo new >gone/new
    echo host >sub/two
    run --separate-stderr box branch take --yes b
    assert_status 0
    assert_output $'D gone/old\nM one'
    [[ $stderr == *"'sub' (something in the folder that it replaces stays)"* ]] || fail "$stderr"
    [ "$(cat gone/new sub/two sub/deep/three one)" = $'new\nhost\nthree\nb' ]
}

@test "branch: paths may be written in any way, and one without changes is named" {
    in_branch 'echo b >one; echo b >sub/two; echo b >sub/deep/three'
    [ "$(box branch diff --name-only b ./one "$PROJECT/sub/two" sub//deep/)" = $'one\nsub/deep/three\nsub/two' ]
    run box branch take --yes b ./one sub/./deep oen
    assert_status 0
    assert_contains "nothing has changed in 'oen'"
    [ "$(cat one sub/two sub/deep/three)" = $'b\ntwo\nb' ]
    for path in ../one /etc ''; do
        run box branch take --yes b "$path"
        assert_status 64
    done
    in_branch 'echo b >.envrc'
    box branch take --yes --allow-protected ./.envrc b .envrc
    [ "$(cat .envrc)" = b ]
    run box branch take --yes --allow-protected ../.envrc b
    assert_status 64
}

@test "branch: holes of a file stay holes" {
    in_branch 'truncate -s 1G sparse; echo end >>sparse'
    box branch take --yes b
    [ "$(stat -c %s sparse) $(tail -c 4 sparse)" = "$((1024 * 1024 * 1024 + 4)) end" ]
    [ "$(du -k sparse | cut -f 1)" -lt 1024 ]
}

# hunks [QUESTION ANSWER]…: takes parts of the branch on a terminal.
hunks() {
    local answers=()
    while [ $# -gt 0 ]; do
        answers+=(--answer "$1" "$2\n")
        shift 2
    done
    NO_COLOR=1 run on_terminal "${answers[@]}" box branch take --hunks b
}

@test "branch: the parts of files that are chosen are taken, and the others can be later" {
    seq 12 >text
    printf 'a\0' >bin
    git init -q .
    git add -A
    git -c user.name=x -c user.email=x@x commit -q -m first
    in_branch 'sed -i "2s/.*/zwei/;11s/.*/elf/" text; printf "b\0" >bin; mkdir -p new/deep gone; echo a >new/deep/a; echo b >new/b; mkdir no; echo c >no/c; rm -r sub/deep; rm one; mkdir one; echo d >one/d; chmod 700 script; ln -sfn sub link'
    run box branch take --hunks b
    assert_status 64
    assert_contains "there is no terminal to ask on"
    run box branch take --hunks --yes b
    assert_status 64
    before=$(listing)
    hunks 'this [' q
    assert_contains "nothing was changed"
    [ "$(listing)" = "$before" ]
    # What was said yes to before, and nothing more.
    hunks 'this [' n 'this [' n 'this [' n 'this [' n 'this [' y 'this [' q
    assert_status 0
    [ "$(cat new/deep/a)" = a ]
    box branch take --undo b
    [ "$(listing)" = "$before" ]
    # bin, gone, link, new/b, new/deep/a, no/c, one with what is in it, script's rights, sub/deep/three, text
    hunks 'this [' n 'this [' n 'this [' n 'this [' n 'this [' y 'this [' n 'this [' y 'rights above [' y 'this [' n '(1 of 2)' x '(1 of 2)' n '(2 of 2)' y
    assert_status 0
    for shown in 'Binary files a/bin and b/bin differ' 'A gone/' '-> sub' '+b' '+c' 'A one/d' '+d' 'rights 755 become 700' '-three' '+zwei' 'd  take neither' '+elf'; do
        assert_contains "$shown"
    done
    [ "$(cat text)" = "$(seq 12 | sed '11s/.*/elf/')" ]
    [ "$(cat new/deep/a one/d sub/deep/three)" = $'a\nd\nthree' ]
    [ "$(stat -c %a script) $(readlink link)" = '700 one' ]
    [ ! -e new/b ]
    [ ! -e no ]
    [ ! -e gone ]
    # The host moves on: the rest is merged with its work.
    sed -i '6s/.*/host/' text
    box branch take --yes b text no
    [ "$(cat text)" = "$(seq 12 | sed '2s/.*/zwei/;6s/.*/host/;11s/.*/elf/')" ]
    [ "$(cat no/c)" = c ]
    box branch take --undo b
    [ "$(cat text)" = "$(seq 12 | sed '6s/.*/host/;11s/.*/elf/')" ]
    [ ! -e no ]
}

# before_each HOW CALLS: kills 'box branch take HOW' before each of these calls; all of it is done then, or nothing.
before_each() {
    local call n now
    for call in $2; do
        for ((n = 1; n < 60; n += TEST_STEP)); do
            rounds=$((rounds + 1))
            status=0
            strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box branch take "$1" b >/dev/null 2>&1 || status=$?
            [ "$status" = 0 ] || box list -q >/dev/null 2>&1
            now=$(listing)
            [ ! -e "$DATA/boxes/.taking" ] || fail "$1 $call $n: a record is left"
            [ "$now" != "$3" ] || continue
            [ "$now" = "$4" ] || fail "$1 $call $n: $now"
            # It was done, so it is undone for the next round.
            box branch take "$5" b >/dev/null 2>&1
            [ "$status" != 0 ] || break
        done
    done
}

@test "branch: SIGKILL before any change of a take or its undo: all of it or nothing" {
    local rounds=0 before after
    in_branch 'echo changed >one; rm -r sub; echo b >sub; ln -sf nowhere link; rmdir empty; echo x >empty; mkdir made'
    before=$(listing)
    box branch take --yes b >/dev/null 2>&1
    after=$(listing)
    before_each --undo 'renameat unlinkat rename' "$after" "$before" --yes
    box branch take --undo b
    before_each --yes 'mkdirat renameat2 symlinkat unlinkat rename syncfs' "$before" "$after" --undo
    echo "# $rounds kills" >&3
    [ "$rounds" -gt $((30 / TEST_STEP)) ]
}

# As a command that is killed, but nothing is left for the next one to repair.
@test "branch: Ctrl-C ends a take with the project as it was, and no copies; an undo goes on to its end" {
    local call n before after rounds=0 copies=$DATA/boxes/shop/branches/b/take
    in_branch 'echo changed >one; rm -r sub; echo b >sub; ln -sf nowhere link; rmdir empty; echo x >empty; mkdir made'
    before=$(listing)
    run on_terminal --answer 'Take this' '\x03' box branch take b
    assert_status 130
    assert_contains "nothing was changed"
    [ ! -e "$copies" ]
    for call in ioctl renameat2 mkdirat symlinkat; do
        for n in 1 2 3 4 5 6; do
            run strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=INT:when=$n" \
                env --default-signal=INT box branch take --yes b
            [ "$status" != 0 ] || break
            rounds=$((rounds + 1))
            assert_status 130
            [ "$(listing)" = "$before" ] || fail "$call $n: $(listing)"
            [ ! -e "$copies" ] || fail "$call $n: copies are left"
            [ ! -e "$DATA/boxes/.taking" ] || fail "$call $n: a record is left"
        done
        [ "$status" = 130 ] || box branch take --undo b
    done
    [ "$rounds" -gt 8 ]
    box branch take --yes b
    after=$(listing)
    [ "$after" != "$before" ]
    run strace -f -qq -o /dev/null -e trace=renameat -e inject=renameat:signal=INT:when=1 \
        env --default-signal=INT box branch take --undo b
    assert_status 0
    [ "$(listing)" = "$before" ]
}

@test "branch: a take that fails half-way undoes what it did" {
    mkdir closed
    echo c >closed/c
    in_branch 'echo b >one; echo b >closed/c; echo b >sub/two'
    chmod 555 closed
    before=$(listing)
    run box branch take --yes b
    assert_status 125
    assert_contains "nothing was taken"
    [ "$(listing)" = "$before" ]
    chmod 755 closed
    box branch take --yes b
    [ "$(cat one closed/c sub/two)" = $'b\nb\nb' ]
    # An undo that cannot begin can be done later.
    mv "$PROJECT" "$TEST_HOME/away"
    run box branch take --undo shop.b
    assert_status 125
    mv "$TEST_HOME/away" "$PROJECT"
    box branch take --undo shop.b
    [ "$(cat one closed/c sub/two)" = $'one\nc\ntwo' ]
}

@test "branch: a file that is saved while a killed take is undone is not lost" {
    in_branch 'echo b >one; echo b >script'
    strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=KILL:when=3 box branch take --yes b >/dev/null 2>&1 || true
    [ "$(cat one)" = b ]
    # As an editor saves it, after it was looked at.
    strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_enter=1500000:when=1 box list -q >/dev/null 2>&1 3>&- &
    eventually no_parts
    echo saved >"$TEST_HOME/saved"
    mv "$TEST_HOME/saved" one
    wait $!
    [ "$(cat one)" = saved ]
    [ -z "$(find . -name '.litterbox-*')" ]
}
no_parts() { [ -z "$(find . -name '.litterbox-*.part')" ]; }

@test "branch: what a program writes to a file that it had open before a take is not lost" {
    for i in 1 2 3 4; do echo "$i" >"f$i"; done
    in_branch 'for i in 1 2 3 4; do echo b >f$i; done'
    exec 9>>f1
    strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_exit=700000 box branch take --yes b >/dev/null 2>"$TEST_HOME/said" 3>&- &
    eventually grep -qx b f2 # two more, which take a second and more
    echo late >&9
    exec 9>&-
    status=0
    wait $! || status=$?
    assert_status 125
    grep -q "'f1' has just changed on the host" "$TEST_HOME/said"
    [ "$(cat f1 f2 f3 f4)" = $'1\nlate\n2\n3\n4' ]
    [ -z "$(find . -name '.litterbox-*')" ]
}

@test "branch: an undo keeps the copies of files whose folder was renamed meanwhile" {
    in_branch 'echo b >one; echo b >sub/two; rm sub/deep/three'
    box branch take --yes b
    mv sub lib
    run box branch take --undo b
    assert_status 125
    assert_contains "'sub/two' cannot be put back: its folder is gone"
    assert_contains "'sub/deep/three' cannot be put back"
    assert_contains "2 files were changed meanwhile: what they were before is in '"
    [ "$(cat one lib/two)" = $'one\nb' ]
    [ "$(cat "$DATA/boxes/shop/branches/b"/take-*/old/*)" = $'one\nthree\ntwo' ]
}

# on_small_disk SCRIPT: in a mount namespace, where $PROJECT is a copy of it on a file system of 400 kB, with DISK its place.
on_small_disk() {
    unshare --map-current-user --keep-caps --mount bash -euc '
        cp -a "$PROJECT" "$TEST_HOME/copy"
        mount -t tmpfs -o size=400k,mode=700 tmpfs "$PROJECT"
        cp -a "$TEST_HOME/copy/." "$PROJECT"
        cd "$PROJECT"
        '"$1"
}

@test "branch: a take on a disk that gets full undoes what it did, also where the old files are in use" {
    for i in 1 2 3 4 5 6; do head -c 40000 /dev/zero >"f$i"; done
    in_branch 'for i in 1 2 3 4 5 6; do echo b >>f$i; done'
    # An old file of which somebody has a descriptor keeps its place on the disk, as it does for a branch that runs.
    # shellcheck disable=SC2016 # the inner shell expands these
    run on_small_disk 'before=$(cksum f?); exec 11<f1 12<f2 13<f3 14<f4 15<f5 16<f6
        head -c 1M /dev/zero >filler || true
        truncate -s -100K filler
        status=0
        said=$(box branch take --overwrite --yes b 2>&1 </dev/null) || status=$?
        echo "$status $said"
        [ "$before" = "$(cksum f?)" ] && echo unchanged
        ls -A | grep litterbox || echo clean'
    assert_contains "125 "
    assert_contains "nothing was taken: cannot take 'f"
    assert_contains "No space left on device"
    assert_contains $'\nunchanged'
    assert_contains $'\nclean'
}

@test "branch: an undo that a full disk has no room for can be done again, and that of a take comes with the next command" {
    head -c 40000 /dev/zero | tee f1 f2 >f3
    in_branch 'echo b >>f1; echo b >>f2'
    run on_small_disk 'before=$(cksum f?)
        box branch take --overwrite --yes b >/dev/null 2>&1
        head -c 1M /dev/zero >filler || true
        box branch take --undo b 2>&1 || echo "status $?"
        rm filler
        box branch take --undo b
        [ "$before" = "$(cksum f?)" ] && echo unchanged'
    assert_contains "cannot put 'f2' back: No space left on device"
    assert_contains "status 125"
    assert_contains $'\nunchanged'
    # A file that goes, which somebody has open, frees nothing.
    in_branch 'rm f3; head -c 100000 /dev/zero >new'
    # shellcheck disable=SC2016 # the inner shell expands these
    run on_small_disk 'before=$(cksum f?); exec 13<f3
        head -c 1M /dev/zero >filler || true
        truncate -s -20K filler
        box branch take --overwrite --yes b f3 new 2>&1 </dev/null || echo "status $?"
        ls new f3 2>/dev/null || true
        rm filler
        box branch list >/dev/null
        [ "$before" = "$(cksum f?)" ] && [ ! -e new ] && echo unchanged
        ls -A | grep litterbox || echo clean'
    assert_contains "cannot take 'new': No space left on device"
    assert_contains "cannot put 'f3' back: No space left on device; the next command tries again"
    assert_contains $'\nunchanged'
    assert_contains $'\nclean'
}

@test "branch: what boxes must not write does not wait beside the new file where it cannot lie aside" {
    echo old >.envrc
    in_branch 'echo b >.envrc; echo b >one'
    # shellcheck disable=SC2016 # the inner shell expands these
    run on_small_disk 'strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=KILL:when=4 \
            box branch take --overwrite --yes --allow-protected .envrc b >/dev/null 2>&1 || true
        cat .envrc one
        grep -rlx old . || echo none
        box list -q >/dev/null 2>&1
        cat .envrc one
        ls -A | grep litterbox || echo clean'
    assert_contains $'\nb\none\nnone\nold\none\nclean'
}
