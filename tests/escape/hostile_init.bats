#!/usr/bin/env bats
# Root of a box puts a listener of its own in place of the control socket: what it can do to the
# `box` on the host (invariants 7, 8, 9): nothing but to be a box that does not work.

load escape.bash
setup_file() {
    escape_setup_file
    # The strongest root that a box can have.
    escape_config '[security]
sudo = "allow"'
    box run -- sh -c 'cat >/tmp/hostile_init.py' <"$BATS_TEST_DIRNAME/hostile_init.py"
    SOCKET=$RUNTIME/shop/ctl/sock
    export SOCKET
    mkfifo "$TEST_HOME/orders"
    start_orders
}

# The way in that stays open for the tests: a session of root's that takes orders from a pipe.
start_orders() {
    box run -u root -- bash -c 'while read -r order; do
        [ -z "$server" ] || kill "$server" 2>/dev/null
        rm -rf /run/litterbox/root/ctl/sock
        case $order in
        link-to-host=*) ln -s "${order#*=}" /run/litterbox/root/ctl/sock ;;
        folder) mkdir -p /run/litterbox/root/ctl/sock/x ;;
        *) python3 /tmp/hostile_init.py /run/litterbox/root/ctl/sock "$order" & server=$! ;;
        esac
    done' <"$TEST_HOME/orders" >/dev/null 2>&1 3>&- &
    sleep 1000 >"$TEST_HOME/orders" 3>&- &
    HOLDER=$!
    export HOLDER
}

teardown_file() {
    kill "$HOLDER" 2>/dev/null || true
    box_teardown
}
setup() { escape_setup; }

order() {
    # Opening would wait for a reader for ever.
    timeout 5 sh -c 'echo "$1" >"$2"' - "$1" "$TEST_HOME/orders" || fail "nobody takes orders"
    case $1 in
    link*) eventually 5 test -L "$SOCKET" ;;
    folder) eventually 5 test -d "$SOCKET" ;;
    *) eventually 10 accepts ;;
    esac
}

accepts() {
    test -S "$SOCKET" && python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$SOCKET" 2>/dev/null
}

# A clear error, no crash, no hang, nothing for the terminal to act upon.
fails_well() {
    order "$1"
    run timeout -k 1 "${2:-15}" box run -- echo ran-here </dev/null
    [ "$status" -lt 124 ] || [ "$status" = 125 ] || fail "status $status: $output"
    [ "$status" != 0 ] || fail "success: $output"
    refute_contains ran-here
    assert_no_controls
}

@test "hostile init: garbage (9)" { fails_well garbage; }
@test "hostile init: a length of 4 GiB (9)" { fails_well huge; }
@test "hostile init: a message that only clients send, and large (9)" { fails_well start_to_client; }
@test "hostile init: half a header (9)" { fails_well short; }
@test "hostile init: FAILED with numbers that mean nothing (9)" { fails_well failed_escapes; }
@test "hostile init: EXITED before STARTED (9)" { fails_well early_exit; }
@test "hostile init: silence (9)" { fails_well silent; }

@test "hostile init: half a message in the middle of a session (9)" {
    order half
    run timeout -k 1 -s INT 20 box run -- true </dev/null
    [ "$status" != 137 ] || fail "cannot be interrupted: $output"
}

@test "hostile init: EXITED twice, a status of 31 bits (9)" {
    order exited_twice
    run timeout 10 box run -- true </dev/null
    assert_status 0
    order wild_status
    run timeout 10 box run -- true </dev/null
    assert_status 42
}

@test "hostile init: 200 descriptors that nobody asked for (9)" {
    order many_descriptors
    run timeout 10 box run -- true </dev/null
    [ "$status" = 0 ] || [ "$status" = 125 ]
}

@test "hostile init: a folder, a file, nothing instead of a terminal (1, 9)" {
    local kind
    for kind in folder_as_pty file_as_pty no_pty; do
        order "$kind"
        run timeout 20 python3 "$BATS_TEST_DIRNAME/../lib/on_terminal.py" box run -t -- true
        [ "$status" = 125 ] || fail "$kind: status $status: $output"
    done
}

@test "hostile init: 20,000 questions without a terminal are 20,000 times no (6, 9)" {
    order ask_flood
    run timeout -k 1 20 setsid box run -- true </dev/null
    [ "$status" -lt 124 ] || [ "$status" = 125 ] || fail "status $status"
}

@test "hostile init: a question with escape sequences, line breaks, bidi and 3,000 letters (8)" {
    order ask_escapes
    run timeout 20 python3 "$BATS_TEST_DIRNAME/../lib/on_terminal.py" --send 'n\r' box run -- true
    assert_contains harmless
    output=${output//$'\r'/}
    # Only what the client itself sends before a question may be there.
    refute_contains $'\e[2J'
    refute_contains $'\e]0;'
    refute_contains $'\xe2\x80\xae'
    refute_contains $'\xc2\x9b'
    refute_contains "$(printf 'x%.0s' {1..1000})"
    [[ $output != *$'\n'"box: all is well"* ]] || fail "a line of its own: $output"
}

@test "hostile init: box list and status neither hang nor show controls (8, 9)" {
    local kind
    for kind in garbage silent half; do
        order "$kind"
        run timeout 15 box list
        assert_status 0
        assert_contains shop
        assert_no_controls
    done
}

@test "hostile init: after all this a restart brings the box back (9)" {
    kill "$HOLDER"
    box run -u root -- sh -c 'rm -rf /run/litterbox/root/ctl/sock
        mkdir -p /run/litterbox/root/ctl/sock/x' || true
    run timeout 60 box restart
    assert_status 0
    assert_box_alive
}

@test "hostile init: a symbolic link in place of the socket is not followed (2)" {
    # The restart ended the one that took orders, and its /tmp.
    box run -- sh -c 'cat >/tmp/hostile_init.py' <"$BATS_TEST_DIRNAME/hostile_init.py"
    start_orders
    # To a socket of the host's that the box cannot reach itself: the host's client must not be its arm.
    python3 - "$TEST_HOME/other.sock" "$TEST_HOME/reached" <<'END' 3>&- &
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
s.accept()
open(sys.argv[2], "w").write("reached")
END
    local listener=$!
    eventually 5 test -S "$TEST_HOME/other.sock"
    order "link-to-host=$TEST_HOME/other.sock"
    run timeout 30 box run -- true </dev/null
    [ ! -e "$TEST_HOME/reached" ] || fail "the link was followed"
    kill "$listener" "$HOLDER"
}
