# Shared by all bats files: each test has its own instance and project
# and leaves nothing behind.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# The folder of the tests' own programs (tests/lib/*.c), of the newest meson build. Read once for each file.
if [ -z "${TEST_TOOLS-}" ]; then
    for program in "$BATS_TEST_DIRNAME"/../../build*/tests/lib/on-terminal; do
        [ "$program" -ot "${TEST_TOOLS-}" ] || TEST_TOOLS=$program
    done
    export TEST_TOOLS=${TEST_TOOLS%/*}
fi

# shellcheck source=tests/lib/wait.bash
. "$BATS_TEST_DIRNAME/../lib/wait.bash"

# All tests share one Podman service (podman_service.bash); tests of the service
# itself unset CONTAINER_HOST.
box_setup() {
    # Of the test's process, its number and the time: each test of a machine has its own.
    printf -v LITTERBOX_INSTANCE 't%06x%04x' $((($$ * 512 + ${BATS_TEST_NUMBER:-0}) & 0xffffff)) $((EPOCHSECONDS & 0xffff))
    export LITTERBOX_INSTANCE
    TEST_HOME=$HOME/litterbox-tests/$LITTERBOX_INSTANCE
    PROJECT=$TEST_HOME/shop
    mkdir -p "$PROJECT"
    cd "$PROJECT" || return
    DATA=${XDG_DATA_HOME:-$HOME/.local/share}/litterbox-$LITTERBOX_INSTANCE
    STATE=${XDG_STATE_HOME:-$HOME/.local/state}/litterbox-$LITTERBOX_INSTANCE
    CONFIG=${XDG_CONFIG_HOME:-$HOME/.config}/litterbox-$LITTERBOX_INSTANCE
    RUNTIME=$XDG_RUNTIME_DIR/litterbox-$LITTERBOX_INSTANCE
    export TEST_HOME PROJECT DATA STATE CONFIG RUNTIME
    project_setup
}

# A test's project is a plain folder, which a box needs to be told about. Files whose tests are about that replace this.
project_setup() {
    local said
    said=$(box init --no-file 2>&1) || fail "$said"
}

# project_forget: the test's project is a plain folder again.
project_forget() { rm -rf "$DATA/boxes/shop" "$DATA/projects"; }

# new_project FOLDER…: makes further projects, of plain folders.
new_project() {
    local folder
    for folder; do
        mkdir -p "$folder" && box init --no-file "$folder" 2>/dev/null || return
    done
}

# own_home: a home for this test or file alone, before its box_setup: others write the user's configuration, too.
# Whoever calls it removes $HOME at the end.
own_home() {
    export HOME=$HOME/litterbox-tests/home-${BATS_TEST_NUMBER:-file}-$$
    mkdir -p "$HOME/.config/git" "$HOME/.ssh"
    unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
}

# Prints the names of this test's containers, from the REST API.
containers() {
    podman_get "containers/json?all=true&filters=%7B%22label%22%3A%5B%22litterbox.instance%3D$LITTERBOX_INSTANCE%22%5D%7D" |
        grep -oP '"Names":\["\K[^"]+' || true # none
}

# podman_get PATH: GET of the libpod API.
podman_get() { "$TEST_TOOLS/podman-request" GET "$1"; }

# uri TEXT: prints it as a part of a path of that API. Without jq(1), which takes 25 ms to start.
uri() {
    local LC_ALL=C i
    for ((i = 0; i < ${#1}; i++)); do
        case ${1:i:1} in
        [a-zA-Z0-9._~-]) printf %s "${1:i:1}" ;;
        *) printf '%%%02X' "'${1:i:1}" ;;
        esac
    done
}

# podman_do METHOD PATH [BODY]: any other call; prints the reply and the status.
podman_do() { "$TEST_TOOLS/podman-request" --status "$@"; }

box_teardown() {
    local name
    cd "$HOME" || return
    for name in $(containers); do
        podman_do DELETE "containers/$name?force=true&timeout=0&volumes=true" >/dev/null
    done
    # What is just ending may still make a file there.
    eventually box_remove_files
}

# Overlays in a home contain files of subordinate uids.
box_remove_files() {
    rm -rf "$TEST_HOME" "$DATA" "$STATE" "$CONFIG" "$RUNTIME" 2>/dev/null ||
        env -u CONTAINER_HOST podman unshare rm -rf "$TEST_HOME" "$DATA" "$STATE" "$CONFIG" "$RUNTIME"
}

# Tests that kill a command before each of its calls take every third of them, and races a third of their rounds; all
# with BOX_TESTS_ALL.
TEST_STEP=${BOX_TESTS_ALL:+1}
TEST_STEP=${TEST_STEP:-3}
# How long a race against the guard goes on. Where nothing protects it is won within 0.1 s.
# shellcheck disable=SC2034 # tests use it
RACE_MS=$((2000 / TEST_STEP))

# trust_file TEXT: writes litterbox.toml and approves it.
trust_file() {
    printf '%s\n' "$1" >"$PROJECT/litterbox.toml"
    box trust --yes >/dev/null
}

# user_config TEXT: replaces the user's configuration.
user_config() { mkdir -p "$CONFIG" && printf '%s\n' "$1" >"$CONFIG/config.toml"; }

# on_terminal COMMAND…: runs it on a new pseudo terminal; its output goes to stdout.
on_terminal() {
    "$TEST_TOOLS/on-terminal" "$@"
}

# hosts_add LINE, hosts_remove DOMAIN: changes /etc/hosts, which the lab lets its user write, beside other files' tests.
hosts_add() { printf '%s\n' "$1" | flock "$HOME" tee -a /etc/hosts >/dev/null; }
hosts_remove() {
    # shellcheck disable=SC2016 # the inner shell expands these
    flock "$HOME" sh -c 'kept=$(grep -vF "$1" /etc/hosts) && printf "%s\n" "$kept" >/etc/hosts' sh "$1"
}

fail() {
    echo "$*" >&2
    return 1
}

assert_status() {
    # shellcheck disable=SC2154 # bats sets status and output
    [ "$status" = "$1" ] || fail "exit status $status, not $1: $output"
}

assert_output() {
    [ "$output" = "$1" ] || fail "output is '$output', not '$1'"
}

assert_contains() {
    [[ $output == *"$1"* ]] || fail "output lacks '$1': $output"
}

refute_contains() {
    [[ $output != *"$1"* ]] || fail "output has '$1': $output"
}

# supervisor_pid FOLDER HELPER: the process that holds the helper's lock (host/supervisor/helper_lock.h).
supervisor_pid() { "$TEST_TOOLS/lock-holder" "$1/$2.lock"; }

# worker_pid FOLDER HELPER: the helper's worker; under systemd it is the only process.
worker_pid() {
    local pid
    pid=$(supervisor_pid "$1" "$2")
    if [ "$(cat "/proc/${pid:-0}/comm" 2>/dev/null)" = box-supervisor ]; then
        pgrep -P "$pid" | head -n 1
    else
        echo "$pid"
    fi
}

# helper_kill FOLDER HELPER: sends SIGKILL to both and waits until they are gone.
helper_kill() {
    local supervisor worker
    supervisor=$(supervisor_pid "$1" "$2")
    worker=$(worker_pid "$1" "$2")
    kill -KILL "$supervisor" || return
    eventually process_ended "$supervisor"
    [ -z "$worker" ] || eventually process_ended "$worker"
}

has_landlock() {
    python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)'
}

# waits_for_lock PID: it waits for a lock of flock(2).
waits_for_lock() { grep -q -- "-> FLOCK .* $1 " /proc/locks; }
