#!/usr/bin/env bats
# Attacks on desktop requests from inside a box: socket, packets, addresses, floods, kills.
# shellcheck disable=SC2154,SC2153 # open.bash and box.bash set what is used

load escape.bash
load ../desktop/open.bash

setup() {
    escape_setup_file
    open_begin
    cat >ask.py <<'END'
import os, socket, sys, time
PATH = "/run/litterbox/desktop/requests"
def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(20)
    s.connect(PATH)
    return s
def ask(data):
    s = connect()
    try:
        s.send(data)
        answer = s.recv(4096)
    except OSError as error:
        return "error %s" % error.errno
    finally:
        s.close()
    return "%d %s" % (answer[0], answer[1:].decode()) if answer else "end"
END
}
teardown() {
    open_end
    box_teardown
}

py() { run --separate-stderr in_box python3 -c "from ask import *
$1" "${@:2}"; }
helpers() { pgrep -u "$(id -u)" -f "litterbox-desktop-helper $RUNTIME/shop" || true; }
no_helpers() { [ -z "$(helpers)" ]; }
no_questions() { [ "$(box consent pending --json | jq length)" = 0 ]; }
assert_bridge_alive() {
    [ "$(bridge_pid)" = "$bridge" ] || fail "another bridge: $(cat "$RUNTIME/shop/bridge.log")"
}

@test "desktop: control: a question from the box is asked, and the page opened with a yes" {
    begin python3 -c 'from ask import *; print(ask(b"open\0https://example.com/\0"))'
    answer once
    ended_with 0
    grep -qx '0 ' "$asked"
    was_opened https://example.com/
}

@test "desktop: malformed, long and combined requests are refused (8, 9)" {
    configure '[desktop]\nopen = "allow"'
    box run -- true
    bridge=$(bridge_pid)
    py '
for data in (b"x", b"\0", b"open", b"open\0", b"open\0https://a/", b"open\0https://a/\0\0", b"open\0\0https://a/\0",
             b"open\0https://a/\0open\0https://b/\0", b"exec\0sh\0", b"OPEN\0https://a/\0", b"notify\0a\0",
             b"notify\0a\0b\0c\0", b"\xff" * 8000, b"open\0https://a/" + b"a" * 9000 + b"\0",
             b"open\0https://a/" + b"a" * 8192 + b"\0", b"notify\0" + b"a" * 513 + b"\0b\0", b"open\0" * 1600,
             b"a" * 150000):
    print(ask(data)[0])
s = connect(); s.shutdown(socket.SHUT_WR); print(s.recv(10)); s.close()
s = connect(); socket.send_fds(s, [b"open\0"], [0, 1, 2]); print(s.recv(10)[0])
# After a wrong request, a good one is not read.
s = connect()
try:
    s.send(b"open\0"); s.send(b"open\0https://a/\0"); print(s.recv(100)[0]); print(s.recv(100))
except OSError: pass
'
    [[ $output = "$(printf '1\n%.0s' {1..18})"$'\n'"b''"$'\n'1* ]] || fail "$output$stderr"
    assert_bridge_alive
    [ ! -e "$opened" ]
}

@test "desktop: no address becomes a program, file, option or second argument (7, 8)" {
    configure '[desktop]\nopen = "allow"'
    box run -- true
    local address bad=(
        '-h' '--' '-x:y' '' ' https://a.example/' './a' '/etc/passwd' 'file:///etc/passwd' 'FILE:/etc/passwd'
        'javascript:alert(1)' 'JavaScript:alert(1)' 'data:text/html,<script>' 'vbscript:x' 'about:config'
        'chrome://settings' 'view-source:https://a.example/' 'ssh://-oProxyCommand=x' 'x-scheme-handler:x' 'blob:https://a/'
        'https:a.example' 'https:/a.example' 'https:///etc/passwd' 'https://' 'https://@' 'https://:80' 'https://-oX/'
        'https://a b/' 'https://a.example\@evil.example/' 'https://a.example:80:90/' 'https://a.example:99999/'
        'https://[::1' 'https://a%00b/' 'https://$(id)/' 'https://`id`/' 'https://a;id/' 'https://a|id/'
        $'https://a.example/\nhttps://b.example/' $'https://a.example/\r' $'https://a.example/\t' $'java\tscript:x'
        $'https://a.example/\e[31m' $'https://a.example/\x7f' $'https://a.example/\u202e' $'https://a.example/\u200b'
        $'https://a.example/\xff' $'\u200bhttps://a.example/' 'mailto:a@b?attach=/etc/passwd' 'mailto:a@b?x=y&%61ttach=/x')
    local count=0
    for address in "${bad[@]}"; do
        # Too many requests at once would be refused as a flood. A new bridge starts a new count.
        [ $((count++ % 9)) != 8 ] || kill_bridge
        run box run -- xdg-open "$address"
        [[ $status = [12] ]] || fail "$(printf '%q' "$address"): $status $output"
        assert_no_controls
    done
    [ ! -e "$opened" ] || fail "$(cat "$opened")"
    # Shell metacharacters stay in one plain argument.
    kill_bridge
    box run -- xdg-open 'https://a.example/$(touch x);`id`|"'"'"'<>\ --help'
    was_opened "https://a.example/\$(touch%20x);%60id%60%7C%22'%3C%3E%5C%20--help" || fail "$(cat "$opened")"
}

@test "desktop: a hostile address cannot hide or forge text in the question (8)" {
    begin xdg-open $'https://accounts.google.com\u0430:x@\u0440aypal.example/'"$(printf 'a%.0s' {1..4000})?redirect_uri=http://localhost:22/"
    ended_with 1
    begin xdg-open $'https://accounts.google.com:x@\u0440aypal.example/'"$(printf 'a%.0s' {1..4000})"
    eventually is_asked
    run box consent pending
    assert_no_controls
    assert_contains "Cyrillic, Latin"
    assert_contains "not the host"
    assert_contains "xn--aypal-uye.example"
    assert_contains "$(printf 'a%.0s' {1..4000})"
    question | jq -e '.headline == "Open a page of xn--aypal-uye.example in your browser" and (.known | map(.label) | index("Port") | not)'
    answer deny
    ended_with 4
}

@test "desktop: 1,000 connections and floods of requests block nobody (9)" {
    notifications_begin body
    configure '[desktop]\nopen = "allow"'
    box run -- true
    bridge=$(bridge_pid)
    py '
held = []
for i in range(1000):
    try: held.append(connect())
    except OSError: pass
print(len(held) > 0)
time.sleep(3)
print(ask(b"open\0https://after.example/\0")[0])'
    assert_output $'True\n0'
    was_opened https://after.example/
    rm "$opened"
    # Token buckets: ten at once and then one every 6 s; one a second.
    py '
def flood(request):
    counts, begun = {}, time.monotonic()
    for i in range(300):
        one = ask(request)[0]
        counts[one] = counts.get(one, 0) + 1
    assert sum(counts.get(one, 0) for one in "04") == 300, counts
    return counts["0"], time.monotonic() - begun
opened, took = flood(b"open\0https://flood.example/\0")
print(opened <= 11 + took / 6, opened)
shown, took = flood(b"notify\0flood\0\0")
print(shown <= 2 + took, shown)'
    [ "$(grep -c True <<<"$output")" = 2 ] || fail "$output $stderr"
    eventually test -s "$opened" # the bridge does not wait for it
    [ "$(wc -l <"$opened")" -le "${lines[0]#* }" ]
    [ "$(wc -l <"$shown")" -le "${lines[1]#* }" ]
    assert_bridge_alive
    [ "$(awk '/^FDSize:/ { print $2 }' "/proc/$bridge/status")" -le 64 ]
}

@test "desktop: many requests at once show one window at a time, and few in all (9)" {
    box run -- true
    bridge=$(bridge_pid)
    begin python3 -c '
from ask import *
held = [connect() for i in range(12)]
for i, s in enumerate(held):
    s.send(b"open\0https://many.example/%d\0" % i)
while not os.path.exists("enough"):
    time.sleep(0.1)'
    eventually is_asked
    eventually has_window litterbox-prompt
    sleep 1
    [ "$(windows | grep -c litterbox-prompt)" = 1 ]
    [ "$(box consent pending --json | jq length)" -le 4 ]
    touch enough
    ended_with 0
    eventually no_questions
    eventually no_helpers
    assert_bridge_alive
    [ ! -e "$opened" ]
}

@test "desktop: a process killed at any moment opens nothing, and the next command restarts it (9)" {
    local victim
    for victim in bridge launcher helper prompt; do
        box run -- true
        box consent mute --for 0 shop 2>/dev/null || true # it fails when the box is not muted
        bridge=$(bridge_pid)
        begin xdg-open https://killed.example/
        eventually is_asked || fail "$victim: $(cat "$asked")"
        eventually has_window litterbox-prompt
        case $victim in
            bridge) kill -KILL "$bridge" ;;
            launcher) kill -KILL "$(pgrep -P "$bridge")" ;;
            helper) kill -KILL "$(helpers)" ;;
            prompt) kill -KILL "$(swaymsg -t get_tree | jq '.. | objects | select(.app_id? == "litterbox-prompt") | .pid')" ;;
        esac
        eventually test -s "$asked.status"
        [[ $(cat "$asked.status") = [34] ]] || fail "$victim: $(cat "$asked.status" "$asked")"
        eventually no_questions || fail "$victim: $(box consent pending)"
        eventually no_helpers || fail "$victim"
        [ ! -e "$opened" ] || fail "$victim"
        # After a prompt ends, requests of the box are ignored for five seconds, as after a "no".
        [ "$victim" != prompt ] || sleep 5.5
    done
    begin xdg-open https://killed.example/
    answer once
    ended_with 0
    was_opened https://killed.example/
}

@test "desktop: a box cannot replace the socket or reach the confined processes (2)" {
    box run -- true
    bridge=$(bridge_pid)
    local attempt
    for attempt in 'rm -f requests' 'mv requests away' 'touch new' 'ln -s /tmp/x link' 'chmod 777 requests'; do
        run in_box sh -c "cd /run/litterbox/desktop && $attempt"
        [ "$status" != 0 ] || fail "$attempt"
        attempt --root "cd /run/litterbox/desktop && $attempt"
        [ -S "$RUNTIME/shop/desktop/requests" ] || fail "$attempt"
    done
    [ "$(stat -c %a "$RUNTIME/shop/desktop/requests")" = 600 ]
    run in_box pgrep -f 'litterbox-(bridge|desktop-helper)'
    assert_status 1
    grep -qx 'Seccomp:[[:space:]]2' "/proc/$bridge/status"
    grep -qx 'NoNewPrivs:[[:space:]]1' "/proc/$bridge/status"
    # Not even the user's other programs can inspect them.
    run ls "/proc/$bridge/fd" "/proc/$(pgrep -P "$bridge")/fd"
    [ "$status" != 0 ]
    assert_contains "Permission denied"
}

@test "desktop: a login's port leads only into the box (1, 2)" {
    configure '[desktop]\nopen = "allow"'
    box run -- true
    local port=18767
    run box run -- xdg-open "https://l.example/?redirect_uri=http://localhost:$port/"
    assert_status 0
    is_open() { ss -Hltn "sport = :$port" | grep -q .; }
    eventually is_open
    run ! grep -vE "^(127\.0\.0\.1|\[::1\]):" <(ss -Hltn "sport = :$port" | awk "{ print \$4 }")
    # The process that relays the bytes is confined and cannot be inspected.
    local helper
    helper=$(helpers)
    eventually grep -qx 'Seccomp:[[:space:]]2' "/proc/$helper/status"
    grep -qx 'NoNewPrivs:[[:space:]]1' "/proc/$helper/status"
    run ls "/proc/$helper/fd"
    assert_contains "Permission denied"
    # Without a listener in the box, the host's server on another port is not reached.
    run curl -s -m 5 "http://127.0.0.1:$port/"
    [ "$status" != 0 ]
    # A port in use is left to its owner.
    python3 -m http.server --bind 127.0.0.1 18768 >/dev/null 2>&1 3>&- 4>&- &
    local server=$!
    eventually curl -s -o page http://127.0.0.1:18768/
    run box run -- xdg-open "https://l.example/?redirect_uri=http://localhost:18768/"
    assert_status 0
    assert_contains "in use"
    curl -s http://127.0.0.1:18768/ | grep -q "Directory listing"
    kill "$server"
}
