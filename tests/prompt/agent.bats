#!/usr/bin/env bats
# The SSH agent's questions in a window, as a person answers them.
# shellcheck disable=SC2154 # desktop.bash sets states

load ../lib/box.bash
load ../lib/ssh.bash
load desktop
setup() {
    started=()
    box_setup
    ssh_setup work
    attach work
    display_start
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
}
teardown() {
    ssh_teardown
    kill "$XVFB" "${started[@]}" 2>/dev/null || true
    box_teardown
}

# An X server of this test; it chooses its number itself. Without -noreset it begins anew when its last
# client goes, which the next prompt may be too early for.
display_start() {
    Xvfb -displayfd 5 -screen 0 1280x720x24 -nolisten tcp -noreset 5>"$TEST_HOME/display" >/dev/null 2>&1 3>&- 4>&- &
    XVFB=$!
    eventually 10 test -s "$TEST_HOME/display"
    DISPLAY=:$(cat "$TEST_HOME/display")
    export DISPLAY
}

sign() {
    rm -f ended
    local code
    box run -- sh -c "echo hello | ssh-keygen -q -Y sign -f k.pub -n git" >signature 2>/dev/null 3>&- &&
        code=0 || code=$?
    echo "$code" >ended
}

window() { xdotool search --onlyvisible --name 'Box shop' 2>/dev/null | tail -n 1; }
has_window() { [ -n "$(window)" ]; }
no_window() { [ -z "$(window)" ]; }

# What is asked, but for what differs from box to box and from key to key.
words_of() { # FILTER
    jq -S "$1"' | {kind, headline, verdict, verdict_text, choices: (.choices // []), mute, known: [.known[]? | [.label, keys]],
        claimed: [.claimed[]?.label], chain: [.chain[0]? // {} | keys], keys: [.keys[0]? // {} | keys]}'
}

# The pictures, and the tests of the window, show what is really asked.
like_picture() { # STATE
    diff -u <(words_of . <"$states/$1.json") <(box agent pending --json | words_of '.[0]') >&2
}

@test "agent prompt: a question is a window; Escape is a no" {
    sign &
    eventually 30 has_window
    like_picture git
    xdotool windowfocus "$(window)" key Escape
    eventually 10 test -e ended
    [ "$(cat ended)" != 0 ]
    [ "$(box agent log --json | tail -n 1 | jq -r .how)" = deny ]
    eventually 5 no_window
}

@test "agent prompt: an answer on the terminal closes the window" {
    sign &
    eventually 30 has_window
    answer once
    eventually 10 test -e ended
    [ "$(cat ended)" = 0 ]
    eventually 5 no_window
}

@test "agent prompt: a program that goes away takes its window along" {
    box run --timeout 3s -- sh -c 'echo x | ssh-keygen -Y sign -f k.pub -n git' >/dev/null 2>&1 3>&- &
    eventually 30 has_window
    eventually 10 no_window
    [ "$(box agent pending --json)" = "[]" ]
}

@test "agent prompt: a killed agent leaves no window, and the program a failure" {
    sign &
    eventually 30 has_window
    kill -KILL "$(agent_pid)"
    eventually 10 test -e ended
    [ "$(cat ended)" != 0 ]
    eventually 5 no_window
}

@test "agent prompt: a killed prompt is a no" {
    sign &
    eventually 30 has_window
    xdotool windowkill "$(window)"
    eventually 10 test -e ended
    [ "$(cat ended)" != 0 ]
}

prompt_pid() { xdotool getwindowpid "$(window)"; }

@test "agent prompt: one that is killed -9 is a no; the next question has a window again" {
    sign &
    eventually 30 has_window
    kill -KILL "$(prompt_pid)"
    eventually 10 test -e ended
    [ "$(cat ended)" != 0 ]
    [ "$(box agent log --json | tail -n 1 | jq -r .how)" = failed ]
    sleep 6 # a no makes the box wait
    sign &
    eventually 30 has_window
    answer once
    eventually 10 test -e ended
    [ "$(cat ended)" = 0 ]
}

@test "agent prompt: one that is stopped holds nobody up, and its window goes with its question" {
    sign &
    eventually 30 has_window
    local stopped
    stopped=$(prompt_pid)
    kill -STOP "$stopped"
    # Another box is asked about in a window of its own.
    mkdir -p "$TEST_HOME/other"
    cp k.pub "$TEST_HOME/other"
    (cd "$TEST_HOME/other" && box run -- sh -c 'echo x | ssh-keygen -q -Y sign -f k.pub -n git' >second 2>/dev/null 3>&-) &
    eventually 30 sh -c 'xdotool search --onlyvisible --name "Box other" 2>/dev/null | grep -q .'
    box agent approve "$(box agent pending --json | jq -r '.[] | select(.box.name == "other") | .id')" once
    eventually 10 grep -q SIGNATURE "$TEST_HOME/other/second"
    answer once
    eventually 10 test -e ended
    [ "$(cat ended)" = 0 ]
    eventually 5 no_window
    eventually 5 agent_ended "$stopped"
}

@test "agent prompt: a killed agent takes a stopped prompt along" {
    sign &
    eventually 30 has_window
    local stopped
    stopped=$(prompt_pid)
    kill -STOP "$stopped"
    agent_kill
    eventually 5 agent_ended "$stopped"
    eventually 5 no_window
    eventually 10 test -e ended
    [ "$(cat ended)" != 0 ]
}

@test "agent prompt: a display that is gone leaves the question to the terminal" {
    kill "$XVFB"
    eventually 5 sh -c "! kill -0 $XVFB 2>/dev/null"
    sign &
    answer once
    eventually 10 test -e ended
    [ "$(cat ended)" = 0 ]
}

@test "agent prompt: sudo asks in a window" {
    printf '[security]\nsudo = "ask"\n' >"$CONFIG/boxes/shop.toml"
    box stop
    box run -- sudo id -u >out 2>&1 3>&- &
    eventually 20 has_window
    like_picture sudo
    answer once
    eventually 10 grep -qx 0 out
}

@test "agent prompt: a box without keys may be given some, once" {
    rm "$CONFIG/config.toml"
    box stop
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    eventually 30 has_window
    [ "$(box agent pending --json | jq -r '.[0].kind')" = keys ]
    [ "$(box agent pending --json | jq -r '.[0].keys[0].label')" = work ]
    xdotool windowfocus "$(window)" key Escape
    eventually 5 no_window
    # A no is an answer: it is not asked again.
    eventually 5 test -e "$STATE/attached/shop"
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    sleep 1
    no_window
}

@test "agent prompt: a lock, a killed agent or prompt and a stopped box are no choice of keys: it is asked again" {
    rm "$CONFIG/config.toml"
    box stop
    box run -- ssh-add -l || true
    eventually 30 has_window
    box agent lock
    eventually 5 no_window
    [ ! -e "$STATE/attached/shop" ]
    kill -TERM "$(agent_pid)"
    eventually 5 no_agent
    box run -- ssh-add -l || true
    # The next agent is locked as well, until it is unlocked.
    no_window
    box agent unlock
    box run -- ssh-add -l || true
    eventually 30 has_window
    box stop
    eventually 5 no_window
    [ ! -e "$STATE/attached/shop" ]
    box run -- ssh-add -l || true
    eventually 30 has_window
    kill -KILL "$(prompt_pid)"
    eventually 5 no_window
    eventually 5 no_pending
    [ ! -e "$STATE/attached/shop" ]
    box stop
    box run -- ssh-add -l || true
    eventually 30 has_window
    xdotool windowfocus "$(window)" key Escape
    eventually 5 test -e "$STATE/attached/shop"
}

# choose_from KEY…: these are in the real agent as well, none is attached, and the widgets of a window
# are found by their names.
choose_from() {
    local name
    for name in "$@"; do
        ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$KEYS/$name"
        ssh-add -q "$KEYS/$name"
    done
    rm "$CONFIG/config.toml"
    box stop
    cd "$TEST_HOME" || return
    desktop_bus
    cd "$PROJECT" || return
}

# choose KEY…: with the mouse, in the window that is there.
choose() {
    local name
    past_the_guard
    for name in "$@"; do
        point_at "$name, ED25519" "check box"
        xdotool click 1
    done
    point_at Attach
    past_the_guard
    xdotool click 1
    eventually 5 no_window
}

# lists KEY…: exactly these are what the box sees.
lists() {
    local name
    diff <(for name in "$@"; do fingerprint "$name"; done | sort) \
        <(box run -- ssh-add -l 2>/dev/null | cut -d' ' -f2 | sort) >&2
}

@test "agent prompt: one key is chosen with the mouse: the box lists it, and goes on to" {
    choose_from other third
    box run -- ssh-add -l || true
    eventually 30 has_window
    like_picture keys
    choose other
    eventually 5 lists other
    kill -KILL "$(agent_pid)"
    lists other
    box stop
    lists other
    no_window
}

@test "agent prompt: of three keys two are chosen" {
    choose_from other third
    box run -- ssh-add -l || true
    eventually 30 has_window
    choose work third
    eventually 5 lists work third
    kill -KILL "$(agent_pid)"
    lists work third
}

@test "agent prompt: a box cannot make the choice of keys come twice" {
    choose_from other
    box run -- sh -c 'for i in 1 2 3 4 5 6; do ssh-add -l & done; wait'
    eventually 30 has_window
    [ "$(xdotool search --onlyvisible --name 'Box shop' 2>/dev/null | wc -l)" = 1 ]
    [ "$(pending_ids | wc -l)" = 1 ]
    choose work
    box run -- sh -c 'for i in 1 2 3 4 5 6; do ssh-add -l & done; wait'
    sleep 1
    no_window
    [ -z "$(pending_ids)" ]
    kill -KILL "$(agent_pid)"
    box stop
    lists work
    sleep 1
    no_window
    [ -z "$(pending_ids)" ]
}

# A real agent that has 70 keys and calls none of them anything.
many_keys() {
    kill "$REAL_AGENT"
    export SSH_AUTH_SOCK=$TEST_HOME/many.sock
    python3 - >/dev/null 3>&- 4>&- <<'PY' &
import os, socket, struct, threading
string = lambda b: struct.pack(">I", len(b)) + b
keys = b"".join(string(string(b"ssh-ed25519") + string(bytes([i]) * 32)) + string(b"") for i in range(70))
def serve(c):
    while c.recv(5): c.sendall(string(b"\x0c" + struct.pack(">I", 70) + keys))
s = socket.socket(socket.AF_UNIX); s.bind(os.environ["SSH_AUTH_SOCK"]); s.listen(16)
while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
PY
    REAL_AGENT=$!
    eventually 5 test -S "$SSH_AUTH_SOCK"
}

@test "agent prompt: keys without a name, and more than a window has room for, can be chosen from" {
    rm "$CONFIG/config.toml"
    box stop
    many_keys
    box run -- ssh-add -l || true
    eventually 30 has_window
    [ "$(box agent pending --json | jq -c '.[0] | [(.keys | length), (.warnings | length)]')" = "[64,1]" ]
    [[ $(box agent pending --json | jq -r '.[0].keys[0].label') == SHA256:* ]]
    xdotool windowfocus "$(window)" key Escape
    eventually 5 test -e "$STATE/attached/shop"
}

@test "agent prompt: the key store is unlocked in a window when a key of it is to sign" {
    printf 'correct-horse\n' | box keys generate --password-fd 0 mine
    attach mine
    box stop
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    sign &
    answer once
    eventually 10 sh -c '[ "$(box agent pending --json | jq -r ".[0].kind")" = password ]'
    eventually 30 has_window
    like_picture password
    xdotool windowfocus "$(window)"
    sleep 1.5 # what is typed sooner after that does not count
    xdotool type correct-horse
    xdotool key Return
    eventually 10 test -e ended
    [ "$(cat ended)" = 0 ]
    [ "$(box agent status --json | jq .keys_unlocked)" = true ]
}
