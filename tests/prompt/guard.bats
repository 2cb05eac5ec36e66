# What counts as an answer, and when, so that nothing is approved by accident. Input comes through the X server, as a
# person's does: xdotool clicks with XTEST, and with --window by XSendEvent.
# To show that an input is no answer, each test sends another answer right after it: the X server keeps the order.
# shellcheck disable=SC2086,SC2154,SC2030,SC2031 # $at is X and Y; ask.bash sets window; a test is a process of its own

load ask

setup() {
    ask_begin
    x11_start
}

teardown() {
    ask_end
}

@test "a click on Deny denies" {
    ask login
    point_at Deny
    xdotool click 1
    expect 0 '{"answer":"deny"}'
}

@test "a click on Allow once allows once after a second" {
    ask login
    click "Allow once"
    expect 0 '{"answer":"once"}'
}

@test "each grant has a button of its own" {
    ask login
    click "Allow for 15 minutes"
    expect 0 '{"answer":"15m"}'
}

@test "Deny and mute mutes" {
    ask login
    click "Deny and mute"
    expect 0 '{"answer":"mute"}'
}

@test "without \"mute\" there is no button that mutes" {
    ask sudo '.mute = false'
    at_spi where "push button" Deny
    run at_spi where "push button" "Deny and mute"
    [ "$status" = 1 ]
}

@test "clicks on Allow in the second after the window appears do nothing" {
    local at
    ask login
    at=$(at_spi where "push button" "Allow once")
    kill -STOP "$asking"
    xdotool windowunmap "$window" windowmap "$window" mousemove $at click --repeat 3 --delay 50 1
    kill -CONT "$asking"
    focus "$window"
    click Deny
    expect 0 '{"answer":"deny"}'
}

@test "clicks on Allow in the second after the window gets the focus do nothing" {
    local at
    ask login
    accepting
    at=$(at_spi where "push button" "Allow once")
    early xdotool mousemove $at click --repeat 3 --delay 50 1
    click Deny
    expect 0 '{"answer":"deny"}'
}

@test "clicks that arrive while the program is stopped do nothing" {
    local at
    ask login
    at=$(at_spi where "push button" "Allow once")
    early xdotool mousemove $at
    kill -STOP "$asking"
    xdotool click --repeat 3 --delay 50 1
    sleep 1.5 # longer than CLICK_GUARD_MS, so that the delay has ended before the clicks are handled
    kill -CONT "$asking"
    click Deny
    expect 0 '{"answer":"deny"}'
}

# As in a game of the box's, below whose button the window appears.
@test "clicks that go on for longer than a second do nothing" {
    local at start
    for _ in 1 2 3 4 5 6; do
        ask login
        accepting
        at=$(at_spi where "push button" "Allow once")
        unfocus
        focus "$window"
        start=${EPOCHREALTIME/./}
        xdotool mousemove $at click --repeat 12 --delay 150 1
        # Else there may have been a second without a click.
        [ $((${EPOCHREALTIME/./} - start)) -ge 2500000 ] || break
        kill "$asking"
        wait "$asking" || true
    done
    click Deny
    expect 0 '{"answer":"deny"}'
}

@test "a press in the first second and its release afterwards do nothing" {
    local at
    ask login
    at=$(at_spi where "push button" "Allow once")
    early xdotool mousemove $at mousedown 1
    accepting
    xdotool mouseup 1
    click Deny
    expect 0 '{"answer":"deny"}'
}

# With core events: with XInput 2, GDK does not receive such events at all.
@test "clicks made with XSendEvent are dropped" {
    export GDK_CORE_DEVICE_EVENTS=1
    local name
    ask login
    accepting
    for name in "Allow once" Deny; do
        point_at "$name"
        xdotool click --window "$window" 1
    done
    click "Deny and mute"
    expect 0 '{"answer":"mute"}'
}

@test "keys made with XSendEvent are dropped" {
    local keys
    export GDK_CORE_DEVICE_EVENTS=1
    for keys in "Tab space" alt+a Return Escape; do
        # Move the pointer away, so that the window has no focus: for a focused window xdotool uses XTEST.
        xdotool mousemove 0 0
        start login
        eventually has_prompt
        window=$(prompt_windows)
        at_spi wait open inactive
        # shellcheck disable=SC2086 # one or two
        xdotool key --window "$window" $keys
        focus "$window"
        accepting
        press alt+m
        expect 0 '{"answer":"mute"}' || { echo "at $keys" >&2; return 1; }
    done
}

@test "Escape denies" {
    ask login
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "Enter denies, also with Allow once focused" {
    local key
    for key in Return KP_Enter; do
        ask login
        accepting
        press Tab
        at_spi wait "Allow once"
        press "$key"
        expect 0 '{"answer":"deny"}'
    done
}

@test "Tab and Space allow once; Space alone denies" {
    ask login
    accepting
    press Tab space
    expect 0 '{"answer":"once"}'
    ask login
    accepting
    press space
    expect 0 '{"answer":"deny"}'
}

@test "Tab and Space in the first second do not allow" {
    ask login
    early press Tab Tab Tab
    accepting
    at_spi tree >said
    run ! grep -E '^push button\|Allow.*focused' said
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "letters and arrows that are typed end what counts, so that Tab and Space among them allow nothing" {
    # together KEY…: the program handles all of them at once, also on a slow machine.
    together() {
        kill -STOP "$asking"
        press "$@"
        kill -CONT "$asking"
    }
    ask login
    accepting
    press Tab
    at_spi wait "Allow once"
    together shift+a space
    expect 0 '{"answer":"deny"}'
    ask login
    accepting
    together Up space # a command once more, and an option
    accepting
    still_asking
    together f i Tab
    accepting
    at_spi tree >said
    run ! grep -E '^push button\|Allow.*focused' said
    press Escape
    expect 0 '{"answer":"deny"}'
}

@test "a key that is held since the first second allows nothing" {
    ask login
    early xdotool keydown alt keydown a
    accepting
    sleep 0.5 # meanwhile the key repeats, every 40 ms
    xdotool keyup a keyup alt
    press alt+m
    expect 0 '{"answer":"mute"}'
}

@test "each button has a letter" {
    local pair
    for pair in alt+d:deny alt+a:once alt+f:5m alt+1:15m alt+u:box alt+m:mute; do
        ask login
        accepting
        press "${pair%:*}"
        expect 0 "{\"answer\":\"${pair#*:}\"}" || { echo "at $pair" >&2; return 1; }
    done
}

@test "a window that another program destroys denies" {
    ask login
    xdotool windowclose "$window"
    # GDK may end the program because of its lost window first: no answer is a refusal, too.
    expect 0 '{"answer":"deny"}' || [ ! -s answer ]
}

@test "the countdown is shown, and at its end the answer is timeout" {
    ask login '.timeout = 59'
    [[ $(at_spi tree) == *"No answer means no: 0:"* ]]
    press Escape
    expect 0 '{"answer":"deny"}'
    start login '.timeout = 1'
    expect 0 '{"answer":"timeout"}'
}

@test "SIGTERM ends it without an answer" {
    ask login
    kill -TERM "$asking"
    expect 143
}

@test "it ends when nobody reads its answer any more" {
    question login >asked
    mkfifo pipe
    "$prompt" <asked >pipe 2>errors 3>&- 4>&- &
    asking=$!
    exec 5<pipe
    eventually has_prompt
    exec 5<&-
    : >answer
    expect 1
}
