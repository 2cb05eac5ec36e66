#!/usr/bin/env bats
# The SSH agent under OpenSSH's own regress scripts, of the very version that is installed, from
# Debian's source package. They run inside a box: lists and signatures go through the box's socket,
# each signature is asked about and gets a yes; adding and removing keys goes to the real agent,
# because a box may not (tests/lib/regress has the programs that see to it).
#
# What does not apply, and why:
#   agent-subprocess   `ssh-agent COMMAND`: the agent of a box is nobody's parent
#   agent-getpeereid   needs sudo to become another user, and in a box every user is the box: all may ask.
#                      Another user of the host cannot enter the socket's folder (agent.bats)
#   agent-ptrace       needs sudo, for ssh-agent's setgid bit; agent.bats tries to trace ours
#   agent-pkcs11, agent-pkcs11-cert, agent-pkcs11-restrict   load smartcards through the socket: refused
# hostkey-agent does but for RSA with SHA-1, which is refused, and no script gets DSA, which we have not.

load ../lib/box.bash
load ../lib/ssh.bash
load ../lib/openssh.bash

setup() {
    box_setup
    openssh_source
    mkdir "$CONFIG" bin obj
    cp "$BATS_TEST_DIRNAME"/../lib/regress/* bin
    cp bin/timestamp obj
    cp -r "$OPENSSH_SOURCE/regress" regress
    sk_dummy regress/misc/sk-dummy/sk-dummy.so
    printf '#define %s 1\n' ENABLE_SK HAVE_SO_PEERCRED >obj/config.h
    # The scripts' real agent runs in the box. No box is given a project with the user's agent in it,
    # so that one is reached through a relay.
    export SSH_AUTH_SOCK=$TEST_HOME/real.sock
    socat "UNIX-LISTEN:$SSH_AUTH_SOCK,fork" "UNIX-CONNECT:$PROJECT/bin/real.sock" 2>/dev/null 3>&- 4>&- &
    export REAL_AGENT=$!
    # Keys without a comment of their own are called as the user in the box.
    SSH_CONFIG='forward = "ask"' attach "$(id -un)@shop" user_{a,b,c,d,e,x}
}
teardown() {
    ssh_teardown
    box_teardown
}

# regress SCRIPT
regress() {
    box run -- true 2>/dev/null
    answer_all once
    run --separate-stderr box run -- env "PATH=$PROJECT/bin:/usr/sbin:/usr/bin:/sbin:/bin" TEST_SHELL=/bin/sh \
        "BUILDDIR=$PROJECT/obj" "TEST_SSH_SSH=$PROJECT/bin/ssh" "TEST_SSH_SSHD=/usr/sbin/sshd" \
        "TEST_SSH_SSHAGENT=$PROJECT/bin/ssh-agent" "TEST_SSH_SSHADD=$PROJECT/bin/ssh-add" \
        TEST_SSH_SSHD_SESSION=/usr/lib/openssh/sshd-session TEST_SSH_SSHD_AUTH=/usr/lib/openssh/sshd-auth \
        TEST_SSH_SK_HELPER=/usr/lib/openssh/ssh-sk-helper TEST_SSH_SFTPSERVER=/usr/lib/openssh/sftp-server \
        sh regress/test-exec.sh "$PROJECT/obj" "$PROJECT/regress/$1.sh"
    [[ ${output,,} != *skip* ]] || fail "$output"
}

passed() {
    # shellcheck disable=SC2154 # of run
    [[ $status = 0 && $output == *"ok "* ]] || fail "$output $stderr $(tail -n 40 obj/failed-*.log)"
}

# signed AT-LEAST: so many signatures went through our agent, each after a yes.
signed() {
    local count
    count=$(box consent log --json -n 100000 | jq -s 'map(select(.decision == "signed" and .how == "approved")) | length')
    [ "$count" -ge "$1" ] || fail "only $count signatures"
}

# bats test_tags=release
@test "agent: OpenSSH's agent-restrict: keys bound to hosts, over up to seven hops" {
    regress agent-restrict
    passed
    signed 60
    # Lists hide most of what is not for a host; a login as another user is refused by who knows the bounds.
    box consent log --json -n 100000 | jq -r .how | grep -qx "your own SSH agent refused"
}

@test "agent: OpenSSH's agent: all kinds of keys and certificates, forwarding" {
    regress agent
    passed
    signed 20
}

# bats test_tags=release
@test "agent: OpenSSH's agent-timeout: keys that end in the real agent end in the box" {
    regress agent-timeout
    passed
}

# bats test_tags=release
@test "agent: OpenSSH's hostkey-agent: host keys in the agent" {
    regress hostkey-agent
    # What it signs with SHA-1, and nothing else, is refused.
    [ "$(grep -E 'failed|bad|FATAL|unexpected' <<<"$output")" = "keytype ssh-rsa failed
bad SSH_CONNECTION key type ssh-rsa
cert type ssh-rsa-cert-v01@openssh.com failed
bad SSH_CONNECTION key type ssh-rsa-cert-v01@openssh.com
failed hostkey agent" ] || fail "$output $stderr"
    [ "$(box consent log --json -n 1000 | jq -r 'select(.decision != "signed").how' | sort -u)" = "RSA with SHA-1" ]
    signed 10
}

# bats test_tags=release
@test "agent: OpenSSH's sshsig: signatures of files" {
    regress sshsig
    passed
    signed 5
}

@test "agent: OpenSSH's cert-file: certificates in files, keys in the agent" {
    regress cert-file
    passed
    signed 1
}
