#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box branch diff and take where the host has moved on: three-way merges.

load ../lib/box.bash
load ../lib/branch.bash
setup() {
    branch_setup
    printf '%s\n' a b c d e f g h i j >text
    git init -q .
    git add -A
    # Another time than the index's, so that git's own object is enough.
    touch -d '1 minute ago' text one sub/two
    git update-index --refresh -q
    git -c user.name=x -c user.email=x@x commit -q -m first
}
teardown() { box_teardown; }

@test "branch: a file that both have changed is merged, and comes back with an undo" {
    in_branch 'sed -i s/b/B/ text; echo b >one; echo new >new'
    sed -i s/i/I/ text
    run --separate-stderr box branch diff b
    assert_output $'A new\nM one\nM text   (changed on the host, too; take merges both)'
    # What the branch has done, and what a take would not do to the host.
    run --separate-stderr box branch diff --then b text
    assert_contains $'-b\n+B'
    refute_contains I
    run --separate-stderr box branch diff --stat b
    assert_output $'A new   +1 -0\nM one   +1 -1\nM text   +2 -2   (changed on the host, too; take merges both)\n3 files changed, +4 -3'
    run box branch take --yes --strict b
    assert_status 0
    assert_contains "M text   (merged with what the host has)"
    [ "$(tr -d '\n' <text)" = aBcdefghIj ]
    run --separate-stderr box branch diff b
    assert_output ""
    # The branch goes on from what it has, and so does the host.
    in_branch 'sed -i s/c/C/ text'
    sed -i s/h/H/ text
    box branch take --yes b
    [ "$(tr -d '\n' <text)" = aBCdefgHIj ]
    box branch take --undo b
    [ "$(tr -d '\n' <text)" = aBcdefgHIj ]
    [ "$(box branch diff --name-only b)" = text ]
    box branch take --yes b
    [ "$(tr -d '\n' <text)" = aBCdefgHIj ]
}

@test "branch: conflicts are written as git writes them, or refused with --strict" {
    in_branch 'sed -i s/b/B/ text; echo b >one'
    sed -i s/b/host/ text
    run box branch take --yes --strict b
    assert_status 125
    assert_contains "nothing was taken: 1 file would have conflicts"
    [ "$(cat one)" = one ]
    run box branch take --yes b
    assert_status 0
    assert_contains "M text   (merged with what the host has, 1 conflict)"
    assert_contains "1 file has conflicts"
    [ "$(sed -n 2,6p text)" = $'<<<<<<< project\nhost\n=======\nB\n>>>>>>> branch b' ] || fail "$(cat text)"
    [ "$(cat one)" = b ]
    box branch take --undo b
    [ "$(sed -n 2p text)" = host ]
    [ "$(cat one)" = one ]
}

@test "branch: what the host had not committed is known, too; binary files, rights and files git does not track are left" {
    echo work >>text
    printf 'a\0b' >binary
    git add binary
    echo untracked >other
    in_branch 'sed -i s/b/B/ text; echo x >>binary; echo b >other; echo b >>script; chmod 600 script; echo b >>sub/two'
    # The host takes its own work back: it does not return with the branch's.
    git checkout -q text
    sed -i s/i/I/ text
    printf 'c\0d' >binary
    echo host >other
    echo '# host' >>script
    echo two >sub/two
    run box branch take --yes b
    assert_status 0
    [ "$(tr -d '\n' <text)" = aBcdefghIj ] || fail "$(cat text)"
    for name in binary other script; do
        assert_contains "stays in the branch: '$name' (changed on the host, too)"
    done
    [ "$(cat other)" = host ]
    # The host has written it again as it was.
    [ "$(cat sub/two)" = $'two\nb' ]
    # Of what it had seen before a refresh, the branch does not know anything newer.
    echo later >>one
    box branch refresh b
    [ "$(in_branch 'sed -i s/one/ONE/ one; cat one')" = $'ONE\nlater' ]
    sed -i s/later/LATER/ one
    box branch take --yes b one
    run cat one
    assert_contains "<<<<<<< project"
}

@test "branch: a checkout of another commit and back on the host is no change of the host's" {
    printf 'a\0b' >binary
    echo d >deleted
    git add -A
    as=(-c user.name=x -c user.email=x@x)
    touch -d '1 minute ago' binary deleted
    git update-index --refresh -q || true
    git "${as[@]}" commit -q -m second
    in_branch 'printf "c\0d" >binary; rm deleted; sed -i s/b/B/ text; chmod 700 script'
    git checkout -q -b other
    printf 'x\0y' >binary
    git rm -q deleted
    sed -i d text
    git "${as[@]}" commit -q -a -m other
    git checkout -q -
    touch script
    run --separate-stderr box branch diff b
    # Whose the rights are is not known.
    assert_output $'M binary\nD deleted\nM script   (changed on the host, too)\nM text'
    box branch take --yes b
    [ ! -e deleted ]
    [ "$(tr -d '\n' <text)" = aBcdefghij ]
}
