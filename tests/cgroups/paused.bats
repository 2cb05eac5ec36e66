#!/usr/bin/env bats
# A box that the user has paused with podman. Needs cgroups: in the lab, --own-cgroups.

load ../lib/box.bash

setup() {
    box_setup
    box run -- sh -c 'echo kept >~/kept'
    NAME=litterbox.$LITTERBOX_INSTANCE.shop
}

teardown() {
    podman_do POST "containers/$NAME/unpause" >/dev/null
    box_teardown
}

pause_box() {
    [ "$(podman_do POST "containers/$NAME/pause")" = 204 ]
    [ "$(podman_get "containers/$NAME/json" | jq -r .State.Status)" = paused ]
}

# says_paused COMMAND…: COMMAND ends soon with a message that helps.
says_paused() {
    run timeout 30 "$@" </dev/null
    assert_status 125
    assert_contains "box 'shop' is paused: run 'podman unpause $NAME' to resume it, or 'box restart'"
}

@test "paused: run, enter and start say how to resume the box, and work afterwards" {
    pause_box
    says_paused box run -- echo ran-here
    refute_contains ran-here
    says_paused box enter -- true
    says_paused box start
    podman_do POST "containers/$NAME/unpause"
    run --separate-stderr box run -- sh -c 'cat ~/kept'
    assert_status 0
    assert_output kept
}

@test "paused: list and status show the state at once" {
    pause_box
    # Nobody waits for an answer of the box. More than once, where the machine has much else to do.
    at_once() {
        local begin=${EPOCHREALTIME/./}
        box status | grep -q paused || return
        [ "$(box list --json | jq -r '.[0].state')" = paused ] || return
        box stats >"$TEST_HOME/stats" || return
        [ $((${EPOCHREALTIME/./} - begin)) -lt 5000000 ]
    }
    eventually at_once
}

@test "paused: stop ends its sessions in order, and the next run starts it" {
    box run --detach -- sh -c 'trap "echo ended >ended; exit" TERM HUP; echo >ready; while :; do sleep 0.1; done'
    eventually test -e ready
    pause_box
    run timeout 30 box stop
    assert_status 0
    refute_contains "lost track"
    [ "$(podman_get "containers/$NAME/json" | jq -r .State.Status)" = exited ]
    [ -e ended ]
    run --separate-stderr box run -- sh -c 'cat ~/kept'
    assert_output kept
}

@test "paused: restart starts it again" {
    pause_box
    run timeout 30 box restart
    assert_status 0
    run --separate-stderr box run -- sh -c 'cat ~/kept'
    assert_output kept
}

@test "paused: rm removes it" {
    pause_box
    run timeout 30 box rm --yes
    assert_status 0
    [ -z "$(containers)" ]
    [ -z "$(ls "$DATA/boxes")" ]
}

@test "paused: apply creates it again" {
    pause_box
    mkdir -p "$CONFIG"
    printf '[limits]\nnofile = 100\n' >"$CONFIG/config.toml"
    run timeout 30 box apply
    assert_status 0
    run --separate-stderr box run -- sh -c 'ulimit -n; cat ~/kept'
    assert_output $'100\nkept'
}
