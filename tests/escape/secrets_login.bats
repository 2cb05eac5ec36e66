#!/usr/bin/env bats
# Logins of subscriptions that boxes share without having their tokens (invariants 5, 9), against a stand-in for the
# services under their real names, whose refresh tokens are good for one request (32).

load escape.bash
load login.bash

@test "login: a box logs in, uses what it gets, and renews it, with phantoms alone (5, 32)" {
    # shellcheck disable=SC2016
    by_shell 'log_in platform.claude.com anna; api "$(member access_token </tmp/got)"'
    assert_contains 'hello anna'
    assert_contains '"scope":"user:inference user:profile"'
    no_token "$output"
    [[ $output =~ \"access_token\":\"(sk-ant-oat01-[^\"]*)\" ]] || fail "$output"
    [ "${#BASH_REMATCH[1]}" = 108 ]
    # With each of both: what a program got before stands for the one that is good now.
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)" >/tmp/new
        cat /tmp/new; echo; api "$(member access_token </tmp/new)"; echo; api "$(member access_token </tmp/got)"'
    [ "$(grep -c 'hello anna' <<<"$output")" = 2 ] || fail "$output"
    no_token "$output"
    login_events
    assert_output "platform.claude.com authorization_code anna identity
platform.claude.com refresh_token anna identity"
    run grep -c "sk-ant-oat01-" "$TEST_HOME/seen"
    assert_output 3
}

@test "login: a box that is new has the file of the client, with phantoms of its own, and needs no browser (5)" {
    log_in
    cd "$TEST_HOME/second" || return
    # shellcheck disable=SC2016
    by_shell 'cd; ls -l .claude/.credentials.json | cut -c 1-10; cat .claude.json .claude/.credentials.json'
    assert_contains -rw-------
    assert_contains '"hasCompletedOnboarding": true'
    assert_contains '"user:inference"'
    no_token "$output"
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refreshToken <~/.claude/.credentials.json)"
        api "$(member accessToken <~/.claude/.credentials.json)"'
    assert_contains 200
    assert_contains "hello anna"
    no_token "$output"
    # The service was asked for nothing: another box has the tokens already.
    login_events
    assert_output ""
    # Nothing is written over what is there, nor again when the box has logged out.
    in_box rm "$HOME/.claude/.credentials.json"
    by_shell 'ls ~/.claude'
    assert_output ""
    in_box ln -s /tmp/elsewhere "$HOME/.claude/.credentials.json"
    box secret attach max
    by_shell 'cat /tmp/elsewhere; rm ~/.claude/.credentials.json'
    assert_contains "No such file"
}

@test "login: two boxes that renew at once do not log one another out (9, 32)" {
    local first second
    log_in
    # Both have the same generation.
    # shellcheck disable=SC2016
    first=$(in_box sh -c "$FUNCTIONS"'member refresh_token </tmp/got')
    second=$(second_phantom)
    [ "$first" != "$second" ]
    echo wait >"$TEST_HOME/how"
    cd "$PROJECT" || return
    box run -T -- sh -c "$FUNCTIONS renew platform.claude.com $first" >"$TEST_HOME/first" 2>&1 3>&- &
    local one=$!
    eventually test -e "$TEST_HOME/waits"
    cd "$TEST_HOME/second" || return
    box run -T -- sh -c "$FUNCTIONS renew platform.claude.com $second" >"$TEST_HOME/other" 2>&1 3>&- &
    local two=$!
    eventually grep -q "the box waits for another one" "$RUNTIME/second/secrets.log"
    cd "$PROJECT" || return
    touch "$TEST_HOME/go"
    wait "$one" "$two"
    run tail -n 1 "$TEST_HOME/first" "$TEST_HOME/other"
    [ "$(grep -cx 200 <<<"$output")" = 2 ] || fail "$(cat "$TEST_HOME/first" "$TEST_HOME/other")"
    login_events
    assert_output "platform.claude.com refresh_token anna identity"
    cp "$TEST_HOME/first" new
    in_box sh -c 'head -n 1 new >/tmp/got; rm new'
    still_logged_in
}

@test "login: many boxes that renew at random moments, and programs of one that do (9, 32)" {
    log_in
    # shellcheck disable=SC2016
    by_shell 'for i in 1 2 3 4 5 6 7 8; do renew platform.claude.com "$(member refresh_token </tmp/got)" >/tmp/r$i & done; wait; tail -qn 1 /tmp/r?; head -n 1 /tmp/r1 >/tmp/got'
    [ "$(grep -cx 200 <<<"$output")" = 8 ] || fail "$output"
    login_events
    [ "$(grep -c "refresh_token anna" <<<"$output")" = 1 ] || fail "$output"
    still_logged_in
}

@test "login: a box that renews without end does not keep the service busy, and tokens that have expired are renewed (9, 32)" {
    # shellcheck disable=SC2016
    local renew='renew platform.claude.com "$(member refresh_token </tmp/got)" >/tmp/answer; tail -n 1 /tmp/answer; head -n 1 /tmp/answer >/tmp/got;'
    log_in
    by_shell "for i in 1 2 3 4 5 6 7 8; do $renew done"
    assert_output "$(printf '%s\n' 200 200 200 200 200 200 200 200)"
    [ "$(grep -c "refresh_token anna" "$TEST_HOME/events")" = 5 ]
    run box logs --helpers
    assert_contains "it has the tokens renewed too often"
    # What it has is good, here and in another box, and a helper that is started anew has not forgotten it.
    still_logged_in
    kill -KILL "$(worker_pid "$RUNTIME/shop" secrets)"
    eventually in_box sh -c "$FUNCTIONS renew platform.claude.com \$(member refresh_token </tmp/got)"
    [ "$(grep -c "refresh_token anna" "$TEST_HOME/events")" = 5 ]
    # Tokens that last for a second only.
    echo old >"$TEST_HOME/how"
    log_in
    by_shell "for i in 1 2 3 4 5 6 7 8; do $renew done"
    assert_output "$(printf '%s\n' 200 200 200 200 200 200 200 200)"
    [ "$(grep -c "refresh_token anna" "$TEST_HOME/events")" = 8 ]
}

@test "login: a client that is killed, and a helper that is told to end, lose no token (9, 32)" {
    local token client worker command
    log_in
    # shellcheck disable=SC2016
    token=$(in_box sh -c "$FUNCTIONS"'member refresh_token </tmp/got')
    echo wait >"$TEST_HOME/how"
    box run -T -- sh -c "$FUNCTIONS renew platform.claude.com $token" >/dev/null 2>&1 3>&- &
    client=$!
    eventually test -e "$TEST_HOME/waits"
    in_box pkill curl
    wait "$client" || true
    worker=$(worker_pid "$RUNTIME/shop" secrets)
    box secret attach max 3>&- &
    command=$!
    # It ends the old helper, which waits for the answer.
    eventually sh -c "grep -q '^SigPnd:.*[1-9a-f]\|^ShdPnd:.*[1-9a-f]' /proc/$worker/status"
    touch "$TEST_HOME/go"
    wait "$command"
    login_events
    assert_output "platform.claude.com refresh_token anna identity"
    : >"$TEST_HOME/how"
    # What the client did not get is there: the service is not asked again.
    by_shell "renew platform.claude.com $token >/tmp/answer; tail -n 1 /tmp/answer; head -n 1 /tmp/answer >/tmp/got"
    assert_output 200
    login_events
    assert_output "platform.claude.com refresh_token anna identity"
    still_logged_in
}

@test "login: a helper that is killed when the tokens have come does not lose them (9, 32)" {
    local token tokens=$DATA/secrets/max.login/tokens.json before client i
    for i in 1 2 3; do
        echo "time $i"
        log_in
        # shellcheck disable=SC2016
        token=$(in_box sh -c "$FUNCTIONS"'member refresh_token </tmp/got')
        before=$(stat -c %i "$tokens")
        rm -f "$TEST_HOME"/{go,waits}
        echo wait >"$TEST_HOME/how"
        box run -T -- sh -c "$FUNCTIONS renew platform.claude.com $token" >/dev/null 2>&1 3>&- &
        client=$!
        eventually test -e "$TEST_HOME/waits"
        python3 -c 'import os, sys
path, before, pid, go = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
open(go, "w").close()
while os.stat(path).st_ino == before: pass
os.kill(pid, 9)' "$tokens" "$before" "$(worker_pid "$RUNTIME/shop" secrets)" "$TEST_HOME/go"
        wait "$client" || true
        : >"$TEST_HOME/how"
        eventually in_box sh -c "$FUNCTIONS renew platform.claude.com $token >/tmp/answer && head -n 1 /tmp/answer >/tmp/got"
        login_events
        assert_output "platform.claude.com refresh_token anna identity"
        still_logged_in
    done
    [ "$(stat -c %a "$tokens")" = 600 ]
}

@test "login: tokens that cannot be written stay in memory until they can (9, 32)" {
    log_in
    # The service has made others, and the disk is full, so to say.
    chmod 500 "$DATA/secrets/max.login"
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
    chmod 700 "$DATA/secrets/max.login"
    assert_contains "cannot be kept on the disk: try again"
    no_token "$output"
    login_events
    assert_output "platform.claude.com refresh_token anna identity"
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)" >/tmp/answer; tail -n 1 /tmp/answer; head -n 1 /tmp/answer >/tmp/got'
    assert_output 200
    login_events
    assert_output "platform.claude.com refresh_token anna identity"
    still_logged_in
}

@test "login: when the service does not renew it any more, boxes and user are told (32)" {
    log_in
    # What a box sent besides was wrong.
    echo client >"$TEST_HOME/how"
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
    assert_contains invalid_client
    run box secret list
    assert_contains "renewed from"
    echo ended >"$TEST_HOME/how"
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
    assert_contains 400
    run box secret list
    assert_contains "anna@example.com, has ended: log in again in a box"
    : >"$TEST_HOME/how"
    # shellcheck disable=SC2016
    by_shell 'log_in platform.claude.com anna; api "$(member access_token </tmp/got)"'
    assert_contains "hello anna"
    run box secret list
    assert_contains "renewed from"
}

@test "login: one without a refresh token is good until its end (32)" {
    box secret add max --login claude
    echo alone >"$TEST_HOME/how"
    # shellcheck disable=SC2016
    by_shell 'log_in platform.claude.com anna >/dev/null; api "$(member access_token </tmp/got)"'
    assert_output "hello anna"
    run box secret list --json
    [ "$(jq -r '.[] | .login | [.state, .account] | join(" ")' <<<"$output")" = "fixed anna@example.com" ]
    run box secret list
    assert_contains "anna@example.com, until 20"
    run box secret test max
    [ "$status" = 0 ]
    box secret add max --login claude
}

# Codex sends a form for a code, and JSON for a refresh token.
@test "login: Codex gets tokens whose claims it reads, and its API the real ones alone (5, 32)" {
    box secret add gpt --login codex
    box secret attach gpt
    # shellcheck disable=SC2016
    by_shell 'curl -sS -d "grant_type=authorization_code&client_id=c&code=code-bob&redirect_uri=http%3A%2F%2Flocalhost" https://auth.openai.com/oauth/token >/tmp/codex
        member id_token </tmp/codex | cut -d . -f 2 | tr -- -_ +/ | base64 -d 2>/dev/null; echo
        for url in chatgpt.com/backend-api/codex/responses api.openai.com/v1/responses chatgpt.com/other auth.openai.com/who; do
            api "$(member access_token </tmp/codex)" "https://$url"; echo; done
        tokens2() { curl -sS -H "Content-Type: application/json" -d "$1" https://auth.openai.com/oauth/token; }
        tokens2 "{\"client_id\":\"c\",\"grant_type\":\"refresh_token\",\"refresh_token\":\"$(member refresh_token </tmp/codex)\"}" >/tmp/codex2
        api "$(member access_token </tmp/codex2)" https://chatgpt.com/backend-api/me; echo
        api "$(member id_token </tmp/codex2)" https://chatgpt.com/backend-api/me; echo
        curl -sS -d "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&requested_token=openai-api-key&subject_token=$(member id_token </tmp/codex2)" \
            https://auth.openai.com/oauth/token
        cat /tmp/codex /tmp/codex2'
    assert_contains '"email":"bob@example.com"'
    assert_contains '"chatgpt_plan_type":"plus"'
    assert_contains '"chatgpt_account_id":"acc-bob"'
    refute_contains not-for-the-box
    [ "$(grep -c "hello bob" <<<"$output")" = 3 ] || fail "$output"
    [ "$(grep -c "the placeholder of secret 'gpt' is where it must not be" <<<"$output")" = 3 ] || fail "$output"
    assert_contains unsupported_grant_type
    no_token "$output"
    login_events
    assert_output "auth.openai.com authorization_code bob identity
auth.openai.com refresh_token bob identity"
    # What a signature could be verified with is not the box's: no part of a real token.
    run grep -c "$(member_of id_token "$DATA/secrets/gpt.login/tokens.json" | cut -d . -f 3)" "$TEST_HOME/real"
    assert_output 1
    # Another box has the file of Codex.
    cd "$TEST_HOME/second" || return
    box secret attach gpt
    # shellcheck disable=SC2016
    by_shell 'cat ~/.codex/auth.json; api "$(member access_token <~/.codex/auth.json)" https://chatgpt.com/backend-api/me'
    assert_contains "hello bob"
    assert_contains '"account_id": "acc-bob"'
    no_token "$output"
    box secret add other --login codex
    run box secret attach other "$PROJECT"
    [ "$status" != 0 ]
    assert_contains "has secret 'gpt', which sets .codex/auth.json, too"
    run box secret add other --login codex --host api.openai.com
    [ "$status" != 0 ]
    assert_contains "must stand alone"
    run box secret add other --login gemini
    assert_contains "must be one of claude, codex"
    box secret remove gpt
    box secret remove other
}
member_of() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$2"; }

# What `claude setup-token` prints is a secret as others.
@test "login: a token that lasts a year is a secret of its own, in the variable of Claude Code (5)" {
    local real
    real=sk-ant-oat01-$(printf 'Ab0_%.0s' {1..23})xyz
    box secret remove max
    box secret add year --host api.anthropic.com --variable CLAUDE_CODE_OAUTH_TOKEN --value-fd 0 <<<"$real"
    box secret attach year
    # shellcheck disable=SC2016
    by_shell 'echo "$CLAUDE_CODE_OAUTH_TOKEN"; api "$CLAUDE_CODE_OAUTH_TOKEN" https://api.anthropic.com/v1/messages'
    [[ ${lines[0]} == sk-ant-oat01-* && ${#lines[0]} = "${#real}" ]] || fail "$output"
    refute_contains "$real"
    run cat "$TEST_HOME/seen"
    assert_output "api.anthropic.com /v1/messages Bearer $real"
    # In place of each other, neither leaves anything behind.
    box secret add year --login claude
    [ ! -e "$DATA/secrets/year" ]
    box secret add year --host api.anthropic.com --value-fd 0 <<<"$real"
    [ ! -e "$DATA/secrets/year.login" ]
    box secret remove year
    box secret add max --login claude
    box secret attach max
    cd "$TEST_HOME/second" && box secret attach max
}
