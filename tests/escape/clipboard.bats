#!/usr/bin/env bats
# What a box that may share the clipboard could do with more than it was given (2, 7, 8, 9).
# shellcheck disable=SC2119,SC2120,SC2154 # x11.bash sets them; what clipboard.bash calls has a type

load escape.bash
load ../desktop/desktop.bash
load ../desktop/x11.bash
load ../desktop/clipboard.bash
setup() {
    box_setup
    xvfb_begin
    mkdir -p "$CONFIG"
    xdotool mousemove 300 300
}
teardown() {
    xvfb_end
    box_teardown
}
host_copy() { xclip -selection clipboard -t "${1:-UTF8_STRING}" -i >/dev/null 2>&1 3>&-; }
host_paste() { timeout 10 xclip -selection clipboard -o -t "${1:-UTF8_STRING}" 2>/dev/null; }

@test "clipboard: who shares it is confined, and has its connections and nothing else (2)" {
    clipboard_begin both
    local clip
    clip=$(clip_pid)
    [ -n "$clip" ]
    grep -q '^NoNewPrivs:.1' "/proc/$clip/status"
    grep -q '^Seccomp:.2' "/proc/$clip/status"
    # It is nobody's to look into, or to trace.
    [ ! -r "/proc/$clip/fd" ]
    [ -r "/proc/$(server_pid | grep -vx "$clip")/fd" ] # a control: not everything of ours is
    grep -qE '^CapEff:.0+$' "/proc/$clip/status"
}

@test "clipboard: a flood of copies replaces the desktop's a few times, and harms nobody (9)" {
    clipboard_begin both
    eventually 10 host_has "text of the box"
    local bridge clip
    bridge=$(bridge_pid) clip=$(clip_pid)
    liar flood 20
    eventually 20 grep -q 'asked for' "$TEST_HOME/liar"
    wait $!
    # 5 at once and one in 2 s, of two kinds each.
    [ "$(grep -c 'asked for' "$TEST_HOME/liar")" -le 40 ] || fail "$(grep -c 'asked for' "$TEST_HOME/liar")"
    [ "$(bridge_pid)" = "$bridge" ]
    [ "$(clip_pid)" = "$clip" ]
    printf after | host_copy
    eventually 10 box_has after
}

@test "clipboard: killing who shares it ends the sharing, and the next server has another (9)" {
    clipboard_begin to-box
    printf before | host_copy
    eventually 10 box_has before
    kill -KILL "$(clip_pid)"
    printf secret-behind | host_copy
    sleep 1
    run box_paste
    refute_contains secret-behind
    local server
    server=$(server_pid | head -n 1)
    kill -KILL "$server"
    eventually 5 ended "$server"
    liar idle 30
    eventually 10 has_clip
}
