#!/usr/bin/env bats
# Which folders become projects, and who is asked: what runs in a box sees its whole project.

load ../lib/box.bash

project_setup() { :; }
setup() { box_setup; }
teardown() {
    # shellcheck disable=SC2154 # of the test
    [ -z "${hidden:-}" ] || rm -rf "$hidden"
    box_teardown
}

# Nothing is registered, so that nothing below the folder counts as its project.
none_registered() { [ "$(box list --json)" = "[]" ] && [ ! -e "$DATA/boxes/shop" ]; }

@test "project: a plain folder is refused without a terminal, by every command, and nothing is registered" {
    local words
    for words in "run -- true" "enter" "start" "edit ." "build"; do
        # shellcheck disable=SC2086 # several words
        run box $words </dev/null
        assert_status 64
        assert_contains "'$PROJECT' is not a project, as it has neither .git nor litterbox.toml; 'box init' makes it one"
        none_registered
    done
}

@test "project: on a terminal the question says what would be seen, and no is the default" {
    touch one two three
    run on_terminal --answer "3 entries" '\n' box run -- echo ran
    assert_status 130
    assert_contains "'$PROJECT' is not a project yet"
    refute_contains "ran"
    none_registered
    run on_terminal --answer "3 entries" 'y\n' box run -- echo ran
    assert_status 0
    assert_contains "ran"
    # It is one from now on.
    run -0 --separate-stderr box run -- echo again </dev/null
    assert_output again
}

@test "project: .git, litterbox.toml and box init are enough" {
    mkdir "$TEST_HOME/git" "$TEST_HOME/toml" "$TEST_HOME/init"
    git init -q "$TEST_HOME/git"
    echo >"$TEST_HOME/toml/litterbox.toml"
    box trust --yes "$TEST_HOME/toml"
    box init --no-file "$TEST_HOME/init"
    [ ! -e "$TEST_HOME/init/litterbox.toml" ]
    local folder
    for folder in git toml init; do
        cd "$TEST_HOME/$folder"
        run -0 --separate-stderr box run -- pwd </dev/null
        assert_output "$TEST_HOME/$folder"
    done
    run box init --no-file --image host
    assert_status 64
}

@test "project: a hidden folder of the home needs --anyway, also with a .git" {
    hidden=$HOME/.$LITTERBOX_INSTANCE
    mkdir -p "$hidden/keys"
    echo secret >"$hidden/keys/id_x"
    cd "$hidden/keys"
    run box run -- cat id_x </dev/null
    assert_status 64
    assert_contains "lies in '.$LITTERBOX_INSTANCE'"
    refute_contains secret
    run on_terminal box run -- cat id_x
    assert_status 64
    refute_contains secret
    run box init
    assert_status 64
    git init -q .
    run box run -- cat id_x </dev/null
    assert_status 64
    refute_contains secret
    none_registered
    box init --anyway --no-file
    run -0 --separate-stderr box run -- cat id_x </dev/null
    assert_output secret # control: --anyway is what keeps it out
}

@test "project: the home and what is above it never become projects" {
    local folder
    for folder in "$HOME" "$(dirname "$HOME")" /; do
        cd "$folder"
        run box init --anyway
        assert_status 64
        assert_contains "cannot be a project"
        run box run -- true </dev/null
        assert_status 64
    done
    none_registered
}

a_folder_of_tmp_is_no_project() {
    local folder
    folder=$(mktemp -d "/tmp/$LITTERBOX_INSTANCE.XXXXXX")
    cd "$folder" || return
    run box run -- pwd </dev/null
    cd / || return
    rmdir "$folder"
    assert_status 64
    assert_contains "'$folder' is not a project"
}

@test "project: a refused folder of the system does not become the project of what is below it" {
    local folder
    for folder in /tmp /etc /usr; do
        cd "$folder"
        run box run -- pwd </dev/null
        assert_status 64
        assert_contains "'$folder' cannot be a project: it "
        run box init --anyway
        assert_status 64
    done
    none_registered
    a_folder_of_tmp_is_no_project
}

@test "project: a folder that holds projects needs --anyway, whether they have boxes or not" {
    mkdir -p "$TEST_HOME/src/one" "$TEST_HOME/other/deep/two"
    git init -q "$TEST_HOME/src/one"
    cd "$TEST_HOME/src"
    run box init
    assert_status 64
    assert_contains "holds other projects, as '$TEST_HOME/src/one'"
    run on_terminal box run -- true
    assert_status 64
    box init --no-file "$TEST_HOME/other/deep/two"
    cd "$TEST_HOME/other"
    run box run -- true </dev/null
    assert_status 64
    assert_contains "holds other projects, as '$TEST_HOME/other/deep/two'"
    box init --no-file --anyway
    run -0 --separate-stderr box run -- pwd </dev/null
    assert_output "$TEST_HOME/other"
}

# register_as_before FOLDER NAME: as versions did that registered before they refused.
register_as_before() { (umask 077 && mkdir -p "$DATA/boxes/$2" && printf %s "$1" >"$DATA/boxes/$2/project"); }

@test "project: the name of a folder is harmless in the question and in the refusal" {
    local folder=$TEST_HOME/$'\e[2J\nbox: forged\u202e'
    mkdir "$folder"
    cd "$folder"
    run box run -- true </dev/null
    assert_status 64
    refute_contains $'\e'
    refute_contains $'\u202e'
    [ "${#lines[@]}" = 1 ]
    run on_terminal --answer "[y/N]" 'n\n' box run -- true
    assert_status 130
    refute_contains $'\e[2J'
    refute_contains $'\nbox: forged'
    refute_contains $'\u202e'
    none_registered
}

@test "project: a row that an earlier version left for /tmp does not poison what is below, and can be ended" {
    register_as_before /tmp tmp
    run -0 box list
    assert_contains "the project '/tmp' of box 'tmp' is a system folder"
    assert_contains "'box rm tmp' removes the box"
    run -0 --separate-stderr box list --json
    jq -e '.[0].problem | contains("box rm tmp")' <<<"$output"
    a_folder_of_tmp_is_no_project
    run -0 box prune -n
    assert_contains "box 'tmp', whose project '/tmp' cannot be one"
    run -0 box prune
    none_registered
    register_as_before /tmp tmp
    box rm --yes tmp
    none_registered
}

@test "project: a folder whose parts are marked is one project, unless a part has a box; others are found deep" {
    mkdir -p "$TEST_HOME/mono/part" "$TEST_HOME/code/host/owner/thing"
    git init -q "$TEST_HOME/mono"
    git init -q "$TEST_HOME/mono/part"
    git init -q "$TEST_HOME/code/host/owner/thing"
    cd "$TEST_HOME/code"
    run box init
    assert_status 64
    assert_contains "holds other projects, as '$TEST_HOME/code/host/owner/thing'"
    cd "$TEST_HOME/mono"
    run -0 --separate-stderr box run -- pwd </dev/null
    assert_output "$TEST_HOME/mono"
    box rm --yes mono
    (cd part && box init --no-file)
    run box run -- true </dev/null
    assert_status 64
    assert_contains "holds other projects, as '$TEST_HOME/mono/part'"
}

@test "project: what is refused for its configuration or its plan is not registered" {
    printf '[network]\nmode = "none"\n' >litterbox.toml
    run box run -- true </dev/null
    assert_status 78
    none_registered
    run on_terminal --answer "[y/N]" 'n\n' box run -- true
    [ "$status" != 0 ]
    none_registered
    rm litterbox.toml
    git init -q .
    user_config $'[box]\nimage = "localhost/no-such-image:at-all"'
    run box run -- true </dev/null
    assert_status 125
    none_registered
    rm "$CONFIG/config.toml"
    box run -- true </dev/null
    [ -e "$DATA/boxes/shop/project" ] # control
}

@test "project: the list gives a project that is gone its reason, and the command that ends the row" {
    box init --no-file 2>/dev/null
    run -0 box list
    assert_contains "not created"
    cd /
    rmdir "$PROJECT"
    run -0 box list
    assert_contains "the project of box 'shop' is gone: 'box rm shop' removes the box"
    box rm --yes shop
    run -0 --separate-stderr box list --json
    assert_output "[]"
}
