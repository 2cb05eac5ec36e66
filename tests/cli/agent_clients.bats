#!/usr/bin/env bats
# The SSH agent with programs that are not OpenSSH: each logs in after a yes, and after a no, or
# without keys, it fails and does not hang. None of them says which host it is connected to.

load ../lib/box.bash
load ../lib/ssh.bash
setup() {
    box_setup
    ssh_setup work
    ssh-keygen -q -t rsa -b 2048 -N '' -C rsa -f "$KEYS/rsa"
    ssh-add -q "$KEYS/rsa"
    attach work
    ssh_to_sshd ed25519
    cat "$KEYS/rsa.pub" >>"$TEST_HOME/sshd/authorized"
    cp "$BATS_TEST_DIRNAME/../lib/ssh_clients.py" clients.py
    mkdir -p "$TEST_HOME/there"
    touch "$TEST_HOME/there/logged-in"
}
teardown() {
    ssh_teardown
    box_teardown
}

# client NAME: a login inside the box, in the background.
client() {
    local user sftp
    user=$(id -un)
    case $1 in
    libssh2) # curl's sftp is libssh2's; without a password it asks the agent
        start_in_box timeout 60 curl -sS -k -l -u "$user:" "sftp://127.0.0.1:$SSHD_PORT$TEST_HOME/there/"
        ;;
    go) # rclone's sftp is golang.org/x/crypto/ssh with its agent package
        sftp=":sftp,host=127.0.0.1,port=$SSHD_PORT,user=$user,key_use_agent=true,shell_type=none"
        start_in_box timeout 60 rclone --config /dev/null --retries 1 --low-level-retries 1 --checkers 1 lsf \
            "$sftp,md5sum_command=none,sha1sum_command=none:$TEST_HOME/there"
        ;;
    *) start_in_box timeout 60 python3 clients.py "$1" 127.0.0.1 "$SSHD_PORT" "$user" ;;
    esac
}

# failed: the client has ended, and with a failure of its own (124: it hung).
failed() {
    eventually --within 70 test -s ended
    ! grep -q logged-in out || fail "it logged in"
    [[ $(cat ended) != @(0|124|134|139) ]] || fail "exit status $(cat ended): $(cat error)"
}

# yes_with KEY NAME
yes_with() {
    client "$2"
    eventually has_pending || fail "nothing is asked: $(cat error)"
    run box consent pending
    assert_contains "Log in as $(id -un) at a host that you do not know"
    assert_contains "The program does not say which host it is"
    assert_contains "$(fingerprint "$1")"
    refute_contains "5 minutes"
    answer once
    eventually --within 60 test -s ended || fail "it hangs: $(cat error)"
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
    grep -q logged-in out || fail "$(cat out)"
    [ "$(box consent log --json | tail -n 1 | jq -r '.decision + " " + .how')" = "signed approved" ]
}

yes_no_and_nothing() {
    yes_with work "$1"
    # A muted box has an empty list.
    box consent mute
    client "$1"
    failed
    box consent mute --for 0
    client "$1"
    answer deny
    failed
    [ "$(box consent log --json | jq -r 'select(.decision == "signed") | .how' | wc -l)" = 1 ]
    [ "$(box consent pending --json)" = "[]" ]
}

with_rsa() {
    attach rsa
    box stop
    yes_with rsa "$1"
}

@test "agent: paramiko logs in" { yes_no_and_nothing paramiko && with_rsa paramiko; }
@test "agent: asyncssh logs in" { yes_no_and_nothing asyncssh && with_rsa asyncssh; }
@test "agent: libssh logs in" { yes_no_and_nothing libssh && with_rsa libssh; }
@test "agent: libssh2 (curl) logs in" { yes_no_and_nothing libssh2; }
@test "agent: Go's ssh package (rclone) logs in" { yes_no_and_nothing go && with_rsa go; }

@test "agent: libssh2 with an RSA key logs in, where it knows SHA-2; else it ends without a question" {
    attach rsa
    if [[ $(curl --version) == *libssh2/1.10.* ]]; then
        client libssh2
        failed
        [ "$(box consent pending --json)" = "[]" ]
    else
        yes_with rsa libssh2
    fi
}
