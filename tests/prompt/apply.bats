#!/usr/bin/env bats
# A program of the menu, whose project asks for more than was approved: a window asks, as there is no terminal.
# shellcheck disable=SC2034 # prompt.bash reads states

load ../lib/box.bash
load ../ui/display.bash
load ../ui/prompt.bash
states=$BATS_TEST_DIRNAME/states
setup() {
    box_setup
    session_bus_start
    reader_start
    x11_start
    box run -- true 2>/dev/null
    mkdir -p "$DATA/boxes/shop/home/.local/share/applications"
    printf '%s\n' '[Desktop Entry]' Type=Application Name=Probe 'Exec=touch started' \
        >"$DATA/boxes/shop/home/.local/share/applications/probe.desktop"
    box stop
}
teardown() {
    ui_end
    box_teardown
}

# asks CONTENTS: a litterbox.toml with CONTENTS, and the menu's program in the background; its exit status goes to ended.
asks() {
    printf '%b' "$1" >litterbox.toml
    rm -f ended
    { box app run shop probe </dev/null >said 2>&1 3>&- && echo 0 >ended || echo "$?" >ended; } &
}
ended_with() { # STATUS
    eventually test -s ended
    [ "$(cat ended)" = "$1" ] || fail "$(cat ended said)"
}
open='[network]\nmode = "open"\n'

@test "apply: what a project asks for is in a window, and counts after a yes" {
    asks "$open"
    prompt_appears
    like_picture apply
    [ ! -e started ]
    click Apply
    ended_with 0
    eventually test -e started
    # The same contents need no second yes.
    box stop
    rm started
    asks "$open"
    ended_with 0
    eventually test -e started
}

@test "apply: after a no nothing starts, and nothing is approved" {
    asks "$open"
    prompt_appears
    press Escape
    ended_with 78
    [ ! -e started ]
    run box run -- true </dev/null
    assert_status 78
}

@test "apply: what is approved is what was shown, whatever is written meanwhile" {
    asks "$open"
    prompt_appears
    printf '[network]\nmode = "open"\n[security]\nnested = true\n' >litterbox.toml
    click Apply
    ended_with 78
    [ ! -e started ]
    printf '%b' "$open" >litterbox.toml
    box run -- true
}

# no_window CONTENTS: it is refused at once, as without a display; a window would wait for an answer.
no_window() {
    asks "$1"
    ended_with 78
    grep -q "run 'box trust" said
    [ ! -e started ]
}

@test "apply: what a window cannot show whole is not asked in one" {
    local name
    name=$(printf 'a%.0s' {1..60}).$(printf 'b%.0s' {1..60}).test
    no_window "[network]\nmode = \"filtered\"\nallow = [\"$name\"]\n"
    no_window '[network]\nmode = "filtered"\nallow = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "g.test", "h.test"]\n'
    # What it stands for is in another file.
    printf 'FROM debian:bookworm\n' >Containerfile
    no_window '[box]\ncontainerfile = "Containerfile"\n'
    # The control.
    asks '[network]\nmode = "filtered"\nallow = ["a.test", "b.test", "c.test"]\n'
    prompt_appears
    press Escape
    ended_with 78
}

@test "apply: a new file that allows nothing more is asked about, too, and the window says that" {
    asks '# nothing\n'
    prompt_appears
    box consent pending --json | jq -e '[.[0].known[].value] == ["litterbox.toml, new here", "nothing beyond your own configuration"]'
    press Escape
    ended_with 78
}
