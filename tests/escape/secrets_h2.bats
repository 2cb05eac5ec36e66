#!/usr/bin/env bats
# Attacks on secrets that a box uses by HTTP/2 without having them (invariants 4, 5): real clients, and a real server.

load escape.bash
load secrets.bash

setup_file() {
    export REAL_ID=ASIAREALREALREALREAL REAL_KEY=realKEYrealKEYrealKEY/realKEYreal+KEY000
    export REAL_TOKEN=IQoJb3JpZ2luX2Vjreal//////////wEaCXVzLWVhc3QtMSJGMEQCIreal==
    export REAL=ghp_realRealRealReal0123456789abcdefABCD OTHER=sk-ant-api03-otherOtherOtherOther0123456789
    secrets_begin h2_server.py {api,other,checked,grpc,sts}.h2.test api.anthropic.com
    python3 "$BATS_TEST_DIRNAME/grpc_server.py" "$OWN" "$TEST_HOME" 3>&- &
    export GRPC=$!
    # A server that knows nothing but HTTP/1, and says nothing about it.
    openssl s_server -quiet -www -accept "$OWN:444" -cert "$TEST_HOME/cert.pem" -key "$TEST_HOME/key.pem" \
        >/dev/null 2>&1 3>&- &
    export OLD=$!
    eventually test -e "$TEST_HOME/grpc-ready"
    eventually sh -c 'ss -Hltn "sport = :444" | grep -q .'
    hosts_add "$OWN wrong.h2.test" # its certificate does not have this one
    escape_config "[network]
mode = \"filtered\"
allow = [\"$OWN:443\", \"$OWN:444\", \"$OWN:8443\",
    { host = \"checked.h2.test\", methods = [\"GET\", \"POST\"], paths = [\"/org/*/open/**\", \"/org/a\"] }]
[box]
idle_stop = \"never\""
    cp "$BATS_TEST_DIRNAME"/{h2_{client,requests,floods},grpc_client}.py "$PROJECT"
    box secret add api --host api.h2.test --host grpc.h2.test:8443 --host api.h2.test:444 --host wrong.h2.test --as bearer,basic,query:key --variable API_TOKEN --value-fd 0 <<<"$REAL"
    box secret add other --host other.h2.test --as x-api-key --variable OTHER_KEY --source env:OTHER
    box secret add aws --host sts.h2.test --as sigv4 --value-fd 0 <<<"$REAL_ID:$REAL_KEY:$REAL_TOKEN"
    box secret attach api
    box secret attach aws
    box secret attach other
    box run -- true
}
teardown_file() {
    secrets_end h2.test || return 0
    kill "$GRPC" "$OLD"
    box secret remove api
    box secret remove other
    box secret remove aws
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/seen"
    : >"$TEST_HOME/events"
}

# inside COMMAND: by the box's shell, which knows the variables; there, `fetch PATH ARGUMENT...` is curl with the key.
inside() {
    # shellcheck disable=SC2016 # the box's shell expands these
    run in_box sh -c 'fetch() { path=$1; shift; curl -sS -H "Authorization: Bearer $API_TOKEN" "$@" "https://api.h2.test$path"; }
        '"$1"
}
# What the server was asked. What is refused for its trailers may have begun there.
seen() { run sed "/never/d" "$TEST_HOME/seen"; }
no_secret() { # TEXT
    [[ $1 != *"$REAL"* && $1 != *"$OTHER"* && $1 != *"$REAL_KEY"* && $1 != *"$REAL_TOKEN"* ]] || fail "a secret is in: $1"
}

@test "h2: the server gets the key by HTTP/2, in one connection with other requests (5)" {
    inside 'fetch /who -w "%{http_version}\n"
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
    # A later nghttp2 ends the stream itself.
    output=${output/user: reset 1/user: 400 its Host is not one full name}
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
    [ "$(grep trailers "$TEST_HOME/events")" = "trailers x-sum=1" ]
    # What was refused is in the log, and the connection, with its secret, as one that was allowed.
    both_logged() {
        box net log --json | jq -se 'map(select(.program == "python3")) |
            any(.decision == "refused" and .reason == "its Host is another one") and
            any(.decision == "allowed" and .secret == "api" and .received > 0)'
    }
    eventually both_logged
}

@test "h2: what HTTP/1 or a server would read in another way does not pass (17, 22, 45)" {
    local reset name
    requests malformed
    reset=$(for name in "upper case" chunks connection proxy upgrade te "path with a line" "path with a blank" "whole URL" \
        "empty path" "no path" "no host" "blank method" "connect with a path" websocket "two paths" unknown late status \
        "host twice" short long; do echo "$name: reset 1"; done)
    [ "$(sort <<<"$output")" = "$(sort <<<"line break: 400 it has a malformed field
nul: 400 it has a malformed field
line break in a name: 400 it has a malformed field
colon: 400 it has a malformed field
blank: 400 it has a malformed field
no name: 400 it has a malformed field
http: 400 its scheme is not https
connect: 400 it is not a request for a path
too long: 400 its head is too long
$reset")" ] || fail "$output"
    # Of the two whose body is not as long as they say, the head has passed.
    seen
    assert_output "$(printf '%s\n' "POST api.h2.test/body -" "POST api.h2.test/body -")"
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
    run ! grep trailers "$TEST_HOME/events"
    eventually prints '"reason":"no rule allows DELETE checked.h2.test/org/a"' box net log --json
}

@test "h2: what comes back with the key in it is cut, in trailers and early answers, too (30)" {
    local path
    for path in echo echo-field echo-slowly echo-trailer interim-echo; do
        # The control: the server sends it.
        run curl -sS -v --http2 --cacert "$TEST_HOME/ca.pem" -H "Authorization: Bearer $REAL" "https://api.h2.test/$path"
        [ "$(grep -o "$REAL" <<<"$output" | wc -l)" -gt 2 ] || fail "$path: $output"
        inside "fetch /$path -v 2>&1"
        no_secret "$output"
        [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
    done
    # A part of it is not found, and refused.
    run curl -sS --http2 --cacert "$TEST_HOME/ca.pem" -H "Authorization: Bearer $REAL" -r 20- https://api.h2.test/range
    assert_output "${REAL:13}"
    inside "fetch /range -r 20-"
    assert_output "Litterbox refused this request: the answer is a part of what could hold the secret, as it has neither an ETag nor a date: ask for all of it"
    # What is cut is the stream: the next one of the connection passes.
    inside 'curl -sS -u "user:$API_TOKEN" https://api.h2.test/echo https://api.h2.test/who'
    assert_contains "not closed cleanly"
    assert_contains served
    [[ $output != *"$(printf 'user:%s' "$REAL" | base64 -w 0)"* ]] || fail "$output"
    eventually prints "the answer holds the secret itself" box logs --helpers
    no_secret "$output"
}

@test "h2: answers without a body, hints and trailers pass, and no field that asks for a coding" {
    inside 'fetch /who -I; fetch /204 -i; fetch /304 -i; fetch /trailers -v 2>&1 | grep -E "^< [xg]|body"; fetch /interim -i
        fetch /fields -H "TE: trailers" -H "Grpc-Accept-Encoding: gzip" -H "A: b" | grep -v "^[:u]"'
    output=$(tr -d "\r" <<<"$output" | sed "s/ *$//; /^$/d")
    assert_output "HTTP/2 200
content-length: 7
HTTP/2 204
etag: x
HTTP/2 304
etag: x
< x-sum: 17
< grpc-status: 0
body
HTTP/2 103
link: </style.css>; rel=preload
HTTP/2 200
served
accept: */*
te: trailers
a: b
accept-encoding: identity"
}

@test "h2: both directions at once pass, and an answer that is there before its request is" {
    requests duplex
    assert_output "duplex: 200
trailers: {'x-length': '11'}
early: 200"
}

@test "h2: wrong answers of a server end their streams alone, and no push comes (21)" {
    requests answers
    assert_output "split: 200, 502 it has a malformed field, goaway None
again: 200
switch: 200, reset 1, goaway None
again: 200
reset: 200, reset 11, goaway None
again: 200
close: 200, 502 the server has ended the connection, goaway 0
push: 502 the server has ended the connection, goaway 0
goaway: 200, 200, goaway 0"
    no_secret "$output"
}

# What the helper has in memory, at its highest, in MiB.
highest() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$(worker_pid "$RUNTIME/shop" secrets)/status"; }

@test "h2: floods and clients that do not read leave the helper small, and others unharmed" {
    local name worker
    worker=$(worker_pid "$RUNTIME/shop" secrets)
    : >"$TEST_HOME/floods"
    for name in resets continuations bombs pings settings refusals many given-up unread narrow uploads crowd; do
        in_box timeout 60 python3 h2_floods.py "$name" >>"$TEST_HOME/floods"
        # While what the last one has left is still there.
        inside "fetch /who"
        assert_output served
    done
    run cat "$TEST_HOME/floods"
    assert_output "resets: goaway 2
continuations: cut
bombs: goaway 11
pings: stuck
settings: stuck
refusals: goaway 11
many: reset 7, open
given-up: 200, 200, open
unread: open
narrow: open
uploads: open, less than 40 MB
crowd: 200 for another, open"
    [ "$(worker_pid "$RUNTIME/shop" secrets)" = "$worker" ]
    # Of all bodies that may come 8 may have 2 MiB on their way, and 632 have 64 KiB.
    [ "$(highest)" -lt 100 ] || fail "$(highest) MiB"
}

@test "h2: gRPC: calls, streams in both directions, trailers and refusals (5)" {
    run in_box timeout 60 python3 grpc_client.py
    assert_output "unary: b'HELLO' {'x-length': '5'}
long: 3000000 {88}
chat: b'ONE'
chat: b'TWO'
chat: b'THREE'
end: [] OK
fail: NOT_FOUND no such thing
echo: INTERNAL Received RST_STREAM with error code 2
placeholder: PERMISSION_DENIED Litterbox refused this request: the placeholder of secret 'api' is where it must not be
unknown: UNIMPLEMENTED Method not found!
several: True"
    [ "$(sort -u "$TEST_HOME/seen")" = "grpc Bearer $REAL" ]
}

@test "h2: requests that are signed for AWS are signed anew, when their body is there (5)" {
    # shellcheck disable=SC2016
    inside 'head -c 5000000 /dev/urandom >/tmp/body
        aws() { curl -sS --aws-sigv4 aws:amz:eu-west-1:sts -H "x-amz-security-token: $AWS_SESSION_TOKEN" "$@"; }
        key="$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"
        aws -u "$key" -d "Action=GetCallerIdentity" -w "%{http_version}\n" https://sts.h2.test/
        aws -u "$key" --data-binary @/tmp/body -H "Expect: 100-continue" https://sts.h2.test/a
        aws -u "$AWS_ACCESS_KEY_ID:wrong" -d "Action=GetCallerIdentity" https://sts.h2.test/
        aws -u "$key" -d "Action=GetCallerIdentity" https://sts.h2.test/b https://sts.h2.test/c; rm /tmp/body'
    assert_output "signed eu-west-1 sts 24
2
signed eu-west-1 sts 5000000
Litterbox refused this request: its signature does not fit: it was signed with another secret access key, or changed after that
signed eu-west-1 sts 24
signed eu-west-1 sts 24"
}

@test "h2: both ends speak the same protocol, or none" {
    # One server knows HTTP/2 alone, and the other one HTTP/1 alone.
    # shellcheck disable=SC2016
    inside 'chosen() { openssl s_client "$@" -connect api.h2.test:444 -servername api.h2.test </dev/null 2>&1 | grep -oE "^(ALPN|No ALPN).*|alert no .*protocol"; }
        fetch /who --http1.1
        curl -sS https://api.h2.test:444/ -o /dev/null -w "%{http_version} %{http_code}\n"
        chosen -alpn h2,http/1.1; chosen; chosen -alpn h2; chosen -alpn x'
    assert_output "Litterbox refused this request: it is not HTTP/1
1 200
ALPN protocol: http/1.1
No ALPN negotiated
alert no application protocol
No ALPN negotiated
alert no application protocol
No ALPN negotiated"
    seen
    assert_output ""
    eventually prints "the program speaks HTTP/2 alone, and the server does not" box logs --helpers
    # Of a server that cannot be trusted both kinds of programs hear why.
    inside 'curl -sS https://wrong.h2.test/'
    assert_contains "the certificate of the server: hostname mismatch"
    requests wrong
    assert_output "wrong: 502 the certificate of the server: hostname mismatch, goaway 0"
    seen
    assert_output ""
}

@test "h2: the hosts of a login speak HTTP/1 alone, in which it is read what is asked of them (5, 32)" {
    # The same server is spoken to by HTTP/2 for others.
    inside 'fetch /who -w "%{http_version}\n"'
    assert_output "$(printf 'served\n2')"
    box secret add max --login claude
    box secret attach max
    : >"$TEST_HOME/events"
    run in_box curl -sS --http2 -w "%{http_version}\n" https://api.anthropic.com/who
    assert_contains "Litterbox refused"
    [ "${lines[-1]}" = 1.1 ] || fail "$output"
    run head -n 1 "$TEST_HOME/events"
    assert_output "connection None"
    run in_box curl -sS --http2-prior-knowledge https://api.anthropic.com/who
    refute_contains served
    run ! grep "connection h2" "$TEST_HOME/events"
    box secret remove max
}

@test "h2: 100 MB pass in both directions, and fifty requests at once in one connection" {
    local sum connections
    sum=$(head -c 104857600 /dev/zero | sha256sum)
    # shellcheck disable=SC2016
    inside 'head -c 104857600 /dev/zero | curl -sS -H "Authorization: Bearer $API_TOKEN" -T - -X POST https://api.h2.test/body
        fetch /big | sha256sum'
    assert_output "104857600 ${sum%% *}
$sum"
    connections=$(grep -c "connection" "$TEST_HOME/events")
    # shellcheck disable=SC2016
    inside 'curl -sS -Z --parallel-max 50 -H "Authorization: Bearer $API_TOKEN" "https://api.h2.test/who?[1-50]" 2>/dev/null | sort | uniq -c'
    assert_contains "50 served"
    [ "$(grep -c "connection" "$TEST_HOME/events")" = $((connections + 1)) ]
    [ "$(grep -c "Bearer $REAL" "$TEST_HOME/seen")" = 52 ]
    [ "$(highest)" -lt 128 ] || fail "$(highest) MiB"
}
