#!/usr/bin/env bats
# A box cannot change what the host runs later: hooks, git's configuration, editors' tasks (invariant 7).

load escape.bash
setup_file() {
    escape_setup_file
    cd "$PROJECT" || return
    git init -q .
    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    mkdir .vscode .claude
    echo '{}' >.vscode/tasks.json
    echo 'export A=1' | tee .envrc >.exrc
    escape_config '[box]
idle_stop = "never"'
    before=$(fingerprint)
    export before
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

# All protected paths on the host, with mode, size and contents.
fingerprint() {
    find "$PROJECT/.exrc" "$PROJECT/.git/hooks" "$PROJECT/.vscode" "$PROJECT/.envrc" \
        "$PROJECT/litterbox.toml" -printf '%P %m %s %y\n' -type f -exec sha256sum {} + | sort
}

protected_files="litterbox.toml .exrc .git/hooks/pre-commit.sample .vscode/tasks.json .envrc"
protected_folders=".git/hooks .vscode .claude .husky .idea .zed .devcontainer .git/commondir mise.toml .mcp.json"

each() { # LIST ATTACK…: "%" in ATTACK stands for the path
    local list=$1 path
    shift
    for path in $list; do
        attack "${@//%/$path}"
        assert_refused
    done
}

@test "protect: control: each attack works on an ordinary file" {
    local name
    for name in open-write open-path truncate meta; do
        echo x >plain
        attack "$name" plain
        assert_succeeded
    done
    attack link plain plain2
    assert_succeeded
    attack exchange plain plain2
    assert_succeeded
    attack rename plain plain3
    assert_succeeded
    attack unlink plain2
    assert_succeeded
    mkdir -p dir
    attack below dir
    assert_succeeded
}

@test "protect: a protected file cannot be opened for writing (7)" { each "$protected_files" open-write %; }

@test "protect: nor opened with O_PATH and again through /proc/self/fd (7)" {
    each "$protected_files $protected_folders" open-path %
}

@test "protect: nor opened through /proc/self/root and /proc/self/cwd (7)" {
    each "$protected_files" open-write "/proc/self/root$PROJECT/%"
    each "$protected_files" open-write /proc/self/cwd/%
}

@test "protect: a protected file cannot be truncated (7)" { each "$protected_files" truncate %; }

@test "protect: mode, owner, times and attributes cannot be changed (7)" {
    each "$protected_files $protected_folders" meta %
}

@test "protect: a protected path cannot be removed (7)" { each "$protected_files $protected_folders" unlink %; }

@test "protect: a protected path cannot be renamed (7)" { each "$protected_files $protected_folders" rename % away; }

@test "protect: nothing can be renamed over a protected path (7)" {
    echo evil >evil
    mkdir -p evil-folder
    each "$protected_files" rename evil %
    each "$protected_folders" rename evil-folder %
}

@test "protect: a protected path cannot be exchanged with another (7)" {
    echo evil >evil
    mkdir -p evil-folder
    each "$protected_files" exchange evil %
    each "$protected_folders" exchange evil-folder %
}

@test "protect: the folder above it cannot be renamed, exchanged or removed (7)" {
    mkdir -p evil-folder
    attack rename .git away
    assert_refused EBUSY
    attack exchange .git evil-folder
    assert_refused EBUSY
    attack unlink .git
    assert_refused
    attack rename "$PROJECT" "$PROJECT-away"
    assert_refused
}

@test "protect: a protected file cannot get a hard link (7)" { each "$protected_files" link % second; }

@test "protect: protected folders, existing or not, get no new files (7)" {
    each "$protected_folders" below %
}

@test "protect: a protected path cannot be replaced by a symbolic link (7)" {
    local path
    for path in $protected_files $protected_folders; do
        attempt "rm -rf $path; ln -sfn /tmp/evil $path"
        [ ! -L "$PROJECT/$path" ] || fail "$path is a link now"
    done
    [ "$(fingerprint)" = "$before" ]
}

@test "protect: its mount cannot be covered, removed or made writable (7)" {
    mkdir -p evil-folder
    each "$protected_folders" bind evil-folder %
    each "$protected_files $protected_folders" uncover %
    each "$protected_files $protected_folders" remount %
}

@test "protect: overlays and namespaces of the usual tools do not help (7)" {
    run in_box unshare -rm mount -o remount,rw,bind .git/hooks
    [ "$status" != 0 ]
    run in_box bwrap --dev-bind / / sh -c 'echo evil >.git/hooks/post-checkout'
    [ "$status" != 0 ]
    run in_box sh -c "mkdir -p u w; mount -t overlay -o lowerdir=.git,upperdir=u,workdir=w o .git"
    [ "$status" != 0 ]
    [ "$(fingerprint)" = "$before" ]
}

@test "protect: root of the box cannot change protected paths (7)" {
    local path
    for path in $protected_files; do
        attack_as_root open-write "$PROJECT/$path"
        assert_refused
        attack_as_root remount "$PROJECT/$path"
        assert_refused
    done
}

@test "protect: git cannot write config, hooks or worktree configuration (7)" {
    local config
    config=$(cat .git/config)
    run in_box git config core.fsmonitor 'touch /tmp/evil'
    [ "$status" != 0 ]
    run in_box git config core.hooksPath /tmp
    [ "$status" != 0 ]
    run in_box git config --worktree core.pager evil
    [ "$status" != 0 ]
    run in_box git remote add evil ext::evil
    [ "$status" != 0 ]
    [ "$(fingerprint)" = "$before" ]
    [ "$(cat .git/config)" = "$config" ]
    # Control: other git commands work.
    run in_box git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two
    assert_status 0
}

@test "protect: commondir cannot lead git to another configuration (7)" {
    run in_box sh -c 'echo /tmp/evil >.git/commondir'
    [ "$status" != 0 ]
    attack rename .git/commondir .git/x
    assert_refused
    run git -C "$PROJECT" rev-parse --git-common-dir
    assert_contains .git
}

@test "protect: .git cannot be replaced by a file or link (7)" {
    attempt 'rm -rf .git; echo "gitdir: /tmp/evil" >.git'
    [ -d "$PROJECT/.git" ] || fail ".git is no folder any more"
    # The box may damage the repository like any file of the project. Repairs it for the next tests.
    git init -q "$PROJECT"
    [ "$(fingerprint)" = "$before" ]
}

@test "protect: a race of renames creates no hook (7)" {
    in_box timeout 2 sh -c 'mkdir -p a b
        (while :; do mv a .git/hooks/a; mv .git/hooks a; mv -T b .git/hooks; done) 2>/dev/null &
        while :; do ln -sfn b .git/hooks; echo evil >.git/hooks/post-checkout; done 2>/dev/null' || true
    [ ! -e "$PROJECT/.git/hooks/post-checkout" ]
    [ -d "$PROJECT/.git/hooks" ]
    [ ! -L "$PROJECT/.git/hooks" ]
}

@test "protect: nothing has changed on the host when the box stops (7)" {
    [ "$(fingerprint)" = "$before" ]
    box stop
    local path
    for path in .husky .idea .zed .devcontainer .git/commondir .git/config.worktree mise.toml .mcp.json .cursor .vimrc; do
        [ ! -e "$PROJECT/$path" ] || fail "'$path' was left behind"
    done
    [ "$(fingerprint)" = "$before" ]
}
