#!/usr/bin/env bats
# Attacks on secrets that a box uses without having them (invariants 4, 5): real clients, and a real server of HTTPS.

load escape.bash
load secrets.bash
load ../desktop/open.bash

setup_file() {
    export REAL=ghp_realRealRealReal0123456789abcdefABCD OTHER=sk-ant-api03-otherOtherOtherOther0123456789
    secrets_begin secrets_server.py {api,other,plain,checked,stall}.secrets.test
    hosts_add "$OWN wrong.secrets.test subject.secrets.test" # its certificate does not have these
    escape_config "[network]
mode = \"filtered\"
allow = [\"plain.secrets.test\", \"api.secrets.test:80\", \"$OWN:443\", \"$OWN:444\", \"$OWN:80\",
    \"GET checked.secrets.test:80/org/**\",
    { host = \"checked.secrets.test\", methods = [\"GET\", \"POST\"], paths = [\"/org/*/open/**\", \"/org/a\"] }]
[box]
idle_stop = \"never\""
    box secret add api --host api.secrets.test --host wrong.secrets.test --host subject.secrets.test --host stall.secrets.test:444 --as bearer,basic --variable API_TOKEN --value-fd 0 <<<"$REAL"
    box secret add other --host other.secrets.test --as x-api-key --variable OTHER_KEY \
        --base-url-variable OTHER_URL --source env:OTHER
    box secret attach api
    box secret attach other
    box run -- true
}
teardown_file() {
    secrets_end secrets.test || return 0
    box secret remove api
    box secret remove other
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/seen"
    : >"$TEST_HOME/asked"
}
teardown() {
    # shellcheck disable=SC2154 # open.bash has it
    [ "${#started[@]}" = 0 ] || kill "${started[@]}"
}

# inside COMMAND: by the box's shell, which knows the variables.
inside() { run in_box sh -c "$1"; }
seen() { run cat "$TEST_HOME/seen"; }
no_secret() { # TEXT
    [[ $1 != *"$REAL"* && $1 != *"$OTHER"* ]] || fail "a secret is in: $1"
}

@test "secrets: the server gets the key, and the box has a placeholder of its shape (5)" {
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    assert_output served
    seen
    assert_output "api.secrets.test Bearer $REAL -"
    # shellcheck disable=SC2016 # the box's shell expands these
    inside 'printf %s "$API_TOKEN"'
    assert_contains ghp_
    [ "${#output}" = "${#REAL}" ]
    no_secret "$output"
    # shellcheck disable=SC2016
    inside 'echo "$OTHER_KEY $OTHER_URL"'
    assert_contains sk-ant-api03-
    assert_contains http://other.box.internal
}

@test "secrets: a base URL needs no certificate and no placeholder (5)" {
    # shellcheck disable=SC2016
    inside 'env -u CURL_CA_BUNDLE -u SSL_CERT_FILE curl -sS -H "x-api-key: whatever" "$OTHER_URL/who"'
    assert_output served
    seen
    assert_output "other.secrets.test - $OTHER"
}

@test "secrets: programs that look at no variable trust the host, too, in a box of the host's own files (5)" {
    inside 'env -i curl -sS https://api.secrets.test/who
        env -i wget -qO- https://api.secrets.test/who
        env -i git ls-remote https://user:password@api.secrets.test/repository
        env -i python3 -c "import urllib.request as r; print(r.urlopen(\"https://api.secrets.test/who\").read().decode())"'
    [ "$(grep -c served <<<"$output")" = 3 ] || fail "$output"
    assert_contains refs/heads/main
    # The file of the host is what it was.
    run ! grep -q Litterbox /etc/ssl/certs/ca-certificates.crt
}

@test "secrets: git with a token (5)" {
    # shellcheck disable=SC2016
    inside 'git ls-remote "https://x-access-token:$API_TOKEN@api.secrets.test/repository"'
    assert_contains refs/heads/main
    seen
    assert_contains "Basic $(printf 'x-access-token:%s' "$REAL" | base64 -w 0)"
}

# The lab's Debian 13 has npm there, and the box has that folder of the host.
@test "secrets: npm with a token (5)" {
    local npm
    npm=$(command -v npm || echo /usr/local/lib/npm/node_modules/.bin/npm)
    [ -x "$npm" ] || skip "npm is not here"
    # shellcheck disable=SC2016
    inside 'cd /tmp && '"$npm"' whoami --registry=https://api.secrets.test/ "--//api.secrets.test/:_authToken=$API_TOKEN"'
    assert_contains npm-user
    seen
    assert_contains "Bearer $REAL"
}

@test "secrets: 100 MB pass in both directions, in one connection with other requests" {
    # shellcheck disable=SC2016
    inside 'head -c 104857600 /dev/zero | tee /tmp/zeros | sha256sum
        auth="Authorization: Bearer $API_TOKEN"
        curl -sS -H "$auth" --data-binary @/tmp/zeros https://api.secrets.test/body \
            --next -sS -H "$auth" -H "Transfer-Encoding: chunked" --data-binary @/bin/bash https://api.secrets.test/body \
            --next -sS -H "$auth" https://api.secrets.test/who \
            --next -sS -H "$auth" https://api.secrets.test/big | tee /tmp/got | wc -c
        head -n 2 /tmp/got; rm /tmp/got /tmp/zeros'
    local sum=${lines[0]%% *}
    [ "${lines[1]}" -gt 104857600 ]
    assert_contains "104857600 $sum"
    assert_contains "$(in_box sha256sum /bin/bash | cut -d " " -f 1)"
    [ "$(grep -c "Bearer $REAL" "$TEST_HOME/seen")" = 4 ]
}

# Lengths in the answer's first line, its fields, sizes and data of chunks, and the line behind the last; and six parts of a
# handshake.
@test "secrets: programs that do not read cost little, and others are served (9)" {
    local before after held
    rss() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$(worker_pid "$RUNTIME/shop" secrets)/status"; }
    # Connections whose server waits to send more.
    stuck() { [ "$(ss -Htn "src $OWN:443" | awk '$3 > 65536' | wc -l)" -ge 100 ]; }
    settled() { after=$before && before=$(rss) && [ "$before" = "$after" ]; }
    before=$(rss)
    local first=$before
    rm -f "$PROJECT/go"
    in_box python3 -c '
import os, socket, ssl, time
context = ssl.create_default_context()
lines = [context.wrap_socket(socket.create_connection(("api.secrets.test", 443)), server_hostname="api.secrets.test") for _ in range(100)]
for line in lines:
    line.sendall(b"GET /big HTTP/1.1\r\nHost: api.secrets.test\r\nAuthorization: Bearer " + os.environ["API_TOKEN"].encode() + b"\r\n\r\n")
while not os.path.exists("go"):
    time.sleep(0.05)' 3>&- &
    held=$!
    eventually stuck
    eventually settled
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    assert_output served
    touch "$PROJECT/go"
    wait "$held"
    [ $((after - first)) -lt 25 ] || fail "$((after - first)) MiB for 100 connections"
}

@test "secrets: a server that stalls at any byte keeps nobody else waiting, and is left with its program (9)" {
    local worker before clients
    : >"$TEST_HOME/stalled"
    : >"$TEST_HOME/ended"
    worker=$(worker_pid "$RUNTIME/shop" secrets)
    peak() { awk '/^VmHWM/ { print $2 }' "/proc/$worker/status"; }
    before=$(peak)
    # shellcheck disable=SC2016 # the box's shell expands these
    in_box sh -c 'for at in 0 1 9 16 17 40 61 63 64 66 69 73 75 80 84; do
            curl -sS -o /dev/null -H "Authorization: Bearer $API_TOKEN" "https://api.secrets.test/stall/$at" &
            clients="$clients $!"
        done
        for i in 1 2 3 4 5 6; do
            curl -sS https://stall.secrets.test:444/ &
            clients="$clients $!"
        done
        until [ -e told ]; do sleep 0.1; done
        kill $clients; true' >"$TEST_HOME/out" 2>&1 3>&- &
    clients=$!
    all_stalled() { [ "$(wc -l <"$TEST_HOME/stalled")" = 21 ]; }
    eventually all_stalled
    # shellcheck disable=SC2016
    inside 'curl -sS -m 20 -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    assert_output served
    [ ! -s "$TEST_HOME/ended" ]
    touch told
    wait "$clients"
    rm told
    all_ended() { [ "$(wc -l <"$TEST_HOME/ended")" = 21 ]; }
    eventually all_ended
    [ $(($(peak) - before)) -lt 8000 ] || fail "$before, then $(peak) KiB"
    [ "$(worker_pid "$RUNTIME/shop" secrets)" = "$worker" ]
}

@test "secrets: another protocol passes after 101, and not unasked (21)" {
    # shellcheck disable=SC2016
    run in_box python3 -c '
import os, socket, ssl
line = ssl.create_default_context().wrap_socket(socket.create_connection(("api.secrets.test", 443)),
                                                server_hostname="api.secrets.test")
token = os.environ["API_TOKEN"]
def ask(path, fields=""):
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: api.secrets.test\r\nAuthorization: Bearer {token}\r\n{fields}\r\n".encode())
ask("/switch", "Connection: Upgrade\r\nUpgrade: echo\r\n")
head = line.recv(4096)
line.sendall(b"hello")
print(head.split()[1].decode(), line.recv(5).decode())'
    assert_output "101 hello"
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/unasked'
    assert_contains "which nobody asked for"
}

@test "secrets: what comes back with the key in it is cut (30)" {
    local path
    local -a raw
    for path in echo echo-field echo-slowly echo-extension; do
        # Else curl leaves out what frames the contents.
        raw=()
        [ "$path" != echo-extension ] || raw=(--raw)
        # The control: the server sends it.
        run curl -sS -i "${raw[@]}" --cacert "$TEST_HOME/ca.pem" -H "Authorization: Bearer $REAL" "https://api.secrets.test/$path"
        assert_contains "$REAL"
        # shellcheck disable=SC2016
        inside 'curl -sS -i '"${raw[*]}"' -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/'"$path"
        no_secret "$output"
        [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
    done
    # shellcheck disable=SC2016
    inside 'curl -sS -u "user:$API_TOKEN" https://api.secrets.test/echo'
    [[ $output != *"$(printf 'user:%s' "$REAL" | base64 -w 0)"* ]] || fail "$output"
    eventually prints "the answer holds the secret itself" box logs --helpers
    no_secret "$output"
}

@test "secrets: no answer with the key in it comes compressed, whatever a program calls the field that asks for that (30)" {
    local field
    for field in Accept-Encoding Accept_Encoding accept_Encoding; do
        run curl -sS --compressed -H "Accept-Encoding: none" -H "$field: gzip" --cacert "$TEST_HOME/ca.pem" -H "Authorization: Bearer $REAL" \
            https://api.secrets.test/coded
        assert_output "you sent Bearer $REAL"
        # shellcheck disable=SC2016
        inside 'curl -sS --compressed -H "Accept-Encoding: none" -H "'"$field"': gzip" -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/coded'
        no_secret "$output"
        [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
    done
}

@test "secrets: a key does not come back in ranges, and a file does (30)" {
    local get
    # The control: the server sends it so.
    get="curl -sS --cacert '$TEST_HOME/ca.pem' -H 'Authorization: Bearer $REAL'"
    run sh -c "$get -r 9-20,21-32,33- https://api.secrets.test/ranges | grep -v '^--x\|^Content-Range\|^.$' | tr -d '\r\n'"
    assert_output "Bearer $REAL"
    run sh -c "$get -r 9-30 https://api.secrets.test/ranges; $get -r 31- https://api.secrets.test/ranges"
    assert_output "Bearer $REAL"
    # shellcheck disable=SC2016 # the box's shell expands these
    get='curl -sS -H "Authorization: Bearer $API_TOKEN" -w " %{http_code}\n"'
    # Several at once are not asked for, so that the key is whole, and found; one, or two in a way that some servers take, is refused.
    inside "$get -r 9-20,21-32,33- https://api.secrets.test/ranges; $get -r 9-30 https://api.secrets.test/ranges
        $get -r 31- https://api.secrets.test/ranges; $get -H 'Range: bytes=9-30' -H 'Range: bytes=31-' https://api.secrets.test/ranges"
    [ "$(grep -c " 502$" <<<"$output")" = 3 ] || fail "$output"
    [[ $output != *"${REAL:0:4}"* && $output != *"${REAL:12:4}"* && $output != *"${REAL: -4}"* ]] || fail "$output"
    # What has an ETag is a file: a download is resumed.
    inside "$get -r 35- https://api.secrets.test/file; $get -r 0-3,4-7 https://api.secrets.test/file"
    assert_output "56789 206
0123456789012345678901234567890123456789 200"
    eventually prints "is a part of what could hold the secret" box logs --helpers
    no_secret "$output"
}

@test "secrets: an answer in UTF-16 with the key in it is cut (30)" {
    local wide='import sys; print(sys.stdin.buffer.read().decode("utf-16", "replace"))'
    run bash -c "curl -sS --cacert '$TEST_HOME/ca.pem' -H 'Authorization: Bearer $REAL' https://api.secrets.test/wide | python3 -c '$wide'"
    assert_output "you sent Bearer $REAL"
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/wide | python3 -c '"'$wide'"
    [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
}

@test "secrets: no answer with the key in it comes in a charset that a program asks for (30)" {
    local ebcdic='import sys; print(sys.stdin.buffer.read().decode("cp037"))' accept='Accept: text/plain;charset=cp037'
    run bash -c "curl -sS --cacert '$TEST_HOME/ca.pem' -H '$accept' -H 'Authorization: Bearer $REAL' https://api.secrets.test/charset | python3 -c '$ebcdic'"
    assert_output "you sent Bearer $REAL"
    # shellcheck disable=SC2016
    inside 'curl -sS -H "'"$accept"'" -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/charset | python3 -c '"'$ebcdic'"
    [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
}

@test "secrets: a message of a WebSocket with the key in it is cut, as none comes compressed (30)" {
    run python3 "$BATS_TEST_DIRNAME/websocket_client.py" "$OWN" "$REAL" "$TEST_HOME/ca.pem"
    assert_output "you sent Bearer $REAL"
    # shellcheck disable=SC2016
    run in_box sh -c 'python3 - api.secrets.test "$API_TOKEN"' <"$BATS_TEST_DIRNAME/websocket_client.py"
    no_secret "$output"
    [[ $output != *"${REAL:0:30}"* ]] || fail "$output"
    run box logs --helpers
    assert_contains "the answer holds the secret itself"
}

@test "secrets: in no other field, path or host is it put in, and the request is refused (29, 31)" {
    # shellcheck disable=SC2016
    inside 'for field in "X-Note: $API_TOKEN" "Cookie: a=$API_TOKEN" "Authorization: Digest $API_TOKEN"; do
            curl -sS -H "$field" https://api.secrets.test/who
        done
        curl -sS "https://api.secrets.test/?key=$API_TOKEN"
        curl -sS -H "X-Api-Key: $API_TOKEN" https://other.secrets.test/who
        curl -sS -H "Authorization: Bearer $API_TOKEN" http://other.box.internal/who'
    [ "$(grep -c "the placeholder of secret 'api' is where it must not be" <<<"$output")" = 6 ]
    seen
    assert_output ""
    # A host that has no secret gets the placeholder, which is worth nothing.
    # shellcheck disable=SC2016
    inside 'curl -sS --cacert /proc/self/fd/0 -H "Authorization: Bearer $API_TOKEN" https://plain.secrets.test/who' <"$TEST_HOME/ca.pem"
    assert_output served
    seen
    assert_contains "plain.secrets.test Bearer ghp_"
    no_secret "$output"
}

logged_alarms() { box logs --helpers | grep -c "alarm: other.secrets.test" || true; }

@test "secrets: a placeholder that goes to another host is told to all sessions of the box, and on the desktop (5)" {
    notifications_begin body
    box secret attach other # a helper that knows this desktop, and has told nothing yet
    local session waiting before
    before=$(logged_alarms)
    for session in one two; do
        box run -- sh -c 'touch "$1"; until [ -e told ]; do sleep 0.1; done' - "$session" 2>"$TEST_HOME/$session" 3>&- &
        waiting+=($!)
        eventually test -e "$session"
    done
    # shellcheck disable=SC2016
    inside 'curl -sS -H "X-Note: $API_TOKEN" https://api.secrets.test/who
        for i in 1 2 3 4 5 6; do curl -sS -H "X-Api-Key: $API_TOKEN" https://other.secrets.test/who; done'
    [ "$(grep -c "the placeholder of secret 'api' is where it must not be" <<<"$output")" = 7 ]
    local alarm="other.secrets.test:443: the placeholder of secret 'api' was sent to this host, and was stopped"
    for session in one two; do
        eventually grep -qxF "box: alarm: box 'shop': $alarm" "$TEST_HOME/$session"
    done
    # shellcheck disable=SC2154 # open.bash has it
    eventually test -s "$shown"
    [ "$(head -n 1 "$shown" | jq -c '[.title, .body, .app, .actions, .hints]')" = "[\"shop: alarm: a secret\",\"$alarm\",\"Litterbox\",[],{}]" ] ||
        fail "$(cat "$shown")"
    # One that goes on fills no screen. What is at the key's own host is no alarm.
    all_logged() { [ "$(logged_alarms)" = $((before + 6)) ]; }
    eventually all_logged
    touch told
    wait "${waiting[@]}"
    [ "$(wc -l <"$shown")" -le 3 ]
    [ "$(grep -c alarm "$TEST_HOME/one")" -le 3 ]
    run ! grep -q api.secrets.test "$TEST_HOME/one" "$shown"
    rm one two told
}

@test "secrets: a flood of refusals pushes no alarm out of the log, and is counted (8, 9)" {
    local before
    # shellcheck disable=SC2016
    inside 'curl -sS -H "X-Api-Key: $API_TOKEN" https://other.secrets.test/who'
    assert_contains "is where it must not be"
    before=$(logged_alarms)
    [ "$before" -gt 0 ]
    run in_box python3 -c '
import socket
refused = 0
for _ in range(1500):
    with socket.create_connection(("other.box.internal", 80)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x.test\r\n\r\n")
        refused += b"421" in line.recv(4096)
print(refused)'
    assert_output 1500
    [ "$(logged_alarms)" -ge "$before" ] || fail "$before alarms, then $(logged_alarms)"
    # Until one in a second is written again.
    were_counted() {
        in_box curl -sS -X TRACE http://other.box.internal/ >/dev/null
        box logs --helpers | grep -qE '[0-9]{3,} lines were left out'
    }
    eventually were_counted
}

@test "secrets: not after a redirect, by plain HTTP, or to a server that is not the one (34)" {
    # shellcheck disable=SC2016
    inside 'curl -sS -L --location-trusted -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/redirect
        curl -sS -H "Authorization: Bearer $API_TOKEN" https://wrong.secrets.test/who
        curl -sS -m 5 -H "Authorization: Bearer $API_TOKEN" http://api.secrets.test/who'
    assert_contains "the placeholder of secret 'api' is where it must not be"
    assert_contains "the certificate of the server: hostname mismatch"
    seen
    [ "$(grep -c "$REAL" <<<"$output")" = 1 ]
    refute_contains wrong
}

@test "secrets: not to a server whose certificate has the name in its subject alone (34)" {
    # That names nobody (RFC 9525, 2): who gives out certificates need not have looked at it.
    (cd "$TEST_HOME" && openssl x509 -req -in <(openssl req -new -key key.pem -subj /CN=subject.secrets.test) \
        -CA ca.pem -CAkey ca.key -CAcreateserial -out subject.secrets.test.pem) 2>/dev/null
    # Control: it is that name's certificate for who looks there, and of an authority that is trusted.
    openssl verify -CAfile "$TEST_HOME/ca.pem" -verify_hostname subject.secrets.test "$TEST_HOME/subject.secrets.test.pem"
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://subject.secrets.test/who'
    assert_contains "the certificate of the server: hostname mismatch"
    seen
    assert_output ""
}

@test "secrets: TRACE, another Host or SNI, and a second request that is not checked do not pass (18-20, 33)" {
    # shellcheck disable=SC2016
    inside 'a="Authorization: Bearer $API_TOKEN"
        curl -sS -w "%{http_code}\n" -H "$a" -X TRACE https://api.secrets.test/who
        curl -sS -w "%{http_code}\n" -H "$a" -H "Host: other.secrets.test" https://api.secrets.test/who
        curl -sS -w "%{http_code}\n" -H "$a" -H "Host: api.secrets.test:444" https://api.secrets.test/who
        curl -sS -k -H "$a" --connect-to other.secrets.test:443:api.secrets.test:443 https://other.secrets.test/who'
    assert_contains 405
    [ "$(grep -c 421 <<<"$output")" = 2 ]
    assert_contains "curl: (35)"
    seen
    assert_output ""
    # shellcheck disable=SC2016
    inside 'printf "GET /who HTTP/1.1\r\nHost: api.secrets.test\r\n\r\nGET /who HTTP/1.1\r\nHost: x.test\r\nAuthorization: Bearer %s\r\n\r\n" "$API_TOKEN" |
        timeout 10 openssl s_client -quiet -servername api.secrets.test -connect api.secrets.test:443 2>/dev/null'
    assert_contains served
    assert_contains "421 Misdirected"
    seen
    assert_output "api.secrets.test - -"
}

# asks REQUEST...: as requests.py does, in the box. It prints the statuses.
asks() { run in_box python3 - checked.secrets.test "$@" <"$BATS_TEST_DIRNAME/requests.py"; }
asked() { run cat "$TEST_HOME/asked"; }

@test "requests: only those pass that a rule has, each of a connection (4)" {
    asks "GET /org/a" "GET /org/a?x=/../b" "POST /org/b/open/x/y" "GET /org/%61"
    assert_output "$(printf '%s\n' 200 200 200 200)"
    asked
    assert_output "$(printf '%s\n' "GET /org/a" "GET /org/a?x=/../b" "POST /org/b/open/x/y" "GET /org/%61")"
    : >"$TEST_HOME/asked"
    asks "DELETE /org/a" "get /org/a" "GET /" "GET /org/b" "GET /org/a/" "GET /org/b/opened/x" "GET /ORG/a" "PUT /org/a"
    assert_output "$(printf '%s\n' 403 403 403 403 403 403 403 403)"
    # The second request of a connection, and one that is hidden in the body of another.
    asks "GET /org/a HTTP/1.1~Host: checked.secrets.test~~DELETE /org/a HTTP/1.1~Host: checked.secrets.test~~" \
        "POST /org/a HTTP/1.1~Host: checked.secrets.test~Content-Length: 5~~12345DELETE /x HTTP/1.1~Host: checked.secrets.test~~" \
        "POST /org/a HTTP/1.1~Host: checked.secrets.test~Content-Length: 4~Transfer-Encoding: chunked~~0~~DELETE /x HTTP/1.1~~" \
        "POST /org/a HTTP/1.1~Host: checked.secrets.test~Transfer-Encoding : chunked~~0~~" \
        "POST /org/a HTTP/1.1~Host: checked.secrets.test~Content-Length: 0~Content-Length: 40~~DELETE /x HTTP/1.1~~" \
        "GET /org/a HTTP/1.1~Host: checked.secrets.test~X: y$(printf '\r')DELETE: /x~~" \
        "GET /org/a HTTP/1.1~Host: checked.secrets.test~X-HTTP-Method-Override: DELETE~~" \
        "GET /org/a HTTP/1.1~Host: checked.secrets.test~X_Original_URL: /admin~~" \
        "GET /org/a HTTP/1.1~Host: checked.secrets.test~Connection: Upgrade, HTTP2-Settings~Upgrade: h2c~HTTP2-Settings: AAMAAABkAAQAAP__~~" \
        "PRI * HTTP/2.0~~SM~~" "CONNECT checked.secrets.test:443" "GET https://checked.secrets.test/admin" "OPTIONS *"
    assert_output "$(printf '%s\n' "200 403" "200 403" 400 400 400 400 403 403 403 400 400 400 403)"
    asked
    assert_output "$(printf '%s\n' "GET /org/a" "POST /org/a")"
}

@test "requests: a path that servers read in different ways does not pass (4)" {
    asks "GET /org/a/open/../../../admin" "GET /org/a/open/%2e%2e/x" "GET /org/..%2fadmin/open/x" "GET /org/..%5cadmin/open/x" \
        "GET /org/..;/open/x" "GET /org/b/open/..;/..;/admin" "GET //org/a" "GET /org//open/x" "GET /org/b/open/%252e%252e/x" \
        "GET /org/b/open/x%00.html" "GET /org/b/open/%c0%ae%c0%ae/x" "GET /org/b/open/a\\..\\b" "GET /org/b/open/x%3f/../y" \
        "GET /org/b/open/#/../admin" "GET /org/b/open/%zz" "GET /org/b/open/é" "GET /org/a%0d%0aX" "GET /org/b/open/./x" \
        "GET /org/a;/open" "GET /./org/a"
    [ "$(sort -u <<<"$output")" = 403 ] || fail "$output"
    asked
    assert_output ""
    # Without TLS the gate itself looks.
    inside 'curl -sS http://checked.secrets.test/org/x; curl -sS --path-as-is http://checked.secrets.test/org/../x http://checked.secrets.test/x
        curl -sS -X POST http://checked.secrets.test/org/x'
    assert_contains served
    assert_contains "its path has '.' or '..' as a part"
    assert_contains "no rule allows GET checked.secrets.test:80/x; on the host, \"box net allow 'GET checked.secrets.test:80/x'\" would"
    assert_contains "no rule allows POST checked.secrets.test:80/org/x"
    asked
    assert_output "GET /org/x"
}

@test "requests: what is refused is logged with its rule, and a rule that is added holds at once (4)" {
    run box net why "GET checked.secrets.test/org/x/open/y"
    assert_contains "GET checked.secrets.test:443/org/x/open/y is allowed by 'allow GET checked.secrets.test/org/*/open/**'"
    run box net why checked.secrets.test
    assert_contains "only requests that a rule has pass"
    run box net why "DELETE checked.secrets.test/org/a"
    [ "$status" = 1 ]
    asks "DELETE /org/a"
    assert_output 403
    box net allow "DELETE checked.secrets.test/org/a"
    asks "DELETE /org/a" "DELETE /org/b/open/x"
    assert_output "$(printf '%s\n' 200 403)"
    box net forget "DELETE checked.secrets.test/org/a"
    asks "DELETE /org/a"
    assert_output 403
    eventually prints '"reason":"no rule allows DELETE checked.secrets.test/org/a"' box net log --json
    eventually prints '"rule":"allow GET checked.secrets.test/org/*/open/**"' box net log --json
}

@test "requests: the first rule of a host holds at once, too (4)" {
    box net allow "GET stall.secrets.test/who"
    run in_box python3 - stall.secrets.test "GET /who" "GET /other" <"$BATS_TEST_DIRNAME/requests.py"
    assert_output "$(printf '%s\n' 200 403)"
    asked
    assert_output "GET /who"
    box net forget "GET stall.secrets.test/who"
}

@test "requests: a secret goes to the paths of a rule alone, and its base URL leads to no other (5)" {
    box net allow "GET other.secrets.test/who"
    # shellcheck disable=SC2016
    inside 'for url in https://other.secrets.test "$OTHER_URL"; do
        curl -sS -H "X-Api-Key: $OTHER_KEY" "$url/who"; curl -sS -H "X-Api-Key: $OTHER_KEY" "$url/echo"; done'
    [ "$(grep -c served <<<"$output")" = 2 ]
    [ "$(grep -c "no rule allows GET other.secrets.test/echo" <<<"$output")" = 2 ]
    asked
    assert_output "$(printf '%s\n' "GET /who" "GET /who")"
    box net forget "GET other.secrets.test/who"
    inside 'curl -sS https://other.secrets.test/big -o /dev/null -w "%{http_code}"'
    assert_output 200
}

@test "net log: the program of a connection, whatever it calls itself, and the secret that it used (8)" {
    # shellcheck disable=SC2016
    inside 'cp "$(command -v curl)" "/tmp/$(printf "e\033[2Jv il\"x")"
        curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who
        /tmp/e* -sS https://plain.secrets.test/who -k
        /tmp/e* -sS http://plain.secrets.test/who; rm /tmp/e*'
    assert_contains "no rule allows it"
    each_is_logged() {
        box net log --json | jq -se 'any(.[]; .program == "curl" and .secret == "api" and .name == "api.secrets.test" and .decision == "allowed" and .received > 0) and
            any(.[]; .program == "e?[2Jv?il\"x" and .name == "plain.secrets.test" and .port == 443 and .secret == null) and
            any(.[]; .program == "e?[2Jv?il\"x" and .name == "plain.secrets.test" and .port == 80 and .decision == "refused")'
    }
    eventually each_is_logged
    run box net log
    refute_contains $'\033'
}

@test "secrets: it is not in the box, in logs, or in a core dump (5, 35)" {
    inside 'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\0" "\n"; ls -laR /run/litterbox 2>&1'
    no_secret "$output"
    attempt --root 'cat /proc/*/environ; grep -rs realRealReal /run /etc /tmp /root && echo found it'
    no_secret "$output"
    refute_contains "found it"
    # Nor is the socket at which connections are handed over, or that of the gate.
    run in_box_as -u root -- find / -xdev \( -name secrets.sock -o -name gate.sock \)
    assert_output ""
    run grep -rslE 'realRealReal|otherOther' "$RUNTIME" "$STATE" "$DATA/boxes"
    assert_output ""
    local worker
    worker=$(worker_pid "$RUNTIME/shop" secrets)
    run cat "/proc/$worker/status"
    assert_contains "Seccomp:	2"
    assert_contains "NoNewPrivs:	1"
    [ "$(stat -c %u "/proc/$worker/environ")" = 0 ]
    grep -q "Max core file size *0 *0" "/proc/$worker/limits"
    # It cannot be read by this user without root, and has no socket of the network but those it was handed.
    run cat "/proc/$worker/mem"
    [ "$status" != 0 ]
}

@test "secrets: without their helper the hosts are refused, and it comes back with the same authority (9)" {
    local before worker
    before=$(in_box sha256sum /run/litterbox/certificates/bundle.pem)
    worker=$(worker_pid "$RUNTIME/shop" secrets)
    kill -STOP "$(supervisor_pid "$RUNTIME/shop" secrets)"
    kill -KILL "$worker"
    eventually sh -c "grep -q '^State:.*[ZX]' /proc/$worker/status || ! test -e /proc/$worker"
    # shellcheck disable=SC2016
    inside 'curl -sS -k -m 5 -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    assert_contains "curl: ("
    seen
    assert_output ""
    kill -CONT "$(supervisor_pid "$RUNTIME/shop" secrets)"
    # shellcheck disable=SC2016
    eventually in_box sh -c 'curl -sf -o /dev/null -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    [ "$(in_box sha256sum /run/litterbox/certificates/bundle.pem)" = "$before" ]
}

@test "secret: a value that cannot be had closes its hosts alone, and detach takes the placeholder away (5)" {
    run box secret test other
    assert_output "secret 'other' has a value of ${#OTHER} characters"
    run env -u OTHER box secret test other
    assert_contains "its variable is not set: OTHER"
    env -u OTHER box secret attach other
    # shellcheck disable=SC2016
    inside 'echo "<$OTHER_KEY>"; curl -sS -m 5 https://other.secrets.test/who'
    assert_contains "<>"
    assert_contains "curl: ("
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.secrets.test/who'
    assert_output served
    box secret attach other
    box secret detach api
    # shellcheck disable=SC2016
    inside 'echo "<$API_TOKEN>"; curl -sS -m 5 https://api.secrets.test/who'
    assert_contains "<>"
    assert_contains "curl: ("
    run box secret list --json
    assert_contains '"boxes":["shop"]'
    no_secret "$output"
    box secret attach api
}

@test "secret: a value of the keyring is read by secret-tool, and put into a query (5)" {
    mkdir -p "$TEST_HOME/bin"
    # A keyring needs a D-Bus session and a password; what matters here is how it is asked.
    cat >"$TEST_HOME/bin/secret-tool" <<END
#!/bin/sh
[ "\$*" = "lookup service maps account me too" ] && echo "$OTHER"
END
    chmod +x "$TEST_HOME/bin/secret-tool"
    box secret add maps --host plain.secrets.test --as query:key --variable MAPS_KEY --source "keyring:service=maps,account=me too"
    run box secret test maps
    [ "$status" != 0 ]
    assert_contains "libsecret-tools is missing"
    # shellcheck disable=SC2030 # for this test alone
    export PATH=$TEST_HOME/bin:$PATH
    run box secret test maps
    assert_output "secret 'maps' has a value of ${#OTHER} characters"
    box secret attach maps
    # shellcheck disable=SC2016
    inside 'curl -sS "https://plain.secrets.test/who?a=b&key=$MAPS_KEY"; curl -sS "https://plain.secrets.test/who?other=$MAPS_KEY"'
    assert_contains served
    assert_contains "the placeholder of secret 'maps' is where it must not be"
    no_secret "$output"
    asked
    assert_output "GET /who?a=b&key=$OTHER"
    box secret remove maps
}

@test "secret: a value of a file goes into the field that is named, and a file that is gone is told (5)" {
    echo "$OTHER" >"$TEST_HOME/value"
    box secret add filed --host plain.secrets.test --as header:Private-Token --variable FILED_KEY --source "file:$TEST_HOME/value"
    run box secret test filed
    assert_output "secret 'filed' has a value of ${#OTHER} characters"
    box secret attach filed
    # shellcheck disable=SC2016
    inside 'curl -sS -H "Private-Token: $FILED_KEY" https://plain.secrets.test/who
        curl -sS -H "X-Api-Key: $FILED_KEY" https://plain.secrets.test/who'
    assert_contains served
    assert_contains "the placeholder of secret 'filed' is where it must not be"
    seen
    assert_output "plain.secrets.test - $OTHER"
    rm "$TEST_HOME/value"
    run box secret test filed
    [ "$status" != 0 ]
    assert_contains "its file cannot be read: No such file or directory"
    box secret remove filed
}

@test "secret: a value that is typed on a terminal is not shown there (5)" {
    # The control: a terminal shows what is typed.
    run on_terminal --answer 'Value: ' "$REAL\n" sh -c 'printf "Value: "; read -r value'
    assert_contains "$REAL"
    run on_terminal --answer 'Value of the secret: ' "$REAL\n" box secret add typed --host a.test
    assert_status 0
    no_secret "$output"
    run box secret test typed
    assert_output "secret 'typed' has a value of ${#REAL} characters"
    box secret remove typed
}

@test "secret: a project's file cannot have one, and short or wrong ones are refused" {
    printf '[[secret]]\nname = "x"\nhosts = ["evil.test"]\n' >"$PROJECT/bad.toml"
    cp "$PROJECT/litterbox.toml" "$TEST_HOME/good.toml"
    cat "$PROJECT/bad.toml" >>"$PROJECT/litterbox.toml"
    run box config show
    [ "$status" != 0 ]
    assert_contains "unknown section"
    cp "$TEST_HOME/good.toml" "$PROJECT/litterbox.toml"
    box trust --yes
    local host
    for host in '*.secrets.test' localhost 127.0.0.1 host.box.internal a_b.test; do
        run box secret add x --host "$host" --source env:OTHER
        [ "$status" != 0 ] || fail "$host"
    done
    local wrong
    for wrong in "--as header:Host" "--as query:a&b" "--as query:" "--source keyring:x" "--source keyring:-x=y" "--source keyring:a=-b"; do
        # shellcheck disable=SC2086 # words
        run box secret add x --host a.test --source env:OTHER $wrong
        [ "$status" != 0 ] || fail "$wrong"
    done
    run box secret add x --host a.test --value-fd 0 <<<short
    [ "$status" != 0 ]
    assert_contains "less than 16 characters"
    run box secret list
    refute_contains a.test
}

@test "secrets: a helper that is started anew runs no program that the box has put into a folder of PATH (7)" {
    # shellcheck disable=SC2031 # of this test
    local planted=$PROJECT/venv/bin path=$TEST_HOME/machine:$PATH
    mkdir -p "$TEST_HOME/machine"
    printf '#!/bin/sh\necho %s\n' "$REAL" >"$TEST_HOME/machine/key-tool"
    chmod +x "$TEST_HOME/machine/key-tool"
    box secret add tool --host plain.secrets.test --source command:key-tool
    PATH=$path box secret attach tool
    in_box sh -c 'mkdir -p venv/bin; printf "#!/bin/sh\ntouch %s/ran\n" "$1" >venv/bin/key-tool; chmod +x venv/bin/key-tool' \
        - "$TEST_HOME"
    # Control: the box's program is the first of that name.
    [ "$(PATH=$planted:$path type -P key-tool)" = "$planted/key-tool" ]
    helper_kill "$RUNTIME/shop" secrets
    PATH=$planted:$path box run -- true
    [ -n "$(supervisor_pid "$RUNTIME/shop" secrets)" ]
    [ ! -e "$TEST_HOME/ran" ]
    box secret detach tool
    box secret remove tool
}
