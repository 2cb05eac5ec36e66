#!/usr/bin/env bats
# Attacks on secrets that a box uses by HTTP/2 without having them (invariants 4, 5): real clients, and a real server.

load escape.bash
load secrets.bash

setup_file() {
    export REAL=ghp_realRealRealReal0123456789abcdefABCD OTHER=sk-ant-api03-otherOtherOtherOther0123456789
    secrets_begin h2_server.py {api,other,checked}.h2.test
    escape_config "[network]
mode = \"filtered\"
allow = [\"$OWN:443\",
    { host = \"checked.h2.test\", methods = [\"GET\", \"POST\"], paths = [\"/org/*/open/**\", \"/org/a\"] }]
[box]
idle_stop = \"never\""
    box secret add api --host api.h2.test --as bearer,basic,query:key --variable API_TOKEN --value-fd 0 <<<"$REAL"
    box secret add other --host other.h2.test --as x-api-key --variable OTHER_KEY --source env:OTHER
    box secret attach api
    box secret attach other
    box run -- true
}
teardown_file() {
    secrets_end h2.test || return 0
    box secret remove api
    box secret remove other
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/seen"
    : >"$TEST_HOME/events"
}

# inside COMMAND: by the box's shell, which knows the variables; there, `ask PATH ARGUMENT...` is curl with the key.
inside() {
    # shellcheck disable=SC2016 # the box's shell expands these
    run in_box sh -c 'ask() { path=$1; shift; curl -sS -H "Authorization: Bearer $API_TOKEN" "$@" "https://api.h2.test$path"; }
        '"$1"
}
seen() { run cat "$TEST_HOME/seen"; }
no_secret() { # TEXT
    [[ $1 != *"$REAL"* && $1 != *"$OTHER"* ]] || fail "a secret is in: $1"
}

@test "h2: the server gets the key by HTTP/2, in one connection with other requests (5)" {
    inside 'ask /who -w "%{http_version}\n"
        curl -sS --http2 -H "Authorization: Bearer $API_TOKEN" -w "%{http_version} %{http_code}\n" "https://api.h2.test/{a,b,c}"'
    assert_output "$(printf '%s\n' served 2 served "2 200" served "2 200" served "2 200")"
    seen
    assert_output "$(printf 'GET api.h2.test/%s Bearer '"$REAL"'\n' who a b c)"
    [ "$(grep -c "connection h2" "$TEST_HOME/events")" = 2 ]
}
