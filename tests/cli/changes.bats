#!/usr/bin/env bats
# Files that a box left in its project and that tools of the host execute or obey: reported at the
# end of a session, and kept by `box status`.
# shellcheck disable=SC2154 # bats sets stderr

load ../lib/box.bash

setup() { box_setup; }

teardown() { box_teardown; }

changed() { box status --json | jq -c .changes.paths; }

@test "changes: enter lists what tools of the host would execute; protected paths are unchanged" {
    git init -q .
    run on_terminal box enter -- sh -c 'git init -q sub; mkdir lib; echo y >lib/.envrc; echo z >normal'
    assert_contains "sub/.git/config"
    assert_contains "lib/.envrc"
    refute_contains "normal"
    run box run -- sh -c 'echo x >.git/hooks/pre-commit; git config core.pager evil'
    [ "$status" != 0 ]
    [ ! -e .git/hooks/pre-commit ]
    run git config core.pager
    [ "$status" != 0 ]
}

@test "changes: run reports them after a second, on standard error" {
    run --separate-stderr box run -- sh -c 'mkdir lib; echo y >lib/.envrc; sleep 1.1; echo out'
    assert_output out
    [[ $stderr == *lib/.envrc* ]] || fail "$stderr"
    # Once: the next session has changed nothing.
    run --separate-stderr box run -- sleep 1.1
    [[ $stderr != *lib/.envrc* ]] || fail "$stderr"
}

@test "changes: a shim reports them" {
    box run -- true
    box shim add python3
    run "$DATA/shims/python3" -c 'import os, time; os.mkdir("lib"); open("lib/.envrc", "w").close(); time.sleep(1.1)'
    assert_contains "lib/.envrc"
}

@test "changes: edit reports them, also without a terminal" {
    user_config '[editor]
command = "/bin/sh"
args = ["-c", "mkdir lib; echo y >lib/.envrc"]'
    run --separate-stderr box edit file
    assert_status 0
    [[ $stderr == *lib/.envrc* ]] || fail "$stderr"
}

@test "changes: an app on a terminal reports them; of one with a window, which goes on, status keeps them" {
    local entries=$DATA/boxes/shop/home/.local/share/applications
    box run -- true
    mkdir -p "$entries"
    printf '%s\n' '[Desktop Entry]' Type=Application Name=App 'Exec=sh -c "mkdir $0; echo y >$0/.envrc; sleep 1.1" lib' \
        Terminal=true >"$entries/app.desktop"
    sed '/Terminal/d; s/ lib$/ window/' "$entries/app.desktop" >"$entries/window.desktop"
    run on_terminal box app run shop app
    assert_status 0
    assert_contains lib/.envrc
    box app run shop window
    eventually test -e window/.envrc
    run changed
    assert_output '["lib/.envrc","window/.envrc"]'
}

@test "changes: status keeps what a short session, a detached one and a process left behind changed" {
    box run -- sh -c 'mkdir a b c; echo y >a/.envrc'
    box run --detach -- sh -c 'echo y >b/.envrc'
    box run -- sh -c '(sleep 0.2; echo y >c/.envrc) >/dev/null 2>&1 &'
    eventually test -s b/.envrc
    eventually test -s c/.envrc
    [ "$(changed)" = '["a/.envrc","b/.envrc","c/.envrc"]' ]
    [ "$(changed)" = '["a/.envrc","b/.envrc","c/.envrc"]' ]
    run box status
    assert_contains "changed    a/.envrc"
    assert_contains "box status --reviewed"
    rm a/.envrc
    [ "$(changed)" = '["b/.envrc","c/.envrc"]' ]
    box stop
    [ "$(changed)" = '["b/.envrc","c/.envrc"]' ]
    box status --reviewed
    [ "$(changed)" = '[]' ]
    # A box that does not run changes nothing.
    mkdir d
    echo y >d/.envrc
    box status >/dev/null
    [ "$(changed)" = '[]' ]
    # What is reviewed counts again when it changes again.
    box run -- sh -c 'echo z >b/.envrc'
    [ "$(changed)" = '["b/.envrc"]' ]
}

@test "changes: what has come or changed since it was listed is not marked as reviewed" {
    box run -- sh -c 'mkdir a b; echo y >a/.envrc; echo y >b/.envrc'
    [ "$(changed)" = '["a/.envrc","b/.envrc"]' ]
    eventually sh -c 'touch after && [ "$(stat -c %Z after)" -gt "$(($(stat -c %Z b/.envrc) + 1))" ]'
    # While the user looks, a session that nobody watches ends.
    box run -- sh -c 'echo evil >a/.envrc; mkdir c; echo evil >c/.envrc; sleep 1.1' 2>/dev/null
    run box status --reviewed
    assert_status 0
    assert_contains "have changed since"
    [ "$(changed)" = '["a/.envrc","c/.envrc"]' ]
    run --separate-stderr box status --reviewed
    [ -z "$output$stderr" ]
    [ "$(changed)" = '[]' ]
}

@test "changes: a rebase that a box leaves unfinished, and its project's configuration, are reported" {
    git init -q .
    box run -- sh -ec 'git config --global user.name a; git config --global user.email a@b
        for i in 1 2; do git commit -q --allow-empty -m $i; done; git rebase -q --exec false HEAD~1 || true; git remote add origin https://example.org/x'
    run changed
    assert_contains '".git/config"'
    assert_contains '".git/rebase-merge/git-rebase-todo"'
}

@test "changes: a cherry-pick that a box leaves unfinished is reported, as git on the host runs its strategy" {
    git init -q .
    box run -- sh -ec 'git config --global user.name a; git config --global user.email a@b
        for i in base one two; do echo $i >file; git add file; git commit -qm $i; done; git checkout -q -b other HEAD~2
        echo other >file; git commit -qam other; git cherry-pick --strategy=ort master~1 master >/dev/null 2>&1 || true
        git checkout -q HEAD file; mkdir "git-merge-.."; printf "#!/bin/sh\necho ran >ran\n" >evil; chmod +x evil
        sed -i "s|= .*|= ../../evil|" .git/sequencer/opts; cat .git/sequencer/opts'
    run changed
    assert_contains '".git/sequencer/opts"'
    git cherry-pick --skip || true
    [ -e ran ]
}

@test "changes: a folder that is renamed to such a name has old files" {
    mkdir -p lib/templates
    echo y >lib/templates/tasks.json
    touch before
    eventually sh -c 'touch after && [ "$(stat -c %Z after)" -gt "$(($(stat -c %Z before) + 1))" ]'
    box run -- mv lib/templates lib/.vscode
    [ "$(changed)" = '["lib/.vscode/tasks.json"]' ]
}

@test "changes: a folder that cannot be read hides nothing, also what leaves it" {
    local mode
    for mode in 0 444; do
        box run -- sh -c "mkdir -p lib/sub/.vscode; echo y >lib/sub/.vscode/tasks.json; chmod $mode lib"
        run box status
        assert_contains "1 folder could not be read"
        # A second look, from which on all that was there is old.
        eventually sh -c 'touch after && [ "$(stat -c %Z after)" -gt "$(($(stat -c %Z lib) + 1))" ]'
        box status >/dev/null 2>&1
        box run -- sh -c 'chmod 755 lib; mv lib/sub .; chmod 0 lib'
        [ "$(changed)" = '["sub/.vscode/tasks.json"]' ]
        box run -- sh -c 'chmod 755 lib; rm -r lib sub'
        [ "$(changed)" = '[]' ]
    done
}

@test "changes: hostile names are shown harmless, and the number that is kept is limited" {
    run on_terminal box enter -- python3 -c '
import os
os.mkdir("e\x1b]0;vil\a\nbox: all is well")
open("e\x1b]0;vil\a\nbox: all is well/.envrc", "w").close()
os.mkdir(b"not\xff utf8")
open(b"not\xff utf8/.envrc", "w").close()
for i in range(1100):
    os.mkdir(f"many{i}")
    open(f"many{i}/.envrc", "w").close()
deep = os.open(".", os.O_RDONLY)
for i in range(30):
    os.mkdir("d" * 200, dir_fd=deep)
    deep = os.open("d" * 200, os.O_RDONLY, dir_fd=deep)'
    assert_contains "… and 1092 more"
    assert_contains "were not checked"
    [[ $output != *$'\e]0;vil'* ]] || fail "an escape sequence came through"
    [[ $output != *$'\nbox: all is well'* ]] || fail "a forged line"
    run box status --json
    [ "$(jq '.changes.paths | length' <<<"$output")" = 1000 ]
    [ "$(jq .changes.more <<<"$output")" = 102 ]
    [ "$(jq .changes.unread_folders <<<"$output")" -gt 0 ]
}

@test "changes: a tree that takes long to look through is looked through" {
    local folders begun looked=0
    for ((folders = 20000; looked < 500000; folders *= 2)); do
        python3 -c 'import os, sys
for i in range(int(sys.argv[1])):
    os.makedirs(f"tree{sys.argv[1]}/{i % 100}/{i}")' "$folders"
        # Upper folders come first, so this is the last.
        box run -- sh -c 'echo n >file; mkdir -p tree20000/a/b/c/d; echo y >tree20000/a/b/c/d/.envrc'
        begun=${EPOCHREALTIME/./}
        run --separate-stderr changed
        looked=$((${EPOCHREALTIME/./} - begun))
        assert_output '["tree20000/a/b/c/d/.envrc"]'
    done
    rm -rf tree*
}

@test "changes: sessions that end at once lose nothing" {
    local i callers=()
    box run -- true
    for i in 1 2 3 4 5 6; do
        box run -- sh -c "mkdir s$i; echo y >s$i/.envrc; sleep 1.1" >/dev/null 2>&1 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    [ "$(changed | jq length)" = 6 ]
}
