# The windows for passwords and for the choice of keys.
# shellcheck disable=SC2154 # window and others are set by ask.bash

load ask

setup() {
    ask_begin
    x11_start
}

teardown() {
    ask_end
}

@test "a password is typed and sent with Enter" {
    # A layout with these keys: xdotool maps missing ones, but unmaps them too soon for a busy machine.
    setxkbmap de
    ask password
    accepting
    type_text 'p"a\ss wörd€'
    press Return
    expect 0 '{"answer":"password","password":"p\"a\\ss wörd€"}'
    [ "$(jq -r .password answer)" = 'p"a\ss wörd€' ]
}

@test "Enter without a password denies, Escape with one too" {
    ask password
    accepting
    press Return
    expect 0 '{"answer":"deny"}'
    ask password
    accepting
    type_text abc
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "Enter on Cancel cancels, whatever was typed; on Unlock it unlocks" {
    ask password
    accepting
    type_text abc
    press Tab
    at_spi wait Cancel
    press Return
    expect 0 '{"answer":"deny"}'
    ask password
    accepting
    type_text abc
    press Tab Tab
    at_spi wait Unlock
    press Return
    expect 0 '{"answer":"password","password":"abc"}'
}

type_and_enter() {
    type_text "$1"
    press Return
}

@test "Enter among what was typed for another window sends no password" {
    ask password
    early type_and_enter abc
    accepting
    type_text d
    press Return
    expect 0 '{"answer":"password","password":"abcd"}'
}

@test "a password is neither shown nor read aloud, and not longer than the limit" {
    ask password
    accepting
    xdotool type --delay 0 "$(printf 'x%.0s' $(seq 1100))"
    at_spi tree >said
    grep -q '^password text|' said
    run ! grep -q xxx said
    press Return
    expect 0 "{\"answer\":\"password\",\"password\":\"$(printf 'x%.0s' $(seq 1024))\"}"
}

@test "a value that is typed goes through the pipe, and not into the answer" {
    ask value
    accepting
    type_text 'ghp_value-of-the-window01'
    press Return
    expect 0 '{"answer":"once"}'
    eventually test -s given
    [ "$(cat given)" = ghp_value-of-the-window01 ]
    ask value
    accepting
    at_spi tree >said
    run ! grep -E '^push button\|Store\|.*sensitive' said
    type_text 'ghp_value-of-the-window02'
    at_spi wait sensitive:Store
    click Store
    expect 0 '{"answer":"once"}'
    eventually grep -q ghp_value-of-the-window02 given
}

@test "a value is not given by Enter without one, by Escape or Cancel with one, or without an answer" {
    local how
    for how in nothing Escape Cancel alt+c windowkill; do
        ask value
        accepting
        [ "$how" = nothing ] || type_text 'ghp_value-of-the-window01'
        case $how in
        nothing) press Return ;;
        Cancel) press Tab && at_spi wait Cancel && press Return ;;
        windowkill) xdotool windowkill "$window" ;;
        *) press "$how" ;;
        esac
        if [ "$how" = windowkill ]; then expect 1; else expect 0 '{"answer":"deny"}'; fi
        [ ! -s given ] || fail "$how"
    done
    start value '.timeout = 1'
    expect 0 '{"answer":"timeout"}'
    [ ! -s given ]
}

@test "Enter among what was typed for another window stores no value" {
    ask value
    early type_and_enter ghp_value-of-the-window01
    accepting
    press Escape
    expect 0 '{"answer":"deny"}'
    [ ! -s given ]
}

@test "a value is neither shown nor read aloud, cannot be copied, and is not longer than the limit" {
    printf 'x%.0s' $(seq 4090) | x11_copy UTF8_STRING
    ask value
    accepting
    press ctrl+v
    type_text xxxxxxxxxx
    press ctrl+v
    printf before | x11_copy UTF8_STRING
    press ctrl+a ctrl+c ctrl+x
    at_spi tree >said
    grep -q '^password text|Value' said
    run ! grep -q xxx said
    press Return
    expect 0 '{"answer":"once"}'
    eventually test -s given
    [ "$(cat given)" = "$(printf 'x%.0s' $(seq 4096))" ]
    [ "$(timeout 10 xclip -selection clipboard -o)" = before ]
}

@test "a value can be pasted" {
    printf 'ghp_value-of-the-window03\n' | x11_copy UTF8_STRING
    ask value
    accepting
    press ctrl+v
    at_spi wait sensitive:Store
    press Return
    expect 0 '{"answer":"once"}'
    eventually test -s given
    [ "$(cat given)" = ghp_value-of-the-window03 ]
}

@test "other programs cannot trace it or read its memory, and it leaves no core dump" {
    ask password
    [ "$(stat -c %u "/proc/$asking/environ")" = 0 ]
    grep -qE '^Max core file size +0 +0 ' "/proc/$asking/limits"
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "keys are picked with the pointer" {
    ask keys
    accepting
    at_spi tree >said
    run ! grep -E '^push button\|Attach\|.*sensitive' said
    click "home, on the token, ED25519-SK" "check box"
    click Attach
    expect 0 '{"answer":"keys","keys":["SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"]}'
}

@test "keys are picked with the keyboard" {
    ask keys
    accepting
    press Tab space Tab space alt+a
    expect 0 '{"answer":"keys","keys":["SHA256:uNiVztksCsDhcc0u9e8BrwJXzVq4lHVBdFA3Yq2CJyE","SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"]}'
}

@test "no keys is the default" {
    ask keys
    press Return
    expect 0 '{"answer":"deny"}'
}

@test "64 keys with long names fit" {
    ask keys '.keys = [range(64) | {id: "SHA256:\(.)", label: ("k" * 500), type: "RSA"}]'
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(Y|HEIGHT)=')"
    [ $((Y + HEIGHT)) -le 720 ]
    press Escape
    expect 0 '{"answer":"deny"}'
}
