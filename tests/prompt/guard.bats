# No yes by accident: what counts as an answer, and when. Driven as a person does it, through the X
# server: xdotool's clicks are XTEST's, with --window they are XSendEvent's.
# shellcheck disable=SC2154,SC2030,SC2031 # desktop.bash sets window; a test is a process of its own

load desktop

setup() {
    desktop_start
}

teardown() {
    desktop_stop
}

@test "a click on Deny denies" {
    ask login
    point_at Deny
    xdotool click 1
    expect 0 '{"answer":"deny"}'
}

@test "a click on Allow once allows once after a second" {
    ask login
    point_at "Allow once"
    past_the_guard
    xdotool click 1
    expect 0 '{"answer":"once"}'
}

@test "each grant has a button of its own" {
    ask login
    point_at "Allow for 15 minutes"
    past_the_guard
    xdotool click 1
    expect 0 '{"answer":"15m"}'
}

@test "Deny and mute mutes" {
    ask login
    point_at "Deny and mute"
    past_the_guard
    xdotool click 1
    expect 0 '{"answer":"mute"}'
}

@test "without \"mute\" nobody is asked to mute" {
    ask sudo '.mute = false'
    at_spi where "push button" Deny
    run at_spi where "push button" "Deny and mute"
    [ "$status" = 1 ]
}

@test "clicks on Allow in the first second do nothing" {
    ask login
    point_at "Allow once"
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
    # The pointer is where the button will be.
    ask login
    xdotool click --repeat 3 --delay 50 1
    past_the_guard
    still_asking
    xdotool click 1
    expect 0 '{"answer":"once"}'
}

@test "a press in the first second and its release afterwards do nothing" {
    ask login
    point_at "Allow once"
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
    ask login
    xdotool mousedown 1
    past_the_guard
    xdotool mouseup 1
    sleep 0.3
    still_asking
    xdotool click 1
    expect 0 '{"answer":"once"}'
}

@test "when the focus comes back the second begins anew" {
    ask login
    point_at "Allow once"
    focus "$window"
    past_the_guard
    unfocus
    focus "$window"
    xdotool click --repeat 3 --delay 50 1
    past_the_guard
    still_asking
    xdotool click 1
    expect 0 '{"answer":"once"}'
}

# With core events, since GDK does not even see such ones among those of XInput 2.
@test "clicks made with XSendEvent are dropped" {
    export GDK_CORE_DEVICE_EVENTS=1
    ask login
    focus "$window"
    past_the_guard
    point_at "Allow once"
    xdotool click --window "$window" 1
    point_at Deny
    xdotool click --window "$window" 1
    sleep 0.5
    still_asking
    xdotool click 1
    expect 0 '{"answer":"deny"}'
}

@test "keys made with XSendEvent are dropped" {
    local keys
    export GDK_CORE_DEVICE_EVENTS=1
    for keys in "Tab space" alt+a Return Escape; do
        # With the pointer outside nothing has the focus: xdotool uses XTEST for what has it.
        xdotool mousemove 0 0
        ask login
        past_the_guard
        # shellcheck disable=SC2086 # one or two
        xdotool key --window "$window" $keys
        sleep 0.5
        still_asking || { echo "at $keys" >&2; return 1; }
        kill "$asking"
        expect 143
    done
}

@test "Escape denies" {
    ask login
    focus "$window"
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
}

@test "Enter denies, also with Allow once focused" {
    local key
    for key in Return KP_Enter; do
        ask login
        focus "$window"
        past_the_guard
        xdotool key Tab
        [[ $(at_spi tree) == *"push button|Allow once|"*focused* ]]
        xdotool key "$key"
        expect 0 '{"answer":"deny"}'
    done
}

@test "Tab and Space allow once; Space alone denies" {
    ask login
    focus "$window"
    past_the_guard
    xdotool key Tab space
    expect 0 '{"answer":"once"}'
    ask login
    focus "$window"
    past_the_guard
    xdotool key space
    expect 0 '{"answer":"deny"}'
}

@test "Tab and Space in the first second do not allow" {
    ask login
    focus "$window"
    xdotool key Tab Tab Tab
    past_the_guard
    still_asking
    at_spi tree >said
    run ! grep -E '^push button\|Allow.*focused' said
    xdotool key Escape
    expect 0 '{"answer":"deny"}'
}

@test "a key that is held since the first second allows nothing" {
    ask login
    focus "$window"
    xdotool keydown alt keydown a
    past_the_guard
    sleep 0.5
    still_asking
    xdotool keyup a keyup alt
    past_the_guard
    xdotool key alt+a
    expect 0 '{"answer":"once"}'
}

@test "each button has a letter" {
    local pair
    for pair in alt+d:deny alt+a:once alt+f:5m alt+1:15m alt+u:box alt+m:mute; do
        ask login
        focus "$window"
        past_the_guard
        xdotool key "${pair%:*}"
        expect 0 "{\"answer\":\"${pair#*:}\"}" || { echo "at $pair" >&2; return 1; }
    done
}

@test "a window that somebody else destroys denies" {
    ask login
    xdotool windowclose "$window"
    # GDK may end the program over its lost window before it hears of it: no answer is a no, too.
    expect 0 '{"answer":"deny"}' || [ ! -s answer ]
}

@test "at the end of the countdown the answer is timeout" {
    ask login '.timeout = 2'
    [[ $(at_spi tree) == *"No answer is a no: 0:0"* ]]
    expect 0 '{"answer":"timeout"}'
}

@test "SIGTERM ends it without an answer" {
    ask login
    kill -TERM "$asking"
    expect 143
}

@test "it ends when nobody can read the answer any more" {
    question login >asked
    mkfifo pipe
    "$prompt" <asked >pipe 2>errors 3>&- 4>&- &
    asking=$!
    exec 5<pipe
    until_true 10 on_screen
    exec 5<&-
    : >answer
    expect 1
}
