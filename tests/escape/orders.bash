# A box whose root puts a listener of its own (hostile_init.py) in place of the control socket, as the
# tests order it. Set SOCKET to the control socket first, and put the program into /tmp of the box.
# shellcheck shell=bash

# The way in that stays open for the tests: a session of root's that takes orders from a pipe.
start_orders() {
    box run -u root -- bash -c 'while read -r order; do
        [ -z "$server" ] || kill "$server" 2>/dev/null
        rm -rf /run/litterbox/root/ctl/sock
        case $order in
        folder) mkdir -p /run/litterbox/root/ctl/sock/x ;;
        *) python3 /tmp/hostile_init.py /run/litterbox/root/ctl/sock "$order" & server=$! ;;
        esac
    done' <"$TEST_HOME/orders" >/dev/null 2>&1 3>&- &
    sleep 1000 >"$TEST_HOME/orders" 3>&- &
    HOLDER=$!
    export HOLDER
}

order() {
    # Opening would wait for a reader for ever.
    timeout 5 sh -c 'echo "$1" >"$2"' - "$1" "$TEST_HOME/orders" || fail "nobody takes orders"
    case $1 in
    folder) eventually test -d "$SOCKET" ;;
    *) eventually accepts "$SOCKET" ;;
    esac
}

accepts() { # SOCKET
    test -S "$1" && python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1" 2>/dev/null
}
