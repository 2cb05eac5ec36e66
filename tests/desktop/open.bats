#!/usr/bin/env bats
# Requests of a box to the user's desktop: pages, logins that redirect back, notifications.
# shellcheck disable=SC2154 # open.bash sets opened and others

load ../lib/box.bash
load open.bash
setup() {
    box_setup
    open_begin
}
teardown() {
    open_end
    box_teardown
}

page='https://example.com/a?b=c&d=%20e#f'

@test "open: a window shows the whole address, and an approval opens it" {
    notifications_begin
    keyboard_start
    umask 027
    begin xdg-open "$page"
    prompt_appears || fail "$(cat "$asked" "$RUNTIME/shop/bridge.log")"
    [ "$(question | jq -r '.kind, .address, .known[0].value, .box.name' | paste -sd ' ')" = "open $page example.com shop" ]
    [ ! -e "$opened" ]
    accepting
    at_spi press "push button" Open
    ended_with 0
    was_opened "$page"
    # It runs in the user's environment, without what a project may have set, and without our descriptors.
    grep -q "^HOME=$HOME$" "$opened.environment"
    run ! grep -E '^(LITTERBOX|BOX_|CONTAINER_HOST)' "$opened.environment"
    run ! grep -E -- '-> (socket|pipe|anon_inode|/run)' "$opened.files"
    # It has the user's umask, while our socket is only for the user.
    grep -qx 0027 "$opened.umask"
    [ "$(stat -c %a "$RUNTIME/shop/desktop/requests")" = 600 ]
}

@test "open: BOX_DEBUG says what the bridge, its requests and the window decide" {
    says() { box logs --helpers 2>/dev/null | grep -qE "debug [0-9.]+ $1"; }
    keyboard_start
    export BOX_DEBUG=bridge,desktop,prompt
    begin xdg-open "$page"
    prompt_appears
    press Escape
    ended_with 4
    unset BOX_DEBUG
    eventually says "bridge: windows [0-9], x11 [0-9], sound [0-9], requests 1"
    eventually says "desktop: request to open.*: allowed"
    eventually says "prompt: asks 'open' for [0-9]+ s"
    eventually says "prompt: answered"
}

@test "open: Escape denies, and the user is not asked again at once" {
    keyboard_start
    # Not asked again at once: by one program, as the pause is of seconds.
    begin sh -c 'xdg-open "$0"; echo "first $?"; xdg-open "$0"' "$page"
    prompt_appears
    press Escape
    ended_with 4
    grep -q 'the user said no' "$asked"
    grep -qx 'first 4' "$asked"
    [ ! -e "$opened" ]
}

@test "open: every command name asks; a terminal can answer; the question ends with the asking program" {
    local name
    for name in open sensible-browser x-www-browser www-browser; do
        rm -f "$opened"
        begin "$name" "$page"
        answer once
        ended_with 0
        was_opened "$page"
    done
    rm -f "$opened"
    begin sh -c 'exec $BROWSER "$0"' "$page"
    answer once
    ended_with 0
    was_opened "$page"
    begin sh -c 'echo $$ >asker; exec xdg-open "$0"' "$page"
    eventually is_asked
    box run -- sh -c 'kill "$(cat asker)"' 2>/dev/null
    ended_with 143
    eventually not_asked
    # `box consent pending` shows the whole address, too.
    begin xdg-open "https://example.com/$(printf 'a%.0s' {1..3000})z"
    eventually is_asked
    run box consent pending
    assert_contains "$(printf 'a%.0s' {1..3000})z"
}
not_asked() { ! is_asked; }

@test "open: the question says when a page is a service of this computer" {
    local host warning="This address is a service of this computer, not of the box."
    for host in localhost 127.0.0.1:631 "[::1]" "$(hostname):631" $(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }'); do
        begin xdg-open "http://$host/"
        eventually is_asked
        [ "$(question | jq -r '.warnings[]')" = "$warning" ] || fail "$host: $(question)"
        answer once
        ended_with 0
    done
    begin xdg-open http://example.com/
    eventually is_asked
    [ "$(question | jq -c .warnings)" = '[]' ]
    answer once
    ended_with 0
}

@test "open: allow does not ask; deny opens nothing and leaves no socket" {
    configure '[desktop]\nopen = "allow"'
    run box run -- xdg-open "$page"
    assert_status 0
    was_opened "$page"
    configure '[desktop]\nopen = "deny"'
    box stop
    rm "$opened"
    run box run -- xdg-open "$page"
    assert_status 4
    assert_contains 'open is "deny"'
    run --separate-stderr box run -- sh -c 'echo "[$BROWSER]"'
    assert_output "[]"
    configure '[desktop]\nopen = "deny"\nnotify = false\nwayland = "none"'
    box stop
    run box run -- xdg-open "$page"
    assert_status 3
    run box run -- ls /run/litterbox
    refute_contains desktop
    [ ! -e "$opened" ]
    [ -z "$(bridge_pid)" ]
    # A project that wants more needs the user's consent.
    box stop
    rm "$CONFIG/config.toml"
    printf '[desktop]\nopen = "allow"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "without asking"
}

@test "open: files, other schemes and invalid addresses are refused with a message" {
    local each
    echo hello >a.html
    for each in a.html ./a.html "$PROJECT/a.html" "file://$PROJECT/a.html" FILE:///etc/passwd; do
        run box run -- xdg-open "$each"
        assert_status 2
        assert_contains "a file of the box"
    done
    for each in javascript:alert ftp://example.com/ data:text/html,x vscode://x; do
        run box run -- xdg-open "$each"
        assert_status 1
        assert_contains "only pages"
    done
    run box run -- xdg-open
    assert_status 1
    assert_contains "usage: xdg-open"
    [ ! -e "$opened" ]
    run not_asked
    [ "$status" = 0 ]
}

@test "open: without a display it says so; with only X11 there is a bridge, too" {
    local wayland=$WAYLAND_DISPLAY
    unset WAYLAND_DISPLAY
    run box run -- xdg-open "$page"
    assert_status 3
    assert_contains "no desktop answers"
    [ -z "$(bridge_pid)" ]
    configure '[desktop]\nopen = "allow"'
    box stop
    DISPLAY=:99 run box run -- xdg-open "$page"
    assert_status 0
    was_opened "$page"
    grep -q '^DISPLAY=:99' "$opened.environment"
    # A display that cannot be reached gives no answer.
    configure '[desktop]\nopen = "ask"'
    box stop
    DISPLAY=:99 run box run -- xdg-open "$page"
    assert_status 3
    assert_contains "there is no desktop to ask the user on"
    export WAYLAND_DISPLAY=$wayland
}

@test "open: a missing or failing browser is reported to the box" {
    configure '[desktop]\nopen = "allow"'
    printf '#!/bin/sh\nexit 3\n' >"$TEST_HOME/bin/xdg-open"
    run box run -- xdg-open "$page"
    assert_status 3
    assert_contains "exit status 3"
    # A program in the project is not run as the user's browser.
    mkdir bin
    printf '#!/bin/sh\ntouch %s\n' "$TEST_HOME/wrong" >bin/xdg-open
    chmod +x bin/xdg-open
    box stop
    PATH=$PROJECT/bin:$PATH run box run -- xdg-open "$page"
    assert_status 3 # of the fake in the PATH that is not the project's
    [ ! -e "$TEST_HOME/wrong" ]
}

@test "open: the browser's environment names no folder and no bus that a box can write" {
    configure '[desktop]\nopen = "allow"'
    mkdir -p share "$TEST_HOME/profile"
    # GDBus runs the program that an address with unixexec: names.
    XDG_DATA_DIRS=$PROJECT/share:/usr/share TMPDIR=$PROJECT/share \
        DBUS_SESSION_BUS_ADDRESS=unixexec:path=$PROJECT/share/bus \
        XDG_CACHE_HOME=$TEST_HOME/profile run box run -- xdg-open "$page"
    assert_status 0
    was_opened "$page"
    grep -qx 'XDG_DATA_DIRS=/usr/share' "$opened.environment"
    grep -qx "XDG_CACHE_HOME=$TEST_HOME/profile" "$opened.environment"
    run ! grep -E "unixexec|$PROJECT" "$opened.environment"
}

# A server in the box that answers one request, as a program that logs in does, and prints its path.
waiter='
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"you may close this page")
        print("came " + self.path, flush=True)
    def log_message(self, *_): pass
listener = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("listens", flush=True)
listener.handle_request()
'

@test "open: a login's redirect reaches the box through its port, which is open until then" {
    command -v python3 >/dev/null
    local port=18765 login
    login="https://login.example/auth?client=x&redirect_uri=http%3A%2F%2Flocalhost%3A$port%2Fcallback&state=1"
    begin sh -c 'python3 -c "$0" "$1" & xdg-open "$2"; wait' "$waiter" "$port" "$login"
    eventually is_asked
    question | jq -e '.known[] | select(.label == "Port") | .value | contains("18765")'
    # The port is closed before the approval.
    run ! curl -s -m 2 "http://127.0.0.1:$port/callback"
    answer once
    was_opened "$login"
    eventually grep -q listens "$asked"
    run curl -s -m 30 "http://localhost:$port/callback?code=42"
    assert_output "you may close this page"
    ended_with 0
    grep -qF 'came /callback?code=42' "$asked"
    eventually no_helpers
    run ! curl -s -m 2 "http://127.0.0.1:$port/callback"
}
no_helpers() { [ -z "$(helpers)" ]; }
helpers() { pgrep -u "$(id -u)" -f "litterbox-desktop-helper $RUNTIME/shop" || true; }

@test "open: a login's port closes with the bridge and with the box" {
    local port=18766
    configure '[desktop]\nopen = "allow"'
    box run -- true
    listening() { ss -Hltn "sport = :$port" | grep -q .; }
    not_listening() { ! listening; }
    run box run -- xdg-open "https://l.example/?redirect_uri=http://127.0.0.1:$port/"
    assert_status 0
    eventually listening
    kill_bridge
    eventually not_listening
    run box run -- xdg-open "https://l.example/?redirect_uri=http://127.0.0.1:$port/"
    assert_status 0
    eventually listening
    box stop
    eventually not_listening
    # Low ports, other hosts and two redirect addresses open no port.
    local each
    for each in http://localhost:80/ http://localhost:22 http://example.com:$port/ \
        "http://localhost:$port@example.com/" "http://localhost:$port.example.com/"; do
        run box run -- xdg-open "https://l.example/?redirect_uri=$each"
        assert_status 0
        eventually no_helpers
    done
    run box run -- xdg-open "https://l.example/?redirect_uri=http://localhost:$port/&redirect_uri=http://localhost:$port/"
    assert_status 0
    run not_listening
    [ "$status" = 0 ]
}

@test "open: a port that is in use on one of the two loopback addresses is refused" {
    local port=18769 server
    grep -q ' lo$' /proc/net/if_inet6 || skip "there is no IPv6"
    configure '[desktop]\nopen = "allow"'
    box run -- true
    python3 -m http.server --bind ::1 "$port" >/dev/null 2>&1 3>&- 4>&- &
    server=$!
    eventually curl -s -o page "http://[::1]:$port/"
    run box run -- xdg-open "https://l.example/?redirect_uri=http://localhost:$port/"
    assert_status 0
    assert_contains "in use"
    eventually no_helpers
    run ! curl -s -m 2 "http://127.0.0.1:$port/"
    kill "$server"
}

@test "notify: title and body are shown, with the box's name in front, and nothing else" {
    notifications_begin body body-markup
    run box run -- notify-send -u critical -i /etc/passwd -a Bank -A yes=Yes -h string:x:y 'Build <b>done</b>' 'a <i>b</i> & \074c'
    assert_status 0
    [ "$(jq -c '[.title, .body, .app, .icon, .actions, .hints, .replaces]' "$shown")" = \
        '["shop: Build <b>done</b>","a &lt;i&gt;b&lt;/i&gt; &amp; \\074c","Litterbox","",[],{},0]' ] || fail "$(cat "$shown")"
    # At most one per second, of the burst's twenty: on a busy machine a second may lie between any two.
    run box run -- sh -c 'for i in $(seq 8); do notify-send "$i" & pids="$pids $!"; done
        for pid in $pids; do wait "$pid" || status=$?; done; exit "${status:-0}"'
    assert_status 4
    assert_contains "too often"
    sleep 1.1
    run box run -- notify-send "$(printf 'x%.0s' {1..400})" "$(printf 'line\nline\033[31m\u202e%.0s' {1..100})"
    assert_status 0
    tail -n 1 "$shown" | jq -e '(.title | length < 120) and (.body | length <= 500 and (contains("\n") or contains("\u202e") | not))'
    configure '[desktop]\nnotify = false'
    box stop
    run box run -- notify-send hello
    assert_status 4
    assert_contains "notify is false"
}

@test "notify: a desktop without markup gets plain text; without a service it fails" {
    notifications_begin body
    run box run -- notify-send a 'b & c'
    assert_status 0
    [ "$(jq -r .body "$shown")" = 'b & c' ]
    kill "$service"
    wait "$service" || true
    sleep 1.1
    run box run -- notify-send hello
    assert_status 3
    assert_contains "shows notifications"
}
