#!/usr/bin/env bats
# `box prune`: removes what no project needs, and nothing else.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "prune: has nothing to remove when all boxes have projects" {
    box run -- true
    run box prune
    assert_status 0
    assert_contains "no box, home or folder to remove"
    [ "$(containers)" = "litterbox-$LITTERBOX_INSTANCE-shop" ]
    box run -- true
}

@test "prune: the home of a missing project is removed only after a yes" {
    box run -- sh -c 'echo precious >~/file'
    box stop
    cd "$TEST_HOME"
    mv shop elsewhere
    run box prune
    assert_status 0
    assert_contains "--yes"
    [ -e "$DATA/boxes/shop/home/file" ]
    run box prune --dry-run
    assert_contains "would remove: home of box 'shop'"
    [ -e "$DATA/boxes/shop/home/file" ]
    run box prune --yes
    assert_status 0
    assert_contains "removed: home of box 'shop'"
    [ ! -e "$DATA/boxes/shop" ]
    [ ! -e "$RUNTIME/shop" ]
    [ -z "$(containers)" ]
    [ -d elsewhere ]
}

@test "prune: asks for each home on a terminal, with its size" {
    mkdir "$TEST_HOME/one" "$TEST_HOME/two"
    for name in one two; do
        box init "$TEST_HOME/$name" 2>/dev/null
        mkdir -p "$DATA/boxes/$name/home"
        head -c 3000000 /dev/zero >"$DATA/boxes/$name/home/data"
    done
    rm -r "$TEST_HOME/one" "$TEST_HOME/two"
    run on_terminal --answer '[y/N]' 'n\n' --answer '[y/N]' 'y\n' box prune
    assert_contains "box 'one' (2.9 MiB)"
    [ -e "$DATA/boxes/one" ]
    [ ! -e "$DATA/boxes/two" ]
}

@test "prune: keeps a running box, even without its project" {
    box run --detach -- sleep 1000
    cd "$TEST_HOME"
    mv shop elsewhere
    run box prune --yes
    assert_status 0
    assert_contains "is running and is kept"
    [ -e "$DATA/boxes/shop/home" ]
    [ -n "$(containers)" ]
}

@test "prune: a project that cannot be read is not missing" {
    mkdir "$TEST_HOME/closed"
    mkdir "$TEST_HOME/closed/project"
    box init "$TEST_HOME/closed/project" 2>/dev/null
    chmod 0 "$TEST_HOME/closed"
    run box prune --yes
    chmod 700 "$TEST_HOME/closed"
    assert_status 0
    [ -e "$DATA/boxes/project/project" ]
}

@test "prune: a box with an unreadable project entry keeps its home, name and container" {
    box run -- sh -c 'echo precious >~/file'
    box stop
    mv "$DATA/boxes/shop/project" "$TEST_HOME/kept"
    ln -s project "$DATA/boxes/shop/project"
    run box prune --yes
    assert_status 0
    assert_contains "the folder of box 'shop' is kept: cannot open"
    [ -e "$DATA/boxes/shop/home/file" ]
    [ -n "$(containers)" ]
    [ -e "$RUNTIME/shop/lock" ]
    # The next project with that name does not get it either.
    mkdir -p "$TEST_HOME/other/shop/.git"
    cd "$TEST_HOME/other/shop"
    run box run -- true
    assert_status 125
    assert_contains "cannot open"
    cd "$PROJECT"
    mv "$TEST_HOME/kept" "$DATA/boxes/shop/project"
    run --separate-stderr box run -- sh -c 'cat ~/file'
    assert_output precious
}

@test "prune: finds the folder that was set aside for the longest name" {
    local name
    name=$(printf '%063d' 0)
    project_forget
    mkdir -p "$DATA/boxes/$name/home"
    trust_file "[box]
name = \"$name\""
    box init 2>/dev/null
    [ -e "$DATA/boxes/$name/project" ]
    run box prune --dry-run
    assert_contains "would remove: folder of box '${name:0:46}.removed-"
}

@test "prune: removes containers and sockets after a crash, and after a yes the home" {
    box run -- true
    box stop
    # As after rm was killed when it had removed the name.
    rm "$DATA/boxes/shop/project"
    mkdir -p "$RUNTIME/stale/ctl"
    touch "$RUNTIME/stale/lock"
    mkdir "$DATA/boxes/empty"
    run box prune
    assert_status 0
    assert_contains "container of box 'shop'"
    assert_contains "runtime folder of box 'stale'"
    assert_contains "folder of box 'empty'"
    refute_contains "folder of box 'shop'"
    assert_contains "--yes"
    [ -z "$(containers)" ]
    [ ! -e "$RUNTIME/shop" ]
    [ ! -e "$RUNTIME/stale" ]
    [ ! -e "$DATA/boxes/empty" ]
    [ -d "$DATA/boxes/shop/home" ]
    run box prune --yes
    assert_contains "removal was interrupted"
    [ ! -e "$DATA/boxes/shop" ]
    run box prune
    assert_contains "no box, home or folder to remove"
}

@test "prune: keeps an unregistered box with sessions" {
    box run --detach -- sleep 1000
    mv "$DATA/boxes/shop/project" "$TEST_HOME/kept"
    run box prune --yes
    assert_status 0
    assert_contains "is kept until they end"
    [ -n "$(containers)" ]
    [ -e "$DATA/boxes/shop/home" ]
    mv "$TEST_HOME/kept" "$DATA/boxes/shop/project"
}

# make_container NAME BOX INSTANCE: a container with Litterbox's labels.
make_container() {
    mkdir -p "$TEST_HOME/root"
    podman_do POST containers/create "{\"name\":\"$1\",\"rootfs\":\"$TEST_HOME/root\",
        \"command\":[\"/none\"],\"netns\":{\"nsmode\":\"none\"},
        \"labels\":{\"litterbox.box\":\"$2\",\"litterbox.instance\":\"$3\",\"litterbox.project\":\"/x\"}}"
}

@test "prune: never removes another program's container" {
    # Litterbox's labels with another name, its name without labels, another instance's box.
    make_container "mine-$LITTERBOX_INSTANCE" theirs "$LITTERBOX_INSTANCE"
    make_container "litterbox-$LITTERBOX_INSTANCE-lookalike" other "$LITTERBOX_INSTANCE"
    make_container "litterbox-other$LITTERBOX_INSTANCE-a" a "other$LITTERBOX_INSTANCE"
    run box prune --yes
    assert_status 0
    [ "$(containers | sort | tr '\n' ' ')" = \
        "litterbox-$LITTERBOX_INSTANCE-lookalike mine-$LITTERBOX_INSTANCE " ]
    podman_get "containers/litterbox-other$LITTERBOX_INSTANCE-a/json" | jq -e .Id
    podman_do DELETE "containers/litterbox-other$LITTERBOX_INSTANCE-a?force=true"
}

@test "prune: hostile names in labels and folders are ignored" {
    make_container "evil-$LITTERBOX_INSTANCE" '../../escape' "$LITTERBOX_INSTANCE"
    mkdir -p "$DATA/boxes/-rf" "$RUNTIME/..hidden" "$TEST_HOME/escape"
    touch "$RUNTIME/..hidden/lock"
    ln -s "$TEST_HOME/escape" "$DATA/boxes/link"
    run box prune --yes
    assert_status 0
    [ -d "$DATA/boxes/-rf" ]
    [ -d "$TEST_HOME/escape" ]
    [ -d "$RUNTIME/..hidden" ]
    [ -L "$DATA/boxes/link" ]
}

@test "prune: removes replaced images of boxes, and no others" {
    mkdir -p "$TEST_HOME/image"
    echo x >"$TEST_HOME/image/file"
    tar -C "$TEST_HOME/image" -cf "$TEST_HOME/image.tar" .
    import() { # QUERY
        curl -sS --unix-socket "${CONTAINER_HOST#unix://}" -X POST -H 'Content-Type: application/x-tar' \
            --data-binary @"$TEST_HOME/image.tar" "http://d/v4.0.0/libpod/images/import?$1" | jq -r .Id
    }
    ours=$(import 'changes=LABEL%20litterbox.source%3Dabc')
    theirs=$(import 'changes=LABEL%20other%3Dabc')
    run box prune
    assert_status 0
    [ "$(podman_do GET "images/${ours#sha256:}/exists" | tail -n 1)" = 404 ]
    [ "$(podman_do GET "images/${theirs#sha256:}/exists" | tail -n 1)" = 204 ]
    podman_do DELETE "images/${theirs#sha256:}"
}

@test "prune: exits with 69 without Podman, and removes nothing" {
    box init 2>/dev/null
    mv "$PROJECT" "$TEST_HOME/elsewhere"
    cd "$TEST_HOME"
    CONTAINER_HOST=unix:///nonexistent run box prune --yes
    assert_status 69
    [ -e "$DATA/boxes/shop" ]
}

@test "prune: removes what a killed box run --ephemeral left, but none that is in use" {
    box run --ephemeral -- sh -c 'echo ready; exec sleep 1000' >killed 2>&1 3>&- &
    killed=$!
    box run --ephemeral -- sh -c 'echo ready; read -r line; echo "$line"' >used 2>&1 3>&- < <(
        until [ -e go ]; do sleep 0.1; done
        echo went on
    ) &
    used=$!
    eventually grep -q ready killed
    eventually grep -q ready used
    kill -KILL "$killed"
    wait "$killed" || true
    run box prune
    assert_status 0
    touch go
    wait "$used"
    grep -q "went on" used
    box prune
    [ -z "$(containers)" ]
    [ -z "$(ls "$DATA/ephemeral")" ]
}
