#!/usr/bin/env bats
# The stories of tests/demo play to their end.

@test "demo: ssh" {
    run "$BATS_TEST_DIRNAME/../demo/ssh"
    [ "$status" = 0 ] || { echo "$output" && return 1; }
    [ "$(grep -c '→ clicked: ' <<<"$output")" = 4 ]
    [ "$(grep -c '^    G Shelf ' <<<"$output")" = 5 ]
    [[ $output == *"the forge has it: "*"Shelf 5"* ]]
    [[ $output == *"refused (deny)"* ]]
}
