#!/usr/bin/env bats
# Desktop entries of a hostile box, and what of them reaches the host (invariants 1, 7, 8).

load escape.bash
load ../lib/image.bash
setup() {
    escape_setup_file
    cd "$PROJECT" || return
    APPS=${XDG_DATA_HOME:-$HOME/.local/share}/applications
    ICONS=${XDG_DATA_HOME:-$HOME/.local/share}/icons/hicolor
    MARK=litterbox+$LITTERBOX_INSTANCE+shop+
    box run -- true 2>/dev/null
    in_box mkdir -p .local/share/applications
    HOME_APPS=$DATA/boxes/shop/home/.local/share/applications
    mkdir -p "$HOME_APPS"
    ls -A "$APPS" "$ICONS"/*/apps >"$TEST_HOME/before" 2>/dev/null || true
}
teardown() {
    rm -f "$APPS/litterbox+$LITTERBOX_INSTANCE+"* "$ICONS"/*/apps/"litterbox+$LITTERBOX_INSTANCE+"*
    box_teardown
    remove_built_images
}

# plant NAME TEXT: writes the entry NAME.desktop in the box's home, with TEXT (for printf) after the header.
plant() {
    # shellcheck disable=SC2059 # the escapes are the attack
    { printf '[Desktop Entry]\nType=Application\n' && printf "$2\n"; } >"$HOME_APPS/$1.desktop"
}

# Asserts that only the entry $1 is new on the host, and that it runs only `box`.
only_ours() {
    local file=$APPS/$MARK$1.desktop
    [ "$(grep -c '^Exec=' "$file")" = 1 ]
    grep -q "^Exec=/usr/bin/env LITTERBOX_INSTANCE=$LITTERBOX_INSTANCE \"$(readlink -f "$(command -v box)")\" app run shop $1\( %[fFuU]\)\?$" "$file" ||
        fail "$(cat "$file")"
    run -1 grep -qE '^(Path|URL|DBusActivatable|Actions|Implements|\[Desktop Action)' "$file"
    [ "$(grep -c '^\[' "$file")" = 1 ]
    desktop-file-validate "$file"
}

@test "apps: the menu has no command, key or line from the box (7)" {
    plant evil 'Name=Evil\\nExec=/evil\\r\\tX=1\nExec=/evil %%F\nTryExec=/evil\nPath=/evil\nDBusActivatable=true\nActions=a;\nImplements=x;\nX-GNOME-Autostart-enabled=true\nComment=c\\nExec=/evil\nKeywords=a\\nExec=/evil;b;\nCategories=Utility\\nExec;\nStartupWMClass=x\\nExec=/evil\nMimeType=x-scheme-handler/https;text/plain\\nExec=/evil;inode/directory;\n\n[Desktop Action a]\nName=a\nExec=/evil'
    box app export evil
    only_ours evil
    run cat "$APPS/${MARK}evil.desktop"
    refute_contains x-scheme-handler
    refute_contains inode/directory
    refute_contains $'\nX=1'
    run -1 grep -E '^[A-Za-z-]+=/evil' "$APPS/${MARK}evil.desktop"
}

@test "apps: names of programs cannot forge, hide or colour output (8)" {
    plant names 'Name=\xe2\x80\xaeexe\x1b[31m\x07\xe2\x80\x8bEditor\nComment=\x1b]0;x\x07\nExec=true'
    run box app list
    assert_status 0
    assert_no_controls
    assert_contains names
    box app export names
    only_ours names
    run cat "$APPS/${MARK}names.desktop"
    assert_no_controls
    assert_contains " (shop)"
    run box app list --json
    assert_no_controls
}

@test "apps: an entry that links to an unreadable file is ignored (1)" {
    ln -s /etc/shadow "$HOME_APPS/shadow.desktop"
    ln -s "$TEST_HOME/neighbour/secret" "$HOME_APPS/secret.desktop"
    mkfifo "$HOME_APPS/pipe.desktop"
    ln -s /dev/zero "$HOME_APPS/zero.desktop"
    mkdir "$HOME_APPS/folder.desktop"
    run timeout 60 box app list
    assert_status 0
    refute_contains root:
    refute_contains "$SECRET"
    run box app export shadow
    assert_status 125
    run box app export secret
    assert_status 125
    [ ! -e "$APPS/${MARK}shadow.desktop" ]
}

@test "apps: ids cannot lead to other files (7)" {
    mkdir -p "$HOME_APPS/a..b" "$HOME_APPS/x"
    plant '..' 'Name=dots\nExec=true'
    plant '...' 'Name=dots\nExec=true'
    plant 'x/..' 'Name=dots\nExec=true'
    plant '-rf' 'Name=dash\nExec=true'
    plant $'new\nline' 'Name=line\nExec=true'
    plant 'a b;$(touch x)' 'Name=shell\nExec=true'
    plant 'percent%F' 'Name=percent\nExec=true'
    plant 'a+b' 'Name=plus\nExec=true'
    plant 'x/deep' 'Name=Deep\nExec=true'
    run --separate-stderr box app list --json
    [ "$(jq -r '.[].id' <<<"$output" | grep -cE '\.\.|/|^-|[^A-Za-z0-9._-]')" = 0 ]
    assert_contains x-deep
    for id in .. ../x a/../../x /etc/passwd -rf 'a b' 'percent%F'; do
        run box app export shop "$id"
        [ "$status" != 0 ] || fail "$id"
        run box app unexport shop "$id"
        [ "$status" != 0 ] || fail "$id"
        run box app run shop "$id"
        [ "$status" != 0 ] || fail "$id"
    done
    box app export x-deep
    only_ours x-deep
}

@test "apps: ten thousand entries, ten megabytes and a repeated id do no harm (8)" {
    python3 -c 'import sys
for i in range(10000): open(f"{sys.argv[1]}/many{i}.desktop", "w").write("[Desktop Entry]\nType=Application\nName=M\nExec=m\n")' "$HOME_APPS"
    run --separate-stderr timeout 60 box app list --json
    assert_status 0
    [ "$(jq length <<<"$output")" = 1000 ]
    find "$HOME_APPS" -name 'many*' -delete
    { printf '[Desktop Entry]\nType=Application\nName=Large\nExec=true\n#' && head -c 10000000 /dev/zero | tr '\0' x; } >"$HOME_APPS/large.desktop"
    plant masked 'Name=Hidden\nExec=true\nHidden=true'
    plant nvim 'Name=Own\nExec=true'
    mkdir "$HOME_APPS/two"
    plant two-one 'Name=First\nExec=true'
    plant two/one 'Name=Second\nExec=true'
    run --separate-stderr box app list --json
    assert_status 0
    refute_contains Large
    refute_contains '"Hidden"'
    [ "$(grep -c 'First\|Second' <<<"$(jq -r '.[].name' <<<"$output")")" = 1 ]
    assert_contains '"Own"'
    refute_contains '"Neovim"'
}

@test "apps: icons that are paths, links, too large or broken are not used (1, 7)" {
    local folder=$DATA/boxes/shop/home/.local/share/icons/hicolor/64x64/apps name
    mkdir -p "$folder"
    ln -s /etc/shadow "$folder/link.png"
    printf '\x89PNG\r\n\x1a\n' >"$folder/cut.png"
    head -c 5000000 /dev/urandom >"$folder/large.png"
    echo '<svg onload="x"/>' >"$folder/svg.png"
    for name in link cut large svg /etc/passwd ../../../../etc/passwd "/proc/self/environ" "-e" '$(touch x)'; do
        plant icon "Name=Icon\nExec=true\nIcon=${name//%/%%}"
        box app export icon
        grep -q '^Icon=application-x-executable$' "$APPS/${MARK}icon.desktop" || fail "$name"
        [ -z "$(find "$ICONS" -name "$MARK*" 2>/dev/null)" ]
    done
}

@test "apps: an entry runs its command in the box, without a shell (7)" {
    plant run 'Name=Run\nExec=touch "/tmp/evil-%%c" ; touch $HOME/x | sh `touch y` %%F'
    touch "$PROJECT/-rf" "$PROJECT/\$(touch z)"
    box app run shop run "$PROJECT/-rf" "$PROJECT/\$(touch z)" || true # not a valid program
    [ ! -e /tmp/evil-Run ]
    in_box test -e /tmp/evil-Run
    [ ! -e "$PROJECT/z" ]
    [ ! -e "$PROJECT/y" ]
}

@test "apps: a box cannot write the host's menu (1)" {
    attempt 'mkdir -p "$1"; echo x >"$1/evil.desktop"' "$APPS"
    [ ! -e "$APPS/evil.desktop" ]
}

@test "apps: an image whose tools lie, flood or hang does no harm (8)" {
    need_base
    box rm --yes
    printf '%s\n' 'FROM debian:bookworm' 'COPY head /usr/bin/head' \
        'RUN chmod 755 /usr/bin/head && mkdir -p /usr/share/applications && echo >/usr/share/applications/a.desktop' >Containerfile
    printf '#!/bin/sh\nprintf "\\033[31m" >&2\nexec yes\n' >./head
    escape_config '[box]
containerfile = "Containerfile"'
    box run -- true 2>/dev/null
    run timeout 100 box app list
    assert_status 125
    assert_contains "too long"
    assert_no_controls
    # A leftover process that keeps the pipe open is not waited for.
    printf '#!/bin/sh\nsetsid sleep 1000 &\nexit 0\n' >./head
    box build 2>/dev/null
    box apply
    run timeout 60 box app list
    assert_status 0
}
