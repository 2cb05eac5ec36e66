# A desktop with a browser and a notification service that record what they get.
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # set here for others, or by others for here

# shellcheck source=tests/desktop/desktop.bash
. "$BATS_TEST_DIRNAME/../desktop/desktop.bash"
# shellcheck source=tests/ui/prompt.bash
. "$BATS_TEST_DIRNAME/../ui/prompt.bash"

open_begin() {
    desktop_begin
    mkdir -p "$CONFIG" "$TEST_HOME/bin"
    opened=$TEST_HOME/opened
    cat >"$TEST_HOME/bin/xdg-open" <<END
#!/bin/sh
tr '\0' '\n' </proc/self/environ >'$opened.environment'
ls -l /proc/self/fd >'$opened.files'
umask >'$opened.umask'
for word in "\$@"; do printf '%s\n' "\$word"; done >>'$opened'
END
    chmod +x "$TEST_HOME/bin/xdg-open"
    PATH=$TEST_HOME/bin:$PATH
    export PATH
}

open_end() {
    ui_end
    box stop 2>/dev/null || true
    desktop_end
}

# begin COMMAND…: runs it in the box, in the background; its output goes to $asked, its status to $asked.status.
begin() {
    asked=$TEST_HOME/asked
    rm -f "$asked" "$asked.status"
    { box run -- "$@" >"$asked" 2>&1 </dev/null 3>&- 4>&- && echo 0 >"$asked.status" || echo $? >"$asked.status"; } &
}
question() { box consent pending --json | jq -e '.[0] | select(.shown)'; }
is_asked() { question >/dev/null 2>&1; }
ended_with() { # STATUS
    eventually test -s "$asked.status" || fail "it does not end: $(cat "$asked")"
    [ "$(cat "$asked.status")" = "$1" ] || fail "status $(cat "$asked.status"), not $1: $(cat "$asked")"
}
answer() { # CHOICE
    eventually is_asked || fail "nothing is asked: $(cat "$asked" "$RUNTIME/shop/bridge.log")"
    local id
    id=$(question | jq -r .id)
    if [ "$1" = deny ]; then box consent deny "$id"; else box consent approve "$id" "$1"; fi >/dev/null
}
# was_opened ADDRESS: waits for it, as the bridge does not wait for a browser that takes seconds to start.
was_opened() { eventually has_opened "$1" || fail "opened: $(cat "$opened")"; }
has_opened() { [ "$(cat "$opened" 2>/dev/null)" = "$1" ]; }

# notifications_begin CAPABILITY…: starts a session bus, and a notification service with these capabilities on it.
notifications_begin() {
    shown=$TEST_HOME/shown
    session_bus_start
    in_background "$TEST_HOME/notifications" "$python" "$BATS_TEST_DIRNAME/../desktop/notifications.py" "$shown" "$@"
    service=${started[-1]}
    eventually test -e "$shown"
}
