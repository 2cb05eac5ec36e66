#!/usr/bin/env bats
# Sound of a box: PulseAudio's (Debian 12, the Podman 4 lab) and PipeWire's (Debian 13).
# shellcheck disable=SC2154 # sound.bash sets them

load ../lib/box.bash
load desktop.bash
load sound.bash
setup() {
    box_setup
    mkdir -p "$CONFIG"
    sound_begin
}
teardown() {
    box_teardown
    sound_end
}
socket=/run/litterbox/desktop/pulse

@test "sound: playback in a box is heard, is named after the box, and ends with the program" {
    run --separate-stderr box run -- sh -c 'echo "$PULSE_SERVER"; test -S "${PULSE_SERVER#unix:}"'
    assert_status 0
    assert_output "unix:$socket"
    tone tone.raw 60
    listen "$TEST_HOME/heard"
    box run -- sh -c 'echo $$ >player; exec pacat "$@"' sh "${raw[@]}" --client-name=player --stream-name=tone tone.raw 3>&- 4>&- &
    local player=$!
    eventually is_humming
    run pactl list sink-inputs
    assert_contains 'application.name = "shop: player"'
    assert_contains 'application.id = "dev.litterbox.shop"'
    assert_contains 'media.name = "tone"'
    eventually is_heard "$TEST_HOME/heard"
    box run -- sh -c 'kill "$(cat player)"'
    wait "$player" || true
    unlisten
    eventually nothing_plays
}

@test "sound: programs that the box's bus starts use the same server" {
    box run -- sh -c 'mkdir -p ~/.local/share/dbus-1/services; printf "[D-BUS Service]\nName=org.example.Loud\nExec=/bin/sh -c \"echo \$PULSE_SERVER >%s/server; exit 1\"\n" "$PWD" >~/.local/share/dbus-1/services/loud.service'
    run box run -- dbus-send --session --print-reply --dest=org.example.Loud / a.b.C
    [ "$status" != 0 ] # it ends at once, and never takes its name
    [ "$(cat server)" = "unix:$socket" ]
}

@test "sound: with the key set to none there is no sound" {
    configure '[desktop]\nsound = "none"'
    run --separate-stderr box run -- sh -c 'echo "[$PULSE_SERVER]"; ls /run/litterbox/desktop'
    assert_output "[]"$'\nrequests'
    run box run -- pactl info
    [ "$status" != 0 ]
    [ -z "$(sound_waiter)" ]
}

@test "sound: ALSA programs are heard, too" {
    python3 - <<'END'
import math, struct, wave
with wave.open("tone.wav", "wb") as out:
    out.setparams((1, 2, 44100, 0, "NONE", ""))
    out.writeframes(b"".join(struct.pack("<h", int(12000 * math.sin(math.tau * 440 * i / 44100))) for i in range(88200)))
END
    listen "$TEST_HOME/heard"
    box run -- aplay -q -D pulse tone.wav
    unlisten
    is_heard "$TEST_HOME/heard"
}

@test "sound: the microphone needs a key of its own, which a project has to request" {
    hum
    run box run -- timeout 60 parec "${raw[@]}" recorded.raw
    assert_contains "Access denied"
    [ ! -s recorded.raw ]
    box stop
    printf '[desktop]\nmicrophone = true\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --yes
    assert_contains "record your microphone"
    box run -- parec "${raw[@]}" recorded.raw 3>&- 4>&- &
    local recorder=$!
    eventually is_heard recorded.raw
    box run -- pkill -x parec
    wait "$recorder" || true
    unhum
    # Nobody listens any more.
    eventually nothing_plays
}

@test "sound: the helper ends with the box, and is started again after a crash" {
    box run -- pactl info
    local waiter bridge
    waiter=$(sound_waiter) bridge=$(bridge_pid)
    kill -KILL "$waiter"
    eventually process_ended "$bridge"
    box run -- pactl info
    waiter=$(sound_waiter)
    box run -- sh -c 'sleep 600 | pacat --raw' 3>&- 4>&- &
    local session=$!
    eventually is_humming
    local link
    link=$(sound_links)
    [ -n "$link" ]
    box stop
    wait "$session" || true
    eventually process_ended "$waiter"
    eventually process_ended "$link"
    [ ! -e "$RUNTIME/shop/desktop/pulse" ]
    eventually nothing_plays
}

@test "sound: after a restart of the host's server the next program is heard" {
    box run -- pactl info
    sound_stop
    run box run -- timeout 5 pactl info
    [ "$status" != 0 ]
    sound_start
    tone tone.raw 2
    listen "$TEST_HOME/heard"
    box run -- pacat "${raw[@]}" tone.raw
    unlisten
    is_heard "$TEST_HOME/heard"
}

@test "sound: a missing server is reported once, and used as soon as it runs" {
    PULSE_RUNTIME_PATH=$TEST_HOME run box run -- sh -c 'echo "[$PULSE_SERVER]"'
    assert_status 0
    assert_contains "has no sound"
    assert_contains "[]"
    PULSE_RUNTIME_PATH=$TEST_HOME run box run -- true
    refute_contains "has no sound"
    box stop
    run --separate-stderr box run -- sh -c 'echo "[$PULSE_SERVER]"'
    assert_output "[unix:$socket]"
}
