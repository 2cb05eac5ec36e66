#!/usr/bin/env bats
# `box device`: devices that a user gives to a box, by names that stay.

load ../lib/box.bash
setup() {
    box_setup
    LIST=$DATA/boxes/shop/devices
    LINKS=/dev/serial/by-id
    NAME=$LINKS/usb-$LITTERBOX_INSTANCE-if00-port0
    box init >/dev/null 2>&1
}
teardown() {
    [ ! -w "$LINKS" ] || rm -f "$LINKS"/usb-"$LITTERBOX_INSTANCE"-*
    box_teardown
}

# plug NODE: the device of this test is there, as /dev/NODE; unplug: it is not.
plug() {
    [ -w "$LINKS" ] || skip "only in the lab can links be made there"
    ln -sfn "../../$1" "$NAME"
}
unplug() { rm -f "$NAME"; }

# numbers PATH: major and minor, as a program in the box sees them.
numbers() {
    box run -- python3 -c 'import os, stat, sys
st = os.stat(sys.argv[1])
print(stat.S_ISCHR(st.st_mode), os.major(st.st_rdev), os.minor(st.st_rdev))' "$1" 2>/dev/null
}

# field DEVICE FIELD: of what the box has.
field() { box device list --json | jq -r --arg d "$1" --arg f "$2" '.devices[] | select(.device == $d) | .[$f]'; }

@test "device: what is added is in the box from its next start on, and list has it" {
    [ "$(box device list --json | jq '.devices | length')" = 0 ]
    run box device add /dev/fuse
    assert_status 0
    assert_contains "box 'shop' gets '/dev/fuse'"
    refute_contains "apply"
    [ "$(numbers /dev/fuse)" = "True 10 229" ]
    box run -- sh -c ': <>/dev/fuse'
    [ "$(field /dev/fuse state),$(field /dev/fuse host),$(field /dev/fuse from)" = "there,/dev/fuse,box device add" ]
    run box device list
    assert_contains "in the box"
    # Again is no change.
    before=$(stat -c %Y.%i "$LIST")
    box device add /dev/fuse
    [ "$(stat -c %Y.%i "$LIST")" = "$before" ]
    run box status
    refute_contains drift
}

@test "device: no file of the user's is touched" {
    mkdir -p "$CONFIG/boxes"
    printf '# a comment\n[devices]\nlist = ["/dev/zero:/dev/other"] # and another\n' >"$CONFIG/boxes/shop.toml"
    cp "$CONFIG/boxes/shop.toml" "$TEST_HOME/before"
    box device add /dev/fuse
    [ "$(numbers /dev/fuse)" = "True 10 229" ]
    [ "$(numbers /dev/other)" = "True 1 5" ]
    [ "$(field /dev/other from)" = configuration ]
    run box device remove /dev/other
    assert_status 125
    assert_contains "your configuration may list it"
    box device remove /dev/fuse
    cmp "$CONFIG/boxes/shop.toml" "$TEST_HOME/before"
}

@test "device: a running box keeps what it has: add, remove and run name box apply" {
    box run -- true
    run box device add /dev/fuse
    assert_status 0
    assert_contains "it runs without it until 'box apply'"
    run box run -- test -e /dev/fuse
    assert_status 1
    assert_contains "'box apply' puts it into effect"
    run box device list
    assert_contains "after 'box apply'"
    box apply
    box run -- test -c /dev/fuse
    run box device remove /dev/fuse
    assert_contains "has the device until 'box apply' or 'box stop'"
    box stop
    run box run -- test -e /dev/fuse
    assert_status 1
}

@test "device: it is given to one box, and to its throw-away ones, by name too" {
    mkdir "$TEST_HOME/paint"
    box init "$TEST_HOME/paint" >/dev/null 2>&1
    box device add shop /dev/fuse
    box run --ephemeral -- test -c /dev/fuse
    run box run paint -- test -e /dev/fuse
    assert_status 1
    [ "$(box device list paint --json | jq '.devices | length')" = 0 ]
    box device remove shop /dev/fuse
    [ "$(box device list shop --json | jq '.devices | length')" = 0 ]
}

@test "device: what no box may have is refused with the reason, and nothing is kept" {
    local device why
    while IFS='|' read -r device why; do
        [ -e "$device" ] || [[ $why == *path* || $why == *there* ]] || continue
        run box device add "$device"
        [ "$status" = 64 ] || [ "$status" = 125 ] || fail "$device: $status"
        assert_contains "'$device' $why"
    done <<ROWS
/dev/tty|is a terminal of yours
/dev/stdin|is no device
/dev/fd/0|is no device
/dev/shm|is no device
/dev/uinput|makes input devices
/dev/input/event0|is an input device
/dev/sdz|is a disk
/dev/bus/usb/001/001|is a USB device past its driver
/dev/no-such-device|is not there
/etc/passwd|must be the path of a device
kvm|must be the path of a device
/dev/../etc/passwd|must be the path of a device
$PROJECT/dev|must be the path of a device
ROWS
    ln -s /dev/fuse /dev/shm/"$LITTERBOX_INSTANCE"
    run box device add /dev/shm/"$LITTERBOX_INSTANCE"
    rm /dev/shm/"$LITTERBOX_INSTANCE"
    assert_status 64
    assert_contains "everybody may make links"
    run box device add $'/dev/\e[31mx\nbox: forged'
    assert_status 64
    refute_contains $'\e'
    [ "${#lines[@]}" = 1 ]
    [ ! -e "$LIST" ]
}

@test "device: usage" {
    for words in '' add remove 'list a b' nonsense 'add a b c d' 'add --json /dev/fuse'; do
        # shellcheck disable=SC2086
        run box device $words
        assert_status 64
    done
    mkdir "$TEST_HOME/new"
    run box device add "$TEST_HOME/new" /dev/fuse
    assert_status 125
    assert_contains "has no box yet"
    run box device list "$TEST_HOME/new"
    assert_status 0
}

@test "device: a node is kept by its link, and is in the box under the name that was said" {
    plug ttyUSB0
    run box device add /dev/ttyUSB0
    assert_status 0
    assert_contains "gets '/dev/ttyUSB0', which is '$NAME' wherever that is plugged in"
    assert_contains "belongs to group"
    grep -qP "^\Q$NAME\E\t/dev/ttyUSB0$" "$LIST"
    [ "$(numbers /dev/ttyUSB0)" = "True 188 0" ]
    run box run -- test -e /dev/ttyUSB1
    assert_status 1
    # Plugged in again, elsewhere: the same name in the box, once it is started again.
    plug ttyUSB1
    run box status
    assert_contains "'box apply'"
    box apply
    [ "$(numbers /dev/ttyUSB0)" = "True 188 1" ]
    [ "$(field /dev/ttyUSB0 host)" = /dev/ttyUSB1 ]
    run box device add /dev/ttyUSB0
    assert_status 125
    assert_contains "is '$NAME' already"
    box device remove /dev/ttyUSB1
    [ ! -s "$LIST" ]
}

@test "device: by its link it is in the box under the link's name" {
    plug zero
    box device add "$NAME"
    [ "$(numbers "$NAME")" = "True 1 5" ]
    [ "$(box run -- head -c 2 "$NAME" 2>/dev/null | od -An -tx1)" = " 00 00" ]
    box stop
    plug fuse
    [ "$(numbers "$NAME")" = "True 10 229" ]
}

@test "device: one that is away leaves the box open, with a sentence, and is back with the next start" {
    plug zero
    box device add "$NAME"
    box run -- test -c "$NAME"
    unplug
    # A box that runs goes on; so does a new start.
    box run -- test -c "$NAME"
    box stop
    run box run -- test -e "$NAME"
    assert_status 1
    assert_contains "'$NAME' is not there now, and left out"
    [ "$(field "$NAME" state)" = away ]
    run box device list
    assert_contains away
    box stop
    run box run -- true
    assert_status 0
    assert_contains "'$NAME' is not there now, and left out"
    box stop
    plug zero
    box run -- test -c "$NAME"
    unplug
    box device remove "$NAME"
    [ "$(box device list --json | jq '.devices | length')" = 0 ]
}

@test "device: the number is judged at each start: what has become something else is left out" {
    local node
    plug zero
    box device add "$NAME"
    for node in input/event0 uinput sdz ttyUSB0/../tty no-such ../etc/passwd; do
        plug "$node"
        run box run -- test -e "$NAME"
        [ "$status" = 1 ] || fail "$node: $status: $output"
        assert_contains "left out"
        box stop
    done
    plug uinput
    [ "$(field "$NAME" state)" = refused ]
    [[ "$(field "$NAME" why)" == "makes input devices"* ]]
    run box run -- test -e /dev/uinput
    assert_status 1
}

@test "device: names with ':' are in the box under the name of the node" {
    [ -w "$LINKS" ] || skip "only in the lab can links be made there"
    ln -sfn ../../zero "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    box device add "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    run box run -- head -c 1 /dev/zero
    assert_status 0
    [ "$(field /dev/zero host)" = /dev/zero ]
    box device remove "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    [ ! -s "$LIST" ]
}

@test "device: list offers what this machine has and the box has not, by names that stay" {
    plug ttyUSB0
    kind() { box device list --json | jq -r --arg d "$1" '.candidates[] | select(.device == $d) | .kind + " " + .host'; }
    [ "$(kind "$NAME")" = "serial /dev/ttyUSB0" ]
    [ "$(kind /dev/ttyUSB1)" = "serial /dev/ttyUSB1" ]
    [ ! -e /dev/kvm ] || [ "$(kind /dev/kvm)" = "kvm /dev/kvm" ]
    [ "$(kind /dev/input/event0)" = "" ]
    run box device list
    assert_contains "not in the box (serial)"
    box device add "$NAME"
    [ "$(kind "$NAME")" = "" ]
    # A link to what no box may have is not offered.
    plug uinput
    [ "$(kind "$NAME")" = "" ]
}

@test "device: box rm takes the list along, also one that was killed half way" {
    box device add /dev/fuse
    box rm --yes
    box init >/dev/null 2>&1
    [ "$(box device list --json | jq '.devices | length')" = 0 ]
    box device add /dev/fuse
    box rm --yes --keep-home
    [ "$(box device list --json | jq '.devices | length')" = 1 ]
}

@test "device: a list that is not as we write it is an error that names it, and opens nothing" {
    local text
    for text in '/dev/fuse' $'/dev/fuse\t/etc/passwd' $'/etc/passwd\t/dev/x' $'/dev/a\t/dev/b:rwm' \
        $'/dev/../etc\t/dev/x' $'/dev/a\t/dev/b\t/dev/c' $'/dev/a\e[31m\t/dev/b'; do
        printf '%s\n' "$text" >"$LIST"
        run box run -- true
        assert_status 78
        assert_contains "$LIST:1: this is no device"
        refute_contains $'\e'
    done
    printf '/dev/fuse\t/dev/fuse\0\n' >"$LIST"
    run box run -- true
    assert_status 78
    [ -z "$(containers)" ]
}

@test "device: ten at once, and some that are killed: the list is whole" {
    local i pids=()
    box device add /dev/fuse
    for i in {1..10}; do
        box device add /dev/zero 3>&- &
        pids+=($!)
        timeout -s KILL "0.00$i" box device remove /dev/zero 3>&- &
        pids+=($!)
    done 2>/dev/null
    wait "${pids[@]}" || true
    box device add /dev/zero
    [ "$(field /dev/fuse state)" = there ]
    [ "$(field /dev/zero state)" = there ]
    [ "$(wc -l <"$LIST")" = 2 ]
}
