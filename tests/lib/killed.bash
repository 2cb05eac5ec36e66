# Commands that are killed, or meet a full disk, at any of their calls. Loaded after box.bash. Setup sets rounds=0.
# shellcheck shell=bash

# moments COUNT: the first, a middle and the last of COUNT calls; all with BOX_TESTS_ALL.
moments() {
    if [ "$TEST_STEP" = 1 ]; then
        seq "$1"
    else
        printf '%s\n' 1 $((($1 + 1) / 2)) "$1" | sort -nu
    fi
}

# each FAULT PREPARE CHECK CALLS COMMAND…: COMMAND with FAULT, KILL or ENOSPC, at moments of each of its CALLS. PREPARE comes
# before; CHECK comes after, with the status. A disk that is full stays so until COMMAND ends, which says it.
each() {
    local fault=$1 prepare=$2 check=$3 calls=$4 call count n inject status
    shift 4
    $prepare
    strace -qq -o "$TEST_HOME/trace" -e trace="${calls// /,}" "$@" >/dev/null 2>&1 </dev/null
    for call in $calls; do
        count=$(grep -c "^$call(" "$TEST_HOME/trace") || continue
        for n in $(moments "$count"); do
            inject=signal=KILL:when=$n
            [ "$fault" = KILL ] || inject=error=$fault:when=$n+
            $prepare
            status=0
            strace -qq -o /dev/null -e trace="$call" -e inject="$call:$inject" "$@" >/dev/null 2>"$TEST_HOME/said" </dev/null || status=$?
            [ "$fault" = KILL ] || [ "$status" = 0 ] || { [ "$status" = 125 ] && grep -q 'No space left' "$TEST_HOME/said"; } ||
                fail "$fault $call $n of $count: status $status: $(cat "$TEST_HOME/said")"
            $check "$status" || fail "$fault $call $n of $count, status $status, said: $(cat "$TEST_HOME/said")"
            rounds=$((rounds + 1))
        done
    done
}

# enough COUNT: the rounds of a test, after which prune finds nothing.
enough() {
    echo "# $rounds rounds" >&3
    [ "$rounds" -ge "$1" ]
    [ -z "$(find "$DATA" "$STATE" "$RUNTIME" "$PROJECT" -name '.litterbox-*' 2>/dev/null)" ]
    run box prune --dry-run
    assert_contains "nothing to remove"
}
