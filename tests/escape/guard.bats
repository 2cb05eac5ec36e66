#!/usr/bin/env bats
# The guard of protected names against races, and against a host that takes its mounts away (7).

load escape.bash
setup_file() {
    escape_setup_file
    cd "$PROJECT" || return
    cp "$(dirname "$ATTACK")/races" races 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/races.c" -o races
    git init -q .
    mkdir .vscode
    echo '{}' >.vscode/tasks.json
    escape_config '[box]
idle_stop = "never"'
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

@test "guard: names that change while the call is held (7)" {
    local kind
    for kind in open create-only mkdir mknod symlink link rename open32; do
        echo "# $kind"
        run in_box ./races "$kind" "$PROJECT/.git/commondir" 2
        assert_status 1
        [ ! -e .git/commondir ]
    done
}

@test "guard: folders, links and descriptors that change while the call is held (7)" {
    local kind
    for kind in cwd descriptor folder last; do
        echo "# $kind"
        run in_box ./races "$kind" "$PROJECT/.git/commondir" 2
        assert_status 1
        [ ! -e .git/commondir ]
    done
}

@test "guard: by root of the box, too (7)" {
    local kind
    chmod 0777 . .git # root of the box holds no key to the user's folders
    for kind in open rename folder; do
        run box run -u root -w "$PROJECT" -- ./races "$kind" "$PROJECT/.git/commondir" 2
        [ "$status" != 0 ]
        [ ! -e .git/commondir ]
    done
    chmod 0755 . .git
}

@test "guard: a file that the host replaced by a new one (7)" {
    git config core.pager less # by rename: the mount on the old file goes
    local before
    before=$(sha256sum .git/config)
    attack open-write .git/config
    assert_refused EROFS
    attack truncate .git/config
    assert_refused EROFS
    attack open-path .git/config
    assert_refused
    attack link .git/config .git/second
    assert_refused EROFS
    attack rename .git/config .git/away
    assert_refused EROFS
    run in_box sh -c 'echo evil >evil; ln -sf "$PWD/.git/config" by-link; echo evil >>by-link'
    assert_status 2
    run in_box mv evil .git/config
    assert_status 1
    run in_box ./races write "$PROJECT/.git/config" 2
    assert_status 1
    [ "$(sha256sum .git/config)" = "$before" ]
}

@test "guard: a file that the host is about to put in its place (7)" {
    cp .git/config .git/config.lock
    attack open-write .git/config.lock
    assert_refused EROFS
    mv .git/config.lock .git/config
    run in_box sh -c 'echo evil >.git/config.lock'
    assert_status 2
}

@test "guard: a folder that the host made anew (7)" {
    rm -r .vscode
    run in_box mkdir .vscode
    assert_status 1
    mkdir -p .vscode/deeper
    echo '{}' >.vscode/tasks.json
    attack open-write .vscode/tasks.json
    assert_refused EROFS
    attack below .vscode
    assert_refused EROFS
    attack below .vscode/deeper
    assert_refused EROFS
    attack below .VSCode/deeper
    assert_refused
    run in_box sh -c 'cd .vscode/deeper && echo evil >evil'
    assert_status 2
    run in_box sh -c 'ln -s .vscode/deeper way; echo evil >way/evil'
    assert_status 2
    [ "$(find .vscode -type f)" = .vscode/tasks.json ]
}

@test "guard: nothing of the guard is opened for a box (6)" {
    local pid file
    for pid in $(in_box pgrep box-guard) 1; do
        for file in mem fd/3 cwd/x root/tmp/x task/$pid/mem oom_score_adj; do
            run in_box sh -c "echo evil >/proc/$pid/$file"
            assert_status 2
        done
        run in_box kill -9 "$pid"
        assert_status 1
    done
}

@test "guard: gone, nothing is written; new sessions have a new one (7)" {
    in_box sh -c 'echo ready >ready; sleep 3; echo x >written' 3>&- &
    local client=$!
    eventually 20 test -e ready
    box run -u root -- sh -c 'kill -9 $(pgrep -o box-guard)' || true
    wait "$client" || true
    [ ! -e written ]
    in_box sh -c 'echo x >written'
    [ -e written ]
}
