#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box branch take --commits: commits of a branch, taken as commits. tests/escape/branch_commits.bats has the attacks.

load ../lib/box.bash
load ../lib/branch.bash
setup() {
    branch_setup
    git init -q -b main .
    git add -A
    as=(-c user.name=x -c user.email=x@x)
    git "${as[@]}" commit -q -m first
}
teardown() { box_teardown; }

commit='git -c user.name=agent -c user.email=a@x commit -q'
# hold: all of the host's repository and files, but for objects. Without locks status does not write the index.
hold() { (cd "$PROJECT" && GIT_OPTIONAL_LOCKS=0 git status --short && git for-each-ref && find . -path ./.git/objects -prune -o -type f -printf '%P %T@\n' | sort); }

commits() { box branch list --json | jq '.[0].commits'; }

@test "branch: commits come as refs/litterbox/NAME, and nothing else changes" {
    run --separate-stderr box branch take --yes --commits b
    assert_status 125
    in_branch "echo b >one; git add one; $commit -m second -m body; git checkout -q -b topic; echo new >new; git add new; $commit -m third; echo rest >rest; git gc -q"
    before=$(hold)
    [ "$(commits)" = 2 ]
    [[ $(box branch list) =~ COMMITS.*\ 2\ .*files ]] || fail "$(box branch list)"
    run --separate-stderr box branch take --yes --commits b
    assert_status 0
    [[ $output == *"agent: third"*"agent: second"* ]] || fail "$output"
    [[ $stderr == *"next: 'git log -p HEAD..refs/litterbox/b', 'git merge refs/litterbox/b'"* ]] || fail "$stderr"
    [ "$(git log --format=%s refs/litterbox/b)" = $'third\nsecond\nfirst' ]
    git update-ref -d refs/litterbox/b
    diff <(hold) <(echo "$before")
    box branch take --yes --commits b
    git fsck --strict
    # Not again.
    run box branch take --yes --commits b
    assert_contains "there are no new commits"
    [ "$(commits)" = 0 ]
    # The host has moved on; the rest are files.
    echo host >hosts
    git add hosts
    git "${as[@]}" commit -q -m host
    git "${as[@]}" merge -q -m merged refs/litterbox/b
    [ "$(cat one new hosts)" = $'b\nnew\nhost' ]
    [ "$(box branch diff --name-only b)" = rest ]
    # A second time, on top of that, with a merge of two lines of work in it.
    in_branch "git checkout -q -b side HEAD~1; echo side >side; git add side; $commit -m side; git checkout -q topic; git -c user.name=x -c user.email=x@x merge -q -m both side"
    box branch take --yes --commits b
    [ "$(git log --format=%s HEAD..refs/litterbox/b | sort)" = $'both\nside' ]
    [ ! -e "$DATA/boxes/shop/branches/b/git" ]
    [ ! -e "$DATA/boxes/shop/branches/b/commits" ]
}

@test "branch: commits are taken while a git gc of the branch removes the host's objects" {
    git "${as[@]}" commit -q --allow-empty -m empty
    git repack -q
    git "${as[@]}" commit -q --allow-empty -m loose
    # Folders that are not empty stay, with whiteouts in them.
    in_branch "for folder in .git/objects/??; do : >\$folder/tmp_obj_x; done; $commit --allow-empty -m second; git repack -adq; git prune-packed -q"
    if [ -z "${BRANCH_COPIES-}" ]; then
        [ "$(find "$DATA" -path '*/objects/*' -type c | wc -l)" -ge 2 ]
        [ -n "$(find "$DATA" -path '*/objects/pack/*' -type c)" ]
    fi
    run --separate-stderr box branch take --yes --commits b
    assert_status 0
    [ "$(git log --format=%s HEAD..refs/litterbox/b)" = second ]
}

@test "branch: commits that only remove files are taken" {
    in_branch "git rm -q one; $commit -m less"
    run --separate-stderr box branch take --yes --commits b
    assert_status 0
    [ "$(git show --format=%s --name-status refs/litterbox/b)" = $'less\n\nD\tone' ]
}

@test "branch: commits of a repository with SHA-256 are not taken, and its files are" {
    rm -rf .git
    git init -q --object-format sha256 -b main .
    git add -A
    git "${as[@]}" commit -q -m first
    in_branch "echo b >one; git add one; $commit -m second"
    run box branch take --yes --commits b
    assert_status 125
    assert_contains "one with reftable or SHA-256, of which box reads no commits; without --commits, 'box branch take' takes the files"
    box branch take --yes b
    [ "$(cat one)" = b ]
}

@test "branch: commits with what a take leaves out are refused, unless it was allowed" {
    in_branch "mkdir -p sub/.vscode; echo x >sub/.vscode/tasks.json; ln -s ../../etc/passwd out; git add -A; $commit -m plants; git rm -q -r sub/.vscode; rm out; git add -A; $commit -m hidden"
    run box branch take --yes --commits b
    assert_status 125
    assert_contains "in a commit: 'sub/.vscode/tasks.json' (tools of this machine run or obey it"
    assert_contains "in a commit: 'out' (a link that may lead out"
    assert_contains "nothing was taken"
    [ -z "$(git for-each-ref refs/litterbox)" ]
    box branch take --yes --commits --allow-protected sub --allow-protected out b
    [ "$(git log --format=%s -n 1 refs/litterbox/b)" = hidden ]
    run box branch take --yes --commits b one
    assert_status 64
}
