#!/usr/bin/env bats
# stress-ng's stressors of file systems, each for a second, natively and in a box: the same ones fail.

load ../escape/escape.bash
setup() { box_setup; }
teardown() { box_teardown; }

# statmount(2) is newer than the profiles of Podman: it does not exist in a box.
known() { grep -v '^statmount '; }

@test "stress-ng: the same stressors of file systems succeed in a box as on the host, and the guard is as it was" {
    command -v stress-ng || skip "stress-ng is not installed"
    mkdir host box
    cp "$BATS_TEST_DIRNAME/../conformance/stressors" .
    box run -- true
    local before after
    before=$(guard_memory)
    (exec ./stressors host 1 10) 3>&- &
    box run -- ./stressors box 1 10
    wait $!
    wc -l <host/ended
    [ "$(grep -c ' 0$' host/ended)" -ge 40 ]
    diff -U 0 <(known <host/ended) <(known <box/ended) || fail "they differ: $(cat box/errors)"
    rests() { after=$(guard_memory) && [ "$after" -lt $((before + 2000)) ]; }
    eventually rests || fail "the guards had $before kB, and have $after"
}

# What the guards and their workers have in memory for themselves, in kB.
guard_memory() {
    local pid
    for pid in $(guards); do
        grep '^RssAnon' "/proc/$pid/status" 2>/dev/null
    done | awk '{ sum += $2 } END { print sum + 0 }'
}
