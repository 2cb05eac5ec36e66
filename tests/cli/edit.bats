#!/usr/bin/env bats
# box edit: which editor runs and what it opens, in terminals. tests/desktop has editors with windows.

load ../lib/box.bash
load ../lib/tmux.bash
setup() {
    box_setup
    unset VISUAL EDITOR
    mkdir -p src
    printf 'one\ntwo\nthree\n' >src/a.txt
}
teardown() {
    tmux_end
    box_teardown
}

# What has just ended counts until PID 1 has seen to it.
one_session() { [ "$(box list --json | jq -r '.[0].sessions')" = 1 ]; }

configure() {
    mkdir -p "$CONFIG"
    printf '[editor]\n%s\n' "$1" >"$CONFIG/config.toml"
}

@test "edit: Neovim opens a file at a line in this terminal, and saved files belong to the user" {
    configure 'command = "nvim"
args = ["-u", "NONE"]'
    in_tmux "box edit src/a.txt:2"
    eventually shows "2,1" || fail "$(screen)"
    type_keys dd :wq Enter
    eventually tmux_ended
    [ "$(cat "$TEST_HOME/ended")" = 0 ]
    [ "$(cat src/a.txt)" = one$'\n'three ]
    [ "$(stat -c %u src/a.txt)" = "$(id -u)" ]
}

@test "edit: \$VISUAL is used before \$EDITOR" {
    export VISUAL="nano -l" EDITOR=nvim
    in_tmux "box edit src/a.txt"
    eventually shows "GNU nano" || fail "$(screen)"
    type_keys new Enter C-s C-x
    eventually tmux_ended
    [ "$(head -n 1 src/a.txt)" = new ]
}

@test "edit: without settings the first known editor of the box is used" {
    in_tmux "box edit src/a.txt"
    eventually shows "two" || fail "$(screen)"
    eventually one_session
    type_keys Escape :q! Enter
    eventually tmux_ended
}

@test "edit: as GIT_EDITOR it waits, and passes on a failure" {
    configure 'command = "/bin/sh"
args = ["-c", "echo changed >\"$1\"", "sh"]'
    git init -q .
    GIT_EDITOR="box edit --wait" git -c user.name=me -c user.email=me@x commit -q --allow-empty
    [ "$(git log -1 --format=%s)" = changed ]
    configure 'command = "false"'
    box stop
    run env GIT_EDITOR="box edit --wait" git -c user.name=me -c user.email=me@x commit -q --allow-empty
    [ "$status" != 0 ]
    [ "$(git rev-list --count HEAD)" = 1 ]
}

@test "edit: the file or an argument selects the project" {
    configure 'command = "/bin/sh"
args = ["-c", "echo $LITTERBOX_BOX \"$@\"; pwd", "sh"]'
    box init
    cd /
    run --separate-stderr box edit "$PROJECT/src/a.txt"
    assert_output "shop $PROJECT/src/a.txt"$'\n'"$PROJECT"
    run --separate-stderr box edit shop
    assert_output "shop"$'\n'"$PROJECT"
    run --separate-stderr box edit "$PROJECT/src"
    assert_output "shop $PROJECT/src"$'\n'"$PROJECT"
    cd "$PROJECT/src"
    run --separate-stderr box edit a.txt:3 "new file"
    assert_output "shop $PROJECT/src/a.txt $PROJECT/src/new file"$'\n'"$PROJECT/src"
}

@test "edit: files outside of the project are refused" {
    box run -- true
    run box edit src/a.txt /etc/hosts
    assert_status 64
    assert_contains "not in the project"
    ln -s /etc out
    run box edit src/a.txt out/hosts
    assert_status 64
}

@test "edit: returns once an editor with a window runs, and reports one that fails at once" {
    configure 'command = "sleep"
args = ["60"]
terminal = false'
    run box edit
    assert_status 0
    eventually one_session
    configure 'command = "false"
terminal = false'
    box stop
    run box edit
    assert_status 1
    assert_contains "exited at once with status 1"
}

@test "edit: the error for a missing editor names its package" {
    configure 'command = "zeditor"'
    run box edit
    assert_status 127
    assert_contains "command not found"
    assert_contains "install zed"
}

@test "edit: invalid settings are refused" {
    configure 'command = "code --wait"'
    run box edit
    assert_status 78
    assert_contains "options go into args"
    configure 'terminal = 1'
    run box edit
    assert_status 78
    configure 'terminal = "maybe"'
    run box edit
    assert_contains '"auto", "true", "false"' || assert_contains "auto, true, false"
}
