#!/usr/bin/env bats
# The clipboard between a box's X server and an X11 desktop: there the box's window has to have the keyboard.
# shellcheck disable=SC2119,SC2120,SC2154 # x11.bash sets them; what clipboard.bash calls has a type

load ../lib/box.bash
load clipboard_on_x11.bash

@test "clipboard: text goes both ways, on X11" { text_both_ways; }
@test "clipboard: pictures go both ways, on X11" { picture_both_ways; }
@test "clipboard: to-box is that way alone, on X11" { one_way_to_box; }
@test "clipboard: from-box is that way alone, on X11" { one_way_from_box; }
@test "clipboard: what is too large stays where it is, on X11" { too_large; }
@test "clipboard: programs of the box that hang, lie or have no end, on X11" { owners_that_lie; }

@test "clipboard: while the box's window has not the keyboard nothing is read and nothing written" {
    clipboard_begin both
    eventually host_has "text of the box"
    xdotool mousemove 1599 999
    printf 'elsewhere' | host_copy
    sleep 2
    run box_paste
    refute_contains elsewhere
    printf 'unseen' | box_copy
    sleep 3
    host_has elsewhere
    # Nor what came when the keyboard had gone elsewhere.
    xdotool mousemove 300 300
    sleep 2
    liar slow 15
    eventually grep -q 'asked for UTF8_STRING' "$TEST_HOME/liar"
    xdotool mousemove 1599 999
    sleep 9
    host_has elsewhere
    # Nor later: it is not remembered.
    xdotool mousemove 300 300
    sleep 2
    host_has elsewhere
    printf 'back again' | host_copy
    eventually box_has 'back again'
    liar slow 15 # a control
    eventually host_has 'at last'
}
