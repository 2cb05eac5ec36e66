# Shared by the escape suite: one box for each file, the attack program in its project, and assertions that
# fail when an attack succeeds or when its tool is broken.
# shellcheck shell=bash disable=SC2154 # bats sets status and output

load ../lib/box.bash

# The attack program from the newest meson build; without one it is compiled here.
attack_program() {
    local checkout program
    checkout=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    # shellcheck disable=SC2012 # build folders have plain names
    program=$(ls -t "$checkout"/build*/tests/escape/attack 2>/dev/null | head -n 1)
    if [ -z "$program" ]; then
        program=$BATS_FILE_TMPDIR/attack
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -I "$checkout/src" \
            "$checkout"/tests/escape/src/{main,calls,processes,files,sockets,terminal}.c -o "$program" || return
    fi
    echo "$program"
}

# For setup_file: an instance and a project with the attack program in it.
escape_setup_file() {
    box_setup
    ATTACK=$(attack_program) || return
    cp "$ATTACK" "$PROJECT/attack"
    # A neighbour with a secret that no box may see.
    mkdir -p "$TEST_HOME/neighbour"
    echo "$SECRET" >"$TEST_HOME/neighbour/secret"
    export ATTACK
}
export SECRET=hunter2-of-the-host

# For setup_file of attacks on a network: the same with OWN, an address of the host for servers. The lab gives its user
# /etc/hosts and the ports from 22.
escape_setup_network() {
    # Bats 1.8 takes a skip here for a failure; tests/run leaves out such files.
    [ -w /etc/hosts ] || fail "needs a host whose /etc/hosts the user may write, such as the lab" || return
    escape_setup_file
    OWN=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    export OWN
}

# For setup_file of attacks on the guard: also a repository, a protected file, the races program, and
# the additional configuration TEXT.
escape_setup_guarded() {
    escape_setup_file
    cd "$PROJECT" || return
    cp "$(dirname "$ATTACK")/races" races 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -O1 -static -pthread "$BATS_TEST_DIRNAME/src/races.c" -o races
    git init -q .
    mkdir .vscode
    echo '{}' >.vscode/tasks.json
    echo set number >.exrc
    escape_config "[box]
idle_stop = \"never\"
${1:-}"
    box run -- true
}

# escape_config TEXT: writes and approves the project's configuration.
escape_config() {
    printf '%s\n' "$1" >"$PROJECT/litterbox.toml"
    box trust --yes >/dev/null
}

# For setup: tests of one file share the box.
escape_setup() {
    cd "$PROJECT" || return
}

# in_box COMMAND…: prints stdout and stderr of COMMAND without messages of `box`.
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

# attempt [--root] COMMAND [ARGUMENT…]: runs a shell command in the box, as its user or as root of the box, and ignores
# its status. Fails unless the box ran it to its end, because a missing file proves nothing if the box has died.
attempt() {
    local as=()
    [ "$1" != --root ] || { as=(-u root) && shift; }
    # shellcheck disable=SC2016 # the box's shell expands these
    run in_box_as "${as[@]}" -- sh -c 'command=$1; shift; (eval "$command"); echo attempt ended' sh "$@"
    assert_status 0
    assert_contains "attempt ended"
}

# attack_as_root NAME [ARGUMENT…]: as root of the box, which may not enter the user's folders.
attack_as_root() {
    in_box sh -c 'test -x /tmp/attack || cp attack /tmp/attack'
    run box run -u root -- /tmp/attack "$@"
}

# Asserts that the attack was refused. Status 2, a tool that does not work, proves nothing.
assert_refused() {
    [ "$status" = 1 ] || fail "not refused (status $status): $output"
    assert_contains refused
    [ -z "${1:-}" ] || assert_contains "refused: $1"
}

assert_succeeded() {
    [ "$status" = 0 ] || fail "the attack does not work where it should (status $status): $output"
}

# Asserts that a new session starts.
assert_box_alive() {
    run box run -- echo alive
    assert_contains alive
}

# Prints the host processes of this test that are still running.
pid_one() {
    podman_get "containers/$1/json" | jq .State.Pid
}

# has_few_processes COUNT: less than so many are seen in the box.
has_few_processes() { [ "$(in_box sh -c 'ls -d /proc/[0-9]* | wc -l')" -lt "$1" ]; }

container_name() {
    containers | head -n 1
}

# The guard of the user's sessions, as the host sees it.
user_guard() { pgrep -u "$(id -u)" -P "$(pid_one "$(container_name)")" -x box-guard; }
# The guards of the box, and these with their workers, as the host sees them.
guard_leaders() { pgrep -x box-guard -P "$(pid_one "$(container_name)")"; }
guards() { pgrep -x box-guard -s "$(guard_leaders | paste -sd,)"; }

# no_controls FILE: asserts that FILE has no control characters but newlines and those that `box` prints.
assert_no_controls() {
    if LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xe2\x80[\x8b-\x8f]' \
        <<<"$output"; then
        fail "control characters in: $(printf '%q' "$output")"
    fi
}

# serve ADDRESS TEXT FILE: a TCP service that says TEXT to all. Its port is in FILE, its process in SERVICE.
serve() {
    rm -f "$3"
    python3 -u -c '
import socket, sys
s = socket.create_server((sys.argv[1], 0))
print(s.getsockname()[1])
while True:
    line, _ = s.accept()
    try:
        line.sendall(sys.argv[2].encode())
    except OSError:
        pass # the client has gone
    line.close()' "$1" "$2" >"$3" 3>&- &
    # shellcheck disable=SC2034 # the caller ends it
    SERVICE=$!
    eventually test -s "$3"
}
