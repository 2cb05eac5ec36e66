#!/usr/bin/env bats
# The SSH agent in front of other agents than OpenSSH's: GnuPG's and GNOME's, which Debian 13's lab has.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() {
    [ -z "${GNUPGHOME:-}" ] || gpgconf --kill gpg-agent 2>/dev/null || true
    pkill -f "^[^ ]*ssh-agent .*$TEST_HOME/gcr" || true # gcr-ssh-agent leaves it
    agent_teardown
}

# instead SOCKET: from now on the real agent is the one at SOCKET, with the key "work" in it.
instead() {
    eventually socket_listens "$1"
    kill "$REAL_AGENT" 2>/dev/null || true
    REAL_AGENT=${2:-}
    export SSH_AUTH_SOCK=$1
    timeout 20 ssh-add -q "$KEYS/work"
}

# lists_and_signs COMMENT: what the agent calls the key.
lists_and_signs() {
    attach "$(fingerprint work)"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) $1 (ED25519)"
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
    echo "me $(cat "$KEYS/work.pub")" >signers
    echo hello | ssh-keygen -Y verify -f signers -I me -n git -s signature
    rm ended
    sign_in_box git &
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
}

# Whoever asks for a key's passphrase gets an empty one: nothing is protected by it here.
pinentry() {
    printf '%s\n' '#!/bin/sh' 'echo OK' \
        'while read -r line; do echo OK; [ "$line" != BYE ] || exit 0; done' >"$TEST_HOME/pinentry"
    chmod +x "$TEST_HOME/pinentry"
}

@test "agent: gpg-agent as the real agent" {
    command -v gpg-agent >/dev/null || skip "no gpg-agent"
    export GNUPGHOME=$TEST_HOME/gnupg
    mkdir -m 700 "$GNUPGHOME"
    pinentry
    gpg-agent --daemon --enable-ssh-support --pinentry-program "$TEST_HOME/pinentry" >/dev/null 2>&1 3>&- 4>&-
    instead "$(gpgconf --list-dirs agent-ssh-socket)"
    lists_and_signs work
}

@test "agent: gcr-ssh-agent as the real agent" {
    [ -x /usr/libexec/gcr-ssh-agent ] || skip "no gcr-ssh-agent"
    mkdir -m 700 "$TEST_HOME/gcr"
    /usr/libexec/gcr-ssh-agent --base-dir "$TEST_HOME/gcr" >/dev/null 2>&1 3>&- 4>&- &
    instead "$TEST_HOME/gcr/ssh" $!
    lists_and_signs work
}
