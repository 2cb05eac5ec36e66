#!/usr/bin/env bats
# [git] host_keys: which hosts ssh in a box knows. A real sshd, started by ssh, has the host key.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    own_home
    box_setup
    git init -q .
    ssh-keygen -q -t ed25519 -N '' -f key
    printf 'HostKey %s/key\nPidFile none\n' "$PROJECT" >sshd_config
}
teardown() {
    box_teardown
    rm -rf "$HOME"
}

# knows NAME…: of these hosts, those whose key ssh in the box accepts.
knows() {
    local name
    for name; do
        box run -- ssh -F none -o BatchMode=yes -o ProxyCommand="/usr/sbin/sshd -i -f $PROJECT/sshd_config" "${name%:*}" \
            -p "${name#*:}" true 2>out </dev/null && fail "logged in to $name"
        if grep -q 'Permission denied' out; then
            echo "$name"
        elif ! grep -q 'Host key verification failed' out; then
            cat out && return 1
        fi
    done
}

user_knows() { # NAME: as known_hosts names it
    echo "$1 $(cut -d' ' -f1,2 key.pub) me@here" >>"$HOME/.ssh/known_hosts"
}

@test "host keys: the forges' are known in a new box" {
    run --separate-stderr box run -- sh -c 'for host in github.com gitlab.com bitbucket.org codeberg.org git.sr.ht; do
        ssh-keygen -F $host -f /etc/ssh/ssh_known_hosts2 | grep -c "ssh-ed25519"; done'
    assert_output 1$'\n'1$'\n'1$'\n'1$'\n'1
    run --separate-stderr box run -- sh -c 'ssh -G github.com | grep globalknown'
    assert_contains /etc/ssh/ssh_known_hosts2
}

@test "host keys: those of the project's remotes that the user knows, plain, hashed, with a port" {
    user_knows plain.example
    user_knows '[port.example]:2222'
    user_knows hashed.example
    user_knows private.example
    ssh-keygen -q -H -f "$HOME/.ssh/known_hosts" 2>/dev/null
    user_knows '*.wild.example'
    git remote add a git@plain.example:x
    git remote add b ssh://port.example:2222/x
    git remote add c me@HASHED.example:x
    git remote add d me@a.wild.example:x
    git remote add e me@unknown.example:x
    run knows plain.example:22 port.example:2222 port.example:22 hashed.example:22 a.wild.example:22 b.wild.example:22 \
        unknown.example:22 private.example:22
    assert_output "plain.example:22"$'\n'"port.example:2222"$'\n'"hashed.example:22"$'\n'"a.wild.example:22"
}

@test "host keys: one that the user revoked is refused" {
    user_knows a.example
    user_knows '@revoked a.example'
    git remote add a a.example:x
    run knows a.example:22
    assert_output ""
    grep -q REVOKED out
}

@test "host keys: a key that the user learns later arrives at the next start" {
    git remote add a a.example:x
    run knows a.example:22
    assert_output ""
    user_knows a.example
    box restart
    run knows a.example:22
    assert_output a.example:22
}

@test "host keys: others are asked once, and kept in the box's home" {
    run box run -- ssh -o StrictHostKeyChecking=accept-new -o BatchMode=yes \
        -o ProxyCommand="/usr/sbin/sshd -i -f $PROJECT/sshd_config" new.example true
    assert_contains "Permission denied"
    run knows new.example:22
    assert_output new.example:22
    [ ! -e "$HOME/.ssh/known_hosts" ]
}

@test "host keys: an image without /etc/ssh has them, too, beside its own" {
    need_base
    trust_file "[box]
image = \"$BASE\"
[security]
sudo = \"allow\""
    run --separate-stderr box run -- sh -c 'sudo sh -c "echo mine >/etc/ssh/ssh_known_hosts"; cat /etc/ssh/ssh_known_hosts
        grep -c ^github.com /etc/ssh/ssh_known_hosts2'
    assert_output mine$'\n'3
    trust_file "[box]
image = \"$BASE\"
[security]
read_only = true"
    box apply --yes
    run --separate-stderr box run -- grep -c ^github.com /etc/ssh/ssh_known_hosts2
    assert_output 3
}

@test "host keys: false, and nothing is known" {
    user_config '[git]
host_keys = false'
    user_knows a.example
    git remote add a a.example:x
    run knows a.example:22
    assert_output ""
    run --separate-stderr box run -- sh -c 'test -e /etc/ssh/ssh_known_hosts2 || echo none'
    assert_output none
}
