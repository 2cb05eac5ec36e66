#!/usr/bin/env bats
# Root of a box replaces the control socket by its own listener. Attacks on the
# host's `box` through it (invariants 7, 8, 9); all that may happen is that this box does not work.

load escape.bash
load orders.bash
setup_file() {
    escape_setup_file
    # The most powerful root that a box can have.
    # Without a gate, for which `box` waits when another process has taken PID 1's place.
    escape_config '[security]
sudo = "allow"
[network]
mode = "open"'
    box run -- sh -c 'cat >/tmp/hostile_init.py' <"$BATS_TEST_DIRNAME/hostile_init.py"
    SOCKET=$RUNTIME/shop/ctl/sock
    export SOCKET
    mkfifo "$TEST_HOME/orders"
    start_orders
    # These make a client wait until its timeout, so they run in the background during the other tests.
    start_slow silent silent "run"
    start_slow half half "run"
    start_slow flood ask_flood "run"
    start_slow link link-to-host "run"
    start_slow endless endless app list
    start_hostile full full
}

# start_hostile NAME BEHAVIOUR: a box NAME whose root has this BEHAVIOUR.
start_hostile() {
    local project=$TEST_HOME/$1 socket=$RUNTIME/$1/ctl/sock real
    mkdir "$project"
    box init --no-file "$project"
    box run "$project" -- sh -c 'cat >/tmp/hostile_init.py' <"$BATS_TEST_DIRNAME/hostile_init.py"
    real=$(stat -c %i "$socket")
    if [ "$2" = link-to-host ]; then
        start_listener
        box run -u root "$project" -- ln -sf "$TEST_HOME/other.sock" /run/litterbox/root/ctl/sock
    else
        box run -u root --detach "$project" -- python3 /tmp/hostile_init.py /run/litterbox/root/ctl/sock "$2"
    fi
    eventually is_replaced "$socket" "$real"
}

# start_slow NAME BEHAVIOUR COMMAND…: the same, and a client that runs COMMAND for it, whose output goes to files and not
# to a pipe, which the box could keep open. With 'run' it is to run something.
start_slow() {
    local project=$TEST_HOME/$1 command=("${@:3}")
    start_hostile "$1" "$2"
    command+=("$project")
    [ "$3" != "run" ] || command+=(-- echo ran-here)
    # With INT, which a hanging client must not ignore, and without a terminal.
    (
        code=0
        timeout -k 1 -s INT 45 setsid box "${command[@]}" </dev/null >"$project.out" 2>&1 || code=$?
        echo "$code" >"$project.status"
    ) 3>&- &
}

is_replaced() { # SOCKET INODE
    [ "$(stat -c %i "$1" 2>/dev/null || echo "$2")" != "$2" ] && { [ -L "$1" ] || accepts "$1"; }
}

# The result of start_slow's client.
slow() {
    eventually test -s "$TEST_HOME/$1.status"
    status=$(cat "$TEST_HOME/$1.status")
    output=$(cat "$TEST_HOME/$1.out")
}

# A socket of the host that no box can reach.
start_listener() {
    python3 - "$TEST_HOME/other.sock" "$TEST_HOME/reached" <<'END' 3>&- &
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
s.accept()
open(sys.argv[2], "w").write("reached")
END
    LISTENER=$!
    export LISTENER
    eventually socket_listens "$TEST_HOME/other.sock"
}

teardown_file() {
    kill "$HOLDER" "$LISTENER" 2>/dev/null || true
    box_teardown
}
setup() { escape_setup; }

# Asserts a clear error, no crash, no hang, and no control sequences in the output.
fails_well() {
    order "$1"
    run timeout -k 1 60 box run -- echo ran-here </dev/null
    has_failed_well
}

has_failed_well() {
    [ "$status" -lt 124 ] || [ "$status" = 125 ] || fail "status $status: $output"
    [ "$status" != 0 ] || fail "success: $output"
    refute_contains ran-here
    assert_no_controls
}

@test "hostile init: garbage is an error (9)" { fails_well garbage; }
@test "hostile init: a length of 4 GiB is an error (9)" { fails_well huge; }
@test "hostile init: a large message that only clients send is an error (9)" { fails_well start_to_client; }
@test "hostile init: half a header is an error (9)" { fails_well short; }
@test "hostile init: FAILED with invalid numbers is an error (9)" { fails_well failed_escapes; }
@test "hostile init: EXITED before STARTED is an error (9)" { fails_well early_exit; }

@test "hostile init: silence ends with a timeout (9)" {
    slow silent
    has_failed_well
}

@test "hostile init: a session without an end, of which the user wants some output, ends with a timeout (9)" {
    eventually --within 60 test -s "$TEST_HOME/endless.status"
    slow endless
    has_failed_well
}

@test "hostile init: half a message during a session is an error (9)" {
    slow half
    has_failed_well
}

@test "hostile init: a second EXITED and a status of 31 bits do no harm (9)" {
    order exited_twice
    run timeout 60 box run -- true </dev/null
    assert_status 0
    order wild_status
    run timeout 60 box run -- true </dev/null
    assert_status 42
}

@test "hostile init: what it claims was left running is shown safely (8)" {
    order exited_left
    run timeout 60 box run -- true </dev/null
    assert_status 0
    assert_contains 'keeps running for: '
    assert_contains '4294967295 processes'
    assert_no_controls
    [[ $output != *$'\n'"box: "*$'\n'* ]] || fail "a line of its own: $output"
    local kind
    for kind in info_left info_long; do
        order "$kind"
        run timeout 60 box status
        assert_status 0
        assert_contains running
        assert_no_controls
        run timeout 60 box list --json
        assert_status 0
        jq -e '.[] | select(.name == "shop") | .kept_by == [] or .kept_by == null' <<<"$output"
    done
}

@test "hostile init: 200 unrequested descriptors do no harm (9)" {
    order many_descriptors
    run timeout 60 box run -- true </dev/null
    [ "$status" = 0 ] || [ "$status" = 125 ]
}

@test "hostile init: a folder, a file or nothing instead of a terminal is an error (1, 9)" {
    local kind
    for kind in folder_as_pty file_as_pty no_pty; do
        order "$kind"
        run timeout 60 "$TEST_TOOLS/on-terminal" box run -t -- true
        [ "$status" = 125 ] || fail "$kind: status $status: $output"
    done
}

@test "hostile init: a terminal that blocks whoever reads it does not hold up the end (9)" {
    for _ in 1 2 3; do
        order blocking_pty
        run timeout -k 1 20 "$TEST_TOOLS/on-terminal" box run -t -- true
        assert_status 0
    done
}

@test "hostile init: without a terminal, each of 20,000 questions is answered no (6, 9)" {
    slow flood
    [ "$status" -lt 124 ] || [ "$status" = 125 ] || fail "status $status: $output"
    refute_contains "Allow it"
}

@test "hostile init: a question with escape sequences and bidi is shown safely, and no part of a long one (8)" {
    order ask_escapes
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer 'Allow it?' 'n\r' box run -- true
    assert_contains harmless
    output=${output//$'\r'/}
    # Only the client's own control sequences before a question may be there.
    refute_contains $'\e[2J'
    refute_contains $'\e]0;'
    refute_contains $'\xe2\x80\xae'
    refute_contains $'\xc2\x9b'
    [[ $output != *$'\n'"box: all is well"* ]] || fail "a line of its own: $output"
    order ask_long
    run timeout 60 "$TEST_TOOLS/on-terminal" box run -- true
    assert_contains "too long to show"
    refute_contains vim
}

@test "hostile init: box list and status do not hang or show control characters (8, 9)" {
    local name
    order garbage
    # With boxes that are silent, stop in the middle of a message, or flood.
    run timeout 60 box list
    assert_status 0
    for name in shop silent half flood; do
        assert_contains "$name"
    done
    assert_no_controls
    for name in shop silent half; do
        run timeout 60 box status "$name"
        assert_status 0
        assert_contains running
        assert_no_controls
    done
}

@test "hostile init: an answer that never ends holds up nobody, nor does a message in a session (9)" {
    local terminal client
    order slow_info
    run timeout 30 box list
    assert_status 0
    run timeout 30 box status
    assert_status 0
    assert_contains running
    order slow_end
    "$TEST_TOOLS/on-terminal" box run -- true >"$TEST_HOME/shown" 2>&1 3>&- &
    terminal=$!
    eventually has_child "$terminal"
    client=$(pgrep -P "$terminal")
    # From then on it handles signals itself: that its terminal is gone, here.
    eventually blocks_hang_ups "$client" || { cat "$TEST_HOME/shown"; fail; }
    kill -HUP "$client"
    wait "$terminal" || true
}
has_child() { pgrep -P "$1" >/dev/null; }
blocks_hang_ups() { [ $((0x$(awk '/^SigBlk/ { print $2 }' "/proc/$1/status") & 1)) = 1 ]; }

@test "hostile init: a socket that accepts nobody holds up no command, and 'box run' repairs the box (9)" {
    # The control: to connect takes for ever.
    run timeout 3 python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$RUNTIME/full/ctl/sock"
    assert_status 124
    run timeout 60 box list
    assert_status 0
    assert_contains full
    run timeout 60 box status full
    assert_status 0
    run timeout 60 box run full -- echo repaired </dev/null
    assert_status 0
    assert_contains repaired
}

@test "hostile init: a symbolic link in place of the socket is not followed (2)" {
    slow link
    [ ! -e "$TEST_HOME/reached" ] || fail "the link was followed"
    [ -S "$TEST_HOME/other.sock" ]
    kill -0 "$LISTENER"
}

@test "hostile init: a restart repairs the box after these attacks (9)" {
    order folder
    kill "$HOLDER"
    run timeout 60 box restart
    assert_status 0
    assert_box_alive
}
