#!/usr/bin/env bats
# `box` alone: where one is, and what to type next.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }
project_setup() { :; }

says() { box | grep -qF "$1"; }
shows_line() { box | grep -qxF "$1"; }

@test "here: outside of a project box alone is the usual help" {
    run --separate-stderr box
    assert_status 64
    assert_output ""
    [ ! -e "$DATA/boxes" ]
}

@test "here: in a folder that was removed, a command says so" {
    mkdir gone
    cd gone
    rmdir ../gone
    run box run -- true
    assert_status 64
    assert_output "box: the folder that you are in has been removed: change to one that is there ('box list' shows your projects)"
}

@test "here: a project without a box says how it gets one, and gets none by this" {
    mkdir -p .git deep
    cd deep
    run --separate-stderr box
    assert_status 0
    assert_contains "project    $PROJECT"
    assert_contains "has no box yet"
    assert_contains "box enter "
    [ ! -e "$DATA/boxes/shop" ]
    [ -z "$(containers)" ]
}

@test "here: a box, its state and sessions, without Podman" {
    box init --no-file
    mkdir deep
    cd deep
    CONTAINER_HOST=unix:///nonexistent run --separate-stderr box
    assert_status 0
    # shellcheck disable=SC2154
    [ -z "$stderr" ]
    assert_contains "box        shop"
    assert_contains "state      not running"
    box start
    # It does not count itself. The one before it counts until PID 1 has seen that its connection was closed.
    eventually says "state      running, no sessions, stops in "
    CONTAINER_HOST=unix:///nonexistent run --separate-stderr box
    assert_status 0
    assert_contains "box stop"
    box run -- sh -c 'echo here; exec sleep 1234' >started &
    eventually grep -q here started
    eventually shows_line "state      running, 1 session"
    box run -- sh -c 'nohup sleep 1000 >/dev/null 2>&1 &'
    eventually says "kept by sleep (1 process)"
    box stop
    wait $! || true
    says "state      not running"
}

@test "here: says what waits: a litterbox.toml that is not approved, a project that was moved" {
    mkdir .git
    box start
    echo '[box]' >litterbox.toml
    run box
    assert_status 0
    assert_contains "not approved yet: 'box trust'"
    box trust --yes
    run box
    refute_contains "box trust"
    printf '[box]\nidle_stop = "1h"\n' >litterbox.toml
    run box
    assert_contains "has changed: 'box trust'"
    box stop
    mv "$PROJECT" "$TEST_HOME/store"
    cd "$TEST_HOME/store"
    run box
    assert_status 0
    assert_contains "box 'shop' was that of '$PROJECT': 'box init --move'"
    # It is still the box of the old place.
    [ "$(cat "$DATA/boxes/shop/project")" = "$PROJECT" ]
}

@test "here: a project whose name is hostile is shown harmless; a wrong instance is an error" {
    mkdir -p $'\e[31m\nbox: forged/.git'
    cd $'\e[31m\nbox: forged'
    run box
    assert_status 0
    refute_contains $'\e'
    [ "$(grep -c '^box: forged' <<<"$output")" = 0 ]
    LITTERBOX_INSTANCE=Bad/Name run --separate-stderr box
    assert_status 64
}
