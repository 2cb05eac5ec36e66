#!/usr/bin/env bats
# Claude Code and Codex with a login that boxes share (box-secret(1)), against a stand-in for their services. By hand, as
# they are large (docs/testing.md): BOX_MCP_CLIENTS is the folder in which npm has installed them.

load ../escape/escape.bash
load ../escape/secrets.bash

setup_file() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || return 0
    secrets_begin ../conformance/login_model.py platform.claude.com api.anthropic.com auth.openai.com chatgpt.com api.openai.com
    escape_config "[network]
mode = \"filtered\"
allow = [\"$OWN:443\"]
[box]
idle_stop = \"never\"
[[mount]]
source = \"$BOX_MCP_CLIENTS\"
target = \"/opt/clients\""
    box secret add max --login claude
    box secret add gpt --login codex
    box secret attach max
    box secret attach gpt
    new_project "$TEST_HOME/second"
    cp litterbox.toml "$TEST_HOME/second/"
    cd "$TEST_HOME/second" || return
    box trust --yes
    box secret attach max
    box secret attach gpt
    box run -- true
    cd "$PROJECT" || return
}
teardown_file() { [ -z "${BOX_MCP_CLIENTS:-}" ] || { secrets_end anthropic.com && box_teardown; }; }
# The second box has logged in, as its client would, whose client_id a renewal must have; the access tokens have ended.
setup() {
    [ -n "${BOX_MCP_CLIENTS:-}" ] || skip "BOX_MCP_CLIENTS is not set"
    CLAUDE=/opt/clients/node_modules/.bin/claude
    CODEX=/opt/clients/$(cd "$BOX_MCP_CLIENTS" && find . -name codex -type f -path '*vendor*' | head -n 1)
    export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
    cd "$TEST_HOME/second" || return
    echo old >"$TEST_HOME/how"
    box run -- sh -c 'curl -sSf -H "Content-Type: application/json" -d "{\"grant_type\":\"authorization_code\",\"code\":\"code-anna\",\"client_id\":\"9d1c250a-e61b-44d9-88ed-5944d1962f5e\"}" https://platform.claude.com/v1/oauth/token
        curl -sSf -d "grant_type=authorization_code&client_id=app_EMoamEEZ73f0CkXaXp7hrann&code=code-bob" https://auth.openai.com/oauth/token' >/dev/null
    : >"$TEST_HOME/how"
    : >"$TEST_HOME/seen"
    : >"$TEST_HOME/events"
    # In the first one nobody has.
    cd "$PROJECT" || return
    box run -- sh -c 'rm -rf ~/.claude ~/.claude.json ~/.codex'
    box secret attach max
    box secret attach gpt
}
no_token() { # TEXT
    ! grep -qFf "$TEST_HOME/real" <<<"$1" || fail "a token is in: $1"
}

# uses HOST ACCOUNT COMMAND…: a client renews the tokens once, and asks a model with them.
uses() {
    run in_box "${@:3}" </dev/null
    assert_contains "done"
    no_token "$output"
    run cat "$TEST_HOME/events"
    assert_output "$1 refresh_token $2 identity"
}

@test "logins: Claude Code in a box in which nobody has logged in" {
    uses platform.claude.com anna "$CLAUDE" -p 'say it'
    grep -q '^api.anthropic.com /v1/messages' "$TEST_HOME/seen"
    # It has found out what the user's plan is.
    run in_box sh -c 'cat ~/.claude/.credentials.json'
    assert_contains '"subscriptionType":"max"'
    no_token "$output"
}

@test "logins: Codex in a box in which nobody has logged in" {
    uses auth.openai.com bob "$CODEX" exec --skip-git-repo-check 'say it'
    grep -q '^chatgpt.com /backend-api/codex/responses' "$TEST_HOME/seen"
    run in_box sh -c "$CODEX login status; cat ~/.codex/auth.json"
    assert_contains "Logged in using ChatGPT"
    no_token "$output"
}

@test "logins: Claude Code logs in with what the browser shows" {
    cp "$BATS_TEST_DIRNAME/login_paste.py" .
    # The short address that it shows else has no state in it.
    run in_box sh -c "rm -rf ~/.claude; CLAUDE_CODE_FULL_SIGN_IN_LINK=1 python3 login_paste.py code-anna $CLAUDE auth login; cat ~/.claude/.credentials.json; $CLAUDE auth status; $CLAUDE -p 'say it' </dev/null"
    assert_contains "Login successful"
    assert_contains '"email": "anna@example.com"'
    assert_contains "done"
    no_token "$output"
}

@test "logins: Codex logs in with a code that it shows" {
    run in_box sh -c "rm -rf ~/.codex; $CODEX login --device-auth; cat ~/.codex/auth.json; $CODEX exec --skip-git-repo-check 'say it' </dev/null"
    assert_contains "Successfully logged in"
    assert_contains '"OPENAI_API_KEY": null'
    assert_contains "done"
    no_token "$output"
}

@test "logins: who logs out in one box stays logged in in the others" {
    run in_box sh -c "$CODEX logout; ls ~/.codex/auth.json; $CLAUDE auth logout; ls ~/.claude/.credentials.json"
    assert_contains "Successfully logged out"
    [ "$(grep -c "No such file" <<<"$output")" = 2 ] || fail "$output"
    run cat "$TEST_HOME/seen"
    refute_contains revoke
    : >"$TEST_HOME/events"
    cd "$TEST_HOME/second" || return
    uses auth.openai.com bob "$CODEX" exec --skip-git-repo-check 'say it'
}
