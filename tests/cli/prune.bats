#!/usr/bin/env bats
# `box prune`: removes what no project needs, and nothing else.

load ../lib/box.bash
load ../lib/image.bash
setup() { box_setup; }
teardown() {
    box_teardown
    remove_built_images
    remove_nameless_images
}

@test "prune: has nothing to remove when all boxes have projects" {
    box run -- true
    run box prune
    assert_status 0
    assert_contains "nothing to remove"
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ]
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

@test "prune: contents of snapshots go that no box has any more, also those of homes that go" {
    local objects=$DATA/snapshots/objects
    count_objects() { find "$objects" -type f | wc -l; }
    head -c 2000000 /dev/urandom >shared
    box snapshot create --project
    new_project "$TEST_HOME/cafe"
    head -c 3000000 /dev/urandom >"$TEST_HOME/cafe/own"
    cp shared "$TEST_HOME/cafe"
    box snapshot create --project cafe
    [ "$(count_objects)" = 2 ]
    # As a killed drop leaves them.
    rm "$DATA/boxes/cafe/snapshots/1"
    run box prune --dry-run
    assert_output "would remove: contents of snapshots that are gone (2.9 MiB)"
    run box prune
    assert_output "removed: contents of snapshots that are gone (2.9 MiB)"
    [ "$(count_objects)" = 1 ]
    run box prune
    assert_output "box: nothing to remove"
    box snapshot restore --yes shop.1
    box snapshot create --project cafe
    [ "$(count_objects)" = 2 ]
    rm -r "$TEST_HOME/cafe"
    mkdir -p "$DATA/boxes/cafe/home"
    box prune --yes
    [ "$(count_objects)" = 1 ]
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
    assert_contains "Remove home of box 'one' (2.9 MiB)"
    [ -e "$DATA/boxes/one" ]
    [ ! -e "$DATA/boxes/two" ]
}

@test "prune: keeps a running box, even without its project" {
    box run --detach -- sleep 1000
    cd "$TEST_HOME"
    mv shop elsewhere
    run box prune --yes
    assert_status 0
    assert_contains "is running, so it stays"
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
    assert_contains "nothing to remove"
}

@test "prune: removes what a branch drop that was killed has left, and no branch" {
    local left=$DATA/boxes/shop/branches/gone
    box run --branch kept -- sh -c 'echo k >kept'
    box run --branch gone -- sh -c 'echo g >gone'
    run strace -f -qq -o /dev/null -e trace=unlinkat -e inject=unlinkat:signal=KILL:when=3 box branch drop --yes gone
    [ "$status" != 0 ]
    [ -d "$left" ]
    run box branch drop --yes gone
    assert_contains "has no branch 'gone'"
    run box prune --dry-run
    assert_contains "would remove: folder of branch 'gone' of box 'shop' ("
    [ -d "$left" ]
    run box prune
    assert_status 0
    assert_contains "removed: folder of branch 'gone' of box 'shop' ("
    [ ! -e "$left" ]
    [ "$(box run --branch kept -- cat kept 2>/dev/null)" = k ]
}

@test "prune: keeps an unregistered box with sessions" {
    box run --detach -- sleep 1000
    mv "$DATA/boxes/shop/project" "$TEST_HOME/kept"
    run box prune --yes
    assert_status 0
    assert_contains "stays until they end"
    [ -n "$(containers)" ]
    [ -e "$DATA/boxes/shop/home" ]
    mv "$TEST_HOME/kept" "$DATA/boxes/shop/project"
}

@test "prune: the home of a box that has got its project back meanwhile stays" {
    local waiting
    box run -- sh -c 'echo precious >~/file'
    box stop
    cd "$TEST_HOME"
    mv shop moved
    coproc held { flock "$DATA/boxes/.lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box prune --yes >"$TEST_HOME/said" 2>&1 3>&- &
    waiting=$!
    eventually waits_for_lock "$waiting"
    # As 'box init --move' does, which had the lock.
    printf %s "$TEST_HOME/moved" >"$DATA/boxes/shop/project"
    echo >&"${held[1]}"
    wait "$waiting" || true
    grep -q "has just been removed or renamed" "$TEST_HOME/said"
    cd moved
    box run -- grep -q precious "$HOME/file"
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
    make_container "litterbox.$LITTERBOX_INSTANCE.lookalike" other "$LITTERBOX_INSTANCE"
    make_container "litterbox.other$LITTERBOX_INSTANCE.a" a "other$LITTERBOX_INSTANCE"
    run box prune --yes
    assert_status 0
    [ "$(containers | sort | tr '\n' ' ')" = \
        "litterbox.$LITTERBOX_INSTANCE.lookalike mine-$LITTERBOX_INSTANCE " ]
    podman_get "containers/litterbox.other$LITTERBOX_INSTANCE.a/json" | jq -e .Id
    podman_do DELETE "containers/litterbox.other$LITTERBOX_INSTANCE.a?force=true"
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

# made_image SOURCE: an image of a few bytes, tagged as Litterbox tags those that it builds, with SOURCE's label, if given.
made_image() {
    mkdir -p "$TEST_HOME/image"
    echo "$RANDOM" >"$TEST_HOME/image/file"
    tar -C "$TEST_HOME/image" -c . | import_image "$2" ${1:+"LABEL litterbox.source=$1"} "LABEL litterbox.box=shop"
    podman_get "images/$(uri "$2")/json" | jq -re .Id
}

image_exists() { [ "$(podman_do GET "images/$1/exists" | tail -n 1)" = 204 ]; }

@test "prune: removes replaced images of boxes, and no others" {
    local tag=localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest other=localhost/$LITTERBOX_INSTANCE-mine:1 ours inherited plain
    ours=$(made_image abc "$tag")
    made_image def "$tag" >/dev/null
    # A user's own images: one inherits the label, as it was built on one of Litterbox's; one has only had the name.
    inherited=$(made_image abc "$other")
    made_image '' "$other" >/dev/null
    plain=$(made_image '' "$tag")
    made_image ghi "$tag" >/dev/null
    run box prune
    assert_status 0
    assert_contains "removed: replaced image '<${ours:0:12}>' of box shop, built $(date +%Y)-"
    run ! image_exists "$ours"
    image_exists "$inherited"
    image_exists "$plain"
    podman_do DELETE "images/$inherited" >/dev/null
    podman_do DELETE "images/$plain" >/dev/null
    remove_image "$other"
}

@test "prune: an image that another container uses stays, and another instance's image as well" {
    local tag=localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest theirs=localhost/litterbox-other$LITTERBOX_INSTANCE/shop:latest used other
    used=$(made_image abc "$tag")
    made_image def "$tag" >/dev/null
    other=$(made_image abc "$theirs")
    made_image def "$theirs" >/dev/null
    podman_do POST containers/create "{\"name\":\"user-$LITTERBOX_INSTANCE\",\"image\":\"$used\",\"command\":[\"/none\"],
        \"netns\":{\"nsmode\":\"none\"}}" >/dev/null
    run box prune
    assert_status 0
    image_exists "$used"
    image_exists "$other"
    podman_do DELETE "containers/user-$LITTERBOX_INSTANCE?force=true" >/dev/null
    run box prune
    assert_contains "removed: replaced image"
    run ! image_exists "$used"
    image_exists "$other"
    podman_do DELETE "images/$other" >/dev/null
    remove_image "$theirs"
}

# Bytes that Podman's storage takes on the disk, with the files of subordinate ids.
storage_bytes() {
    local root
    root=$(podman_get info | jq -r .store.graphRoot)
    env -u CONTAINER_HOST podman unshare du -s --block-size=1 "$root" | cut -f1
}

# announced_bytes LINES: the sum of the sizes in parentheses.
announced_bytes() {
    sed -n 's/.*(\([0-9.]* [KMG]\?i\?B\)).*/\1/p' <<<"$1" | tr -d ' ' | sed 's/B$//' |
        numfmt --from=auto --suffix= 2>/dev/null | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

@test "prune: --dry-run prints what prune then does, word for word, and sizes are what is freed" {
    local base=localhost/$LITTERBOX_INSTANCE-base:1 before after freed said planned
    mkdir "$TEST_HOME/image"
    head -c 3000000 /dev/urandom >"$TEST_HOME/image/base"
    tar -C "$TEST_HOME/image" -c . | import_image "$base"
    printf 'FROM %s\nCOPY shared /shared\nCOPY changing /changing\n' "$base" >Containerfile
    head -c 5000000 /dev/urandom >shared
    trust_file '[box]
containerfile = "Containerfile"'
    # Three builds that share two layers; two are replaced. Each is also copied for the user's ids.
    for _ in 1 2 3; do
        head -c 4000000 /dev/urandom >changing
        box build --quiet
    done
    # What else prune finds: folders, a home with a hard link elsewhere, a menu entry.
    mkdir -p "$RUNTIME/stale" "$DATA/boxes/empty" "$DATA/boxes/old/home"
    touch "$RUNTIME/stale/lock"
    head -c 2000000 /dev/urandom >"$DATA/boxes/old/home/linked"
    ln "$DATA/boxes/old/home/linked" "$TEST_HOME/link"
    head -c 1000000 /dev/urandom >"$DATA/boxes/old/home/file"
    run --separate-stderr box prune --dry-run --yes
    assert_status 0
    planned=$output
    assert_contains "would remove: folder of box 'old' (9"
    assert_contains "would remove: runtime folder of box 'stale'"
    [ "$(grep -c 'would remove: replaced image' <<<"$output")" = 2 ]
    before=$(storage_bytes)
    run --separate-stderr box prune --yes
    assert_status 0
    after=$(storage_bytes)
    diff <(printf '%s\n' "${planned//would remove: /removed: }") <(printf '%s\n' "$output")
    said=$(announced_bytes "$(grep image <<<"$output")") freed=$((before - after))
    echo "said $said, freed $freed"
    # Sizes are rounded to 0.1 MiB; beside its layers, an image has records of a few KiB in the storage.
    [ "$said" -gt 8000000 ]
    [ $((said - freed)) -lt 300000 ]
    [ $((freed - said)) -lt 300000 ]
    run --separate-stderr box prune --dry-run --yes
    assert_output ""
    remove_image "$base"
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
