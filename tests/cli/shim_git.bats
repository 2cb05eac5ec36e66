#!/usr/bin/env bats
# `box shim add git`: git of the box in projects, this machine's outside of them.

load ../lib/box.bash
setup() {
    box_setup
    SHIMS=$DATA/shims
    OLD_PATH=$PATH
    REAL=$(command -v git)
    PATH=$SHIMS:$PATH
    box shim add git >/dev/null 2>&1
    OUTSIDE=$TEST_HOME/outside
    mkdir "$OUTSIDE"
    box init >/dev/null 2>&1
    # The folder of the project's own git is on no host: what answers says where it ran.
    "$REAL" init -q .
    "$REAL" config alias.where '!echo "${LITTERBOX_BOX:-host}:$PWD"'
}
teardown() {
    PATH=$OLD_PATH
    box_teardown
}

start() { box start >/dev/null 2>&1; }

@test "shim git: runs in the box of the project, of a folder below, and with -C from outside" {
    start
    mkdir -p a/b
    run --separate-stderr git where
    assert_output "shop:$PROJECT"
    cd a/b
    [ "$(git where)" = "shop:$PROJECT" ]
    cd "$OUTSIDE"
    run --separate-stderr git -C "$PROJECT" where
    assert_output "shop:$PROJECT"
    run --separate-stderr git -C .. -C shop -C '' -C a where
    assert_output "shop:$PROJECT"
    # By a link, and by the folder that a link in the project leads to.
    ln -s "$PROJECT/a" link
    run --separate-stderr git -C link where
    assert_output "shop:$PROJECT"
    cd link
    run --separate-stderr git rev-parse --show-prefix
    assert_output "a/"
}

# The environment as GIT has it, without what a shell and a build for coverage add.
variables() { "$1" env | grep -vE '^(_|__LLVM_PROFILE_RT_INIT_ONCE)=' | sort; }

@test "shim git: outside of projects it is this machine's git with the caller's environment" {
    cd "$OUTSIDE"
    [ "$(git --version)" = "$("$REAL" --version)" ]
    git init -q .
    git config alias.env '!env'
    diff <(variables "$REAL") <(variables git)
    git config alias.where '!echo "${LITTERBOX_BOX:-host}:$PWD"'
    [ "$(git where)" = "host:$OUTSIDE" ]
    [ "$(cd / && git -C "$OUTSIDE" -C . where)" = "host:$OUTSIDE" ]
    [ "$(cd / && git --git-dir="$OUTSIDE/.git" --work-tree "$OUTSIDE" rev-parse --show-toplevel)" = "$OUTSIDE" ]
    [ "$(cd / && GIT_DIR=$OUTSIDE/.git git rev-parse --absolute-git-dir)" = "$OUTSIDE/.git" ]
    run git no-such-command
    assert_status 1
    run git -C nowhere status
    assert_status 128
    # A repository in a folder with no box is outside too; the shim makes no box for it.
    [ "$(box list --json | jq length)" = 1 ]
}

@test "shim git: options and variables in the project go to the box's git" {
    start
    "$REAL" init -q --separate-git-dir="$PROJECT/other.git" other
    [ "$(git --git-dir=other.git rev-parse --absolute-git-dir)" = "$PROJECT/other.git" ]
    [ "$(GIT_DIR=other.git git rev-parse --absolute-git-dir)" = "$PROJECT/other.git" ]
    [ "$(GIT_DIR=.git GIT_WORK_TREE=$PROJECT/other git rev-parse --show-toplevel)" = "$PROJECT/other" ]
    [ "$(git -c x.y=z config x.y)" = z ]
    # The box has no such repository.
    "$REAL" init -q "$OUTSIDE"
    run git --git-dir="$OUTSIDE/.git" status
    assert_status 128
    # What the parser does not know, git of the box judges.
    run git --new-option status
    assert_status 129
}

@test "shim git: commit takes the identity from variables, or from the box's home, with its exit status" {
    start
    echo one >file
    git add file
    GIT_AUTHOR_NAME=Me GIT_AUTHOR_EMAIL=me@example.org GIT_COMMITTER_NAME=Me GIT_COMMITTER_EMAIL=me@example.org \
        git commit -qm one
    [ "$("$REAL" log -1 --format='%an <%ce>')" = "Me <me@example.org>" ]
    box run -- sh -c 'git config --global user.name Box; git config --global user.email box@example.org'
    echo two >file
    run git diff --quiet
    assert_status 1
    git commit -qam two
    [ "$("$REAL" log -1 --format=%an)" = Box ]
    [ "$(echo text | git hash-object --stdin)" = "$(echo text | "$REAL" hash-object --stdin)" ]
}

@test "shim git: from outside, what leads into a project is refused" {
    "$REAL" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    "$REAL" worktree add -q "$OUTSIDE/tree" -b tree
    "$REAL" init -q --bare bare.git
    cd "$OUTSIDE"
    ln -s "$PROJECT/.git" linked
    mkdir through file
    ln -s "$PROJECT/.git" through/.git
    echo "gitdir: ../../shop/.git" >file/.git
    # As git-new-workdir makes them.
    "$REAL" init -q parts
    rm -rf parts/.git/config
    ln -s "$PROJECT/.git/config" parts/.git/config
    refuses() {
        run git "$@"
        [ "$status" = 128 ] || fail "$*: status $status: $output"
        assert_contains "the project of box 'shop'"
        assert_contains "git-raw"
        [ "${#lines[@]}" = 1 ] || fail "$output"
    }
    refuses --git-dir="$PROJECT/.git" status
    refuses --git-dir "$PROJECT/.git" status
    refuses --git-dir=../shop/a/../.git status
    refuses --git-dir=linked log
    refuses --work-tree="$PROJECT" status
    refuses --work-tree "$PROJECT/none" status
    refuses -C tree status
    refuses -C tree rev-parse --git-dir
    refuses -C through status
    refuses -C file status
    refuses -C parts status
    refuses clone "$PROJECT" copy
    refuses clone "file://${PROJECT/shop/sho%70}" copy
    refuses clone tree copy
    refuses fetch ../shop
    refuses push "$PROJECT/bare.git"
    refuses init ../shop/new
    refuses init --separate-git-dir="$PROJECT/new" here
    GIT_DIR=$PROJECT/.git refuses status
    GIT_DIR=$PROJECT/bare.git refuses log
    GIT_WORK_TREE=$PROJECT refuses status
    GIT_COMMON_DIR=$PROJECT/.git refuses status
    cd tree
    refuses status
    cd "$OUTSIDE"
    run git --new-option status
    assert_status 128
    assert_contains "does not know the option '--new-option'"
    # Each of them works with the real git: what is refused is no mistake of the test.
    "$REAL" -C tree status >/dev/null
    "$REAL" -C file rev-parse
    "$REAL" -C through rev-parse
    "$REAL" --git-dir=linked log >/dev/null
    [ "$(box list --json | jq -r '.[].state')" = stopped ] || [ "$(containers)" = "" ]
}

@test "shim git: the nearest registered project counts; a worktree with a box of its own too" {
    mkdir -p inner/deep plain
    "$REAL" init -q inner
    "$REAL" init -q plain
    "$REAL" -C inner config alias.where '!echo "${LITTERBOX_BOX:-host}:$PWD"'
    "$REAL" -C plain config alias.where '!echo "${LITTERBOX_BOX:-host}:$PWD"'
    (cd inner && box init >/dev/null 2>&1 && start)
    start
    [ "$(git -C inner/deep where)" = "inner:$PROJECT/inner" ]
    [ "$(git -C plain where)" = "shop:$PROJECT/plain" ]
    [ "$(cd "$OUTSIDE" && git -C "$PROJECT" where)" = "shop:$PROJECT" ]
}

@test "shim git: a project that was moved is still one, by what its folder is" {
    mv "$PROJECT" "$TEST_HOME/moved"
    mkdir "$TEST_HOME/moved/sub"
    cd "$TEST_HOME/moved/sub"
    run git where
    assert_status 125
    assert_contains "is the project of box 'shop', registered as '$PROJECT'"
    cd "$OUTSIDE"
    for words in "-C ../moved where" "--git-dir=../moved/.git where"; do
        # shellcheck disable=SC2086
        run git $words
        assert_status 125
        assert_contains "registered as"
    done
    mkdir "$PROJECT"
    run git -C ../moved where
    assert_status 125
}

@test "shim git: a list of boxes that cannot be read is an error, and nothing runs" {
    cd "$OUTSIDE"
    "$REAL" init -q .
    mv "$DATA/boxes/shop/project" "$TEST_HOME/project"
    mkdir "$DATA/boxes/shop/project"
    run git status
    assert_status 125
    rmdir "$DATA/boxes/shop/project"
    mv "$TEST_HOME/project" "$DATA/boxes/shop/project"
    git status
}

@test "shim git: a stopped box is started on a terminal, and not by prompts" {
    run --separate-stderr git rev-parse --git-dir
    assert_status 128
    assert_output ""
    # shellcheck disable=SC2154
    [ "$stderr" = "" ]
    [ "$(containers)" = "" ]
    # Its output goes to a program, its messages to a terminal.
    run on_terminal sh -c "git where >$TEST_HOME/out"
    assert_contains "is stopped: run 'box start"
    [ ! -s "$TEST_HOME/out" ]
    [ "$(containers)" = "" ]
    # Prompts stay empty.
    PROMPT=$(dirname "$(readlink -f "$REAL")")/../lib/git-core/git-sh-prompt
    [ ! -e "$PROMPT" ] || [ "$(bash -c '. "$0"; GIT_PS1_SHOWDIRTYSTATE=1; __git_ps1 " (%s)"' "$PROMPT")" = "" ]
    [ "$(containers)" = "" ]
    run on_terminal git where
    assert_contains "shop:$PROJECT"
    # Now it runs, and prompts get their answer.
    [ "$(git symbolic-ref --short HEAD)" = "$("$REAL" symbolic-ref --short HEAD)" ]
    [ ! -e "$PROMPT" ] || [[ $(bash -c '. "$0"; __git_ps1 " (%s)"' "$PROMPT") == " ("*")" ]]
}

@test "shim git: git-raw is this machine's git everywhere" {
    [ "$(git-raw where)" = "host:$PROJECT" ]
}

@test "shim git: no git that a box can write is run outside" {
    mkdir "$PROJECT/bin"
    printf '#!/bin/sh\necho evil\n' >"$PROJECT/bin/git"
    chmod +x "$PROJECT/bin/git"
    cd "$OUTSIDE"
    [ "$(PATH=$PROJECT/bin:$OLD_PATH git --version)" = evil ] # control
    PATH=$PROJECT/bin:$PATH run "$SHIMS/git" --version
    assert_status 0
    assert_contains "git version"
    refute_contains evil
    ln -s "$PROJECT/bin/git" "$TEST_HOME/git"
    PATH=$TEST_HOME:$OLD_PATH run -127 "$SHIMS/git" --version
    refute_contains evil
}
