#!/usr/bin/env bats
# Attacks of a box on the host's sound: recording, the microphone, settings (1, 2, 8, 9).
# shellcheck disable=SC2154 # sound.bash sets them

load escape.bash
load ../desktop/desktop.bash
load ../desktop/sound.bash
setup() {
    box_setup
    mkdir -p "$CONFIG"
    sound_begin
    tone tone.raw 2
}
teardown() {
    box_teardown
    sound_end
}
inside() { run box run -- "$@"; }
assert_denied() {
    [ "$status" != 0 ] || fail "it works: $output"
    assert_contains "Access denied"
}

@test "sound: a box cannot reach the host's sound server (2)" {
    local path
    pactl -s "unix:$PULSE_RUNTIME_PATH/native" info # control
    for path in "$PULSE_RUNTIME_PATH/native" "/proc/1/root$PULSE_RUNTIME_PATH/native" "$PULSE_RUNTIME_PATH/pipewire-0"; do
        inside pactl -s "unix:$path" info
        [ "$status" != 0 ]
    done
    inside sh -c 'ls /run/user/*/pulse /run/user/*/pipewire-0 2>/dev/null'
    [ -z "$output" ]
}

@test "sound: a box cannot use modules, clients, others' streams or devices' volumes (2)" {
    hum
    local number client volume
    number=$(playing)
    client=$(pactl list short clients | cut -f1 | tail -n 1)
    volume=$(pactl get-sink-volume speaker)
    # Controls: all of this works on the host.
    pactl list sink-inputs | grep -q pacat
    pactl unload-module "$(pactl load-module module-null-sink sink_name=control)"
    inside pactl info
    assert_status 0
    refute_contains "$(hostname)"
    local attack
    for attack in "load-module module-null-sink" "unload-module 1" "list sink-inputs" "list source-outputs" \
        "list clients" "list modules" "list cards" "move-sink-input $number speaker" "kill-sink-input $number" \
        "kill-client $client" "set-sink-input-volume $number 10%" "set-sink-input-mute $number 1" \
        "set-sink-volume speaker 1%" "set-sink-mute speaker 1" "set-source-volume mic 1%" \
        "set-default-sink room" "suspend-sink speaker 1" "upload-sample $PROJECT/tone.raw x" "exit"; do
        # shellcheck disable=SC2086 # words
        inside timeout 10 pactl $attack
        [ "$status" != 0 ] || assert_contains "Access denied" # pactl exits with 0 for cards
    done
    [ "$(playing)" = "$number" ]
    [ "$(pactl get-sink-volume speaker)" = "$volume" ]
    has_default Sink speaker
    # The box does not learn what plays and when.
    inside timeout 3 pactl subscribe
    refute_contains sink-input
    unhum
}

@test "sound: a box cannot hear what the machine plays, even with the microphone (2)" {
    local device
    hum
    configure '[desktop]\nmicrophone = true'
    # The loudspeaker and the microphone have different sounds.
    unhum
    tone "$TEST_HOME/song" 60
    pacat "${raw[@]}" -d speaker "$TEST_HOME/song" >/dev/null 2>&1 3>&- 4>&- &
    local song=$!
    eventually is_humming
    listen "$TEST_HOME/control"
    eventually is_heard "$TEST_HOME/control"
    unlisten
    for device in speaker.monitor @DEFAULT_MONITOR@ mic 0 1 2; do
        rm -f recorded.raw
        inside timeout 2 parec "${raw[@]}" -d "$device" recorded.raw
        [[ $status == @(1|124) ]] || fail "$device: status $status: $output" # refused, or silence until the timeout
        [ ! -e recorded.raw ] || ! is_heard recorded.raw || fail "$device is heard"
    done
    inside timeout 2 parec "${raw[@]}" --monitor-stream="$(playing)" recorded.raw
    [[ $status == @(1|124) ]] || fail "status $status: $output"
    ! is_heard recorded.raw || fail "a stream is heard"
    # When the microphone is unplugged, the stream does not move to another source.
    box run -- parec "${raw[@]}" unplugged.raw 3>&- 4>&- &
    local recorder=$!
    eventually is_recording
    pactl unload-module "$mic"
    sleep 2
    kill "$recorder" 2>/dev/null || true
    wait "$recorder" || true
    ! is_heard unplugged.raw || fail "the machine is heard"
    # Without a microphone, the monitor is the default source.
    pactl set-default-source speaker.monitor
    eventually has_default Source speaker.monitor
    rm -f recorded.raw
    inside timeout 60 parec "${raw[@]}" recorded.raw
    assert_contains "No such entity"
    [ ! -s recorded.raw ]
    kill "$song"
    wait "$song" || true
}

@test "sound: a stream names its box, whatever its program claims (8)" {
    tone tone.raw 60 # until the test has looked
    box run -- pacat "${raw[@]}" --client-name='Zoom</b>' --stream-name=$'a\nb' --property=application.id=org.zoom \
        --property=media.role=phone --property=application.name=Zoom --property=module-stream-restore.id=x \
        --property=target.object=other tone.raw 3>&- 4>&- &
    local player=$!
    eventually is_humming
    run pactl list sink-inputs
    assert_contains 'application.id = "dev.litterbox.shop"'
    assert_contains 'application.name = "shop: '
    refute_contains org.zoom
    refute_contains 'media.role'
    refute_contains target.object
    refute_contains '</b>'
    box run -- pkill -x pacat
    wait "$player" || true
}

@test "sound: the process that parses a box's sound has no files, processes or privileges (2, 6)" {
    box run -- sh -c 'sleep 600 | pacat --raw' 3>&- 4>&- &
    local session=$! link
    eventually is_humming
    link=$(sound_links)
    grep -q '^Seccomp:.2' "/proc/$link/status"
    grep -q '^NoNewPrivs:.1' "/proc/$link/status"
    # Not even another program of the user can inspect it.
    run ls "/proc/$link/fd"
    assert_contains "Permission denied"
    box stop
    wait "$session" || true
}

# cpu PID: its CPU time in hundredths of a second.
cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

@test "sound: floods of requests and samples cost little (9)" {
    cat >flood.py <<'END'
import socket, struct, sys, time
def number(n): return b"L" + struct.pack(">I", n)
def frame(body, channel=0xffffffff): return struct.pack(">IIIII", len(body), channel, 0, 0, 0) + body
s = socket.socket(socket.AF_UNIX)
s.connect("/run/litterbox/desktop/pulse")
s.send(frame(number(8) + number(0) + number(35) + b"x" + struct.pack(">I", 256) + bytes(256)))
s.setblocking(False)
end, tag, sent, left = time.time() + 4, 1, 0, b""
while time.time() < end:
    if not left:
        left = b"".join(frame(number(22) + number(tag + i)) for i in range(50)) + frame(bytes(60000), 0)
        tag += 50
    try:
        n = s.send(left)
        left = left[n:]
        sent += n
    except BlockingIOError:
        time.sleep(0.001)
    try:
        s.recv(65536)
    except BlockingIOError:
        pass
print("sent", sent, flush=True)
time.sleep(2)
END
    box run -- pactl info
    eventually no_links
    box run -- python3 flood.py >"$TEST_HOME/flood" 3>&- 4>&- &
    local flood=$! link server=${sound_pids[-1]} before after
    before=$(cpu "$server")
    eventually has_links
    link=$(sound_links)
    eventually grep -q sent "$TEST_HOME/flood"
    after=$(cpu "$server")
    echo "link $(cpu "$link"), server $((after - before)), $(cat "$TEST_HOME/flood")"
    [ "$(cpu "$link")" -lt 100 ]
    wait "$flood"
    pactl info
}
no_links() { ! has_links; }
has_links() { [ -n "$(sound_links)" ]; }

@test "sound: garbage, floods and too many connections leave server, bridge and box alive (9)" {
    box run -- pactl info
    local bridge
    bridge=$(bridge_pid)
    run --separate-stderr box run -- python3 - /run/litterbox/desktop/pulse <<'END'
import random, socket, struct, sys
random.seed(4)
held = []
for i in range(300):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(0.05)
    try:
        s.connect(sys.argv[1])
        body = bytes(random.randrange(256) for _ in range(random.randrange(1, 200)))
        head = struct.pack(">IIIII", len(body), random.choice([0xffffffff, 0, 7]), 0, 0, random.choice([0, 1, 0x80000000]))
        s.send(random.choice([body, head + body, head]))
    except OSError:
        pass
    if i % 8 == 0:
        held.append(s)
print("end")
END
    assert_contains end
    [ "$(bridge_pid)" = "$bridge" ]
    run pactl info
    assert_status 0
    eventually box run -- timeout 20 pactl info
}

@test "sound: boxes that hold all their connections leave some for the user (9)" {
    cat >hold.py <<'END'
import socket, time
held = []
for i in range(40):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect("/run/litterbox/desktop/pulse")
print("held", flush=True)
time.sleep(600)
END
    new_project "$TEST_HOME/other"
    cp hold.py "$TEST_HOME/other"
    local folder
    for folder in "$PROJECT" "$TEST_HOME/other"; do
        cd "$folder"
        box run -- true
        box run -- python3 hold.py >>"$TEST_HOME/held" 3>&- 4>&- &
    done
    eventually all_hold
    eventually has_sixteen_links
    sleep 1
    timeout 30 pactl info
    has_sixteen_links
}
has_sixteen_links() { [ "$(sound_links | wc -l)" = 16 ]; }
all_hold() { [ "$(grep -c held "$TEST_HOME/held")" = 2 ]; }
