# A project for the tests of branches. Loaded after box.bash.
# shellcheck shell=bash disable=SC2034 # tests use the variables

# branch_setup: a box whose project has files, folders, a link and a program.
branch_setup() {
    box_setup
    mkdir -p sub/deep empty
    echo one >one
    echo two >sub/two
    echo three >sub/deep/three
    ln -s one link
    printf '#!/bin/sh\necho run\n' >script
    chmod 755 script
}

# A change of each kind, for a shell of the branch, and how box branch diff lists them.
CHANGE_ALL='echo changed >one; rm -r sub; mkdir sub; echo new >sub/new; mkdir -p made/in; chmod 700 script; ln -sf sub/new link; rmdir empty; echo x >empty'
ALL_CHANGES='T empty
M link
A made/
A made/in/
M one
M script
D sub/deep/
D sub/deep/three
A sub/new
D sub/two'

# without_overlays COMMAND…: as if the file system had no user xattrs. A new branch then becomes a copy.
without_overlays() { strace -qq -o /dev/null -e trace=setxattr -e inject=setxattr:error=EOPNOTSUPP "$@"; }
# without_mounts ARGUMENT…: runs box, whose first mount(2) fails. Where a box has run before, that is the mount of an overlay.
# Programs that box executes are not traced.
without_mounts() {
    strace -f -b execve -qq -o /dev/null -e trace=mount -e inject=mount:error=EINVAL:when=1 \
        "$(dirname "$(type -P box)")/../libexec/litterbox/box" "$@"
}

# in_branch COMMAND: in a shell of the branch "b".
in_branch() { box run --branch b -- sh -ec "$1" 2>"$TEST_HOME/said"; }

# listing: all of the project, with what is in the files.
listing() { (cd "$PROJECT" && find . -printf '%P %y %m %l\n' -type f -exec sh -c 'for f; do echo "$f"; cat "$f"; done' sh {} + | sort); }

# With BRANCH_COPIES=1, and in files whose names end in _as_copies.bats (links to the files for overlays), branches are copies.
case ${BATS_TEST_FILENAME-} in
*_as_copies.bats) BRANCH_COPIES=1 ;;
esac
if [ -n "${BRANCH_COPIES-}" ]; then
    box() { without_overlays "$(type -P box)" "$@"; }
fi
# For tests of what only overlays do.
needs_overlays() { [ -z "${BRANCH_COPIES-}" ] || skip "a test of overlays"; }
