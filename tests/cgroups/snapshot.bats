#!/usr/bin/env bats
# box snapshot pauses the box that it reads, and never leaves it so. Needs cgroups: in the lab, --own-cgroups.

load ../lib/box.bash
load ../lib/image.bash

setup() {
    box_setup
    SHOP=$DATA/boxes/shop/home
    NAME=litterbox.$LITTERBOX_INSTANCE.shop
    # What reads it can be held up: strace delays the look at the link.
    box run -- sh -c 'mkdir -p ~/deep; ln -s x ~/deep/link'
    GROUP=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(podman_get "containers/$NAME/json" | jq -r .State.Pid)/cgroup")
}

teardown() {
    podman_do POST "containers/$NAME/unpause" >/dev/null
    box_teardown
}

# Where systemd makes the cgroup, crun has one of its own in it: Podman pauses that, and a snapshot the whole.
frozen() { grep -q 1 "$GROUP/cgroup.freeze" "${GROUP%/container}/cgroup.freeze"; }
# The kernel says so a moment after it was told.
thawed() { grep -q 'frozen 0' "$GROUP/cgroup.events"; }
# The oldest "box" is the command: its holder has that name, too, for a moment.
holder() { pgrep -x box-freeze; }
# Stopped, it does not thaw when its time is up: on a busy machine that may be before it is killed.
catch_holder() {
    frozen && kill -STOP "$(holder)" || return
    frozen && return
    kill -CONT "$(holder)" # it had just thawed
    return 1
}
consistent() { box snapshot list shop --json | jq -c '.[-1] | [.running, .consistent]'; }
# slowly MICROSECONDS WHEN COMMAND…: each look at a link takes that long, WHEN a call's number, or +.
slowly() {
    local delay=$1 when=$2
    shift 2
    strace -f -qq -o /dev/null -e trace=readlinkat -e inject="readlinkat:delay_enter=$delay:when=$when" "$@"
}
# counts: a program of the box that writes each number to a file, and then to another one.
counts() {
    box run --detach -- python3 -c 'import os
a = os.open(os.path.expanduser("~/a"), os.O_RDWR | os.O_CREAT)
b = os.open(os.path.expanduser("~/deep/b"), os.O_RDWR | os.O_CREAT)
n = 0
while True:
    n += 1
    os.pwrite(a, b"%09d" % n, 0)
    os.pwrite(b, b"%09d" % n, 0)'
    eventually test -s "$SHOP/deep/b"
}
# read_at_once: what the last snapshot has of the two is what was there at one time.
read_at_once() {
    local a b
    box snapshot restore --yes --home "$(box snapshot list shop --json | jq '.[-1].number')"
    a=$((10#$(cat "$SHOP/a"))) b=$((10#$(cat "$SHOP/deep/b")))
    [ $((a - b)) = 0 ] || [ $((a - b)) = 1 ] || fail "$a and $b"
}

@test "snapshot: a box is paused while it is read, and what belongs together is of one time" {
    counts
    run slowly 300000 1 box snapshot create
    assert_status 0
    refute_contains "could not be paused"
    eventually thawed
    [ "$(consistent)" = '[true,true]' ]
    run box snapshot show "$(box snapshot list shop --json | jq '.[-1].number')"
    assert_contains "while the box ran, and was paused"
    read_at_once
    # One that does not run needs no pause.
    box snapshot create
    [ "$(consistent)" = '[false,true]' ]
}

@test "snapshot: what takes too long is read while the box runs, and then what has changed, in a second pause" {
    counts
    # The box goes on meanwhile.
    slowly 2000000 1 box snapshot create &
    eventually frozen
    before=$(cat "$SHOP/a")
    eventually thawed
    goes_on() { [ "$(cat "$SHOP/a")" != "$before" ]; }
    eventually goes_on
    wait $!
    [ "$(consistent)" = '[true,true]' ]
    read_at_once
}

@test "snapshot: one that cannot be read in time is not said to be of one time" {
    run slowly 6000000 1+ box snapshot create --home
    assert_status 0
    assert_contains "could not be paused"
    eventually thawed
    [ "$(consistent)" = '[true,false]' ]
}

@test "snapshot: commands wait for the end of the pause" {
    slowly 700000 1 box snapshot create &
    eventually frozen
    run --separate-stderr box run -- echo ran
    assert_status 0
    assert_output ran
    wait $!
    [ "$(consistent)" = '[true,true]' ]
}

@test "snapshot: a box that the user has paused stays so" {
    [ "$(podman_do POST "containers/$NAME/pause")" = 204 ]
    run timeout 30 box snapshot create
    assert_status 0
    frozen
    [ "$(podman_get "containers/$NAME/json" | jq -r .State.Status)" = paused ]
    [ "$(consistent)" = '[true,true]' ]
    run timeout 30 box run -- true
    assert_contains "box 'shop' is paused"
}

@test "snapshot: Ctrl-C ends the pause" {
    # Each look: it is to be told before it is done.
    slowly 900000 1+ box snapshot create 2>"$TEST_HOME/said" &
    eventually frozen
    kill -INT "$(pgrep -o -x box)"
    status=0
    wait $! || status=$?
    [ "$status" != 0 ]
    eventually thawed
    [ "$(box snapshot list shop --json)" = "[]" ]
}

@test "snapshot: SIGKILL of the command, of its holder, and of both: the box runs again" {
    # The command alone: the holder sees its end.
    slowly 3000000 1 box snapshot create >/dev/null 2>&1 &
    eventually frozen
    kill -KILL "$(pgrep -o -x box)"
    wait $! || true
    eventually thawed
    # The holder alone: the command thaws at its end, and does not claim that the box stood still.
    slowly 500000 1+ box snapshot create --home >/dev/null 2>&1 &
    eventually catch_holder
    kill -KILL "$(holder)"
    wait $!
    eventually thawed
    # Both: the next command thaws, whichever it is.
    slowly 3000000 1+ box snapshot create >/dev/null 2>&1 &
    eventually catch_holder
    kill -KILL "$(holder)" "$(pgrep -o -x box)"
    wait $! || true
    frozen
    box list >/dev/null
    eventually thawed
    run timeout 20 box run -- echo alive
    assert_contains alive
}

@test "snapshot: SIGKILL before each call of the pause: the box runs again" {
    local call n status rounds=0
    for call in ftruncate pipe2 write pwrite64 openat wait4 setsid; do
        for ((n = 1; n < 40; n += TEST_STEP)); do
            status=0
            # Without -f: the command, and not its holder.
            strace -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box snapshot create --home >/dev/null 2>&1 || status=$?
            rounds=$((rounds + 1))
            box list >/dev/null
            eventually thawed
            [ "$status" != 0 ] || break
        done
    done
    echo "# $rounds kills" >&3
    run timeout 20 box run -- echo alive
    assert_contains alive
}

@test "snapshot: a box is paused while an image is made of what is installed, and runs afterwards" {
    need_base
    box rm --yes
    trust_file $'[box]\nimage = "debian:bookworm"\nidle_stop = "never"'
    box run -u root -- sh -c 'echo one >/opt/mine'
    # What Podman does not do within the limit of a pause, as on a busy machine, is not said to be of one time.
    paused_to_the_end() { box snapshot create --system && [ "$(consistent)" = '[true,true]' ]; }
    eventually --within 120 paused_to_the_end
    [ "$(podman_get "containers/$NAME/json" | jq -r .State.Status)" = running ]
    [ "$(box run -- cat /opt/mine)" = one ]
    box rm --yes
    remove_built_images
}
