#!/usr/bin/env bats
# [limits], and [security] keep_groups: seen and tried from the inside.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# none of cgroup's limits, which not every machine can enforce
no_cgroup='memory = 0
pids = 0'

@test "limits: nofile holds for sessions of the user and of root, and cannot be raised" {
    user_config "[limits]
nofile = 100
$no_cgroup"
    run --separate-stderr box run -- sh -c 'ulimit -Sn; ulimit -Hn; ulimit -n 101 2>/dev/null; ulimit -Hn'
    assert_output $'100\n100\n100'
    run --separate-stderr box run -- python3 -c '
try:
    held = [open("/dev/null") for _ in range(200)]
except OSError as error:
    print(error.errno)'
    assert_output 24
    run --separate-stderr box run -u root -- sh -c 'ulimit -Hn; ulimit -n 101 2>/dev/null; ulimit -Hn'
    assert_output $'100\n100'
}

@test "limits: without nofile it is Podman's, and more than the user may have is an error that says so" {
    user_config "[limits]
$no_cgroup"
    run --separate-stderr box run -- sh -c 'ulimit -n'
    [ "$output" -ge 1024 ]
    user_config "[limits]
nofile = 1073741816
$no_cgroup"
    run box apply
    assert_status 78
    assert_contains "limits.nofile: 1073741816 is more than the $(ulimit -Hn)"
    user_config "[limits]
$no_cgroup"
    box run -- true
}

@test "limits: shm is the size of /dev/shm" {
    user_config "[limits]
shm = \"2M\"
$no_cgroup"
    run --separate-stderr box run -- sh -c 'df -k --output=size /dev/shm | tail -n 1 | tr -d " "
        head -c 3000000 /dev/zero 2>/dev/null >/dev/shm/big || echo full; stat -c %s /dev/shm/big'
    assert_output $'2048\nfull\n2097152'
}

@test "limits: those that this machine cannot enforce are named in one line, when the box is made" {
    user_config '[limits]
memory = "512M"
pids = 500
cpus = 1.5'
    run box run -- true
    assert_status 0
    if [ "${LAB_LIMITS:-enforced}" = enforced ]; then
        refute_contains "not enforced"
        return
    fi
    [ "$(grep -c 'not enforced' <<<"$output")" = 1 ] || fail "$output"
    assert_contains "limits.memory, limits.cpus and limits.pids are not enforced"
    assert_contains "box doctor"
    run box run -- true
    refute_contains "enforced"
    box stop
    run box run -- true
    refute_contains "enforced"
}

@test "limits: none is asked for, none is warned of" {
    user_config "[limits]
$no_cgroup"
    run box run -- true
    assert_status 0
    refute_contains limits
}

# A folder that one of the user's other groups alone opens: the lab makes one.
group_folder() {
    [ -n "${LAB_GROUP:-}" ] || skip "only in the lab is there a folder for it"
    ls -d "$LAB_GROUP/." >/dev/null
    echo of-the-group >"$LAB_GROUP/file-$LITTERBOX_INSTANCE"
    user_config "[[mount]]
source = \"$LAB_GROUP\"
mode = \"rw\"
[limits]
$no_cgroup
${1:-}"
}

@test "groups: a box has none of the user's other groups, nor what they open" {
    group_folder
    run --separate-stderr box run -- id -G
    assert_output "$(id -g)"
    run box run -- ls "$LAB_GROUP"
    [ "$status" != 0 ]
    assert_contains denied
    run box run -u root -- ls "$LAB_GROUP"
    [ "$status" != 0 ]
    assert_contains denied
}

@test "groups: keep_groups opens what they open, and no more" {
    group_folder '[security]
keep_groups = true'
    run --separate-stderr box run -- cat "$LAB_GROUP/file-$LITTERBOX_INSTANCE"
    assert_status 0
    assert_output of-the-group
    box run -- touch "$LAB_GROUP/made-$LITTERBOX_INSTANCE"
    [ "$(stat -c %g "$LAB_GROUP/made-$LITTERBOX_INSTANCE")" = "$(stat -c %g "$LAB_GROUP")" ]
    run --separate-stderr box run -- grep CapEff /proc/self/status
    assert_output $'CapEff:\t0000000000000000'
}

@test "groups: the trust summary says what keep_groups opens" {
    printf '[security]\nkeep_groups = true\n' >litterbox.toml
    run box trust --yes
    assert_contains "your groups on this machine"
}
