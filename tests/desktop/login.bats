#!/usr/bin/env bats
# A whole login, as editors and agents do it: a program in the box opens the page of a login server, which redirects the
# browser on the host to a port of localhost, and the program in the box gets the code.
# shellcheck disable=SC2154 # open.bash sets asked and others

load ../lib/box.bash
load open.bash
setup() {
    box_setup
    open_begin
    command -v chromium
    # xdg-open as on a desktop: the user's browser, on a page of its own.
    cat >"$TEST_HOME/bin/xdg-open" <<END
#!/bin/sh
echo "\$1" >'$opened'
exec chromium --headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir='$TEST_HOME/browser' \
    --timeout=100000 --dump-dom "\$1" >'$TEST_HOME/page' 2>'$TEST_HOME/browser.err'
END
}
teardown() {
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
    open_end
    box_teardown
}

# The login server, on the host's loopback address: it redirects the browser at once.
server='
import http.server, sys, urllib.parse
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        if "redirect_uri" not in query:
            self.send_error(404)
            return
        self.send_response(302)
        self.send_header("Location", query["redirect_uri"][0] + "?code=s3cret&state=" + query["state"][0])
        self.end_headers()
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", 18770), Handler).serve_forever()
'
# The program in the box: listens, opens the page, and takes the code.
program='
import http.server, subprocess, sys, urllib.parse
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<p>You are logged in</p>")
        if "code" in query:
            print("code", query["code"][0], query["state"][0], flush=True)
    def log_message(self, *_): pass
listener = http.server.HTTPServer(("127.0.0.1", 0), Handler)
back = urllib.parse.quote("http://localhost:%d/callback" % listener.server_port, safe="")
subprocess.run(["xdg-open", "http://127.0.0.1:18770/authorize?client_id=x&state=abc&redirect_uri=" + back], check=True)
listener.handle_request()
'

@test "login: a real browser's login is sent back into the box" {
    python3 -c "$server" >/dev/null 2>&1 3>&- 4>&- </dev/null &
    server=$!
    eventually curl -s -o "$TEST_HOME/page" http://127.0.0.1:18770/
    begin python3 -c "$program"
    answer once
    eventually --within 60 grep -q '^code s3cret abc$' "$asked" || fail "$(cat "$asked" "$TEST_HOME/browser.err")"
    ended_with 0
    eventually grep -q 'You are logged in' "$TEST_HOME/page"
}
