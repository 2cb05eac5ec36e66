#!/usr/bin/env bats
# The clipboard between a box's X server and a Wayland desktop.
# shellcheck disable=SC2119,SC2120,SC2154 # x11.bash sets them; what clipboard.bash calls has a type

load ../lib/box.bash
load desktop.bash
load x11.bash
load clipboard.bash
setup() { windows_setup; }
teardown() { windows_teardown; }
host_copy() { wl-copy --type "${1:-text/plain;charset=utf-8}" 3>&-; }
host_paste() { timeout 10 wl-paste --no-newline --type "${1:-text/plain;charset=utf-8}" 2>/dev/null; }

@test "clipboard: text goes both ways" { text_both_ways; }
@test "clipboard: pictures go both ways" { picture_both_ways; }
@test "clipboard: to-box shares only from the host to the box" { one_way_to_box; }
@test "clipboard: from-box shares only from the box to the host" { one_way_from_box; }
@test "clipboard: contents above the size limit are not shared" { too_large; }
@test "clipboard: a hostile clipboard owner in the box does not change the host's clipboard" { owners_that_lie; }

@test "clipboard: an editor in the box can paste what the host copied, and the reverse" {
    local empty
    empty=$(grim -o HEADLESS-1 -t ppm - | cksum)
    configure_x11 nested $'wayland = "none"\nclipboard = "both"\n[editor]\nterminal = false\ncommand = "geany"'
    printf 'Grüße' | host_copy
    keyboard_start
    box edit a.txt
    eventually shows_more_than "$empty" || fail "$(box logs)"
    eventually x11_focused a.txt
    eventually box_has 'Grüße'
    eventually a_window_has_the_focus
    press ctrl+v
    eventually saves '^Grüßeone' || fail "$(cat a.txt)"
    press ctrl+a ctrl+c
    eventually host_has "$(cat a.txt)" || fail "$(host_paste)"
}

@test "clipboard: only text and pictures are offered" {
    clipboard_begin both
    # Not a text type: wl-copy would offer that as plain text, too.
    printf 'x' | host_copy application/x-other
    sleep 2
    run box_paste TARGETS
    refute_contains other
    printf plain | host_copy
    eventually box_has plain
    run box_paste TARGETS
    [ "$(sort <<<"$output" | tr '\n' ' ')" = "TARGETS UTF8_STRING text/plain;charset=utf-8 " ]
}

@test "clipboard: the X server and the clipboard helper end after the last client" {
    configure_x11 nested 'clipboard = "both"'
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    eventually has_clip
    eventually no_server
    eventually no_clip
}

@test "clipboard: without the key there is no clipboard helper, and a project has to request it" {
    configure_x11 nested
    run --separate-stderr client_in_box "$inside_socket" "$inside_cookie"
    assert_output accepted
    no_clip
    box stop
    printf '[desktop]\nclipboard = "to-box"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "read your clipboard at any time"
    # Without an X server it allows pictures alone. box warns where the key does nothing, and refuses it where the box has more access already.
    configure_x11 none
    run box run -- true
    assert_status 0
    refute_contains "desktop.clipboard"
    box stop
    printf '[desktop]\nclipboard = "from-box"\n' >litterbox.toml
    box trust --yes 2>/dev/null
    run box run -- true
    assert_contains 'desktop.clipboard = "from-box" does nothing'
    box stop
    configure_x11 host
    run box run -- true
    assert_status 78
    assert_contains 'desktop.clipboard needs desktop.x11 = "nested"'
}
