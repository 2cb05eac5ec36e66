#!/usr/bin/env bats
# box cp: files and folders into a box and out of it. tests/escape/cp.bats has the attacks.

load ../lib/box.bash
setup() {
    box_setup
    HOST=$TEST_HOME/host
    mkdir "$HOST"
}
teardown() { box_teardown; }

# A tree with all that a copy must keep.
make_tree() {
    mkdir -p "$1/sub/deep" "$1/empty"
    echo text >"$1/file"
    printf '#!/bin/sh\n' >"$1/script"
    chmod 750 "$1/script"
    head -c 700000 /dev/urandom >"$1/sub/big"
    : >"$1/sub/deep/nothing"
    ln -s ../file "$1/sub/link"
    touch -d '2001-02-03 04:05:06.789' "$1/file" "$1/sub"
    chmod 550 "$1/empty"
}

# same A B: two trees are alike: names, types, permissions, times of files, contents.
same() {
    diff -r --no-dereference "$1" "$2" || return
    diff <(listing "$1") <(listing "$2")
}
listing() { (cd "$1" && find . -printf '%P %y %m %l\n' -type f -printf '  %P %T@\n' | sort); }

@test "cp: a tree into the home and back is the same; the box is started for it" {
    make_tree "$HOST/tree"
    run box cp "$HOST/tree" shop:
    assert_status 0
    same "$HOST/tree" "$DATA/boxes/shop/home/tree"
    run box cp shop:tree "$HOST/back"
    assert_status 0
    same "$HOST/tree" "$HOST/back"
    # Into a folder that exists, under its own name; ~ is the home.
    mkdir "$HOST/folder"
    box cp 'shop:~/tree' "$HOST/folder"
    same "$HOST/tree" "$HOST/folder/tree"
    # Once more: a folder is filled, a file replaced.
    echo changed >"$DATA/boxes/shop/home/tree/file"
    echo mine >"$HOST/folder/tree/mine"
    box cp shop:tree "$HOST/folder/"
    [ "$(cat "$HOST/folder/tree/file" "$HOST/folder/tree/mine")" = $'changed\nmine' ]
    chmod -R u+w "$HOST"
}

@test "cp: one file, by every way to name it" {
    echo one >"$HOST/one"
    cd "$HOST"
    box cp one shop:two
    box cp ./one shop:/tmp/three
    cd "$PROJECT"
    box cp :two .
    box cp :/tmp/three "$HOST/four"
    box cp :two/ "$HOST/not-a-folder" && fail "a file with a slash"
    box cp shop:/tmp/three .
    [ "$(cat two three "$HOST/four")" = $'one\none\none' ]
    box cp -r two :/tmp
    [ "$(box run -- cat /tmp/two)" = one ]
    # A file called like a box and a path is named with a slash.
    echo colon >a:b
    box cp ./a:b :
    [ "$(box run -- sh -c 'cat ~/a:b')" = colon ]
    # Files of /proc say that they are empty.
    box cp :/proc/version "$HOST/version"
    grep -q Linux "$HOST/version"
    # From a pipe's point of view nothing is read.
    echo rest | { box cp :two "$HOST/x"; [ "$(cat)" = rest ]; }
}

@test "cp: as root of the box" {
    echo tool >"$HOST/tool"
    box run -u root -- mkdir -m 700 /tmp/closed
    run box cp "$HOST/tool" shop:/tmp/closed/
    [ "$status" != 0 ]
    run box cp --root "$HOST/tool" shop:/tmp/closed
    assert_status 0
    [ "$(box run -u root -- cat /tmp/closed/tool)" = tool ]
    run box cp shop:/tmp/closed/tool "$HOST/back"
    [ "$status" != 0 ]
    [ ! -e "$HOST/back" ]
    box cp --root shop:/tmp/closed/tool "$HOST/back"
    [ "$(stat -c %U "$HOST/back")" = "$(id -un)" ]
}

@test "cp: holes stay holes" {
    truncate -s 3G "$HOST/sparse"
    echo end | dd of="$HOST/sparse" bs=1 seek=1000000 conv=notrunc status=none
    box cp "$HOST/sparse" shop:
    box cp shop:sparse "$HOST/back"
    [ "$(stat -c %s "$HOST/back")" = $((3 << 30)) ]
    [ "$(stat -c %b "$HOST/back")" -lt 20000 ]
    [ "$(dd if="$HOST/back" bs=1 skip=1000000 count=3 status=none)" = end ]
    rm "$HOST/sparse" "$HOST/back"
}

@test "cp: what is missing or wrong is said, and nothing is made" {
    run box cp "$HOST/nothing" shop:
    assert_status 125
    assert_contains "No such file"
    run box cp shop:nothing "$HOST/x"
    assert_status 125
    assert_contains "No such file"
    [ ! -e "$HOST/x" ]
    echo x >"$HOST/x"
    run box cp "$HOST/x" shop:no/such/folder
    assert_status 125
    run box cp "$HOST/x" shop:no-such-folder/
    assert_status 125
    run box cp shop:. "$HOST/missing/x"
    assert_status 125
    run box cp nobox:x "$HOST/x"
    assert_status 125
    assert_contains "no box 'nobox'"
    for words in '' x 'shop:x shop:y' 'x y' 'x shop:y z' '-a x shop:y'; do
        # shellcheck disable=SC2086
        run box cp $words
        assert_status 64
    done
    # The home itself has no name, but gets one.
    run box cp shop: "$HOST"
    assert_status 64
    box cp shop: "$HOST/home"
    [ -d "$HOST/home" ]
    # What exists as something else stays.
    mkdir "$HOST/folder" "$HOST/in"
    echo file >"$HOST/in/folder"
    box cp "$HOST/folder" shop:
    run box cp shop:folder "$HOST/in"
    assert_status 125
    assert_contains "is not a folder"
    [ "$(cat "$HOST/in/folder")" = file ]
}

@test "cp: what is no file, folder or link is left out, and so are links out of the tree; the rest is there" {
    box run -- sh -c 'mkdir -p ~/t/d; mkfifo ~/t/pipe; echo x >~/t/file; echo y >~/t/secret; chmod 0 ~/t/secret
        ln -s /etc/passwd ~/t/absolute; ln -s ../../x ~/t/d/above; ln -s ../file ~/t/d/fine'
    run box cp shop:t "$HOST"
    assert_status 125
    assert_contains "'t/pipe' is neither a file"
    assert_contains "'t/secret' cannot be read"
    assert_contains "'t/absolute' is a link"
    assert_contains "'t/d/above' is a link"
    assert_contains "4 entries were left out"
    [ "$(cd "$HOST/t" && find . | sort | tr '\n' ' ')" = ". ./d ./d/fine ./file " ]
    [ "$(cat "$HOST/t/d/fine")" = x ]
    # Into the box all links go.
    ln -s /etc/passwd "$HOST/t/out"
    box cp "$HOST/t" shop:again
    [ "$(box run -- sh -c 'readlink ~/again/out')" = /etc/passwd ]
}

@test "cp: what tools of this machine run or obey is left out of what comes from a box, but for what is named" {
    box run -- sh -c 'mkdir -p ~/r/.git/hooks ~/r/.vscode ~/r/src; cd ~/r
        echo evil >.git/hooks/post-commit; echo evil >.vscode/tasks.json; echo evil >src/.envrc; echo fine >src/main.c'
    run box cp shop:r "$HOST"
    assert_status 125
    assert_contains "--protected"
    [ "$(cat "$HOST/r/src/main.c")" = fine ]
    run grep -r evil "$HOST"
    assert_status 1
    run box cp --protected shop:r "$HOST"
    assert_status 0
    [ "$(grep -rl evil "$HOST" | wc -l)" = 3 ]
    # The user has named it.
    box cp shop:r/src/.envrc "$HOST/named"
    # Into the box everything goes.
    box cp "$HOST/r" shop:again
    [ "$(box run -- sh -c 'cat ~/again/.git/hooks/post-commit')" = evil ]
}

@test "cp: a killed copy leaves an existing file as it was" {
    echo old >"$HOST/file"
    box run -- sh -c 'head -c 300M /dev/zero >~/file'
    for _ in {1..5}; do
        box cp shop:file "$HOST/file" &
        # Until it writes, or has ended.
        until compgen -G "$HOST/.file.*" >/dev/null || ! kill -0 $! 2>/dev/null; do :; done
        kill -KILL $! 2>/dev/null || true
        wait $! || true
        size=$(stat -c %s "$HOST/file")
        [ "$size" = 4 ] || [ "$size" = $((300 << 20)) ]
        rm -f "$HOST"/.file.*
    done
    box cp shop:file "$HOST/file"
    [ "$(stat -c %s "$HOST/file")" = $((300 << 20)) ]
    box run -- sh -c 'rm ~/file'
}

@test "cp: a box that was stopped has what was copied into it" {
    echo x >"$HOST/x"
    box cp "$HOST/x" shop:
    box stop
    box cp shop:x "$HOST/y"
    [ "$(cat "$HOST/y")" = x ]
}
