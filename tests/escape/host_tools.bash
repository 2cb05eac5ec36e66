# For tests in which programs of the host run where a box has written: projects of every form, what the box plants in
# them, and a folder of the host's own for the controls. docs/host-tools.md is the list that they hold.
# shellcheck shell=bash disable=SC2154 # bats and escape.bash set them

load escape.bash

# For setup_file: four projects, each with a box. PROJECT is a repository with the submodule lib; worktree belongs to it,
# and super/lib is a submodule, too; plain has no .git. MINE is the host's own.
host_tools_setup_file() {
    escape_setup_file || return
    export MINE=$TEST_HOME/mine RAN=$TEST_HOME/ran
    export EVIL="touch $RAN"
    git config --global user.name Me
    git config --global user.email me@example.org
    git config --global protocol.file.allow always
    mkdir -p "$MINE" "$TEST_HOME/plain"
    git init -q "$MINE"
    git init -q "$TEST_HOME/upstream"
    git -C "$TEST_HOME/upstream" commit -q --allow-empty -m one
    git init -q .
    git init -q "$TEST_HOME/super"
    git submodule --quiet add "$TEST_HOME/upstream" lib
    git -C "$TEST_HOME/super" submodule --quiet add "$TEST_HOME/upstream" lib
    git commit -qm one
    git worktree add -q "$TEST_HOME/worktree"
    export PLACES="$PROJECT $TEST_HOME/super/lib $TEST_HOME/worktree $TEST_HOME/plain"
    local place
    for place in $PLACES; do
        cp -n "$ATTACK" "$place/attack"
        cd "$place" || return
        printf '[box]\nidle_stop = "never"\n' >litterbox.toml
        box trust --yes >/dev/null || return
        box run -- mkdir sub || return
    done
}

# For setup of each test: nothing ran, and nothing is planted.
host_tools_setup() {
    local place
    rm -f "$RAN"
    find "$MINE" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -r {} +
    for place in $PLACES; do
        find "$place" -mindepth 1 -maxdepth 1 ! -name .git ! -name .gitmodules ! -name lib ! -name litterbox.toml ! -name attack -exec rm -r {} +
        mkdir "$place/sub"
    done
    cd "$PROJECT" || return
}

# The box of each project tries to make FILE with CONTENT in its root, in every way, and in the folder sub.
box_plants() { # FILE CONTENT
    local place
    for place in $PLACES; do
        cd "$place" || return
        # shellcheck disable=SC2016 # the box's shell expands these
        attempt 'for folder in . sub; do
            case $1 in */*) mkdir -p "$folder/${1%/*}" ;; esac
            printf "%s\n" "$2" >"$folder/$1"; printf "%s\n" "$2" >x; chmod +x x
            ln x "$folder/$1"; [ -e "$folder/$1" ] || mv -f x "$folder/$1"; [ -e "$folder/$1" ] || ln -s x "$folder/$1"
            case $1 in */*) rm -rf y; mkdir -p y; printf "%s\n" "$2" >"y/${1##*/}"; [ -e "$folder/$1" ] || mv y "$folder/${1%/*}" ;; esac
            rm -rf x y; done' "$1" "$2"
        # Else what follows would prove nothing.
        [ -e "sub/$1" ] || fail "the box planted nothing: $place/sub/$1"
    done
    cd "$PROJECT" || return
}

# in_folders FOLDER COMMAND…: COMMAND runs on the host in FOLDER ("." or "sub") of each project. Nothing of the box's
# may run. Its own status says nothing.
in_folders() {
    local folder=$1 place
    shift
    for place in $PLACES; do
        (cd "$place/$folder" && "$@") >/dev/null 2>&1 3>&- </dev/null || true
        [ ! -e "$RAN" ] || fail "a file of the box ran on the host: $place/$folder: $*"
    done
}
in_roots_and_below() {
    in_folders . "$@" && in_folders sub "$@"
}

# A name that is protected is in no root after box_plants.
in_no_root() { # FILE
    local place
    for place in $PLACES; do
        { [ ! -e "$place/$1" ] && [ ! -L "$place/$1" ]; } || fail "made: $place/$1"
    done
}

# Controls: that COMMAND runs what it finds in the host's own folder.
runs_in() { # FOLDER COMMAND…
    local folder=$1
    shift
    (cd "$folder" && "$@") >"$BATS_TEST_TMPDIR/control" 2>&1 3>&- </dev/null || true
    # gio launch does not wait for what it starts.
    eventually test -e "$RAN" || fail "nothing ran: $*: $(cat "$BATS_TEST_TMPDIR/control")"
    rm "$RAN"
}

# For controls: git runs a filter in the host's own folder when it finds that the time of .gitattributes has changed.
# (Prompts pass by core.fsmonitor.)
mine_has_filter() {
    echo '* filter=evil' >"$MINE/.gitattributes"
    git -C "$MINE" add .gitattributes
    git -C "$MINE" commit -q --allow-empty -m one
    git -C "$MINE" config filter.evil.clean "$EVIL; cat"
}

# The box of each project tries what makes git run programs, and makes a repository in the folder sub.
boxes_spoil_git() {
    local place
    for place in $PLACES; do
        cd "$place" || return
        # shellcheck disable=SC2016 # the box's shell expands these
        attempt 'for git in .git .git/modules/lib "$(git rev-parse --git-dir)" "$(git rev-parse --git-common-dir)"; do
            for file in config config.worktree; do printf "[core]\n\tfsmonitor = %s\n" "$1" >>"$git/$file"; done; done
            git config core.fsmonitor "$1"; printf "* filter=evil diff=evil merge=evil\n" >.gitattributes; cp .gitattributes sub
            git init -q sub; git -C sub config core.fsmonitor "$1"; printf "[core]\n\tfsmonitor = %s\n" "$1" >sub/.git/config
            printf "[core]\n\tfsmonitor = %s\n\tbare = false\n" "$1" >config; mkdir objects refs; echo "ref: refs/heads/x" >HEAD' "$EVIL; false"
        [ -e sub/.git/HEAD ] || fail "no repository in $place/sub"
    done
    cd "$PROJECT" || return
}
