#!/usr/bin/env bats
# A box as the sandbox of a model's tools does what it is for: tests/demo/tools, which has a home and a Podman of its own.

@test "tools: code by standard input, a file that must not be written, limits, no network" {
    run "$BATS_TEST_DIRNAME/../demo/tools"
    [ "$status" = 0 ] || { echo "$output" && false; }
    [[ $output == *"every call went as it must" ]]
}
