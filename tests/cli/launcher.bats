#!/usr/bin/env bats
# The small `box` on PATH: which calls it does, and which it leaves to the whole program.

load ../lib/box.bash
setup() {
    box_setup
    box start >/dev/null 2>&1
    # Without the whole program beside it.
    LONE=$TEST_HOME/lone
    mkdir -p "$LONE/bin" "$LONE/libexec/litterbox" "$LONE/shims"
    cp "$(command -v box)" "$LONE/bin/box"
    WANTS="'$LONE/libexec/litterbox/box': No such file or directory"
}
teardown() { box_teardown; }

lone() { "$LONE/bin/box" "$@"; }

@test "launcher: runs a command in a box that runs, and needs no other program for it" {
    run --separate-stderr lone run -- sh -c 'echo "$LITTERBOX_BOX $PWD $#"; exit 42' name a 'b c'
    assert_status 42
    assert_output "shop $PROJECT 2"
    mkdir -p a/b
    [ "$(cd a/b && lone run -T -- pwd)" = "$PROJECT/a/b" ]
    [ "$(cd / && echo in | lone run shop -- cat)" = in ]
    run -127 lone run -- no-such-command
    assert_contains no-such-command
    [ "$(lone --version)" = "$(box --debug --version)" ]
    ln -s "$LONE/bin/box" "$LONE/shims/expr"
    [ "$("$LONE/shims/expr" 6 '*' 7)" = 42 ]
}

@test "launcher: git by its shim runs in a box that runs, and outside, and needs no other program for it" {
    ln -s "$LONE/bin/box" "$LONE/shims/git"
    git init -q a
    git -C a config alias.where '!echo "${LITTERBOX_BOX:-host}:$PWD"'
    [ "$("$LONE/shims/git" -C a where)" = "shop:$PROJECT/a" ]
    cp -r a "$TEST_HOME/outside"
    cd "$TEST_HOME"
    [ "$("$LONE/shims/git" -C outside where)" = "host:$TEST_HOME/outside" ]
    run "$LONE/shims/git" --git-dir="$PROJECT/a/.git" where
    assert_status 128
    assert_contains "the project of box 'shop'"
}

@test "launcher: the whole program starts from the folder of the call, and with all its words" {
    ln -s "$LONE/bin/box" "$LONE/shims/git"
    printf '#!/bin/sh\necho "$PWD $*"\n' >"$LONE/libexec/litterbox/box"
    chmod 755 "$LONE/libexec/litterbox/box"
    box stop >/dev/null 2>&1
    mkdir a
    cd "$TEST_HOME"
    run "$LONE/shims/git" -C "$PROJECT" -C a status 'b c'
    assert_output "$TEST_HOME --shim git -C $PROJECT -C a status b c"
    # Where this machine has no git that may be run.
    PATH=$LONE/shims:$TEST_HOME run "$LONE/shims/git" -C / status
    assert_output "$TEST_HOME --shim git -C / status"
}

@test "launcher: leaves all other calls to the whole program, before it has done anything" {
    local other records=(.renaming .cloning .taking .restoring)
    for other in list "--debug --version" "run" "run --" "run -t -- touch made" "run -e A=b -- touch made" \
        "run ./ -- touch made" "run other -- touch made"; do
        # shellcheck disable=SC2086
        run lone $other
        assert_status 125
        assert_contains "$WANTS"
    done
    BOX_DEBUG=all run lone run -- touch made
    assert_contains "$WANTS"
    run env -u HOME "$LONE/bin/box" run -- touch made
    assert_contains "$WANTS"
    for other in "${records[@]}"; do
        mkdir "$DATA/boxes/$other"
        run lone run -- touch made
        rmdir "$DATA/boxes/$other"
        assert_contains "$WANTS"
    done
    ln -s "$LONE/bin/box" "$LONE/shims/git"
    BOX_DEBUG=all run "$LONE/shims/git" init made
    assert_contains "$WANTS"
    ln -s "$LONE/bin/box" "$LONE/shims/touch-raw"
    run "$LONE/shims/touch-raw" made
    assert_contains "$WANTS"
    # A preset of that name makes it an agent's.
    mkdir -p "$CONFIG/agents"
    touch "$CONFIG/agents/touch.toml"
    ln -s "$LONE/bin/box" "$LONE/shims/touch"
    run "$LONE/shims/touch" made
    assert_contains "$WANTS"
    box stop >/dev/null 2>&1
    run lone run -- touch made
    assert_status 125
    assert_contains "$WANTS"
    run "$LONE/shims/git" init made
    assert_contains "$WANTS"
    [ ! -e made ]
}

@test "launcher: the whole program gets a shim's name and words, and PATH as it was" {

    box shim add probe >/dev/null 2>&1
    PATH=$DATA/shims:$PATH run box shim list
    assert_contains "in use"
    printf '#!/bin/sh\necho "$0 $#: $*"\n' >"$TEST_HOME/probe"
    chmod 755 "$TEST_HOME/probe"
    # A link of an earlier version, for which nothing but the whole program knows what to do.
    ln -sfn "$(command -v box)" "$DATA/shims/probe-raw"
    PATH=$DATA/shims:$TEST_HOME:$PATH run --separate-stderr probe-raw a 'b c' ''
    assert_output "$TEST_HOME/probe 3: a b c "
}
