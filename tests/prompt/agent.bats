#!/usr/bin/env bats
# The SSH agent's questions in a window, answered as a person does it.
# shellcheck disable=SC2154 # prompt.bash sets window

load ../lib/box.bash
load ../lib/ssh.bash
load ../ui/display.bash
load ../ui/prompt.bash
states=$BATS_TEST_DIRNAME/states
setup() {
    box_setup
    ssh_setup work
    attach work
    session_bus_start
    reader_start
    x11_start
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
}
teardown() {
    ui_end
    ssh_teardown
    box_teardown
}

# sign: signs in the box, in the background; its exit status goes to ended.
sign() { start_in_box sh -c 'echo hello | ssh-keygen -q -Y sign -f k.pub -n git'; }
signed() {
    eventually test -s ended
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
}
not_signed() {
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
}
# The same of a program that the box started for a network, and the window has gone: the next one is another.
refused() {
    not_signed
    eventually no_prompt
}

@test "agent prompt: a question opens a window; Escape denies" {
    sign
    prompt_appears
    like_picture git
    press Escape
    not_signed
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = deny ]
    eventually no_prompt
}

@test "agent prompt: an answer on the terminal closes the window" {
    sign
    prompt_appears
    answer once
    signed
    eventually no_prompt
    # The window has asked: the terminal of the session was not told.
    run ! grep 'box consent' error
}

@test "agent prompt: the window closes when the program that asks ends" {
    sign
    prompt_appears
    box run -- pkill -x ssh-keygen 2>/dev/null
    eventually no_prompt
    [ "$(box consent pending --json)" = "[]" ]
}

@test "agent prompt: when the agent is killed, its window closes and the signature fails" {
    sign
    prompt_appears
    kill -KILL "$(agent_pid)"
    not_signed
    eventually no_prompt
}

@test "agent prompt: a window that is killed denies" {
    sign
    prompt_appears
    xdotool windowkill "$window"
    not_signed
}

prompt_pid() { xdotool getwindowpid "$window"; }

# Nothing signals that no question comes, so this waits for much longer than one takes.
stays_without_prompt() {
    sleep 1
    no_prompt && [ -z "$(pending_ids)" ]
}

@test "agent prompt: a prompt that is killed denies; the next question opens a window again" {
    sign
    prompt_appears
    kill -KILL "$(prompt_pid)"
    not_signed
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = failed ]
    grep -q "the window that asked has ended without an answer" error
    sleep 6 # longer than the cooldown after a failed prompt (RATE_LIMIT_COOLDOWN_SECONDS)
    sign
    prompt_appears
    answer once
    signed
}

@test "agent prompt: a stopped prompt blocks no other box, and is killed with its question" {
    sign
    prompt_appears
    local stopped
    stopped=$(prompt_pid)
    kill -STOP "$stopped"
    # The question of another box opens a window of its own.
    new_project "$TEST_HOME/other"
    cp k.pub "$TEST_HOME/other"
    (cd "$TEST_HOME/other" && box run -- sh -c 'echo x | ssh-keygen -q -Y sign -f k.pub -n git' >second 2>/dev/null 3>&-) &
    eventually has_prompt "Box other"
    box consent approve "$(box consent pending --json | jq -r '.[] | select(.box.name == "other") | .id')" once
    eventually grep -q SIGNATURE "$TEST_HOME/other/second"
    answer once
    signed
    eventually no_prompt
    eventually process_ended "$stopped"
}

@test "agent prompt: a stopped prompt ends when the agent is killed" {
    sign
    prompt_appears
    local stopped
    stopped=$(prompt_pid)
    kill -STOP "$stopped"
    agent_kill
    eventually process_ended "$stopped"
    eventually no_prompt
    not_signed
}

@test "agent prompt: without its display a question can be answered on the terminal" {
    kill "$x11"
    wait "$x11" || true
    sign
    answer once
    signed
}

@test "agent prompt: a variable that is too long for a window does not keep it away" {
    local long
    long=/$(printf '%0.sx' {1..20000})
    export XDG_DATA_DIRS=/usr/share:$long
    sign
    prompt_appears
    press Escape
    refused
}

@test "agent prompt: sudo asks in a window" {
    printf '[security]\nsudo = "ask"\n' >"$CONFIG/boxes/shop.toml"
    box stop
    box run -- sudo id -u >out 2>&1 3>&- &
    prompt_appears
    like_picture sudo
    answer once
    eventually grep -qx 0 out
}

# bats test_tags=release
@test "agent prompt: a question that has waited for another one has a whole minute" {
    printf '[security]\nsudo = "ask"\n' >"$CONFIG/boxes/shop.toml"
    box stop
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    sign
    prompt_appears
    box run -- sudo id -u >out 2>&1 3>&- &
    eventually sh -c '[ "$(box consent pending --json | jq length)" = 2 ]'
    # When nobody has answered the first.
    eventually --within 90 has_prompt "Run a command"
    # 100 s after it was asked.
    eventually --within 90 sh -c '[ "$(box consent pending --json | jq ".[0].left")" -le 20 ]' 2>/dev/null
    answer once
    eventually grep -qx 0 out
}

@test "agent prompt: while it is locked, sudo and hosts that no rule allows are refused without a window" {
    printf '[security]\nsudo = "ask"\n[network]\nmode = "filtered"\nask = true\n' >"$CONFIG/boxes/shop.toml"
    box stop
    box run -- true
    box consent lock
    run ! box run -- sudo id -u
    refute_contains "Allow it?"
    knock locked.example
    refused
    [ -z "$(pending_ids)" ]
    box consent unlock
    box run -- sudo id -u >out 2>&1 3>&- &
    prompt_appears
    answer once
    eventually grep -qx 0 out
}

@test "agent prompt: a text that a box prints for the clipboard is shown in a window" {
    printf '[terminal]\nclipboard = "ask"\n' >"$CONFIG/boxes/shop.toml"
    box stop
    on_terminal box run -t -- sh -c 'printf "\033]52;c;$0\a"; until [ -e go ]; do sleep 0.1; done' \
        "$(printf 'git push origin main\necho done\n' | base64)" >out 2>&1 3>&- &
    prompt_appears
    like_picture copy
    [ "$(box consent pending --json | jq -c '.[0] | [.known[0].value, .claimed[0].value, .warnings]')" = \
        "$(jq -c '[.known[0].value, .claimed[0].value, .warnings]' "$states/copy.json")" ]
    click Replace
    eventually grep -qF $'\e]52;c;' out
    touch go
}

# knock NAME: a program of the box connects to a name that no rule has.
knock() { start_in_box python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], 8443)).recv(1)' "$1"; }

@test "agent prompt: a host that no rule allows is asked about in a window, whose buttons do what they say" {
    printf '[network]\nmode = "filtered"\nask = true\n' >"$CONFIG/boxes/shop.toml"
    box stop
    knock xn--bcher-kva.example
    prompt_appears
    like_picture network
    [ "$(box net pending --json | jq -c '.[0] | [.address, .known, .warnings, .choices, .never]')" = \
        "$(jq -c '[.address, .known, .warnings, .choices, .never]' "$states/network.json")" ]
    press Escape
    refused
    [ "$(box net rules --answered --json)" = "[]" ]
    knock never.example
    prompt_appears
    click "Never for this box"
    refused
    knock always.example
    prompt_appears
    click "Always for this box"
    refused # the name has no address
    knock box.example
    prompt_appears
    click "Until the box stops"
    refused
    knock once.example
    prompt_appears
    click "Allow once"
    refused
    box net rules --answered --json | jq -e 'map([.rule, .denies, .until_stop]) == [["never.example:8443", true, false],
        ["always.example:8443", false, false], ["box.example:8443", false, true]]'
    logged_three() { [ "$(box net log --denied | grep -c 'its name has no address')" = 3 ]; }
    eventually logged_three
    # The prompt that is killed answers nothing, and the next one is opened at once.
    knock killed.example
    prompt_appears
    kill -KILL "$(prompt_pid)"
    refused
    knock killed.example
    prompt_appears
}

@test "agent prompt: a box without keys is offered the user's keys once" {
    rm "$CONFIG/config.toml"
    box stop
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    prompt_appears
    [ "$(box consent pending --json | jq -r '.[0].kind')" = keys ]
    [ "$(box consent pending --json | jq -r '.[0].keys[0].label')" = work ]
    press Escape
    eventually no_prompt
    # A refusal is an answer: the user is not asked again.
    eventually test -e "$STATE/attached/shop"
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    stays_without_prompt
}

@test "agent prompt: a lock, a killed agent or prompt, and a stopped box do not answer the offer of keys" {
    rm "$CONFIG/config.toml"
    box stop
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    box consent lock
    eventually no_prompt
    [ ! -e "$STATE/attached/shop" ]
    kill -TERM "$(agent_pid)"
    eventually no_agent
    box run -- ssh-add -l || true # there is no answer yet
    # The next agent is locked as well, until it is unlocked.
    no_prompt
    box consent unlock
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    box stop
    eventually no_prompt
    [ ! -e "$STATE/attached/shop" ]
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    kill -KILL "$(prompt_pid)"
    eventually no_prompt
    eventually no_pending
    [ ! -e "$STATE/attached/shop" ]
    box stop
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    press Escape
    eventually test -e "$STATE/attached/shop"
}

# choose_from KEY…: adds these keys to the real agent, and attaches none.
choose_from() {
    local name
    for name in "$@"; do
        ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$KEYS/$name"
        ssh-add -q "$KEYS/$name"
    done
    rm "$CONFIG/config.toml"
    box stop
}

# choose KEY…: with the mouse, in the window that is open.
choose() {
    local name
    for name in "$@"; do
        click "$name, ED25519" "check box"
        at_spi wait "checked:$name, ED25519"
    done
    at_spi wait sensitive:Attach
    click Attach
    eventually no_prompt
}

# lists KEY…: the box sees exactly these.
lists() {
    local name
    diff <(for name in "$@"; do fingerprint "$name"; done | sort) \
        <(box run -- ssh-add -l 2>/dev/null | cut -d' ' -f2 | sort) >&2
}

@test "agent prompt: a key that is chosen with the mouse is listed in the box, also by the next agent" {
    choose_from other third
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    like_picture keys
    choose other
    eventually lists other
    kill -KILL "$(agent_pid)"
    lists other
    box stop
    lists other
    no_prompt
}

@test "agent prompt: keys that are chosen for a temporary box count for its model, and the window says so" {
    choose_from other
    mkfifo "$PROJECT/held"
    box run --ephemeral -- sh -c 'ssh-add -l; exec cat held' >/dev/null 2>&1 3>&- 4>&- &
    local holder=$!
    prompt_appears
    [ "$(box consent pending --json | jq -r '.[0].box.name')" != shop ]
    at_spi tree >said
    grep -qF 'label|Count for: box shop, its branches and its temporary boxes|' said || fail "$(cat said)"
    choose work
    lists work
    : >"$PROJECT/held"
    wait "$holder"
}

@test "agent prompt: of three keys two are chosen" {
    choose_from other third
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    choose work third
    eventually lists work third
    kill -KILL "$(agent_pid)"
    lists work third
}

@test "agent prompt: a box cannot cause a second offer of keys" {
    choose_from other
    box run -- sh -c 'for i in 1 2 3 4 5 6; do ssh-add -l & done; wait'
    prompt_appears
    [ "$(prompt_windows | wc -l)" = 1 ]
    [ "$(pending_ids | wc -l)" = 1 ]
    choose work
    box run -- sh -c 'for i in 1 2 3 4 5 6; do ssh-add -l & done; wait'
    stays_without_prompt
    kill -KILL "$(agent_pid)"
    box stop
    lists work
    stays_without_prompt
}

# A real agent that has 70 keys without comments.
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
    eventually socket_listens "$SSH_AUTH_SOCK"
}

@test "agent prompt: keys without a name, and more keys than fit, can be offered" {
    rm "$CONFIG/config.toml"
    box stop
    many_keys
    box run -- ssh-add -l || true # there is no answer yet
    prompt_appears
    [ "$(box consent pending --json | jq -c '.[0] | [(.keys | length), (.warnings | length)]')" = "[64,1]" ]
    [[ $(box consent pending --json | jq -r '.[0].keys[0].label') == SHA256:* ]]
    press Escape
    eventually test -e "$STATE/attached/shop"
}

@test "agent prompt: the key store is unlocked in a window to sign with one of its keys" {
    printf 'correct-horse\n' | box keys generate --password-fd 0 mine
    attach mine
    box stop
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    sign
    answer once
    eventually sh -c '[ "$(box consent pending --json | jq -r ".[0].kind")" = password ]'
    eventually no_prompt "Sign" # the window of the question that was answered on the terminal
    prompt_appears
    like_picture password
    accepting
    type_text correct-horse
    press Return
    signed
    [ "$(box consent status --json | jq .keys_unlocked)" = true ]
}

# only_kind_waits KIND: all questions that wait are of it.
only_kind_waits() { [ "$(box consent pending --json | jq -r '[.[].kind] | unique | .[]')" = "$1" ]; }

@test "agent prompt: one password is enough for all that wait for the key store" {
    local id
    printf 'correct-horse\n' | box keys generate --password-fd 0 mine
    attach mine
    box stop
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    sign
    answer once
    eventually only_kind_waits password
    box run -- sh -c 'echo other | ssh-keygen -q -Y sign -f k.pub -n git' >second 2>/dev/null 3>&- &
    eventually sh -c '[ "$(box consent pending --json | jq -r "[.[].kind] | index(\"sign\")")" != null ]'
    id=$(box consent pending --json | jq -r '.[] | select(.kind == "sign") | .id')
    box consent approve "$id" once
    eventually only_kind_waits password
    eventually no_prompt "Sign"
    prompt_appears
    accepting
    type_text correct-horse
    press Return
    signed
    # Without another window.
    eventually grep -q SIGNATURE second
    no_pending
}

# asked_or_ended KIND: a question of it waits, or none does and the program has ended.
asked_or_ended() {
    [ "$(box consent pending --json | jq -r '.[].kind')" = "$1" ] || { no_pending && [ -s ended ]; }
}

@test "agent prompt: a grant that is revoked while the password is asked for signs nothing" {
    local store_password="a long password"
    printf '%s\n' "$store_password" | box keys generate --password-fd 0 mine
    attach mine
    box stop
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    printf '%s\n' "$store_password" | box keys unlock --password-fd 0
    sign
    answer box
    signed
    eventually no_prompt # that was answered on the terminal
    # Control: with the password, what the grant covers is signed.
    box keys lock
    rm ended
    sign
    prompt_appears
    accepting
    type_text "$store_password"
    press Return
    signed
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = grant ]
    eventually no_prompt
    box keys lock
    rm ended
    sign
    prompt_appears
    box consent revoke all
    accepting
    type_text "$store_password"
    press Return
    eventually asked_or_ended sign
    [ ! -s ended ] || fail "signed, or refused without a question: $(cat ended)"
    answer deny
    not_signed
}
