#!/usr/bin/env bats
# The clipboard between a box's X server and an X11 desktop, where the box's window needs the focus.
# shellcheck disable=SC2119,SC2120,SC2154 # x11.bash sets them; what clipboard.bash calls has a type

load ../lib/box.bash
load clipboard_on_x11.bash

@test "clipboard: text goes both ways, on X11" { text_both_ways; }
@test "clipboard: pictures go both ways, on X11" { picture_both_ways; }
@test "clipboard: to-box shares only from the host to the box, on X11" { one_way_to_box; }
@test "clipboard: from-box shares only from the box to the host, on X11" { one_way_from_box; }
@test "clipboard: contents above the size limit are not shared, on X11" { too_large; }
@test "clipboard: a hostile clipboard owner in the box does not change the host's clipboard, on X11" { owners_that_lie; }

@test "clipboard: without the focus the box's window can neither read nor replace it, on X11" {
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
    # Contents that arrive after the window lost the focus are dropped.
    xdotool mousemove 300 300
    sleep 2
    liar slow 15
    eventually grep -q 'asked for UTF8_STRING' "$TEST_HOME/liar"
    xdotool mousemove 1599 999
    sleep 9
    host_has elsewhere
    # They are not kept for later.
    xdotool mousemove 300 300
    sleep 2
    host_has elsewhere
    printf 'back again' | host_copy
    eventually box_has 'back again'
    liar slow 15 # control
    eventually host_has 'at last'
}
