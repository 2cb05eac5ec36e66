#!/usr/bin/env bats
# Attacks of a box on its list of devices (invariants 1, 7).

load escape.bash
setup() {
    escape_setup_file
    cd "$PROJECT" || return
    box init >/dev/null 2>&1
    LIST=$DATA/boxes/shop/devices
    box device add /dev/fuse 2>/dev/null
}
teardown() { box_teardown; }

@test "devices: a box cannot see or replace its device list (1)" {
    run in_box sh -c 'cat "$1"; ls "${1%/*}"; mkdir -p "${1%/*}"; printf "/dev/zero\t/dev/planted\n" >"$1"' - "$LIST"
    refute_contains fuse
    [ "$(<"$LIST")" = $'/dev/fuse\t/dev/fuse' ]
    box stop
    run in_box test -e /dev/planted
    assert_status 1
    run in_box test -c /dev/fuse
    assert_status 0 # control: the list is used
}

@test "devices: a project file adds devices only with a yes, and removes none (7)" {
    printf '[devices]\nlist = ["/dev/zero:/dev/planted"]\n' >litterbox.toml
    run setsid box run -- true </dev/null
    assert_status 78
    run --separate-stderr box device list --json
    [ "$(jq -r '[.devices[].device] | join(" ")' <<<"$output")" = /dev/fuse ]
    escape_config '[devices]
list = []'
    run in_box test -c /dev/fuse
    assert_status 0
}

@test "devices: a link through the project never becomes a device (1)" {
    [ -w /dev/serial/by-id ] || skip "only in the lab can links be made there"
    local link=/dev/serial/by-id/usb-$LITTERBOX_INSTANCE-planted target
    in_box ln -s /dev/fuse "$PROJECT/node"
    for target in "$PROJECT/node" /proc/self/fd/0 "$TEST_HOME"; do
        ln -sfn "$target" "$link"
        run box device add "$link"
        assert_status 64
        assert_contains "is not a device"
        # also when it was a device when it was added
        ln -sfn ../../zero "$link"
        box device add "$link" 2>/dev/null
        box stop
        ln -sfn "$target" "$link"
        run box run -- test -e "$link"
        assert_status 1
        assert_contains "is skipped"
        box device remove "$link"
        box stop
    done
    rm "$link"
}

@test "devices: an added device gives no access to other devices (1, 6)" {
    run in_box sh -c 'mknod /tmp/made c 1 5; mknod /dev/made c 1 11; ls /dev /tmp' 2>/dev/null
    assert_contains fuse # control
    [[ " ${lines[*]} " != *" made "* ]]
    [[ " ${lines[*]} " != *" uinput "* ]]
    attempt 'rm /dev/fuse; mv /dev/fuse /dev/x'
    [ -c /dev/fuse ]
}
