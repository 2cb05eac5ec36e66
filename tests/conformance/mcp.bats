#!/usr/bin/env bats
# box mcp with real clients: the inspector and the conformance suite of MCP, Claude Code and Codex with a model of this
# machine. By hand, as they are large (docs/testing.md): BOX_MCP_CLIENTS is the folder in which npm has installed them.

load ../lib/box.bash
setup_file() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    own_home
    box_setup
    git init -q .
    box start
    # Clients pass on little of their environment.
    export BOX_MCP=$TEST_HOME/box-mcp
    printf '#!/bin/sh\nexport %s\nexec box mcp\n' \
        "LITTERBOX_INSTANCE=$LITTERBOX_INSTANCE CONTAINER_HOST=$CONTAINER_HOST XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" >"$BOX_MCP"
    chmod +x "$BOX_MCP"
}
teardown_file() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    box_teardown
    rm -rf "$HOME"
}
setup() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || skip "BOX_MCP_CLIENTS is not set"
    PATH=$BOX_MCP_CLIENTS/node_modules/node/bin:$BOX_MCP_CLIENTS/node_modules/.bin:$PATH
    cd "$PROJECT" || return
}
teardown() {
    [ -z "${SERVER:-}" ] || kill "$SERVER"
}

inspector() { mcp-inspector --cli "$BOX_MCP" "$@"; }

# serve COMMAND…: starts a server that prints its port. What else it says is in LOG.
serve() {
    LOG=$BATS_TEST_TMPDIR/log
    "$@" >"$BATS_TEST_TMPDIR/port" 2>"$LOG" 3>&- &
    SERVER=$!
    eventually test -s "$BATS_TEST_TMPDIR/port"
    URL=http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")
}

@test "mcp clients: the inspector lists and calls the tools, in both generations" {
    inspector --method tools/list --strict --quiet >"$BATS_TEST_TMPDIR/list" 2>"$BATS_TEST_TMPDIR/wrong"
    [ ! -s "$BATS_TEST_TMPDIR/wrong" ] || fail "$(cat "$BATS_TEST_TMPDIR/wrong")"
    local era
    for era in legacy modern auto; do
        run --separate-stderr inspector --protocol-era "$era" --method tools/call --tool-name run --tool-args-json '{"command": "echo hi"}' --format json
        jq -e '.result.structuredContent.output == [{"stream": "stdout", "text": "hi\n"}]' <<<"$output" || fail "$output"
        run inspector --protocol-era "$era" --method tools/call --tool-name run --tool-args-json '{"command": "exit 3"}' --format json
        assert_status 5
    done
}

# checks SCENARIO REVISION: what the conformance suite finds wrong, a line each.
checks() {
    rm -rf "$BATS_TEST_TMPDIR/out"
    conformance server --url "$URL/mcp" --scenario "$1" --spec-version "$2" \
        --output-dir "$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/said" 2>&1 || true
    jq -r '.[] | select(.status != "SUCCESS" and .status != "INFO" and .status != "SKIPPED") | .id' \
        "$BATS_TEST_TMPDIR"/out/*/checks.json
}

# The suite speaks HTTP and expects tools of its own: what fails is what there is not, and the list may not grow.
@test "mcp clients: the conformance suite finds what it is for, and nothing wrong" {
    serve python3 "$BATS_TEST_DIRNAME/mcp_bridge.py"
    # First: once a client has said "initialize", one that says nothing is of its generation.
    run checks server-stateless 2026-07-28
    assert_output "$(printf '%s\n' sep-2575-http-server-header-mismatch-400 sep-2575-server-rejects-undeclared-capability \
        sep-2575-missing-capability-http-400 sep-2575-http-server-no-independent-requests-on-stream \
        sep-2575-server-no-log-without-loglevel)"
    run checks caching 2026-07-28
    assert_output "$(printf '%s\n' sep-2549-prompts-list-caching-hints sep-2549-resources-list-caching-hints \
        sep-2549-resources-templates-list-caching-hints)"
    run checks tools-list 2026-07-28
    assert_output ''
    local scenario
    for scenario in server-initialize ping tools-list; do
        run checks "$scenario" 2025-11-25
        assert_output ''
    done
}

# A model that has the client run this in the box; what it gets is in LOG.
in_box='test -e /run/litterbox/bin/litterbox-files && echo "in the box of $USER"'

@test "mcp clients: Claude Code works in the box, and has no other hands" {
    serve python3 "$BATS_TEST_DIRNAME/model.py" "$in_box"
    claude mcp add box -- "$BOX_MCP"
    ANTHROPIC_BASE_URL=$URL ANTHROPIC_API_KEY=sk-none DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        claude -p 'look where you are' --tools '' --allowedTools 'mcp__box__*' </dev/null
    grep "in the box of $USER" "$LOG"
    grep '^tools: ' "$LOG" | tail -n 1 | cut -d ' ' -f 2- | tr ' ' '\n' >tools.txt
    # Claude Code never calls the placeholder, which only keeps the API's loading of tools on demand.
    sed -i '/^DeferredToolPlaceholder$/d' tools.txt
    [ "$(grep -c '^mcp__box__' tools.txt)" = "$(wc -l <tools.txt)" ] || fail "$(cat tools.txt)"
}

@test "mcp clients: Codex works in the box" {
    serve python3 "$BATS_TEST_DIRNAME/model.py" "$in_box"
    mkdir -p ~/.codex
    printf 'model = "none"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "%s/v1"\nwire_api = "responses"\nenv_key = "KEY"\n' \
        "$URL" >~/.codex/config.toml
    codex mcp add box -- "$BOX_MCP"
    KEY=none codex exec --sandbox read-only -c 'mcp_servers.box.default_tools_approval_mode="approve"' 'look where you are' </dev/null
    grep "in the box of $USER" "$LOG"
}
