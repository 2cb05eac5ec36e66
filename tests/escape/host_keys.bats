#!/usr/bin/env bats
# Which hosts the user knows (5): a box writes remotes, and may not learn by them what is in known_hosts.

load escape.bash
setup_file() {
    own_home
    escape_setup_file
    git init -q
    git remote add origin git@first.example:x
    ssh-keygen -q -t ed25519 -N '' -f "$TEST_HOME/key"
    KEY=$(cut -d' ' -f1,2 "$TEST_HOME/key.pub")
    printf '%s %s comment-of-the-host\n' first.example "$KEY" secret.example "$KEY" >"$HOME/.ssh/known_hosts"
    export KEY
    escape_config '[box]
idle_stop = "never"'
    box run -- true
}
teardown_file() {
    box_teardown
    rm -rf "$HOME"
}
setup() { escape_setup; }

known() { box run -- cat /etc/ssh/ssh_known_hosts2; }

@test "host keys: remotes that a box adds tell it nothing about known_hosts (5)" {
    box run -- git remote add probe git@secret.example:x
    box restart
    run known
    assert_contains "first.example $KEY"
    refute_contains secret.example
    box apply
    run known
    refute_contains secret.example
    # control: a box that is made when the remote is there
    mkdir -p "$TEST_HOME/other"
    cd "$TEST_HOME/other"
    git init -q
    git remote add origin git@secret.example:x
    run known
    assert_contains "secret.example $KEY"
    refute_contains first.example
}

@test "host keys: remotes that a box added before the setting was switched on tell it nothing (5)" {
    mkdir -p "$TEST_HOME/earlier"
    cd "$TEST_HOME/earlier"
    git init -q
    git remote add origin git@first.example:x
    printf '[git]\nhost_keys = false\n' >litterbox.toml
    box trust --yes
    box run -- git remote add probe git@secret.example:x
    printf '[git]\nhost_keys = true\n' >litterbox.toml
    box trust --yes
    box apply --yes
    run known
    refute_contains secret.example
    assert_contains "github.com ssh-ed25519" # control: it has the setting
}

@test "host keys: nor those of a box whose new home was never filled (5)" {
    mkdir -p "$TEST_HOME/unfilled" "$CONFIG/boxes"
    cd "$TEST_HOME/unfilled"
    git init -q
    printf '[home]\ndotfiles = "https://127.0.0.1:1/none"\n[git]\nhost_keys = false\n' >"$CONFIG/boxes/unfilled.toml"
    run box run -- git remote add probe git@secret.example:x
    assert_contains "the next session tries again"
    sed -i 's/false/true/' "$CONFIG/boxes/unfilled.toml"
    box apply --yes
    run known
    refute_contains secret.example
    assert_contains "github.com ssh-ed25519" # control: it has the setting
    box run -- git remote add another git@first.example:x
    run box run --branch new --isolated -- cat /etc/ssh/ssh_known_hosts2
    assert_contains "github.com ssh-ed25519"
    refute_contains .example
}

@test "host keys: comments and other hosts of known_hosts stay outside (5)" {
    run known
    refute_contains comment-of-the-host
    run box run -- sh -c 'cat ~/.ssh/known_hosts; grep -r secret.example /etc/ssh /run/litterbox ~'
    refute_contains "$KEY"
}

@test "host keys: nothing in the box writes what ssh there believes, nor the names (1)" {
    run ! box run -- sh -c "echo evil.example $KEY >>/etc/ssh/ssh_known_hosts2 || mv /etc/ssh/ssh_known_hosts2 /tmp/x ||
        rm -f /etc/ssh/ssh_known_hosts2"
    run known
    assert_contains "first.example $KEY"
    refute_contains evil.example
}

@test "host keys: a hostile configuration of the repository keeps no new box waiting, and adds few names (5, 9)" {
    local i
    mkdir -p "$TEST_HOME/hostile"
    cd "$TEST_HOME/hostile"
    git init -q
    for i in {1..300}; do
        printf '[remote "%s"]\n\turl = h%s.example:x\n' "$i" "$i"
        printf 'h%s.example %s\n' "$i" "$KEY" >>"$HOME/.ssh/known_hosts"
    done >>.git/config
    run timeout 60 box run -- sh -c 'grep -c "^h[0-9]" /etc/ssh/ssh_known_hosts2'
    assert_contains 16
}
