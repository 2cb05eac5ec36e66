# An interactive terminal that tests type into and read.
# shellcheck shell=bash

# in_tmux COMMAND: runs it in an interactive terminal of 80 x 24; its exit status is in $TEST_HOME/ended. A server of
# its own: the last one may still be about to exit, and would take this session along.
in_tmux() {
    rm -f "$TEST_HOME/ended"
    TMUX_SOCKET=$(mktemp -u "$TEST_HOME/tmux.XXXXXX")
    tmux -S "$TMUX_SOCKET" -f /dev/null new-session -d -x 80 -y 24 "$1; echo \$? >$TEST_HOME/ended" 3>&-
}
screen() { tmux -S "$TMUX_SOCKET" capture-pane -p; }
type_keys() { tmux -S "$TMUX_SOCKET" send-keys "$@"; }
shows() { screen | grep -q -- "$1"; }
tmux_ended() { [ -s "$TEST_HOME/ended" ]; }
tmux_end() { [ ! -S "${TMUX_SOCKET:-}" ] || tmux -S "$TMUX_SOCKET" kill-server 2>/dev/null || true; }
