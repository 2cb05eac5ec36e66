#!/usr/bin/env bats
# What a newcomer types on the first day goes as a newcomer expects: tests/demo/first-day, which has a home and a Podman
# of its own.

@test "first day: from the first folder to box uninstall, on a terminal" {
    run "$BATS_TEST_DIRNAME/../demo/first-day"
    # What went wrong comes first: the summary of a whole run shows the start of what a test said.
    [ "$status" = 0 ] || { grep -B 12 -A 6 '^!! ' <<<"$output" || echo "$output"; false; }
    [[ $output == *"chapters went as a newcomer expects" ]]
}
