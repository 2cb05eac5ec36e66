# Starts and stops the one Podman service of all tests of a run. Sourced.
# shellcheck shell=bash

# Starts it and sets CONTAINER_HOST; waits until it answers.
start_service() {
    local socket=$XDG_RUNTIME_DIR/litterbox-tests-$$.sock
    podman system service --time=0 "unix://$socket" </dev/null >/dev/null 2>&1 &
    service=$!
    export CONTAINER_HOST=unix://$socket
    for _ in $(seq 600); do
        curl -s --unix-socket "$socket" http://d/_ping >/dev/null && return
        kill -0 "$service" 2>/dev/null || break
        sleep 0.1
    done
    echo "not ok 1 - Podman's service for the tests starts"
    return 1
}

stop_service() {
    # The service is two processes, and a signal to the first does not always reach the second.
    pkill -f "^podman system service --time=0 $CONTAINER_HOST\$"
    wait "$service" 2>/dev/null
    rm -f "${CONTAINER_HOST#unix://}"
}
