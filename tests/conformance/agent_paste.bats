#!/usr/bin/env bats
# A picture of the user's clipboard, pasted into the real Claude Code on a terminal. By hand, as agents.bats.
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
    configure "$(printf '[box]\nidle_stop = "never"\n[desktop]\nwayland = "none"\nnotify = false\nclipboard = "to-box"\n[network]\nallow = ["@anthropic"]\n[[mount]]\nsource = "%s"\ntarget = "/opt/clients"' "$BOX_MCP_CLIENTS")"
    cp "$BATS_TEST_DIRNAME/model.py" .
    agent_program claude /opt/clients/node_modules/.bin/claude
    picture copied.png
    wl-copy --type image/png <copied.png 3>&-
    box run -T -- python3 -u model.py true >port 2>said 3>&- &
    MODEL=$!
    eventually test -s port
    box run -- sh -c 'mkdir -p ~/.claude && echo "$1" >~/.claude/settings.json && echo "$2" >~/.claude.json' sh \
        "{\"env\": {\"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:$(cat port)\", \"ANTHROPIC_AUTH_TOKEN\": \"none\"}}" \
        '{"hasCompletedOnboarding": true}'
}
teardown() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    tmux_end
    kill "$MODEL" || true
    open_end
    box_teardown
}

@test "agents: a picture is pasted into Claude Code with one yes, and reaches its model without metadata" {
    in_tmux "box agent run claude"
    eventually shows bypass || fail "$(screen)"
    type_keys C-v
    prompt_appears || fail "$(screen)"
    [ ! -e "$TEST_HOME/ended" ]
    allow
    eventually shows 'Image #1' || fail "$(screen)"
    type_keys 'what is it?' Enter
    eventually grep -q "^picture: image/png $(sha256sum <copied.png.clean | cut -d ' ' -f 1)" said || fail "$(cat said; screen)"
}

@test "agents: after a no there is no picture in Claude Code" {
    in_tmux "box agent run claude"
    eventually shows bypass || fail "$(screen)"
    type_keys C-v
    prompt_appears || fail "$(screen)"
    press Escape
    eventually shows 'No image found' || fail "$(screen)"
}
