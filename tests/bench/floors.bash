# What the kernel takes for a design, beside what Litterbox takes: a guard that decides nothing, a relay that only splices,
# TLS three times on two cores, and an overlay without a box. All in turn, many times; only what lies above the floor can
# fail. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, work, project, name, compare, files_prepare, gate_begin, secrets_begin

floor_runs=${BOX_FLOOR_RUNS:-9}

# bench_program NAME: one that was built for the benches.
bench_program() {
    # shellcheck disable=SC2012 # build folders have plain names
    ls -t "$here"/../../build*/tests/bench/"$1" | head -n 1
}

# floor_medians BEFORE COMMAND…: into m, after BEFORE each time.
floor_medians() {
    mapfile -t m < <(python3 "$here/alternate.py" "$floor_runs" --before "$@")
}

# "held" has each call of the guard's filter held and let go on, which is unsafe; "floor" has it made by another process;
# "container-floor" is that in the box's container, whose own filters cost as well, without the start of podman exec.
floor_guard() {
    local m each start there
    there="env -u CONTAINER_HOST podman exec -u $(id -u) -w $project $name"
    files_prepare
    cp "$(bench_program floor-guard)" floor-guard
    floor_medians true "$there true"
    start=${m[0]}
    for each in create untar clone copy; do
        floor_medians ./clear "sh work.sh $each" "./floor-guard let sh work.sh $each" "./floor-guard do sh work.sh $each" \
            "$there ./floor-guard do sh work.sh $each" "box run -- sh work.sh $each"
        m[3]=$(sum "${m[3]}" "-$start")
        compare "guard-$each-held-vs-native" - "${m[1]}" "${m[0]}"
        compare "guard-$each-floor-vs-native" - "${m[2]}" "${m[0]}"
        compare "guard-$each-container-floor-vs-native" - "${m[3]}" "${m[0]}"
        compare "guard-$each-vs-native" - "${m[4]}" "${m[0]}"
        compare "guard-$each-vs-floor" - "${m[4]}" "${m[2]}"
        compare "guard-$each-vs-container-floor" 1.8 "${m[4]}" "${m[3]}"
    done
    rm floor-guard
    files_clear
}

floor_relay() { # BYTES: its pid in $relay, its port in $relayed
    : >"$work/relayed"
    "$(bench_program floor-relay)" "$1" "$own" "$port" >"$work/relayed" &
    relay=$!
    until read -r relayed <"$work/relayed"; do sleep 0.1; done
}

floor_gate() {
    local m own port server kind size relay relayed relays=()
    gate_begin
    network_box filtered 'mode = "filtered"' "allow = [\"$own:$port\"]"
    cp "$here/gate.py" "$work/filtered"
    gate_client through "cd $work/filtered && exec box run -- python3 gate.py client $own $port"
    gate_client direct "exec python3 $here/gate.py client $own $port"
    for size in 65536 1048576; do
        floor_relay $size
        relays+=("$relay")
        gate_client "by-$size" "exec python3 $here/gate.py client $own $relayed"
    done
    for kind in down up; do
        read -ra m < <(python3 "$here/gate.py" drive "$floor_runs" $kind "$work/direct" "$work/by-65536" \
            "$work/by-1048576" "$work/through")
        compare "gate-GiB-$kind-floor-64KiB-vs-direct" - "${m[1]}" "${m[0]}"
        compare "gate-GiB-$kind-floor-1MiB-vs-direct" - "${m[2]}" "${m[0]}"
        compare "gate-GiB-$kind-vs-direct" - "${m[3]}" "${m[0]}"
        compare "gate-GiB-$kind-vs-floor-64KiB" 1.3 "${m[3]}" "${m[1]}"
    done
    kill "$server" "${relays[@]}"
    network_boxes_go filtered
}

# Processor time of client, server and relay: on two cores a GiB takes at least half of their sum. A relay decrypts and
# encrypts as they do, so one that does no more takes as much again ("floor").
floor_tls() {
    local m server
    # shellcheck disable=SC2034 # secrets_begin sets it, and secrets_end needs it
    local folder
    secrets_begin || return 0
    read -ra m < <(python3 "$here/floors.py" "$floor_runs" "$server" https://secret.bench.test/1073741824 "$work/direct" "$work/through")
    compare tls-GiB-floor-vs-direct - "${m[1]}" "${m[0]}"
    compare tls-GiB-relay-vs-ends-processor-ms - "${m[3]}" "${m[1]}"
    compare tls-GiB-two-cores-at-best-vs-direct - "${m[4]}" "${m[0]}"
    compare tls-GiB-vs-direct - "${m[2]}" "${m[0]}"
    compare tls-GiB-vs-two-cores-at-best 1.5 "${m[2]}" "${m[4]}"
    secrets_end
}

# An overlay of a user namespace with a branch's options (box/lifecycle/layers.c). Its pid in $overlay.
overlay_begin() {
    mkdir -p "$work/overlay/upper" "$work/overlay/work"
    coproc overlaid {
        exec unshare --user --map-current-user --keep-caps --mount sh -c "mount -t overlay -o nosuid,nodev,userxattr,lowerdir=.,upperdir=$work/overlay/upper,workdir=$work/overlay/work overlay . && echo && exec cat"
    }
    # shellcheck disable=SC2154 # coproc sets them
    overlay=$overlaid_PID
    read -r <&"${overlaid[0]}"
    printf '#!/bin/sh\nexec nsenter -t %s -U -m --preserve-credentials sh -c "cd %s && exec $*"\n' "$overlay" "$project" >"$work/in-overlay"
    chmod +x "$work/in-overlay"
}

overlay_end() {
    kill "$overlay"
    wait "$overlay" 2>/dev/null || true
    chmod -R u+rwx "$work/overlay"
    rm -rf "$work/overlay"
}

floor_overlay() {
    local m each overlay status='git -C repository status --short'
    files_prepare
    sed -i 's/clone -q/clone -q --no-hardlinks/' work.sh # as in branches
    overlay_begin
    printf '#!/bin/sh\n./clear && %s/in-overlay ./clear && exec box run --branch b -- ./clear 2>/dev/null\n' "$work" >"$work/clear-all"
    chmod +x "$work/clear-all"
    for each in create untar clone copy sqlite read; do
        floor_medians "$work/clear-all" "sh work.sh $each" "$work/in-overlay sh work.sh $each" "box run --branch b -- sh work.sh $each"
        compare "overlay-$each-vs-native" - "${m[1]}" "${m[0]}"
        compare "branch-$each-vs-native" - "${m[2]}" "${m[0]}"
        compare "branch-$each-vs-overlay" 1.6 "${m[2]}" "${m[1]}"
    done
    overlay_end
    box branch drop --yes b
    overlay_begin
    box run --branch b -- true 2>/dev/null
    floor_runs=1 floor_medians true "$status" "$work/in-overlay $status" "box run --branch b -- $status"
    compare overlay-first-git-status-vs-native - "${m[1]}" "${m[0]}"
    compare branch-first-git-status-vs-overlay - "${m[2]}" "${m[1]}"
    floor_medians true "$status" "$work/in-overlay $status" "box run --branch b -- $status"
    compare overlay-git-status-vs-native - "${m[1]}" "${m[0]}"
    compare branch-git-status-vs-overlay 1.3 "${m[2]}" "${m[1]}"
    overlay_end
    box branch drop --yes b
    files_clear
}

floors() {
    floor_guard
    floor_gate
    floor_tls
    floor_overlay
}
