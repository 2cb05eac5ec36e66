# Which Podman a bats file runs on, and the queues from which the lab's lanes take files. Sourced.
# shellcheck shell=bash

# The lab's Podmans that FILE runs on: one line each. A file runs on both where what it tests depends
# on how Podman creates, starts or lists containers. The others run once, divided between both labs.
podmans_of() { # FILE
    case ${1#tests/} in
    # Programs of the host: Emacs, Helix, rustup, starship and those from npm are in the lab's Debian 13, which has no
    # cargo beside rustup.
    escape/host_tools_13.bats | escape/host_tools_npm.bats) echo 5 ;;
    escape/host_tools_12.bats) echo 4 ;;
    # Needs Debian 12 or its compiler and nothing of Podman: quickstart, Chromium, OpenSSH's key files.
    cli/quickstart.bats | desktop/login.bats | desktop/chromium.bats | cli/ssh_keys.bats) echo 4 ;;
    # The desktop outside of a box: an X11 desktop, and compositors without security contexts.
    desktop/x11_host.bats | desktop/clipboard_x11.bats | desktop/no_contexts.bats) echo 4 ;;
    # Debian 13's compositor has security contexts; Debian 13 has other SSH agents, and a newer logind.
    desktop/contexts.bats | desktop/clipboard_wayland.bats) echo 5 ;;
    cli/agent_upstreams.bats | cli/agent_logind.bats | cli/agent_regress.bats) echo 5 ;;
    # Installs packages for minutes.
    cli/image.bats) echo 4 ;;
    # A client of sessions.
    */mcp.bats | cli/tools.bats) echo 5 ;;
    # The kernel alone; git's tests need Debian 12's compilers.
    cli/git_suite.bats | cli/stress_ng.bats) echo 4 ;;
    cli/filesystem.bats | cli/python_suite.bats) echo 5 ;;
    # Fake Podmans that misbehave.
    cli/faults.bats | cli/crash.bats) echo 5 ;;
    # Windows, the desktop and its helpers: sockets that both Podmans mount the same way.
    prompt/* | desktop/clipboard.bats | desktop/x11.bats | cli/app.bats) echo 4 ;;
    desktop/*) echo 5 ;;
    # The SSH agent: one socket in a box. cli/agent.bats tests on both that it is there.
    cli/agent.bats) echo 4 5 ;;
    cli/agent_requests.bats | cli/agent_ssh.bats | cli/agent_clients.bats) echo 4 ;;
    cli/agent_*.bats | escape/agent.bats | escape/network_asked.bats) echo 5 ;;
    # Protocols between box-init, its clients and helpers; the guard, which uses only the kernel.
    escape/hostile_init.bats) echo 4 ;;
    escape/terminal*.bats | escape/port.bats | escape/control.bats | escape/guard.bats) echo 5 ;;
    # With Podman 4 on btrfs and XFS (other_disks of tests/run).
    escape/hidden.bats | escape/protect.bats | escape/repositories.bats | escape/reserved.bats) echo 5 ;;
    # What remains when a session ends: processes of a box, no matter who started it.
    */keep_alive.bats | cli/hang_up.bats | cli/top.bats) echo 5 ;;
    # Builds and removals: those of cli/apply, escape/build, escape/keep_files and cli/first_day.bats run on both.
    cli/packages.bats | cli/uninstall.bats | cli/network_groups.bats) echo 4 ;;
    # The gate alone; escape/network_filtered.bats runs on both.
    escape/gate_faults.bats) echo 5 ;;
    cli/upgrade.bats | cli/prune.bats | cli/keep_files.bats | cli/rename.bats) echo 5 ;;
    # Files that Litterbox makes for a box, and mounts that other files test on both.
    cli/new_home.bats | cli/host_keys.bats | cli/git_identity.bats | cli/toolchains.bats | cli/device.bats) echo 5 ;;
    cli/json.bats | */shim_git.bats) echo 5 ;;
    escape/appearance.bats | escape/bus.bats | escape/clipboard.bats | escape/desktop.bats) echo 5 ;;
    escape/sound.bats | escape/x11.bats | escape/apps.bats | escape/shims.bats | escape/show.bats) echo 5 ;;
    cli/port_load.bats | cli/port_crash.bats | cli/edit.bats | cli/enter.bats | cli/sudo.bats) echo 5 ;;
    # The forwarder's socket, the lines of helpers' logs, names and folders of boxes: no Podman makes them.
    cli/port.bats | cli/helpers.bats | cli/registry.bats) echo 5 ;;
    # The gate and its helpers; network_filtered.bats runs on both.
    escape/secrets.bats) echo 5 ;;
    # Overlays of branches: cli/branch.bats mounts them on both.
    escape/branch.bats | cli/branch_take.bats) echo 5 ;;
    # Copies go through a session.
    cli/cp.bats | escape/cp.bats | cli/clone.bats | escape/clone.bats) echo 5 ;;
    # These create no container, or test nothing in it.
    cli/completion.bats | cli/help.bats | cli/parts.bats | cli/keys.bats | cli/changes.bats) echo 4 ;;
    cli/trust.bats | cli/shim.bats | cli/words.bats | cli/here.bats | cli/becoming_a_project.bats) echo 5 ;;
    *) echo 4 5 ;;
    esac | tr ' ' '\n'
}

# Fails when podmans_of names a file that does not exist, as after a rename.
lanes_check() {
    local file status=0
    for file in $(declare -f podmans_of files_for | grep -oE '[a-z]+/[a-z0-9_]+\.bats'); do
        [ -e "tests/$file" ] || { echo "tests/lib/lanes.bash names tests/$file" && status=1; }
    done
    return "$status"
}

# Prints the FILEs that run on VERSION, one a line. Slow files come first, so that the last
# lane is not busy with one of them alone.
files_for() { # VERSION FILE…
    local version=$1 file
    shift
    for file in "$@"; do
        podmans_of "$file" | grep -qx "$version" || continue
        case ${file#tests/} in
        cli/git_suite.bats | cli/python_suite.bats) echo "0 $file" ;;
        cli/quickstart.bats | cli/image.bats | cli/ssh_keys.bats | cli/agent_regress.bats) echo "0 $file" ;;
        cli/agent_logind.bats | desktop/appearance.bats | desktop/clipboard*.bats | cli/faults.bats) echo "1 $file" ;;
        escape/roots.bats | desktop/portal.bats | */x11.bats | escape/sound.bats | cli/crash.bats) echo "2 $file" ;;
        escape/clipboard.bats | escape/terminal*.bats | escape/guard.bats | escape/host_tools_npm.bats) echo "2 $file" ;;
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

# queue_is_empty DESCRIPTOR: whether all files of the queue have been taken.
queue_is_empty() {
    local position size
    position=$(awk '$1 == "pos:" { print $2 }' "/proc/$BASHPID/fdinfo/$1") || return
    size=$(stat --dereference --format %s "/proc/$BASHPID/fd/$1") || return
    [ "$position" -ge "$size" ]
}
