#!/usr/bin/env bats
# The SSH agent: which keys a box is given, and how that is changed.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

@test "agent: attach and detach hold at once, also for a box that runs without keys" {
    rm "$CONFIG/config.toml"
    box run -- true 2>/dev/null
    box keys attach work
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    sign_in_box git &
    answer box
    eventually test -s ended
    run box status
    assert_contains "ssh keys   work"
    assert_contains "git signatures with work"
    [ "$(box status --json | jq -r '.ssh.keys[0].label')" = work ]
    box stop
    run box status
    assert_contains "ssh keys   work"
    refute_contains granted
    box run -- true
    box keys detach work
    [ "$(box consent grants --json)" = "[]" ]
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    run box keys attach nothing
    [ "$status" != 0 ]
    run box keys detach work
    [ "$status" != 0 ]
    box keys attach "$(fingerprint other)"
    box rm --yes
    [ ! -e "$STATE/attached/shop" ]
}

@test "agent: a renamed key has its new name in boxes; a deleted one is detached and its grants end" {
    rm "$CONFIG/config.toml"
    printf 'correct-horse\n' | box keys generate --password-fd 0 mine >mine.pub
    box run -- true 2>/dev/null
    box keys attach mine
    box keys attach work
    # One that does not run.
    cp "$STATE/attached/shop" "$STATE/attached/stopped"
    printf 'correct-horse\n' | box keys unlock --password-fd 0
    box run -- sh -c 'ssh-add -L | grep "mine$" >k.pub'
    OUT=signature ended_in_box sh -c 'echo hello | ssh-keygen -q -Y sign -f k.pub -n git' &
    answer box
    eventually test -s ended
    [ "$(box consent grants --json | jq length)" = 1 ]
    printf 'correct-horse\n' | box keys rename --password-fd 0 mine ours
    [ "$(box status --json | jq -c '[.ssh.keys[].label] | sort')" = '["ours","work"]' ]
    run sh -c 'printf "correct-horse\n" | box keys delete --yes --password-fd 0 ours'
    assert_status 0
    assert_contains "the key was detached from box 'shop'"
    [ "$(box status --json | jq -c '[.ssh.keys[].label]')" = '["work"]' ]
    [ "$(cat "$STATE/attached/stopped")" = "$(cat "$STATE/attached/shop")" ]
    [ "$(box consent grants --json)" = "[]" ]
    [ "$(box consent status --json | jq .keys_unlocked)" = false ]
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

# As after a new login by ssh -A. While the first one lives it stays, whatever the next session has.
@test "agent: a running box has the next session's real agent where its own has gone" {
    local first=$REAL_AGENT
    box run -- true
    # shellcheck disable=SC2119 # without options
    mv "$SSH_AUTH_SOCK" "$TEST_HOME/first.sock" && real_agent_start
    mv "$SSH_AUTH_SOCK" "$TEST_HOME/a second one.sock" && mv "$TEST_HOME/first.sock" "$SSH_AUTH_SOCK"
    export SSH_AUTH_SOCK="$TEST_HOME/a second one.sock"
    ssh-add -q "$KEYS/other"
    attach work other
    box keys attach other
    box stop
    SSH_AUTH_SOCK=$TEST_HOME/real.sock box run -- sh -c 'touch begun; until [ -e over ]; do sleep 0.1; done; ssh-add -L' >held.txt 2>&1 3>&- &
    local holder=$!
    eventually test -e begun
    run --separate-stderr box run -- ssh-add -l
    assert_contains "work (ED25519)"
    kill "$first"
    wait "$first" || true
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint other) other (ED25519)"
    # Also for who came before, and by the agent that comes after this one.
    touch over
    wait "$holder"
    grep -q " other$" held.txt
    box run -- sh -c 'touch held; exec sleep 1000' 3>&- &
    holder=$!
    eventually test -e held
    agent_kill
    run --separate-stderr env -u SSH_AUTH_SOCK box run -- ssh-add -l
    assert_output "256 $(fingerprint other) other (ED25519)"
    kill "$holder"
    # The configuration's is no session's.
    box stop
    SSH_CONFIG="upstream = \"$TEST_HOME/real.sock\"" attach other
    box run -- true
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
}

@test "agent: keys attached and detached by many at once are all kept, and all gone" {
    local i
    box run -- true 2>/dev/null
    for i in 1 2 3 4 5 6; do
        ssh-keygen -q -t ed25519 -N '' -C "key$i" -f "$KEYS/key$i"
        ssh-add -q "$KEYS/key$i"
    done
    for i in 1 2 3 4 5 6; do box keys attach "key$i" 3>&- & done
    eventually sh -c '[ "$(box run -- ssh-add -l | grep -c " key[1-6] ")" = 6 ]'
    for i in 1 2 3 4 5 6; do box keys detach "key$i" 3>&- & done
    eventually sh -c '[ "$(box run -- ssh-add -l | grep -c " key[1-6] ")" = 0 ]'
}

@test "agent: a public key file that is none is named, and the others count" {
    echo "ssh-ed25519 AAAA work" >"$KEYS/broken.pub"
    sed 's/ other$//' "$KEYS/other.pub" >"$KEYS/bare.pub"
    attach "$KEYS/broken.pub" "$KEYS/missing.pub" "$KEYS/bare.pub"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint other) bare.pub (ED25519)"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"broken.pub' is not a readable public key"* && $stderr == *"missing.pub' is not a readable public key"* ]] ||
        fail "$stderr"
}

@test "agent: a key store whose rights were wrong is found once they are right" {
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    attach mine
    chmod 644 "$DATA/keys"
    run --separate-stderr box run -- ssh-add -l
    assert_output "The agent has no identities."
    run box keys list
    assert_contains "'chmod 600' it"
    chmod 600 "$DATA/keys"
    run --separate-stderr box run -- ssh-add -l
    assert_contains "mine (ED25519)"
    echo pw | box keys unlock --password-fd 0
}

@test "agent: names that are not UTF-8 are refused at once, and in a public key file do no harm" {
    local latin begin=$SECONDS
    latin=$(printf 'b\xfcro')
    sed "s/ other\$/ $latin/" "$KEYS/other.pub" >"$KEYS/comment.pub"
    attach "$KEYS/comment.pub"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint other) b�ro (ED25519)"
    for verb in "consent approve" "consent deny" "consent revoke"; do
        # shellcheck disable=SC2086 # two words
        run box $verb "$latin"
        [ "$status" != 0 ]
        refute_contains "no answer"
    done
    [ $((SECONDS - begin)) -lt 60 ]
}

@test "agent: a key is attached and detached by a long comment, and by one that is not UTF-8" {
    local comment
    for comment in "$(printf 'x%.0s' {1..300})" "$(printf 'b\xfcro')" 'laptop \\ büro'; do
        rm -f "$KEYS"/odd*
        ssh-keygen -q -t ed25519 -N '' -C "$comment" -f "$KEYS/odd"
        ssh-add -q "$KEYS/odd"
        box keys attach "$comment"
        run --separate-stderr box run -- ssh-add -l
        assert_contains "$(fingerprint odd)"
        box keys detach "$comment"
        run --separate-stderr box run -- ssh-add -l
        refute_contains "$(fingerprint odd)"
    done
}

@test "agent: many boxes with many keys are listed all the same" {
    local first list
    # As ten boxes with 200 keys each: more than a socket takes at once.
    python3 -c 'print("[ssh]\nkeys = [" + ", ".join("\"%s-%04d\"" % ("k" * 120, i) for i in range(1000)) + "]")' \
        >"$CONFIG/config.toml"
    box run -- true
    for first in 0 250 500 750; do
        list=$(jq -nc --argjson n "$first" '[range($n; $n + 250) | {fingerprint: "SHA256:key-\(.)", label: ("l" * 120)}]')
        run agent_say "{\"op\": \"attach\", \"box\": \"shop\", \"keys\": $list}"
        assert_output '{"ok":true}'
    done
    # A client that reads when the agent has turned to others, and one that never reads and holds up nobody.
    python3 - "$RUNTIME/.agent/control" <<'PY'
import json, os, socket, sys
os.chdir(os.path.dirname(sys.argv[1]))
def ask(requests):
    s = socket.socket(socket.AF_UNIX)
    s.connect("control")
    s.sendall(requests)
    return s
slow, never = ask(b'{"op": "status"}\n{"op": "grants"}\n'), ask(b'{"op": "status"}\n' * 100)
assert ask(b'{"op": "hello"}\n').makefile().readline() == '{"ok":true}\n'
answers = slow.makefile()
assert len(json.loads(answers.readline())["boxes"][0]["keys"]) == 2000
assert json.loads(answers.readline())["grants"] == []
PY
}
