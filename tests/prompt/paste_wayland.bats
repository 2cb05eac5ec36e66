#!/usr/bin/env bats
# The same on Wayland, in a headless sway.
# shellcheck disable=SC2154 # ask.bash sets TEST_HOME and others

load ask
load paste
load ../ui/sway.bash

setup() {
    ask_begin
    sway_start
    started+=("$sway")
    keyboard_start
}

teardown() {
    ask_end
}

host_copy() { wl-copy --type "$1" 3>&-; }

@test "paste: a picture is given with one click, without its metadata, on Wayland" {
    gives_picture
}

@test "paste: text, what is no picture, and a picture that is too large stay on Wayland" {
    keeps_all_else
}

@test "paste: a picture that never ends does not fill the memory on Wayland" {
    # wl-copy reads all of its input before it offers anything: so a client that writes without an end.
    in_background "$TEST_HOME/owner" "$python" "$ui/endless_owner.py"
    eventually grep -q owns owner
    ask paste
    allow
    expect 1
    grep -q 'sends far too much' errors
    [ ! -s given ]
}
