# The window of litterbox-prompt, as a person sees and uses it. Sourced after display.bash, and after sway.bash where
# the display is sway's.
# shellcheck shell=bash disable=SC2120,SC2154 # ui and python are display.bash's

at_spi() { "$python" "$ui/at_spi.py" "$@"; }

# prompt_windows [TITLE]: the numbers of those windows whose title matches that, a line each.
prompt_windows() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then
        swaymsg -t get_tree | jq --arg title "${1:-}" \
            '.. | objects | select(.app_id? == "litterbox-prompt" and (.name | test($title))) | .id'
    else
        if [ -n "${1:-}" ]; then set -- --name "$1"; else set -- --class '^litterbox-prompt$'; fi
        xdotool search --onlyvisible "$@"
    fi
}
has_prompt() {
    local found
    found=$(prompt_windows "$@" 2>/dev/null) && [ -n "$found" ]
}
# A search that fails because a window goes away meanwhile says so, and has not shown that there is none.
no_prompt() { [ -z "$(prompt_windows "$@" 2>&1)" ]; }

# prompt_appears [TITLE]: waits for the window, and gives it the keyboard as a window manager would. Its number: $window.
prompt_appears() {
    eventually has_prompt "$@"
    window=$(prompt_windows "$@" | head -n 1)
    focus "$window"
}

focus() { # WINDOW
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then swaymsg -q "[con_id=$1] focus"; else xdotool windowfocus "$1"; fi
}
# On X11: takes the keyboard away, for as long as nobody gives it back. Without a window manager the window below the
# pointer has a focus of sorts, so the pointer goes, too.
unfocus() {
    xdotool mousemove 0 0
    focus "$(xdotool search --maxdepth 0 '.*' 2>/dev/null | head -n 1)"
    at_spi wait inactive
}

# Waits until a yes counts: the window has the keyboard, and the click guard's delay has ended.
accepting() { at_spi wait active open; }

# On X11: moves the pointer to the button, or what else ROLE says, of that name.
point_at() { # NAME [ROLE]
    local at
    at=$(at_spi where "${2:-push button}" "$1") || return
    # shellcheck disable=SC2086 # X and Y
    xdotool mousemove $at
}

# On X11: clicks on that, as soon as a yes counts.
click() { # NAME [ROLE]
    accepting
    point_at "$@"
    xdotool click 1
}
