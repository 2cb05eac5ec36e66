#!/usr/bin/env bats
# The SSH agent with keys of a security key. The security key is the one that OpenSSH tests itself
# with, which needs no hardware and no touch; ssh-agent, ssh-sk-helper, sshd and ssh are as they are.

load ../lib/box.bash
load ../lib/ssh.bash
load ../lib/openssh.bash

setup() {
    box_setup
    openssh_source
    PROVIDER=$TEST_HOME/sk-dummy.so
    sk_dummy "$PROVIDER"
    KEYS=$TEST_HOME/keys
    mkdir -p "$KEYS" "$CONFIG/boxes"
    unset DISPLAY WAYLAND_DISPLAY
    real_agent_start -P "$PROVIDER"
}
teardown() {
    ssh_teardown
    box_teardown
}

# sk_key TYPE: such a key, "work", in the real agent and attached.
sk_key() {
    rm -f "$KEYS"/work*
    ssh-keygen -q -t "$1" -w "$PROVIDER" -N '' -C work -f "$KEYS/work"
    ssh-add -q -D
    ssh-add -q -S "$PROVIDER" "$KEYS/work"
    attach work
}

# asked HEADLINE: that is asked, and to touch the key.
asked() {
    eventually has_pending
    run box consent pending
    assert_contains "$1"
    assert_contains "$(fingerprint work)"
    assert_contains "Touch the security key"
    [ "$(box consent pending --json | jq -r '.[0].note')" = "Touch the security key when it blinks." ]
}

# signs_with TYPE SHOWN-TYPE
signs_with() {
    sk_key "$1"
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work ($2)"
    rm -f ended
    sign_in_box file &
    asked "Sign for file ("
    answer once
    eventually test -s ended
    echo "me $(cat "$KEYS/work.pub")" >signers
    echo hello | ssh-keygen -q -Y verify -f signers -I me -n file -s signature
    ! echo other | ssh-keygen -q -Y verify -f signers -I me -n file -s signature || fail "it verifies anything"
    rm -f ended
    sign_in_box file &
    asked "Sign for file ("
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
}

# logs_in_with TYPE
logs_in_with() {
    sk_key "$1"
    ssh_to_sshd ed25519
    start_in_box ssh -F ssh_config far echo logged-in
    asked "Log in as $(id -un) at [127.0.0.1]:$SSHD_PORT"
    answer once
    eventually test -s ended
    grep -qx logged-in out || fail "$(cat error)"
}

@test "agent: an ed25519 key of a security key signs" { signs_with ed25519-sk ED25519-SK; }
@test "agent: an ECDSA key of a security key signs" { signs_with ecdsa-sk ECDSA-SK; }
@test "agent: an ed25519 key of a security key logs in" { logs_in_with ed25519-sk; }
@test "agent: an ECDSA key of a security key logs in" { logs_in_with ecdsa-sk; }

@test "agent: a certificate of a security key's key logs in" {
    sk_key ed25519-sk
    ssh-keygen -q -t ed25519 -N '' -f "$KEYS/ca"
    ssh-keygen -q -s "$KEYS/ca" -I id -n "$(id -un)" "$KEYS/work.pub"
    ssh-add -q -D
    ssh-add -q -S "$PROVIDER" "$KEYS/work"
    ssh_to_sshd ed25519 "TrustedUserCAKeys $KEYS/ca.pub"
    : >"$TEST_HOME/sshd/authorized"
    run --separate-stderr box run -- ssh-add -l
    assert_contains "(ED25519-SK-CERT)"
    start_in_box ssh -F ssh_config far echo logged-in
    asked "Log in as $(id -un) at [127.0.0.1]:$SSHD_PORT"
    answer once
    eventually test -s ended
    grep -qx logged-in out || fail "$(cat error)"
}
