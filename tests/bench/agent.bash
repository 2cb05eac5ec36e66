# The SSH agent: its speed, its memory, its window. Sourced by inside.
# shellcheck shell=bash disable=SC2034,SC2154 # here, work, config; cleanup ends display and real_agent

# The real SSH agent asked through ours, with a grant, and directly; what idle connections cost; how long
# a question takes to the screen.
agent() {
    local m ours=$XDG_RUNTIME_DIR/litterbox-$LITTERBOX_INSTANCE/.agent/boxes/shop/socket
    agent_start
    client sign "$work/key.pub" git &
    until box consent approve "$(box consent pending --json | jq -r '.[0].id')" 15m 2>/dev/null; do sleep 0.1; done
    wait $!
    mapfile -t m < <(python3 "$here/agent.py" "$ours" "$SSH_AUTH_SOCK" "$work/key.pub")
    # shellcheck disable=SC2086 # a line holds two numbers
    {
        difference agent-list-vs-real-agent-ms 0.2 ${m[0]}
        difference agent-sign-with-grant-vs-real-agent-ms 0.2 ${m[1]}
    }
    at_most agent-1000-connections-KiB 20000 "$(connections)"
    at_most question-to-window-ms 250 "$(for _ in $(seq 15); do window; done | sort -n | sed -n 8p)"
}

# A real agent with a key, a display, and the box anew so that it has both.
agent_start() {
    export SSH_AUTH_SOCK=$work/real.sock
    ssh-keygen -q -t ed25519 -N '' -C bench -f "$work/key"
    ssh-agent -D -a "$SSH_AUTH_SOCK" >/dev/null 2>&1 &
    real_agent=$!
    until ssh-add -q "$work/key" 2>/dev/null; do sleep 0.1; done
    Xvfb -displayfd 1 -screen 0 1280x720x24 -nolisten tcp -noreset >"$work/display" 2>/dev/null &
    display=$!
    until [ -s "$work/display" ]; do sleep 0.1; done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY NO_AT_BRIDGE=1
    mkdir -p "$config"
    printf '[ssh]\nkeys = ["bench"]\ngrant_uses = 100000\n' >"$config/config.toml"
    box stop 2>/dev/null
    box run -- true 2>/dev/null
}

client() { python3 "$here/../lib/agent_client.py" --socket "$ours" "$@" >/dev/null; }

# Resident KiB that our agent has more with 1,000 idle connections.
connections() {
    local pid before
    pid=$(pgrep -u "$(id -u)" -x litterbox-ssh-a)
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    (ulimit -n 4096 && exec python3 "$here/../lib/agent_client.py" --socket "$ours" hold 1000 "$ours" 5) >"$work/held" &
    until [ -s "$work/held" ]; do sleep 0.1; done
    echo $(($(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") - before))
    wait $!
}

# Milliseconds from a request to its window. It is answered then: a box whose windows come and go without a yes
# is soon not listened to any more.
window() {
    local begin=$EPOCHREALTIME find=(xdotool search --onlyvisible --class '^litterbox-prompt$')
    python3 "$here/../lib/agent_client.py" --socket "$ours" sign "$work/key.pub" file >/dev/null 2>&1 &
    until "${find[@]}" >/dev/null 2>&1; do
        kill -0 $! 2>/dev/null || { echo "the request ended without a window" >&2 && return 1; }
    done
    echo $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
    box consent approve "$(box consent pending --json | jq -r '.[0].id')"
    wait $!
    while "${find[@]}" >/dev/null 2>&1; do sleep 0.05; done
}
