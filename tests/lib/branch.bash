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

# in_branch COMMAND: in a shell of the branch "b".
in_branch() { box run --branch b -- sh -ec "$1" 2>"$TEST_HOME/said"; }

# listing: all of the project, with what is in the files.
listing() { (cd "$PROJECT" && find . -printf '%P %y %m %l\n' -type f -exec sh -c 'for f; do echo "$f"; cat "$f"; done' sh {} + | sort); }
