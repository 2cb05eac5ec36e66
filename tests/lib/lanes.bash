# Which Podman a bats file runs on, and the queues from which the lab's lanes take files. Sourced.
# shellcheck shell=bash

# The lab's Podmans that FILE runs on: one line each. A run has most files on one of them, so that it ends in time;
# BOX_TESTS_ALL=1, for a release, has all files on both but those that only one of them can run.
podmans_of() { # FILE
    case ${1#tests/} in
    # What depends on how Podman creates, starts, lists and removes containers, and on their networks.
    cli/boxes.bats | cli/limits.bats | cli/network.bats | cli/run.bats | */devices.bats | cli/gpu.bats) echo 4 5 ;;
    escape/images.bats | escape/network.bats | escape/privileges.bats | escape/boxes.bats) echo 4 5 ;;
    # What depends on it less, and takes long: images, layers, and the programs in a box.
    cli/apply.bats | cli/container_diff.bats | cli/image_env.bats | cli/branch.bats) in_turn ;;
    escape/build.bats | escape/nested.bats | escape/network_filtered.bats) in_turn ;;
    # Programs of the host: Emacs, Helix, rustup, starship and those from npm are in the lab's Debian 13, which has no
    # cargo beside rustup.
    escape/host_tools_13.bats | escape/host_tools_npm.bats) echo 5 ;;
    escape/host_tools_12.bats) echo 4 ;;
    # Needs Debian 12 or its compilers: quickstart, Chromium, OpenSSH's key files, git's own tests.
    cli/quickstart.bats | desktop/login.bats | desktop/chromium.bats | cli/ssh_keys.bats | cli/git_suite.bats) echo 4 ;;
    # The desktop outside of a box: an X11 desktop, and compositors without security contexts.
    desktop/x11_host.bats | desktop/clipboard_x11.bats | desktop/no_contexts.bats) echo 4 ;;
    # Debian 13's compositor has security contexts; Debian 13 has other SSH agents, a newer logind and Python.
    desktop/contexts.bats | desktop/clipboard_wayland.bats | cli/python_suite.bats) echo 5 ;;
    cli/agent_upstreams.bats | cli/agent_logind.bats | cli/agent_regress.bats) echo 5 ;;
    # What either can run: each lab takes a part, so that both end at about one time.
    cli/image.bats | cli/packages.bats | cli/uninstall.bats | cli/network_groups.bats | cli/doctor.bats) either 4 ;;
    cli/completion.bats | cli/help.bats | cli/parts.bats | cli/keys.bats | cli/changes.bats) either 4 ;;
    cli/agent_requests.bats | cli/agent_ssh.bats | cli/agent_clients.bats | cli/service.bats) either 4 ;;
    cli/stress_ng.bats | escape/hostile_init.bats | escape/calls.bats | escape/roots.bats) either 4 ;;
    escape/packages.bats | escape/planted.bats | escape/other_user.bats | escape/host.bats) either 4 ;;
    prompt/* | desktop/clipboard.bats | desktop/x11.bats | cli/app.bats) either 4 ;;
    *) either 5 ;;
    esac | tr ' ' '\n'
}

either() { # VERSION
    if [ -n "${BOX_TESTS_ALL:-}" ]; then echo 4 5; else echo "$1"; fi
}

# One Podman for this commit, and the other for the next: what is not seen in one run is in another.
in_turn() { either "$lanes_turn"; }
lanes_turn=$((4 + $(git -C "${BASH_SOURCE[0]%/*}" rev-list --count HEAD 2>/dev/null || echo 0) % 2))

# Fails when podmans_of names a file that does not exist, as after a rename.
lanes_check() {
    local file status=0
    for file in $(declare -f podmans_of files_for | grep -oE '[a-z]+/[a-z0-9_]+\.bats'); do
        [ -e "tests/$file" ] || { echo "tests/lib/lanes.bash names tests/$file" && status=1; }
    done
    return "$status"
}

# Prints the FILEs that run on VERSION, one a line. Those that mostly wait for a program's timeouts come first, beside the
# compiler (tests/run, compute): three of them at a time later would leave the processors idle. Slow files are next, so
# that the last lane is not busy with one of them alone.
files_for() { # VERSION FILE…
    local version=$1 file
    shift
    for file in "$@"; do
        podmans_of "$file" | grep -qx "$version" || continue
        case ${file#tests/} in
        cli/agent_logind.bats | cli/faults.bats | */clipboard*.bats | escape/gate_faults.bats) echo "0 $file" ;;
        escape/secrets_login_attacks.bats | escape/hostile_init.bats | escape/sound.bats) echo "0 $file" ;;
        escape/terminal.bats) echo "0 $file" ;;
        cli/git_suite.bats | cli/python_suite.bats | cli/quickstart.bats | cli/image.bats) echo "1 $file" ;;
        cli/agent_regress.bats | escape/build_gate.bats | prompt/wayland.bats | escape/x11.bats) echo "1 $file" ;;
        cli/ssh_keys.bats | escape/roots.bats | escape/guard.bats | escape/host_tools_npm.bats) echo "2 $file" ;;
        desktop/portal.bats | desktop/x11.bats | desktop/appearance.bats | cli/crash.bats) echo "2 $file" ;;
        prompt/*.bats | escape/apps.bats | cli/agent_killed.bats | cli/service.bats | cli/app.bats) echo "3 $file" ;;
        *) echo "4 $file" ;;
        esac
    done | sort -s -n -k 1,1 | cut -d ' ' -f 2
}

# A queue is a file of records of one size, open once for all lanes: they share the position, and the kernel
# gives each record to one of them (read(2), "f_pos" is locked since Linux 3.14).
queue_record=128

# Writes the queue of the FILEs, for a lane's standard input.
queue_write() { # FILE…
    printf "%-$((queue_record - 1))s\n" "$@"
}

# Prints the next file of the queue on standard input; fails when it is empty.
queue_take() {
    local record
    record=$(dd bs="$queue_record" count=1 status=none) || return
    [ -n "$record" ] && echo "${record%% *}"
}

# Whether it is too late to begin another file (BOX_TESTS_UNTIL: seconds since 1970).
no_time_left() { [ -n "${BOX_TESTS_UNTIL:-}" ] && [ "$EPOCHSECONDS" -ge "$BOX_TESTS_UNTIL" ]; }

# queue_is_empty DESCRIPTOR: whether all files of the queue have been taken.
queue_is_empty() {
    local position size
    position=$(awk '$1 == "pos:" { print $2 }' "/proc/$BASHPID/fdinfo/$1") || return
    size=$(stat --dereference --format %s "/proc/$BASHPID/fd/$1") || return
    [ "$position" -ge "$size" ]
}

# Returns when the processors were idle for a quarter of two seconds, when the queue on standard input is empty, or when
# it is too late: other programs of the machine may keep it busy for ever.
wait_for_idle() {
    local cpu before=0 idle_before=0 i total idle
    until queue_is_empty 0 || no_time_left; do
        read -ra cpu </proc/stat # proc_stat(5): user nice system idle iowait irq softirq steal
        total=0 idle=$((cpu[4] + cpu[5]))
        for i in {1..8}; do total=$((total + cpu[i])); done
        [ "$before" = 0 ] || [ $(((idle - idle_before) * 4)) -lt $((total - before)) ] || return 0
        before=$total idle_before=$idle
        sleep 2
    done
}
