#!/usr/bin/env bats
# Faults around a box: a broken Podman, a reboot, a full disk, changes in its folders, hostile
# paths and names. Each ends in a clear message and the right exit status, nothing is lost, and the
# next command works. Killed processes are in crash.bats.

load ../lib/box.bash

# An idle service, for the last test: it ends after a minute.
setup_file() {
    export IDLE_INSTANCE=tidle$$
    env -u CONTAINER_HOST LITTERBOX_INSTANCE="$IDLE_INSTANCE" box list >/dev/null 3>&- 4>&-
}

teardown_file() { rm -rf "$XDG_RUNTIME_DIR/litterbox-$IDLE_INSTANCE"; }

setup() { box_setup; }

teardown() {
    [ -z "${FAKE:-}" ] || kill "$FAKE" 2>/dev/null || true
    if [ -n "${SPARE:-}" ]; then spare_end; fi
    box_teardown
}

# fake HOW [GOOD]: a broken Podman, at $CONTAINER_HOST for commands after "with_fake".
fake() {
    # The kernel shows the socket of the last one as listening until that has ended.
    [ -z "${FAKE:-}" ] || { kill "$FAKE" 2>/dev/null || true; wait "$FAKE" || true; }
    rm -f "$TEST_HOME/fake.sock"
    python3 "$BATS_TEST_DIRNAME/../lib/crash_podman.py" "$TEST_HOME/fake.sock" "$@" 3>&- 4>&- &
    FAKE=$!
    eventually socket_listens "$TEST_HOME/fake.sock"
}

with_fake() { CONTAINER_HOST=unix://$TEST_HOME/fake.sock timeout "${LIMIT:-60}" "$@"; }

# One safe sentence and a documented exit status: not a crash, not a success.
assert_sober() {
    [ "$status" = 69 ] || [ "$status" = 125 ] || fail "$1: exit status $status: $output"
    assert_contains "box: "
    refute_contains $'\033'
    refute_contains $'\u202e'
    [ ${#output} -lt 2000 ] || fail "$1: ${#output} characters: $output"
}

# bats test_tags=release
@test "faults: each kind of command copes with a Podman that answers nonsense" {
    local how good command
    for how in $(python3 "$BATS_TEST_DIRNAME/../lib/crash_podman.py" --list); do
        case $how in silence | half | slow | trickle) continue ;; esac
        for good in 0 1; do
            # A valid ping, and lists or states without meaning.
            fake "$how" "$good"
            for command in list "run -- true" stop "rm --yes"; do
                # shellcheck disable=SC2086 # words of a command
                run with_fake box $command
                [ "$status" = 0 ] || assert_sober "$command, $how after $good"
                [ "$status" != 0 ] || [[ $command != run* ]] || fail "$command, $how after $good: success"
            done
        done
    done
    kill "$FAKE"
    # Nothing was lost or created.
    box run -- true
    [ "$(containers | wc -l)" = 1 ]
}

@test "faults: a call ends after 30 s of silence, but not while bytes come slowly" {
    fake silence
    SECONDS=0
    LIMIT=120 run with_fake box list
    assert_status 69
    assert_contains "does not answer"
    [ "$SECONDS" -lt 60 ]
    fake slow 1
    run with_fake box list
    assert_status 0
    box run -- true
}

@test "faults: Ctrl-C ends a call to a slow Podman" {
    fake trickle 1
    CONTAINER_HOST=unix://$TEST_HOME/fake.sock timeout -s INT 2 box list >out 2>&1 3>&- || true
    SECONDS=0
    run -124 with_fake timeout -s INT 1 box list
    run -124 with_fake timeout -s TERM 1 box list
    # Without the signals it goes on for as long as bytes come.
    [ "$SECONDS" -lt 30 ]
}

@test "faults: a running box whose container is removed with podman" {
    box run -- sh -c 'echo kept >~/kept'
    box run -- sleep 1000 >out 2>&1 3>&- &
    local session=$! status=0
    eventually sh -c '[ "$(box list --json | jq ".[0].sessions")" = 1 ]'
    podman_do DELETE "containers/$(containers)?force=true&timeout=0" >/dev/null
    wait "$session" || status=$?
    [ "$status" = 125 ] || fail "session ends with $status: $(cat out)"
    grep -q "the box was stopped" out
    [ "$(box status --json | jq -r .state)" = missing ]
    box stop
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
}

@test "faults: a stopped box whose container is removed with podman" {
    box run -- sh -c 'echo kept >~/kept'
    box stop
    podman_do DELETE "containers/$(containers)?force=true&timeout=0" >/dev/null
    box stop
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    podman_do DELETE "containers/$(containers)?force=true&timeout=0" >/dev/null
    box rm --yes
    [ ! -e "$DATA/boxes/shop" ]
}

@test "faults: a container that is stopped, killed or replaced with podman" {
    box run -- sh -c 'echo kept >~/kept'
    podman_do POST "containers/$(containers)/stop?timeout=0" >/dev/null
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    podman_do POST "containers/$(containers)/kill?signal=9" >/dev/null
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    # Another program's container with the same name is neither entered nor removed.
    local name
    name=$(containers)
    box rm --keep-home --yes
    mkdir "$TEST_HOME/root"
    podman_do POST containers/create "{\"name\":\"$name\",\"rootfs\":\"$TEST_HOME/root\",\"command\":[\"/x\"]}" >/dev/null
    run box run -- true
    assert_status 125
    assert_contains "was not created by Litterbox"
    run box stop
    assert_status 125
    podman_get "containers/$name/json" | jq -e .Id >/dev/null
    podman_do DELETE "containers/$name?force=true" >/dev/null
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
}

@test "faults: a box that is killed right after its start is started again" {
    box run -- sh -c 'echo kept >~/kept'
    box stop
    python3 "$BATS_TEST_DIRNAME/../lib/killing_podman.py" "$TEST_HOME/fake.sock" "${CONTAINER_HOST#unix://}" \
        >"$TEST_HOME/killing" 3>&- 4>&- &
    FAKE=$!
    eventually socket_listens "$TEST_HOME/fake.sock"
    run --separate-stderr with_fake box run -- sh -c 'cat ~/kept'
    assert_output kept
    [ "$(cat "$TEST_HOME/killing")" = killed ]
}

@test "faults: restarts in a row, of which Podman's cleanup removes some, say nothing of the secrets of the box" {
    printf '[network]\nmode = "filtered"\n' >litterbox.toml
    box trust --yes
    box run -- true
    box secret add key --host key.example.org --variable API_TOKEN --value-fd 0 <<<a-value-of-some-length
    box secret attach key
    local i
    for i in 1 2 3 4 5 6 7 8; do
        run box restart
        [[ $status = 0 && $output != *"cannot reach"* && $output != *"may not trust"* ]] || break
    done
    box secret remove key
    [[ $status = 0 && $output != *"cannot reach"* && $output != *"may not trust"* ]] || fail "restart $i: $output"
}

@test "faults: many first enters at once" {
    local i callers=()
    for i in 1 2 3 4; do
        on_terminal box enter -- sh -c 'echo in $LITTERBOX_BOX' >"$TEST_HOME/out.$i" 2>&1 3>&- &
        callers+=($!)
        box start >"$TEST_HOME/start.$i" 2>&1 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    for i in 1 2 3 4; do
        grep -q "in shop" "$TEST_HOME/out.$i" || fail "$(cat "$TEST_HOME/out.$i")"
        ! grep -q error "$TEST_HOME/start.$i" || fail "$(cat "$TEST_HOME/start.$i")"
    done
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ]
}

@test "faults: starts, stops and removals at once" {
    local i callers=()
    box run -- sh -c 'echo kept >~/kept'
    for i in 1 2 3 4 5 6; do
        box stop >out.s$i 2>&1 3>&- &
        callers+=($!)
        box start >out.b$i 2>&1 3>&- &
        callers+=($!)
        box restart >out.r$i 2>&1 3>&- &
        callers+=($!)
        [ $((i % 3)) = 0 ] || continue
        box rm --keep-home >out.d$i 2>&1 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    ! cat out.* | grep -vE 'waiting for another|not enforced|: (creating|starting|stopping|removing) box' || fail "see above"
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    [ "$(containers | wc -l)" = 1 ]
}

@test "faults: a box that stops at once when idle can be used again at once" {
    mkdir -p "$CONFIG"
    printf '[box]\nidle_stop = 0\n' >"$CONFIG/config.toml"
    local number
    for number in $(seq 25); do
        run --separate-stderr box run -- echo "$number"
        assert_status 0
        assert_output "$number"
        [ $((number % 3)) = 0 ] || sleep "0.0$((number % 9))"
    done
}

@test "faults: a session that ignores the end of the box" {
    mkdir -p "$CONFIG"
    printf '[box]\nidle_stop = 0\n' >"$CONFIG/config.toml"
    box run -- sh -c 'trap "" TERM HUP; sleep 1000 >/dev/null 2>&1 </dev/null &'
    sleep 0.3
    SECONDS=0
    run --separate-stderr box run -- echo again
    assert_output again
    [ "$SECONDS" -lt 15 ]
}

# Another user's: of a subordinate id, which only podman unshare can set.
@test "faults: a home, data or runtime folder of another user" {
    local folder
    mkdir .git # to be the project also while its registration is out of reach
    box run -- sh -c 'echo kept >~/kept'
    for folder in "$DATA/boxes/shop/home" "$DATA/boxes/shop" "$RUNTIME/shop/ctl" "$RUNTIME/shop"; do
        box stop
        env -u CONTAINER_HOST podman unshare chown 5:5 "$folder"
        run box run -- true
        env -u CONTAINER_HOST podman unshare chown 0:0 "$folder"
        assert_status 125
        [[ $output == *"belongs to another user"* || $output == *"Permission denied"* ]] || fail "$output"
        [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    done
}

@test "faults: a home that is missing or not a folder" {
    box run -- true
    box stop
    rm -rf "$DATA/boxes/shop/home"
    box run -- sh -c 'echo new >~/kept'
    box stop
    mv "$DATA/boxes/shop/home" "$TEST_HOME/aside"
    echo >"$DATA/boxes/shop/home"
    run box run -- true
    assert_status 125
    assert_contains "$DATA/boxes/shop/home"
    rm "$DATA/boxes/shop/home"
    mv "$TEST_HOME/aside" "$DATA/boxes/shop/home"
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = new ]
}

@test "faults: a missing project, with a running and a stopped box" {
    box run -- true
    mv "$PROJECT" "$TEST_HOME/gone"
    cd "$HOME"
    run box run shop -- true
    [ "$status" = 0 ] || assert_status 125
    box stop shop
    run box run shop -- true
    assert_status 125
    assert_contains "$PROJECT"
    box rm --yes shop
    [ -z "$(containers)" ]
}

# state_whole: the registration, the index and the approvals are readable and unchanged.
state_whole() {
    [ "$(cat "$DATA/boxes/shop/project")" = "$PROJECT" ]
    [ -z "$(find "$DATA" "$STATE" "$RUNTIME" "$PROJECT" -name '.litterbox-*' 2>/dev/null)" ]
}

@test "faults: a reboot" {
    # A Podman of its own, so that nobody else's boxes are rebooted: XDG folders of its own, and a
    # service that box starts. Everything of it is killed and its runtime folder emptied; what a
    # reboot also does, a new boot ID and fresh cgroups, Podman does not look at.
    local pid
    spare_begin
    box run -- sh -c 'echo kept >~/kept'
    box run --detach -- sleep 1000
    reboot
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    [ "$(box list --json | jq -r '.[].state')" = running ]
    box stop
    reboot
    [ "$(box list --json | jq -r '.[].state')" = stopped ]
    box run -- true
    reboot
    box rm --yes
    [ "$(box list --json)" = "[]" ]
}

spare_begin() {
    SPARE=$TEST_HOME/spare
    SUITE=$CONTAINER_HOST
    unset CONTAINER_HOST
    OLD_RUNTIME_DIR=$XDG_RUNTIME_DIR OLD_DATA_HOME=${XDG_DATA_HOME:-}
    mkdir -p "$SPARE/data"
    mkdir -m 700 "$SPARE/run"
    export XDG_RUNTIME_DIR=$SPARE/run XDG_DATA_HOME=$SPARE/data
    project_setup
}

# All processes with the spare runtime folder, and PID 1 of the box.
spare_processes() {
    local file
    for file in /proc/[0-9]*/environ; do
        if tr '\0' '\n' <"$file" 2>/dev/null | grep -qx "XDG_RUNTIME_DIR=$SPARE/run"; then
            file=${file#/proc/}
            echo "${file%/environ}"
        fi
    done 2>/dev/null | grep -vx -e "$$" -e "$BASHPID"
    pgrep -f -- "--workdir $PROJECT "
}

reboot() {
    # Again, as conmon may have started Podman's cleanup before it was killed.
    while kill_spare; do :; done
    rm -rf "$SPARE/run" 2>/dev/null || unshare -Ur rm -rf "$SPARE/run"
    mkdir -m 700 "$SPARE/run"
}

# Kills them, and waits for their end; fails when there are none.
kill_spare() {
    local pid killed=()
    for pid in $(spare_processes); do
        # Not the shells of this test.
        case $(cat "/proc/$pid/comm" 2>/dev/null) in
        bash | bats* | cat | tr | grep) ;;
        *) kill -9 "$pid" 2>/dev/null && killed+=("$pid") ;;
        esac
    done
    for pid in "${killed[@]}"; do eventually process_ended "$pid"; done
    [ "${#killed[@]}" != 0 ]
}

spare_end() {
    reboot
    podman unshare rm -rf "$SPARE"
    SPARE=
    export CONTAINER_HOST=$SUITE XDG_RUNTIME_DIR=$OLD_RUNTIME_DIR
    if [ -n "$OLD_DATA_HOME" ]; then export XDG_DATA_HOME=$OLD_DATA_HOME; else unset XDG_DATA_HOME; fi
}

@test "faults: all files in the runtime folder are removed while the box is running" {
    box run -- sh -c 'echo kept >~/kept'
    rm -rf "$RUNTIME"
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    [ "$(containers | wc -l)" = 1 ]
}

# A small tmpfs in a mount namespace of its own is the full disk. on_full_disk SCRIPT: runs it there,
# with $DISK, and "fill KB", which leaves so much.
on_full_disk() {
    cat >"$TEST_HOME/disk.bash" <<'DISK'
set -u
DISK=$1
mount -t tmpfs -o size=256k,mode=700,nr_inodes="${INODES:-1000}" tmpfs "$DISK" || exit 99
fill() {
    rm -f "$DISK/filler"
    head -c 10M /dev/zero >"$DISK/filler" 2>/dev/null
    truncate -s "-$1K" "$DISK/filler"
}
complain() { echo "$*"; exit 1; }
DISK
    cat >>"$TEST_HOME/disk.bash"
    mkdir -p "$TEST_HOME/disk"
    unshare --map-current-user --keep-caps --mount bash "$TEST_HOME/disk.bash" "$TEST_HOME/disk"
}

@test "faults: a full disk while approvals and registrations are written" {
    printf '[network]\nmode = "none"\n' >litterbox.toml
    run on_full_disk <<'SCRIPT'
export XDG_STATE_HOME=$DISK/state XDG_DATA_HOME=$DISK/data
for number in 1 2 3; do
    printf '[box]\nenv = { N = "%s" }\n[network]\nmode = "host"\n' "$number" >litterbox.toml
    for left in 0 4 8 12 16 20; do
        fill "$left"
        out=$(box trust --yes 2>&1 </dev/null)
        status=$?
        [ "$status" = 0 ] || [ "$status" = 125 ] || complain "trust: $status $out"
        [ "$status" = 0 ] || [[ $out == *"No space left"* ]] || complain "trust: $out"
        out=$(box init 2>&1 </dev/null)
        [[ $? = [0-9]* ]] || complain "$out"
        [[ $out != *Segmentation* ]] || complain "$out"
        for file in "$DISK"/data/litterbox*/boxes/*/project; do
            [ ! -e "$file" ] || [ "$(cat "$file")" = "$PWD" ] || complain "half a registration: $(cat "$file")"
        done
        [ -z "$(find "$DISK" -name '.litterbox-*')" ] || complain "left over: $(find "$DISK" -name '.litterbox-*')"
    done
    rm "$DISK/filler"
    box trust --yes >/dev/null 2>&1 || complain "trust does not work again"
    # The approvals are valid: there is no new question.
    box plan --json >/dev/null 2>"$DISK/err" </dev/null || grep -qv trust "$DISK/err" || complain "$(cat "$DISK/err")"
done
echo fine
SCRIPT
    assert_contains fine
    assert_status 0
}

@test "faults: a full disk while a project's first files are written" {
    run on_full_disk <<'SCRIPT'
mkdir "$DISK/new"
cd "$DISK/new"
for options in "" "--image debian:bookworm" "--template debian"; do
    fill 0
    out=$(box init $options 2>&1 </dev/null)
    status=$?
    [ "$status" = 125 ] || complain "init $options: $status $out"
    [[ $out == *"No space left"* ]] || complain "init $options: $out"
    [ -z "$(ls -A)" ] || complain "init $options: left over: $(ls -A)"
done
rm "$DISK/filler"
box init --template debian 2>&1 || complain "init does not work again"
echo fine
SCRIPT
    assert_contains fine
    assert_status 0
}

@test "faults: a full disk at the first run, and at a start" {
    mkdir .git # also in a data folder of its own it is a project
    run on_full_disk <<'SCRIPT'
for left in 0 4 8 16 32; do
    fill "$left"
    out=$(XDG_DATA_HOME=$DISK box run -- true 2>&1 </dev/null)
    status=$?
    [ "$status" = 125 ] || complain "data, $left KB: $status $out"
    [[ $out == *"box: "* ]] || complain "data, $left KB: $out"
    rm -rf "$DISK"/litterbox*
done
echo fine
SCRIPT
    assert_contains fine
    box run -- true
    box stop
    # Podman does not see this disk, so it is filled before Podman is called.
    local inodes
    for inodes in 2 3 4; do
        INODES=$inodes run on_full_disk <<'SCRIPT'
out=$(XDG_RUNTIME_DIR=$DISK box run -- true 2>&1 </dev/null)
status=$?
[ "$status" = 125 ] || complain "runtime: $status $out"
[[ $out == *"No space left"* ]] || complain "runtime: $out"
echo fine
SCRIPT
        assert_contains fine
    done
    state_whole
    box run -- true
}

# no_writes COMMAND…: each write to a file fails in COMMAND, but not in Podman's service.
no_writes() { (trap '' XFSZ && ulimit -f 0 && exec "$@"); }

@test "faults: no file can be written" {
    run no_writes box run -- true
    assert_status 125
    assert_contains "File too large"
    box run -- sh -c 'echo kept >~/kept'
    # A running box needs no file.
    run no_writes box run -- cat "$HOME/kept"
    assert_status 0
    box stop
    run no_writes box start
    assert_status 125
    assert_contains "File too large"
    state_whole
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    printf '[box]\nenv = { N = "1" }\n' >litterbox.toml
    run no_writes box trust --yes
    assert_status 125
    assert_contains "File too large"
    trust_file '[box]
env = { N = "1" }'
    printf '[box]\nenv = { N = "2" }\n' >litterbox.toml
    run no_writes box trust --yes
    assert_status 125
    # Only what was approved before is still approved.
    box stop
    run box run -- true </dev/null
    assert_status 78
    printf '[box]\nenv = { N = "1" }\n' >litterbox.toml
    [ "$(box run -- cat "$HOME/kept" 2>/dev/null)" = kept ]
    state_whole
}

@test "faults: output that cannot be written is a failure" {
    box start
    run sh -c 'box list >/dev/full'
    assert_status 125
    run sh -c 'box config show --all >/dev/full'
    assert_status 125
}

@test "faults: paths that are too long, or not UTF-8" {
    local path=$TEST_HOME/long
    while [ ${#path} -lt 3890 ]; do path+=/$(printf 'd%.0s' $(seq 100)); done
    path+=/$(printf 'd%.0s' $(seq $((3999 - ${#path}))))
    [ ${#path} = 4000 ]
    mkdir -p "$path"
    cd "$path"
    mkdir .git
    run box run -- true
    [ "$status" = 0 ] || { assert_status 125 && assert_contains "box: "; }
    cd "$TEST_HOME"
    run box run "$(printf '/d%.0s' $(seq 5000))" -- true
    assert_status 64
    mkdir -p "$TEST_HOME"/$'latin-\xe9'/.git
    run box run "$TEST_HOME"/$'latin-\xe9' -- true
    assert_status 64
    assert_contains "not valid UTF-8"
}

@test "faults: names that are too long or hostile" {
    local name
    project_forget
    for name in "$(printf 'x%.0s' $(seq 64))" "$(printf 'x%.0s' $(seq 100000))" ../../etc 'a/../../b' \
        $'a\nb' $'\033[31mred' 'UPPER' 'a b' '' '-x' '%s%n' $'\u202eoverride'; do
        run timeout 20 box run "$name" -- true
        [ "$status" = 64 ] || [ "$status" = 125 ] || fail "'${name:0:70}': $status ${output:0:200}"
        refute_contains $'\033[31m'
        refute_contains $'\u202e'
        [ ${#output} -lt 5000 ] || fail "${#output} characters"
        run timeout 20 box rm --yes -- "$name"
        [ "$status" != 0 ]
    done
    [ -z "$(ls "$DATA/boxes" 2>/dev/null)" ]
    project_setup
    mkdir -p "$CONFIG"
    for name in "$(printf 'x%.0s' $(seq 64))" '../x' 'a b' '-x' ''; do
        printf '[box]\nname = "%s"\n' "$name" >"$CONFIG/config.toml"
        run box run -- true
        assert_status 78
        assert_contains "config.toml:2"
    done
    rm "$CONFIG/config.toml"
    for name in "$(printf 'y%.0s' $(seq 255))" ... --- '日本' '_' '%n%s'; do
        mkdir -p "$TEST_HOME/odd/$name/.git"
        run box run "$TEST_HOME/odd/$name" -- true
        assert_status 0
        box rm --yes "$TEST_HOME/odd/$name"
    done
}

idle_service_listens() {
    grep -qF " $XDG_RUNTIME_DIR/litterbox-$IDLE_INSTANCE/.podman.sock" /proc/net/unix
}

@test "faults: an idle service ends" {
    [ ! -S "$XDG_RUNTIME_DIR/podman/podman.sock" ] || skip "the user's own podman.socket is up: that one is used"
    [ -S "$XDG_RUNTIME_DIR/litterbox-$IDLE_INSTANCE/.podman.sock" ]
    eventually --within 90 sh -c '! grep -qF " $1" /proc/net/unix' _ \
        "$XDG_RUNTIME_DIR/litterbox-$IDLE_INSTANCE/.podman.sock"
    # Its socket stays without a listener, and is replaced.
    env -u CONTAINER_HOST LITTERBOX_INSTANCE="$IDLE_INSTANCE" box list
    idle_service_listens
}
