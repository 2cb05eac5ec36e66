# Once for a whole run: one Podman service for all tests, on a socket of ours.
# shellcheck shell=bash

setup_suite() {
    local socket=$XDG_RUNTIME_DIR/litterbox-tests-$$.sock
    podman system service --time=0 "unix://$socket" </dev/null >/dev/null 2>&1 3>&- 4>&- &
    SERVICE_PID=$!
    export CONTAINER_HOST=unix://$socket SERVICE_PID
    for _ in $(seq 100); do
        curl -s --unix-socket "$socket" http://d/_ping >/dev/null && return
        sleep 0.1
    done
    return 1
}

teardown_suite() {
    # It is two processes, and a signal to the one that we started does not always reach the other.
    pkill -f "^podman system service --time=0 $CONTAINER_HOST\$" || true
    wait "$SERVICE_PID" 2>/dev/null || true
    rm -f "${CONTAINER_HOST#unix://}"
}
