#!/usr/bin/env bats
# What is killed, or meets a full disk, at any of its calls: nothing is lost, and the next command repairs. branch_take.bats,
# snapshot.bats, rename.bats and install_killed.bats have the kills of the other commands.

load ../lib/box.bash
load ../lib/branch.bash
load ../lib/killed.bash
setup() {
    branch_setup
    SHOP=$DATA/boxes/shop
    rounds=0
}
teardown() { box_teardown; }

branches() { box branch list --json | jq -r '.[].name'; }

# Nothing of any branch is there.
no_branch() {
    [ -z "$(branches)" ] || return
    [ -z "$(ls -A "$SHOP/branches")" ] || return
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ] || return
    ! compgen -G "$RUNTIME/shop.*"
}

# New branches.

# Whatever was begun works, or can be dropped, or is no branch and goes by prune.
check_new() {
    local found
    found=$(branches)
    [ -z "$found" ] || [ "$found" = n ] || return
    [ "$1" != 0 ] || [ "$found" = n ] || return
    [ "$(cat one)" = one ] || return
    if [ $((rounds % 3)) = 0 ]; then
        [ "$(box run --branch n -- cat one 2>/dev/null)" = one ] || return
        found=n
    fi
    if [ -n "$found" ]; then box branch drop --yes n || return; else box prune --yes >/dev/null 2>&1 || return; fi
    no_branch
}

@test "killed: a new branch at any moment works with the next command, and nothing is left of it" {
    box run -- true
    each KILL drop_new check_new "mkdir rename sendto${BOX_TESTS_ALL:+ linkat mkdirat symlink unlink unlinkat}" box run --branch n -- true
    each ENOSPC drop_new check_new "mkdir fsync${BOX_TESTS_ALL:+ linkat rename mkdirat symlink}" box run --branch n -- true
    enough 12
}
drop_new() { [ ! -e "$SHOP/branches/n" ] || box branch drop --yes n; }

# Renames and drops.

make_branch() {
    drop_all
    box run --branch n -- sh -c 'echo b >one' 2>/dev/null
}
drop_all() {
    local name
    for name in $(branches); do box branch drop --yes "$name"; done
}

check_renamed() {
    local found
    found=$(branches)
    [ "$found" = n ] || [ "$found" = m ] || return
    [ "$1" != 0 ] || [ "$found" = m ] || return
    [ "$(box run --branch "$found" -- cat one 2>/dev/null)" = b ] || return
    [ "$(ls "$SHOP/branches")" = "$found" ] || return
    [ "$(containers | sort)" = "litterbox.$LITTERBOX_INSTANCE.shop"$'\n'"litterbox.$LITTERBOX_INSTANCE.shop.$found" ] || return
    box prune --yes >/dev/null 2>&1 || return
    [ "$(cd "$RUNTIME" && echo shop.*)" = "shop.$found" ]
}

@test "killed: a rename of a branch at any moment: it has one of both names, and all that is in it" {
    box run -- true
    each KILL make_branch check_renamed 'rename unlinkat sendto' box branch rename --yes n m
    each ENOSPC make_branch check_renamed rename box branch rename --yes n m
    box branch drop --yes n
    enough 6
}

check_dropped() {
    local found
    found=$(branches)
    [ "$found" = n ] || [ -z "$found" ] || return
    [ "$1" != 0 ] || [ -z "$found" ] || return
    if [ -n "$found" ]; then
        [ "$(box run --branch n -- cat one 2>/dev/null)" = b ] || return
        box branch drop --yes n || return
    else
        box prune --yes >/dev/null 2>&1 || return
    fi
    no_branch
}

@test "killed: a drop of a branch at any moment: it is whole, or gone after prune" {
    box run -- true
    each KILL make_branch check_dropped "unlinkat sendto${BOX_TESTS_ALL:+ unlink rmdir mkdir}" box branch drop --yes n
    each ENOSPC make_branch check_dropped mkdir box branch drop --yes n
    enough 7
}

# Snapshots.

numbers() { box snapshot list --json | jq '.[].number'; }

# drop_later: all snapshots but the first.
drop_later() {
    local later
    later=$(numbers | sed 1d)
    # shellcheck disable=SC2086 # numbers
    [ -z "$later" ] || box snapshot drop --yes $later
}

damage() {
    drop_later 2>/dev/null
    rm -rf sub one link new more
    echo x | tee sub one >new
    ln -s nowhere link
    mkdir more
    echo x >more/file
    listing >"$TEST_HOME/damaged"
}

# one_of LISTING STATUS: what LISTING prints is all of the snapshot, or, where the command failed, what it was before.
one_of() {
    # Any command repairs.
    box list -q >/dev/null 2>&1
    $1 >"$TEST_HOME/now"
    [ ! -e "$DATA/boxes/.taking" ] || return
    [ ! -e "$DATA/boxes/.restoring" ] || return
    cmp -s "$TEST_HOME/whole" "$TEST_HOME/now" || { [ "$2" != 0 ] && diff -a "$TEST_HOME/damaged" "$TEST_HOME/now"; }
}

check_restored() {
    one_of listing "$1" || return
    box snapshot restore --yes --project 1 >/dev/null 2>&1 || return
    cmp "$TEST_HOME/whole" <(listing)
}

@test "killed: a restore of the project at any moment, also on a full disk: all of it or nothing" {
    box snapshot create --project
    listing >"$TEST_HOME/whole"
    each KILL damage check_restored 'mkdir mkdirat rename renameat2 linkat symlinkat unlinkat unlink syncfs' box snapshot restore --yes --project 1
    each ENOSPC damage check_restored 'mkdirat linkat symlinkat renameat renameat2 ftruncate fsync syncfs' box snapshot restore --yes --project 1
    enough 30
}

home_listing() { (export PROJECT=$SHOP/home && listing); }
damage_home() {
    drop_later 2>/dev/null
    rm -rf "${SHOP:?}/home"
    mkdir "$SHOP/home"
    echo x >"$SHOP/home/new"
    home_listing >"$TEST_HOME/damaged"
}
check_home() {
    one_of home_listing "$1" || return
    box snapshot restore --yes --home 1 >/dev/null 2>&1 || return
    cmp "$TEST_HOME/whole" <(home_listing)
}

@test "killed: a full disk at any moment of a restore of the home: the old one or the new one" {
    mkdir -p "$SHOP/home/sub/deep"
    echo one | tee "$SHOP/home/file" >"$SHOP/home/sub/deep/file"
    ln -s file "$SHOP/home/link"
    truncate -s 1M "$SHOP/home/sparse"
    box snapshot create --home
    home_listing >"$TEST_HOME/whole"
    each ENOSPC damage_home check_home 'mkdir mkdirat linkat symlinkat renameat renameat2 ftruncate fsync syncfs' box snapshot restore --yes --home 1
    enough 10
}

change_home() {
    drop_later 2>/dev/null
    echo "$rounds" | tee "$SHOP/home/new" >"$SHOP/home/sub/new"
}
check_created() {
    local found number
    found=$(numbers)
    [ "$1" != 0 ] || [ "$(wc -w <<<"$found")" = 2 ] || return
    for number in $found; do box snapshot show --names "$number" >/dev/null || return; done
    box snapshot create >/dev/null 2>&1 || return
    [ -z "$(ls -A "$DATA/snapshots/staging")" ] || return
    drop_later 2>/dev/null
    [ "$(find "$DATA/snapshots/objects" -type f | wc -l)" = "$objects" ]
}

@test "killed: a full disk at any moment of a snapshot: a whole one or none, and nothing too much" {
    local objects
    mkdir -p "$SHOP/home/sub"
    echo kept >"$SHOP/home/kept"
    box snapshot create
    objects=$(find "$DATA/snapshots/objects" -type f | wc -l)
    each ENOSPC change_home check_created 'mkdir mkdirat linkat rename renameat fsync syncfs' box snapshot create
    enough 10
}
