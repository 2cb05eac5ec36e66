#!/usr/bin/env bats
# [desktop] gpu: what a box gets of /dev/dri. The lab's GPUs are nodes without a driver, which a test takes out of a
# drawer: that they are there, and whose rights count, can be seen; that something is drawn cannot.

load ../lib/box.bash
DRAWER=/dev/drawer
setup() {
    box_setup
    [ -w "$DRAWER" ] || skip "only in the lab are there nodes to play with"
    mkdir -p "$CONFIG"
}
teardown() {
    [ ! -w "$DRAWER" ] || find /dev/dri -type c -exec mv -t "$DRAWER" {} +
    box_teardown
}
plug() { mv "$DRAWER/$1" /dev/dri/; }
unplug() { mv "/dev/dri/$1" "$DRAWER/"; }
config() { printf '[desktop]\ngpu = "%s"\n' "$1" >"$CONFIG/config.toml"; }
# nodes: a line "NAME MAJOR:MINOR" for each node in the box's /dev/dri.
nodes() { box run -- sh -c 'cd /dev/dri 2>/dev/null && stat -c "%n %Hr:%Lr" *' 2>/dev/null || true; }

@test "gpu: only render nodes are in the box unless the configuration says otherwise" {
    plug renderD128
    plug card0
    [ "$(nodes)" = "renderD128 226:128" ]
    run box device list --json
    assert_contains '"from":"[desktop] gpu"'
    refute_contains card0
    config all
    box apply
    [ "$(nodes)" = $'card0 226:0\nrenderD128 226:128' ]
    config none
    box apply
    [ -z "$(nodes)" ]
}

@test "gpu: without a GPU there is no message, and a box starts when one comes or goes" {
    run --separate-stderr box run -- true
    assert_status 0
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr != *GPU* && $stderr != *gpu* ]] || fail "$stderr"
    box stop
    plug renderD128
    [ "$(nodes)" = "renderD128 226:128" ]
    box stop
    unplug renderD128
    run --separate-stderr box run -- true
    assert_status 0
    [ -z "$(nodes)" ]
}

@test "gpu: a node that the user cannot open causes one message with advice" {
    plug renderD129
    run box run -- true
    assert_status 0
    assert_contains "box 'shop' cannot use the GPU '/dev/dri/renderD129'"
    assert_contains "group 'root'"
    box stop
    run box run -- true
    refute_contains "cannot use the GPU"
    run box doctor
    assert_contains "boxes cannot use the GPU"
}

@test "gpu: the files that drivers need below /sys and /etc are in the box" {
    box run -- test -d /sys/dev/char
    box run -- ls /sys/dev/char/1:3/
    local folder
    for folder in vulkan glvnd egl OpenCL; do
        [ ! -d "/etc/$folder" ] || box run -- test -d "/etc/$folder"
    done
}

@test "gpu: a project must ask for more than render nodes" {
    printf '[desktop]\ngpu = "all"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "all of your GPU"
}

# A vendor's driver as nvidia-ctk describes one (CDI, as github.com/cncf-tags/container-device-interface has it): a node,
# a library of the host's, and a variable.
@test "gpu: devices that a vendor describes in CDI files are in the box by name" {
    local kind=litterbox.test/$LITTERBOX_INSTANCE spec=/etc/cdi/$LITTERBOX_INSTANCE.yaml
    echo 'of the driver' >"$TEST_HOME/libdriver.so"
    cat >"$spec" <<S
cdiVersion: "0.5.0"
kind: $kind
devices:
  - name: all
    containerEdits:
      deviceNodes:
        - path: $DRAWER/renderD128
containerEdits:
  env: ["VENDOR_VISIBLE_DEVICES=void"]
  mounts:
    - hostPath: $TEST_HOME/libdriver.so
      containerPath: /mnt/libdriver.so
      options: [ro, nosuid, nodev, bind]
S
    printf '[devices]\nlist = ["%s=all"]\n' "$kind" >"$CONFIG/config.toml"
    run --separate-stderr box run -- sh -c 'stat -c %Hr:%Lr "$1"; cat /mnt/libdriver.so; env | grep VENDOR' sh "$DRAWER/renderD128"
    assert_output $'226:128\nof the driver\nVENDOR_VISIBLE_DEVICES=void'
    rm "$spec"
    run box restart
    assert_status 125
    assert_contains "unresolvable CDI devices $kind=all"
}
