#!/usr/bin/env bats
# Git of the host, called through the shim `git`, in a project that is hostile from the start: nothing that its
# repositories name runs on the host (7). What a box itself can write there is in repositories.bats.

load escape.bash
setup_file() {
    escape_setup_file
    cd "$PROJECT" || return
    export SHIMS=$DATA/shims REAL OUTSIDE=$TEST_HOME/outside
    REAL=$(command -v git)
    mkdir "$OUTSIDE"
    box shim add git >/dev/null 2>&1
    # Says where it ran. The box does not see the second folder.
    cat >evil.sh <<-EOF
	#!/bin/sh
	echo "\${LITTERBOX_BOX:-host}" >>"$PROJECT/where"
	echo ran >>"$TEST_HOME/ran"
	EOF
    chmod +x evil.sh
    "$REAL" init -q .
    "$REAL" config user.name Me
    "$REAL" config user.email me@example.org
    echo one >file
    "$REAL" add file
    "$REAL" commit -qm one
    hostile .git
    mkdir deep
    # A repository in a subfolder, which the index of the outer one takes for a submodule.
    "$REAL" init -q sub
    "$REAL" -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m sub
    "$REAL" -C "$PROJECT" -c core.fsmonitor=false update-index --add --cacheinfo "160000,$("$REAL" -C sub rev-parse HEAD),sub"
    hostile sub/.git
    "$REAL" init -q --bare bare
    "$REAL" --git-dir=bare config core.bare false
    "$REAL" --git-dir=bare config core.worktree "$PROJECT/deep"
    hostile bare
    # A worktree outside of the project.
    "$REAL" -c core.hooksPath=/dev/null -c core.fsmonitor=false worktree add -q "$OUTSIDE/tree" -b tree
    box run -- true 2>/dev/null
}
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() { rm -f "$PROJECT/where" "$TEST_HOME/ran"; }

# hostile REPOSITORY: names the program in all ways that calls of people and prompts follow.
hostile() {
    local hook
    "$REAL" --git-dir="$1" config core.fsmonitor "$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config filter.x.clean "$PROJECT/evil.sh; cat"
    "$REAL" --git-dir="$1" config diff.x.command "$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config diff.x.textconv "$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config core.editor "$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config core.pager "$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config alias.st "!$PROJECT/evil.sh"
    "$REAL" --git-dir="$1" config gpg.program "$PROJECT/evil.sh"
    mkdir -p "$1/info"
    echo '* filter=x diff=x' >"$1/info/attributes"
    for hook in pre-commit post-commit post-checkout post-index-change reference-transaction; do
        cp evil.sh "$1/hooks/$hook"
    done
}

# calls GIT [OPTION…]: what people and their prompts call.
calls() {
    local words
    for words in status 'status --short' diff 'diff --no-ext-diff --quiet' 'log -p -1 --ext-diff' 'show --textconv HEAD:file' st 'add -A' \
        'commit --allow-empty -m x' 'commit -a --amend --no-edit' 'checkout -q -b new' 'checkout -q -' 'branch -D new' 'stash' \
        'rev-parse --git-dir' 'describe --all'; do
        # shellcheck disable=SC2086 # words
        "$@" $words >/dev/null 2>&1 || true
    done
}

# assert_ran_in [BOX]: nothing ran on the host; something ran in the box BOX.
assert_ran_in() {
    [ ! -e "$TEST_HOME/ran" ] || fail "ran on the host: $(cat "$PROJECT/where")"
    [ -z "$1" ] || [ "$(sort -u "$PROJECT/where")" = "$1" ] || fail "ran in: $(cat "$PROJECT/where")"
}
shim() { PATH=$SHIMS:$PATH "$SHIMS/git" "$@"; }

@test "shim git: control: the real git runs each of these on the host" {
    local folder
    for folder in . deep sub bare "$OUTSIDE/tree"; do
        rm -f where "$TEST_HOME/ran"
        (cd "$folder" && calls "$REAL")
        [ "$(sort -u where)" = host ] || fail "nothing ran in: $folder"
        [ -e "$TEST_HOME/ran" ]
    done
    rm -f where "$TEST_HOME/ran"
    "$REAL" -c core.fsmonitor=false status >/dev/null # by the gitlink
    [ "$(sort -u where)" = host ]
    cd "$OUTSIDE"
    rm -f "$PROJECT/where"
    GIT_DIR=$PROJECT/deep/../.git GIT_WORK_TREE=$PROJECT calls "$REAL"
    [ "$(sort -u "$PROJECT/where")" = host ]
}

@test "shim git: hooks, monitors, filters, aliases and gitlinks of a project run in its box alone (7)" {
    local folder
    for folder in . deep sub bare; do
        rm -f where
        (cd "$folder" && calls shim)
        assert_ran_in shop
        rm -f where
        (cd "$OUTSIDE" && calls shim -C "$PROJECT/$folder")
        assert_ran_in shop
    done
}

@test "shim git: options, variables, links, worktrees and gitfiles from outside run nothing (7)" {
    ln -s "$PROJECT" "$OUTSIDE/link"
    ln -s "$PROJECT/.git" "$OUTSIDE/git"
    mkdir "$OUTSIDE/file" "$OUTSIDE/dir"
    echo "gitdir: $PROJECT/.git" >"$OUTSIDE/file/.git"
    ln -s ../file/.git "$OUTSIDE/dir/.git"
    cd "$OUTSIDE"
    calls shim -C tree
    calls shim -C file
    calls shim -C dir
    calls shim --git-dir=git
    calls shim --git-dir="$PROJECT/.git" --work-tree="$PROJECT"
    calls shim --git-dir="$PROJECT/bare"
    calls shim --git-dir=link/sub/.git
    calls shim --work-tree=link
    calls shim -C link/../shop/nowhere/..
    calls shim --unknown -C "$PROJECT"
    calls shim --unknown="x" --git-dir="$PROJECT/.git"
    GIT_DIR=$PROJECT/.git calls shim
    GIT_DIR=link/.git GIT_WORK_TREE=link calls shim
    GIT_DIR=$PROJECT/deep/../.git calls shim
    GIT_COMMON_DIR=$PROJECT/.git calls shim -C file
    shim push "$PROJECT/bare" HEAD || true
    shim clone "$PROJECT" copy || true
    assert_ran_in ""
    [ ! -e where ]
    [ ! -e "$PROJECT/where" ]
    # By a link to the project the call is the box's.
    calls shim -C link
    assert_ran_in shop
    rm -rf "$OUTSIDE"/{link,git,file,dir}
}

@test "shim git: a stopped box, and one that stops meanwhile: nothing runs (7)" {
    box stop >/dev/null 2>&1
    calls shim
    [ ! -e where ]
    assert_ran_in ""
    box start >/dev/null 2>&1
    calls shim &
    box stop >/dev/null 2>&1
    wait
    assert_ran_in ""
    box run -- true 2>/dev/null
}

@test "shim git: a box that swaps folders for links during calls gets nothing to run (7)" {
    mkdir -p swap/a
    cp -r sub swap/b
    in_box sh -c 'i=0; while [ $i -lt 100 ]; do mv swap/a swap/c; ln -s "$1" swap/a; rm -f swap/a; mv swap/c swap/a; i=$((i+1)); done; echo end >swapped' - "$OUTSIDE" &
    while [ ! -e swapped ]; do
        shim -C swap/a status >/dev/null 2>&1 || true
        (cd "$OUTSIDE" && shim --git-dir="$PROJECT/swap/a/../b/.git" status >/dev/null 2>&1) || true
        (cd "$OUTSIDE" && shim -C "$PROJECT/swap/a/../b" status >/dev/null 2>&1) || true
    done
    wait
    assert_ran_in ""
    "$REAL" -C swap/b status >/dev/null # control
    [ -e "$TEST_HOME/ran" ]
    rm -rf swap swapped
}

@test "shim git: a link of the user's that leaves the project by '..' is not followed (7)" {
    mkdir -p way x/y outside "$OUTSIDE/plain" "$OUTSIDE/dots" "$TEST_HOME/machine"
    cp -r sub outside/plain
    "$REAL" init -q "$OUTSIDE/plain"
    ln -s "$PROJECT/way/../../outside/plain/.git" "$OUTSIDE/dots/.git"
    # What the box would do between the look and the start of git, this git does itself.
    printf '#!/bin/sh\nrmdir "%s"; ln -s x/y "%s"; exec "%s" "$@"\n' "$PROJECT/way" "$PROJECT/way" "$REAL" >"$TEST_HOME/machine/git"
    chmod +x "$TEST_HOME/machine/git"
    cd "$OUTSIDE/dots"
    PATH=$SHIMS:$TEST_HOME/machine:$PATH run shim status
    assert_status 128
    assert_contains "the project of box 'shop'"
    assert_ran_in ""
    "$TEST_HOME/machine/git" status >/dev/null # control
    [ -e "$TEST_HOME/ran" ]
    cd "$PROJECT"
    rm -rf way x outside "$OUTSIDE"/{plain,dots} "$TEST_HOME/machine"
}

@test "shim git: a repository in the home of a box, seen from the host, runs nothing (7)" {
    local home=$DATA/boxes/shop/home
    cp -r sub "$home/work"
    "$REAL" -C "$home/work" status >/dev/null # control
    [ -e "$TEST_HOME/ran" ]
    rm "$TEST_HOME/ran" where
    calls shim -C "$home/work"
    (cd "$OUTSIDE" && calls shim --git-dir="$home/work/.git")
    ln -s "$DATA" "$OUTSIDE/data"
    (cd "$OUTSIDE/data/boxes/shop/home/work" && calls shim)
    assert_ran_in ""
    run shim -C "$home/work" status
    assert_status 125
    assert_contains "holds the homes of boxes"
    rm -rf "$home/work" "$OUTSIDE/data"
}

@test "shim git: names with control characters are shown safely (8)" {
    cd "$OUTSIDE"
    local name=--$'\e[31m\nforged'
    run shim "$name"
    assert_status 128
    assert_no_controls
    run shim -C "$name"
    assert_status 128
    assert_no_controls
}
