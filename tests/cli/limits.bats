#!/usr/bin/env bats
# [limits] and [security] keep_groups, tested from inside.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# without limits of cgroups, which not every machine can enforce
no_cgroup='memory = 0
pids = 0'

@test "limits: nofile applies to sessions of the user and of root, and cannot be raised" {
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

@test "limits: without nofile Podman's limit applies; more than the user may have is an error" {
    user_config "[limits]
$no_cgroup"
    run --separate-stderr box run -- sh -c 'ulimit -n'
    [ "$output" -ge 1024 ]
    user_config "[limits]
nofile = 1073741816
$no_cgroup"
    run box apply
    assert_status 78
    assert_contains "limits.nofile: 1073741816 is more than your limit on this machine, $(ulimit -Hn)"
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

@test "limits: one line names those that this machine cannot enforce when the box is created" {
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

@test "limits: without limits there is no warning" {
    user_config "[limits]
$no_cgroup"
    run box run -- true
    assert_status 0
    refute_contains limits
}

# A folder that the user can only open as a member of another group; the lab creates one.
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

@test "groups: a box has none of the user's other groups, and cannot open their files" {
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

@test "groups: with keep_groups a box can open the groups' files, and no others" {
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

@test "groups: the trust question says what keep_groups allows" {
    printf '[security]\nkeep_groups = true\n' >litterbox.toml
    run box trust --yes
    assert_contains "your groups on this machine"
}
