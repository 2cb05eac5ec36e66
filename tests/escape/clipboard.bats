#!/usr/bin/env bats
# Attacks of a box that shares the clipboard (2, 7, 8, 9).
# shellcheck disable=SC2119,SC2120,SC2154 # x11.bash sets them; what clipboard.bash calls has a type

load escape.bash
load ../desktop/clipboard_on_x11.bash

@test "clipboard: the clipboard process is confined to its own connections (2)" {
    clipboard_begin both
    local clip
    clip=$(clip_pid)
    [ -n "$clip" ]
    grep -q '^NoNewPrivs:.1' "/proc/$clip/status"
    grep -q '^Seccomp:.2' "/proc/$clip/status"
    # No process of the user can inspect or trace it.
    [ ! -r "/proc/$clip/fd" ]
    [ -r "/proc/$(x_server_pid)/fd" ] # control: another process can be inspected
    grep -qE '^CapEff:.0+$' "/proc/$clip/status"
}

@test "clipboard: a flood of copies replaces the desktop's clipboard only a few times (9)" {
    clipboard_begin both
    eventually host_has "text of the box"
    local bridge clip
    bridge=$(bridge_pid) clip=$(clip_pid)
    liar flood 25
    local flooder=$! copies
    eventually grep -q copied "$TEST_HOME/liar"
    copies=$(awk '/^copied/ { print $2 }' "$TEST_HOME/liar")
    [ "$copies" -gt 300 ] # control
    # The last copy arrives, and nothing is queued.
    eventually host_has "flood $copies" || fail "$copies: $(host_paste; sort "$TEST_HOME/liar" | uniq -c)"
    local ticks
    sleep 3
    ticks=$(ticks_of "$clip")
    sleep 3
    [ $(($(ticks_of "$clip") - ticks)) -le 5 ]
    wait "$flooder"
    # Token buckets: one of ten per second; two of 5 at once and then one every 2 s.
    [ "$(grep -c 'asked for TARGETS' "$TEST_HOME/liar")" -le 70 ] || fail "$(sort "$TEST_HOME/liar" | uniq -c)"
    [ "$(grep 'asked for' "$TEST_HOME/liar" | grep -vc TARGETS)" -le 24 ] || fail "$(sort "$TEST_HOME/liar" | uniq -c)"
    [ "$(bridge_pid)" = "$bridge" ]
    [ "$(clip_pid)" = "$clip" ]
    printf after | host_copy
    eventually box_has after
}

@test "clipboard: a program that requests data and never reads it blocks nobody (9)" {
    clipboard_begin to-box
    local clip
    clip=$(clip_pid)
    seq 1000000 >"$TEST_HOME/long"
    host_copy <"$TEST_HOME/long"
    eventually box_has "$(cat "$TEST_HOME/long")"
    liar hog 12
    local hog=$!
    eventually grep -q 'answered' "$TEST_HOME/liar"
    grep -qx 'answered [1-4] refused 5[6-9]' "$TEST_HOME/liar" || fail "$(cat "$TEST_HOME/liar")"
    eventually box_has "$(cat "$TEST_HOME/long")"
    wait "$hog"
    [ "$(clip_pid)" = "$clip" ]
    [ "$(awk '/^VmHWM:/ { print $2 }' "/proc/$clip/status")" -lt 102400 ]
    [ "$(awk '/Max address space/ { print $4 }' "/proc/$clip/limits")" = $((512 << 20)) ]
}

@test "clipboard: a stopped X server of a box does not block pasting on the desktop (9)" {
    clipboard_begin both
    eventually host_has "text of the box"
    local clip server ticks
    clip=$(clip_pid) server=$(x_server_pid)
    kill -STOP "$server"
    host_has "text of the box"
    ticks=$(ticks_of "$clip")
    seq 1000000 | host_copy
    host_paste | cmp -s - <(seq 1000000)
    sleep 8
    [ $(($(ticks_of "$clip") - ticks)) -le 20 ]
    kill -CONT "$server"
    eventually box_has "$(seq 1000000)"
    [ "$(clip_pid)" = "$clip" ]
}

@test "clipboard: a box that pastes all the time gets no secret that is marked late (2)" {
    clipboard_begin to-box
    printf before | host_copy
    eventually box_has before
    in_background "$TEST_HOME/late" python3 "$BATS_TEST_DIRNAME/../desktop/clipboard_client.py" \
        "/tmp/.X11-unix/X${DISPLAY#:}" "$XAUTHORITY" late 600
    local owner=${started[-1]} pastes=0
    eventually grep -q owns "$TEST_HOME/late"
    asked_again() {
        box_paste >>"$TEST_HOME/pasted" || true # fails while nothing is offered
        pastes=$((pastes + 1))
        [ "$pastes" -ge 3 ] || return
        # Who is silent for 5 s is asked again: the third time is behind the first answer, which takes 7 s.
        [ "$(grep -c 'asked late' "$TEST_HOME/late")" -ge 3 ]
    }
    eventually --within 120 asked_again
    kill "$owner"
    run grep -c 'asked for' "$TEST_HOME/late"
    assert_output 0
    run cat "$TEST_HOME/pasted"
    refute_contains hunter2
    printf behind | host_copy
    eventually box_has behind
}

ticks_of() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

@test "clipboard: killing the clipboard process ends the sharing until the next X server (9)" {
    clipboard_begin to-box
    printf before | host_copy
    eventually box_has before
    kill -KILL "$(clip_pid)"
    printf secret-behind | host_copy
    sleep 1
    run box_paste
    refute_contains secret-behind
    local server display
    server=$(server_pid) display=$(x_server_pid)
    kill -KILL "$server"
    eventually process_ended "$server"
    eventually process_ended "$display" # which would still take the next client
    liar idle 600
    eventually has_clip
}
