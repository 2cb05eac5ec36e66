# The lab as its callers see it. Runs as root, outside.
# shellcheck disable=SC2016 # the shell inside expands these

bats_require_minimum_version 1.5.0

lab() {
    "$LAB_UNDER_TEST" --podman "$LAB_VERSION" "$@" 3>&-
}

# Waits until a file has content.
wait_for() { # FILE
    local i
    for ((i = 0; i < 600; i++)); do
        [ ! -s "$1" ] || return 0
        sleep 0.05
    done
    return 1
}

# What a run of this test sleeps, as no other test does that runs at the same time.
nap=1000.$BATS_TEST_NUMBER$$

# Waits until nothing is there of the run $run_id, nor a process with $nap in its command line.
gone() {
    local i
    for ((i = 0; i < 800; i++)); do
        left=$(left_of "$nap")
        [ -n "$left" ] || return 0
        sleep 0.05
    done
    echo "left behind: $left"
    return 1
}

left_of() { # WORD
    pgrep -f -- "$1" || true
    [ -z "${run_id-}" ] || ls -d "${LITTERBOX_LAB:-/var/cache/litterbox-lab}/runs/$run_id"* "$run_cgroup" 2>/dev/null || true
}

# Starts a run that stays in "sleep $nap", after some COMMANDS; sets lab_pid, run_id and run_cgroup.
start() { # [COMMANDS [OPTION…]]
    # Not through lab(): $! has to be the run itself.
    "$LAB_UNDER_TEST" --podman "$LAB_VERSION" "${@:2}" -- bash -c "${1-} echo up; exec sleep $nap" \
        >"$BATS_TEST_TMPDIR/out" 3>&- &
    lab_pid=$!
    wait_for "$BATS_TEST_TMPDIR/out"
    local pid1
    pid1=$(pgrep -f -- "^tini .*sleep $nap")
    run_id=$(sed -n 's,^0::.*/litterbox-lab/\([^/]*\)/.*,\1,p' "/proc/$pid1/cgroup")
    [ -n "$run_id" ]
    # By its path: a search of all cgroups fails when one of another lab goes while it looks.
    run_cgroup=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET)/litterbox-lab/$run_id
    [ -d "$run_cgroup" ]
}

teardown() {
    [ -z "${lab_pid-}" ] || kill -KILL "$lab_pid" 2>/dev/null || true
}

@test "the exit status is the command's" {
    run lab -- sh -c 'exit 42'
    [ "$status" = 42 ]
    run lab -- sh -c 'kill -TERM $$'
    [ "$status" = 143 ]
    run -127 lab nonexistent
}

@test "stdin, stdout and stderr are the command's" {
    [ "$(echo hello | lab cat 2>/dev/null)" = hello ]
    [ "$(lab -- sh -c 'echo out; echo err >&2' 2>&1 >/dev/null)" = err ]
    [ "$(lab cat <&-)" = "" ]
}

@test "other descriptors are not handed on" {
    lab -- bash -c 'for fd in {3..99}; do [ ! -e /proc/$$/fd/$fd ] || exit 1; done' 7</etc/hostname
}

@test "a later start installs and builds nothing" {
    local start=${EPOCHREALTIME/./}
    run lab true
    echo "# took $(((${EPOCHREALTIME/./} - start) / 1000)) ms" >&3
    [ "$status" = 0 ]
    [ -z "$output" ] # which would say what is installed or built
}

@test "the environment is built from nothing" {
    run env SECRET=1 AWS_SECRET_ACCESS_KEY=1 CI=1 BOX_X=2 LAB_X=3 "$LAB_UNDER_TEST" --podman "$LAB_VERSION" env
    [[ $output != *SECRET* && $output != *CI=1* ]]
    [[ $output = *BOX_X=2* && $output = *LAB_X=3* ]]
    [[ $output = *$'\nPATH=/opt/litterbox/bin:'* ]]
    [[ $output = *XDG_RUNTIME_DIR=/run/user/* ]]
}

@test "the command starts in the caller's folder where it can" {
    cd "$BATS_TEST_DIRNAME"
    [ "$(lab pwd)" = "$BATS_TEST_DIRNAME" ]
    cd "$BATS_TEST_TMPDIR" # in /tmp, and every run has its own
    [ "$(lab pwd)" = /home/dev ]
}

@test "a terminal is a terminal, with its size" {
    command -v script >/dev/null || skip "no script"
    run script -qec "stty cols 77 rows 33; $LAB_UNDER_TEST --podman $LAB_VERSION -- bash -ic 'tty; stty size'" /dev/null 3>&-
    [[ $output = *"/dev/pts/0"* && $output = *"33 77"* ]]
}

@test "TERM reaches the command, and nothing stays" {
    start
    kill -TERM "$lab_pid"
    status=0
    wait "$lab_pid" || status=$?
    [ "$status" = 143 ]
    gone
}

@test "INT reaches the command, and nothing stays" {
    start
    kill -INT "$lab_pid"
    status=0
    wait "$lab_pid" || status=$?
    [ "$status" = 130 ]
    gone
}

@test "kill -9 leaves neither a process nor a mount nor a cgroup nor a file" {
    start "podman info >/dev/null;"
    kill -KILL "$lab_pid"
    gone
    run ! grep -q "$run_id" /proc/mounts
}

@test "with --memory files are in memory where that has room, with native overlays, and kill -9 leaves nothing" {
    start 'made=$(stat -f -c %T "$HOME" "$LAB_TMP"; podman info); echo "$made";' --memory
    if [ "$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 13 ]; then
        [ "$(grep -c '^tmpfs$' "$BATS_TEST_TMPDIR/out")" = 2 ]
        run ! grep mount_program "$BATS_TEST_TMPDIR/out"
    fi
    grep -q graphRoot "$BATS_TEST_TMPDIR/out"
    kill -KILL "$lab_pid"
    gone
}

# on_disk KIND
on_disk() {
    grep -qw "$1" /proc/filesystems || return 0 # tests/run says that it is not there
    start 'made=$(stat -f -c %T "$HOME" "$LAB_TMP"); echo "$made";' --disk "$1"
    # stat knows no ext4.
    [ "$(grep -cxE "$1|${1/ext4/ext2\/ext3}" "$BATS_TEST_TMPDIR/out")" = 2 ]
    kill -KILL "$lab_pid"
    gone
    run ! grep -q "$run_id" <(losetup --list --output BACK-FILE)
}

@test "with --disk btrfs files are there, and kill -9 leaves neither them nor a loop device" {
    run -125 lab --disk ext9 true
    on_disk btrfs
}

@test "with --disk xfs files are there, and kill -9 leaves neither them nor a loop device" {
    on_disk xfs
}

@test "with --disk ext4 files are there, and kill -9 leaves neither them nor a loop device" {
    on_disk ext4
}

@test "what even its janitor could not remove, the next run removes" {
    start
    kill -KILL "$(pgrep -f "lib/janitor $run_id")" "$lab_pid"
    [ -n "$(left_of "$run_id")" ]
    lab true
    gone
}

@test "two labs at once do not see each other" {
    start 'touch ~/mine /tmp/mine /run/user/$UID/mine;'
    run lab -- bash -c 'ls ~/mine /tmp/mine /run/user/$UID/mine; pgrep -a sleep; find /sys/fs/cgroup -type d'
    [[ $output != *$'\n/home/dev/mine'* && $output != *"$nap"* && $output != *"$run_id"* ]]
    [ "$(grep -c 'No such file' <<<"$output")" = 3 ]
    kill "$lab_pid"
    gone
}

@test "two labs at once may listen on the same port" {
    local listen='import socket,time; s=socket.socket(); s.bind(("127.0.0.1",4711)); s.listen(); print("up", flush=True); time.sleep(1)'
    lab python3 -c "$listen" >"$BATS_TEST_TMPDIR/one" &
    lab python3 -c "$listen" >"$BATS_TEST_TMPDIR/two"
    wait
    [ "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two")" = $'up\nup' ]
}

@test "a checkout that root alone can enter is there for the user" {
    local own=$BATS_TEST_TMPDIR/own
    mkdir -m 700 "$own"
    cp -r "$BATS_TEST_DIRNAME/../../../"{tests,README.md} "$own"
    run -0 "$own/tests/lab/run" --podman "$LAB_VERSION" -- sh -c "cd '$own' && cat README.md && ls tests"
    [[ $output = "# Litterbox"* && $output = *$'\nlab\n'* ]]
}
