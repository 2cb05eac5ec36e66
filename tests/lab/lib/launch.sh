# Starts a run's processes, passes signals to them, waits for them. Sourced, never run.
#
#   tests/lab/run ─┬─ janitor                  waits for our death
#                  ├─ slirp4netns              in the machine's network
#                  └─ unshare ── PID 1: lib/pid1, lib/view, tini ── the command
#
# Killed in any way, we take `unshare` and slirp4netns along (pdeathsig), `unshare` takes PID 1 along
# (--kill-child), and with its PID 1 the kernel ends the whole namespace.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317 # names shared with those who source it; traps call functions

launch() { # COMMAND [ARGUMENT…]
    setsid "$lab_here/lib/janitor" "$run_id" </dev/null >/dev/null 2>&1 {run_lock}>&- &
    launch_janitor=$!

    export lab_run=$run_dir lab_cgroup=$runs_cgroups/litterbox-lab/$run_id lab_terminal=no
    launch_make_cgroup
    launch_find_terminal

    trap 'launch_stop INT 2' INT
    trap 'launch_stop TERM 15' TERM
    trap 'launch_stop HUP 1' HUP
    trap 'launch_pass_on WINCH' WINCH

    local namespaces=(--mount --ipc --pid --fork --kill-child --mount-proc)
    [ "$lab_net" = host ] || namespaces+=(--net)
    # In its own session, so that the terminal's signals come to us alone and its foreground stays ours.
    # Bash ignores INT and QUIT for what it starts with "&": the command must not inherit that.
    launch_outer setsid env --default-signal=INT,QUIT setpriv --pdeathsig KILL \
        unshare "${namespaces[@]}" -- "$lab_here/lib/pid1" "$@" <&0 &
    launch_supervisor=$!
    [ "$lab_net" != own ] || launch_network
}

# Runs a command in the outer part of the run's cgroup, where runs_remove finds it whatever happens: the lock,
# which would keep runs_remove away, is given up only after that.
launch_outer() {
    echo 0 >"$lab_cgroup/outer/cgroup.procs"
    exec {run_lock}>&-
    exec "$@"
}

launch_make_cgroup() {
    local folder controller
    mkdir -p "$lab_cgroup/inner" "$lab_cgroup/outer"
    for folder in "$runs_cgroups" "$runs_cgroups/litterbox-lab" "$lab_cgroup"; do
        for controller in $(<"$folder/cgroup.controllers"); do
            echo "+$controller" >"$folder/cgroup.subtree_control" 2>/dev/null || true
        done
    done
}

# A terminal is the command's only when all three streams are it, and when we are in its foreground.
launch_find_terminal() {
    local stat
    [ -t 0 ] && [ -t 1 ] && [ -t 2 ] || return 0
    read -r -a stat <"/proc/$$/stat"
    [ "${stat[4]}" = "${stat[7]}" ] || return 0
    lab_terminal=yes
    launch_terminal_state=$(stty -g)
}

# Connects the run's network to the machine's. Not with a bridge: the machine's rules are not ours to change.
launch_network() {
    local ours theirs
    ours=$(readlink /proc/self/ns/net)
    while theirs=$(readlink "/proc/$launch_supervisor/ns/net") && [ "$theirs" = "$ours" ]; do
        sleep 0.005 # `unshare` has not come to it yet
    done
    launch_outer setsid setpriv --pdeathsig KILL slirp4netns --configure --mtu=65520 --disable-host-loopback \
        --cidr="$lab_net_cidr" --ready-fd=3 --netns-type=path "/proc/$launch_supervisor/ns/net" tap0 \
        </dev/null >"$lab_run/net.log" 2>&1 3>"$lab_run/net-ready" &
    disown # or bash would report how it ended
}

launch_wait() {
    launch_status=0
    while kill -s 0 "$launch_supervisor" 2>/dev/null; do
        # A signal that we pass on ends the `wait`, too. Bash would report how the job ended.
        wait "$launch_supervisor" 2>/dev/null && launch_status=0 || launch_status=$?
    done
    launch_status=${launch_stopped:-$launch_status}
}

# Passes a signal to PID 1, which passes it to the command.
launch_pass_on() { # SIGNAL
    local first
    first=$(cat "/proc/$launch_supervisor/task/$launch_supervisor/children" 2>/dev/null) || return 0
    [ -z "$first" ] || kill -s "$1" "${first%% *}" 2>/dev/null || true
}

# Passes a signal on; what has not ended 5 s later, or at a second signal, is ended.
launch_stop() { # SIGNAL NUMBER
    [ -z "${launch_stopped-}" ] || kill -s KILL "$launch_supervisor" 2>/dev/null || true
    launch_stopped=$((128 + $2))
    launch_pass_on "$1"
    launch_outer bash -c "sleep 5 && kill -s KILL $launch_supervisor" </dev/null >/dev/null 2>&1 &
    disown
}

launch_clean() {
    kill "$launch_janitor" 2>/dev/null || true
    [ "$lab_terminal" = no ] || stty "$launch_terminal_state"
}
