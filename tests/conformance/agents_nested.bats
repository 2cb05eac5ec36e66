#!/usr/bin/env bats
# The sandbox of Codex itself, where the user wants it and the box has security.nested. By hand, as agents.bats.

load ../lib/box.bash
load ../lib/agent_program.bash
setup() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || skip "BOX_MCP_CLIENTS is not set"
    box_setup
    # Codex makes .git and .codex read-only in its sandbox, for which bubblewrap would have to make a missing .git.
    git init -q .
    cp "$BATS_TEST_DIRNAME/model.py" .
    trust_file "$(printf '[box]\nidle_stop = "never"\n[security]\nnested = true\n[[mount]]\nsource = "%s"\ntarget = "/opt/clients"' "$BOX_MCP_CLIENTS")"
    box start
    agent_program codex /opt/clients/node_modules/.bin/codex
}
teardown() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    [ -z "${MODEL:-}" ] || kill "$MODEL"
    box_teardown
}

@test "agents: Codex has its own sandbox in a box with security.nested when that is asked for, and none else" {
    # shellcheck disable=SC2016 # the shell of the box expands it
    box run -T -- python3 -u model.py 'echo made >by-agent; echo x >~/outside; readlink /proc/self/ns/user >where' >port 2>said 3>&- &
    MODEL=$!
    eventually test -s port
    codex_uses "http://127.0.0.1:$(cat port)"
    box agent run codex -- exec --sandbox workspace-write 'look where you are' </dev/null
    [ "$(cat by-agent)" = made ]
    grep -q 'outside: Read-only file system' said
    [ "$(cat where)" != "$(box run -- readlink /proc/self/ns/user)" ]
    box agent run codex -- exec 'look where you are' </dev/null
    [ "$(cat where)" = "$(box run -- readlink /proc/self/ns/user)" ]
    box run -- test -e "$HOME/outside"
}
