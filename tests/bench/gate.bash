# The gate of a filtered network, beside no box and beside what connects a box with an open one (slirp4netns, pasta). Sourced
# by inside.
# shellcheck shell=bash disable=SC2154 # here, work, project, compare, difference, at_most

# The process of the gate of the box "filtered".
gate_worker() {
    local pid
    for pid in $(pgrep -u "$(id -u)" -x litterbox-gate); do
        ! tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qE "litterbox-$LITTERBOX_INSTANCE/(.*/)?filtered(/|\$)" || echo "$pid"
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

own_address() { ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }'; }

# network_box NAME LINE…: a project below $work with these lines about its network, and its box, which runs.
network_box() {
    local name=$1
    shift
    mkdir -p "$work/$name"
    { echo "[network]" && printf '%s\n' "$@"; } >"$work/$name/litterbox.toml"
    (cd "$work/$name" && box trust --yes && box run -- true) >/dev/null 2>&1
}

network_boxes_go() { # NAME…
    local name
    for name; do (cd "$work/$name" && box rm --yes) 2>/dev/null; done
}

# A server at $own:$port, whose pid is in $server.
gate_begin() {
    own=$(own_address)
    : >"$work/port"
    python3 "$here/gate.py" serve >"$work/port" &
    server=$!
    until read -r port <"$work/port"; do sleep 0.1; done
}

gate() {
    local m own port server kind
    gate_begin
    network_box filtered 'mode = "filtered"' "allow = [\"$own:$port\", \"bench.test\"]"
    network_box open 'mode = "open"'
    cp "$here/gate.py" "$work/filtered"
    cp "$here/gate.py" "$work/open"
    gate_client through "cd $work/filtered && exec box run -- python3 gate.py client $own $port"
    gate_client direct "exec python3 $here/gate.py client $own $port"
    gate_client unfiltered "cd $work/open && exec box run -- python3 gate.py client $own $port"
    at_most gate-memory-idle-KiB 6144 "$(gate_memory)"
    at_most gate-dns-ms 0.3 "$(cd "$work/filtered" && box run -- python3 gate.py client 198.18.0.1 53 dns)"
    for kind in down up; do
        read -ra m < <(python3 "$here/gate.py" drive 3 "$kind" "$work/through" "$work/direct" "$work/unfiltered")
        compare "gate-GiB-$kind-vs-direct" 1.11 "${m[0]}" "${m[1]}"
        compare "gate-GiB-$kind-vs-open" 1 "${m[0]}" "${m[2]}"
    done
    read -ra m < <(python3 "$here/gate.py" drive 5 first "$work/through" "$work/direct" "$work/unfiltered")
    difference gate-first-byte-ms 1 "${m[0]}" "${m[1]}"
    compare gate-first-byte-vs-open - "${m[0]}" "${m[2]}"
    gate_many
    network_boxes_go filtered open
    kill "$server"
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

# What people do, in a box with the default network and in one with an open one: start it, run a command, clone 5,000
# files and 30 MB, install 150 packages of npm (where there is npm).
network() {
    local alone=(env -u CONTAINER_HOST)
    local own kind m server kinds=(start new command clone) image=localhost/litterbox-bench
    own=$(own_address)
    python3 "$here/network.py" "$own" "$work/served" &
    server=$!
    until [ -e "$work/served/ready" ]; do sleep 0.1; done
    ! command -v npm >/dev/null || kinds+=(npm)
    # As people have it: a distribution's image, which says where it gets its packages.
    "${alone[@]}" podman import "$LAB_BASE_TAR" "$image" >/dev/null 2>&1
    network_box ask 'mode = "ask"' "allow = [\"$own:9418\", \"$own:8088\"]"
    network_box open 'mode = "open"'
    network_box ask-new 'mode = "ask"' '[box]' "image = \"$image\""
    network_box open-new 'mode = "open"' '[box]' "image = \"$image\""
    for kind in "${kinds[@]}"; do
        for m in ask open; do
            cp "$work/served/package.json" "$work/served/package-lock.json" "$work/$m"
            network_program "$m" "$kind" "$own"
        done
        mapfile -t m < <(python3 "$here/alternate.py" 7 "$work/$kind-ask" "$work/$kind-open")
        compare "network-$kind-vs-open" - "${m[0]}" "${m[1]}"
    done
    network_boxes_go ask open ask-new open-new
    "${alone[@]}" podman rmi -f "$image" >/dev/null 2>&1 || true
    kill "$server"
}

network_program() { # BOX KIND ADDRESS
    local does in_box='box run --'
    case $2 in
    start) does="box stop 2>/dev/null; $in_box true" ;;
    new) does="cd ../$1-new && box rm --yes --keep-home 2>/dev/null; $in_box true" ;;
    command) does="$in_box true" ;;
    clone) does="$in_box sh -c 'git clone -q git://$3/repo /tmp/clone && rm -rf /tmp/clone'" ;;
    npm) does="$in_box sh -c 'npm ci --no-audit --no-fund --cache /tmp/cache >/dev/null && rm -rf node_modules /tmp/cache'" ;;
    esac
    printf '#!/bin/sh\ncd %s && %s\n' "$work/$1" "$does" >"$work/$2-$1"
    chmod +x "$work/$2-$1"
}
