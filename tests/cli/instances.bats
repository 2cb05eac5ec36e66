#!/usr/bin/env bats
# Two instances of one user (LITTERBOX_INSTANCE in box(1)).

load ../lib/box.bash
setup() {
    box_setup
    SECOND=$LITTERBOX_INSTANCE-x
}
teardown() {
    in_second box rm --yes --force 2>/dev/null || true
    box_teardown
    for folder in "$DATA" "$STATE" "$CONFIG" "$RUNTIME"; do rm -rf "$folder-x"; done
}

in_second() { LITTERBOX_INSTANCE=$SECOND "$@"; }

@test "instances: a box 'x-shop' and the box 'shop' of instance 'x' have containers of their own" {
    mkdir "$TEST_HOME/x-shop" && cd "$TEST_HOME/x-shop"
    box init --no-file
    box run -- sh -c 'echo first >~/mine'
    cd "$PROJECT"
    in_second box init --no-file
    in_second box run -- sh -c '! test -e ~/mine && echo second >~/mine'
    in_second box run -- grep -q second "$HOME/mine"
    box run x-shop -- grep -q first "$HOME/mine"
    in_second box rm --yes --force
    box run x-shop -- grep -q first "$HOME/mine"
}

# rename_container FROM TO: of this test's second instance.
rename_container() { podman_do POST "containers/litterbox$1/rename?name=litterbox$2" >/dev/null; }

@test "instances: a container with the name that Litterbox 0.3 gave it is moved, and not made anew" {
    local id now=.$SECOND.shop former=-$SECOND-shop how
    id_of() { podman_get "containers/litterbox$now/json" | jq -r .Id; }
    in_second box init --no-file
    in_second box run -- true
    id=$(id_of)
    for how in running stopped; do
        [ "$how" = running ] || in_second box stop
        rename_container "$now" "$former"
        [ "$(in_second box list --json | jq -r '.[].state')" = "$how" ]
        [ "$(in_second box status --json | jq -r .state)" = "$how" ]
        [ "$(id_of)" = "$id" ]
    done
    rename_container "$now" "$former"
    in_second box run -- true
    [ "$(id_of)" = "$id" ]
    # A command that removes finds it, too.
    in_second box stop
    rename_container "$now" "$former"
    rm -r "$DATA-x/boxes/shop"
    [ "$(in_second containers)" = "litterbox$former" ]
    in_second box prune --yes
    [ -z "$(in_second containers)" ]
}

@test "instances: a container of another box with that former name is left alone" {
    local mine=litterbox-$SECOND-shop label
    in_second box init --no-file
    mkdir "$TEST_HOME/empty"
    for label in "\"litterbox.box\":\"x-shop\",\"litterbox.instance\":\"$LITTERBOX_INSTANCE\"" \
        "\"litterbox.box\":\"shop\",\"litterbox.instance\":\"\"" ; do
        podman_do POST containers/create "{\"name\":\"$mine\",\"rootfs\":\"$TEST_HOME/empty\",\"command\":[\"x\"],\"labels\":{$label}}" >/dev/null
        in_second box run -- true
        in_second box rm --yes --force --keep-home
        podman_get "containers/$mine/json" | jq -e .Id
        podman_do DELETE "containers/$mine?force=true" >/dev/null
    done
}
