#!/usr/bin/env bats
# Git of the host, in its default configuration, in a project in which a box made or changed repositories (7). The
# host's git would run what the box wrote: each test calls it as people and prompts do, and nothing may have run.

load escape.bash
setup_file() {
    escape_setup_file
    git init -q
    git config --global user.name Me
    git config --global user.email me@example.org
    echo one >file
    git add file
    git commit -qm one
    box run -- sh -c 'git config --global user.name Box; git config --global user.email box@example.org
        git config --global protocol.file.allow always'
    printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$TEST_HOME" >evil.sh
    chmod +x evil.sh
}
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() {
    cd "$PROJECT" && git reset -q --hard 2>/dev/null
    rm -rf "$PROJECT"/{HEAD,objects,refs,config,index,sub,build,other} "$TEST_HOME/ran"
}

# What people and their prompts call.
host_git() { # [FOLDER…]
    local folder
    for folder in . "$@"; do
        (
            cd "$folder" || exit
            git status --short
            git diff --no-ext-diff --quiet
            git log -1 --oneline
            git rev-parse --git-dir --show-toplevel
            git add -A --dry-run .
        ) >/dev/null 2>&1 || true
    done
    [ ! -e "$TEST_HOME/ran" ] || fail "git on the host ran a program of the box, in: $*"
}

@test "repositories: control: git on the host runs what these configurations name" {
    mkdir other
    git init -q other/bare
    git -C other/bare config core.fsmonitor "$PROJECT/evil.sh"
    run host_git other/bare
    assert_status 1
    assert_contains "ran a program"
}

@test "repositories: a bare repository in the project's root does not come about (7)" {
    local config="[core]
	repositoryformatversion = 0
	bare = false
	worktree = ..
	fsmonitor = $PROJECT/evil.sh"
    # shellcheck disable=SC2016 # the box's shell expands these
    local make='mv .git/HEAD .git/HEAD.old; cp -r .git/objects .git/refs .; cp .git/index .; printf "%s\n" "$1" >config; eval "$2"'
    for head in 'cp .git/HEAD.old HEAD' 'ln -s .git/HEAD.old HEAD' 'ln .git/HEAD.old HEAD' 'mv .git/HEAD.old HEAD' \
        'cp .git/HEAD.old x; mv x HEAD' 'mkdir -p other; cp .git/HEAD.old other/x; mv other/x ./HEAD' \
        'cp .git/HEAD.old x; ln x HEAD' 'cp .git/HEAD.old x; ./attack exchange x HEAD' \
        'mkdir HEAD; cp .git/HEAD.old x; ./attack exchange HEAD x; rmdir HEAD' 'mkdir HEAD; cp .git/HEAD.old x; ./attack exchange x HEAD; rmdir HEAD'; do
        attempt "$make" "$config" "$head"
        ls HEAD && fail "made by: $head"
        host_git
        [ -e .git/HEAD.old ] || git symbolic-ref HEAD refs/heads/master
        [ ! -e .git/HEAD.old ] || mv .git/HEAD.old .git/HEAD
        rm -rf HEAD objects refs config index x other
    done
    # Control: made by the host, it is one.
    sh -c "$make" sh "$config" 'cp .git/HEAD.old HEAD'
    run host_git
    mv .git/HEAD.old .git/HEAD
    assert_contains "ran a program"
}

@test "repositories: nor in a folder below, nor by renaming one into place (7)" {
    attempt 'mkdir -p sub/objects sub/refs; cp .git/HEAD sub/HEAD; printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = %s\nfsmonitor = %s/evil.sh\n" "$PWD" "$PWD" >sub/config'
    host_git sub
    [ ! -e sub/HEAD ]
    # A repository that was made as .git has only a harmless configuration, and keeps that name.
    attempt 'git init -q other; mv other/.git sub; cp -r other/.git/* sub/'
    [ -d other/.git ]
    [ ! -e sub/HEAD ]
    attempt 'mkdir -p build; cp -r .git build/x; mv build/x/HEAD build/x/HEAD2; mkdir d; mv build/x d'
    host_git sub other build build/x d/x
    rm -rf d
}

@test "repositories: a bare repository of the host's keeps its configuration and hooks (7)" {
    git init -q --bare sub
    attempt 'printf "[core]\n\tfsmonitor = %s/evil.sh\n\tworktree = %s\n\tbare = false\n" "$PWD" "$PWD" >evil
        cp evil sub/config; cp evil x; mv x sub/config; ./attack exchange evil sub/config; ln -f evil sub/config; ln sub/config x && cat evil >x
        cp evil.sh sub/hooks/post-update; cp evil.sh x; mv x sub/hooks/post-update
        mkdir h; cp evil.sh h/update; rm -rf sub/hooks; mv h sub/hooks; echo ../other >sub/commondir'
    host_git sub
    run grep evil sub/config
    assert_status 1
    [ -e sub/HEAD ]
    [ ! -e sub/hooks/post-update ]
    [ ! -e sub/hooks/update ]
    [ ! -e sub/commondir ]
    # Without HEAD it is no repository, and does not become one again.
    attempt 'mv sub/HEAD sub/HEAD2; rm -f sub/config; cp evil sub/config; mv sub/HEAD2 sub/HEAD; cp sub/HEAD2 sub/HEAD'
    grep -q evil sub/config
    [ ! -e sub/HEAD ]
    host_git sub
}

@test "repositories: nor do its hooks change while the box has closed it to the guard (7)" {
    git init -q --bare sub
    run in_box python3 -c '
import os
hooks = os.open("sub/hooks", os.O_RDONLY)
os.chmod("sub", 0)
def attempt(what, *arguments, **more):
    try:
        what(*arguments, **more)
    except OSError as e:
        print("refused", e.strerror)
attempt(os.open, "post-update", os.O_WRONLY | os.O_CREAT, 0o755, dir_fd=hooks)
attempt(os.link, "evil.sh", "update", dst_dir_fd=hooks)
attempt(os.rename, "evil.sh", "post-receive", dst_dir_fd=hooks)
print("tried")'
    chmod 755 sub
    assert_contains tried
    run find sub/hooks ! -name '*.sample' -type f
    assert_output ""
    [ -e evil.sh ]
}

@test "repositories: a box clones, commits and sets up branches in the project (7)" {
    run in_box sh -ec 'git clone -q . other/clone; cd other/clone; echo two >file; git commit -qam two
        git checkout -qb topic; git config user.name Other; git config gpg.format ssh; git config user.signingkey ~/key.pub; git remote add upstream https://example.org/x.git
        git branch -u origin/master; git branch -m renamed; git tag v1; git stash list; git gc -q; git status --short; git log --oneline | wc -l'
    assert_status 0
    assert_contains 2
    [ "$(git -C other/clone config user.name)" = Other ]
    [ "$(git -C other/clone config core.symlinks)" != false ]
    [ "$(git -C other/clone config core.filemode)" = true ]
    run git -C other/clone fsck
    assert_status 0
    host_git other/clone
}

@test "repositories: what a box makes gets no configuration that runs programs (7)" {
    local setting
    in_box git init -q sub
    for setting in "core.fsmonitor=$PROJECT/evil.sh" "core.hooksPath=$PROJECT" "core.pager=$PROJECT/evil.sh" \
        "core.worktree=$TEST_HOME" "core.sshCommand=$PROJECT/evil.sh" "include.path=$PROJECT/config" \
        "diff.external=$PROJECT/evil.sh" "filter.x.clean=$PROJECT/evil.sh" "alias.status=!$PROJECT/evil.sh" \
        "remote.origin.url=ext::$PROJECT/evil.sh" "core.editor=$PROJECT/evil.sh" "extensions.partialClone=x" \
        "url.x.insteadOf=https://" "credential.helper=!$PROJECT/evil.sh"; do
        run in_box git -C sub config "${setting%%=*}" "${setting#*=}"
        [ "$status" != 0 ] || fail "written: $setting"
    done
    attempt 'printf "[core]\n\tfsmonitor = %s/evil.sh\n" "$PWD" >evil; cp evil sub/.git/config; cat evil >sub/.git/config
        cp evil sub/.git/config.lock; mv sub/.git/config.lock sub/.git/config; mv evil sub/.git/config; ln -f evil sub/.git/config
        ln -sf ../../evil sub/.git/config; rm -f sub/.git/config; cp evil sub/.git/config; ln evil sub/.git/config
        ln -s ../../evil sub/.git/config; mkdir sub/.git/x; cp evil sub/.git/x/config; mv sub/.git/x/config sub/.git/config
        cp evil sub/.git/config.worktree; ./attack exchange evil sub/.git/config'
    run cat sub/.git/config sub/.git/config.worktree
    refute_contains evil
    host_git sub
    # Nor through a file that is still open after it was put there.
    attempt 'rm -f sub/.git/config.lock; exec 3<>sub/.git/config.lock; echo "[core]" >&3; mv sub/.git/config.lock sub/.git/config; printf "\tfsmonitor = %s/evil.sh\n" "$PWD" >&3'
    run cat sub/.git/config
    assert_contains core
    refute_contains evil
    # Nor by a descriptor of it, or another name.
    attempt 'ln sub/.git/config other; echo evil >>other; exec 3<sub/.git/config; echo evil >>/proc/self/fd/3'
    run cat sub/.git/config
    refute_contains evil
}

@test "repositories: no name of a remote is an option to the git of the host (7)" {
    local name="--upload-pack=$PROJECT/evil.sh"
    in_box git init -q sub
    in_box git -C sub config remote.origin.url .
    # Control: with such a name the host's git runs what the option says.
    git init -q "$TEST_HOME/mine"
    git -C "$TEST_HOME/mine" config remote.origin.url .
    git -C "$TEST_HOME/mine" config "remote.$name.url" .
    (cd "$TEST_HOME/mine" && git fetch --all) || true
    [ -e "$TEST_HOME/ran" ]
    rm "$TEST_HOME/ran"
    run in_box git -C sub config "remote.$name.url" .
    [ "$status" != 0 ]
    (cd sub && git fetch --all && git remote update) || true
    host_git sub
    run cat sub/.git/config
    refute_contains evil
}

@test "repositories: folders of references and logs in a .git are no repositories (7)" {
    local name
    # As files there are called like branches, a box may write a "config" there, and a socket passes for a folder.
    # shellcheck disable=SC2016 # the box's shell expands these
    local make='cd .git; mkdir -p "$1/refs"; cd "$1"; cp "$2/.git/HEAD" HEAD; cp "$2/.git/index" .
            printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = %s/evil.sh\n" "$2" >config
            python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"objects\")"
            mkdir -p "$2/sub"; echo "gitdir: ../.git/$1" >"$2/sub/.git"; sleep 0.1; echo x >"$2/x"; rm "$2/x"'
    for name in refs/x logs logs/x; do
        rm -rf ".git/${name:?}" sub
        attempt "$make" "$name" "$PROJECT"
        host_git sub
        # Control: made by the host, it is a repository.
        rm -rf ".git/${name:?}" sub
        sh -c "$make" sh "$name" "$PROJECT"
        run host_git sub
        assert_contains "ran a program"
        rm "$TEST_HOME/ran"
        rm -rf ".git/${name:?}" sub
    done
}

@test "repositories: a submodule of the host's may be called refs or logs (7)" {
    local name
    # shellcheck disable=SC2016 # the box's shell expands these
    local change='cd ".git/modules/$1"; printf "[core]\n\tfsmonitor = %s/evil.sh\n" "$2" >evil; cat evil >>config; cp evil config; mv evil config
            cp "$2/evil.sh" hooks/post-index-change; cp "$2/evil.sh" x; mv x hooks/fsmonitor-watchman'
    for name in logs refs/x; do
        mkdir -p .git/modules/refs
        git init -q --separate-git-dir ".git/modules/$name" sub
        attempt "$change" "$name" "$PROJECT"
        host_git sub
        [ ! -e ".git/modules/$name/hooks/post-index-change" ]
        [ ! -e ".git/modules/$name/hooks/fsmonitor-watchman" ]
        git -C sub commit -q --allow-empty -m one
        git -C sub config extensions.worktreeConfig true
        git -C sub worktree add -q ../build 2>/dev/null
        # shellcheck disable=SC2016 # the inner shells expand it
        local of_worktree='cd ".git/modules/$1/worktrees/build"; printf "[core]\n\tfsmonitor = %s/evil.sh\n" "$2" >config.worktree'
        attempt "$of_worktree" "$name" "$PROJECT"
        host_git build
        run cat ".git/modules/$name/worktrees/build/config.worktree"
        refute_contains evil
        # Controls: changed by the host, they run the program.
        (sh -c "$of_worktree" sh "$name" "$PROJECT")
        run host_git build
        assert_contains "ran a program"
        rm "$TEST_HOME/ran"
        sh -c "$change" sh "$name" "$PROJECT"
        run host_git sub
        assert_contains "ran a program"
        rm "$TEST_HOME/ran"
        rm -rf .git/modules sub build
    done
}

@test "repositories: a configuration that a box makes in place is empty, and stays so (7)" {
    # As libgit2 begins one (cargo: host_tools_12.bats). Nothing may be lost that seemed to be written.
    in_box git init -q sub
    run in_box python3 -c '
import errno, os
path = "sub/.git/config"
evil = b"[core]\n\tfsmonitor = '"$PROJECT"'/evil.sh\n"
def attempt(what, *arguments):
    try:
        return what(*arguments)
    except OSError as e:
        print(errno.errorcode[e.errno])
for flags in os.O_WRONLY, os.O_RDWR | os.O_APPEND, os.O_WRONLY | os.O_EXCL | os.O_TRUNC:
    os.unlink(path)
    fd = os.open(path, flags | os.O_CREAT, 0o640)
    attempt(os.write, fd, evil)
    attempt(os.pwrite, fd, evil, 100)
    attempt(os.truncate, fd, 100)
    again = attempt(os.open, "/proc/self/fd/%d" % fd, os.O_RDWR)
    again and attempt(os.write, again, evil)
    attempt(os.open, path, flags | os.O_CREAT | os.O_EXCL)
    print(os.path.getsize(path), oct(os.stat(path).st_mode))
attempt(os.open, path, os.O_WRONLY)
attempt(os.open, "sub/.git/CONFIG", os.O_WRONLY | os.O_CREAT)
attempt(os.open, "sub/.git/config.litterbox-1", os.O_WRONLY | os.O_CREAT)
os.unlink(path)
os.symlink("../../evil", "sub/link")
attempt(os.rename, "sub/link", path)
print("tried")'
    assert_contains "EPERM
EPERM
EPERM
EPERM
EEXIST
0 0o100640"
    assert_contains "0 0o100640
EROFS
EROFS
EROFS
EROFS
tried"
    run find sub/.git -name 'config*'
    assert_output ""
    run in_box git -C sub config user.name Me
    assert_status 0
    [ "$(git -C sub config user.name)" = Me ]
    host_git sub
}

@test "repositories: everyday git changes the project's own configuration, and nothing that runs (7)" {
    local setting config
    cp .git/config "$TEST_HOME/config"
    git config alias.mine '!echo "mine; \"too\""'
    git config core.fsmonitor false
    git init -q --bare "$TEST_HOME/remote.git"
    run in_box sh -ec 'git init -q --bare ~/remote.git; git remote add origin ~/remote.git
        git checkout -q -b topic; git push -q -u origin topic; git branch -m topic other; git branch --unset-upstream
        git config user.name "Box B"; git config --unset user.name; git remote rename origin up 2>&1
        git config submodule.x.url https://example.org/x.git; git config lfs.repositoryformatversion 0
        git checkout -q -b third up/topic; git config --get branch.third.merge; git checkout -q master'
    assert_status 0
    assert_output refs/heads/topic
    [ "$(git config branch.third.remote)" = up ]
    [ "$(git config alias.mine)" = '!echo "mine; \"too\""' ]
    [ "$(git config core.fsmonitor)" = false ]
    [ ! -e .git/config.lock ]
    config=$(cat .git/config)
    for setting in "core.fsmonitor $PROJECT/evil.sh" "--unset core.fsmonitor" "--remove-section alias" \
        "alias.mine !$PROJECT/evil.sh" "core.hooksPath $PROJECT" "include.path ../config" "core.worktree $TEST_HOME" \
        "--add core.fsmonitor true" "--rename-section alias core"; do
        # shellcheck disable=SC2086 # words
        run in_box git config $setting
        [ "$status" != 0 ] || fail "done: $setting"
        [ "$(cat .git/config)" = "$config" ] || fail "changed by: $setting"
        [ ! -e .git/config.lock ] || fail "left behind: .git/config.lock"
    done
    attempt 'printf "[core]\n\tfsmonitor = %s/evil.sh\n" "$PWD" >evil; cp evil .git/config; cat evil >.git/config; mv evil .git/config
        ln -f evil .git/config; ./attack exchange evil .git/config; mv .git/config x; ln .git/config x; cat evil >>x
        cp evil .git/config.lock; mv .git/config.lock .git/config; mv evil .git/config.lock; ln evil .git/config.lock
        ln -s evil .git/config.lock; mkdir .git/config.lock; cp evil .git/config.worktree'
    run cat .git/config .git/config.lock .git/config.worktree
    refute_contains evil
    host_git
    rm -f .git/config.lock x evil
    mv "$TEST_HOME/config" .git/config
}

@test "repositories: a box does not put its own lock file in place of the host's (7)" {
    local i pid
    cp .git/config "$TEST_HOME/config"
    in_box git init -q sub
    in_box python3 -c '
import os, time
end = time.monotonic() + 6
os.mkdir("ready")
evil = ("[core]\n\tbare = false\n\tfsmonitor = %s/evil.sh\n" % os.getcwd()).encode()
while time.monotonic() < end and not os.path.exists("enough"):
    for folder in (".git", "sub/.git"):
        lock = folder + "/config.lock"
        try:
            os.unlink(lock)
            fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            os.write(fd, evil)
            os.close(fd)
            with open("x", "wb") as out:
                out.write(evil)
            os.rename("x", lock)
        except OSError:
            pass' 3>&- &
    pid=$!
    eventually test -d ready
    for i in $(seq $((150 / TEST_STEP))); do
        git config user.name "Me $i" 2>/dev/null || true
        git -C sub config user.name "Me $i" 2>/dev/null || true
        run cat .git/config sub/.git/config
        refute_contains evil
    done
    touch enough
    wait "$pid" || true
    host_git sub
    git config user.name >/dev/null # it is whole
    rm -rf ready enough x .git/config.lock sub/.git/config.lock
    mv "$TEST_HOME/config" .git/config
}

@test "repositories: submodules and worktrees are made and used in a box, and by the host's git (7)" {
    run in_box sh -ec 'git init -q /tmp/lib; cd /tmp/lib; echo lib >l; git add l; git commit -qm lib; cd - >/dev/null
        git submodule --quiet add /tmp/lib other/sub; git commit -qm sub; git submodule --quiet update --init
        git submodule --quiet deinit -f other/sub; git submodule --quiet update --init; git mv other/sub sub; git commit -qm moved
        git worktree add -q other/tree; cd other/tree; echo more >more; git add more; git commit -qm more; git status --short'
    assert_status 0
    [ "$(cat sub/.git)" = "gitdir: ../.git/modules/other/sub" ]
    [ "$(cat sub/l)" = lib ]
    git submodule status | grep -q sub
    [ "$(git -C other/tree log -1 --format=%s)" = more ]
    git worktree list | grep -q other/tree
    [ "$(cat .git/worktrees/tree/commondir)" = ../.. ]
    # As the host's git would write there to wherever a link leads (guest/guard/git_config.h).
    run git config -f .git/modules/other/sub/config core.worktree
    assert_status 1
    run in_box sh -c 'cp -r sub moved && cd moved && git status --short'
    assert_status 0
    host_git sub other/tree moved
    run in_box git worktree remove --force other/tree
    assert_status 0
    [ ! -e .git/worktrees/tree ]
    run in_box sh -ec 'git rm -qf sub; git commit -qm gone; rm -rf .git/modules moved'
    assert_status 0
    git branch -qD tree
}

@test "repositories: a .git file or a worktree leads to no configuration of a box's own (7)" {
    local text home evil='[core]
	repositoryformatversion = 0
	bare = false'
    evil="$evil
	fsmonitor = $PROJECT/evil.sh"
    home=$(echo "$HOME/.local/share/litterbox-$LITTERBOX_INSTANCE"/boxes/*/home)
    in_box sh -ec 'mkdir -p ~/evil; cp -r .git/objects .git/refs .git/HEAD ~/evil; printf "%s\n" "$1" >~/evil/config' sh "$evil"
    [ -e "$home/evil/HEAD" ] || fail "the box's home is not at $home"
    # Control: such a .git file makes git on the host run it.
    mkdir control
    echo "gitdir: $home/evil" >control/.git
    run host_git control
    assert_status 1
    assert_contains "ran a program"
    rm -r control "$TEST_HOME/ran"
    in_box sh -ec 'ln -sfn "$1" way; mkdir -p other way2; cp -r .git/objects .git/refs other; printf "%s\n" "$2" >other/config' sh "$home" "$evil"
    for text in "$home/evil" "../way/evil" "way/evil" "../way/.git/modules/x" "$PROJECT/way/evil" "$PROJECT/.git/../way/evil" \
        "../.git/../way/evil" "$PROJECT/way/.git/modules/x" ".git/modules/x" "../../../../../../../../$home/evil" "../other" \
        "../.git" "../.GIT/modules/x" "//$home/evil" "..//.git/modules/x" "../.git/modules/x/"; do
        attempt 'rm -rf sub; mkdir sub; echo "gitdir: $1" >sub/.git; printf "gitdir: %s\n\n" "$1" >sub/.git
            echo "gitdir: ../.git/modules/x" >sub/.git; sleep 0.1; echo "gitdir: $1" >sub/.git; cp sub/.git x; echo "gitdir: $1" >x; mv -f x sub/.git
            ln -f x sub/.git; exec 3>>sub/.git; echo "gitdir: $1" >&3' "$text"
        ! grep -qxF "gitdir: $text" sub/.git || fail "it leads to $text"
        host_git sub
    done
    # A file that is still open after the guard has written it is not that file.
    attempt 'rm -rf sub; mkdir sub; exec 3>sub/.git; echo "gitdir: ../.git/modules/x" >&3; until [ -e sub/.git ]; do mkdir -p y; done
        : >/proc/self/fd/3; echo "gitdir: ../way/evil" >/proc/self/fd/3; truncate -s 0 sub/.git; echo "gitdir: ../way/evil" >&3'
    [ "$(cat sub/.git)" = "gitdir: ../.git/modules/x" ] || fail "$(cat sub/.git)"
    # A worktree's folder that is completed by a folder of the box.
    for text in "../../../other" "$PROJECT/other" "../../../way/evil" ../.. .. ../../..; do
        attempt 'rm -rf .git/modules .git/worktrees .git/x; mkdir -p .git/worktrees/x .git/modules/x .git/x; cp .git/HEAD .git/worktrees/x; cp .git/HEAD .git/modules/x; cp .git/HEAD .git/x
            echo "$1" >.git/worktrees/x/commondir; echo "$1" >.git/modules/x/commondir; echo "$1" >.git/x/commondir; echo "$1" >.git/commondir; mkdir .git/refs/worktrees; mkdir .git/refs/worktrees/x; echo "$1" >.git/refs/worktrees/x/commondir
            echo "$1" >y; mv y .git/worktrees/x/commondir; echo "gitdir: ../.git/worktrees/x" >sub/.git; mkdir -p way2; echo "gitdir: ../.git/modules/x" >way2/.git' "$text"
        run cat .git/worktrees/x/commondir
        [ "$text" = ../.. ] || refute_contains "$text"
        [ ! -e .git/modules/x/commondir ]
        [ ! -e .git/x/commondir ]
        [ ! -e .git/commondir ]
        [ ! -e .git/refs/worktrees/x/commondir ]
        host_git sub way2
    done
    # A submodule's repository does not say where its files go.
    for text in "\tworktree = ../../../way" "  worktree = ../../../way" "\tworktree = $HOME" "\tworktree = ../x\\\\\n/../../way" "\tWorkTree = ../../../way"; do
        attempt 'cp .git/config .git/modules/x/y; printf "[core]\n\tbare = false\n$1\n" >.git/modules/x/y; mv .git/modules/x/y .git/modules/x/config' "$text"
        run git config -f .git/modules/x/config core.worktree
        assert_output ""
    done
    rm -rf sub way way2 x y .git/modules .git/worktrees .git/x .git/refs/worktrees
}

@test "repositories: nothing is made in a .git whose path is too long, also in a subvolume of btrfs (7)" {
    python3 -c 'import fcntl, os, struct # BTRFS_IOC_SUBVOL_CREATE
fcntl.ioctl(os.open(".", os.O_RDONLY), 0x5000940e, bytearray(struct.pack("q4088s", 0, b"other")), True)' 2>/dev/null || mkdir other
    run in_box python3 -c '
import os, subprocess
os.chdir("other")
def chain(path, count):
    os.mkdir(path)
    fd = os.open(path, os.O_RDONLY)
    for _ in range(count):
        os.mkdir("d" * 250, dir_fd=fd)
        fd = os.open("d" * 250, os.O_RDONLY, dir_fd=fd)
    return fd
subprocess.run(["git", "init", "-q", "new"], check=True)
git = os.open("new/.git", os.O_RDONLY)
upper, lower = chain("upper", 14), chain("lower", 10)
os.rename("new", "new", dst_dir_fd=lower)
os.rename("lower", "lower", dst_dir_fd=upper)
for name in "config", "config.vsctmp", "commondir", "hooks/post-checkout":
    try:
        os.open(name, os.O_WRONLY | os.O_CREAT, 0o755, dir_fd=git)
        print("made", name)
    except OSError as error:
        print(error.errno, end=" ")'
    assert_output "30 30 30 30 "
    # Elsewhere such a folder is one like others.
    run in_box python3 -c '
import os
os.chdir("/tmp")
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
print(os.open("config", os.O_WRONLY | os.O_CREAT))'
    assert_status 0
}

@test "repositories: a .git file and a configuration of a box have the mode that they would have without a guard (7)" {
    run in_box sh -ec 'mkdir sub other; write() { echo "gitdir: ../.git/modules/x" >"$1"; : >"$1.next"; stat -c %a "$1"; }
        umask 077; write sub/.git; umask 0; : >sub/x; umask 022; write other/.git; write sub/.git; chmod 640 sub/.git; write sub/.git'
    assert_output "600
644
600
640"
    run in_box sh -ec 'git init -q other/new; cd other/new; cp .git/config config; umask 022; cp config .git/config.lock
        umask 077; : >x; mv .git/config.lock .git/config; stat -c %a .git/config; git config user.name x; stat -c %a .git/config'
    assert_output "644
644"
    rm -r sub other
}

@test "repositories: which setting is refused is said on the terminal (7)" {
    run on_terminal box run -t -- git config core.fsmonitor evil
    assert_contains "core.fsmonitor"
    assert_contains "outside of the box"
}

@test "repositories: nor hooks, nor a .git that leads elsewhere (7)" {
    local name
    in_box sh -ec 'git init -q sub; mkdir -p build'
    for name in pre-commit post-checkout reference-transaction x.sample/../post-commit; do
        attempt 'cp evil.sh "sub/.git/hooks/$1"; cp evil.sh x; mv x "sub/.git/hooks/$1"; ln -f evil.sh "sub/.git/hooks/$1"; ln -s "$PWD/evil.sh" "sub/.git/hooks/$1"' "$name"
    done
    attempt 'mkdir h; cp evil.sh h/pre-commit; rm -rf sub/.git/hooks; mv h sub/.git/hooks; ln -s ../../h sub/.git/hooks'
    run find sub/.git/hooks ! -type d ! -name '*.sample'
    [[ $output == "" || $output == *"No such file"* ]] || fail "$output"
    echo x >sub/x
    git -C sub add x 2>/dev/null
    GIT_EDITOR=true git -C sub commit -qm x 2>/dev/null || true
    host_git sub
    rm -rf sub
    attempt 'mkdir -p build/real/objects build/real/refs; git init -q --separate-git-dir=build/cache sub; mkdir -p sub
        echo "gitdir: ../build/cache" >sub/.git; ln -s ../build/cache sub/.git; echo "gitdir: ../build/cache" >x; mv x sub/.git; ln x sub/.git
        mkdir -p sub/.git; echo ../../build/cache >sub/.git/commondir'
    run box run -- sh -c 'mkdir other; echo "gitdir: ../build/cache" >other/.git; : >x'
    assert_contains "box: '.git' is not written: it may lead only to a .git of this project"
    [ ! -e sub/.git/commondir ]
    [ ! -e other/.git ]
    [ ! -f sub/.git ]
    [ ! -L sub/.git ]
    host_git sub build/cache
}

@test "repositories: a gitlink in the index leads to nothing that runs (7)" {
    attempt 'git init -q sub; git -C sub commit -q --allow-empty -m s; git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),sub"
        git -C sub config core.fsmonitor "$PWD/evil.sh"'
    git ls-files -s | grep -q ^160000 || fail "the attack is not in the index"
    host_git sub
    git reset -q
}

@test "repositories: the host's git does not write through links in .git (7)" {
    local target=$TEST_HOME/profile name
    echo mine >"$target"
    in_box sh -c 'cp file kept'
    for name in COMMIT_EDITMSG logs/HEAD ORIG_HEAD MERGE_MSG FETCH_HEAD index.lock packed-refs.new refs/heads/topic info/exclude; do
        attempt 'rm -f ".git/$1"; ln -s "$2" ".git/$1"; ln -sf "$2" x; mv -f x ".git/$1"; ln -s "$2" x; ln -f x ".git/$1"; rm -f x; mkdir -p d; ln -s "$2" "d/$(basename "$1")"; mv d ".git/d-$$"; rm -rf d' "$name" "$target"
        [ ! -L ".git/$name" ] || fail "a link: .git/$name"
    done
    [ -z "$(find .git -type l)" ] || fail "$(find .git -type l)"
    rm -rf .git/d-* .git/index.lock
    echo more >>file
    git add file
    GIT_EDITOR=true git commit -qm more
    GIT_EDITOR=true git commit -q --amend
    [ "$(cat "$target")" = mine ]
}

@test "repositories: links do not win a race with a rename into .git (7)" {
    local pid
    echo mine >"$TEST_HOME/profile"
    box run -- sh -c 'timeout 4 sh -c "while :; do ln -sf \"\$0\" x; cp file x2; mv -f x2 x; done" "$1"' sh "$TEST_HOME/profile" 2>/dev/null &
    pid=$!
    box run -- timeout 4 sh -c 'while :; do mv -f x .git/COMMIT_EDITMSG; done' 2>/dev/null &
    for _ in $(seq 400); do
        [ ! -L .git/COMMIT_EDITMSG ] || fail "a link came into .git"
    done
    wait "$pid" || true
    wait "$!" || true
    [ ! -L .git/COMMIT_EDITMSG ]
}

@test "repositories: files of the project that git's configuration names are protected (7)" {
    local file
    mkdir -p .githooks tools conf templates/hooks
    printf '#!/bin/sh\n' | tee .githooks/pre-commit tools/clean.sh tools/differ tools/up >tools/textconv
    printf '[include]\n\tpath = more.gitconfig\n' >conf/shared.gitconfig
    chmod +x .githooks/pre-commit tools/*
    git config core.hooksPath .githooks
    git config include.path ../conf/shared.gitconfig
    git config "includeIf.gitdir:$PROJECT/.path" ../if.gitconfig
    git config "includeIf.gitdir:/a=b/.path" ../other.gitconfig
    git config core.attributesFile own-attributes
    git config init.templateDir templates
    git config diff.x.command ./tools/differ
    git config submodule.x.update '!./tools/up'
    git config filter.x.clean './tools/clean.sh %f'
    echo pass >clean.py
    git config filter.y.clean 'python3 clean.py %f'
    git config alias.x "!$PROJECT/tools/textconv"
    git config commit.template later.txt
    mv .git/HEAD .git/HEAD.old # as a box can
    box apply --yes >/dev/null 2>&1
    mv .git/HEAD.old .git/HEAD
    for file in .githooks/pre-commit .githooks/post-commit conf/shared.gitconfig conf/more.gitconfig if.gitconfig \
        other.gitconfig own-attributes templates/hooks/post-commit tools/{clean.sh,textconv,differ,up} clean.py later.txt; do
        before=$(cat "$file" 2>/dev/null || echo none)
        attempt 'cp evil.sh "$1"; cp evil.sh x; mv -f x "$1"; rm -f x; mv tools t2; mv .githooks h2; mv templates t3; mv conf c2; ln -sf "$PWD/evil.sh" "$1"' "$file"
        [ "$(cat "$file" 2>/dev/null || echo none)" = "$before" ] || fail "changed: $file"
    done
    echo more >>file
    git commit -qam more
    host_git
    # A link there is named, as the box could replace it.
    rm -r .githooks
    ln -s tools .githooks
    run box apply --yes
    assert_contains "'.githooks', which goes through a symbolic link"
    git config --unset core.hooksPath
    git config --unset include.path
    # More of them than can be protected are refused.
    for file in $(seq 60); do
        echo "exit 0" >"tools/$file"
        printf '[filter "y"]\n\tsmudge = ./tools/%s\n' "$file" >>.git/config
    done
    box stop
    run box run -- true
    assert_status 78
    assert_contains "its configuration names more files of the project, than can be protected"
    git config --remove-section filter.y
}

@test "repositories: objects that a repository borrows from one in the project bring no programs (7)" {
    local key
    attempt 'git init -q build; echo "$1/build/.git/objects" >.git/objects/info/alternates' "$PROJECT"
    [ -s .git/objects/info/alternates ]
    [ -e build/.git/HEAD ]
    # Also with a configuration that no box can write.
    git -C build config remote.x.url "$PROJECT"
    git -C build config extensions.partialClone x
    for key in core.fsmonitor core.pager core.sshCommand core.alternateRefsCommand pager.for-each-ref remote.x.uploadpack; do
        git -C build config "$key" "$PROJECT/evil.sh"
    done
    git rev-parse HEAD | tr 0-9a-f 1-9a-f0 >build/.git/refs/heads/missing
    git clone -q --bare . "$TEST_HOME/up.git"
    host_git
    # What is missing there may make these fail.
    GIT_TRACE=$TEST_HOME/trace git fetch -q "$TEST_HOME/up.git" || true
    git gc -q && git repack -adq && git fsck >/dev/null || true
    grep -F "git --git-dir=$PROJECT/build/.git for-each-ref" "$TEST_HOME/trace" || fail "git does not look there"
    host_git
    # The control: what git never asks of such a repository.
    git --git-dir="$PROJECT/build/.git" for-each-ref --format='%(subject)' || true
    [ -e "$TEST_HOME/ran" ]
    rm .git/objects/info/alternates
}

@test "repositories: git lfs install sets its filters in a box, and no hooks (7)" {
    run in_box git lfs install --local
    assert_status 2
    assert_contains "hooks/pre-push: read-only file system"
    [ ! -e .git/hooks/pre-push ]
    in_box sh -ec 'git lfs install --local --skip-repo; git lfs track "*.bin"; echo data >a.bin; git add a.bin .gitattributes'
    [[ $(git show :a.bin) == "version https://git-lfs"* ]]
    attempt 'git config filter.lfs.clean "$1"; git config filter.lfs.process "$1"' "$PROJECT/evil.sh"
    host_git
    [ "$(git config filter.lfs.clean) $(git config filter.lfs.process)" = "git-lfs clean -- %f git-lfs filter-process" ]
    git config --remove-section filter.lfs
}

@test "repositories: settings that git does not read in time are refused (7)" {
    cp .git/config config.kept
    # It waits for a writer, and so does the user's own git: nobody knows what it would name in the project.
    printf '[include]\n\tpath = late\n' >>.git/config
    mkfifo .git/late
    box stop
    run box run -- true
    assert_status 78
    assert_contains "git cannot read it within 5 seconds"
    # git fails here, and reads what follows once somebody has mended the file.
    rm .git/late
    echo '[' >.git/late
    run box run -- true
    assert_status 78
    assert_contains "git cannot read it"
    # A few lines that include one file many times make git print any number of bytes.
    rm .git/late
    { echo '[late]' && printf '\tkey = %0100d\n' {1..3000}; } >.git/late
    printf '[include]\n\tpath = late%.0s\n' {1..50} >>.git/config
    run box run -- true
    assert_status 78
    assert_contains "than can be protected"
    # Control: it was refused for that alone.
    : >.git/late
    box run -- true
    mv config.kept .git/config
    rm .git/late
    box stop
}

@test "repositories: more submodules than can be protected are refused (7)" {
    local i
    mkdir -p .git/modules/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17
    box stop
    run box run -- true
    assert_status 78
    assert_contains "more submodules"
    rm -r .git/modules/1
    for i in $(seq 129); do
        mkdir ".git/modules/m$i"
        cp .git/HEAD ".git/modules/m$i/"
    done
    box stop
    run box run -- true
    assert_status 78
    assert_contains "more submodules or worktrees"
    rm -r .git/modules
}

@test "repositories: a box cannot change its own setup script (7)" {
    echo true >setup.sh
    escape_config '[home]
setup = "setup.sh"'
    box stop
    attempt 'echo evil >setup.sh; echo evil >x; mv -f x setup.sh'
    [ "$(cat setup.sh)" = true ]
}

@test "repositories: a box that sees a folder alone makes no repository that runs programs there (7)" {
    mkdir -p sub
    # shellcheck disable=SC2016 # the box's shell expands these
    local make='cd sub; git init -q made; echo data >made/file
        git -C made config core.fsmonitor "$1"; printf "#!/bin/sh\n" >made/.git/hooks/post-index-change
        mkdir bare bare/objects bare/refs; echo "ref: refs/heads/x" >bare/HEAD
        printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = %s\n" "$1" >bare/config; echo done'
    run box run --file sub -- sh -c "$make" sh "$PROJECT/evil.sh"
    assert_contains "done"
    [ "$(cat sub/made/file)" = data ]
    run git config -f sub/made/.git/config core.fsmonitor
    assert_output ""
    [ ! -e sub/made/.git/hooks/post-index-change ]
    host_git sub/made sub/bare
    # Control: made by the host, each of them runs the program.
    rm -r sub
    mkdir sub
    sh -c "$make" sh "$PROJECT/evil.sh"
    for folder in sub/made sub/bare; do
        run host_git "$folder"
        assert_contains "ran a program"
        rm "$TEST_HOME/ran"
    done
}
