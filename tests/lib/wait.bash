# Waits for events instead of fixed times.
# shellcheck shell=bash

# Several helpers source this.
if declare -F eventually >/dev/null; then return; fi

# shellcheck source=tests/lib/trace.bash
. "${BASH_SOURCE[0]%/*}/trace.bash"

# pause SECONDS: waits as sleep(1) does, but starts no program, as a test pauses some 25 times. It reads a FIFO to which nobody
# writes.
pause() {
    local never=${BATS_RUN_TMPDIR:-/nonexistent}/never
    [ -p "$never" ] || mkfifo "$never" 2>/dev/null || { sleep "$1" && return; }
    read -rt "$1" <>"$never" || [ "$?" -gt 128 ] || sleep "$1"
}

# eventually [--within SECONDS] COMMAND…: repeats COMMAND until it succeeds. The limit only ends a failed test:
# 45 s is enough on a busy machine, and shorter than the agent's questions (QUESTIONS_SECONDS). Looks less often
# the longer it takes, as looking computes, and others of the labs' tests wait for that.
eventually() {
    local limit=45 pauses=(0.05 0.05 0.05 0.1 0.1 0.15 0.2)
    [ "$1" != --within ] || { limit=$2 && shift 2; }
    type -t "$1" >/dev/null || { echo "no command: $1" >&2; return 1; }
    local end=$((SECONDS + limit))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "not true within $limit s: $*" >&2; return 1; }
        pause "${pauses[0]}"
        [ "${#pauses[@]}" = 1 ] || pauses=("${pauses[@]:1}")
    done
}

# prints TEXT COMMAND…: for eventually; what COMMAND says has TEXT, and is in $output. For logs: what writes them is not
# what somebody has waited for.
prints() {
    # shellcheck disable=SC2034 # as bats' run sets it
    output=$("${@:2}" 2>&1) && [[ $output == *"$1"* ]]
}

# process_ended PID: also a child whose status bash has not asked for yet, which kill -0 finds. Bash may miss the signal
# about it while it runs functions, and asks again when it starts the next program.
process_ended() {
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    [[ ${line##*) } == [ZX]* ]]
}

# socket_listens PATH: whether connections to the Unix socket are taken. Its file is there a moment before (bind(2)).
socket_listens() {
    awk -v path="$1" '$4 == "00010000" && $8 == path { found = 1 } END { exit !found }' /proc/net/unix
}

# A test's own function of such a name would take the place of what waits here.
readonly -f pause eventually prints process_ended socket_listens
