#!/usr/bin/env bats
# Attacks on the user's fonts, themes and settings, from inside and by files that a box left there.
# shellcheck disable=SC2154 # bats and escape.bash set what is used

load escape.bash

setup() {
    escape_setup_file
    export XDG_CONFIG_HOME=$TEST_HOME/config XDG_DATA_HOME=$TEST_HOME/data
    CONFIG=$XDG_CONFIG_HOME/litterbox-$LITTERBOX_INSTANCE
    DATA=$XDG_DATA_HOME/litterbox-$LITTERBOX_INSTANCE
    fonts=$XDG_DATA_HOME/fonts
    mkdir -p "$CONFIG" "$fonts" "$TEST_HOME/secret"
    echo SECRET >"$TEST_HOME/secret/key"
    echo font >"$fonts/a.ttf"
    project_setup
}
teardown() { box_teardown; }

@test "appearance: a box cannot write, replace, cover or unmount fonts and settings (1, 7)" {
    local as
    run --separate-stderr box run -- cat /run/litterbox/share/user/fonts/a.ttf
    assert_output font
    for as in "" "-u root"; do
        # shellcheck disable=SC2086 # two words
        run box run $as -- sh -c '
            for folder in /run/litterbox/share/user/fonts /run/litterbox/appearance /run/litterbox/appearance/dconf; do
                echo evil >"$folder/evil"; mkdir "$folder/evil"; ln -s / "$folder/evil"; mv "$folder" "$folder.away"
                rm -rf "$folder"/*; chmod 777 "$folder"; mount -o remount,rw "$folder"; mount -o remount,bind,rw "$folder"
                umount "$folder"; mount -t tmpfs none "$folder"
            done; echo evil >/run/litterbox/share/user/fonts/a.ttf; truncate -s 0 /run/litterbox/appearance/fonts.conf; echo tried'
        assert_contains tried
        [ "$(find "$fonts" -type f -o -type l | wc -l)" = 1 ]
        [ "$(cat "$fonts/a.ttf")" = font ]
        [ -z "$(find "$DATA" -name 'evil*')" ]
        grep -q '</fontconfig>' "$(find "$DATA" -name fonts.conf)"
    done
}

@test "appearance: symbolic links in the user's theme folders show a box nothing else (1)" {
    ln -s "$TEST_HOME/secret" "$XDG_DATA_HOME/icons"
    ln -s "$TEST_HOME/secret" "$XDG_CONFIG_HOME/fontconfig"
    ln -s "$TEST_HOME/secret" "$fonts/inner"
    ln -s "$TEST_HOME/secret/key" "$fonts/b.ttf"
    run box run -- sh -c 'cat /run/litterbox/share/user/icons/key /run/litterbox/share/fontconfig/key \
        /run/litterbox/share/user/fonts/inner/key /run/litterbox/share/user/fonts/b.ttf; ls -R /run/litterbox/share'
    refute_contains SECRET
    assert_contains "'$XDG_DATA_HOME/icons' is reached through a symbolic link"
    assert_contains a.ttf
}

@test "appearance: a box sees no theme folder that another box can write (1, 2)" {
    mkdir -p "$fonts/mine"
    (cd "$fonts/mine" && box init >/dev/null && box run -- sh -c 'echo evil >evil.ttf')
    run box run -- sh -c 'ls -R /run/litterbox/share /run/litterbox/appearance'
    refute_contains a.ttf
    refute_contains evil
    (cd "$fonts/mine" && box rm --yes)
}

@test "appearance: broken or huge settings files cause no hang and no output (8, 9)" {
    mkdir -p "$XDG_CONFIG_HOME/gtk-3.0" "$XDG_CONFIG_HOME/dconf"
    mkfifo "$XDG_CONFIG_HOME/gtk-3.0/settings.ini"
    head -c 20000 /dev/urandom >"$XDG_CONFIG_HOME/dconf/user"
    truncate -s 3G "$XDG_CONFIG_HOME/kdeglobals"
    run --separate-stderr timeout 60 box run -- sh -c 'cat /run/litterbox/appearance/config/gtk-3.0/settings.ini'
    assert_output "[Settings]"
    box stop
    rm "$XDG_CONFIG_HOME/gtk-3.0/settings.ini"
    printf '[Settings]\ngtk-theme-name=../../../../tmp/x\ngtk-icon-theme-name=\033[2Jx\ngtk-modules=/tmp/x.so\ngtk-cursor-theme-name=$(id)\n' \
        >"$XDG_CONFIG_HOME/gtk-3.0/settings.ini"
    run --separate-stderr box run -- cat /run/litterbox/appearance/config/gtk-3.0/settings.ini
    assert_output "[Settings]"
    # No passed variable names a file, module or bus.
    run --separate-stderr env GTK_THEME=../../x QT_STYLE_OVERRIDE=/tmp/x.so GTK_MODULES=evil GTK_IM_MODULE=ibus XMODIFIERS=@im=ibus QT_IM_MODULE=fcitx \
        box run -- sh -c 'echo "[$GTK_THEME$QT_STYLE_OVERRIDE$GTK_MODULES$GTK_IM_MODULE$XMODIFIERS$QT_IM_MODULE]"'
    assert_output "[]"
}
