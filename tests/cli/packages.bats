#!/usr/bin/env bats
# [box] packages: a layer on the image. The packages come from an apt repository in the image itself.

load ../lib/box.bash
load ../lib/image.bash
load ../lib/apt_repository.bash

setup() {
    image_setup
    package one 1
    package two 1
    package broken 1 'echo because-of-this; printf "\\033]0;evil\\007\\n"; exit 7'
    apt_containerfile
}
teardown() { image_teardown; }

# wants PACKAGES [MORE]: the configuration.
wants() {
    trust_file "[box]
idle_stop = \"never\"
containerfile = \"Containerfile\"
packages = [$1]
${2:-}"
}
layers() { box image list --json | jq -r '.[] | .made_for | select(startswith("packages ")) | sub("packages "; "")'; }
drift() { box status --json | jq -r .drift; }

@test "packages: are in the box, shown while they are installed, and stay when the box is recreated" {
    wants '"two", "one", "one"'
    run box run -- sh -c 'one; two'
    assert_status 0
    assert_contains "one two"
    assert_contains "Setting up two"
    assert_contains "one 1"
    assert_contains "two 1"
    [ "$(layers)" = "one two" ]
    run box image list
    assert_contains "packages one two"
    box rm --yes
    wants '"one", "two"'
    # The same layer, without a build.
    run box run -- one
    assert_status 0
    refute_contains "Setting up"
    refute_contains "STEP"
    assert_contains "one 1"
}

@test "packages: a changed list or image is drift, and apply builds" {
    wants '"one"'
    box start
    box run -- sh -c '! command -v two'
    [ "$(drift)" = none ]
    wants '"one", "two"'
    [ "$(drift)" = config ]
    box apply --yes
    [ "$(drift)" = none ]
    run box run -- two
    assert_contains "two 1"
    echo 'RUN touch /newer' >>Containerfile
    wants '"one", "two"'
    [ "$(drift)" = image ]
    box apply --yes
    [ "$(drift)" = none ]
    box run -- test -e /newer
    run box run -- two
    assert_contains "two 1"
    # A base that was built again, by anybody.
    box build --no-cache
    [ "$(drift)" = image ]
}

@test "packages: come through the gate of a filtered box, from what its rules allow alone" {
    local own port
    own=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    (cd repository && exec python3 -u -m http.server --bind "$own" 0 >"$TEST_HOME/http" 2>&1 3>&-) &
    eventually grep -q 'port [0-9]' "$TEST_HOME/http"
    port=$(grep -o 'port [0-9]*' "$TEST_HOME/http" | cut -d' ' -f2)
    cat >Containerfile <<C
FROM debian:bookworm
RUN rm -rf /etc/apt/sources.list* && echo 'deb [trusted=yes] http://$own:$port/ ./' >/etc/apt/sources.list
C
    wants '"one"' "[network]
mode = \"filtered\""
    run box run -- one
    [ "$status" != 0 ]
    wants '"one"' "[network]
mode = \"filtered\"
allow = [\"$own:$port\"]"
    run box run -- one
    assert_status 0
    assert_contains "Setting up one"
    assert_contains "one 1"
    in_log() { box net log | grep -qF "$1"; }
    eventually in_log "$own:$port"
    kill %1 || true
}

@test "packages: without a network nothing is installed, and a layer that is there is used" {
    wants '"one"' $'[network]\nmode = "none"'
    run box run -- one
    assert_status 78
    assert_contains 'mode = "none"'
    wants '"one"'
    box build
    wants '"one"' $'[network]\nmode = "none"'
    run box run -- one
    assert_status 0
    assert_contains "one 1"
}

@test "packages: a manager's error is shown, harmless, and the box stays as it was" {
    wants '"one"'
    box start
    before=$(box run -- sh -c 'touch /tmp/here; one')
    for bad in broken there-is-none; do
        wants "\"$bad\""
        run box apply --yes
        assert_status 125
        [[ $output != *$'\e]0;'* ]] || fail "an escape sequence came through"
        if [ "$bad" = broken ]; then
            assert_contains because-of-this
        else
            assert_contains "Unable to locate package there-is-none"
        fi
        [ "$(box run -- sh -c 'test -e /tmp/here && one')" = "$before" ]
    done
}

@test "packages: the host image, and an image without a manager, are refused in words" {
    trust_file $'[box]\npackages = ["one"]'
    run box run -- true
    assert_status 78
    assert_contains "needs an image of its own"
    echo 'RUN rm -f /usr/bin/apt-get' >>Containerfile
    wants '"one"'
    run box run -- true
    assert_status 125
    assert_contains "has no apt-get"
}

@test "packages: trust asks about each, and a name that is none is refused" {
    printf '[box]\ncontainerfile = "Containerfile"\npackages = ["one"]\n' >litterbox.toml
    run box trust --yes
    assert_contains "install the package 'one'"
    assert_contains "as root"
    printf '[box]\ncontainerfile = "Containerfile"\npackages = ["--help"]\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "must be a package's name"
}

# bats test_tags=release
@test "packages: prune removes the layers that no box uses, and only says so with --dry-run" {
    wants '"one"'
    box start
    wants '"two"'
    box apply --yes
    [ "$(layers | sort)" = $'one\ntwo' ]
    run box prune --dry-run
    [[ $output =~ "would remove: image '"[^\']*"' of packages one, built" ]] || fail "$output"
    refute_contains "packages two"
    [ "$(layers | sort)" = $'one\ntwo' ]
    run box prune --yes
    assert_contains "of packages one, built"
    [ "$(layers)" = two ]
    run box run -- two
    assert_contains "two 1"
}
