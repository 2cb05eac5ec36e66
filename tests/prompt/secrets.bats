# The windows for passwords and for a choice of keys.
# shellcheck disable=SC2154 # window and others are set by desktop.bash

load desktop

setup() {
    desktop_start
}

teardown() {
    desktop_stop
}

@test "a password is typed and handed over with Enter" {
    # Keys that are there: xdotool makes those that are not, and takes them back too soon for a busy machine.
    setxkbmap de
    ask password
    focus "$window"
    past_the_guard
    xdotool type --delay 20 'p"a\ss wörd€'
    xdotool key Return
    expect 0 '{"answer":"password","password":"p\"a\\ss wörd€"}'
    [ "$(jq -r .password answer)" = 'p"a\ss wörd€' ]
}

@test "Enter without a password denies, Escape with one too" {
    ask password
    focus "$window"
    past_the_guard
    xdotool key Return
    expect 0 '{"answer":"deny"}'
    ask password
    focus "$window"
    past_the_guard
    xdotool type abc
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
}

@test "a password that was meant for another window is not handed over" {
    ask password
    focus "$window"
    xdotool type abc
    xdotool key Return
    sleep 0.3
    still_asking
    past_the_guard
    xdotool key Return
    expect 0 '{"answer":"password","password":"abc"}'
}

@test "a password is not shown, nor said, nor longer than the limit" {
    ask password
    focus "$window"
    past_the_guard
    xdotool type --delay 0 "$(printf 'x%.0s' $(seq 1100))"
    at_spi tree >said
    grep -q '^password text|' said
    run ! grep -q xxx said
    xdotool key Return
    expect 0 "{\"answer\":\"password\",\"password\":\"$(printf 'x%.0s' $(seq 1024))\"}"
}

@test "nobody can trace it or read its memory, and it leaves no core" {
    ask password
    [ "$(stat -c %u "/proc/$asking/environ")" = 0 ]
    grep -qE '^Max core file size +0 +0 ' "/proc/$asking/limits"
    focus "$window"
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
}

@test "keys are picked with the pointer" {
    ask keys
    past_the_guard
    at_spi tree >said
    run ! grep -E '^push button\|Attach\|.*sensitive' said
    point_at "home, on the token, ED25519-SK" "check box"
    xdotool click 1
    point_at Attach
    xdotool click 1
    expect 0 '{"answer":"keys","keys":["SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"]}'
}

@test "keys are picked with the keyboard" {
    ask keys
    focus "$window"
    past_the_guard
    xdotool key Tab
    until [[ $(at_spi tree) == *"check box|work, ED25519"*focused* ]]; do
        xdotool key Tab
    done
    xdotool key space Tab space alt+a
    expect 0 '{"answer":"keys","keys":["SHA256:uNiVztksCsDhcc0u9e8BrwJXzVq4lHVBdFA3Yq2CJyE","SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"]}'
}

@test "no keys is the default" {
    ask keys
    focus "$window"
    xdotool key Return
    expect 0 '{"answer":"deny"}'
}

@test "64 keys with long names fit" {
    ask keys '.keys = [range(64) | {id: "SHA256:\(.)", label: ("k" * 500), type: "RSA"}]'
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(Y|HEIGHT)=')"
    [ $((Y + HEIGHT)) -le 720 ]
    focus "$window"
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
}
