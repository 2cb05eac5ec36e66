#!/usr/bin/env bats
# [devices] list and network.tun: which devices a box gets, and which it never gets.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# refuses DEVICE WORDS: no box is created with it, and the message contains WORDS.
refuses() {
    user_config "[devices]
list = [\"$1\"]"
    run box run -- true
    assert_status 78
    assert_contains "devices.list: '${1%%:*}' $2"
    [ -z "$(containers)" ]
}

# A device of this machine that the user can open.
some_device() {
    local device
    for device in /dev/fuse /dev/kvm; do
        if [ -c "$device" ] && [ -r "$device" ] && [ -w "$device" ]; then
            echo "$device"
            return
        fi
    done
    fail "neither /dev/fuse nor /dev/kvm"
}

open_it='import os, stat, sys
fd = os.open(sys.argv[1], os.O_RDWR)
st = os.fstat(fd)
print(stat.S_ISCHR(st.st_mode), os.major(st.st_rdev), os.minor(st.st_rdev))'

@test "devices: a listed device can be opened in the box and is the host's device" {
    local device
    device=$(some_device)
    run --separate-stderr box run -- test -e "$device"
    assert_status 1
    user_config "[devices]
list = [\"$device\"]"
    box apply
    run --separate-stderr box run -- python3 -c "$open_it" "$device"
    assert_status 0
    assert_output "$(python3 -c "$open_it" "$device")"
}

@test "devices: a device can have another path in the box" {
    local device
    device=$(some_device)
    user_config "[devices]
list = [\"$device:/dev/other:rwm\"]"
    run --separate-stderr box run -- python3 -c "$open_it" /dev/other
    assert_output "$(python3 -c "$open_it" "$device")"
    run box run -- test -e "$device"
    assert_status 1
}

@test "devices: rights that cannot be restricted cause a warning" {
    user_config "[devices]
list = [\"$(some_device):r\"]"
    run box run -- true
    assert_status 0
    assert_contains "is not restricted to 'r'"
}

@test "devices: network.tun adds /dev/net/tun, only once if it is listed too" {
    user_config '[network]
tun = true
[devices]
list = ["/dev/net/tun"]'
    run --separate-stderr box run -- python3 -c "$open_it" /dev/net/tun
    assert_output "True 10 200"
}

@test "devices: missing paths, other files and symbolic links are refused" {
    refuses /dev/no-such-device "is missing"
    refuses /dev/shm "is not a device"
    refuses /dev/fd "is, or is reached through, a symbolic link"
    refuses /dev/stdin "is, or is reached through, a symbolic link"
    refuses /dev/fd/0 "is, or is reached through, a symbolic link"
    ln -s /dev/null "$PROJECT/dev"
    user_config "[devices]
list = [\"$PROJECT/dev\"]"
    run box run -- true
    assert_status 78
}

@test "devices: the user's terminals are refused under any name" {
    refuses /dev/tty "is one of your terminals"
    refuses /dev/ptmx "is"
    # The terminal of box itself.
    run on_terminal bash -c 'printf "[devices]\nlist = [\"%s:/dev/x\"]\n" "$(tty)" >"$1/config.toml"
        box run -- true' - "$CONFIG"
    assert_status 78
    assert_contains "is one of your terminals"
}

@test "devices: the trust question lists them, and nothing starts before a yes" {
    printf '[devices]\nlist = ["%s"]\n' "$(some_device)" >litterbox.toml
    run box run -- true
    assert_status 78
    [ -z "$(containers)" ]
    run box trust --yes
    assert_contains "host device '$(some_device)'"
    box run -- test -c "$(some_device)"
}
