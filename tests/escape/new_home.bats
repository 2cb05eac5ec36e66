#!/usr/bin/env bats
# Dotfiles: what a project, a box, or links in them get at. A box's own programs copy them, so that no link leads the host.

load escape.bash
setup_file() {
    escape_setup_file
    DOTFILES=$TEST_HOME/dotfiles
    mkdir -p "$DOTFILES"
    export DOTFILES
    echo mine >"$DOTFILES/.mine"
    ln -s "$TEST_HOME/neighbour/secret" "$DOTFILES/link"
    ln -s "$TEST_HOME/neighbour" "$DOTFILES/folder"
    user_config "[home]
dotfiles = \"$DOTFILES\""
    git init -q
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

@test "new home: a project's file cannot name dotfiles or their script (1)" {
    mkdir -p "$TEST_HOME/other"
    cd "$TEST_HOME/other"
    local line
    for line in "dotfiles = \"$TEST_HOME/neighbour\"" 'dotfiles_script = "x"'; do
        printf '[home]\n%s\n' "$line" >litterbox.toml
        run box run -- cat /run/litterbox/dotfiles/secret
        assert_status 78
        refute_contains "$SECRET"
        assert_contains "for you alone"
    done
    # control: the user's own file can
    rm litterbox.toml
    git init -q
    mkdir -p "$CONFIG/boxes"
    printf '[home]\ndotfiles = "%s"\n' "$TEST_HOME/neighbour" >"$CONFIG/boxes/other.toml"
    run box run -- cat /run/litterbox/dotfiles/secret
    assert_contains "$SECRET"
}

@test "new home: links in dotfiles lead to nothing of the host (1)" {
    run box run -- sh -c 'cat ~/link ~/folder/secret /run/litterbox/dotfiles/link'
    [ "$status" != 0 ]
    refute_contains "$SECRET"
    [ "$(cat "$DOTFILES/link")" = "$SECRET" ] # control
    run box run -- cat "$HOME/.mine"
    assert_contains mine
}

@test "new home: nothing in the box writes the dotfiles (1)" {
    run ! box run -- sh -c 'echo evil >/run/litterbox/dotfiles/.bashrc; rm -f /run/litterbox/dotfiles/.mine
        mv /run/litterbox/dotfiles /run/litterbox/x || exit 1'
    [ "$(cat "$DOTFILES/.mine")" = mine ]
    [ ! -e "$DOTFILES/.bashrc" ]
}

@test "new home: folders that no box may see, and links that a box made, are no dotfiles (1)" {
    local folder
    ln -sfn "$TEST_HOME/neighbour" "$PROJECT/planted"
    mkdir -p "$TEST_HOME/third"
    cd "$TEST_HOME/third"
    git init -q
    for folder in "$CONFIG" "$DATA" "$PROJECT/planted"; do
        user_config "[home]
dotfiles = \"$folder\""
        run box run -- cat /run/litterbox/dotfiles/secret
        [ "$status" != 0 ]
        refute_contains "$SECRET"
        assert_contains "home.dotfiles: '"
    done
    # control: without a link of a box on the way
    user_config "[home]
dotfiles = \"$TEST_HOME/neighbour\""
    run box run -- cat /run/litterbox/dotfiles/secret
    assert_contains "$SECRET"
}
