#!/usr/bin/env bats
# Configuration and trust: whose word counts, what is asked, what is refused.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "trust: a new project file is refused without a terminal, with 78 and the way out" {
    printf '[box]\nenv = { A = "1" }\n' >litterbox.toml
    run box run -- true
    assert_status 78
    assert_contains "box trust"
    run box start
    assert_status 78
}

@test "trust: on a terminal it is shown in words, and only a yes makes it count" {
    printf '[network]\nmode = "host"\n[[mount]]\nsource = "~/data"\nmode = "rw"\n' >litterbox.toml
    mkdir -p ~/data
    run on_terminal --answer '[y/N]' 'n\n' box run -- true
    assert_status 78
    assert_contains "data"
    assert_contains "network"
    run box run -- true
    assert_status 78
    run on_terminal --answer '[y/N]' '\n' box trust
    [ "$status" != 0 ]
    run on_terminal --answer '[y/N]' 'y\n' box trust
    assert_status 0
    box run -- true
    rmdir ~/data || true
}

@test "trust: widening asks again, narrowing does not, and what is asked is the difference" {
    trust_file '[limits]
memory = "1G"'
    box run -- true
    box stop
    printf '[limits]\nmemory = "512M"\n' >litterbox.toml
    box run -- true
    box stop
    printf '[limits]\nmemory = "2G"\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --show
    assert_contains "2"
}

@test "trust: the contents are approved, not the name" {
    trust_file '[box]
env = { A = "1" }'
    [ "$(box run -- sh -c 'echo $A' 2>/dev/null)" = 1 ]
    box stop
    printf '[box]\nenv = { A = "2" }\n' >litterbox.toml
    run box run -- true
    assert_status 78
    box trust --yes >/dev/null
    [ "$(box run -- sh -c 'echo $A' 2>/dev/null)" = 2 ]
    box trust --revoke
    box stop
    run box run -- true
    assert_status 78
}

@test "trust: the box cannot write the file, nor make it" {
    run box run -- sh -c 'echo "[network]" > litterbox.toml'
    [ "$status" != 0 ]
    [ ! -e litterbox.toml ]
    trust_file '[box]
env = { A = "1" }'
    box apply
    run box run -- sh -c 'echo "[network]" >> litterbox.toml'
    [ "$status" != 0 ]
    run box run -- sh -c 'mv litterbox.toml x'
    [ "$status" != 0 ]
    run box run -- rm -f litterbox.toml
    [ "$status" != 0 ]
    grep -q A litterbox.toml
}

@test "trust: a running box goes on with its old plan, and says so; apply takes the new one" {
    box start
    mkdir -p "$CONFIG"
    printf '[box]\nenv = { B = "2" }\n' >"$CONFIG/config.toml"
    run box run -- sh -c 'echo "<$B>"'
    assert_status 0
    assert_contains "<>"
    assert_contains "box apply"
    [ "$(box status --json | jq -r .drift)" = config ]
    box apply
    run --separate-stderr box run -- sh -c 'echo $B'
    assert_output 2
    [ "$(box status --json | jq -r .drift)" = none ]
}

@test "config: every error of a file at once, with file, line and column; nothing is changed" {
    printf '[box]\nimagee = "x"\nidle_stop = "soon"\n[limits]\ncpus = -1\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "litterbox.toml:2:"
    assert_contains "image"
    assert_contains "litterbox.toml:3:"
    assert_contains "litterbox.toml:5:"
    run box run -- true
    assert_status 78
    [ -z "$(containers)" ]
}

@test "config: a rule of the network that is none is refused by name, and so is a key that is none" {
    printf '[network]\nmode = "filtered"\nallow = ["127.1"]\nmethods = true\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "litterbox.toml:3:10: [network] allow: '127.1' must be an address in full, such as 10.0.0.5 or [2001:db8::5]"
    assert_contains "[network] methods: unknown key"
}

@test "config: show tells each value and where it comes from; later files win" {
    mkdir -p "$CONFIG/boxes"
    printf '[box]\nshell = "/bin/sh"\nenv = { A = "user", B = "user" }\n' >"$CONFIG/config.toml"
    trust_file '[box]
env = { B = "project" }'
    printf '[box]\nidle_stop = "1h"\n' >"$CONFIG/boxes/shop.toml"
    box start
    run --separate-stderr box config show --json
    [ "$(jq -r '."box.shell".origin, ."box.env".origin, ."box.idle_stop".origin, ."limits.pids".origin' <<<"$output" | xargs)" = "user project box default" ]
    run --separate-stderr box run -- sh -c 'echo $A $B'
    assert_output "user project"
}

@test "config: show says when nothing is set, and the files' values fit beside their origin" {
    run --separate-stderr box config show
    assert_status 0
    assert_output ""
    # shellcheck disable=SC2154
    [[ $stderr == *"all settings are at their defaults"* ]]
    trust_file $'[limits]\npids = 99'
    run box config show
    assert_contains "limits.pids  $PROJECT/litterbox.toml  99"
}

@test "config: --set on config show is the last word" {
    run --separate-stderr box config show --json --set limits.pids=77
    [ "$(jq -r '."limits.pids" | .value, .origin' <<<"$output" | xargs)" = "77 flag" ]
}

@test "plan: --json is the request, and nothing is made by asking" {
    run --separate-stderr box plan --json
    assert_status 0
    [ "$(jq -r '.no_new_privileges, .userns.nsmode, .cap_drop[0]' <<<"$output" | xargs)" = "true keep-id all" ]
    [ -z "$(containers)" ]
}

@test "config: files that are no files are refused or left alone" {
    mkfifo litterbox.toml
    run timeout 60 box run -- true
    assert_status 78
    rm litterbox.toml
    ln -s /etc/passwd litterbox.toml
    run box run -- true
    assert_status 78
    rm litterbox.toml
    head -c 3000000 /dev/zero | tr '\0' '#' >litterbox.toml
    run box run -- true
    assert_status 78
}

@test "trust: a changed Containerfile or setup script needs a new yes, and the change is shown" {
    printf 'FROM scratch\n' >Containerfile
    printf 'echo one\n' >setup.sh
    printf '[box]\ncontainerfile = "Containerfile"\n[home]\nsetup = "setup.sh"\n' >litterbox.toml
    # Also an image that is there needs the yes: what would be built is shown with it.
    run box trust --yes
    assert_contains "+ ==> Containerfile"
    assert_contains "+ FROM scratch"
    assert_contains "+ echo one"
    run box trust
    assert_contains "already trusted"
    printf 'echo \033]0;two\a\n' >setup.sh
    run box start
    assert_status 78
    assert_contains "names files that have changed"
    run box trust --show
    assert_contains "- echo one"
    assert_contains '+ echo \x1b]0;two\x07'
    run on_terminal --answer '[y/N]' 'n\n' box start
    assert_status 78
    echo 'echo one' >setup.sh
    run box trust
    assert_contains "already trusted"
    # What cannot be shown counts as well.
    head -c 100000 /dev/zero >setup.sh
    run box trust --yes
    assert_contains "+ (100000 bytes, SHA-256 "
    head -c 100000 /dev/urandom >setup.sh
    run box start
    assert_status 78
    ln -sf Containerfile setup.sh
    run box trust --show
    assert_contains "+ (cannot be read)"
}

@test "trust: what the user's own configuration names needs no yes" {
    user_config '[home]
setup = "setup.sh"'
    printf 'echo one >~/made\n' >setup.sh
    trust_file '[box]
env = { A = "1" }'
    printf 'echo two >~/made\n' >setup.sh
    [ "$(box run -- cat "$HOME/made" 2>/dev/null)" = two ]
}
