#!/usr/bin/env bats
# box upgrade: a new image, and the box on it; nothing changes when that fails or the image is the same.

load ../lib/box.bash
load ../lib/image.bash
load ../lib/apt_repository.bash
setup() {
    image_setup
    package one 1
    apt_containerfile
    configure
}

# configure [MORE]: a box of the Containerfile. Packages are a second image, which takes as long as the first.
configure() {
    trust_file "[box]
idle_stop = \"never\"
containerfile = \"Containerfile\"
${1:-}"
}
teardown() { image_teardown; }

id_of() { podman_get "containers/litterbox.$LITTERBOX_INSTANCE.${1:-shop}/json" | jq -r .Id; }

@test "upgrade: builds without a cache, installs the newest packages and recreates the box; the home stays" {
    configure 'packages = ["one"]'
    box start
    box run -- sh -c 'echo stays >~/file'
    before=$(id_of)
    package one 2
    # Nothing that apply would build.
    box apply --yes
    run box run -- one
    assert_contains "one 1"
    run box upgrade --yes
    assert_status 0
    assert_contains "STEP"
    [ "$(id_of)" != "$before" ]
    [ "$(box status --json | jq -r '.state, .drift')" = $'running\nnone' ]
    run box run -- sh -c 'one; cat ~/file'
    assert_contains "one 2"
    assert_contains stays
}

@test "upgrade: asks before files are lost; with a no or without a terminal the box stays as it was" {
    box start
    box run -u root -- sh -c 'echo mine >/usr/bin/tool'
    before=$(id_of)
    run box upgrade
    assert_status 64
    assert_contains "use --yes"
    run on_terminal --answer 'Recreate it?' 'n\n' box upgrade
    assert_status 130
    [ "$(id_of)" = "$before" ]
    [ "$(box run -- cat /usr/bin/tool)" = mine ]
    # The new image waits.
    [ "$(box status --json | jq -r .drift)" = image ]
}

@test "upgrade: an image that does not build leaves the box as it was" {
    box start
    before=$(id_of)
    # The Containerfile is the same, and works no more.
    rm -r repository
    run box upgrade --yes
    assert_status 125
    assert_contains "cannot build the image"
    [ "$(id_of)" = "$before" ]
    box run -- test -e /etc/apt/one_1.deb
}

@test "upgrade: an image that is the same leaves the box and its files alone, and so does the host image" {
    local image=localhost/litterbox-$LITTERBOX_INSTANCE/mine:1
    podman_do POST "images/$(uri "$BASE")/tag?repo=${image%:*}&tag=1" | grep -q 201
    trust_file "[box]
image = \"$image\""
    box start
    box run -u root -- touch /usr/bin/tool
    before=$(id_of)
    run box upgrade
    assert_status 0
    assert_contains "already up to date"
    [ "$(id_of)" = "$before" ]
    [ "$(box status --json | jq -r .drift)" = none ]
    trust_file $'[box]\nimage = "host"'
    box apply --yes
    before=$(id_of)
    run box upgrade
    assert_status 0
    assert_contains "nothing to upgrade"
    [ "$(id_of)" = "$before" ]
}

@test "upgrade: an image that cannot be pulled leaves the box as it was" {
    # Nothing listens there.
    local image=127.0.0.1:1/litterbox-$LITTERBOX_INSTANCE/mine
    podman_do POST "images/$(uri "$BASE")/tag?repo=$image&tag=1" | grep -q 201
    trust_file "[box]
image = \"$image:1\""
    box start
    before=$(id_of)
    run box upgrade --yes
    assert_status 125
    assert_contains "cannot pull the image"
    [ "$(id_of)" = "$before" ]
    [ "$(box status --json | jq -r '.state, .drift')" = $'running\nnone' ]
}

@test "upgrade: Ctrl-C while it builds ends it, also with --all, and leaves the box as it was" {
    box start
    before=$(id_of)
    echo 'RUN echo it-builds; exec sleep 1212' >>Containerfile
    box trust --yes
    # With box's own service: another one may go on with the build.
    run on_terminal --answer it-builds '\x03' env -u CONTAINER_HOST box upgrade --all --yes
    assert_status 130
    eventually sh -c '! pgrep -u "$(id -u)" -f "[s]leep 1212" >/dev/null'
    [ "$(id_of)" = "$before" ]
}

@test "upgrade: --all takes every box, and one that fails does not stop the others" {
    local other=$TEST_HOME/other
    mkdir -p "$other/.git"
    cp -r repository Containerfile litterbox.toml "$other"
    (cd "$other" && box trust --yes && box start)
    configure 'packages = ["one"]'
    box start
    rm -r "$other/repository"
    before=$(id_of) others=$(id_of other)
    package one 2
    run box upgrade --all --yes
    assert_status 125
    assert_contains "other"
    [ "$(id_of)" != "$before" ]
    [ "$(id_of other)" = "$others" ]
    run box run -- one
    assert_contains "one 2"
    run box upgrade --all shop
    assert_status 64
    run box upgrade no-such-box
    [ "$status" != 0 ]
    # By name, from anywhere.
    before=$(id_of)
    (cd / && box upgrade --yes shop)
    [ "$(id_of)" != "$before" ]
}
