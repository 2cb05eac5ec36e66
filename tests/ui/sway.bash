# A headless Wayland compositor. Sway does not run as root.
# shellcheck shell=bash disable=SC2034 # sway is for those who source this

# shellcheck source=tests/lib/wait.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../lib/wait.bash"

# In $XDG_RUNTIME_DIR; sets $sway (its pid), WAYLAND_DISPLAY and SWAYSOCK.
sway_start() {
    cat >"$XDG_RUNTIME_DIR/config" <<END
output HEADLESS-1 resolution 1280x720 background #3d4f60 solid_color
default_floating_border none
xwayland disable
exec echo "\$WAYLAND_DISPLAY" >"$XDG_RUNTIME_DIR/display"
END
    WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 \
        sway -c "$XDG_RUNTIME_DIR/config" >"$XDG_RUNTIME_DIR/log" 2>&1 3>&- 4>&- </dev/null &
    sway=$!
    eventually test -s "$XDG_RUNTIME_DIR/display" || { cat "$XDG_RUNTIME_DIR/log" >&2; return 1; }
    WAYLAND_DISPLAY=$(cat "$XDG_RUNTIME_DIR/display")
    SWAYSOCK=$(echo "$XDG_RUNTIME_DIR"/sway-ipc.*)
    unset DISPLAY
    export WAYLAND_DISPLAY SWAYSOCK
}

# The prompt's rectangle, "X,Y WIDTHxHEIGHT", MARGIN wider on each side; nothing when it is not there.
sway_window() { # MARGIN
    swaymsg -t get_tree | jq -r --argjson margin "$1" '.. | objects | select(.app_id == "litterbox-prompt") | .rect
        | "\(.x - $margin),\(.y - $margin) \(.width + 2 * $margin)x\(.height + 2 * $margin)"'
}
