# The first frame of window editors by 'box edit' in a running box, and by themselves. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, work, project, config, compare

# shellcheck source=tests/prompt/sway.bash
. "$here/../prompt/sway.bash"

editors() {
    local editor runtime=$XDG_RUNTIME_DIR m
    unset DISPLAY
    XDG_RUNTIME_DIR=$work/sway
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sway_start
    WAYLAND_DISPLAY=$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY
    XDG_RUNTIME_DIR=$runtime
    mkdir -p "$config"
    printf '#!/bin/sh\nexec box edit %s\n' "$project/frame.txt" >"$work/edit"
    for editor in featherpad geany emacs; do
        command -v "$editor" >/dev/null || { echo "frame-$editor: not here" >&2 && continue; }
        printf '#!/bin/sh\nexec %s %s\n' "$editor" "$project/frame.txt" >"$work/native"
        chmod +x "$work/edit" "$work/native"
        echo text >"$project/frame.txt"
        printf '[editor]\ncommand = "%s"\n' "$editor" >"$config/config.toml"
        box restart 2>/dev/null
        mapfile -t m < <(python3 "$here/frame.py" 15 "$work/edit" "$work/native")
        compare "frame-of-$editor-vs-native" 1.1 "${m[@]}"
    done
    kill "$sway"
    unset WAYLAND_DISPLAY SWAYSOCK
    rm -f "$config/config.toml"
}
