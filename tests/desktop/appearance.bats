#!/usr/bin/env bats
# Programs in a box have the appearance of the user's desktop.
# shellcheck disable=SC2154 # bats and appearance.bash set what is used

load ../lib/box.bash
load ../lib/image.bash
load appearance.bash

setup() {
    box_setup
    appearance_begin
}
teardown() {
    appearance_end
    remove_built_images
    box_teardown
}

everything() {
    set_desktop gtk-theme Stripes icon-theme Dots cursor-theme Adwaita cursor-size 48 font-name 'DejaVu Sans 13' \
        monospace-font-name 'DejaVu Sans Mono 12' text-scaling-factor 1.25 color-scheme prefer-dark enable-animations false
}
says_everything() {
    says "theme-name Stripes" "icon-theme-name Dots" "cursor-theme-name Adwaita" "cursor-theme-size 48" \
        "font-name DejaVu Sans 13" "application-prefer-dark-theme True" "enable-animations False" \
        "${1:-xft-dpi 122880}"
}

@test "appearance: GTK in a box has the settings of the user's desktop" {
    everything
    mkdir "$XDG_CONFIG_HOME/fontconfig"
    printf '<fontconfig><alias><family>Nobodys</family><prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>' \
        >"$XDG_CONFIG_HOME/fontconfig/fonts.conf"
    gtk_appearance
    says_everything
    says "scheme prefer-dark" "monospace DejaVu Sans Mono 12"
    run --separate-stderr box run -- sh -c 'echo "$XCURSOR_THEME $XCURSOR_SIZE"; fc-list : file; fc-match Nobodys family'
    assert_contains "Adwaita 48"
    assert_contains "DejaVu Sans Mono"
    assert_contains /run/litterbox/share/user/fonts/only-mine.ttf
    # Files in the box's home override them.
    box run -- sh -c 'mkdir -p ~/.local/share/fonts ~/.config/gtk-3.0 && cp /run/litterbox/share/user/fonts/only-mine.ttf ~/.local/share/fonts/boxes-own.ttf &&
        printf "[Settings]\ngtk-application-prefer-dark-theme=0\n" >~/.config/gtk-3.0/settings.ini'
    run --separate-stderr box run -- fc-list : file
    assert_contains boxes-own.ttf
    gtk_appearance
    says "application-prefer-dark-theme False" "theme-name Stripes"
    [ ! -e "$XDG_DATA_HOME/fonts/boxes-own.ttf" ]
}

@test "appearance: without GNOME's settings GTK's file counts, and KDE's colours are used" {
    printf '[Settings]\ngtk-theme-name=Stripes\ngtk-cursor-theme-size=36\ngtk-application-prefer-dark-theme=1\ngtk-decoration-layout=close:\n' \
        >"$XDG_CONFIG_HOME/gtk-3.0/settings.ini"
    printf '[Colors:View]\nBackgroundNormal=1,2,3\n[KFileDialog Settings]\nRecent=secret\n' >"$XDG_CONFIG_HOME/kdeglobals"
    gtk_appearance
    says "theme-name Stripes" "cursor-theme-size 36" "application-prefer-dark-theme True" "decoration-layout close:"
    run --separate-stderr box run -- sh -c 'cat /run/litterbox/appearance/config/kdeglobals; echo "$XDG_CONFIG_DIRS"'
    assert_output "[Colors:View]"$'\n'"BackgroundNormal=1,2,3"$'\n'/run/litterbox/appearance/config:/etc/xdg:/run/litterbox/appearance/config
}

@test "appearance: X11 programs get the same settings from GTK's file" {
    everything
    configure_appearance 'x11 = "nested"'
    gtk_appearance env GDK_BACKEND=x11
    # GTK takes the text size only from the X server, which does not know it.
    says_everything "xft-dpi 98304"
}

# Prints the colour at $at: red, green and blue, from 0 to 255.
pixel() { grim -g "$at" -t ppm - | tail -c 3 | od -An -tu1 | xargs; }
# TRUE when the colour at $at is not the desktop's background.
painted() { [ "$(pixel)" != "61 79 96" ]; }
# Prints the colour in the middle of the window that gtk_appearance.py opens in the box.
shows() {
    local program at
    cp "$BATS_TEST_DIRNAME/gtk_appearance.py" .gtk_appearance.py
    box run -- /usr/bin/python3 .gtk_appearance.py 100 >/dev/null 2>&1 3>&- &
    program=$!
    eventually has_window appearance
    at=$(swaymsg -t get_tree | jq -r '.. | objects | select(.name? == "appearance" and .pid?) | .rect | "\(.x + 200),\(.y + 200) 1x1"')
    eventually painted
    pixel
    swaymsg -q '[app_id=.*] kill'
    wait "$program"
}

@test "appearance: a window is as dark as the desktop" {
    set_desktop gtk-theme Stripes
    run --separate-stderr shows
    assert_output "32 64 96"
    box stop
    set_desktop gtk-theme Adwaita
    run --separate-stderr shows
    [ "${output%% *}" -gt 200 ] || fail "not light: $output"
    box stop
    set_desktop color-scheme prefer-dark
    run --separate-stderr shows
    [ "${output%% *}" -lt 80 ] || fail "not dark: $output"
}

@test "appearance: a change applies at the next start, and in variables at the next session" {
    set_desktop gtk-theme Stripes
    gtk_appearance
    says "theme-name Stripes"
    set_desktop gtk-theme HighContrast
    gtk_appearance
    says "theme-name Stripes"
    XCURSOR_SIZE=64 GDK_SCALE=2 GTK_IM_MODULE=ibus run --separate-stderr box run -- sh -c 'echo "$XCURSOR_SIZE $GDK_SCALE [$GTK_IM_MODULE]"'
    assert_output "64 2 []"
    box restart
    gtk_appearance
    says "theme-name HighContrast"
    # The container is the same; only its files have changed.
    run --separate-stderr box run -- true
    [ -z "$stderr" ] || fail "$stderr"
}

@test "appearance: the box cannot write it, and it can be turned off" {
    everything
    run --separate-stderr box run -- sh -c 'for file in /run/litterbox/share/user/fonts /run/litterbox/share/user/fonts/only-mine.ttf \
        /run/litterbox/appearance/fonts.conf /run/litterbox/appearance/config/gtk-3.0/settings.ini /run/litterbox/appearance/dconf /run/litterbox/share; do
        ! test -w "$file" || echo "writable: $file"; done'
    assert_output ""
    box stop
    configure_appearance 'appearance = false'
    run --separate-stderr box run -- sh -c 'echo "[$XDG_DATA_DIRS$FONTCONFIG_FILE$DCONF_PROFILE$XCURSOR_SIZE]"; ls /run/litterbox'
    assert_contains "[]"
    refute_contains appearance
    refute_contains share
    configure_appearance 'appearance = "dark"'
    run box config show
    assert_status 78
    assert_contains appearance
}

@test "appearance: input methods work over Wayland if the compositor supports them" {
    local outside
    outside=$(/usr/bin/python3 "$BATS_TEST_DIRNAME/gtk_appearance.py" | grep '^context ')
    if [ "${LAB_PODMAN:-}" = 5 ]; then
        run globals box run --
        assert_contains zwp_text_input_manager_v3
        [ "$outside" = "context wayland" ]
    fi
    GTK_IM_MODULE=ibus QT_IM_MODULE=ibus XMODIFIERS=@im=ibus gtk_appearance
    says "$outside"
}

# types_into WINDOW COMMAND…: runs COMMAND in the box, and has an input method type into the window that it opens.
types_into() {
    local title=$1
    shift
    box run -- "$@" >"$TEST_HOME/said" 2>&1 3>&- &
    program=$!
    eventually has_window "$title" || fail "$(cat "$TEST_HOME/said")"
    /usr/bin/python3 "$ui/input_method.py" 日本語
}
closes() {
    swaymsg -q '[app_id=.*] kill'
    wait "$program" || true
}

@test "appearance: the compositor's input method types into a box" {
    local program
    keyboard_start # without one no text field gets the focus
    cp "$BATS_TEST_DIRNAME/entry.py" .entry.py
    types_into entry /usr/bin/python3 .entry.py typed
    eventually grep -qx 日本語 typed || fail "$(cat typed)"
    closes
    # Qt is not tested: Debian 12 in the lab has no Qt editor.
    [ "${LAB_PODMAN:-}" = 5 ] || return 0
    echo one >a.txt
    types_into featherpad featherpad "$PROJECT/a.txt"
    eventually saves 日本語 || fail "$(cat a.txt)"
    closes
}

@test "appearance: language and time zone are the session's, if the box has them" {
    run --separate-stderr env LC_ALL=xx_XX.UTF-8 box run -- sh -c 'echo "$LC_ALL"; perl -e 1; bash -c true'
    assert_output C.UTF-8
    run --separate-stderr env TZ=Asia/Tokyo box run -- date +%Z
    assert_output JST
    box run -- cat /etc/localtime | cmp - /etc/localtime
    run --separate-stderr env TZ=No/Where box run -- sh -c 'echo "[$TZ]"'
    assert_output "[]"
    run --separate-stderr env TZ=XYZ-3 LANGUAGE=de:fr box run -- sh -c 'date +%Z; echo "$LANGUAGE"'
    assert_output XYZ$'\n'de:fr
}

# bats test_tags=release
@test "appearance: a box on an image has the same appearance, and its own languages" {
    need_base
    everything
    printf 'FROM docker.io/library/debian:bookworm\nRUN apt-get -qq update && apt-get install -y -qq --no-install-recommends %s && localedef -i de_DE -f UTF-8 de_DE.UTF-8\n' \
        'python3-gi gir1.2-gtk-3.0 gsettings-desktop-schemas fontconfig locales' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    box build >"$TEST_HOME/build.log" 2>&1 || fail "$(tail -20 "$TEST_HOME/build.log")"
    gtk_appearance
    says_everything
    says "scheme prefer-dark" "monospace DejaVu Sans Mono 12"
    run --separate-stderr box run -- sh -c 'fc-list : file'
    assert_contains /run/litterbox/share/user/fonts/only-mine.ttf
    assert_contains /run/litterbox/share/host/fonts/
    box run -- cat /etc/localtime | cmp - /etc/localtime
    run --separate-stderr env TZ=Asia/Tokyo box run -- date +%Z
    assert_output JST
    run --separate-stderr env LANG=de_DE.UTF-8 box run -- sh -c 'echo "$LANG"; perl -e 1; bash -c true; locale day | cut -d";" -f2'
    assert_output de_DE.UTF-8$'\n'Montag
    run --separate-stderr env LANG=fr_FR.UTF-8 LC_TIME=de_DE.utf8 LC_CTYPE=ja_JP.UTF-8 box run -- sh -c 'echo "$LANG $LC_TIME [$LC_CTYPE]"; perl -e 1'
    assert_output "C.UTF-8 de_DE.utf8 []"
}
