#!/usr/bin/env bats
# A picture of the user's clipboard, pasted into the real agents on a terminal. By hand, as agents.bats.
# shellcheck disable=SC2154 # open.bash and box.bash set what is used

load ../escape/escape.bash
load ../desktop/open.bash
load ../prompt/paste.bash
load ../lib/agent_program.bash
load ../lib/tmux.bash

setup() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || skip "BOX_MCP_CLIENTS is not set"
    escape_setup_file
    open_begin
    session_bus_start
    keyboard_start
    local allow
    allow=$(for name in claude gemini opencode; do box agent info "$name" --json | jq -c '.network[]'; done | paste -sd ,)
    configure "$(printf '[box]\nidle_stop = "never"\n[desktop]\nwayland = "none"\nnotify = false\nclipboard = "to-box"
[network]\nallow = [%s]\n[[mount]]\nsource = "%s"\ntarget = "/opt/clients"' "$allow" "$BOX_MCP_CLIENTS")"
    cp "$BATS_TEST_DIRNAME/model.py" .
    picture copied.png
    wl-copy --type image/png <copied.png 3>&-
    box run -T -- python3 -u model.py true >port 2>said 3>&- &
    MODEL=$!
    eventually test -s port
    URL=http://127.0.0.1:$(cat port)
}
teardown() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    tmux_end
    kill "$MODEL" || true
    open_end
    box_teardown
}

# begin_agent NAME READY: starts it on a terminal, until that shows READY.
begin_agent() {
    agent_program "$1" "/opt/clients/node_modules/.bin/$1"
    in_tmux "box agent run $1"
    # opencode first asks for its list of models, and is long about it where that cannot be reached.
    eventually --within 120 shows "$2" || fail "$(screen)"
}
# pastes SHOWN: the agent gets the picture with one yes, shows it so, and tells the model, without metadata.
pastes() {
    type_keys C-v
    prompt_appears || fail "$(screen)"
    allow
    eventually shows "$1" || fail "$(screen)"
    # Gemini CLI takes an Enter that comes within 30 ms of a letter for a line break of pasted text, but not after another key.
    type_keys 'what is it?' End
    type_keys Enter
    eventually grep -q "^picture: image/png $(sha256sum <copied.png.clean | cut -d ' ' -f 1)" said || fail "$(cat said; screen)"
}

claude_begins() {
    box run -- sh -c 'mkdir -p ~/.claude && echo "$1" >~/.claude/settings.json && echo "$2" >~/.claude.json' sh \
        "{\"env\": {\"ANTHROPIC_BASE_URL\": \"$URL\", \"ANTHROPIC_AUTH_TOKEN\": \"none\"}}" \
        '{"hasCompletedOnboarding": true}'
    begin_agent claude bypass
}

@test "agents: a picture is pasted into Claude Code with one yes, and reaches its model without metadata" {
    claude_begins
    pastes 'Image #1'
}

@test "agents: after a no there is no picture in Claude Code" {
    claude_begins
    type_keys C-v
    prompt_appears || fail "$(screen)"
    press Escape
    eventually shows '[Nn]o image.* in clipboard' || fail "$(screen)"
}

@test "agents: a picture is pasted into Gemini CLI with one yes, and reaches its model without metadata" {
    mkdir -p "$CONFIG/agents"
    sed "s,^\[env\]$,&\nGEMINI_API_KEY = \"none\"\nGOOGLE_GEMINI_BASE_URL = \"$URL\"," "$(box agent info gemini --json | jq -r .file)" \
        >"$TEST_HOME/gemini.toml"
    agent_program gemini /opt/clients/node_modules/.bin/gemini
    cp "$TEST_HOME/gemini.toml" "$CONFIG/agents/gemini.toml"
    box run -- sh -c 'mkdir -p ~/.gemini && echo "$1" >~/.gemini/settings.json' sh \
        '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}'
    in_tmux "box agent run gemini"
    eventually shows YOLO || fail "$(screen)"
    pastes '\[Image'
}

@test "agents: a picture is pasted into opencode with one yes, and reaches its model without metadata" {
    box run -- sh -c 'mkdir -p ~/.config/opencode && echo "$1" >~/.config/opencode/opencode.json' sh \
        "{\"model\": \"openai/none\", \"small_model\": \"openai/none\", \"provider\": {\"openai\": {\"models\": {\"none\": {\"attachment\": true,
        \"modalities\": {\"input\": [\"text\", \"image\"], \"output\": [\"text\"]}}},
        \"options\": {\"baseURL\": \"$URL/v1\", \"apiKey\": \"sk-none\"}}}}"
    begin_agent opencode 'Ask anything'
    pastes 'Image 1'
}
