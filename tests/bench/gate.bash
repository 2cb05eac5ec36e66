# The gate of a filtered network, beside no box and beside what connects a box with an open one (slirp4netns, pasta). Sourced
# by inside.
# shellcheck shell=bash disable=SC2154 # here, work, project, compare, difference, at_most

# The gate's process, of the only box that has one.
gate_worker() {
    local pid
    for pid in $(pgrep -u "$(id -u)" -x litterbox-gate); do
        ! grep -qa "litterbox-$LITTERBOX_INSTANCE/" "/proc/$pid/cmdline" || echo "$pid"
    done
}
gate_memory() { awk '/^VmRSS/ { print $2 }' "/proc/$(gate_worker)/status"; }

# gate_client NAME COMMAND…: a program that runs the client with COMMAND.
gate_client() {
    local name=$1
    shift
    printf '#!/bin/sh\n%s "$1"\n' "$*" >"$work/$name"
    chmod +x "$work/$name"
}

gate() {
    local m own port server kind
    own=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    : >"$work/port"
    python3 "$here/gate.py" serve >"$work/port" &
    server=$!
    until read -r port <"$work/port"; do sleep 0.1; done
    mkdir -p "$work/filtered"
    cp "$here/gate.py" "$work/filtered"
    cp "$here/gate.py" .
    printf '[network]\nmode = "filtered"\nallow = ["%s:%s", "bench.test"]\n' "$own" "$port" >"$work/filtered/litterbox.toml"
    gate_client through "cd $work/filtered && exec box run -- python3 gate.py client $own $port"
    gate_client direct "exec python3 $here/gate.py client $own $port"
    gate_client open "cd $project && exec box run -- python3 gate.py client $own $port"
    (cd "$work/filtered" && box trust --yes && box run -- true) >/dev/null 2>&1
    at_most gate-memory-idle-KiB 6144 "$(gate_memory)"
    at_most gate-dns-ms 0.3 "$(cd "$work/filtered" && box run -- python3 gate.py client 198.18.0.1 53 dns)"
    for kind in down up; do
        read -ra m < <(python3 "$here/gate.py" drive 3 "$kind" "$work/through" "$work/direct" "$work/open")
        compare "gate-GiB-$kind-vs-direct" 1.11 "${m[0]}" "${m[1]}"
        compare "gate-GiB-$kind-vs-open" 1 "${m[0]}" "${m[2]}"
    done
    read -ra m < <(python3 "$here/gate.py" drive 5 first "$work/through" "$work/direct" "$work/open")
    difference gate-first-byte-ms 1 "${m[0]}" "${m[1]}"
    compare gate-first-byte-vs-open - "${m[0]}" "${m[2]}"
    gate_many
    (cd "$work/filtered" && box rm --yes) 2>/dev/null
    kill "$server"
    rm gate.py
}

gate_many() {
    local through direct
    coproc gate_held { exec "$work/through" many; }
    read -r through <&"${gate_held[0]}"
    at_most gate-memory-of-1000-connections-KiB 30720 "$(gate_memory)"
    eval "exec ${gate_held[1]}>&-"
    wait "$gate_held_PID" 2>/dev/null || true
    direct=$("$work/direct" many </dev/null)
    compare gate-1000-connections-vs-direct - "$through" "$direct"
}
