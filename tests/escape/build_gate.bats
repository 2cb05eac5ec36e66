#!/usr/bin/env bats
# Builds of a box with mode "filtered": their steps reach what the box may reach, and nothing else, whatever the Containerfile
# says (invariants 4, 5, 7, 9).

load escape.bash
load gate.bash
load ../lib/image.bash

setup_file() {
    gate_begin
    need_base
    LOOPBACK=$(cat "$TEST_HOME/ports")
    export LOOPBACK
    unset DISPLAY WAYLAND_DISPLAY
    hosts_add "$OWN web.build.test other.build.test late.build.test $(printf '%s.asked.build.test ' {a..e})"
    # probe NAME COMMAND…: prints what came, or "failed".
    cat >"$PROJECT/probe" <<'END'
# Podman 4 copies the host's /etc/hosts into steps.
! grep -q 198.18.0.1 /etc/resolv.conf || echo 127.0.0.1 localhost >/etc/hosts
name=$1 && shift
said=$(timeout 10 "$@" 2>/dev/null | tr -d '\0') || said=
echo "$name: ${said:-failed}"
END
    cat >"$PROJECT/tcp" <<'END'
exec 3<>"/dev/tcp/$1/$2" && printf hello >&3 && head -c 13 <&3
END
    cat >"$PROJECT/udp" <<'END'
use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die; $s->blocking(1);
send($s, "xxhello", 0, pack_sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) or die; alarm 5;
recv($s, my $got, 100, 0); print "answered\n" if length $got;
END
    cat >"$PROJECT/raw" <<'END'
use Socket; socket(my $s, AF_INET, SOCK_RAW, 1) or die; print "opened\n";
END
}
teardown_file() {
    gate_end build.test
    remove_built_images
}
setup() {
    escape_setup
    rm -f Containerfile
    GATE=$RUNTIME/shop/gate+build
}

filtered() { # [LINE]
    escape_config "[box]
containerfile = \"Containerfile\"
idle_stop = \"never\"
[network]
mode = \"filtered\"
allow = [\"web.build.test:8080\", \"late.build.test:8080\", \"$OWN:8080\"]
${1:-}"
}
# network MODE: without rules.
network() {
    escape_config "[box]
containerfile = \"Containerfile\"
[network]
mode = \"$1\""
}
open() { network open; }
# steps LINE…: the Containerfile.
steps() {
    printf '%s\n' "FROM debian:bookworm" "COPY probe tcp udp raw /" "$@" >Containerfile
}
# With a service of its own, as a user has it.
build() { timeout 200 env -u CONTAINER_HOST box build --no-cache --json </dev/null; }
# In the background: its status comes into the file "built".
build_aside() {
    rm -f "$TEST_HOME/built"
    : >"$TEST_HOME/out"
    {
        local status=0
        build >"$TEST_HOME/out" 2>"$TEST_HOME/error" 3>&- || status=$?
        echo "$status" >"$TEST_HOME/built"
    } &
}
built() {
    eventually test -s "$TEST_HOME/built"
    [ "$(cat "$TEST_HOME/built")" = "$1" ] || fail "$(cat "$TEST_HOME/built" "$TEST_HOME/out" "$TEST_HOME/error")"
    output=$(cat "$TEST_HOME/out")
}
# Whoever starts a build empties the file first: else this sees the build before.
has_begun() { grep -q 'it waits' "$TEST_HOME/out"; }
# A step that tries until it reaches the host, 300 times at most: what a test does meanwhile takes a busy machine seconds.
UNTIL='grep -q 198.18.0.1 /etc/resolv.conf && echo 127.0.0.1 localhost >/etc/hosts; echo it waits; for i in $(seq 300); do [ "$(timeout 5 bash /tcp late.build.test 8080)" != "reached hello" ] || exec echo it came through; sleep 0.1; done; exit 1'

# In two steps, as each takes 0.3 s of a processor, and has a network of its own.
attacks() {
    steps "RUN bash probe allowed bash tcp web.build.test 8080; bash probe name bash tcp other.build.test 8080; \\
        bash probe port bash tcp web.build.test 8081; bash probe address bash tcp $OWN 8081; bash probe udp perl udp $OWN 8084" \
        "RUN for h in 127.0.0.1 10.0.2.2 169.254.1.1 169.254.1.2 host.containers.internal; do bash probe loopback bash tcp \$h $LOOPBACK; done; \\
        bash probe raw perl raw; bash probe second bash tcp $OWN 8081; sed 's/^/has /' /proc/net/dev" "RUN echo done"
}

@test "build gate: control: the steps of an open build reach what the attacks try" {
    attacks
    open
    run build
    assert_status 0
    assert_contains "allowed: reached hello"
    assert_contains "name: reached hello"
    assert_contains "port: reached hello"
    assert_contains "address: reached hello"
    assert_contains "second: reached hello"
    assert_contains "udp: answered"
}

@test "build gate: steps reach a name that a rule allows, and no other name, port, address or protocol (4)" {
    attacks
    filtered
    run build
    assert_status 0
    assert_contains "allowed: reached hello"
    assert_contains "name: failed"
    assert_contains "port: failed"
    assert_contains "address: failed"
    assert_contains "udp: failed"
    assert_contains "second: failed"
    assert_contains "loopback: failed"
    refute_contains "loopback: reached"
    assert_contains "raw: failed"
    run grep -oE 'has +[a-z0-9]+:' <<<"$output"
    assert_output "has     lo:"
    eventually prints "web.build.test:8080" box net log
    eventually prints "other.build.test" box net log
    [ ! -e "$GATE" ] || fail "the folder of the build is still there"
}

@test "build gate: the same, by the Podman service that CONTAINER_HOST names" {
    attacks
    filtered
    run timeout 200 box build --no-cache --json
    assert_status 0
    assert_contains "allowed: reached hello"
    assert_contains "address: failed"
    refute_contains "loopback: reached"
}

# Podman 4.3 does not know the option.
@test "build gate: RUN --network=host and ADD of an address reach nothing, nor with mode none (4)" {
    local mode
    [ "$LAB_PODMAN" = 4 ] || {
        steps "RUN --network=host bash probe loopback bash tcp 127.0.0.1 $LOOPBACK; bash probe address bash tcp $OWN 8081"
        open
        run build
        assert_contains "address: reached hello" # control
        for mode in none filtered; do
            network "$mode"
            run build
            assert_status 0
            assert_contains "loopback: failed"
            assert_contains "address: failed"
        done
    }
    (cd "$TEST_HOME" && echo secret-of-loopback >file && exec python3 -u -m http.server --bind 127.0.0.1 0 >"$TEST_HOME/http" 2>&1 3>&-) &
    eventually grep -qo 'port [0-9]*' "$TEST_HOME/http"
    steps "ADD http://127.0.0.1:$(grep -o 'port [0-9]*' "$TEST_HOME/http" | cut -d' ' -f2)/file /file" "RUN cat /file"
    open
    run build
    assert_contains secret-of-loopback # control
    for mode in none filtered; do
        network "$mode"
        run build
        refute_contains secret-of
        [ "$status" != 0 ]
        assert_contains "cannot build"
    done
    kill %1 || true
}

@test "build gate: a build asks where its box asks, its answer is the box's, and it says that it waits (4, 7)" {
    steps "RUN bash probe first bash tcp a.asked.build.test 8080" "RUN bash probe second bash tcp b.asked.build.test 8080"
    sed -i 's/timeout 10/timeout 100/' probe
    filtered 'ask = true'
    rm -f "$TEST_HOME/built"
    { timeout 200 env -u CONTAINER_HOST box build --no-cache >"$TEST_HOME/out" 2>&1 </dev/null 3>&-; echo $? >"$TEST_HOME/built"; } &
    eventually is_asked a.asked.build.test:8080
    id=$(box net pending --json | jq -r '.[0].id')
    run box net pending
    assert_contains "a build of the box's image"
    assert_contains "bash"
    eventually grep -q "box net approve $id" "$TEST_HOME/out"
    box net approve "$id" always
    eventually is_asked b.asked.build.test:8080
    box net deny "$(box net pending --json | jq -r '.[0].id')"
    eventually test -s "$TEST_HOME/built"
    run cat "$TEST_HOME/out"
    assert_contains "first: reached hello"
    assert_contains "second: failed"
    run box net rules
    assert_contains a.asked.build.test:8080
    sed -i 's/timeout 100/timeout 10/' probe
}
is_asked() { box net pending --json | jq -r '.[].address' | grep -qxF "$1"; }

@test "build gate: a box runs beside its build, each with a gate, and a new rule holds in both" {
    steps "RUN true"
    filtered
    box run -- true
    steps "RUN bash -c '$UNTIL'"
    filtered
    box net deny late.build.test:8080
    build_aside
    eventually has_begun
    run in_box bash tcp web.build.test 8080
    assert_output "reached hello"
    run in_box bash tcp late.build.test 8080
    refute_contains "reached hello"
    box net forget late.build.test:8080
    built 0
    assert_contains "it came through"
    run in_box bash tcp late.build.test 8080
    assert_output "reached hello"
    box stop
}

@test "build gate: one that does not answer keeps no rule from the box that runs (9)" {
    local worker
    steps "RUN true"
    filtered
    box run -- true
    steps "RUN bash -c '$UNTIL'"
    filtered
    box net deny late.build.test:8080
    build_aside
    eventually has_begun
    worker=$(worker_pid "$GATE" gate)
    kill -STOP "$worker"
    run box net deny web.build.test:8080
    kill -CONT "$worker"
    [ "$status" != 0 ]
    assert_contains "the build of its image: "
    run in_box bash tcp web.build.test 8080
    refute_contains "reached hello"
    box net forget web.build.test:8080
    box net forget late.build.test:8080
    built 0
    box stop
}

@test "build gate: whatever of the gate is killed comes back, and meanwhile nothing is reached (9)" {
    local victim
    for victim in worker supervisor; do
        steps "RUN bash -c '$UNTIL'"
        filtered
        box net deny late.build.test:8080
        build_aside
        eventually has_begun
        if [ "$victim" = worker ]; then
            kill -KILL "$(worker_pid "$GATE" gate)"
        else
            helper_kill "$GATE" gate
        fi
        box net forget late.build.test:8080
        built 0
        assert_contains "it came through"
    done
}

@test "build gate: with what holds its network, the gate of a build ends, and no step starts (9)" {
    steps "RUN bash -c '$UNTIL'" "RUN echo the next step"
    filtered
    box net deny late.build.test:8080
    build_aside
    eventually has_begun
    local gate
    gate=$(supervisor_pid "$GATE" gate)
    kill -KILL "$(awk '{ print $2 }' "$GATE/gate.lock")"
    eventually process_ended "$gate"
    eventually test -s "$TEST_HOME/built"
    run cat "$TEST_HOME/out" "$TEST_HOME/error"
    assert_contains "the network of the build has ended"
    refute_contains "the next step"
    box net forget late.build.test:8080
}

@test "build gate: when box is killed, the gate ends with it, and the next build works (9)" {
    steps "RUN bash -c '$UNTIL'"
    filtered
    box net deny late.build.test:8080
    : >"$TEST_HOME/out"
    env -u CONTAINER_HOST box build --no-cache --json >"$TEST_HOME/out" 2>&1 </dev/null 3>&- &
    local box=$! gate holder
    eventually has_begun
    gate=$(supervisor_pid "$GATE" gate)
    holder=$(awk '{ print $2 }' "$GATE/gate.lock")
    kill -KILL "$box"
    eventually process_ended "$gate"
    eventually process_ended "$holder"
    eventually test ! -e "$GATE/netns"
    box net forget late.build.test:8080
    steps "RUN bash probe allowed bash tcp web.build.test 8080"
    filtered
    run build
    assert_status 0
    assert_contains "allowed: reached hello"
}

@test "build gate: when it cannot be set up nothing is built, and box says why (4)" {
    steps "RUN bash probe allowed bash tcp web.build.test 8080"
    filtered
    echo nonsense >"$DATA/boxes/shop/network-rules"
    run build
    [ "$status" != 0 ]
    refute_contains "allowed:"
    assert_contains "the network of its build cannot be filtered"
    assert_contains "that 'box net' did not write"
    rm "$DATA/boxes/shop/network-rules"
    mkdir "$TEST_HOME/bin"
    printf '#!/bin/sh\n[ "$1" != unshare ] || exit 1\nexec %s "$@"\n' "$(command -v podman)" >"$TEST_HOME/bin/podman"
    chmod +x "$TEST_HOME/bin/podman"
    for mode in none filtered; do
        network "$mode"
        run env "PATH=$TEST_HOME/bin:$PATH" box build --no-cache --json
        [ "$status" != 0 ]
        refute_contains "allowed:"
        assert_contains "podman unshare did not make a network"
    done
}
