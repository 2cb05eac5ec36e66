# A login that two boxes share, and a stand-in for its service (login_server.py). Sourced, after escape.bash.
# shellcheck shell=bash

load secrets.bash

NAMES=(platform.claude.com console.anthropic.com api.anthropic.com auth.openai.com chatgpt.com api.openai.com)

setup_file() {
    secrets_begin login_server.py "${NAMES[@]}"
    : >"$TEST_HOME/how"
    escape_config "[network]
mode = \"filtered\"
allow = [\"$OWN:443\"]
[box]
idle_stop = \"never\""
    box secret add max --login claude
    box secret attach max
    box run -- true
    # A second box with the login, and one without.
    new_project "$TEST_HOME"/{second,third}
    local name
    for name in second third; do
        cp litterbox.toml "$TEST_HOME/$name/"
        cd "$TEST_HOME/$name" || return
        box trust --yes
        [ $name = third ] || box secret attach max
        box run -- true
        cd "$PROJECT" || return
    done
}
teardown_file() {
    secrets_end anthropic.com || return 0
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/how"
    : >"$TEST_HOME/seen"
    : >"$TEST_HOME/events"
    touch "$TEST_HOME/real"
    rm -f "$TEST_HOME"/{go,waits}
}

# by_shell COMMAND: by the box's shell, where `log_in HOST ACCOUNT` and `renew HOST TOKEN` ask HOST for tokens, as Claude Code
# does, `member NAME` takes one of JSON, and `api TOKEN [URL]` uses a token. The answers of log_in are in /tmp/got.
FUNCTIONS='
    tokens() { curl -sS -w "\n%{http_code}\n" -H "Content-Type: application/json" -d "$2" "https://$1/v1/oauth/token"; }
    log_in() { tokens "$1" "{\"grant_type\":\"authorization_code\",\"code\":\"code-$2\"}" | tee /tmp/answer; head -n 1 /tmp/answer >/tmp/got; }
    renew() { tokens "$1" "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"$2\"}"; }
    member() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }
    api() { curl -sS -H "Authorization: Bearer $1" "${2:-https://api.anthropic.com/v1/messages}"; }
'
by_shell() { run in_box sh -c "$FUNCTIONS$1"; }
# second_phantom: prints the phantom of the refresh token in the second box.
second_phantom() (
    cd "$TEST_HOME/second" || return
    in_box rm -f "$HOME/.claude/.credentials.json"
    box secret attach max
    # shellcheck disable=SC2016
    in_box sh -c "$FUNCTIONS"'renew platform.claude.com "$(member refreshToken <~/.claude/.credentials.json)" | member refresh_token'
)
# The box has a login of anna.
log_in() {
    by_shell 'log_in platform.claude.com anna'
    assert_contains 200
    : >"$TEST_HOME/events"
}
login_events() { run cat "$TEST_HOME/events"; }
# No token that the service has made is in TEXT.
no_token() { # TEXT
    ! grep -qFf "$TEST_HOME/real" <<<"$1" || fail "a token is in: $1"
}
# The login is what it was: the box renews it.
still_logged_in() {
    # shellcheck disable=SC2016
    by_shell 'renew platform.claude.com "$(member refresh_token </tmp/got)" >/tmp/answer; tail -n 1 /tmp/answer; head -n 1 /tmp/answer >/tmp/got
        api "$(member access_token </tmp/got)"'
    assert_output "$(printf '200\nhello anna')"
    run ! grep reuse "$TEST_HOME/events"
}
