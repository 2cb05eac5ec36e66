#!/usr/bin/env bats
# SIGKILL of every part at any moment: nothing is lost, nothing is left over, the next command works.
#
# CRASH_ROUNDS: how many for each victim. CRASH_SEED: repeats the choices of a run, which prints it.

load ../lib/box.bash

setup() {
    box_setup
    # Podman's service is a victim as well: box starts its own, and the suite's looks on.
    export CHECK_SOCKET=${CONTAINER_HOST#unix://}
    unset CONTAINER_HOST
}

teardown() {
    CONTAINER_HOST=unix://$CHECK_SOCKET box_teardown
}

crash() {
    run python3 "$BATS_TEST_DIRNAME/../lib/crash.py" "$1" "${CRASH_ROUNDS:-20}"
    while read -r line; do echo "# $line" >&3; done <<<"$output"
    assert_status 0
}

@test "crash: box is killed" { crash box; }
@test "crash: box-init is killed" { crash init; }
@test "crash: conmon is killed" { crash conmon; }
@test "crash: Podman's service is killed" { crash service; }
@test "crash: all of them are killed at once" { crash all; }
