#!/usr/bin/env bats
# `box uninstall`: all that Litterbox has made goes, nothing else does, and a killed one is gone on with.

load ../lib/box.bash
load ../lib/image.bash
load ../lib/ssh.bash

APPS=${XDG_DATA_HOME:-$HOME/.local/share}/applications
SHARED_BASE=localhost/uninstall-base:1

setup() {
    agent_setup
    MARK=litterbox+$LITTERBOX_INSTANCE+shop+
}
teardown() {
    agent_teardown
    remove_built_images
    remove_nameless_images
    remove_image "$SHARED_BASE"
    rm -f "$APPS/$MARK"*
}

# What has just ended counts until PID 1 has seen to it.
one_session() { [ "$(box status --json ${1:+"$1"} | jq .sessions)" = 1 ]; }

# Something of each kind: a box of an image with a session, an attached key and a served agent, a shim, a menu entry.
make_everything() {
    local libraries
    mkdir -p "$TEST_HOME/image/bin" "$APPS"
    # An image of a shell, of sleep, and their libraries.
    mapfile -t libraries < <(ldd /bin/dash /bin/sleep | grep -o '/lib[^ :]*' | sort -u)
    cp -L --parents "${libraries[@]}" /bin/sleep "$TEST_HOME/image"
    cp -L /bin/dash "$TEST_HOME/image/bin/sh"
    tar -C "$TEST_HOME/image" -c . | import_image "$SHARED_BASE"
    printf 'FROM %s\nCOPY data /data\n' "$SHARED_BASE" >Containerfile
    echo one >data
    trust_file '[box]
containerfile = "Containerfile"'
    box run -- sh -c 'echo kept >~/file'
    box run --detach -- sh -c 'exec sleep 1000'
    eventually one_session
    box consent status >/dev/null
    box shim add probe 2>/dev/null
    write_entry "$APPS/${MARK}probe.desktop" shop
}

# write_entry FILE BOX: an entry as `box app export` writes it.
write_entry() {
    printf '[Desktop Entry]\nType=Application\nName=x\nExec=/bin/true\nTryExec=/bin/true\n%s\n' \
        "X-Litterbox-Box=$2"$'\n'"X-Litterbox-Instance=$LITTERBOX_INSTANCE"$'\n'X-Litterbox-App=probe >"$1"
}

image_exists() { [ "$(podman_do GET "images/$(uri "$1")/exists" | tail -n 1)" = 204 ]; }

# The processes of this test's agent and helpers.
helper_processes() { pgrep -u "$(id -u)" -f "$RUNTIME" || true; }
no_helper_processes() { [ -z "$(helper_processes)" ]; }

@test "uninstall: --dry-run shows what goes and stays; then that goes, and a home comes back" {
    local planned pid
    make_everything
    pid=$(agent_pid)
    [ -n "$pid" ]
    run --separate-stderr box uninstall --dry-run
    assert_status 0
    planned=$output
    for line in "shim 'probe'" "menu entry 'probe' of box 'shop'" "process of the SSH agent" \
        "container of box 'shop', with 1 open session" "image 'localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest' of box shop" \
        "helpers of boxes, and their sockets and logs in '$RUNTIME'" "approvals and other state in '$STATE'"; do
        assert_contains "would remove: $line"
    done
    assert_contains "stays: home of box 'shop' ("
    assert_contains "stays: configuration in '$CONFIG'"
    kill -0 "$pid"
    [ -n "$(containers)" ]
    run box uninstall </dev/null
    assert_status 64
    run --separate-stderr box uninstall --yes
    assert_status 0
    diff <(printf '%s\n' "${planned//would remove: /removed: }") <(printf '%s\n' "$output")
    [ -z "$(containers)" ]
    eventually process_ended "$pid"
    [ ! -e "$RUNTIME" ]
    [ ! -e "$STATE" ]
    [ ! -e "$DATA/shims" ]
    [ ! -e "$APPS/${MARK}probe.desktop" ]
    run ! image_exists "localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest"
    image_exists "$SHARED_BASE"
    [ -f "$CONFIG/config.toml" ]
    [ -f "$PROJECT/Containerfile" ]
    # A second one has nothing to do.
    run box uninstall --yes
    assert_status 0
    assert_contains "nothing to remove"
    # The project was not forgotten: its box gets its home again, after a new approval.
    run box run -- cat file
    assert_status 78
    box trust --yes >/dev/null
    run --separate-stderr box run -- sh -c 'read -r line <~/file; echo "$line"'
    assert_output kept
}

@test "uninstall: on a terminal it asks, and homes need a second yes" {
    box run -- sh -c 'echo kept >~/file'
    run on_terminal --answer 'this? [y/N]' 'n\n' box uninstall
    assert_status 130
    assert_contains "would remove: container of box 'shop'"
    [ -n "$(containers)" ]
    run on_terminal --answer 'this? [y/N]' 'y\n' --answer 'them? [y/N]' 'n\n' box uninstall --homes
    assert_status 130
    assert_contains "of which there is no copy"
    [ -n "$(containers)" ]
    run on_terminal --answer 'this? [y/N]' 'y\n' --answer 'them? [y/N]' 'y\n' box uninstall --homes --keys --config
    assert_status 0
    assert_contains "removed: home of box 'shop'"
    [ ! -e "$DATA" ]
    [ ! -e "$STATE" ]
    [ ! -e "$CONFIG" ]
    [ ! -e "$RUNTIME" ]
    [ -z "$(containers)" ]
    [ -d "$PROJECT" ]
}

@test "uninstall: branches stay with the home of their box, and go with it" {
    box run --branch a -- sh -c 'echo a >new' 2>/dev/null
    box run --branch b --detach -- sleep 1000 2>/dev/null
    eventually one_session shop.b
    run box uninstall --yes
    assert_status 0
    assert_contains "removed: container of box 'shop.b', with 1 open session"
    assert_contains "stays: home of box 'shop' and its branches a, b ("
    [ -z "$(containers)" ]
    [ "$(box branch diff a)" = 'A new' ]
    run box uninstall --yes --homes
    assert_status 0
    assert_contains "removed: home of box 'shop' and its branches a, b ("
    [ ! -e "$DATA" ]
    [ ! -e "$RUNTIME" ]
    [ ! -e new ]
}

# make_container NAME BOX: a container with Litterbox's labels.
make_container() {
    mkdir -p "$TEST_HOME/root"
    podman_do POST containers/create "{\"name\":\"$1\",\"rootfs\":\"$TEST_HOME/root\",
        \"command\":[\"/none\"],\"netns\":{\"nsmode\":\"none\"},
        \"labels\":{\"litterbox.box\":\"$2\",\"litterbox.instance\":\"$LITTERBOX_INSTANCE\",\"litterbox.project\":\"/x\"}}" >/dev/null
}

@test "uninstall: touches no container, image or file that is not Litterbox's" {
    local tag=localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest mine=localhost/mine-$LITTERBOX_INSTANCE:1 other
    make_everything
    # Containers with Litterbox's labels and other names; one that uses the box's image.
    make_container "mine-$LITTERBOX_INSTANCE" shop
    make_container "litterbox.$LITTERBOX_INSTANCE.lookalike" other
    make_container "evil-$LITTERBOX_INSTANCE" '../../escape'
    # An image that was built on one of Litterbox's inherits its labels; the user's own name of one.
    printf 'FROM %s\nCOPY data /more\n' "$tag" >Containerfile
    tar -c Containerfile data | curl -sS --unix-socket "${CONTAINER_HOST#unix://}" -H 'Content-Type: application/x-tar' \
        --data-binary @- "http://d/v4.0.0/libpod/build?t=$mine&layers=true" >/dev/null
    podman_do POST "images/$(uri "$tag")/tag?repo=localhost/kept-$LITTERBOX_INSTANCE&tag=1" >/dev/null
    # Another instance's image.
    other=localhost/litterbox-other$LITTERBOX_INSTANCE/shop:latest
    echo x | tar -C "$TEST_HOME" -c image | import_image "$other" "LABEL litterbox.source=abc"
    # Files with Litterbox's names and other contents, and links to other programs or out of the folders.
    echo '[Desktop Entry]' >"$APPS/${MARK}mine.desktop"
    write_entry "$APPS/${MARK}renamed.desktop" shop
    write_entry "$APPS/mine-$LITTERBOX_INSTANCE.desktop" shop
    mkdir "$TEST_HOME/outside"
    echo x >"$TEST_HOME/outside/file"
    ln -s "$TEST_HOME/outside" "$DATA/boxes/link"
    ln -s "$TEST_HOME/outside" "$DATA/boxes/shop/home/out"
    ln -s "$TEST_HOME/outside" "$RUNTIME/link"
    ln -s /bin/true "$DATA/shims/mine"
    echo x >"$DATA/mine"
    run box uninstall --yes --homes
    assert_status 0
    [ "$(containers | sort | tr '\n' ' ')" = \
        "evil-$LITTERBOX_INSTANCE litterbox.$LITTERBOX_INSTANCE.lookalike mine-$LITTERBOX_INSTANCE " ]
    image_exists "$mine"
    image_exists "localhost/kept-$LITTERBOX_INSTANCE:1"
    run ! image_exists "$tag"
    image_exists "$other"
    for file in "$APPS/${MARK}mine.desktop" "$APPS/${MARK}renamed.desktop" "$APPS/mine-$LITTERBOX_INSTANCE.desktop" \
        "$TEST_HOME/outside/file" "$DATA/shims/mine" "$DATA/mine" "$PROJECT/data"; do
        [ -e "$file" ] || fail "$file is gone"
    done
    # The controls: what is Litterbox's was there, and is gone.
    [ ! -e "$DATA/boxes/shop" ]
    [ ! -e "$DATA/shims/probe" ]
    [ ! -e "$APPS/${MARK}probe.desktop" ]
    rm "$APPS/mine-$LITTERBOX_INSTANCE.desktop"
    for name in "$mine" "localhost/kept-$LITTERBOX_INSTANCE:1" "$other"; do remove_image "$name"; done
}

@test "uninstall: an image that another container uses stays, and is named" {
    local tag=localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest
    make_everything
    podman_do POST containers/create "{\"name\":\"user-$LITTERBOX_INSTANCE\",\"image\":\"$tag\",\"command\":[\"/none\"],
        \"netns\":{\"nsmode\":\"none\"}}" >/dev/null
    run box uninstall --yes
    assert_status 0
    assert_contains "stays: image '$tag', which container 'user-$LITTERBOX_INSTANCE' uses"
    image_exists "$tag"
    podman_do DELETE "containers/user-$LITTERBOX_INSTANCE?force=true" >/dev/null
    run box uninstall --yes
    assert_contains "removed: image '$tag'"
    run ! image_exists "$tag"
}

@test "uninstall: without Podman it removes what it can, keeps homes, and exits with 69" {
    make_everything
    CONTAINER_HOST=unix:///nonexistent run box uninstall --yes --homes
    assert_status 69
    assert_contains "removed: shim 'probe'"
    assert_contains "removed: menu entry 'probe'"
    assert_contains "removed: process of the SSH agent"
    assert_contains "stays: home of box 'shop'"
    assert_contains "stays: containers, images, and helpers and sockets of boxes"
    [ -n "$(containers)" ]
    [ -e "$DATA/boxes/shop/home/file" ]
    # Once Podman works again, the rest goes.
    run box uninstall --yes --homes
    assert_status 0
    [ -z "$(containers)" ]
    [ ! -e "$DATA/boxes" ]
    [ ! -e "$RUNTIME" ]
}

@test "uninstall: a home that stays can be gone back, with --homes, without Podman and after a failure" {
    local home=$DATA/boxes/shop/home other=litterbox.$LITTERBOX_INSTANCE.shop
    mkdir -p "$home" "$TEST_HOME/root"
    echo kept >"$home/file"
    box snapshot create --home
    echo other >"$home/file"
    CONTAINER_HOST=unix:///nonexistent run box uninstall --yes --homes
    assert_status 69
    assert_contains "stays: contents of snapshots in '$DATA/snapshots' ("
    box snapshot restore --yes shop.1
    [ "$(cat "$home/file")" = kept ]
    # A container of another program has the name, so the home is not removed.
    podman_do POST containers/create "{\"name\":\"$other\",\"rootfs\":\"$TEST_HOME/root\",\"command\":[\"/none\"],
        \"netns\":{\"nsmode\":\"none\"}}" >/dev/null
    run box uninstall --yes --homes
    podman_do DELETE "containers/$other?force=true" >/dev/null
    assert_status 125
    assert_contains "not removed: home of box 'shop'"
    [[ $output == *"not removed: contents of snapshots in '$DATA/snapshots' ("*"): snapshots of homes that stay need them"* ]] || fail "$output"
    echo other >"$home/file"
    box snapshot restore --yes shop.1
    [ "$(cat "$home/file")" = kept ]
    run box uninstall --yes --homes
    assert_status 0
    [ ! -e "$home" ]
    [ ! -e "$DATA/snapshots" ]
}

@test "uninstall: one that is killed at any moment is gone on with" {
    local round pid
    RANDOM=${CRASH_SEED:-$$}
    echo "# CRASH_SEED=${CRASH_SEED:-$$}" >&3
    for round in $(seq "${CRASH_ROUNDS:-2}"); do
        make_everything
        box uninstall --yes --homes >killed 2>&1 3>&- </dev/null &
        pid=$!
        sleep "0.$(printf %03d $((RANDOM % 800)))"
        kill -9 "$pid" 2>/dev/null || true # it may have ended
        wait "$pid" 2>/dev/null || true    # its status is that of the signal
        run box uninstall --yes --homes
        assert_status 0
        [ -z "$(containers)" ]
        [ ! -e "$DATA/boxes" ] || fail "left in round $round: $(ls -AR "$DATA/boxes")"
        for path in "$STATE" "$RUNTIME" "$DATA/shims" "$APPS/${MARK}probe.desktop"; do
            [ ! -e "$path" ] || fail "round $round left $path"
        done
        run ! image_exists "localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest"
        eventually no_helper_processes || fail "round $round left $(helper_processes)"
        box init --no-file 2>/dev/null
    done
}

@test "uninstall: says how to remove the programs, by the folder that they were built in" {
    local build
    build=$(cat "$(dirname "$(readlink -f "$(command -v box)")")/../share/litterbox/build-folder")
    run --separate-stderr box uninstall --dry-run
    assert_status 0
    assert_contains "to remove the programs: "
    if [ -e "$build/build.ninja" ]; then assert_contains "ninja -C $build uninstall"; fi
}

@test "uninstall: what commands on several boxes have locked leaves nothing behind" {
    mkdir "$TEST_HOME/cafe"
    box run -- true
    box stop
    box clone shop "$TEST_HOME/cafe"
    echo before >file
    box snapshot create
    echo after >file
    box snapshot restore --yes 1
    box snapshot restore --yes --home 1
    box run --branch a -- sh -c 'echo a >new' 2>/dev/null
    box branch take --yes a
    box rename --yes cafe house
    box secret add one --host one.test --source env:ONE
    box secret attach one
    box secret remove one
    box uninstall --yes --homes --keys --config
    [ ! -e "$DATA" ] || fail "$(find "$DATA")"
}
