#!/usr/bin/env bats
# `box stats`: resources that boxes use, with and without cgroups.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# field FILTER: of the first box in the JSON $output.
field() {
    jq -r ".[0] | $1" <<<"$output"
}

@test "stats: the JSON has the documented fields" {
    box run -- true
    run --separate-stderr box stats --json
    assert_status 0
    for name in name problem project state registered container image started sessions idle_left kept_by source \
        cpu memory memory_limit pids pids_limit home image_size; do
        [ "$(field "has(\"$name\")")" = true ] || fail "$name"
        grep -qF "*${name//_/\\_}*" "$BATS_TEST_DIRNAME/../../data/man/box-stats.1.scd" || fail "man: $name"
    done
    [ "$(field length)" = 19 ]
    [ "$(field .name)" = shop ]
}

@test "stats: memory, processes and home have the right size" {
    box run --detach -- sh -c 'head -c 30000000 /dev/zero | tail -c 30000000 | sleep 1000'
    box run -- sh -c 'head -c 5000000 /dev/urandom >~/big'
    eventually sh -c 'box stats --json | jq -e ".[0].memory > 30000000"'
    run --separate-stderr box stats --json
    [ "$(field '.pids >= 4 and .pids < 100')" = true ]
    [ "$(field '.memory < 1000000000')" = true ]
    [ "$(field '.home >= 5000000 and .home < 50000000')" = true ]
    [ "$(field .image_size)" = null ]
    [ "$(field '.source == "cgroup" or .source == "processes"')" = true ]
}

@test "stats: a busy box uses CPU time, an idle one does not" {
    box run --detach -- sh -c 'while :; do :; done'
    eventually sh -c 'box stats --json | jq -e ".[0].cpu > 2"'
    box stop
    box run --detach -- sleep 1000
    eventually sh -c 'box stats --json | jq -e ".[0].cpu < 2"'
}

@test "stats: processes outside of the box do not count" {
    box run -- true
    # What the box does for a session that has just ended, or for the next one, may be there at one of both moments.
    same_beside_another() {
        local before after
        before=$(box stats --json | jq '.[0].pids')
        sleep 1001 3>&- &
        after=$(box stats --json | jq '.[0].pids')
        kill $!
        [ "$before" = "$after" ]
    }
    eventually same_beside_another
}

@test "stats: shows running boxes, or the named one" {
    run --separate-stderr box stats --json
    assert_output '[]'
    box run -- true
    box stop
    run --separate-stderr box stats --json
    assert_output '[]'
    run --separate-stderr box stats shop --json
    [ "$(field .state)" = stopped ]
    [ "$(field .memory)" = null ]
    [ "$(field '.home >= 0')" = true ]
    run box stats no-such-box
    assert_status 125
}

@test "stats: prints a table without --json" {
    box run -- true
    run --separate-stderr box stats
    assert_status 0
    assert_contains "NAME"
    assert_contains "shop"
    assert_contains "MEMORY"
}

@test "stats: --watch draws the table anew until Ctrl-C, with boxes that came meanwhile" {
    box run -- true
    on_terminal --answer '
other ' '\x03' box stats --watch >shown &
    terminal=$!
    eventually grep -q '^shop ' shown
    new_project "$TEST_HOME/other"
    (cd "$TEST_HOME/other" && box run -- true)
    status=0
    wait "$terminal" || status=$?
    assert_status 254 # SIGINT
    [ "$(grep -c NAME shown)" -ge 2 ]
    run box stats --watch
    assert_status 64
    assert_contains 'needs a terminal'
}
