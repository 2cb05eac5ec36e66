#!/usr/bin/env bats
# Attacks on the picture that a user may paste into a box: what is told without a yes, floods, other boxes (2, 8, 9).
# shellcheck disable=SC2154,SC2153 # open.bash and box.bash set what is used

load escape.bash
load ../desktop/open.bash
load ../prompt/paste.bash

setup() {
    escape_setup_file
    open_begin
    session_bus_start
    keyboard_start
    configure '[desktop]\nwayland = "none"\nopen = "deny"\nnotify = false\nclipboard = "to-box"'
    picture copied.png
    host_copy image/png <copied.png
    cat >ask.py <<'END'
import socket, sys
def ask(data):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect("/run/litterbox/desktop/requests")
    s.settimeout(90)
    try:
        s.send(data)
        answer = s.recv(65536)
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

host_copy() { wl-copy --type "${1:-text/plain}" 3>&-; }
py() { run --separate-stderr in_box python3 -c "from ask import *
$1" "${@:2}"; }
# How many requests are served.
desktop_helpers() { pgrep -c -u "$(id -u)" -f "litterbox-desktop-helper $RUNTIME/shop " || true; }
no_questions() { [ "$(box consent pending --json | jq length)" = 0 ]; }
one_waits() { [ "$(desktop_helpers)" = 1 ]; }
# What Claude Code runs on Ctrl+V.
listed='xclip -selection clipboard -t TARGETS -o 2>/dev/null | grep -E "image/(png|jpeg|jpg|gif|webp|bmp)" || wl-paste -l 2>/dev/null | grep -E "image/(png|jpeg|jpg|gif|webp|bmp)"'
saved='xclip -selection clipboard -t image/png -o >got.png 2>/dev/null || wl-paste --type image/png >got.png 2>/dev/null || xclip -selection clipboard -t image/bmp -o >got.png 2>/dev/null || wl-paste --type image/bmp >got.png'

@test "pictures: control: the commands of an agent get the picture with one yes, without its metadata" {
    begin sh -c "$listed && $saved"
    prompt_appears || fail "$(cat "$asked" "$RUNTIME/shop/bridge.log")"
    question | jq -e '.kind == "paste" and .box.name == "shop" and .chain[0].name == "xclip" and (.chain | length > 1)'
    allow
    ended_with 0
    cmp got.png copied.png.clean
    eventually no_prompt
    grep -qx image/png "$asked"
}

@test "pictures: the list of types asks nobody, and is the same whatever was copied (2)" {
    local before
    run --separate-stderr box run -- sh -c "$listed"
    assert_status 0
    before=$output
    printf hunter2 | host_copy
    run --separate-stderr box run -- sh -c "$listed"
    assert_output "$before"
    wl-copy --clear 3>&-
    run --separate-stderr box run -- sh -c "$listed"
    assert_output "$before"
    no_questions
    no_prompt
}

@test "pictures: a no gives nothing, and the agent's other tries are not asked about (8)" {
    begin sh -c "$saved; wc -c <got.png; exit 9"
    prompt_appears
    press Escape
    ended_with 9
    grep -qx 0 "$asked" # what the programs say on their standard error may come behind it
    no_questions
    eventually no_prompt
}

@test "pictures: what is no picture stays, whatever the user clicks, and the box does not learn why (2)" {
    printf 'hunter2 the password' | host_copy
    begin wl-paste --type image/png
    prompt_appears
    allow
    eventually window_says "There is no picture on your clipboard."
    [ ! -s "$asked.status" ]
    press Escape
    ended_with 4
    run cat "$asked"
    refute_contains hunter2
    refute_contains "no picture on"
    assert_contains "the user said no"
}

@test "pictures: a thousand requests open one window, and one no answers them (9)" {
    begin python3 -c 'from ask import *
import threading
done = []
def one(): done.append(ask(b"picture\0"))
each = [threading.Thread(target=one) for _ in range(1000)]
for t in each: t.start()
for t in each: t.join()
print(len([d for d in done if d[0] == "0"]), len(done))'
    prompt_appears
    [ "$(prompt_windows | wc -l)" = 1 ]
    [ "$(box consent pending --json | jq length)" = 1 ]
    press Escape
    ended_with 0
    grep -qx '0 1000' "$asked" || fail "$(cat "$asked")"
    no_questions
    eventually no_prompt
}

@test "pictures: one yes gives one picture, to the program that asked first (2)" {
    begin sh -c 'wl-paste -t image/png >got.png'
    prompt_appears
    eventually one_waits
    # One that comes too soon after another is refused at once.
    box run -- sh -c 'until wl-paste -t image/png >second 2>said; ! grep "too often" said; do :; done; echo >second-ended' \
        >/dev/null 2>&1 3>&- &
    both_wait() { [ "$(desktop_helpers)" = 2 ]; }
    eventually both_wait
    allow # a click counts when the window has been there for a moment
    ended_with 0
    cmp got.png copied.png.clean
    eventually test -s second-ended
    [ ! -s second ]
    grep -q "that of another program of the box: ask again" said || fail "$(cat said)"
    eventually no_prompt
    rm second second-ended said
}

@test "pictures: a yes for one box gives another box nothing, which has a window of its own (2)" {
    new_project "$TEST_HOME/other"
    (cd "$TEST_HOME/other" && box run -- sh -c 'wl-paste -t image/png >got.png; echo $? >ended' >/dev/null 2>&1 3>&-) &
    eventually has_prompt "Box other"
    begin sh -c 'wl-paste -t image/png >got.png'
    prompt_appears "Box shop"
    PROMPT_PID=$(swaymsg -t get_tree | jq '.. | objects | select(.app_id? == "litterbox-prompt" and (.name | test("Box shop"))) | .pid')
    export PROMPT_PID
    allow
    ended_with 0
    cmp got.png copied.png.clean
    [ ! -e "$TEST_HOME/other/ended" ]
    [ ! -s "$TEST_HOME/other/got.png" ]
    box consent deny "$(box consent pending --json | jq -r '.[].id')"
    eventually test -s "$TEST_HOME/other/ended"
    [ ! -s "$TEST_HOME/other/got.png" ]
}

@test "pictures: a yes on the terminal gives nothing (8)" {
    begin wl-paste -t image/png
    eventually is_asked
    run box consent approve "$(question | jq -r .id)"
    assert_contains "only its window can allow this"
    [ "$status" != 0 ]
    run box consent pending
    assert_contains "only its window can allow this"
    refute_contains "consent approve"
    box consent deny "$(question | jq -r .id)"
    ended_with 4
}

@test "pictures: with the key \"none\" or \"from-box\" nothing is asked, and the answer names the key (2)" {
    local key
    for key in none from-box; do
        box stop
        configure "[desktop]\nclipboard = \"$key\""
        py 'print(ask(b"picture\0")); print(ask(b"picture-types\0"))'
        [ "$(grep -c '^4 .*\[desktop\] clipboard' <<<"$output")" = 2 ] || fail "$output"
        no_questions
        run box run -- sh -c 'command -v wl-paste'
        refute_contains /run/litterbox
    done
}

@test "pictures: a program that leaves takes its question along; wrong requests get nothing (9)" {
    begin sh -c 'echo $$ >asker; exec wl-paste -t image/png'
    prompt_appears
    box run -- sh -c 'kill "$(cat asker)"' 2>/dev/null
    ended_with 143
    eventually no_prompt
    py 'for data in (b"picture", b"picture\0image/png\0", b"picture\0\0", b"picture-types", b"Picture\0"): print(ask(data)[0])'
    assert_output $'1\n1\n1\n1\n1'
    no_prompt
}

@test "pictures: everything else is for the box's own program" {
    box run -- sh -c 'mkdir -p ~/.local/bin; printf "#!/bin/sh\necho own \$*\n" >~/.local/bin/wl-paste; chmod +x ~/.local/bin/wl-paste'
    run --separate-stderr box run -- wl-paste --no-newline
    assert_output "own --no-newline"
    run --separate-stderr box run -- wl-paste --type image/bmp
    assert_output "own --type image/bmp"
    run -127 box run -- env PATH=/run/litterbox/bin/paste:/nowhere wl-paste
    assert_contains "pictures alone"
}
