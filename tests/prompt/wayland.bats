# shellcheck disable=SC2154 # desktop.bash sets home and others
# The same program on Wayland, under sway without a screen; keys come from wtype, a virtual
# keyboard, which is there from its first key on, and the focus with it: hence Shift and a pause.

load desktop
load sway

setup() {
    desktop_folders
    sway_start
    started+=("$sway")
    desktop_bus
}

teardown() {
    desktop_stop
}

on_screen() {
    [ -n "$(sway_window 0)" ]
}

@test "it floats, whole, in the middle of the display" {
    ask login "$(<"$BATS_TEST_DIRNAME/hostile.jq")"
    [[ $(sway_window 0) =~ ^([0-9]+),([0-9]+)\ ([0-9]+)x([0-9]+)$ ]]
    [ "${BASH_REMATCH[3]}" -lt 700 ]
    [ $((BASH_REMATCH[2] + BASH_REMATCH[4])) -le 720 ]
    wtype -k Shift_L -s 1000 -k Escape
    expect 0 '{"answer":"deny"}'
}

@test "Enter denies on Wayland" {
    ask login
    wtype -k Shift_L -s 2000 -k Tab -s 200 -k Return
    expect 0 '{"answer":"deny"}'
}

@test "Allow allows on Wayland" {
    ask login
    past_the_guard
    [ "$(at_spi press "push button" "Allow once")" = True ]
    expect 0 '{"answer":"once"}'
}

@test "a password is typed on Wayland" {
    ask password
    wtype -k Shift_L -s 2000 'geheim €' -k Return
    expect 0 '{"answer":"password","password":"geheim €"}'
}

@test "closing the window denies" {
    ask login
    swaymsg '[app_id="litterbox-prompt"] kill' >/dev/null
    expect 0 '{"answer":"deny"}'
}

# The width and height of a PNG file.
size_of() {
    od -An -tx1 -j16 -N8 "$1"
}

@test "pictures of all states" {
    run -0 "$BATS_TEST_DIRNAME/pictures" "$home/pictures"
    [ "$(find pictures -name '*.png' -size +8k | wc -l)" = 20 ]
    # One of them is in the README.
    file=$BATS_TEST_DIRNAME/../../data/prompt.png
    [ "$(size_of "$file")" = "$(size_of pictures/login.png)" ]
}
