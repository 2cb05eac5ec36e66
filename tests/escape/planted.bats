#!/usr/bin/env bats
# Links, FIFOs and other files that a box leaves in its home or project for the host to follow, hang on
# or run (invariants 1, 7, 9).

load escape.bash
setup() {
    escape_setup_file
    cd "$PROJECT" || return
    HOMEDIR=$DATA/boxes/shop/home
    mkdir -p "$TEST_HOME/outside"
    echo "$SECRET" >"$TEST_HOME/outside/kept"
}
teardown() {
    chmod -R u+rwx "$DATA" 2>/dev/null || true
    box_teardown
}

outside_untouched() {
    [ "$(ls -A "$TEST_HOME/outside")" = kept ] || fail "outside: $(ls -lA "$TEST_HOME/outside")"
    [ "$(cat "$TEST_HOME/outside/kept")" = "$SECRET" ]
}

# The box of a folder above the project can do that, when it hits the moment; here the test holds the moment.
@test "planted: box init writes no file where a link in the project's place leads (1)" {
    local inner=$TEST_HOME/above/inner pid status=0
    mkdir -p "$inner"
    coproc held { exec flock "$DATA/boxes/.lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box init "$inner" >"$TEST_HOME/said" 2>&1 3>&- &
    pid=$!
    eventually waits_for_lock "$pid"
    mv "$inner" "$inner.aside"
    ln -s "$TEST_HOME/outside" "$inner"
    echo >&"${held[1]}"
    wait "$pid" || status=$?
    assert_status 125
    run cat "$TEST_HOME/said"
    assert_contains "cannot write 'litterbox.toml' in the project"
    outside_untouched
}

@test "planted: creating mount points follows no link in the home (1)" {
    mkdir -p "$TEST_HOME/tool"
    box run -- sh -c "cd; rm -rf tool .local; ln -s $TEST_HOME/outside tool; ln -s $TEST_HOME/outside .local"
    box stop
    [ -L "$HOMEDIR/tool" ] # control: it exists
    escape_config "[[mount]]
source = \"$TEST_HOME/tool\"
target = \"$HOME/tool/inside\"
mode = \"ro\""
    run box run -- true
    [ "$status" != 124 ]
    outside_untouched
    run box run -- cat "$TEST_HOME/outside/kept"
    refute_contains "$SECRET"
}

@test "planted: a link on the way to the project is refused at the next start (1)" {
    # The guard keeps the folders above a protected path in place. If it fails, the next start must refuse.
    attempt 'cd; mkdir x; mv litterbox-tests x/ && ln -s /run/litterbox/root litterbox-tests'
    box stop
    run timeout 60 box run -- sh -c 'echo evil >evil'
    [ "$status" != 0 ] || [ -e "$PROJECT/evil" ] # refused, or the real project
    assert_no_controls
}

@test "planted: box rm follows no link of the home (1)" {
    box run -- sh -c "cd; ln -s $TEST_HOME/outside a; ln -s / b; mkdir -p c/d; ln -s ../../../../../.. c/d/e; ln $PROJECT/attack h 2>/dev/null || true"
    box rm --yes
    outside_untouched
    [ -e "$PROJECT/attack" ]
    [ ! -e "$HOMEDIR" ]
}

@test "planted: box rm removes a home with mode 0, deep trees, odd names and FIFOs (9)" {
    box run -- python3 -c '
import os
os.chdir(os.environ["HOME"])
top = os.getcwd()
os.mkdir("locked"); open("locked/x", "w").close(); os.chmod("locked", 0)
os.mkfifo("fifo")
for name in ("\n", "\x1b[31m", "-rf", "a b", "\u202e"):
    open(name, "w").close()'
    # On the host, because the guard needs 50 ms for each call at this depth, and the removal is tested.
    python3 -c '
import os, sys
os.chdir(sys.argv[1])
for i in range(3000):
    os.mkdir("d"); os.chdir("d")' "$HOMEDIR"
    run timeout 60 box rm --yes
    assert_status 0
    [ ! -e "$HOMEDIR" ]
}

@test "planted: box rm removes files of root of the box, or names what prevents it (9)" {
    escape_config '[security]
sudo = "allow"'
    box run -- sudo sh -c "mkdir -p $HOME/r/s; echo x >$HOME/r/s/t; chmod 700 $HOME/r"
    run timeout 60 box rm --yes
    [ "$status" = 0 ] || assert_contains "home/r"
    [ "$status" != 0 ] || [ ! -e "$HOMEDIR" ]
    outside_untouched
}

@test "planted: litterbox.toml as a FIFO, link, folder, socket or huge file is an error (7, 9)" {
    local what
    for what in 'mkfifo litterbox.toml' "ln -s $TEST_HOME/outside/kept litterbox.toml" \
        'mkdir litterbox.toml' 'head -c 30000000 /dev/zero >litterbox.toml' \
        'ln -s /dev/zero litterbox.toml' 'ln -s litterbox.toml litterbox.toml'; do
        rm -rf litterbox.toml
        sh -c "$what"
        run timeout -k 1 20 box run -- true
        [ "$status" = 78 ] || [ "$status" = 0 ] || fail "$what: status $status: $output"
        refute_contains "$SECRET"
        assert_no_controls
    done
}

@test "planted: .git as a FIFO, link or broken folder does no harm (9)" {
    local what
    for what in 'mkfifo .git' 'ln -s /dev/zero .git' 'mkdir .git; mkfifo .git/config .git/HEAD' \
        'head -c 30000000 /dev/zero >.git' "ln -s $TEST_HOME/outside .git"; do
        rm -rf .git
        sh -c "$what"
        run timeout -k 1 30 box run -- true
        [ "$status" -lt 124 ] || [ "$status" = 125 ] || fail "$what: status $status: $output"
        outside_untouched
        assert_no_controls
        box stop >/dev/null 2>&1 || true # it may not be running
    done
}

@test "planted: a .git file that names another repository is not followed (1)" {
    git init -q "$TEST_HOME/outside/repo"
    git -C "$TEST_HOME/outside/repo" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    echo "$SECRET" >"$TEST_HOME/outside/repo/.git/$SECRET"
    local line
    for line in "$TEST_HOME/outside/repo/.git" ../outside/repo/.git / "$HOME" "$HOME/.ssh" /etc; do
        echo "gitdir: $line" >.git
        run in_box sh -c "cat $TEST_HOME/outside/repo/.git/config; ls $TEST_HOME $HOME/.ssh" 2>/dev/null
        refute_contains repositoryformatversion
        [[ " ${lines[*]} " != *" outside "* ]] || fail "$output"
        refute_contains "$SECRET"
        box stop >/dev/null 2>&1
    done
}

@test "planted: a worktree's .git file that a box redirected is not followed (1, 7)" {
    git init -q "$TEST_HOME/main"
    git -C "$TEST_HOME/main" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    git -C "$TEST_HOME/main" worktree add -q "$TEST_HOME/tree"
    cd "$TEST_HOME/tree"
    run box run -- git status --short
    assert_status 0 # control: worktrees work
    attempt "echo 'gitdir: $TEST_HOME/outside' >.git; rm .git; mv .git x"
    grep -q "$TEST_HOME/main/.git/worktrees/tree" .git
    attempt "echo evil >$TEST_HOME/main/.git/hooks/post-checkout; git config core.pager evil; echo /tmp >$TEST_HOME/main/.git/worktrees/tree/commondir; echo /tmp >$TEST_HOME/main/.git/worktrees/tree/gitdir"
    [ ! -e "$TEST_HOME/main/.git/hooks/post-checkout" ]
    run grep evil "$TEST_HOME/main/.git/config"
    assert_output ""
    [ "$(cat "$TEST_HOME/main/.git/worktrees/tree/commondir")" = ../.. ]
    grep -q "$TEST_HOME/tree/.git" "$TEST_HOME/main/.git/worktrees/tree/gitdir"
}

@test "planted: links in the project are not followed for [[mount]] (1)" {
    mkdir data
    escape_config "[project]
hidden = [\"data\"]"
    box run -- true
    box stop
    rmdir data
    ln -s "$TEST_HOME/outside" data
    run box run -- ls -A data/
    refute_contains kept
    outside_untouched
}

@test "planted: a box cannot change its own seccomp profile, nor a link to it (6)" {
    local at
    mkdir -p "$TEST_HOME/shared" "$TEST_HOME/own"
    echo '{"defaultAction":"SCMP_ACT_ALLOW"}' | tee "$TEST_HOME/own/profile.json" "$TEST_HOME/shared/profile.json" >profile.json
    ln -s "$TEST_HOME/own/profile.json" "$TEST_HOME/shared/link"
    ln -s "$TEST_HOME/shared/profile.json" "$TEST_HOME/own/link"
    ln -s "$PROJECT/profile.json" "$TEST_HOME/own/other"
    for at in "$PROJECT/profile.json" "$TEST_HOME/shared/profile.json" "$TEST_HOME/shared/link" "$TEST_HOME/own/link" \
        "$TEST_HOME/own/other" "$HOMEDIR/profile.json" "$TEST_HOME/own/profile.json"; do
        escape_config "[security]
seccomp = \"$at\"
[[mount]]
source = \"$TEST_HOME/shared\"
mode = \"rw\""
        run box run -- true
        [ "$at" != "$TEST_HOME/own/profile.json" ] || break # control: this one no box can write
        assert_status 78
        assert_contains "a box could change it"
    done
    assert_status 0
}

@test "planted: a box that removes the project file gets back nothing that it took (4, 7)" {
    escape_config '[network]
mode = "none"'
    box apply >/dev/null 2>&1
    box start
    # As editors and git write it; from then on the box can remove it.
    cp litterbox.toml new
    mv new litterbox.toml
    box run -- rm -f litterbox.toml
    [ ! -e litterbox.toml ] # control
    box stop
    run setsid box run -- cat /proc/net/dev </dev/null
    assert_status 78
    assert_contains "litterbox.toml' is gone"
    run box trust --show
    assert_contains "network mode ask"
    run on_terminal --answer '[y/N]' 'n\n' box run -- cat /proc/net/dev
    assert_status 78
    # Control: the user may say so, once.
    box trust --yes >/dev/null
    run box run -- sh -c 'grep -vc lo: /proc/net/dev'
    assert_status 0
}

@test "planted: a project file that a box wrote is not trusted (7)" {
    rm -f litterbox.toml
    printf '[network]\nmode = "host"\n' >litterbox.toml # as if a box had won a race
    run setsid box run -- true </dev/null
    assert_status 78
    # and in a subfolder that the user may enter later
    rm litterbox.toml
    box run -- sh -c 'mkdir -p sub; printf "[network]\nmode = \"host\"\n" >sub/litterbox.toml'
    cd sub
    run --separate-stderr box run -- sh -c 'echo "$LITTERBOX_BOX"'
    assert_output shop
    box init
    run setsid box run -- true </dev/null
    assert_status 78
}
