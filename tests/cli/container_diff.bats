#!/usr/bin/env bats
# Files installed in a box outside of its home are not lost without a message.

load ../lib/box.bash
load ../lib/image.bash
setup() { image_setup; }
teardown() { image_teardown; }

# config TEXT: the project's configuration on the base image.
config() {
    trust_file "[box]
image = \"debian:bookworm\"
$1"
}

# A stopped box with installed files.
installed() {
    config ''
    box run -u root -- sh -c 'mkdir /opt/tool && echo 1 >/opt/tool/data && echo 2 >/usr/bin/tool'
    box stop
}

has_tool() {
    run --separate-stderr box run -- cat /usr/bin/tool
    assert_status 0
    assert_output 2
}

@test "container diff: a box without installed files is created again without a question" {
    config ''
    box run -- sh -c 'echo mine >~/mine; echo log >/var/tmp/log; echo run >/tmp/run'
    box stop
    config '[network]
mode = "none"'
    run box run -- cat /proc/net/route ~/mine
    assert_status 0
    assert_contains mine
    refute_contains "outside its home"
    run box apply
    assert_status 0
}

@test "container diff: apply names what is lost and asks; without a terminal it needs --yes" {
    installed
    run box apply
    assert_status 64
    assert_contains "2 files outside its home, such as '/usr/bin/tool'"
    has_tool
    run box apply # of a running box, too
    assert_status 64
    run on_terminal --answer '[y/N]' 'n\n' box apply
    assert_status 130
    assert_contains "Recreate it?"
    has_tool
    run box apply --yes
    assert_status 0
    assert_contains "will delete 2 files outside its home"
    run box run -- cat /usr/bin/tool
    [ "$status" != 0 ]
    run box apply
    assert_status 0
}

@test "container diff: a change that gives a box no new rights keeps its container with a message" {
    installed
    config '[box.env]
NEW = "1"'
    run box run -- cat /usr/bin/tool
    assert_status 0
    assert_contains "run 'box apply' to recreate it"
    assert_contains "2 files outside its home"
    box stop
    trust_file "[box]
image = \"$BASE\"
idle_stop = \"never\""
    has_tool
    box apply --yes
    run box run -- sh -c 'cat /usr/bin/tool'
    [ "$status" != 0 ]
}

@test "container diff: a protected path that appears on the host is protected without a new container" {
    installed
    mkdir .vscode .idea
    echo '{}' >.vscode/tasks.json
    has_tool
    run box run -- sh -c 'echo evil >.vscode/tasks.json; echo evil >.idea/x; mv .vscode elsewhere; echo tried'
    assert_contains tried
    [ "$(cat .vscode/tasks.json)" = '{}' ]
    [ -z "$(ls .idea)" ]
}

@test "container diff: a newly protected name, or fewer rights, take effect at the next start" {
    local change
    installed
    for change in '[protect]
extra = ["Makefile"]' '[network]
mode = "none"' '[security]
sudo = "ask"'; do
        config "$change"
        run box run -- true
        assert_status 78
        assert_contains "will delete 2 files outside its home, such as '/usr/bin/tool'"
        assert_contains "box apply --yes"
    done
    config ''
    has_tool
}

@test "container diff: hooks of a submodule are protected in a box that is older than it" {
    git init -q .
    installed
    mkdir -p .git/modules/sub/hooks
    printf '[core]\n' >.git/modules/sub/config
    printf 'ref: refs/heads/main\n' >.git/modules/sub/HEAD
    run box run -- sh -c 'echo evil >.git/modules/sub/hooks/post-checkout'
    [ "$status" != 0 ]
    [ ! -e .git/modules/sub/hooks/post-checkout ]
}

@test "container diff: a missing protected path leads to a question, because Podman cannot start the container" {
    mkdir .vscode
    installed
    rmdir .vscode
    run box run -- true
    assert_status 78
    run on_terminal --answer '[y/N]' 'n\n' box run -- true
    assert_status 130
    run on_terminal --answer '[y/N]' 'y\n' box run -- true
    assert_status 0
    run box run -- cat /usr/bin/tool
    [ "$status" != 0 ]
}

@test "container diff: a file name cannot forge the question" {
    config ''
    box run -u root -- sh -c 'mkdir /opt/bin; touch "$(printf "/opt/bin/a\033[2J\nb")"'
    run box apply
    assert_status 64
    assert_contains '1 file outside its home'
    [[ $output != *$'\033'* && $output != *$'\n'b* ]]
}
