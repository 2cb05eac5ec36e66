#!/usr/bin/env bats
# The demos of tests/demo run to their end.

@test "demo: the SSH demo runs to its end" {
    run "$BATS_TEST_DIRNAME/../demo/ssh"
    [ "$status" = 0 ] || { echo "$output" && return 1; }
    [ "$(grep -c '→ clicked: ' <<<"$output")" = 4 ]
    [ "$(grep -c '^    G Shelf ' <<<"$output")" = 5 ]
    [[ $output == *"the forge has it: "*"Shelf 5"* ]]
    [[ $output == *"refused (deny)"* ]]
}
