#!/usr/bin/env bats
# The SSH agent with ssh-add and all its options, and with both kinds of public key authentication.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

in_box() { run --separate-stderr box run -- "$@"; }

@test "agent: ssh-add lists in every form" {
    local line
    line="256 $(fingerprint work) work (ED25519)"
    in_box ssh-add -l
    assert_output "$line"
    in_box ssh-add -q -l
    assert_output "$line"
    in_box ssh-add -v -v -v -l
    assert_output "$line"
    in_box ssh-add -E md5 -l
    assert_output "$(ssh-keygen -E md5 -lf "$KEYS/work.pub")"
    in_box ssh-add -L
    assert_output "$(cat "$KEYS/work.pub")"
}

@test "agent: ssh-add -T makes a signature of random data: asked about as that" {
    box run -- sh -c 'ssh-add -L >k.pub' 2>/dev/null
    start_in_box ssh-add -T k.pub
    eventually has_pending
    run box consent pending
    assert_contains "Sign unrecognised data"
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
    start_in_box ssh-add -vT k.pub
    answer deny
    eventually test -s ended
    [ "$(cat ended)" = 1 ]
    grep -q 'agent refused operation' error
    # A key that is not attached: no question.
    cp "$KEYS/other.pub" k.pub
    in_box ssh-add -T k.pub
    assert_status 1
    [ "$(box consent pending --json)" = "[]" ]
}

@test "agent: every option of ssh-add that would change something is refused, and nothing is asked" {
    local before options
    before=$(ssh-add -L)
    box run -- sh -c 'ssh-add -L >k.pub; ssh-keygen -q -t ed25519 -N "" -f mine; ssh-keygen -q -s mine -I i -n me mine.pub
        printf "[127.0.0.1]:1 %s" "$(cat mine.pub)" >hosts' 2>/dev/null
    for options in mine '-q mine' '-v mine' '-k mine' '-C mine' '-c mine' '-t 60 mine' '-c -t 1h mine' '-h [127.0.0.1]:1 -H hosts mine' \
        '-S /usr/lib/x.so mine' '-d k.pub' '-k -d k.pub' '-d mine' '-D' '-q -D' '-x' '-X' '-s /usr/lib/x.so' \
        '-t 9 -s /usr/lib/x.so' '-e /usr/lib/x.so' '-K' '-S internal -K'; do
        in_box timeout 20 sh -c "printf 'a\na\n' | setsid -w ssh-add $options"
        [[ $status != @(0|124) ]] || fail "ssh-add $options: $status"
        [ "$(box consent pending --json)" = "[]" ] || fail "ssh-add $options asks"
    done
    [ "$(ssh-add -L)" = "$before" ]
    in_box ssh-add -L
    assert_output "$(cat "$KEYS/work.pub")"
}

@test "agent: ssh-add of a list without keys, and without an agent, says so" {
    box run -- true 2>/dev/null
    box consent mute
    in_box ssh-add -l
    assert_status 1
    assert_output "The agent has no identities."
    in_box ssh-add -L
    assert_status 1
    assert_output "The agent has no identities."
    box consent mute --for 0
    in_box ssh-add -l
    assert_status 0
}

@test "agent: logins with unbound and with host-bound authentication are both of a verified host" {
    ssh_to_sshd ed25519
    local kind
    local -A methods=([unbound]='method publickey' [host-bound]='method publickey
method publickey-hostbound-v00@openssh.com')
    for kind in unbound host-bound; do
        start_in_box ssh -F ssh_config -o PubkeyAuthentication="$kind" far echo logged-in
        eventually has_pending
        run box consent pending
        assert_contains "Log in as $(id -un) at [127.0.0.1]:$SSHD_PORT"
        assert_contains "Host key verified"
        answer once
        eventually test -s ended
        grep -qx logged-in out || fail "$(cat error)"
        # Which kind it was, sshd tells.
        [ "$(grep -Eo 'method publickey[^ ]*' "$TEST_HOME/sshd/log" | sort -u)" = "${methods[$kind]}" ] ||
            fail "$(cat "$TEST_HOME/sshd/log")"
    done
}
