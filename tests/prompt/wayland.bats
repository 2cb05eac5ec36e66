# The same program on Wayland, in a headless sway.
# shellcheck disable=SC2154 # ask.bash sets TEST_HOME and others

load ask
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

@test "the whole window floats within the display" {
    ask login "$(<"$BATS_TEST_DIRNAME/hostile.jq")"
    [[ $(sway_window 0) =~ ^([0-9]+),([0-9]+)\ ([0-9]+)x([0-9]+)$ ]]
    [ "${BASH_REMATCH[3]}" -lt 700 ]
    [ $((BASH_REMATCH[2] + BASH_REMATCH[4])) -le 720 ]
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "Enter denies on Wayland" {
    ask login
    accepting
    press Tab
    at_spi wait "Allow once"
    press Return
    expect 0 '{"answer":"deny"}'
}

@test "Allow allows on Wayland" {
    ask login
    accepting
    at_spi press "push button" "Allow once"
    expect 0 '{"answer":"once"}'
}

@test "a password is typed on Wayland" {
    ask password
    accepting
    type_text 'geheim €'
    press Return
    expect 0 '{"answer":"password","password":"geheim €"}'
}

@test "a value is typed on Wayland" {
    ask value
    accepting
    type_text 'ghp_value-of-the-window01'
    press Return
    expect 0 '{"answer":"once"}'
    eventually test -s given
    [ "$(cat given)" = ghp_value-of-the-window01 ]
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
    local file data=$BATS_TEST_DIRNAME/../../data
    run -0 "$BATS_TEST_DIRNAME/pictures" "$TEST_HOME/pictures"
    for file in "$BATS_TEST_DIRNAME"/states/*.json; do
        file=${file##*/}
        [ -e "pictures/${file%.json}.png" ] || fail "no picture of $file"
    done
    [ -z "$(find pictures -name '*.png' -size -9k)" ]
    # Two of them are in the README.
    [ "$(size_of "$data/prompt.png")" = "$(size_of pictures/login.png)" ]
    [ "$(size_of "$data/network.png")" = "$(size_of pictures/network.png)" ]
}
