#!/usr/bin/env bats
# [devices] list and network.tun: what a box gets of /dev, and what it never gets.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# refuses DEVICE WORDS: no box is made with it, and the message says why.
refuses() {
    user_config "[devices]
list = [\"$1\"]"
    run box run -- true
    assert_status 78
    assert_contains "devices.list: '${1%%:*}' $2"
    [ -z "$(containers)" ]
}

# A device that this machine has and that its user may open.
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

@test "devices: one that is listed can be opened inside, and is the one of the host" {
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

@test "devices: under another name" {
    local device
    device=$(some_device)
    user_config "[devices]
list = [\"$device:/dev/other:rwm\"]"
    run --separate-stderr box run -- python3 -c "$open_it" /dev/other
    assert_output "$(python3 -c "$open_it" "$device")"
    run box run -- test -e "$device"
    assert_status 1
}

@test "devices: a right that cannot be withheld is said" {
    user_config "[devices]
list = [\"$(some_device):r\"]"
    run box run -- true
    assert_status 0
    assert_contains "is not restricted to 'r'"
}

@test "devices: network.tun gives /dev/net/tun, once if it is listed too" {
    user_config '[network]
tun = true
[devices]
list = ["/dev/net/tun"]'
    run --separate-stderr box run -- python3 -c "$open_it" /dev/net/tun
    assert_output "True 10 200"
}

@test "devices: what is not there, no device, or a link is refused" {
    refuses /dev/no-such-device "is not there"
    refuses /dev/shm "is no device"
    refuses /dev/fd "is a link"
    refuses /dev/stdin "is a link"
    refuses /dev/fd/0 "is a link"
    ln -s /dev/null "$PROJECT/dev"
    user_config "[devices]
list = [\"$PROJECT/dev\"]"
    run box run -- true
    assert_status 78
}

@test "devices: terminals of the user are refused, under any name" {
    refuses /dev/tty "is a terminal"
    refuses /dev/ptmx "is "
    # The terminal that box itself is on.
    run on_terminal bash -c 'printf "[devices]\nlist = [\"%s:/dev/x\"]\n" "$(tty)" >"$1/config.toml"
        box run -- true' - "$CONFIG"
    assert_status 78
    assert_contains "is a terminal of yours"
}

@test "devices: the trust summary names them, and nothing starts before a yes" {
    printf '[devices]\nlist = ["%s"]\n' "$(some_device)" >litterbox.toml
    run box run -- true
    assert_status 78
    [ -z "$(containers)" ]
    run box trust --yes
    assert_contains "host device '$(some_device)'"
    box run -- test -c "$(some_device)"
}
