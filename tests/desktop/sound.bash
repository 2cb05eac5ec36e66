# A sound server of the host for one test: PulseAudio, or PipeWire where only that is installed (the Podman 5 lab). And
# functions that play and listen.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

# Starts it with a loudspeaker, and a microphone that records what is played to "room".
sound_begin() {
    export PULSE_RUNTIME_PATH=$XDG_RUNTIME_DIR/sound-$LITTERBOX_INSTANCE
    export PIPEWIRE_RUNTIME_DIR=$PULSE_RUNTIME_PATH
    export DISPLAY=:98
    unset WAYLAND_DISPLAY PULSE_SERVER
    mkdir -m 700 "$PULSE_RUNTIME_PATH"
    sound_start
}
sound_start() {
    sound_pids=()
    if command -v pulseaudio >/dev/null; then pulseaudio_begin; else pipewire_begin; fi
    eventually pactl info >/dev/null 2>&1
    # pipewire-pulse answers before it can make nodes: "Failure: Not supported", seen once in a run.
    eventually pactl load-module module-null-sink sink_name=room >/dev/null
    eventually pactl load-module module-null-sink sink_name=speaker >/dev/null
    mic=$(eventually pactl load-module module-remap-source master=room.monitor source_name=mic)
    eventually is_listed sources mic
    pactl set-default-sink speaker
    pactl set-default-source mic
    eventually has_default Source mic
    eventually is_idle
}
# The virtual microphone itself consists of streams, which may come later than it.
is_idle() {
    idle_inputs=$(streams sink-inputs) idle_outputs=$(streams source-outputs)
    [ -n "$idle_outputs" ] && sleep 0.3 && nothing_plays
}
streams() { pactl list short "$1" | cut -f1; }
is_humming() { [ "$(streams sink-inputs)" != "$idle_inputs" ]; }
is_recording() { [ "$(streams source-outputs)" != "$idle_outputs" ]; }
nothing_plays() { ! is_humming && ! is_recording; }
# Prints the number of the stream that plays.
playing() { streams sink-inputs | grep -vxF "${idle_inputs:-none}"; }
is_listed() { pactl list short "$1" | cut -f2 | grep -qx -- "$2"; }
has_default() { pactl info | grep -qx "Default $1: $2"; }
pulseaudio_begin() {
    pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --log-target=stderr \
        -L module-native-protocol-unix -L module-suspend-on-idle >"$TEST_HOME/sound.log" 2>&1 3>&- 4>&- &
    sound_pids+=($!)
}
# There is no bus, and no hardware.
pipewire_begin() {
    local program
    for program in pipewire wireplumber pipewire-pulse; do
        "$program" >>"$TEST_HOME/sound.log" 2>&1 3>&- 4>&- &
        sound_pids+=($!)
        [ "$program" != pipewire ] || eventually socket_listens "$PIPEWIRE_RUNTIME_DIR/pipewire-0"
    done
}
sound_stop() {
    local pid
    for pid in "${sound_pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}
sound_end() {
    sound_stop
    rm -rf "$PULSE_RUNTIME_PATH"
}

export raw=(--raw --format=s16le --rate=44100 --channels=1 --latency-msec=50)
# tone FILE SECONDS: writes a tone of 440 Hz.
tone() {
    python3 - "$@" <<'END'
import array, math, sys
wave = [int(12000 * math.sin(math.tau * 440 * i / 44100)) for i in range(int(44100 * float(sys.argv[2])))]
with open(sys.argv[1], "wb") as out:
    array.array("h", wave).tofile(out)
END
}
# is_heard FILE: the recording contains the tone, which crosses zero 880 times a second.
is_heard() {
    python3 - "$@" <<'END'
import array, os, sys
wave = array.array("h")
with open(sys.argv[1], "rb") as file:
    wave.frombytes(file.read() [:os.path.getsize(sys.argv[1]) // 2 * 2])
loud = [s for s in wave if abs(s) > 200]
crossings = sum(1 for a, b in zip(loud, loud[1:]) if (a < 0) != (b < 0))
print(f"{len(wave)} samples, {len(loud)} loud, {crossings} crossings")
sys.exit(not (len(loud) > 4000 and 0.7 < crossings / (len(loud) / 44100 * 880) < 1.3))
END
}
# listen FILE: records what the loudspeaker plays, until unlisten.
listen() {
    parec "${raw[@]}" -d speaker.monitor >"$1" 2>/dev/null 3>&- 4>&- &
    listener=$!
    eventually is_recording
}
unlisten() {
    kill "$listener"
    wait "$listener" || true
}
# hum: plays the tone into the microphone, until unhum.
hum() {
    tone "$TEST_HOME/hum" 60
    pacat "${raw[@]}" -d room "$TEST_HOME/hum" >/dev/null 2>&1 3>&- 4>&- &
    hummer=$!
    eventually is_humming
}
unhum() {
    kill "$hummer"
    wait "$hummer" || true
}
# The sound helpers of the box: the one that listens, and one for each connection.
sound_waiter() { pgrep -P "$(bridge_pid)" -x litterbox-sound || true; }
sound_links() { pgrep -P "$(sound_waiter)" || true; }
