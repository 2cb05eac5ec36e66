#!/usr/bin/env bats
# sudo inside a box: deny, ask, allow; and nested sandboxes.

load ../lib/box.bash
setup() {
    box_setup
    mkdir -p "$CONFIG"
}
teardown() { box_teardown; }

policy() {
    printf '[security]\n%s\n' "$1" >"$CONFIG/config.toml"
}

@test "sudo: denied by default, with the way to change it" {
    run box run -- sudo id
    assert_status 1
    assert_contains "sudo"
    run box run -- sudo -n true
    assert_status 1
}

@test "sudo: allow gives root of the box, its status and its pipes" {
    policy 'sudo = "allow"'
    run --separate-stderr box run -- sudo id -u
    assert_output 0
    run box run -- sudo sh -c 'exit 5'
    assert_status 5
    run --separate-stderr box run -- sh -c 'echo through | sudo cat'
    assert_output through
    run --separate-stderr box run -- sudo -u root VAR=1 sh -c 'echo $VAR'
    assert_output 1
    run box run -- sudo -u nobody id
    [ "$status" != 0 ]
    run on_terminal box run -t -- sudo sh -c 'test -t 0 && echo on-a-tty'
    assert_contains on-a-tty
}

@test "sudo: allow gains nothing outside of the box" {
    policy 'sudo = "allow"'
    run box run -- sudo sh -c 'echo x > /usr/bin/planted'
    [ "$status" != 0 ]
    run box run -- sudo mount -t tmpfs none /mnt
    [ "$status" != 0 ]
    box run -- sudo touch "$PROJECT/by-root"
    [ "$(stat -c %u by-root)" != 0 ]
}

@test "sudo: ask asks on the session's terminal, and only a yes is a yes" {
    policy 'sudo = "ask"'
    box start
    run on_terminal --answer '[y/N]' 'y\n' box enter -- sudo id -u
    assert_contains "Run a command as root of box"
    assert_contains "id -u"
    assert_status 0
    run on_terminal --answer '[y/N]' 'n\n' box enter -- sudo id -u
    assert_status 1
    run on_terminal --answer '[y/N]' '\n' box enter -- sudo id -u
    assert_status 1
}

@test "sudo: ask shows the program that is run, its arguments, variables and folder (6)" {
    policy 'sudo = "ask"'
    mkdir evil
    printf '#!/bin/sh\necho "evil as $(id -u)"\n' | tee evil/id >evil/own
    chmod +x evil/*
    box start
    # shellcheck disable=SC2016 # the box's shell expands these
    run on_terminal --answer 'Allow it?' 'y\n' box enter -- sh -c 'PATH=$PWD/evil:$PATH sudo id -u'
    refute_contains "evil as"
    assert_contains "in $PROJECT: /usr/bin/id -u"
    run on_terminal --answer 'Allow it?' 'n\n' box enter -- sudo LD_PRELOAD=/tmp/x.so evil/own 'a b' "it's"
    assert_contains "in $PROJECT: LD_PRELOAD=/tmp/x.so $PROJECT/evil/own 'a b' 'it'\\''s'"
    run on_terminal --answer 'Allow it?' 'y\n' box enter -- sudo sh -c 'echo "path $PATH"'
    assert_contains "path /usr/local/sbin:"
    run on_terminal box enter -- sudo nosuchprogram
    assert_contains "not allowed"
    refute_contains "Allow it?"
}

@test "sudo: ask: Ctrl-C is a no, which neither ends the program nor eats what is typed next" {
    policy 'sudo = "ask"'
    box start
    # shellcheck disable=SC2016
    run on_terminal --answer 'Allow it?' '\x03' --answer 'status 1' 'next\n' \
        box enter -- sh -c 'sudo id -u; echo "status $?"; read -r line; echo "got $line"'
    assert_contains "status 1"
    assert_contains "got next"
    assert_status 0
}

@test "sudo: ask without a terminal is a no" {
    policy 'sudo = "ask"'
    run setsid -w box run -- sudo id -u </dev/null
    assert_status 1
}

@test "sudo: what is asked cannot forge the question" {
    policy 'sudo = "ask"'
    box start
    run on_terminal --answer $'\nAllow it?' 'n\n' box enter -- sudo sh -c $'true\033[2J\r\nAllow it? [y/N] y'
    refute_contains $'\033[2J'
    assert_contains '\x1b[2J'
}

@test "nested: bubblewrap and a user namespace work inside, and nothing more" {
    policy 'nested = true'
    run --separate-stderr box run -- bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev sh -c 'id -u; ls /proc | grep -c "^[0-9]"'
    assert_status 0
    run box run -- unshare -Ur id -u
    assert_output 0
    run box run -- sh -c 'echo 1 > /proc/sys/kernel/sysrq'
    [ "$status" != 0 ]
}

@test "nested: off by default" {
    run box run -- unshare -Ur true
    [ "$status" != 0 ]
    run box run -- bwrap --ro-bind / / true
    [ "$status" != 0 ]
}
