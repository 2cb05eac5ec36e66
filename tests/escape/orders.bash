# A box whose root replaces the control socket by its own listener (hostile_init.py), as the
# tests order. First set SOCKET to the control socket, and copy the program to /tmp of the box.
# shellcheck shell=bash

# A session of root that reads orders from a pipe.
start_orders() {
    rm -f "$TEST_HOME/taken"
    box run -u root -- bash -c 'while read -r order; do
        [ -z "$server" ] || kill "$server" 2>/dev/null
        rm -rf /run/litterbox/root/ctl/sock
        case $order in
        folder) mkdir -p /run/litterbox/root/ctl/sock/x ;;
        *) python3 /tmp/hostile_init.py /run/litterbox/root/ctl/sock "$order" >/dev/null 2>&1 & server=$! ;;
        esac
        echo "taken: $order"
    done' <"$TEST_HOME/orders" >"$TEST_HOME/taken" 2>/dev/null 3>&- &
    sleep 1000 >"$TEST_HOME/orders" 3>&- &
    HOLDER=$!
    export HOLDER
    # Made when both have opened the pipe: else the session could end with the first order.
    eventually test -e "$TEST_HOME/taken"
}

order() {
    local before
    before=$(grep -c . "$TEST_HOME/taken") || true # 0
    # Opening a FIFO without a reader would block forever.
    timeout 30 sh -c 'echo "$1" >"$2"' - "$1" "$TEST_HOME/orders" || fail "nobody takes orders"
    # Before that, the last listener is still there.
    eventually is_taken "$before"
    case $1 in
    folder) eventually test -d "$SOCKET" ;;
    *) eventually accepts "$SOCKET" ;;
    esac
}

is_taken() { [ "$(grep -c . "$TEST_HOME/taken")" -gt "$1" ]; }
accepts() { # SOCKET, also with a queue that is full
    test -S "$1" && python3 -c '
import errno, socket, sys
line = socket.socket(socket.AF_UNIX)
line.setblocking(False)
sys.exit(line.connect_ex(sys.argv[1]) not in (0, errno.EAGAIN))' "$1" 2>/dev/null
}
