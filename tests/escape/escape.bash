# Shared by the escape suite: one box a file, the attack program in its project, and assertions that
# fail when an attack succeeds or when its tool is broken.
# shellcheck shell=bash disable=SC2154 # bats sets status and output

load ../lib/box.bash

# The attack program: meson's, the newest if there are several builds; else compiled here.
attack_program() {
    local checkout program
    checkout=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    # shellcheck disable=SC2012 # build folders have plain names
    program=$(ls -t "$checkout"/build*/tests/escape/attack 2>/dev/null | head -n 1)
    if [ -z "$program" ]; then
        program=$BATS_FILE_TMPDIR/attack
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -I "$checkout/src" \
            "$checkout"/tests/escape/src/*.c -o "$program" || return
    fi
    echo "$program"
}

# For setup_file: an instance, a project with the attack program in it, and with START a running box.
escape_setup_file() {
    box_setup
    ATTACK=$(attack_program) || return
    cp "$ATTACK" "$PROJECT/attack"
    # A neighbour and secrets that no box may see.
    mkdir -p "$TEST_HOME/neighbour"
    echo "$SECRET" >"$TEST_HOME/neighbour/secret"
    export ATTACK
}
export SECRET=hunter2-of-the-host

# For setup_file of what attacks the guard: with a repository, a protected file, the races program, and
# TEXT more of configuration.
escape_setup_guarded() {
    escape_setup_file
    cd "$PROJECT" || return
    cp "$(dirname "$ATTACK")/races" races 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/races.c" -o races
    git init -q .
    mkdir .vscode
    echo '{}' >.vscode/tasks.json
    escape_config "[box]
idle_stop = \"never\"
${1:-}"
    box run -- true
}

# escape_config TEXT: the project's configuration, approved.
escape_config() {
    printf '%s\n' "$1" >"$PROJECT/litterbox.toml"
    box trust --yes >/dev/null
}

# For setup: tests of one file share the box.
escape_setup() {
    cd "$PROJECT" || return
}

# in_box COMMAND…: stdout and stderr of COMMAND alone, not what `box` says.
in_box() {
    in_box_as -- "$@"
}

# in_box_as [OPTION…] -- COMMAND…: with options of `box run`.
in_box_as() {
    box run "$@" 2> >(grep -v '^box: ' >&2)
}

# attack NAME [ARGUMENT…]: from inside the box, as the user.
attack() {
    run in_box ./attack "$@"
}

# attempt [--root] COMMAND [ARGUMENT…]: tries a shell command in the box, as its user or as root of the box, whatever
# comes of it. Fails unless the box ran it to its end: where the box has died, nothing is proved by what is not there.
attempt() {
    local as=()
    [ "$1" != --root ] || { as=(-u root) && shift; }
    # shellcheck disable=SC2016 # the box's shell expands these
    run in_box_as "${as[@]}" -- sh -c 'command=$1; shift; (eval "$command"); echo attempt ended' sh "$@"
    assert_status 0
    assert_contains "attempt ended"
}

# attack_as_root NAME [ARGUMENT…]: as root of the box, who may not enter the user's folders.
attack_as_root() {
    in_box sh -c 'test -x /tmp/attack || cp attack /tmp/attack'
    run box run -u root -- /tmp/attack "$@"
}

# The attack was answered with a no; status 2, a tool that does not work, proves nothing.
assert_refused() {
    [ "$status" = 1 ] || fail "not refused (status $status): $output"
    assert_contains refused
    [ -z "${1:-}" ] || assert_contains "refused: $1"
}

assert_succeeded() {
    [ "$status" = 0 ] || fail "the attack does not work where it should (status $status): $output"
}

# The box and the host are well: a new session starts.
assert_box_alive() {
    run box run -- echo alive
    assert_contains alive
}

# Host processes of ours that are still there.
pid_one() {
    podman_get "containers/$1/json" | jq .State.Pid
}

container_name() {
    containers | head -n 1
}

# no_controls FILE: what a terminal would act upon, other than newlines and what `box` prints itself.
assert_no_controls() {
    if LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xe2\x80[\x8b-\x8f]' \
        <<<"$output"; then
        fail "control characters in: $(printf '%q' "$output")"
    fi
}
