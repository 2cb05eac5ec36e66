#!/usr/bin/env bats
# `box device`: devices that a user gives to a box, by names that do not change.

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

# plug NODE: creates this test's device as /dev/NODE; unplug: removes it.
plug() {
    [ -w "$LINKS" ] || skip "only in the lab can links be made there"
    ln -sfn "../../$1" "$NAME"
}
unplug() { rm -f "$NAME"; }

# numbers PATH: major and minor number in the box.
numbers() {
    box run -- python3 -c 'import os, stat, sys
st = os.stat(sys.argv[1])
print(stat.S_ISCHR(st.st_mode), os.major(st.st_rdev), os.minor(st.st_rdev))' "$1" 2>/dev/null
}

# field DEVICE FIELD: of `box device list`.
field() { box device list --json | jq -r --arg d "$1" --arg f "$2" '.devices[] | select(.device == $d) | .[$f]'; }

@test "device: an added device is in the box from its next start on, and in the list" {
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
    # Adding it again changes nothing.
    before=$(stat -c %Y.%i "$LIST")
    box device add /dev/fuse
    [ "$(stat -c %Y.%i "$LIST")" = "$before" ]
    run box status
    refute_contains drift
}

@test "device: no file of the user is changed" {
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

@test "device: a running box keeps its devices; add, remove and run suggest box apply" {
    box run -- true
    run box device add /dev/fuse
    assert_status 0
    assert_contains "it is running without it until 'box apply'"
    run box run -- test -e /dev/fuse
    assert_status 1
    assert_contains "run 'box apply' to use it"
    run box device list
    assert_contains "take effect with 'box apply'"
    box apply
    box run -- test -c /dev/fuse
    run box device remove /dev/fuse
    assert_contains "keeps the device until 'box apply' or 'box stop'"
    box stop
    run box run -- test -e /dev/fuse
    assert_status 1
}

@test "device: only the named box and its throw-away boxes get it" {
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

@test "device: devices that no box may have are refused with the reason, and not stored" {
    local device why
    while IFS='|' read -r device why; do
        [ -e "$device" ] || [[ $why == *path* || $why == *missing* ]] || continue
        run box device add "$device"
        [ "$status" = 64 ] || [ "$status" = 125 ] || fail "$device: $status"
        assert_contains "'$device' $why"
    done <<ROWS
/dev/tty|is one of your terminals
/dev/stdin|is not a device
/dev/fd/0|is not a device
/dev/shm|is not a device
/dev/uinput|creates input devices
/dev/input/event0|is an input device
/dev/sdz|is a disk
/dev/bus/usb/001/001|gives direct access to a USB device
/dev/no-such-device|is missing
/etc/passwd|must be the path of a device
kvm|must be the path of a device
/dev/../etc/passwd|must be the path of a device
$PROJECT/dev|must be the path of a device
ROWS
    ln -s /dev/fuse /dev/shm/"$LITTERBOX_INSTANCE"
    run box device add /dev/shm/"$LITTERBOX_INSTANCE"
    rm /dev/shm/"$LITTERBOX_INSTANCE"
    assert_status 64
    assert_contains "every user can create links"
    run box device add $'/dev/\e[31mx\nbox: forged'
    assert_status 64
    refute_contains $'\e'
    [ "${#lines[@]}" = 1 ]
    [ ! -e "$LIST" ]
}

@test "device: wrong usage is refused" {
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

@test "device: a node is stored by its link and keeps the given path in the box" {
    plug ttyUSB0
    run box device add /dev/ttyUSB0
    assert_status 0
    assert_contains "gets '/dev/ttyUSB0', which is '$NAME' wherever that is plugged in"
    assert_contains "belongs to group"
    grep -qP "^\Q$NAME\E\t/dev/ttyUSB0$" "$LIST"
    [ "$(numbers /dev/ttyUSB0)" = "True 188 0" ]
    run box run -- test -e /dev/ttyUSB1
    assert_status 1
    # Plugged in elsewhere it has the same path in the box after the next start.
    plug ttyUSB1
    run box status
    assert_contains "'box apply'"
    box apply
    [ "$(numbers /dev/ttyUSB0)" = "True 188 1" ]
    [ "$(field /dev/ttyUSB0 host)" = /dev/ttyUSB1 ]
    run box device add /dev/ttyUSB0
    assert_status 125
    assert_contains "is already device '$NAME'"
    box device remove /dev/ttyUSB1
    [ ! -s "$LIST" ]
}

@test "device: added by its link it has the link's path in the box" {
    plug zero
    box device add "$NAME"
    [ "$(numbers "$NAME")" = "True 1 5" ]
    [ "$(box run -- head -c 2 "$NAME" 2>/dev/null | od -An -tx1)" = " 00 00" ]
    box stop
    plug fuse
    [ "$(numbers "$NAME")" = "True 10 229" ]
}

@test "device: without a missing device the box starts with a warning, and gets it at the next start" {
    plug zero
    box device add "$NAME"
    box run -- test -c "$NAME"
    unplug
    # A running box continues, and a stopped one starts.
    box run -- test -c "$NAME"
    box stop
    run box run -- test -e "$NAME"
    assert_status 1
    assert_contains "'$NAME' is missing and skipped"
    [ "$(field "$NAME" state)" = away ]
    run box device list
    assert_contains away
    box stop
    run box run -- true
    assert_status 0
    assert_contains "'$NAME' is missing and skipped"
    box stop
    plug zero
    box run -- test -c "$NAME"
    unplug
    box device remove "$NAME"
    [ "$(box device list --json | jq '.devices | length')" = 0 ]
}

@test "device: numbers are checked at each start, and a device that has become another one is left out" {
    local node
    plug zero
    box device add "$NAME"
    for node in input/event0 uinput sdz ttyUSB0/../tty no-such ../etc/passwd; do
        plug "$node"
        run box run -- test -e "$NAME"
        [ "$status" = 1 ] || fail "$node: $status: $output"
        assert_contains "skipped"
        box stop
    done
    plug uinput
    [ "$(field "$NAME" state)" = refused ]
    [[ "$(field "$NAME" why)" == "creates input devices"* ]]
    run box run -- test -e /dev/uinput
    assert_status 1
}

@test "device: a link with ':' has the node's path in the box" {
    [ -w "$LINKS" ] || skip "only in the lab can links be made there"
    ln -sfn ../../zero "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    box device add "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    run box run -- head -c 1 /dev/zero
    assert_status 0
    [ "$(field /dev/zero host)" = /dev/zero ]
    box device remove "$LINKS/usb-$LITTERBOX_INSTANCE-0:1.0-port0"
    [ ! -s "$LIST" ]
}

@test "device: list offers this machine's other devices by names that do not change" {
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
    # A link to a refused device is not offered.
    plug uinput
    [ "$(kind "$NAME")" = "" ]
}

@test "device: box rm removes the list, also after it was killed half way" {
    box device add /dev/fuse
    box rm --yes
    box init >/dev/null 2>&1
    [ "$(box device list --json | jq '.devices | length')" = 0 ]
    box device add /dev/fuse
    box rm --yes --keep-home
    [ "$(box device list --json | jq '.devices | length')" = 1 ]
}

@test "device: a damaged list is an error that names it, and gives the box nothing" {
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

@test "device: ten commands at once, some of them killed, leave a valid list" {
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
