# The folder, the lock and the cgroup of one run, and their removal. Sourced, never run.
#
# A run is alive as long as the lock $lab/runs/ID.lock is held, and only the process tests/lab/run holds it.
# Whoever gets the lock of a run that exists may therefore remove it: its janitor, or any later run.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

# A mount of the whole cgroup2 hierarchy, in the private mount namespace of tests/lab/run.
runs_cgroups=$lab/cgroup

runs_prepare() {
    # 0700: every run has the same user, which must not reach the home of another run.
    mkdir -p "$lab/runs" "$runs_cgroups"
    chmod 700 "$lab/runs" "$runs_cgroups"
    mount -t cgroup2 cgroup2 "$runs_cgroups"
}

# Makes a run and sets run_id and run_dir. The lock stays held until this process ends.
runs_begin() {
    local all
    exec {all}>"$lab/runs/.lock"
    flock "$all" # so that nobody sweeps between the next steps
    run_dir=$(mktemp -d "$lab/runs/XXXXXXXX")
    run_id=${run_dir##*/}
    exec {run_lock}>"$run_dir.lock"
    flock "$run_lock"
    exec {all}>&-
}

# Puts the run's files in memory, where that has room for several runs and, since Linux 6.6, the user.* attributes that
# overlays of an ordinary user need. Containers create and remove files all the time, at which a disk is slow, and ext4
# without a journal most of all. Nobody else sees the mount, and it ends with the run.
runs_to_memory() {
    local free
    free=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    [ "$free" -ge 12 ] && printf '6.6\n%s\n' "$(uname -r)" | sort --check=quiet --version-sort || return 0
    mount -t tmpfs -o mode=700,size=50% litterbox-lab "$run_dir"
}

# Puts the run's files on a new file system of type KIND, in an image that is gone when the run's mount is.
runs_to_file_system() { # KIND
    local image=$lab/runs/$run_id.disk
    [[ $1 = @(btrfs|xfs|ext4) ]] || die "--disk $1: btrfs, xfs or ext4?"
    grep -qw "$1" /proc/filesystems || die "--disk $1: this kernel does not have it"
    truncate --size 8G "$image"
    "mkfs.$1" -q "$image" >/dev/null || die "--disk $1: cannot make it"
    mount -o loop "$image" "$run_dir" || die "--disk $1: cannot mount it"
    rm "$image"
    chmod 700 "$run_dir"
}

# Removes what killed runs left behind.
runs_sweep() {
    local lock all one
    for lock in "$lab"/runs/*.lock; do
        [ -e "$lock" ] || continue
        exec {all}>"$lab/runs/.lock"
        flock "$all"
        one=
        [ ! -e "$lock" ] || exec {one}<"$lock"
        if [ -n "$one" ] && flock -n "$one"; then
            exec {all}>&-
            lock=${lock##*/}
            runs_remove "${lock%.lock}"
        fi
        [ -z "$one" ] || exec {one}<&-
        exec {all}>&-
    done
}

# Ends every process of a run, then removes its cgroup, its files and its lock.
runs_remove() {
    local id=$1 cgroup=$runs_cgroups/litterbox-lab/$1 wait
    if [ -d "$cgroup" ]; then
        echo 1 >"$cgroup/cgroup.kill"
        # A process that is just exiting keeps its cgroup busy, also when it is not populated any more.
        for ((wait = 0; wait < 3000; wait++)); do
            ! find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || break
            sleep 0.01
        done
        [ ! -d "$cgroup" ] || echo "lab: cannot remove $cgroup" >&2
    fi
    umount --lazy "$lab/runs/$id" 2>/dev/null || true # a disk
    # As root: container storage holds files of subordinate users.
    rm -rf --one-file-system "${lab:?}/runs/${id:?}"
    rm -f "$lab/runs/$id.disk" "$lab/runs/$id.lock"
}
