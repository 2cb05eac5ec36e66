#!/usr/bin/env bats
# What the repository of a hostile branch could do to the host by 'box branch take --commits'.

# shellcheck disable=SC2153 # escape.bash sets SECRET

load escape.bash
load ../lib/branch.bash
setup_file() { escape_setup_file; }
teardown_file() { box_teardown; }
setup() {
    escape_setup
    UPPER=$DATA/boxes/shop/branches/b/layers/project/upper
    ran=$TEST_HOME/ran
    rm -f "$ran"
    mkdir -p src
    echo host >src/file
    git init -q -b main .
    git add .
    git -c user.name=x -c user.email=x@x commit -q -m first
}
teardown() {
    cd "$PROJECT" || return
    box branch drop --yes b 2>/dev/null || true
    find "$PROJECT" -mindepth 1 -delete
}

plant() { box run --branch b -- sh -ec "git config user.name x; git config user.email x@x; $1" 2>/dev/null; }
take() { run timeout 100 box branch take --yes --commits b; }
# at REF: it is checked out in the branch, as whoever writes its files can say.
at() { echo "ref: refs/heads/$1" >"$UPPER/.git/HEAD"; }
# refused: nothing has come, and nothing is left behind.
refused() {
    take
    assert_status 125
    assert_no_controls
    [ -z "$(git for-each-ref refs/litterbox)" ] || fail "$1 was taken"
    [ ! -e "$ran" ] || fail "$1 ran something"
    [ -z "$(find "$DATA/boxes/shop/branches/b" -maxdepth 1 \( -name git -o -name commits \))" ] || fail "$1 left files"
}

@test "branch: git runs nothing that the branch's repository names, and reads no other repository of it (1, 7)" {
    git init -q "$TEST_HOME/other"
    echo "$SECRET" >"$TEST_HOME/other/secret"
    git -C "$TEST_HOME/other" add .
    secret=$(git -C "$TEST_HOME/other" write-tree)
    run="touch $ran; exit 0"
    plant "echo b >src/file; echo 'src/file filter=evil diff=evil merge=evil' >.gitattributes; git add src .gitattributes; git commit -q -m good
        for key in core.fsmonitor core.sshCommand core.pager core.alternateRefsCommand core.gitProxy uploadpack.packObjectsHook filter.evil.clean diff.evil.command diff.evil.textconv diff.external gpg.program; do git config \$key '$run'; done
        git config core.hooksPath '$PROJECT/hooks'; git config remote.origin.promisor true; git config remote.origin.url 'ext::sh -c \"$run\"'; git config extensions.partialClone origin
        mkdir hooks; for hook in reference-transaction post-checkout pre-push update post-update; do printf '#!/bin/sh\n%s\n' '$run' >hooks/\$hook; chmod 755 hooks/\$hook; done; cp -r hooks/. .git/hooks
        git branch -q good; rm -f '$ran'; echo '$TEST_HOME/other/.git/objects' >.git/objects/info/alternates"
    rm -f "$ran"
    take
    assert_status 0
    [ ! -e "$ran" ]
    [ "$(git log -n 1 --format=%s refs/litterbox/b)" = good ]
    git update-ref -d refs/litterbox/b
    # A commit of what only another repository of the user has.
    commit=$(printf 'tree %s\nauthor x <x@x> 1 +0000\ncommitter x <x@x> 1 +0000\n\nsteal\n' "$secret" | GIT_DIR=$TEST_HOME/other/.git git hash-object -t commit -w --stdin)
    mkdir -p "$UPPER/.git/objects/${commit::2}"
    cp "$TEST_HOME/other/.git/objects/${commit::2}/${commit:2}" "$UPPER/.git/objects/${commit::2}/"
    echo "$commit" >"$UPPER/.git/refs/heads/steal"
    at steal
    refused steal
    # Control: git in the branch's repository would have done both.
    git -C "$TEST_HOME/other" cat-file -p "$secret:secret" | grep -qF "$SECRET"
    git --git-dir="$UPPER/.git" --work-tree="$PROJECT" status >/dev/null 2>&1 || true
    [ -e "$ran" ]
}

@test "branch: trees with .git in any case, gitlinks, hostile submodules, broken and lying objects are refused (7, 8, 9)" {
    plant "cat >/tmp/make.py <<'P'
import hashlib, os, subprocess, zlib
git = lambda *a, i=None: subprocess.run(['git', *a], input=i, stdout=subprocess.PIPE, check=True).stdout
def loose(kind, body, name=None, size=None):
    whole = b'%s %d\0' % (kind, len(body) if size is None else size) + body
    name = name or hashlib.sha1(whole).hexdigest()
    os.makedirs('.git/objects/' + name[:2], exist_ok=True)
    path = '.git/objects/%s/%s' % (name[:2], name[2:])
    if os.path.exists(path): os.remove(path)
    open(path, 'wb').write(zlib.compress(whole))
    return name
def commit(branch, tree):
    body = b'tree %s\nparent %s\nauthor x <x@x> 1 +0000\ncommitter x <x@x> 1 +0000\n\n%s\033]0;t\007\n' % (tree.encode(), head.encode(), branch.encode())
    open('.git/refs/heads/' + branch, 'w').write(loose(b'commit', body) + '\n')
def tree(*entries):
    return loose(b'tree', b''.join(mode + b' ' + name + b'\0' + bytes.fromhex(of) for mode, name, of in entries))
head = git('rev-parse', 'HEAD').decode().strip()
blob = loose(b'blob', b'x')
inner = tree((b'100644', b'config', blob))
for i, name in enumerate([b'.git', b'.GIT', b'.Git', '.g\u200cit'.encode(), b'git~1', b'..', b'.', b'a/b', b'']):
    commit('name%d' % i, tree((b'40000', name, inner)))
commit('link', tree((b'160000', b'module', head)))
commit('fifo', tree((b'10644', b'fifo', blob)))
commit('control', tree((b'100644', b'bad\033]0;t\007name', blob)))
commit('twin', tree((b'100644', b'SRC', blob), (b'40000', b'src', inner)))
commit('module', tree((b'100644', b'.gitmodules', loose(b'blob', b'[submodule \"a\"]\n\tpath = a\n\turl = -u./evil\n'))))
commit('module2', tree((b'120000', b'.gitmodules', loose(b'blob', b'/etc/passwd'))))
commit('out', tree((b'120000', b'out', loose(b'blob', b'../outside'))))
commit('nul', tree((b'120000', b'out', loose(b'blob', b'src/file\0/../../x'))))
commit('missing', tree((b'100644', b'gone', '11' * 20)))
commit('wrongtype', tree((b'100644', b'gone', inner)))
# What is shown would be another tree than the one of that name.
bad = tree((b'100644', b'.envrc', blob))
loose(b'tree', b'100644 fine\0' + bytes.fromhex(blob), name=bad)
commit('lies', bad)
commit('huge', tree((b'100644', b'huge', loose(b'blob', b'x' * 100, size=1 << 40))))
commit('hugetree', loose(b'tree', b'x' * 100, size=1 << 40))
open('.git/refs/heads/empty', 'w').write('')
open('.git/refs/heads/tree', 'w').write(inner + '\n')
P
        python3 /tmp/make.py"
    local names heads i
    mapfile -t names < <(cd "$UPPER/.git/refs/heads" && printf '%s\n' [!m]* missing module module2)
    [ "${#names[@]}" -gt 20 ]
    for ((i = 0; i < ${#names[@]}; i += TEST_STEP)); do
        at "${names[i]}"
        refused "${names[i]}"
    done
    heads=('ref: ../../../outside' 'ref: refs/heads/../../config' "ref: refs/heads/$(printf '\033]0;t')" 'ref: refs/replace/x' "$(printf 'x%.0s' {1..5000})" '')
    for ((i = 0; i < ${#heads[@]}; i += TEST_STEP)); do
        printf '%s\n' "${heads[i]}" >"$UPPER/.git/HEAD"
        refused "${heads[i]}"
    done
    # Allowed names are taken, so that the check has not failed for another reason.
    at twin
    run box branch take --yes --commits --allow-protected SRC b
    assert_status 125
    at control
    run box branch take --yes --commits --allow-protected "$(printf 'bad\033]0;t\007name')" b
    assert_status 0
    assert_no_controls
}

@test "branch: objects that are links, FIFOs or broken packs are not followed, waited for or taken (1, 9)" {
    plant "echo b >src/file; git commit -q -a -m good; git gc -q; echo c >src/file; git commit -q -a -m loose"
    mkdir -p "$TEST_HOME/outside"
    objects=$UPPER/.git/objects
    pack=$(echo "$objects"/pack/pack-*.pack)
    cp "$pack" "$TEST_HOME/pack"
    # Cut in the middle, with another byte, and none at all.
    chmod u+w "$pack"
    for damage in 'truncate -s 60' 'python3 -c "import sys; f = open(sys.argv[1], \"r+b\"); f.seek(40); f.write(b\"\\xff\" * 8)"' 'truncate -s 0'; do
        cp "$TEST_HOME/pack" "$pack"
        sh -c "$damage \"\$1\"" sh "$pack"
        refused "$damage"
    done
    cp "$TEST_HOME/pack" "$TEST_HOME/outside/p"
    rm "$pack"
    ln -s "$TEST_HOME/outside/p" "$pack"
    refused "a link to a pack"
    rm "$pack"
    mkfifo "$pack"
    refused "a FIFO as a pack"
    rm "$pack"
    cp "$TEST_HOME/pack" "$pack"
    mv "$objects" "$TEST_HOME/outside/objects"
    ln -s "$TEST_HOME/outside/objects" "$objects"
    refused "a link to the objects"
    rm "$objects"
    mv "$TEST_HOME/outside/objects" "$objects"
    # A copy has one.
    rm -f "$UPPER/.git/HEAD"
    mkfifo "$UPPER/.git/HEAD"
    refused "a FIFO as HEAD"
    rm "$UPPER/.git/HEAD"
    [ -z "${BRANCH_COPIES-}" ] || cp .git/HEAD "$UPPER/.git"
    at main
    # Control: as it was, it is taken.
    take
    assert_status 0
    [ "$(git show refs/litterbox/b:src/file)" = c ]
}

@test "branch: commits that change between the look and the yes are not taken (7)" {
    plant "echo b >src/file; git commit -q -a -m shown"
    shown=$(cat "$UPPER/.git/refs/heads/main")
    cat >"$TEST_HOME/answer" <<'P'
import os, pty, sys, subprocess
pid, fd = pty.fork()
if pid == 0:
    os.execvp("box", ["box", "branch", "take", "--commits", "b"])
seen = b""
while b"Take 1 commit" not in seen:
    seen += os.read(fd, 4096)
subprocess.run(["box", "run", "--branch", "b", "--", "sh", "-c", "echo x >.envrc; git add .; git commit -q --amend -m swapped; git gc -q --prune=now"], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
os.write(fd, b"y\n")
try:
    while os.read(fd, 4096):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
    run timeout 100 python3 "$TEST_HOME/answer"
    assert_status 0
    [ "$(git rev-parse refs/litterbox/b)" = "$shown" ]
    # Control: the branch has the other by now.
    [ "$(cat "$UPPER/.git/refs/heads/main")" != "$shown" ]
    git update-ref -d refs/litterbox/b
    refused swapped
}

@test "branch: a merge takes no protected file out of the host's past (7)" {
    local -a as=(-c user.name=x -c user.email=x@x)
    echo old >.envrc
    git add .
    git "${as[@]}" commit -q -m old
    echo new >.envrc
    git "${as[@]}" commit -q -a -m new
    plant "old=\$(git rev-parse HEAD~1); echo old >.git/e; blob=\$(git hash-object -w .git/e)
        echo work >src/work; git add src; git update-index --add --cacheinfo 100644,\$blob,.envrc; tree=\$(git write-tree)
        git update-ref refs/heads/past \$(git commit-tree -p HEAD -p \$old -m past \$tree); git reset -q
        git checkout -q -b topic \$old; echo b >src/b; git add src/b; git commit -q -m b; git merge -q -m merged main"
    at past
    refused past
    # Control: the merge of what the host has moved on to is taken, with its protected file as the host has it.
    at topic
    take
    assert_status 0
    [ "$(git show refs/litterbox/b:.envrc)" = new ]
    git update-ref -d refs/litterbox/b
}

@test "branch: no commit brings protected files of another branch of the host's along (7)" {
    local -a as=(-c user.name=x -c user.email=x@x)
    git checkout -q -b side
    echo other >.envrc
    git add .
    git "${as[@]}" commit -q -m other
    git checkout -q main
    plant "git checkout -q -b work side; echo work >src/work; git add src; git commit -q -m work
        git checkout -q --orphan alone; git commit -q -m alone; git checkout -q -b alone-work; git rm -q -f .envrc; git commit -q -m w"
    at work
    refused work
    at alone
    refused alone
    # Control: it is taken where the host has checked that out, or where the user allows the file.
    at work
    git checkout -q side
    take
    assert_status 0
    git update-ref -d refs/litterbox/b
    git checkout -q main
    run timeout 100 box branch take --yes --commits --allow-protected .envrc b
    assert_status 0
    git update-ref -d refs/litterbox/b
}

@test "branch: there is an end to the commits that a take is compared with (1)" {
    local -a as=(-c user.name=x -c user.email=x@x) sides=()
    local i
    for i in {1..33}; do
        sides+=(-p "$(git "${as[@]}" commit-tree -m "$i" -p HEAD 'HEAD^{tree}')")
    done
    git update-ref refs/heads/main "$(git "${as[@]}" commit-tree -m all "${sides[@]}" 'HEAD^{tree}')"
    plant "git branch many \$(git commit-tree -m many ${sides[*]} HEAD^{tree})
        git branch few \$(git commit-tree -m few ${sides[*]:2} HEAD^{tree})"
    at many
    refused many
    # Control
    at few
    take
    assert_status 0
    git update-ref -d refs/litterbox/b
}
