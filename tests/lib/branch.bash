# A project for the tests of branches. Loaded after box.bash.
# shellcheck shell=bash

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

# without_overlays COMMAND…: on a file system that has no user xattrs, as a branch that is new then finds out.
without_overlays() { strace -qq -o /dev/null -e trace=setxattr -e inject=setxattr:error=EOPNOTSUPP "$@"; }
# without_mounts ARGUMENT…: box, where no overlay can be mounted. A box has run before, so that no other mount is meant. What it
# leaves running is not traced.
without_mounts() {
    strace -f -b execve -qq -o /dev/null -e trace=mount -e inject=mount:error=EINVAL:when=1 \
        "$(dirname "$(type -P box)")/../libexec/litterbox/box" "$@"
}

# in_branch COMMAND: in a shell of the branch "b".
in_branch() { box run --branch b -- sh -ec "$1" 2>"$TEST_HOME/said"; }

# listing: all of the project, with what is in the files.
listing() { (cd "$PROJECT" && find . -printf '%P %y %m %l\n' -type f -exec sh -c 'for f; do echo "$f"; cat "$f"; done' sh {} + | sort); }

# With BRANCH_COPIES=1, and in files that are called ..._as_copies.bats, tests are run with copies in place of overlays.
case ${BATS_TEST_FILENAME-} in
*_as_copies.bats) BRANCH_COPIES=1 ;;
esac
if [ -n "${BRANCH_COPIES-}" ]; then
    box() { without_overlays "$(type -P box)" "$@"; }
fi
# For tests of what overlays alone have.
needs_overlays() { [ -z "${BRANCH_COPIES-}" ] || skip "for overlays"; }
