#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box branch: copy-on-write copies of a project. tests/escape/branch.bats has the attacks.

load ../lib/box.bash
load ../lib/branch.bash
load ../lib/tmux.bash
setup() { branch_setup; }
teardown() {
    tmux_end
    box_teardown
}

@test "branch: it has all of the project, and the project nothing of it until it is taken" {
    box run -- sh -c 'echo of-the-box >~/mine'
    before=$(listing)
    run --separate-stderr box run --branch b -- sh -ec 'cat one sub/deep/three ~/mine; pwd; '"$CHANGE_ALL"
    assert_status 0
    assert_output $'one\nthree\nof-the-box\n'"$PROJECT"
    [[ $stderr == *"branch 'b': "*"changed"* ]]
    [[ $stderr == *"box branch take b"* ]]
    [ "$(listing)" = "$before" ]
    # It stays for the next command, and the box itself does not see it.
    [ "$(in_branch 'cat one sub/new')" = $'changed\nnew' ]
    [ "$(box run -- cat one)" = one ]
    run --separate-stderr box branch diff b
    assert_output "$ALL_CHANGES"
    [ "$(box branch diff --name-only b one sub/new)" = $'one\nsub/new' ]
    run --separate-stderr box branch diff -p b one
    assert_contains $'-one\n+changed'
    run --separate-stderr box branch list --json
    [ "$(jq -c '.[] | [.name, .box, .changed, .git, .commits]' <<<"$output")" = '["b","shop",7,false,0]' ]
    jq -e '.[0] | .state == "running" and .disk > 0 and (.began | test("Z$")) and .isolated == false' <<<"$output"
    run --separate-stderr box branch take --yes b
    assert_status 0
    [ "$(cat one sub/new link)" = $'changed\nnew\nnew' ]
    [ ! -e sub/deep ]
    [ -d made/in ]
    [ "$(stat -c %a script)" = 700 ]
    [ -f empty ]
    run --separate-stderr box branch diff b
    assert_output ""
    # And back.
    box branch take --undo b
    [ "$(listing)" = "$before" ]
    run box branch take --undo b
    assert_status 125
    box branch drop --yes b
    [ "$(box branch list --json)" = '[]' ]
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ]
    [ ! -e "$DATA/boxes/shop/branches/b" ]
}

@test "branch: where its overlay cannot be mounted any more that is said, nothing runs, and it works where it can" {
    needs_overlays
    in_branch 'echo b >sub/two'
    box stop shop.b
    run without_mounts run --branch b -- sh -c 'echo x >>one'
    assert_status 125
    assert_contains "the kernel or the file system cannot do it"
    [ "$(cat one)" = one ]
    [ "$(in_branch 'cat one sub/two')" = $'one\nb' ]
    box branch drop --yes b
    [ -z "$(containers)" ]
}

@test "branch: box enter and box edit work in it" {
    # shellcheck disable=SC2016 # the editor's shell expands it
    mkdir -p "$CONFIG"
    printf '[editor]\ncommand = "/bin/sh"\nargs = ["-c", "echo edited >\\"$1\\"", "sh"]\n' >"$CONFIG/config.toml"
    run on_terminal --send 'echo b >one; exit 3\n' box enter --branch b
    assert_status 3
    [ "$(cat one)" = one ]
    [ "$(in_branch 'cat one')" = b ]
    box edit --wait --branch b sub/two
    [ "$(cat sub/two)" = two ]
    [ "$(in_branch 'cat sub/two')" = edited ]
    # Both make the branch if it is not there.
    box edit --wait --branch made one
    [ "$(box branch diff made)" = 'M one' ]
    [ "$(cat one)" = one ]
    box stop shop.made
    [ "$(box branch list --json | jq -c 'map([.name, .state])')" = '[["b","running"],["made","stopped"]]' ]
}

@test "branch: the user's data folder may lie behind a link" {
    mv "$DATA" "$TEST_HOME/data"
    ln -s "$TEST_HOME/data" "$DATA"
    box run --branch b -- sh -c 'echo new >made'
    [ "$(box branch diff b)" = 'A made' ]
}

@test "branch: the user's difftool gets copies of both sides, and they go with it" {
    export GIT_CONFIG_GLOBAL=$TEST_HOME/gitconfig
    # shellcheck disable=SC2016 # the tool's shell expands these
    git config --global difftool.mine.cmd 'echo "$LOCAL $REMOTE" $(cat "$LOCAL" "$REMOTE") $(stat -c %a "$REMOTE")'
    git config --global difftool.waits.cmd 'echo the tool waits; sleep 1000'
    git config --global diff.tool mine
    box run --branch b -- sh -ec 'echo changed >one; mkdir new .vscode; echo n >new/file; rm sub/two; echo x >.vscode/tasks.json; truncate -s 17M large; ln -s one to' 2>/dev/null
    run box branch diff --tool b
    assert_status 0
    assert_contains "before/one after/one one changed 400"
    assert_contains "/dev/null after/new/file n 400"
    assert_contains "before/sub/two /dev/null two"
    assert_contains "3 files are not in the copies"
    run box branch diff --tool=mine b one
    assert_output "before/one after/one one changed 400"
    BOX_DIFFTOOL=nope run box branch diff --tool b
    assert_status 125
    assert_contains "the difftool has failed"
    run box branch diff --tool --patch b
    assert_status 64
    run on_terminal --answer 'the tool waits' '\x03' box branch diff --tool=waits b one
    assert_status 130
    [ ! -e "$DATA/boxes/shop/branches/b/difftool" ]
}

@test "branch: Landlock, openat2 and set-ID bits work there, as no guard does" {
    in_branch 'python3 - <<P
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.syscall(444, None, 0, 1) > 0, ctypes.get_errno()
how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 8)
assert libc.syscall(437, -100, b"one", how, 24) >= 0, ctypes.get_errno()
P
chmod 4755 script; mkdir .vscode; echo x >.vscode/tasks.json; git init -q; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m one; git log --oneline | grep one'
    [ ! -e .vscode ]
    [ ! -e .git ]
}

@test "branch: after a refresh it sees what the host has replaced, and that is no conflict" {
    in_branch 'echo b >sub/two'
    echo host >one.new
    mv one.new one
    echo host >sub/two
    box branch refresh b
    [ "$(in_branch 'cat one; echo b >>one')" = host ]
    run --separate-stderr box branch diff b
    assert_output $'M one\nM sub/two   (changed on the host, too)'
}

@test "branch: hidden names are not there, whatever the host does with them" {
    echo hidden >.env
    mkdir -p config
    echo hidden >config/secret
    trust_file $'[project]\nhidden = [".env", "config/secret", "later/secret", "config"]'
    trust_file $'[project]\nhidden = [".env", "config/secret", "later/secret"]'
    box run --branch b -- sh -c 'echo mine >.env; rm .env; rm -rf later' 2>/dev/null
    box run --branch b --detach -- sleep 1000 2>/dev/null # the host changes what is mounted
    run --separate-stderr box run --branch b -- sh -c 'cat .env config/secret later/secret; ls -A config; ls -A later'
    assert_output ""
    echo hidden >.env.new
    mv .env.new .env
    mkdir later
    echo hidden >later/secret
    mv config config2
    mkdir config
    echo hidden >config/secret
    look='cat .env config/secret later/secret; cat config/* later/*'
    run --separate-stderr box run --branch b -- sh -c "$look"
    assert_output ""
    box branch refresh b
    run --separate-stderr box run --branch b -- sh -c "$look"
    assert_output ""
    run --separate-stderr box run --branch b -- cat config2/secret
    assert_output hidden # another name, which is not hidden
    run --separate-stderr box branch diff b
    refute_contains "D config/secret"
    refute_contains "D .env"
}

@test "branch: many at once, with a home of their own where that is asked for" {
    box run -- sh -c 'echo box >~/who'
    box run --branch a --isolated -- sh -c 'cat ~/who; echo a >~/who; echo a >one'
    box run --branch b -- sh -c 'echo b >one'
    [ "$(box run --branch a -- cat "$HOME/who" one)" = $'a\na' ]
    [ "$(box run --branch b -- cat "$HOME/who" one)" = $'box\nb' ]
    [ "$(box run -- cat "$HOME/who" one)" = $'box\none' ]
    run box list
    refute_contains orphan
    assert_contains shop.a
    run box run --branch b --isolated -- true
    assert_status 64
    run box run --isolated -- true
    assert_status 64
    # What is in a home of its own is asked about, and no garbage.
    box run --branch c --isolated -- true
    box branch gc
    run box branch drop c </dev/null
    assert_status 64
    [ "$(box branch list --json | jq -c 'map(.name)')" = '["a","b","c"]' ]
    for name in 'x y' .x a.b ../x '' A; do
        run box run --branch "$name" -- true
        assert_status 64
    done
}

@test "branch: it may use the hosts, keys and secrets of its box, until they are taken from the box; forwards are the box's" {
    trust_file $'[network]\nmode = "filtered"'
    mkdir -p "$STATE/attached"
    printf 'SHA256:%s work\n' "$(head -c 32 /dev/zero | base64 | tr -d =)" >"$STATE/attached/shop"
    box secret add api --host api.example.org --as bearer --variable API_TOKEN --value-fd 0 <<<a-long-value-of-a-secret
    box secret attach api
    box net allow shop example.org
    box port add --keep 18221:8221
    # shellcheck disable=SC2016 # the box's shell expands it
    token=$(in_branch 'echo "$API_TOKEN"; setsid sleep 1000 >/dev/null 2>&1 &')
    [ -n "$token" ] || fail "$(cat "$TEST_HOME/said")"
    rules() { box net rules "$1" --json | jq -c '[.rules[].rule] | sort'; }
    [ "$(rules shop.b)" = '["api.box.internal:80","api.example.org","example.org"]' ] || fail "$(rules shop.b)"
    run --separate-stderr box status --json shop.b
    [ "$(jq -c '[.state, .ssh.keys[].label, .ports, .changes]' <<<"$output")" = '["running","work",[],null]' ] || fail "$output"
    # shellcheck disable=SC2016
    [ "$(box run -- sh -c 'echo "$API_TOKEN"' 2>/dev/null)" = "$token" ]
    # Each is taken from the box alone.
    box net forget shop example.org
    box secret detach api
    [ "$(rules shop.b)" = '[]' ] || fail "$(rules shop.b)"
    # shellcheck disable=SC2016
    [ -z "$(in_branch 'echo "$API_TOKEN"')" ]
    box secret remove api
}

@test "branch: BOX.NAME stands for it where a box is stopped, started and looked at" {
    box run --branch b --detach -- sh -c 'echo of-the-branch; sleep 1000' 2>/dev/null
    box status shop.b | grep -qx 'state *running'
    eventually sh -c 'box logs shop.b | grep -qx of-the-branch'
    box top shop.b | grep -q 'sleep 1000'
    box stats shop.b | grep -q '^shop\.b '
    box stop shop.b
    [ "$(box list --json | jq -r '.[] | select(.name == "shop.b").state')" = stopped ]
    box restart shop.b
    box apply --yes shop.b
    [ "$(box status --json shop.b | jq -r .state)" = running ]
    run box run shop.b -- true
    assert_status 64
    assert_contains "'shop.b' is a branch of box 'shop': use 'box branch', or the option --branch"
    run box rm --yes --force shop.b
    assert_status 64
    box branch drop --yes b
    run box stop shop.b
    assert_status 125
    assert_contains "no box 'shop.b'"
}

@test "branch: no box with branches is removed, renamed names follow, and gc drops what is spent" {
    in_branch 'echo b >one'
    run box rm --yes
    assert_status 125
    assert_contains "has branches: b"
    [ "$(in_branch 'cat one')" = b ]
    box prune --yes
    [ "$(in_branch 'cat one')" = b ]
    # What the user said of the box stays.
    mkdir -p "$STATE/plain-wayland"
    : >"$STATE/plain-wayland/shop"
    box branch rename b c
    [ "$(box run --branch c -- cat one)" = b ]
    [ -e "$STATE/plain-wayland/shop" ]
    run box branch rename c 'x y'
    assert_status 64
    run box branch rename c c
    assert_status 125
    # Refused, it has its container still.
    [ "$(containers | grep -c 'shop\.c$')" = 1 ]
    run box branch diff b
    assert_status 125
    assert_contains "no branch 'b'"
    # The name of its box is taken.
    new_project "$TEST_HOME/other"
    run box rename other shop.c
    assert_status 125
    assert_contains "is called 'shop.c'"
    box rename other shop.d
    run box run --branch d -- true
    assert_status 125
    assert_contains "is called 'shop.d'"
    box rm --yes shop.d
    run box branch drop c </dev/null
    assert_status 64
    # Another name of the box is one of its branches, too. None of them runs then.
    box run --branch c --detach -- sleep 1000
    run box rename --yes shop boutique
    assert_status 125
    assert_contains "branch 'c' is running: run 'box stop shop.c' first"
    mkdir "$TEST_HOME/copy"
    run box clone shop "$TEST_HOME/copy"
    assert_status 125
    assert_contains "branch 'c' is running"
    box stop shop.c
    box rename --yes shop boutique
    [ "$(box run --branch c -- cat one)" = b ]
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.boutique.c" ]
    [ ! -e "$RUNTIME/shop.c" ]
    box run --branch d -- true
    box branch refresh d
    box branch gc
    [ "$(box branch list --json | jq -r '.[].name')" = c ]
    box branch drop --yes boutique.c
    box rm --yes
}

@test "branch: commits of a worktree stay inside, and mounts in the project are there" {
    as=(-c user.name=x -c user.email=x@x)
    git init -q "$TEST_HOME/main"
    git -C "$TEST_HOME/main" "${as[@]}" commit -q --allow-empty -m first
    git -C "$TEST_HOME/main" worktree add -q "$TEST_HOME/tree"
    mkdir "$TEST_HOME/data"
    echo shared >"$TEST_HOME/data/file"
    printf '[[mount]]\nsource = "%s"\ntarget = "%s"\nmode = "rw"\n' "$TEST_HOME/data" "$TEST_HOME/tree/data" >"$TEST_HOME/tree/litterbox.toml"
    box trust --yes "$TEST_HOME/tree" 2>/dev/null
    cd "$TEST_HOME/tree"
    run --separate-stderr box run --branch b --isolated -- sh -ec 'cat data/file; echo b >data/file; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m second; git log --format=%s'
    assert_status 0
    assert_output $'shared\nsecond\nfirst'
    [ "$(git log --format=%s --all)" = first ]
    [ "$(cat "$TEST_HOME/data/file")" = b ]
    # A worktree that has become a repository of its own has no layer for the other one.
    box branch refresh b
    rm .git
    git init -q .
    run --separate-stderr box run --branch b -- sh -ec 'cat data/file; git rev-parse --git-dir'
    assert_status 0
    assert_output $'b\n.git'
}

@test "branch: a yes to the question drops no branch of another box that has the names by then" {
    box run --branch b -- sh -c 'echo mine >new' 2>/dev/null
    box stop shop.b
    in_tmux "box branch drop b 2>$TEST_HOME/said"
    eventually shows "Drop branch"
    box rename --yes shop boutique
    new_project "$TEST_HOME/other/shop"
    (cd "$TEST_HOME/other/shop" && box run --branch b -- sh -c 'echo precious >new' 2>/dev/null && box stop shop.b)
    type_keys y Enter
    eventually tmux_ended
    [ "$(cat "$TEST_HOME/ended")" = 125 ]
    grep -q "has just been dropped or renamed" "$TEST_HOME/said"
    [ "$(cd "$TEST_HOME/other/shop" && box branch diff b)" = 'A new' ]
    [ "$(box branch diff b)" = 'A new' ]
}
