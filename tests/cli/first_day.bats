#!/usr/bin/env bats
# What a newcomer types on the first day goes as a newcomer expects: tests/demo/first-day, which has a home and a Podman
# of its own.

@test "first day: from the first folder to box uninstall, on a terminal" {
    run "$BATS_TEST_DIRNAME/../demo/first-day"
    [ "$status" = 0 ] || { echo "$output" && false; }
    [[ $output == *"chapters went as a newcomer expects" ]]
}
