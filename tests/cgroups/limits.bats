#!/usr/bin/env bats
# [limits] with cgroups: each limit is enforced, or the user gets a warning.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

config() { mkdir -p "$CONFIG" && printf '[limits]\n%s\n' "$1" >"$CONFIG/config.toml"; }

@test "limits: memory, cpus and pids are enforced, or there is a warning" {
    config 'memory = "64M"
cpus = 0.5
pids = 50'
    run --separate-stderr box run -- sh -c 'cd /sys/fs/cgroup && cat memory.max pids.max cpu.max memory.swap.max'
    if [ "${LAB_LIMITS:-enforced}" = refused ]; then
        # shellcheck disable=SC2154 # bats sets it
        [[ $stderr == *"limits.memory, limits.cpus and limits.pids are not enforced"* ]] || fail "$stderr"
        [ "$(grep -c 'not enforced' <<<"$stderr")" = 1 ] || fail "$stderr"
        run box run -- echo alive
        assert_output alive
        return
    fi
    assert_status 0
    assert_output $'67108864\n50\n50000 100000\n0'
    # A fork bomb ends at the limit, and the box lives.
    run box run -- sh -c 'for i in $(seq 200); do sleep 30 & done 2>&1; jobs | wc -l'
    assert_contains "ork"
    box run --wait kill -- true
    run box run -- python3 -c 'x = bytearray(200 << 20)'
    [ "$status" != 0 ]
    run box run -- echo alive
    assert_contains alive
}
