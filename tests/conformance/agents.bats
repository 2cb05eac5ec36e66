#!/usr/bin/env bats
# box agent with the real agents, and a model of this machine. By hand, as they are large (docs/testing.md):
# BOX_MCP_CLIENTS is the folder in which npm has installed them.

load ../lib/box.bash
load ../lib/agent_program.bash
load ../lib/tmux.bash
setup_file() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    box_setup
    git init -q .
    cp "$BATS_TEST_DIRNAME/model.py" .
    # They are mounted, and what an installation has put into its place starts them.
    local name names=(claude codex copilot gemini opencode qwen) allow
    allow=$(for name in "${names[@]}"; do box agent info "$name" --json | jq -c '.network[]'; done | paste -sd ,)
    trust_file "$(printf '[box]\nidle_stop = "never"\n[network]\nallow = [%s]\n[[mount]]\nsource = "%s"\ntarget = "/opt/clients"' \
        "$allow" "$BOX_MCP_CLIENTS")"
    box start
    for name in "${names[@]}"; do
        agent_program "$name" "/opt/clients/node_modules/.bin/$name"
    done
}
teardown_file() { [ -z "${BOX_MCP_CLIENTS:-}" ] || box_teardown; }
setup() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || skip "BOX_MCP_CLIENTS is not set"
    cd "$PROJECT" || return
    rm -f port said made where
}
teardown() {
    tmux_end
    [ -z "${MODEL:-}" ] || kill "$MODEL"
    tells_nobody
}

# tells_nobody: no name was looked up for which the presets have no rule: who gets statistics and errors, above all.
tells_nobody() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    run --separate-stderr jq -r 'select(.rule == null) | .name' <(box net log --json)
    assert_output ''
}

# model: a model in the box, which has the agent run a command that says where it is, change a file, and change one that it may
# not. Its address is in URL.
model() {
    echo before | tee text >.envrc
    box run -T -- python3 -u model.py 'echo "by $USER" >made; readlink /proc/self/ns/user /proc/self/ns/mnt >where' \
        'read text' 'edit text before after' 'read .envrc' 'edit .envrc before after' >port 2>said 3>&- &
    MODEL=$!
    eventually test -s port
    URL=http://127.0.0.1:$(cat port)
}

# no_sandbox: what the agent ran was where every session of the box is.
no_sandbox() {
    [ "$(cat made)" = "by $USER" ]
    [ "$(cat where)" = "$(box run -- readlink /proc/self/ns/user /proc/self/ns/mnt)" ] || fail "$(cat where)"
}

@test "agents: Claude Code runs a command and edits a file without a question and a sandbox; with --ask it does not run" {
    model
    box run -- sh -c 'mkdir -p ~/.claude && echo "$1" >~/.claude/settings.json' sh \
        "{\"env\": {\"ANTHROPIC_BASE_URL\": \"$URL\", \"ANTHROPIC_API_KEY\": \"sk-none\"}, \"sandbox\": {\"enabled\": true}}"
    box agent run --ask claude -- -p 'look where you are' </dev/null
    [ ! -e made ]
    box agent run claude -- -p 'look where you are' </dev/null
    no_sandbox
    edits
}

# edits: what the agent changed with its own tool is changed, but for the protected file; and the model was told of that.
edits() {
    [ "$(cat text .envrc)" = $'after\nbefore' ] || fail "$(tail -n 5 said)"
    # Codex and opencode say no more than what they could not do.
    grep -qE 'EROFS|Failed to write file .*/\.envrc|writeFile \(.*/\.envrc\)' said || fail "$(cat said)"
}

@test "agents: Codex runs a command and edits a file without a question and a sandbox" {
    model
    codex_uses "$URL" 'sandbox_mode = "read-only"' # which its preset overrides
    box agent run codex -- exec 'look where you are' </dev/null
    no_sandbox
    edits
    # And by a shim of its name.
    rm made where
    box shim add codex
    "$DATA/shims/codex" exec 'look where you are' </dev/null
    no_sandbox
}

# `codex exec` never asks.
@test "agents: with --ask Codex asks on a terminal before it runs a command" {
    model
    codex_uses "$URL" 'sandbox_mode = "read-only"' # which its preset overrides
    in_tmux "box agent run --ask codex -- 'look where you are'"
    eventually shows 'Open restricted' || fail "$(screen)"
    type_keys Enter
    eventually shows 'Would you like to run' || fail "$(screen)"
    [ ! -e made ]
    type_keys y
    eventually test -s where
}

@test "agents: opencode runs a command and edits a file without a question; with --ask it does not run" {
    model
    box run -- sh -c 'mkdir -p ~/.config/opencode && echo "$1" >~/.config/opencode/opencode.json' sh \
        "{\"model\": \"openai/none\", \"small_model\": \"openai/none\", \"provider\": {\"openai\": {\"models\": {\"none\": {}},
        \"options\": {\"baseURL\": \"$URL/v1\", \"apiKey\": \"sk-none\"}}}}"
    box agent run --ask opencode -- run 'look where you are' </dev/null
    grep -q 'tools: bash' said
    [ ! -e made ]
    box agent run opencode -- run 'look where you are' </dev/null
    no_sandbox
    edits
}

@test "agents: Copilot runs a command without a question; with --ask it does not run" {
    model
    # It takes another model by variables alone.
    mkdir -p "$CONFIG/agents"
    cat "$(box agent info copilot --json | jq -r .file)" - >"$CONFIG/agents/copilot.toml" <<END
[env]
COPILOT_OFFLINE = "true"
COPILOT_MODEL = "none"
COPILOT_PROVIDER_BASE_URL = "$URL/v1"
COPILOT_PROVIDER_WIRE_API = "responses"
COPILOT_PROVIDER_API_KEY = "sk-none"
END
    box agent run --ask copilot -- -p 'look where you are' </dev/null || true # it may end with an error
    grep -q 'tools: bash' said
    [ ! -e made ]
    box agent run copilot -- -p 'look where you are' </dev/null
    no_sandbox
}

@test "agents: Gemini runs a command and edits a file without a question; with --ask it does not run" {
    model
    mkdir -p "$CONFIG/agents"
    sed "s,^\[env\]$,&\nGEMINI_API_KEY = \"none\"\nGOOGLE_GEMINI_BASE_URL = \"$URL\"," "$(box agent info gemini --json | jq -r .file)" \
        >"$CONFIG/agents/gemini.toml"
    # Its first start has made the settings of its user, to which it adds how one logs in.
    box agent run gemini -- --version </dev/null
    box run -- sh -c 'cd ~/.gemini && jq ".security.auth.selectedType = \"gemini-api-key\"" settings.json >new && mv new settings.json'
    box agent run --ask gemini -- -p 'look where you are' </dev/null || true # it may end with an error
    [ ! -e made ]
    box agent run gemini -- -p 'look where you are' </dev/null
    no_sandbox
    edits
}

@test "agents: Qwen Code runs a command without a question; with --ask it does not run" {
    model
    mkdir -p "$CONFIG/agents"
    sed "s,^\[env\]$,&\nOPENAI_API_KEY = \"none\"\nOPENAI_MODEL = \"none\"\nOPENAI_BASE_URL = \"$URL/v1\"," \
        "$(box agent info qwen --json | jq -r .file)" >"$CONFIG/agents/qwen.toml"
    box agent run --ask qwen -- -p 'look where you are' </dev/null || true # it may end with an error
    [ ! -e made ]
    box agent run qwen -- -p 'look where you are' </dev/null
    no_sandbox
}

@test "agents: on a terminal Claude Code and Codex start without a question" {
    box run -- sh -c 'rm -rf ~/.claude && echo "{\"hasCompletedOnboarding\": true}" >~/.claude.json'
    TERM=xterm run on_terminal --after bypass --send '\x03' --send '\x03' box agent run claude
    assert_contains bypass
    refute_contains 'trust'
    codex_uses http://127.0.0.1:9
    TERM=xterm run on_terminal --after YOLO --send '\x03' --send '\x03' box agent run codex
    assert_contains YOLO
    refute_contains 'trust'
    # The control: with --ask Claude Code asks whether the folder is trusted.
    TERM=xterm run on_terminal --after trust --send '\x1b' box agent run --ask claude
    assert_contains trust
}
