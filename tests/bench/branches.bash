# Branches of a project: how long they take to make, to work in and to look at. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, project, name, compare

# What others do for a second tree of the 100,000 files. OURS: with a container that is made and started.
branches_beside() {
    local m
    git init -q .
    git add many
    git -c user.name=bench -c user.email=bench@localhost commit -qm many
    mapfile -t m < <(medians 3 "sh -c 'rm -rf ../copy; git worktree prune'" 'cp -a --reflink=auto many ../copy' \
        'git worktree add -q --detach ../copy')
    rm -rf ../copy .git
    compare branch-new-vs-cp - "$1" "${m[0]}"
    compare branch-new-vs-git-worktree - "$1" "${m[1]}"
}

# It is in the branch, so that this has the packages.
branches_npm() {
    local m
    box branch drop --yes b
    files_prepare_builds
    mapfile -t m < <(medians 3 "sh -c './clear; box run --branch b -- ./clear 2>/dev/null'" "sh work.sh npm" "box run --branch b -- sh work.sh npm")
    compare branch-npm-vs-native 1.15 "${m[1]}" "${m[0]}"
}

# Of 15,000 files that git knows. At first it reads all of them: in a branch they have other inode numbers.
branches_git_status() {
    local m status=(git -C repository status --short) native
    native=$(medians 5 "" "${status[*]}")
    mapfile -t m < <(medians 5 "sh -c 'box branch drop --yes b; box run --branch b -- true 2>/dev/null'" "box run --branch b -- ${status[*]}")
    compare branch-first-git-status-vs-native 2 "${m[0]}" "$native"
    mapfile -t m < <(medians 5 "" "box run --branch b -- ${status[*]}")
    compare branch-git-status-vs-native 1.2 "${m[0]}" "$native"
}

branches() {
    local m each
    python3 - <<'P'
import os
for i in range(100000):
    folder = f"many/{i % 100}/{i % 37}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{i}", "w") as out:
        out.write(f"{i}\n")
P
    # The container of the box is made anew, as that of a new branch is.
    mapfile -t m < <(medians 5 "box rm --yes --keep-home" 'box run -- true')
    each=${m[0]}
    mapfile -t m < <(medians 5 "sh -c 'box branch drop --yes b 2>/dev/null; true'" 'box run --branch b -- true')
    difference branch-new-vs-box-ms 100 "${m[0]}" "$each"
    branches_beside "${m[0]}"
    box run --branch b -- sh -c 'for i in $(seq 0 49); do echo changed >many/$i/$((i % 37))/$i; done' 2>/dev/null
    mapfile -t m < <(medians 10 "" 'box branch diff --name-only b')
    at_most branch-diff-50-of-100000-ms 300 "${m[0]}"
    box run --branch b -- sh -c 'for i in $(seq 0 1999); do echo changed >many/$((i % 100))/$((i % 37))/$i; done' 2>/dev/null
    mapfile -t m < <(medians 5 "" 'box branch diff --stat b')
    at_most branch-diff-stat-of-2000-changed-ms 500 "${m[0]}"
    rm -rf many
    box branch drop --yes b
    files_prepare
    # An overlay of a user namespace cannot say that two names are one file, and git refuses its links then.
    sed -i 's/clone -q/clone -q --no-hardlinks/' work.sh
    box run --branch b -- sh work.sh untar 2>/dev/null
    mapfile -t m < <(medians 5 "" 'box branch diff --stat b')
    at_most branch-diff-stat-of-15000-ms 500 "${m[0]}"
    for each in untar create clone sqlite copy compile read; do
        mapfile -t m < <(medians 5 "sh -c './clear; box run --branch b -- ./clear 2>/dev/null'" "sh work.sh $each" "box run --branch b -- sh work.sh $each")
        compare "branch-$each-vs-native" 1.15 "${m[1]}" "${m[0]}"
    done
    branches_git_status
    ! command -v npm >/dev/null || branches_npm
    box branch drop --yes b
    files_clear
}
