# Small things that every part of the lab uses. Sourced, never run.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

# Everything that the lab builds or leaves behind lies here, so that several clones can share it.
lab=${LITTERBOX_LAB:-/var/cache/litterbox-lab}

# The ordinary user of a lab, and a second one. They exist in the lab's own /etc/passwd only.
export lab_user=dev lab_uid=1000 lab_home=/home/dev
export lab_other=other lab_other_uid=1001 lab_other_home=/home/other
# A supplementary group of the user's, as a desktop has them (video, wheel), and what it alone opens.
export lab_group=labgroup lab_gid=4242 lab_group_folder=/var/tmp/labgroup
# The users' subordinate IDs: what newuidmap lets them map into their user namespaces.
export lab_subid_first=100000 lab_other_subid_first=165536 lab_subid_count=65536

say() {
    printf 'lab: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 125 # as `podman run` and `docker run` do when it is not the command that failed
}

# The network of a run, chosen apart from what Podman, slirp4netns and Litterbox use by themselves.
lab_net_cidr=10.41.0.0/24 lab_net_dns=10.41.0.3
# A second address of the machine's, such as that of a bridge: pasta gives a box the first one.
lab_net_second=10.42.0.1

# Mirrors fail now and then, for a moment.
try_thrice() {
    local attempt
    for attempt in 1 2 3; do
        "$@" && return
        say "attempt $attempt of 3 failed: $*"
        sleep "$attempt"
    done
    return 1
}
