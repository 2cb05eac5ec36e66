#!/usr/bin/env bats
# ./quickstart in a fresh clone, as an ordinary user who has all packages.
#
# It needs a compiler, and no version of Podman in particular: tests/run has it in one lab alone.

load ../lib/box.bash

setup_file() {
    # Committed or not, without what was built. One build serves all tests.
    local checkout=$BATS_TEST_DIRNAME/../..
    export CLONE=$HOME/litterbox-tests/clone-$$
    mkdir -p "$CLONE"
    tar -C "$checkout" --exclude='./build*' --exclude=./.git -c . | tar -C "$CLONE" -x
    # Another prefix is in other programs: it would compile again.
    export PREFIX=$CLONE-prefix
    # As distributions compile, which has a few more warnings.
    [ -z "${BOX_TESTS_ALL:-}" ] || export CFLAGS=-O2
}

teardown_file() { rm -rf "$CLONE" "$PREFIX"; }

setup() {
    box_setup
    export GIT_CONFIG_GLOBAL=$TEST_HOME/gitconfig
}
teardown() { box_teardown; }

@test "quickstart: builds, installs, runs doctor, and shows a box from the inside" {
    touch one two
    run --separate-stderr "$CLONE/quickstart" --prefix "$PREFIX" </dev/null
    assert_status 0
    # The other tests run what clang compiles: this is where gcc sees the code.
    [ "$(grep -c -e '\[-W' "$CLONE/build-quickstart/quickstart.log")" = 0 ]
    assert_contains "user:     $(id -un), uid $(id -u)"
    assert_contains "home:     $HOME"
    assert_contains "project:  $PROJECT, 2 entries"
    # Without a terminal nobody was asked.
    [ ! -e "$GIT_CONFIG_GLOBAL" ]
    assert_contains "CapEff: 0000000000000000"
    assert_contains "CapBnd: 0000000000000000"
    assert_contains "NoNewPrivs: 1"
    assert_contains "Seccomp: 2"
    assert_contains "a way out: what \"box net rules\" lists, and what you allow when it asks"
    # shellcheck disable=SC2154
    [[ $stderr == *"boxes work here"* ]]
    [[ $stderr == *"$PREFIX/bin is not in your PATH"* ]]
    for file in bin/box libexec/litterbox/box-init share/man/man1/box.1 \
        share/bash-completion/completions/box share/litterbox/containerfiles/debian/Containerfile; do
        [ -e "$PREFIX/$file" ] || fail "$file"
    done
    # What it has installed works where it is.
    [ "$("$PREFIX/bin/box" run -- pwd)" = "$PROJECT" ]
}

@test "quickstart: on a terminal it opens a shell" {
    git config --global safe.bareRepository explicit
    run on_terminal --send 'echo in-$LITTERBOX_BOX\n' --send 'exit 7\n' \
        "$CLONE/quickstart" --prefix "$PREFIX"
    assert_status 7
    assert_contains "in-shop"
    refute_contains "[Y/n]"
}

@test "quickstart: changes git's configuration only after a yes on a terminal" {
    local answer expected
    while read -r answer expected; do
        rm -f "$GIT_CONFIG_GLOBAL"
        run on_terminal --answer '[Y/n]' "${answer#-}\n" --send 'exit 7\n' "$CLONE/quickstart" --prefix "$PREFIX"
        assert_status 7
        assert_contains "safe.bareRepository = explicit"
        [ "$(git config --global --get safe.bareRepository)" = "$expected" ] || fail "'$answer': $output"
    done <<<'no
- explicit'
}

@test "quickstart: a doctor with an error ends it, with doctor's status" {
    CONTAINER_HOST=unix:///nonexistent run "$CLONE/quickstart" --prefix "$PREFIX" </dev/null
    assert_status 69
    assert_contains "boxes do not work here yet"
    refute_contains "project: "
}

# bats test_tags=release
@test "quickstart: another project, again, into ~/.local" {
    mkdir "$TEST_HOME/paint"
    HOME=$TEST_HOME/home
    mkdir "$HOME"
    run --separate-stderr "$CLONE/quickstart" "$TEST_HOME/paint" </dev/null
    HOME=$(dirname "$(dirname "$TEST_HOME")")
    assert_status 0
    assert_contains "project:  $TEST_HOME/paint, 0 entries"
    [ -x "$TEST_HOME/home/.local/bin/box" ]
}

@test "quickstart: usage" {
    run "$BATS_TEST_DIRNAME/../../quickstart" --help
    assert_status 0
    assert_contains "--prefix"
    run "$BATS_TEST_DIRNAME/../../quickstart" --nonsense
    assert_status 64
    run "$BATS_TEST_DIRNAME/../../quickstart" "$TEST_HOME/nowhere"
    assert_status 1
    assert_contains "not a folder"
    run "$BATS_TEST_DIRNAME/../../quickstart" "$TEST_HOME" "$PROJECT"
    assert_status 1
    assert_contains "one project"
}

@test "quickstart: names what it installs, through sudo, and says so when that fails" {
    mkdir "$TEST_HOME/bin"
    printf '#!/bin/sh\nexit 1\n' >"$TEST_HOME/bin/dpkg-query"
    printf '#!/bin/sh\necho "$@" >>%s/sudo.log\nexit 1\n' "$TEST_HOME" >"$TEST_HOME/bin/sudo"
    printf '#!/bin/sh\nexit 0\n' >"$TEST_HOME/bin/apt-get"
    cp "$TEST_HOME/bin/apt-get" "$TEST_HOME/bin/sleep"
    chmod +x "$TEST_HOME"/bin/*
    PATH=$TEST_HOME/bin:$PATH run "$BATS_TEST_DIRNAME/../../quickstart" </dev/null
    assert_status 1
    assert_contains "Installing with apt-get: gcc"
    assert_contains " podman "
    assert_contains "could not be installed"
    grep -q "apt-get" "$TEST_HOME/sudo.log"
}
