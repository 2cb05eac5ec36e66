#!/usr/bin/env bats
# What programs of Litterbox report: --debug, BOX_DEBUG, and the logs of helpers.

load ../lib/box.bash
load ../lib/port.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

has_line() { box logs --helpers 2>/dev/null | grep -qE "$1"; }

# Topics of the debug messages in FILE, each once.
topics() { sed -nE 's/^.*[a-z-]+: debug [0-9]+\.[0-9]+ ([a-z]+): .*/\1/p' "$1" | sort -u; }

@test "debug: --debug in front of a command and behind it prints to stderr, and changes no result" {
    box start
    for line in '--debug list --json' 'list --json --debug'; do
        # shellcheck disable=SC2086 # words
        box $line >out.json 2>err.txt
        jq -e '.[0].name == "shop"' out.json
        [ -n "$(topics err.txt)" ] || fail "box $line: no debug message: $(cat err.txt)"
    done
    box list --json 2>err.txt
    [ -z "$(topics err.txt)" ] || fail "debug messages without --debug: $(cat err.txt)"
}

@test "debug: BOX_DEBUG selects topics, and an unknown one is refused with the list of them" {
    BOX_DEBUG=podman box list 2>err.txt
    [ "$(topics err.txt)" = podman ] || fail "$(cat err.txt)"
    BOX_DEBUG=guard box list 2>err.txt
    [ -z "$(topics err.txt)" ] || fail "$(cat err.txt)"
    BOX_DEBUG=podman,nonsense run box list
    assert_status 64
    assert_contains "unknown topic 'nonsense'; known topics are box, "
}

@test "debug: box(1) documents every topic, and box-logs(1) documents --helpers" {
    local pages=$BATS_TEST_DIRNAME/../../data/man topic
    BOX_DEBUG=nonsense run box list
    for topic in $(sed -n 's/.*; known topics are //p' <<<"$output" | tr -d ,); do
        grep -qF "_${topic}_" "$pages/box.1.scd.in" || fail "box(1) lacks the topic $topic"
        echo "$topic"
    done >found.txt
    [ "$(wc -l <found.txt)" -ge 10 ]
    grep -qF '*--helpers*' "$pages/box-logs.1.scd"
}

@test "debug: messages of PID 1 are in the log of a box that was started with BOX_DEBUG" {
    BOX_DEBUG=init box start
    eventually sh -c 'box logs 2>&1 | grep -q "box-init: debug .* init: listens"'
    box logs --helpers | grep -E '^[0-9T:.-]+[+]00:00 box: box-init: debug .* init: listens'
    box stop
    box rm --yes
    project_setup
    box start
    run box logs
    refute_contains 'box-init: debug'
}

@test "logs --helpers: shows a crash of a helper, in the order of time, and the newest lines with --tail" {
    local port
    port=$(free_port)
    web
    BOX_DEBUG=port box port add "$port:8000"
    eventually answers "$port"
    kill -SEGV "$(forwarder_pid)"
    eventually answers "$port"
    box logs --helpers >log.txt
    grep -E "^[0-9T:.-]+[+]00:00 litterbox-port: killed by SIGSEGV in stage 'serving'.*; restarting in" log.txt
    grep -E '^[0-9T:.-]+[+]00:00 litterbox-port: debug .* port: ' log.txt
    grep -oE '^[0-9-]+T[0-9:.]+[+]00:00' log.txt >times.txt
    [ "$(wc -l <times.txt)" -ge 3 ]
    sort -c times.txt
    # The end of the last connection may come between two looks.
    same_tail() { [ "$(box logs --helpers --tail 2)" = "$(box logs --helpers | tail -n 2)" ]; }
    eventually same_tail
}

@test "logs --helpers: a box cannot write a line that seems to be a helper's" {
    box run --detach -- echo 'litterbox-port: forged'
    eventually sh -c 'box logs --helpers | grep -q forged'
    box logs --helpers >log.txt
    grep -E '^[0-9T:.-]+[+]00:00 box: litterbox-port: forged' log.txt
    run ! grep -E '00 litterbox-port: forged' log.txt
}

@test "logs --helpers: works without a container, and not with --follow or --raw" {
    box init
    box logs --helpers
    for option in --follow --raw; do
        run box logs --helpers "$option"
        assert_status 64
    done
}

@test "crash: that of the SSH agent leaves a line" {
    box run -- true
    box consent status >/dev/null
    kill -ABRT "$(agent_pid)"
    eventually has_line "litterbox-ssh-agent: killed by SIGABRT in stage 'serving'"
}

@test "crash: that of box itself leaves a line on its stderr" {
    box run --detach -- sh -c 'echo here; sleep 1000'
    box logs -f >out 2>err &
    eventually grep -q here out
    kill -SEGV $!
    run ! wait $!
    eventually grep -q 'box\[[0-9]*\]: crashed by SIGSEGV' err
}

@test "crash: those of programs in a box leave a line, and another one serves the next command" {
    mkdir .git
    box run --detach -- sleep 1000
    box run -- dbus-send --session --print-reply --dest=org.freedesktop.portal.Desktop / org.freedesktop.DBus.Peer.Ping
    box run -- pkill -SEGV -x litterbox-porta
    eventually has_line 'box: litterbox-portal\[[0-9]+\]: crashed by SIGSEGV'
    box run -- dbus-send --session --print-reply --dest=org.freedesktop.portal.Desktop / org.freedesktop.DBus.Peer.Ping
    box run --user root -- pkill -SEGV -o -x box-session
    eventually has_line 'box: box-init: the process of a session was killed by SIGSEGV'
    box run --user root -- pkill -SEGV -o -x box-guard
    eventually has_line 'box: box-init: the guard of protected names was killed by SIGSEGV'
    run ! box run -- sh -c 'echo x >.envrc'
    assert_contains "Read-only"
}

@test "debug: BOX_DEBUG says what box-init, the guard and the forwarder decide, in the order of time" {
    local port times
    port=$(free_port)
    mkdir .git
    export BOX_DEBUG=init,guard,port
    web
    box port add "$port:8000"
    unset BOX_DEBUG
    eventually answers "$port"
    run ! box run -- sh -c 'echo x >.envrc'
    eventually has_line 'box: box-init: debug [0-9.]+ init: listens'
    eventually has_line 'litterbox-port: debug [0-9.]+ port: .*listens'
    eventually has_line "debug [0-9.]+ guard: process [0-9]+: .*'.envrc'"
    times=$(box logs --helpers | cut -d' ' -f1)
    [ "$times" = "$(sort <<<"$times")" ]
    [ "$(box logs --helpers -n 1 | wc -l)" = 1 ]
}

# A start of its own, so that the agent and the gate have the topics.
@test "debug: BOX_DEBUG says what the agent and the gate decide" {
    attach work
    printf '[network]\nmode = "filtered"\nallow = ["allowed.test"]\n' >>"$CONFIG/config.toml"
    BOX_DEBUG=agent,gate sign_in_box git &
    answer deny
    eventually test -s ended
    run ! box run -- getent hosts refused.test
    box run -- getent hosts allowed.test
    eventually has_line "litterbox-ssh-agent: debug [0-9.]+ agent: box 'shop': signature with 'SHA256:[^']*': no grant covers it"
    eventually has_line "litterbox-ssh-agent: debug [0-9.]+ agent: box 'shop': the answer is 'deny'"
    eventually has_line "litterbox-gate: debug [0-9.]+ gate: DNS: 'refused.test', type 1: code 3"
    eventually has_line "litterbox-gate: debug [0-9.]+ gate: DNS: 'allowed.test', type 1: code 0"
}
