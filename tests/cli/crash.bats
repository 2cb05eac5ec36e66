#!/usr/bin/env bats
# SIGKILL of every part at any moment: nothing is lost, nothing is left over, the next command works.
#
# CRASH_ROUNDS: how many for each victim. CRASH_SEED: repeats the choices of a run, which prints it.

load ../lib/box.bash

# Asked through the suite's service, which lives.
eval "all_$(declare -f containers)"
containers() { CONTAINER_HOST=unix://$CHECK_SOCKET all_containers; }

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
    run python3 "$BATS_TEST_DIRNAME/../lib/crash.py" "$1" "${CRASH_ROUNDS:-4}"
    while read -r line; do echo "# $line" >&3; done <<<"$output"
    assert_status 0
}

@test "crash: box is killed" { crash box; }
@test "crash: box-init is killed" { crash init; }
@test "crash: conmon is killed" { crash conmon; }
@test "crash: Podman's service is killed" { crash service; }
@test "crash: all of them are killed at once" { crash all; }

# A random pause of up to 0.15 s, the same again with the same CRASH_SEED.
random_pause() {
    local milliseconds=$((RANDOM % 150))
    sleep "0.$(printf %03d $milliseconds)"
}

seed() {
    RANDOM=${CRASH_SEED:-$((RANDOM + SECONDS + $$))}
    local seed=$RANDOM
    RANDOM=${CRASH_SEED:-$seed}
    echo "# CRASH_SEED=${CRASH_SEED:-$seed}" >&3
}

# killed COMMAND…: starts it and kills it after a pause.
killed() {
    "$@" >"$TEST_HOME/killed" 2>&1 3>&- </dev/null &
    local pid=$!
    random_pause
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

@test "crash: box is killed in the first run of a project, and in its removal" {
    local round
    seed
    project_forget
    for round in $(seq "${CRASH_ROUNDS:-4}"); do
        mkdir -p "$TEST_HOME/new/$round/.git"
        killed box run "$TEST_HOME/new/$round" -- true
        box run "$TEST_HOME/new/$round" -- sh -c 'echo kept >~/kept'
        [ "$(ls "$DATA/boxes")" = "$round" ]
        [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.$round" ]
        killed box rm --yes "$TEST_HOME/new/$round"
        # Half removed or not at all: a box can be made and removed again.
        box run "$TEST_HOME/new/$round" -- true
        box rm --yes "$TEST_HOME/new/$round"
        [ -z "$(containers)" ]
        # What the killed removal left was set aside: nobody's home, and prune's to remove.
        box prune --yes
        [ -z "$(ls "$DATA/boxes")" ] || fail "left: $(ls -AR "$DATA/boxes")"
    done
}

@test "crash: box run --ephemeral is killed, and the next one sweeps up" {
    local round
    seed
    for round in $(seq "${CRASH_ROUNDS:-4}"); do
        killed box run --ephemeral -- sleep 0.05
    done
    box run --ephemeral -- true
    [ -z "$(containers)" ] || fail "left: $(containers)"
    [ -z "$(ls -A "$DATA/ephemeral" 2>/dev/null)" ] || fail "left: $(ls -A "$DATA/ephemeral")"
}
