#!/usr/bin/env bats
# What a hostile branch could do to the host before, in and after 'box branch take'.

load escape.bash
load ../lib/branch.bash
setup_file() {
    escape_setup_file
    OUTSIDE=$TEST_HOME/outside
    mkdir -p "$OUTSIDE"
    echo "$SECRET" >"$OUTSIDE/secret"
    export OUTSIDE
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    BRANCH=$DATA/boxes/shop/branches/b
    UPPER=$BRANCH/layers/project/upper
    mkdir -p src
    echo host >src/file
}
teardown() {
    cd "$PROJECT" || return
    box branch drop --yes b 2>/dev/null || true
    find "$PROJECT" -mindepth 1 -delete
    box trust --revoke
}

plant() { box run --branch b -- sh -ec "$1" 2>/dev/null; }
take() { run timeout 60 box branch take --yes b "$@"; }
state() { find "$PROJECT" "$OUTSIDE" -printf '%p %i %y %m %s %l %T@\n'; }

@test "branch: nothing that root of the box or a session does changes the project or leads to the layers (1, 7)" {
    trust_file $'[security]\nsudo = "allow"'
    before=$(state)
    run box run --branch b -u root -- sh -c "echo x >src/file; rm -rf src; mkdir -p .git/hooks .vscode; echo x >.envrc
        ls -A /run/litterbox/root/layers; umount '$PROJECT'; mount -o remount,rw '$PROJECT'
        for at in /proc/[0-9]*/root '/proc/1/cwd'; do echo x >\"\$at$PROJECT/planted\"; done; nsenter -t 1 -m true; true"
    assert_status 0
    [ "$(state)" = "$before" ] || fail "$(diff <(echo "$before") <(state))"
    [ -z "$(box run --branch b -u root -- sh -c 'ls -A /run/litterbox/root/layers' 2>/dev/null)" ]
    # Control: the attack ran.
    [ -e "$UPPER/.envrc" ]
}

@test "branch: a session makes neither whiteouts nor overlay attributes (1)" {
    run box run --branch b -- python3 -c '
import os, stat
for name in ("user.overlay.opaque", "user.overlay.redirect", "user.overlay.metacopy"):
    try:
        os.setxattr("src", name, b"y")
        os.setxattr("src/file", name, b"/../outside")
    except OSError as e:
        print("refused", e.errno)
try:
    os.mknod("white", stat.S_IFCHR, 0)
except OSError as e:
    print("refused", e.errno)
print("ran")'
    assert_contains ran
    if [ -n "${BRANCH_COPIES-}" ]; then
        # On a copy they are attributes like any others: they take nothing of the project away.
        run box branch diff --name-only b
        assert_status 0
        refute_contains src
        return
    fi
    # Newer kernels let a session have such names, as attributes of another name in the layer.
    run python3 -c 'import os, sys
for name in ("src", "src/file"):
    path = sys.argv[1] + "/" + name
    if os.path.exists(path):
        print([each for each in os.listxattr(path) if each in ("user.overlay.redirect", "user.overlay.metacopy")])
        if "user.overlay.opaque" in os.listxattr(path): print("opaque")' "$UPPER"
    refute_contains user.overlay.redirect
    refute_contains user.overlay.metacopy
    refute_contains opaque
}

@test "branch: protected names at any depth, nested repositories and hidden names stay in the branch (7)" {
    trust_file $'[project]\nhidden = [".env"]'
    plant 'mkdir -p .vscode sub/.vscode sub/.git/hooks .GIT bare/refs .Claude; for at in .vscode sub/.vscode .GIT .Claude; do echo x >$at/tasks.json; done
        echo x >.envrc; echo x >sub/.envrc; echo x >sub/.git/hooks/post-checkout; echo x >bare/HEAD; echo x >litterbox.toml; echo x >.env; echo fine >fine; ln -s tasks sub/.idea'
    take
    assert_status 0
    [ "$(cat fine)" = fine ]
    for name in .vscode .GIT .Claude .envrc sub/.envrc sub/.vscode sub/.git sub/.idea bare/HEAD .env; do
        [ ! -e "$name" ] && [ ! -L "$name" ] || fail "$name was taken"
        [ "$name" = .env ] || assert_contains "stays in the branch: '$name"
    done
    [ "$(cat litterbox.toml)" != x ]
    # Each has its own yes, and nothing else comes with it.
    take --allow-protected sub/.vscode
    assert_status 0
    [ "$(cat sub/.vscode/tasks.json)" = x ]
    [ ! -e sub/.envrc ]
    [ ! -e sub/.git ]
}

@test "branch: what the approved project file protects stays in the branch, whatever has become of that file (7)" {
    trust_file $'[protect]\nextra = ["src/deploy.sh"]\n[project]\nhidden = [".env"]'
    plant 'echo evil >src/deploy.sh; echo evil >.env'
    for what in 'echo "[limits]" >>litterbox.toml; echo "pids = 0" >>litterbox.toml' 'rm litterbox.toml' 'ln -s /etc/passwd litterbox.toml'; do
        sh -c "$what"
        take
        [ ! -e src/deploy.sh ] && [ ! -e .env ] || fail "taken after: $what"
        assert_contains "stays in the branch: 'src/deploy.sh"
    done
}

@test "branch: links that lead out stay in the branch, also over other links (1)" {
    ln -s "$OUTSIDE" mine
    plant "mkdir -p deep/er; ln -s mine/secret through; ln -s ../../mine/secret deep/er/through; ln -s '$OUTSIDE/secret' absolute; ln -s ../outside/secret above; ln -s . here; ln -s here/here/here/../../../outside/secret round
        ln -s ../../../outside deep/er/far; ln -s /proc/self/cwd magic; ln -s ../er/x deep/er/fine; ln -s src/file good; ln -s '$PROJECT/src/file' whole; ln -s '$PROJECT/../outside' up"
    take
    assert_status 0
    for name in through deep/er/through absolute above round deep/er/far magic up; do
        [ ! -L "$name" ] || fail "$name was taken"
        assert_contains "stays in the branch: '$name' (a link that may lead out"
    done
    for name in here deep/er/fine good whole; do [ -L "$name" ] || fail "$name was not taken"; done
    take --allow-protected absolute
    assert_status 0
    [ "$(readlink absolute)" = "$OUTSIDE/secret" ]
}

@test "branch: a link of the host or the branch in the way of a take is not followed (1)" {
    plant 'echo x >src/file; mkdir new; echo x >new/file'
    mv src gone
    ln -s "$OUTSIDE" src
    ln -s "$OUTSIDE" new
    before=$(find "$OUTSIDE" -printf '%p %i %s %T@\n')
    take
    assert_status 0
    assert_contains "stays in the branch: 'src' (changed on the host, too)"
    [ -L src ]
    [ -L new ]
    take --overwrite
    assert_status 0
    [ "$(cat src/file new/file)" = $'x\nx' ]
    [ ! -L src ]
    [ "$(find "$OUTSIDE" -printf '%p %i %s %T@\n')" = "$before" ]
}

@test "branch: FIFOs, sockets, set-ID bits, rights for others, twins and control characters (6, 8, 9)" {
    plant 'mkfifo fifo; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")"; cp /bin/true suid; chmod 6777 suid; mkdir open; chmod 3777 open
        echo x >SRC; echo x >twin; echo y >Twin; printf x >"$(printf "bad\033]0;t\007name")"; printf x >"two
lines"; echo x >src/FILE; mkdir -p locked; echo x >locked/x; chmod 0 locked'
    run timeout 60 box branch diff b
    assert_status 0
    assert_no_controls
    # diff would read all of it into memory.
    plant 'truncate -s 20M large'
    run timeout 60 box branch diff -p b large
    assert_contains $'A large\n… too large to show'
    run timeout 60 box branch diff -p b
    assert_no_controls
    take
    assert_status 0
    assert_no_controls
    for name in fifo sock SRC twin Twin src/FILE "two"$'\n'"lines" "$(printf 'bad\033]0;t\007name')"; do [ ! -e "$name" ] || fail "$name"; done
    [ "$(stat -c %a suid open)" = $'775\n775' ]
    [ -p "$UPPER/fifo" ]
}

@test "branch: a TiB of holes costs neither time nor room, in a comparison, a take and an undo (9)" {
    truncate -s 1T host
    plant 'chmod 600 host; truncate -s 1T huge; echo end >>huge'
    local how
    for how in --name-only --stat --then -p; do
        run timeout 60 box branch diff "$how" b
        assert_status 0
        assert_contains huge
    done
    take
    assert_status 0
    [ "$(stat -c '%s %a' huge host)" = $'1099511627780 644\n1099511627776 600' ] || fail "$(stat -c '%s %a' huge host)"
    [ "$(du -k huge | cut -f 1)" -lt 1024 ]
    run timeout 60 box branch take --undo b
    assert_status 0
    [ ! -e huge ]
    [ "$(stat -c '%s %a' host)" = '1099511627776 644' ]
    # The snapshot before it, too.
    [ "$(du -sk "$DATA/snapshots" | cut -f 1)" -lt 10240 ]
    # Control: read whole, as by a program that knows of no holes, it ends in no such time.
    run timeout 5 cksum host
    assert_status 124
}

@test "branch: no box of the project reaches a file that is on its way to a protected name, also in an undo (1, 7)" {
    traced() {
        strace -f -y -o "$TEST_HOME/trace" -e trace=openat,symlinkat,renameat,renameat2 box branch take "$@" >/dev/null 2>&1
        # Whoever has it open by another name may write it later.
        run grep -E "<${PROJECT}[^>]*>, \"\.litterbox-" "$TEST_HOME/trace"
    }
    echo of-the-host >.envrc
    plant 'echo shown >.envrc; echo shown >src/file; ln -s x .exrc'
    traced --yes --allow-protected .envrc --allow-protected .exrc b
    # The control: what boxes may write is made beside its place.
    [ "$(grep -cE 'openat.*O_CREAT' <<<"$output")" = 1 ] || fail "$output"
    [ "$(cat .envrc src/file)" = $'shown\nshown' ]
    [ "$(readlink .exrc)" = x ]
    traced --undo b
    [ "$(grep -cE 'openat.*O_CREAT' <<<"$output")" = 1 ] || fail "$output"
    [ "$(cat .envrc src/file)" = $'of-the-host\nhost' ]
    [ ! -L .exrc ]
}

# swapped SWAP ARGUMENT…: 'box branch take' with ARGUMENTs on a terminal. SWAP runs in the branch while the first question
# waits; the answer to all is yes. Prints what is shown.
swapped() {
    cat >"$TEST_HOME/answer" <<'P'
import os, pty, sys, subprocess
pid, fd = pty.fork()
if pid == 0:
    os.execvp("box", ["box", "branch", "take", *sys.argv[2:], "b"])
shown, asked = b"", 0
try:
    while data := os.read(fd, 4096):
        shown += data
        while shown.count(b"Take th") > asked:
            if not asked:
                subprocess.run(["box", "run", "--branch", "b", "--", "sh", "-ec", sys.argv[1]], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
            asked += 1
            os.write(fd, b"y\n")
except OSError:
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
    NO_COLOR=1 timeout 100 python3 "$TEST_HOME/answer" "$@"
}

@test "branch: what changes between the look and the yes is not what was shown (7)" {
    plant 'echo shown >src/new; echo shown >src/file'
    # The user reads for long: the box writes meanwhile, also in place of files.
    run swapped 'echo swapped >src/new; rm src/file; ln -s /etc/passwd src/file; mkdir .vscode; echo x >.vscode/t'
    assert_status 0
    [ "$(cat src/new src/file)" = $'shown\nshown' ]
    [ ! -L src/file ]
    [ ! -e .vscode ]
    # Control: the branch has the other by now.
    [ -L "$UPPER/src/file" ]
}

@test "branch: parts of files are shown as harmless text, and are what is taken, whatever the branch writes meanwhile (7, 8)" {
    seq 30 >src/file
    plant 'printf "%s\n" 1 "$(printf "\033[2K\r\033]0;title\007@@ -1 +1 @@\302\233x")" >src/file; seq 3 30 >>src/file; echo end >>src/file
        ln -s "$(printf "a\033[2Kb")" link; echo new >src/new'
    run swapped 'seq 30 >src/file; echo swapped >>src/file; rm src/new link; ln -s /etc/passwd src/new; ln -s /etc/passwd link' --hunks
    assert_status 0
    [[ $output != *$'\033'* && $output != *$'\302\233'* && $output != *$'\a'* ]] || fail "$output"
    assert_contains '+\x1b[2K\x0d\x1b]0;title\x07@@ -1 +1 @@'
    assert_contains '-> a\x1b[2Kb'
    assert_contains "Take this part (2 of 2)"
    [ "$(sed -n 2p src/file)" = $'\033[2K\r\033]0;title\a@@ -1 +1 @@\302\233x' ]
    [ "$(tail -n 2 src/file)" = $'30\nend' ]
    [ "$(cat src/new)" = new ]
    [ "$(readlink link)" = $'a\033[2Kb' ]
    # Control: the branch has the other by now.
    [ -L "$UPPER/src/new" ]
}

@test "branch: a difftool is what the user has named, and finds no repository of the project, the branch or the copies (1, 7)" {
    ran=$OUTSIDE/ran
    rm -f "$ran"
    # Of the user; the project and the branch say something else of the same tool.
    export GIT_CONFIG_GLOBAL=$TEST_HOME/gitconfig
    # shellcheck disable=SC2016 # the tool's shell expands these
    git config --global difftool.mine.cmd 'echo "mine $REMOTE"; [ "$REMOTE" != after/src/file ] || { ls -a after/nested; git -C after/bare status; git -C after status; }'
    git config --global diff.tool mine
    git config --global diff.evil.command "touch $ran; true"
    # Then git obeys attributes of the folder that it is in, without a repository.
    git config --global core.bare false
    echo '* diff=evil' >.gitattributes
    git init -q .
    git config diff.tool evil
    git config difftool.evil.cmd "touch $ran"
    git config difftool.mine.cmd "touch $ran"
    cp .git/config evil-config
    mkdir bin
    printf '#!/bin/sh\ntouch %s\n' "$ran" >bin/git
    cp bin/git bin/mine
    chmod 755 bin/git bin/mine
    plant "echo '* diff=evil text' >.gitattributes; echo b >src/file; mkdir -p bare/objects bare/refs nested/.git; touch bare/objects/x bare/refs/x; echo 'ref: refs/heads/main' >bare/HEAD
        printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch $ran; true\n' >bare/config; cp -r bare/* nested/.git; echo x >nested/file; ln -s /etc/passwd out"
    run timeout 60 box branch diff --tool b
    assert_contains "mine after/bare/config"
    assert_contains "mine after/nested/file"
    [[ $output != *$'\n.git\n'* ]] || fail "$output"
    [ ! -e "$ran" ]
    for as in "PATH=$PROJECT/bin:$PATH" GIT_DIR="$PROJECT/.git" GIT_CONFIG_GLOBAL="$PROJECT/evil-config" GIT_EXTERNAL_DIFF="$PROJECT/bin/git" GIT_EXEC_PATH="$PROJECT/bin"; do
        run env "$as" timeout 60 "$(command -v box)" branch diff --tool=mine b src/file
        [ ! -e "$ran" ] || fail "$as: $output"
        [[ $as == GIT_CONFIG_GLOBAL* ]] || assert_contains "mine after/src/file"
        [ ! -e "$BRANCH/difftool" ]
    done
    # Controls: git in the project, by attributes of copies, and in such a repository, runs them.
    mkdir -p "$TEST_HOME/copies/before/src" "$TEST_HOME/copies/after/src"
    cp .gitattributes "$TEST_HOME/copies/before"
    cp src/file "$TEST_HOME/copies/before/src"
    cp "$UPPER/src/file" "$TEST_HOME/copies/after/src"
    (cd "$TEST_HOME/copies" && GIT_DIR=none git difftool --no-index --no-prompt before after) || true
    [ -e "$ran" ]
    rm "$ran"
    git difftool --no-index --no-prompt /dev/null src/file || true
    [ -e "$ran" ]
    rm "$ran"
    cp -r "$UPPER/bare" "$TEST_HOME/bare"
    git -C "$TEST_HOME/bare" status || true
    [ -e "$ran" ]
}

@test "branch: the host's work of the same moment is not lost (9)" {
    plant 'for i in 1 2 3 4 5 6 7 8; do echo b >f$i; done; echo b >src/file'
    # A change after the copy: the rename finds another file, and all is undone.
    strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_enter=4000000:when=1 box branch take --yes b >/dev/null 2>&1 3>&- &
    eventually test -e "$DATA/boxes/.taking"
    echo late >src/file
    status=0
    wait $! || status=$?
    [ "$(cat src/file)" = late ]
    [ "$status" = 125 ]
    [ ! -e f1 ]
    [ -z "$(find . -name '.litterbox-*')" ]
}

@test "branch: hidden files are not seen when root of the box removes and makes names (1)" {
    echo "$SECRET" >.env
    trust_file $'[project]\nhidden = [".env", "later/.env"]\n[security]\nsudo = "allow"'
    run box run --branch b -u root -- sh -c 'cat .env; echo x >.env; rm .env; cat .env; mkdir later; rmdir later; find . -name .env -exec cat {} +; true'
    refute_contains "$SECRET"
    mkdir later
    echo "$SECRET" >later/.env
    run box run --branch b -- sh -c 'rm -rf later; mkdir later; cat later/.env .env'
    refute_contains "$SECRET"
    # Control: without hidden names it is there.
    trust_file ''
    box branch refresh b
    run box run --branch b -- cat .env
    assert_contains "$SECRET"
}
