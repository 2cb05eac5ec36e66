#!/usr/bin/env bats
# A picture that the user has copied on an X11 desktop is given by the window, and nothing else is.
# shellcheck disable=SC2154 # ask.bash sets TEST_HOME and others

load ask
load paste

setup() {
    ask_begin
    x11_start
}

teardown() {
    ask_end
}

host_copy() { x11_copy "$1"; }

# owner HOW [SECONDS]: a program that owns the clipboard, and misbehaves.
owner() {
    in_background "$TEST_HOME/owner" "$python" "$BATS_TEST_DIRNAME/../desktop/clipboard_client.py" \
        "/tmp/.X11-unix/X${DISPLAY#:}" "$XAUTHORITY" "$@"
    eventually grep -q owns owner
}

@test "paste: a picture is given with one click, without its metadata" {
    gives_picture
}

@test "paste: text, what is no picture, and a picture that is too large stay" {
    keeps_all_else
}

@test "paste: the clipboard is not read before the yes, nor after a no" {
    owner huge 60
    ask paste
    press Escape
    expect 0 '{"answer":"deny"}'
    run ! grep 'asked for' owner
    [ ! -s given ]
}

@test "paste: what a password manager has marked stays, and is not even asked for" {
    owner secret 60
    ask paste
    allow
    keeps_it "A password manager has marked what you have copied as secret."
    run ! grep 'asked for' owner
}

@test "paste: a program that owns the clipboard and does not answer holds up nothing" {
    local how
    for how in silent hangs; do
        owner "$how" 60
        ask paste
        allow
        keeps_it "The program that you have copied from does not hand the picture over."
        press Escape
        expect 0 '{"answer":"deny"}'
    done
}

@test "paste: a picture that never ends does not fill the memory" {
    owner endless 60
    ask paste
    allow
    expect 1
    grep -q 'sends far too much' errors
    [ ! -s given ]
}
