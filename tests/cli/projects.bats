#!/usr/bin/env bats
# Commands that take several PROJECTs, or --all.

load ../lib/box.bash
load ../lib/tmux.bash
setup() {
    box_setup
    new_project "$TEST_HOME/cafe" "$TEST_HOME/mill"
}
teardown() {
    tmux_end
    box_teardown
}

states() { box list --json | jq -r '[.[] | "\(.name)=\(.state)"] | join(" ")'; }

@test "projects: start, stop and restart take several, by name and by folder, each once" {
    run box start cafe "$TEST_HOME/mill" cafe
    assert_status 0
    [ "$(states)" = "cafe=running mill=running shop=missing" ]
    before=$(box status --json cafe | jq -r .started)
    # A start of what runs changes nothing.
    run box start --all
    assert_status 0
    [ "$(states)" = "cafe=running mill=running shop=running" ]
    [ "$(box status --json cafe | jq -r .started)" = "$before" ]
    ids=$(pids)
    run box restart mill cafe
    assert_status 0
    [ "$(states)" = "cafe=running mill=running shop=running" ]
    # Those two are others now, this one is not.
    [ "$(comm -12 <(sort <<<"$ids") <(pids | sort) | wc -l)" = 1 ]
    run box stop shop cafe
    assert_status 0
    [ "$(states)" = "cafe=stopped mill=running shop=stopped" ]
    run box stop -a
    assert_status 0
    [ "$(states)" = "cafe=stopped mill=stopped shop=stopped" ]
}

# PID 1 of each box that runs, as the host sees it.
pids() {
    podman_get "containers/json?filters=%7B%22label%22%3A%5B%22litterbox.instance%3D$LITTERBOX_INSTANCE%22%5D%7D" |
        jq -r '.[].Pid'
}

@test "projects: when a name is wrong, nothing is done; --all and a name exclude each other" {
    box start cafe mill
    for command in stop restart rm apply build status upgrade; do
        run box "$command" cafe mlil </dev/null
        assert_status 125
        assert_contains "did you mean 'mill'?"
        run box "$command" --all cafe
        assert_status 64
        assert_contains "--all"
    done
    [ "$(states)" = "cafe=running mill=running shop=missing" ]
    run box start shop cfae
    assert_status 125
    [ "$(states)" = "cafe=running mill=running shop=missing" ]
}

@test "projects: one that fails does not stop the others, is named, and decides the status" {
    printf '[box]\nimage = 3\n' >"$TEST_HOME/cafe/litterbox.toml"
    (cd "$TEST_HOME/cafe" && ! box trust --yes)
    run box start cafe mill
    assert_status 78
    assert_contains "'cafe': "
    [ "$(states)" = "cafe=missing mill=running shop=missing" ]
    before=$(pids)
    run box apply --all --yes
    assert_status 78
    assert_contains "'cafe': "
    [ "$(states)" = "cafe=missing mill=running shop=missing" ]
    [ "$(pids)" != "$before" ]
}

@test "projects: rm asks for each, a no ends it; -f does not ask, and takes what is not there for removed" {
    box start cafe mill
    run on_terminal --answer "'cafe'" 'y\n' --answer "'mill'" 'n\n' box rm cafe mill shop
    assert_status 130
    [ "$(states)" = "mill=running shop=missing" ]
    run box rm mill shop </dev/null
    assert_status 64
    assert_contains "use --yes"
    [ "$(states)" = "mill=running shop=missing" ]
    run box rm mill cafe
    assert_status 125
    run box rm -f mill cafe
    assert_status 0
    [ "$(states)" = "shop=missing" ]
    run box rm -f "$TEST_HOME/mill"
    assert_status 0
    new_project "$TEST_HOME/mill"
    run box rm --all --yes
    assert_status 0
    [ -z "$(states)" ]
    [ -z "$(ls "$DATA/boxes")" ]
    run box rm --all --yes
    assert_status 0
    assert_contains "no boxes yet"
}

@test "projects: build and status take several; the JSON of several is a list, of one its object" {
    run box build cafe mill
    assert_status 0
    [ "$(grep -c 'no image to build' <<<"$output")" = 2 ]
    run --separate-stderr box status cafe mill
    assert_status 0
    [ "$(grep -c '^box  ' <<<"$output")" = 2 ]
    [ "$(grep -c '^$' <<<"$output")" = 1 ]
    [ "$(box status --json cafe mill | jq -r '.[].name')" = $'cafe\nmill' ]
    [ "$(box status --json --all | jq -r '.[].name')" = $'cafe\nmill\nshop' ]
    [ "$(box status --json cafe | jq -r .name)" = cafe ]
    run box status --all --reviewed
    assert_status 0
}

@test "projects: one may be called as a lock of Litterbox's own" {
    new_project "$TEST_HOME/create.lock"
    run box start create.lock cafe
    assert_status 0
    [ "$(states)" = "cafe=running create.lock=running mill=missing shop=missing" ]
}

@test "projects: a yes to the question about a moved one takes no other box that has the name by then" {
    box run -- sh -c 'echo mine >~/file'
    box stop
    mv "$PROJECT" "$TEST_HOME/moved"
    cd "$TEST_HOME/moved"
    in_tmux "box run -- true 2>$TEST_HOME/said"
    eventually shows "Use the box for it"
    box rm --yes shop
    new_project "$TEST_HOME/other/shop"
    (cd "$TEST_HOME/other/shop" && box run -- sh -c 'echo precious >~/file' && box stop)
    type_keys y Enter
    eventually tmux_ended
    [ "$(cat "$TEST_HOME/ended")" = 125 ]
    grep -q "has just been removed or renamed" "$TEST_HOME/said"
    [ "$(box list --json | jq -r '.[] | select(.name == "shop").project')" = "$TEST_HOME/other/shop" ]
    cd "$TEST_HOME/other/shop"
    box run -- grep -q precious "$HOME/file"
}
