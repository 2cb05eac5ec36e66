# For tests of the SSH agent: a real agent with keys, and answers to questions.
# shellcheck shell=bash disable=SC2154 # bats sets status and output

# ssh_setup [KEY…]: starts a real agent with keys of these names (default: work and other).
ssh_setup() {
    KEYS=$TEST_HOME/keys
    mkdir -p "$KEYS" "$CONFIG/boxes"
    unset DISPLAY WAYLAND_DISPLAY
    # shellcheck disable=SC2119 # without options
    real_agent_start
    local name
    for name in "${@:-work}"; do
        ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$KEYS/$name"
        ssh-add -q "$KEYS/$name"
    done
    export KEYS
}

# agent_setup, agent_teardown: a box, and a real agent with two keys of which one is attached to it.
agent_setup() {
    box_setup
    ssh_setup work other
    attach work
}
agent_teardown() {
    ssh_teardown
    box_teardown
}

# real_agent_start [OPTION…]: the user's own ssh-agent.
# shellcheck disable=SC2120 # agent_sk.bats has options
real_agent_start() {
    export SSH_AUTH_SOCK=$TEST_HOME/real.sock
    rm -f "$SSH_AUTH_SOCK"
    ssh-agent -D -a "$SSH_AUTH_SOCK" "$@" >/dev/null 3>&- 4>&- &
    REAL_AGENT=$!
    export REAL_AGENT
    # Status 1: it answers and has no keys.
    eventually sh -c 'ssh-add -l >/dev/null 2>&1; [ $? = 1 ]'
}

ssh_teardown() {
    [ -z "${ANSWERER:-}" ] || kill "$ANSWERER" 2>/dev/null || true
    [ -z "${SSHD:-}" ] || kill "$SSHD" 2>/dev/null || true
    # With CONT, as a test that has failed may have stopped it.
    [ -z "${REAL_AGENT:-}" ] || { kill "$REAL_AGENT" && kill -CONT "$REAL_AGENT"; } 2>/dev/null || true
    local pid
    pid=$(agent_supervisor)
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
}

# attach KEY…: sets [ssh] keys in the user's configuration.
attach() {
    local list
    list=$(printf '"%s", ' "$@")
    printf '[ssh]\nkeys = [%s]\n%s\n' "${list%, }" "${SSH_CONFIG:-}" >"$CONFIG/config.toml"
}

# The PIDs of this test's agent and its supervisor. Under systemd both are the same.
agent_pid() { worker_pid "$RUNTIME/.agent" agent; }
agent_supervisor() { supervisor_pid "$RUNTIME/.agent" agent; }

no_agent() { [ -z "$(agent_pid)" ]; }
agent_is_there() { [ -n "$(agent_pid)" ]; }

# Sends SIGKILL to the agent and its supervisor, and waits until they are gone.
agent_kill() { helper_kill "$RUNTIME/.agent" agent; }

# agent_say JSON: one request to the control socket; prints the answer.
agent_say() {
    python3 - "$RUNTIME/.agent/control" "$1" <<'PY'
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
os.chdir(os.path.dirname(sys.argv[1]))
s.connect("control")
s.sendall(sys.argv[2].encode() + b"\n")
sys.stdout.write(s.makefile().readline())
PY
}

# Copies the agent test client (agent_client.py) to the project.
agent_client() { cp "$BATS_TEST_DIRNAME/../lib/agent_client.py" "$PROJECT/client.py"; }

pending_ids() {
    local said
    said=$(box consent pending --json 2>/dev/null)
    # Most looks find none, and jq takes long to start.
    [[ $said != *'"id"'* ]] || jq -r '.[].id' <<<"$said"
}
has_pending() { [ -n "$(pending_ids)" ]; }
no_pending() { ! has_pending; }

# answer CHOICE: waits for a question and answers it; "deny" is also a choice.
answer() {
    eventually has_pending || return 1
    local id
    id=$(pending_ids | head -n 1)
    case $1 in
    deny) box consent deny "$id" ;;
    *) box consent approve "$id" "$1" ;;
    esac
}

# answer_all CHOICE: answers each question with CHOICE in the background until the test ends.
answer_all() {
    while :; do
        for id in $(pending_ids); do
            pending_ids >/dev/null
            box consent approve "$id" "$1" 2>/dev/null
            echo "$id" >>"$TEST_HOME/answered"
        done
        sleep 0.1
    done >/dev/null 2>&1 3>&- 4>&- &
    ANSWERER=$!
}

# sshd_start HOSTKEYTYPE [OPTION…]: starts an sshd as the user on a free loopback port
# ($SSHD_PORT) that accepts the key "work".
sshd_start() {
    local type=$1 dir=$TEST_HOME/sshd
    shift
    mkdir -p "$dir"
    : >"$dir/log"
    ssh-keygen -q -t "$type" -N '' -f "$dir/host"
    cp "$KEYS/work.pub" "$dir/authorized"
    SSHD_PORT=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
    {
        printf '%s\n' "Port $SSHD_PORT" 'ListenAddress 127.0.0.1' "HostKey $dir/host" \
            "AuthorizedKeysFile $dir/authorized" 'StrictModes no' 'UsePAM no' "PidFile $dir/pid" \
            'PasswordAuthentication no' 'LogLevel DEBUG1' 'Subsystem sftp internal-sftp'
        printf '%s\n' "$@"
    } >"$dir/config"
    "$(command -v sshd || echo /usr/sbin/sshd)" -D -e -f "$dir/config" 2>>"$dir/log" 3>&- 4>&- &
    SSHD=$!
    eventually grep -q "Server listening" "$dir/log"
    export SSHD_PORT SSHD
}

# ssh_to_sshd [HOSTKEYTYPE [OPTION…]]: prepares ssh to such an sshd: the box shares the host's
# loopback, known_hosts has the host, and ssh_config calls it "far".
ssh_to_sshd() {
    sshd_start "${1:-ed25519}" "${@:2}"
    mkdir -p "$HOME/.ssh"
    printf '[127.0.0.1]:%s %s\n' "$SSHD_PORT" "$(cut -d' ' -f1-2 "$TEST_HOME/sshd/host.pub")" \
        >>"$HOME/.ssh/known_hosts"
    printf '[network]\nmode = "host"\n' >>"$CONFIG/boxes/shop.toml"
    cat >ssh_config <<CONF
Host far jump
    HostName 127.0.0.1
    Port $SSHD_PORT
    User $(id -un)
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
CONF
}

# fingerprint KEY: as ssh-keygen -l shows it.
fingerprint() { ssh-keygen -lf "$KEYS/$1.pub" | cut -d' ' -f2; }

# sign_in_box NAMESPACE: signs with the first key in the background; the status is in "ended".
sign_in_box() {
    OUT=signature
    ended_in_box sh -c "ssh-add -L >k.pub; echo hello | ssh-keygen -q -Y sign -f k.pub -n '$1'"
}

# start_in_box COMMAND…: runs it in the background; output in "out" and "error", status in "ended".
start_in_box() {
    rm -f ended "${OUT:-out}" error
    ended_in_box "$@" &
}

ended_in_box() {
    local code
    box run -- "$@" >"${OUT:-out}" 2>error 3>&- && code=0 || code=$?
    echo "$code" >ended
}
