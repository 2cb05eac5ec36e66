# An interactive terminal that tests type into and read.
# shellcheck shell=bash

# in_tmux COMMAND: runs it in an interactive terminal of 80 x 24; its exit status is in $TEST_HOME/ended.
in_tmux() {
    rm -f "$TEST_HOME/ended"
    tmux -S "$TEST_HOME/tmux" -f /dev/null new-session -d -x 80 -y 24 "$1; echo \$? >$TEST_HOME/ended" 3>&-
}
screen() { tmux -S "$TEST_HOME/tmux" capture-pane -p; }
type_keys() { tmux -S "$TEST_HOME/tmux" send-keys "$@"; }
shows() { screen | grep -q -- "$1"; }
tmux_ended() { [ -s "$TEST_HOME/ended" ]; }
tmux_end() { [ ! -S "$TEST_HOME/tmux" ] || tmux -S "$TEST_HOME/tmux" kill-server 2>/dev/null || true; }
