#!/usr/bin/env bats
# Attacks on logins that boxes share (invariants 4, 5): answers and requests that are not as they should be (32).

load escape.bash
load login.bash

@test "login: an answer that is not understood does not pass, and changes nothing (5, 32)" {
    local how
    log_in
    for how in unknown nested name text twice array huge short number empty broken coded redirect error "error huge" cut; do
        echo "$how" >"$TEST_HOME/how"
        by_shell 'curl -sSi -H "Content-Type: application/json" -d "{\"grant_type\":\"authorization_code\",\"code\":\"code-anna\"}" https://platform.claude.com/v1/oauth/token'
        no_token "$output"
        refute_contains sk-ant-
        assert_contains "HTTP/1.1 502"
        assert_contains "the answer of the token endpoint"
    done
    : >"$TEST_HOME/how"
    still_logged_in
    # In a field it does not pass either, nor is anything of it in the log.
    echo "cookie chunked" >"$TEST_HOME/how"
    by_shell 'curl -sSi -H "Content-Type: application/json" -d "{\"grant_type\":\"authorization_code\",\"code\":\"code-anna\"}" https://platform.claude.com/v1/oauth/token'
    assert_contains "HTTP/1.1 200"
    refute_contains Cookie
    no_token "$output"
    echo close >"$TEST_HOME/how"
    by_shell 'log_in platform.claude.com anna'
    assert_contains 200
    no_token "$output"
    eventually prints "is too long" box logs --helpers
    eventually prints "has what looks like a token in a field that is not known" box logs --helpers
    no_token "$output"
    refute_contains sk-ant-
}

@test "login: what a box could get tokens by, or send its phantoms to, is refused (4, 5, 32)" {
    local other
    log_in
    other=$(second_phantom)
    : >"$TEST_HOME/events"
    # A token that is not of this box is taken for an old one: it gets phantoms, and reaches no server.
    run in_box python3 - "$other" <"$BATS_TEST_DIRNAME/login_requests.py"
    assert_output "path /v1/oauth/token/: 403 its path could be read as that of a token endpoint
path /v1//oauth/token: 403 its path could be read as that of a token endpoint
path /v1/oauth/%74oken: 403 its path could be read as that of a token endpoint
path /v1/oauth/x/../token: 403 its path could be read as that of a token endpoint
path /V1/OAuth/Token: 403 its path could be read as that of a token endpoint
path /v1/oauth/token;x: 403 its path could be read as that of a token endpoint
path /v1/oauth;x/token: 403 its path could be read as that of a token endpoint
path /oauth/token: 403 its path could be read as that of a token endpoint
path /v1/oauth/token%00: 403 its path could be read as that of a token endpoint
path /v1/oauth%252ftoken: 403 its path could be read as that of a token endpoint
path /v1/oauth/./token: 403 its path could be read as that of a token endpoint
path /v1/oauth/token.json: 403 its path could be read as that of a token endpoint
path /x/%2e%2e/v1/oauth/token: 403 its path could be read as that of a token endpoint
path /v1/oauth\token: 403 its path could be read as that of a token endpoint
field X-HTTP-Method-Override: 403 its path could be read as that of a token endpoint
field X-Original-URL: 403 its path could be read as that of a token endpoint
field Upgrade: 403 its path could be read as that of a token endpoint
API and X-Original-URL: 403 its path could be read as that of a token endpoint
API and Upgrade: 403 its path could be read as that of a token endpoint
other host: 421 its Host is another one
GET: 405 tokens are got by POST alone
exchange: 400 boxes get no other tokens or keys
own token: 200
other box: 200
access token: 200
later: 200
two tokens: 400 its body is neither a form nor JSON
two grants: 400 its body is neither a form nor JSON
other name: 400 it has a name that a server could take for another one
long: 400 boxes share a login, which a long token would take the place of
large: 413 a request for tokens has at most 64 KiB
chunks: 403 a request for tokens needs a Content-Length
nothing: 400 it does not say what it grants
key: 403 it asks for a key that would stay in the box
phantom elsewhere: 403 the placeholder of secret 'max' is where it must not be
refresh token as key: 403 the placeholder of secret 'max' is where it must not be
field elsewhere: 403 the placeholder of secret 'max' is where it must not be
logout: 200"
    login_events
    assert_output ""
    run cat "$TEST_HOME/seen"
    assert_output ""
    still_logged_in
}

@test "login: what comes back with a token in it is cut, and the token host says nothing that looks like one (30, 32)" {
    log_in
    # shellcheck disable=SC2016
    by_shell 'api "$(member access_token </tmp/got)" https://api.anthropic.com/echo; curl -sS https://platform.claude.com/page'
    refute_contains "you sent"
    refute_contains refresh_token
    no_token "$output"
    refute_contains sk-ant-
    eventually prints "api.anthropic.com:443: the answer holds the secret itself" box logs --helpers
    eventually prints "platform.claude.com:443: the answer holds the secret itself" box logs --helpers
}

@test "login: a request in any pieces is one, and what follows it waits (20, 32)" {
    # Those that have expired may be renewed that often.
    echo old >"$TEST_HOME/how"
    log_in
    run in_box python3 - 24 <"$BATS_TEST_DIRNAME/login_pieces.py"
    [ "$(grep -cx anna <<<"$output")" = 24 ] || fail "$output"
    login_events
    refute_contains reuse
    : >"$TEST_HOME/how"
    log_in
    run in_box python3 - 3 <"$BATS_TEST_DIRNAME/login_pieces.py"
    assert_output "$(printf 'anna\n%.0s' {1..3})
200 200 -"
    login_events
    [ "$(grep -c "refresh_token anna identity" <<<"$output")" = 4 ] || fail "$output"
    refute_contains reuse
}

@test "login: another account takes nobody's place until the user makes room for it (5, 32)" {
    log_in
    by_shell 'log_in platform.claude.com eve; cat /tmp/answer'
    assert_contains "is of another account"
    no_token "$output"
    # shellcheck disable=SC2016
    by_shell 'log_in platform.claude.com anna; api "$(member access_token </tmp/got)"'
    assert_contains "hello anna"
    run box secret list --json
    [ "$(jq -r '.[] | .login | [.service, .state, .account] | join(" ")' <<<"$output")" = "claude renewed anna@example.com" ]
    [ "$(date -d "$(jq -r '.[] | .login.expires' <<<"$output")" +%s)" -gt "$EPOCHSECONDS" ]
    no_token "$output"
    run box secret test max
    [ "$status" = 0 ]
    assert_contains "login 'max' (claude): anna@example.com, renewed from 20"
    box secret add max --login claude
    run box secret list
    assert_contains "not logged in"
    run box secret test max
    [ "$status" = 1 ]
    # Its programs are told to log in.
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
    assert_contains invalid_grant
    assert_contains 400
    # shellcheck disable=SC2016
    by_shell 'log_in platform.claude.com eve >/dev/null; api "$(member access_token </tmp/got)"'
    assert_output "hello eve"
    box secret add max --login claude
}

@test "login: a box without it does not reach its hosts, and no token is in a box, in logs or elsewhere (4, 5, 35)" {
    log_in
    cd "$TEST_HOME/third" || return
    by_shell 'log_in platform.claude.com anna'
    assert_contains "curl: ("
    run box run -- sh -c 'ls -A ~; env'
    refute_contains .claude
    cd "$PROJECT" || return
    by_shell 'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\0" "\n"; cat ~/.claude* ~/.claude/.c* /tmp/* 2>/dev/null; ls -R /run/litterbox; echo ended'
    assert_contains ended
    no_token "$output"
    run box logs --helpers
    no_token "$output"
    eventually prints '"secret":"max"' box net log --json
    no_token "$output"
    run grep -rslFf "$TEST_HOME/real" "$RUNTIME" "$STATE" "$CONFIG" "$DATA/boxes" "$PROJECT"
    assert_output ""
    run grep -rslFf "$TEST_HOME/real" "$DATA"
    assert_output "$DATA/secrets/max.login/tokens.json"
    [ "$(stat -c %a "$output" "$(dirname "$output")" | tr '\n' ' ')" = "600 700 " ]
    box secret remove max
    [ ! -e "$DATA/secrets/max.login" ]
    # shellcheck disable=SC2016
    by_shell 'curl -sS -m 5 https://api.anthropic.com/echo'
    assert_contains "curl: ("
    box secret add max --login claude
    box secret attach max
    cd "$TEST_HOME/second" && box secret attach max
}

@test "login: a base URL of another secret does not lead around the endpoint (5, 32)" {
    box secret add beside --host api.anthropic.com --as x-api-key --variable BESIDE_KEY --value-fd 0 <<<"sk-ant-api03-besideBesideBeside0123456789"
    box secret attach beside
    box restart
    local path
    for path in /v1/oauth/token /v1/oauth/revoke /api/oauth/claude_cli/create_api_key /v1/oauth/%74oken; do
        by_shell "curl -sSi -H 'Content-Type: application/json' -d '{\"grant_type\":\"authorization_code\",\"code\":\"code-anna\"}' http://beside.box.internal$path"
        assert_contains "HTTP/1.1 403"
        no_token "$output"
    done
    # Control: the base URL works.
    by_shell 'curl -sSi http://beside.box.internal/v1/messages'
    refute_contains "Litterbox refused"
    box secret detach beside
    box secret remove beside
    box restart
}

@test "login: what is kept of one goes with its secret, and none takes a value (5)" {
    run box secret add gone --login codex --value-fd 0 <<<"sk-a-value-0123456789abcdef"
    [ "$status" != 0 ]
    box secret add gone --login codex
    mkdir -p "$DATA/secrets/gone.login"
    echo '{}' >"$DATA/secrets/gone.login/tokens.json"
    box secret remove gone
    [ ! -e "$DATA/secrets/gone.login" ]
}

@test "login: who forgets or removes it waits for who renews it, and says so (9, 32)" {
    local what folder=$DATA/secrets/gone.login command
    for what in "add gone --login codex" "add gone --host api.example.com --source env:HOME" "remove gone"; do
        box secret add gone --login codex
        mkdir -p "$folder"
        echo '{}' >"$folder/tokens.json"
        exec 8>"$folder/lock"
        flock 8
        # shellcheck disable=SC2086 # words of a command line
        box secret $what 2>"$TEST_HOME/waiting" 3>&- 8>&- &
        command=$!
        eventually grep -q "waiting for a box that renews the tokens of this login" "$TEST_HOME/waiting"
        [ -e "$folder/tokens.json" ]
        exec 8>&-
        wait "$command"
        [ ! -e "$folder/tokens.json" ]
    done
    [ ! -e "$folder" ]
    run ls "$DATA/secrets"
    refute_contains gone
}

@test "login: a box that waits too long for another one gets an answer (9, 32)" {
    log_in
    exec 8>"$DATA/secrets/max.login/lock"
    flock 8
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
    exec 8>&-
    assert_contains '"error":"temporarily_unavailable"'
    assert_contains 503
    eventually prints "refused: platform.claude.com:443: another box has held the lock of this login for a minute" box logs --helpers
    login_events
    assert_output ""
    still_logged_in
}

@test "login: a renewal by a client of a box's own choice does not end it (9, 32)" {
    by_shell 'tokens platform.claude.com "{\"grant_type\":\"authorization_code\",\"code\":\"code-anna\",\"client_id\":\"c1\"}" >/tmp/answer
        head -n 1 /tmp/answer >/tmp/got; tail -n 1 /tmp/answer'
    assert_output 200
    : >"$TEST_HOME/events"
    # shellcheck disable=SC2016
    by_shell 'token=$(member refresh_token </tmp/got)
        for client in "" "\"client_id\":\"c2\"," "\"client_id\":\"\"," "\"client_id\":\"c1 \"," "\"client_id\":[\"c1\"],"; do
            tokens platform.claude.com "{$client\"grant_type\":\"refresh_token\",\"refresh_token\":\"$token\"}"; done
        curl -sS -w "\n%{http_code}\n" -d "client_id=c2&grant_type=refresh_token&refresh_token=$token" https://platform.claude.com/v1/oauth/token'
    [ "$(grep -c "its client_id is not that of the login: log in again" <<<"$output")" = 5 ] || fail "$output"
    [ "$(grep -cx 403 <<<"$output")" = 5 ] || fail "$output"
    assert_contains "its client_id is no text"
    login_events
    assert_output ""
    # By a password of its own it is no other one either.
    # shellcheck disable=SC2016
    by_shell 'curl -sS -u c2:password -w "\n%{http_code}\n" -d "client_id=c1&grant_type=refresh_token&refresh_token=$(member refresh_token </tmp/got)" \
        https://platform.claude.com/v1/oauth/token | tail -n 1'
    assert_output 200
    run box secret list
    assert_contains "renewed from"
    # Another box renews it as the client that has logged in.
    cd "$TEST_HOME/second" || return
    in_box rm -f "$HOME/.claude/.credentials.json"
    box secret attach max
    # shellcheck disable=SC2016
    by_shell 'for i in 1 2; do
        [ -s /tmp/got ] && token=$(member refresh_token </tmp/got) || token=$(member refreshToken <~/.claude/.credentials.json)
        tokens platform.claude.com "{\"client_id\":\"c1\",\"grant_type\":\"refresh_token\",\"refresh_token\":\"$token\"}" >/tmp/answer
        head -n 1 /tmp/answer >/tmp/got; tail -n 1 /tmp/answer; done; rm /tmp/got /tmp/answer'
    assert_output "$(printf '200\n200')"
    login_events
    [ "$(grep -c "refresh_token anna" <<<"$output")" = 2 ] || fail "$output"
}

# Its folder leads it elsewhere, as whoever has taken it over would go.
@test "login: the helper reads and writes in the folder of its login alone (9, 32)" {
    has_landlock || skip "this kernel has no Landlock"
    local elsewhere folder=$DATA/secrets/max.login
    log_in
    for elsewhere in "$TEST_HOME/elsewhere" "$DATA/secrets/another.login"; do
        mkdir "$elsewhere"
        cp "$folder/tokens.json" "$elsewhere"
        mv "$folder" "$TEST_HOME/own"
        ln -s "$elsewhere" "$folder"
        # shellcheck disable=SC2016
        by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)"'
        rm "$folder"
        mv "$TEST_HOME/own" "$folder"
        assert_contains "the lock of its login cannot be taken"
        [ "$(ls "$elsewhere")" = tokens.json ]
        cmp "$folder/tokens.json" "$elsewhere/tokens.json"
        rm -r "$elsewhere"
    done
    # Nothing else was in the way.
    still_logged_in
}

@test "login: the state of one that cannot be read is unknown (32)" {
    box secret add broken --login codex
    echo >"$DATA/secrets/broken.login"
    is_unknown() { [ "$(box secret list --json 2>/dev/null | jq -c '.[] | select(.name == "broken") | .login | [.state, .account, .expires]')" = "[null,null,null]" ]; }
    is_unknown
    rm "$DATA/secrets/broken.login"
    mkdir -m 700 "$DATA/secrets/broken.login"
    echo '{}' >"$DATA/secrets/broken.login/tokens.json"
    is_unknown
    rm -r "$DATA/secrets/broken.login"
    box secret remove broken
}
