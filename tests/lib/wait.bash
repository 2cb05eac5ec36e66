# Waiting for what happens, instead of for time to pass.
# shellcheck shell=bash

# eventually [--within SECONDS] COMMAND…: repeats COMMAND until it succeeds. The limit only ends a test that has
# failed: 45 s are enough for a busy machine, and less than the agent's questions last (QUESTIONS_SECONDS).
eventually() {
    local limit=45
    [ "$1" != --within ] || { limit=$2 && shift 2; }
    type -t "$1" >/dev/null || { echo "no command: $1" >&2; return 1; }
    local end=$((SECONDS + limit))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "not true within $limit s: $*" >&2; return 1; }
        sleep 0.05
    done
}
