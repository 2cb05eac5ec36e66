# The window of litterbox-prompt, as a person uses it. Source it after display.bash, and after sway.bash for a display
# of sway's.
# shellcheck shell=bash disable=SC2120,SC2154 # ui and python are display.bash's

# at_spi ORDER…: gives an order to at_spi.py, a screen reader that runs for the rest of the test. The first order must
# not come from a subshell, as a test ends only what its own shell has started.
at_spi() {
    local reply='' lines
    [ -p "$TEST_HOME/reader-orders" ] || reader_start
    eventually test -e "$TEST_HOME/reader-said" || { cat "$TEST_HOME/reader.err" >&2; return 1; }
    # Opened for reading and writing, so that neither blocks when at_spi.py has ended.
    { printf '%s\t' "${PROMPT_PID:-}" "$@" && echo; } 1<>"$TEST_HOME/reader-orders"
    read -r -t 60 reply <>"$TEST_HOME/reader-done" || reply="1 no reply: $(cat "$TEST_HOME/reader.err")"
    mapfile lines <"$TEST_HOME/reader-said"
    printf %s "${lines[@]}"
    [ "${reply%% *}" = 0 ] || { echo "at_spi: ${reply#* }" >&2; return 1; }
}

# reader_start: does not wait, so that it starts beside other programs. Best before the first window: in a busy run a
# prompt that came just when another one had started the registry of the accessibility bus was not on that bus.
reader_start() {
    mkfifo "$TEST_HOME/reader-orders" "$TEST_HOME/reader-done"
    in_background "$TEST_HOME/reader" "$python" "$ui/at_spi.py" serve "$TEST_HOME"/reader-{orders,done,said}
}

# prompt_windows [TITLE]: prints the numbers of the windows whose title matches, a line each.
prompt_windows() {
    local tree
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then
        tree=$(swaymsg -t get_tree) || return
        # Most looks find none, and jq takes long to start.
        [[ $tree == *litterbox-prompt* ]] || return 0
        jq --arg title "${1:-}" \
            '.. | objects | select(.app_id? == "litterbox-prompt" and (.name | test($title))) | .id' <<<"$tree"
    else
        if [ -n "${1:-}" ]; then set -- --name "$1"; else set -- --class '^litterbox-prompt$'; fi
        xdotool search --onlyvisible "$@"
    fi
}
# Sets $found to their numbers.
has_prompt() { found=$(prompt_windows "$@" 2>/dev/null) && [ -n "$found" ]; }
# A search that fails because a window closes meanwhile prints an error, so it does not count as none.
no_prompt() { [ -z "$(prompt_windows "$@" 2>&1)" ]; }

# prompt_appears [TITLE]: waits for the window, and focuses it as a window manager would. Sets $window, its number.
prompt_appears() {
    eventually has_prompt "$@"
    window=${found%%$'\n'*}
    focus "$window"
}

focus() { # WINDOW
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then swaymsg -q "[con_id=$1] focus"; else xdotool windowfocus "$1"; fi
}
# On X11: takes the focus away. Without a window manager GTK treats the window below the pointer as focused, so the
# pointer moves away, too.
unfocus() {
    xdotool mousemove 0 0
    focus "$(xdotool search --maxdepth 0 '.*' 2>/dev/null | head -n 1)"
    at_spi wait inactive
}

# Waits until approvals count: the window has the focus, and the click guard's delay has ended.
accepting() { at_spi wait active open; }

# On X11: moves the pointer to the button, or other widget of that ROLE, with that name.
point_at() { # NAME [ROLE]
    local at
    at=$(at_spi where "${2:-push button}" "$1") || return
    # shellcheck disable=SC2086 # X and Y
    xdotool mousemove $at
}

# On X11: clicks on it, as soon as approvals count.
click() { # NAME [ROLE]
    accepting
    point_at "$@"
    xdotool click 1
}

# The fields of a question that are the same for every box and key.
words_of() { # FILTER
    jq -S "$1"' | {kind, headline, verdict, verdict_text, choices: (.choices // []), mute, known: [.known[]? | [.label, keys]],
        claimed: [.claimed[]?.label], chain: [.chain[0]? // {} | keys], keys: [.keys[0]? // {} | keys]}'
}

# The states that the other tests and the pictures use look like real questions.
like_picture() { # STATE
    diff -u <(words_of . <"$states/$1.json") <(box consent pending --json | words_of '.[0]') >&2
}
