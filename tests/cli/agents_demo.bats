#!/usr/bin/env bats
# Three agents on three branches at once, and a user who takes, refuses and drops: tests/demo/agents, with a shell in each
# agent's place. It has a home and a Podman of its own.

@test "agents: three on three branches at once; two are taken, plants are refused, one is dropped" {
    run env -u BOX_MCP_CLIENTS "$BATS_TEST_DIRNAME/../demo/agents"
    [ "$status" = 0 ] || { echo "$output" && false; }
    # One that ends early shows fewer.
    [ "$(grep -c '^ok  ' <<<"$output")" = 26 ] || { echo "$output" && false; }
}
