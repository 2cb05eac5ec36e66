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
    cp "$BATS_TEST_DIRNAME"/h2_{client,requests,floods}.py "$PROJECT"
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

# requests NAME: as h2_requests.py does, in the box.
requests() { run in_box python3 h2_requests.py "$1"; }

@test "h2: in no other field, path or host is it put in, and the stream alone is refused (18, 20, 29, 31, 33)" {
    local misplaced="403 the placeholder of secret 'api' is where it must not be"
    requests fields
    assert_output "key: 200
basic: 200
note: $misplaced
path: $misplaced
query: $misplaced
query of it: 200
method: $misplaced
crumbs: $misplaced
scheme of it: $misplaced
trailers: 403 the placeholder of a secret is behind the body, where it must not be
harmless trailers: 200
authority of it: 400 its Host is not one full name
same authority: 200
other authority: 421 its Host is another one
other port: 421 its Host is another one
user: 400 its Host is not one full name
same host: 200
other host: 421 its Host is another one
two hosts: reset 1
trace: 405 TRACE does not pass
track: 405 TRACE does not pass
options: 200
two lengths: reset 1
te: 200
end: 200"
    seen
    assert_output "GET api.h2.test/who Bearer $REAL
GET api.h2.test/who Basic !
GET api.h2.test/?key=$REAL -
POST api.h2.test/who Bearer $REAL
GET API.h2.test:443/who -
GET api.h2.test/who -
OPTIONS api.h2.test* -
GET api.h2.test/who -
GET api.h2.test/who Bearer $REAL"
    [ "$(grep -c "connection h2" "$TEST_HOME/events")" = 1 ]
    # What was refused is in the log, and the connection, with its secret, as one that was allowed.
    box net log --json | jq -se 'map(select(.program == "python3")) |
        any(.decision == "refused" and .reason == "its Host is another one") and
        any(.decision == "allowed" and .secret == "api" and .received > 0)'
}

@test "h2: what HTTP/1 or a server would read in another way does not pass (22, 45)" {
    requests malformed
    echo "$output" >&3
    seen
    echo "$output" >&3
}

@test "h2: each stream is checked by the rules for its host (4)" {
    requests checked
    assert_output "allowed: 200
coded: 200
post: 200
method: 403 no rule allows DELETE checked.h2.test/org/a; on the host, \"box net allow 'DELETE checked.h2.test/org/a'\" would
path: 403 no rule allows GET checked.h2.test/org/b; on the host, \"box net allow 'GET checked.h2.test/org/b'\" would
parts: 403 its path has '.' or '..' as a part
override: 403 a rule with methods or paths allows no field that changes them
original: 403 a rule with methods or paths allows no field that changes them
settings: 403 a rule with methods or paths allows no field that changes them
body of a GET: 403 a GET or HEAD with a body does not pass
trailers: 403 a rule with methods or paths allows no fields behind the body
other name: 421 its Host is another one
still: 200"
    seen
    assert_output "GET checked.h2.test/org/a -
GET checked.h2.test/org/%61?x=/../b -
POST checked.h2.test/org/b/open/x -
GET checked.h2.test/org/a -"
    run box net log --json
    assert_contains '"reason":"no rule allows DELETE checked.h2.test/org/a"'
}

@test "h2: what comes back with the key in it is cut, in trailers and early answers, too (30)" {
    local path
    for path in echo echo-field echo-slowly echo-trailer interim-echo; do
        # The control: the server sends it.
        run curl -sS -v --http2 --cacert "$TEST_HOME/ca.pem" -H "Authorization: Bearer $REAL" -w '%header{link}' "https://api.h2.test/$path"
        [ "$(grep -o "$REAL" <<<"$output" | wc -l)" -gt 1 ] || fail "$path: $output"
        inside "ask /$path -v 2>&1"
        no_secret "$output"
        [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
    done
    inside 'curl -sS -u "user:$API_TOKEN" https://api.h2.test/echo -o /dev/null -w "%{http_code}\n"
        curl -sS -u "user:$API_TOKEN" https://api.h2.test/echo https://api.h2.test/who'
    echo "$output" >&3
    run box logs --helpers
    assert_contains "the answer holds the secret itself"
    no_secret "$output"
}

@test "h2: answers without a body, early ones, hints, trailers and both directions at once pass" {
    inside 'ask /who -I; ask /204 -i; ask /304 -i; ask /trailers -v 2>&1 | grep -E "^< |body"; ask /interim -i
        ask /early -d @/bin/bash -w "%{http_code}\n"
        ask /fields -H "TE: trailers" -H "Grpc-Accept-Encoding: gzip" -H "A: b"'
    echo "$output" >&3
    run in_box python3 h2_requests.py duplex
    echo "$output" >&3
}

@test "h2: wrong answers of a server end their streams alone (21)" {
    run in_box python3 h2_requests.py answers
    echo "$output" >&3
    cat "$TEST_HOME/events" >&3
}

# What the helper has in memory, at its highest, in MiB.
highest() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$(worker_pid "$RUNTIME/shop" secrets)/status"; }

@test "h2: floods" {
    local name
    for name in resets continuations bombs pings settings refusals "too many" unread narrow uploads; do
        run in_box timeout 60 python3 h2_floods.py "$name"
        echo "$output - $(highest)" >&3
        inside "ask /who"
        assert_output served
    done
    box logs --helpers | grep -v gate | sort | uniq -c | sort -n | tail -30 >&3
}
