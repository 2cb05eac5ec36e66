# A desktop with settings for its appearance, on the test's own compositor.
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # set elsewhere

# shellcheck source=tests/desktop/desktop.bash
. "$BATS_TEST_DIRNAME/../desktop/desktop.bash"

# Puts the user's configuration and data into folders of the test, with a font that only they have.
appearance_begin() {
    export XDG_CONFIG_HOME=$TEST_HOME/config XDG_DATA_HOME=$TEST_HOME/data
    CONFIG=$XDG_CONFIG_HOME/litterbox-$LITTERBOX_INSTANCE
    DATA=$XDG_DATA_HOME/litterbox-$LITTERBOX_INSTANCE
    mkdir -p "$CONFIG" "$XDG_DATA_HOME/fonts" "$XDG_DATA_HOME/themes/Stripes/gtk-3.0" \
        "$XDG_DATA_HOME/icons/Dots" "$XDG_CONFIG_HOME/gtk-3.0"
    cp /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf "$XDG_DATA_HOME/fonts/only-mine.ttf"
    printf '[Icon Theme]\nName=Dots\nDirectories=\n' >"$XDG_DATA_HOME/icons/Dots/index.theme"
    printf 'window, .background { background-color: #204060; }\n' >"$XDG_DATA_HOME/themes/Stripes/gtk-3.0/gtk.css"
    desktop_begin
    # Debian 12's compositor has no security contexts.
    [ "${LAB_PODMAN:-}" = 5 ] || appearance_keys='wayland = "plain"'
    project_setup # known in this data folder, too
    configure_appearance ""
}
appearance_end() {
    ui_end
    box stop 2>/dev/null || true
    desktop_end
}
configure_appearance() { configure "[desktop]\n${appearance_keys:-}\n$1"; } # LINES

# set_desktop KEY VALUE …: sets keys through the dconf service, on a bus of its own.
set_desktop() {
    dbus-run-session -- /usr/bin/python3 "$BATS_TEST_DIRNAME/set_desktop.py" "$@" >"$TEST_HOME/dconf.log" 2>&1 3>/dev/null 4>/dev/null </dev/null ||
        fail "$(cat "$TEST_HOME/dconf.log")"
    [ -s "$XDG_CONFIG_HOME/dconf/user" ]
}

gtk_appearance() { # [COMMAND…]: runs gtk_appearance.py in the box, by COMMAND; its output goes to $output
    cp "$BATS_TEST_DIRNAME/gtk_appearance.py" .gtk_appearance.py
    run --separate-stderr box run -- "$@" /usr/bin/python3 .gtk_appearance.py
    assert_status 0
}
says() { # LINE…: $output has each of these lines
    local line
    for line in "$@"; do
        grep -qxF -- "$line" <<<"$output" || fail "no '$line' in: $output $stderr"
    done
}
