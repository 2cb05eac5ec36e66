#!/usr/bin/env bats
# git's own tests, natively and in a box: each ends the same way.
#
# BOX_GIT_SUITE: other scripts than those that are quick, as patterns (docs/testing.md).

load ../lib/box.bash
# shellcheck source=tests/conformance/git_source.bash
source "$BATS_TEST_DIRNAME/../conformance/git_source.bash"
setup() { box_setup; }
teardown() { box_teardown; }

quick="t0001-init t1300-config"

# In FOLDER/git/t: what each script said is in FOLDER/ended.
write_program() {
    cat >"$PROJECT/run-scripts" <<'SH'
mkdir -p "$1/ended" && cd "$1/git/t" && shift || exit
export GIT_TEST_INSTALLED=/usr/bin
for script; do
    sh "./$script.sh" >"../../ended/$script" 2>&1 </dev/null
    chmod -R u+rwx "trash directory.$script" 2>/dev/null
    rm -rf "trash directory.$script"
done
SH
}

scripts() { # FOLDER
    local name
    # shellcheck disable=SC2086 # patterns
    for name in ${BOX_GIT_SUITE:-$quick}; do
        (cd "$1/git/t" && printf '%s\n' $name*.sh)
    done | sed 's/\.sh$//' | sort -u
}

# results FOLDER: how each test ended; some say where.
results() { (cd "$1/ended" && grep -HE '^(ok|not ok|error|FATAL|# (passed|failed))' -- *) | sed "s,$1/,,g"; }

# run_both SCRIPT…: at once.
run_both() {
    local child host=$TEST_HOME/host box=$PROJECT/here
    (exec bash run-scripts "$host" "$@") 3>&- &
    child=$!
    box run -- bash run-scripts "$box" "$@"
    wait "$child"
    results "$host" >"$TEST_HOME/native"
    results "$box" >"$TEST_HOME/inside"
}

# The scripts with tests that ended differently.
differing() { diff "$TEST_HOME/native" "$TEST_HOME/inside" | sed -nE 's/^[<>] ([^:]+):.*/\1/p' | sort -u; }

@test "git: its own tests end in a box as they do on the host" {
    type apt-get make dpkg-source tcc >/dev/null || skip "without Debian's source packages"
    local host=$TEST_HOME/host names
    git_source "$host" >"$TEST_HOME/build.log" 2>&1 || fail "$(tail -n 20 "$TEST_HOME/build.log")"
    mkdir here
    cp -r "$host/git" here/git
    # The tests make bare repositories and hooks, and set what runs programs.
    trust_file '[protect]
repositories = false'
    write_program
    mapfile -t names < <(scripts here)
    box run -- true
    run_both "${names[@]}"
    echo "$(grep -c ':ok ' "$TEST_HOME/native") ok in ${#names[@]} scripts"
    [ "$(grep -c ':ok ' "$TEST_HOME/native")" -gt 200 ] || [ -n "${BOX_GIT_SUITE:-}" ]
    # What really differs does so again; some of git's tests want a quiet machine.
    mapfile -t names < <(differing)
    [ "${#names[@]}" = 0 ] || run_both "${names[@]}"
    diff -U 0 "$TEST_HOME/native" "$TEST_HOME/inside" || fail "they differ"
}
