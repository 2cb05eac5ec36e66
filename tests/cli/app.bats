#!/usr/bin/env bats
# box app: programs of a box in the host's menu, and what a menu entry runs.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    box_setup
    APPS=${XDG_DATA_HOME:-$HOME/.local/share}/applications
    ICONS=${XDG_DATA_HOME:-$HOME/.local/share}/icons/hicolor
    MARK=litterbox+$LITTERBOX_INSTANCE+shop+
    xvfb=
}
teardown() {
    rm -f "$APPS/litterbox+$LITTERBOX_INSTANCE+"* "$ICONS"/*/apps/"litterbox+$LITTERBOX_INSTANCE+"*
    [ -z "$xvfb" ] || kill "$xvfb" 2>/dev/null || true
    box_teardown
    remove_built_images
}

# entry NAME KEY=VALUE…: creates the box and a desktop entry in its home.
entry() {
    local name=$1
    shift
    box run -- true 2>/dev/null
    mkdir -p "$DATA/boxes/shop/home/.local/share/applications"
    printf '%s\n' '[Desktop Entry]' 'Type=Application' "$@" \
        >"$DATA/boxes/shop/home/.local/share/applications/$name.desktop"
}

# image WORD: a Containerfile for an image with a program, its entry and icon; the program writes WORD.
image() {
    mkdir -p files
    printf '#!/bin/sh\necho %s "$@" >>out\n' "$1" >files/probe
    printf '%s\n' '[Desktop Entry]' Type=Application Name=Probe 'Comment=Tries things' Icon=probe \
        "Exec=probe --$1 %F" 'Categories=Utility;TextEditor;' 'MimeType=text/plain;' Actions=more \
        '[Desktop Action more]' Name=More Exec=evil >files/probe.desktop
    python3 - files/probe.png <<'PNG'
import struct, sys, zlib
part = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open(sys.argv[1], 'wb').write(b'\x89PNG\r\n\x1a\n' + part(b'IHDR', struct.pack('>IIBBBBB', 48, 48, 8, 6, 0, 0, 0))
    + part(b'tEXt', b'a\0b') + part(b'IDAT', zlib.compress((b'\0' + b'\xff\x80\0\xff' * 48) * 48)) + part(b'IEND', b''))
PNG
    printf '%s\n' 'FROM debian:bookworm' 'COPY files/probe /usr/bin/probe' 'RUN chmod 755 /usr/bin/probe' \
        'COPY files/probe.desktop /usr/share/applications/probe.desktop' \
        'COPY files/probe.png /usr/share/icons/hicolor/48x48/apps/probe.png' >Containerfile
}

start_display() {
    Xvfb -displayfd 5 5>"$TEST_HOME/display" -nolisten tcp >/dev/null 2>&1 3>&- &
    xvfb=$!
    eventually test -s "$TEST_HOME/display"
    DISPLAY=:$(<"$TEST_HOME/display")
    export DISPLAY
}

# field ID FIELD
field() { box app list --json 2>/dev/null | jq -r --arg i "$1" --arg f "$2" '.[] | select(.id == $i) | .[$f]'; }
key() { sed -n "s/^$2=//p" "$APPS/$MARK$1.desktop"; }
wrote() { [ "$(cat out 2>/dev/null)" = "$1" ]; }
state() { box list --json | jq -r '.[0].state'; }
is_stopped() { [ "$(state)" = stopped ]; }
ours() { find "$APPS" "$ICONS" -name "litterbox+$LITTERBOX_INSTANCE+*" 2>/dev/null; }

@test "app: a program of the host's /usr is listed, exported as a valid entry, and unexported" {
    box init
    run box app list
    assert_status 0
    assert_contains Neovim
    [ "$(field nvim terminal),$(field nvim exported)" = true,false ]
    box app export nvim
    desktop-file-validate "$APPS/${MARK}nvim.desktop"
    [ "$(key nvim Name)" = "Neovim (shop)" ]
    [ "$(key nvim Terminal)" = true ]
    [ "$(key nvim Exec)" = "/usr/bin/env LITTERBOX_INSTANCE=$LITTERBOX_INSTANCE \"$(readlink -f "$(command -v box)")\" app run shop nvim %F" ]
    [ "$(stat -c %a "$APPS/${MARK}nvim.desktop")" = 600 ]
    [ "$(field nvim exported),$(field nvim stale)" = true,false ]
    box app unexport nvim
    [ -z "$(ours)" ]
    run box app unexport nvim
    assert_status 125
    assert_contains "not exported"
}

@test "app: an entry runs its program, also after a new build, and is removed with the box" {
    need_base
    image one
    printf 'a' >"a file"
    trust_file '[box]
containerfile = "Containerfile"
idle_stop = 0'
    box init
    box app export shop probe.desktop
    desktop-file-validate "$APPS/${MARK}probe.desktop"
    # update-desktop-database(1) ran if it is installed.
    grep -q "${MARK}probe.desktop" "$APPS/mimeinfo.cache"
    [ "$(key probe Icon)" = "${MARK}probe" ]
    [ -s "$ICONS/48x48/apps/${MARK}probe.png" ]
    run -1 grep -q tEXt "$ICONS/48x48/apps/${MARK}probe.png"
    refute_evil=$(grep -c evil "$APPS/${MARK}probe.desktop" || true)
    [ "$refute_evil" = 0 ]
    start_display
    eventually is_stopped
    gtk-launch "${MARK}probe"
    eventually --within 60 wrote "one --one"
    gtk-launch "${MARK}probe" "$PROJECT/a file"
    eventually --within 60 wrote "one --one"$'\n'"one --one $PROJECT/a file"
    # After the last session has ended, the box stops.
    eventually is_stopped
    image two
    box trust --yes >/dev/null
    box build
    box apply
    rm out
    gtk-launch "${MARK}probe"
    eventually --within 60 wrote "two --two"
    [ "$(field probe stale)" = false ]
    # apply notices that the new image lacks the program.
    sed -i /desktop/d Containerfile
    box trust --yes >/dev/null
    box build
    box start
    box apply
    [ -z "$(ours)" ]
    image two
    box trust --yes >/dev/null
    box build
    box apply
    box app export probe
    box rm --yes
    [ -z "$(ours)" ]
    run ! grep -q "${MARK}probe.desktop" "$APPS/mimeinfo.cache"
}

@test "app: a missing or changed program is marked in the list, and export updates the menu" {
    entry one Name=One "Exec=true"
    entry two Name=Two "Exec=true"
    box app export one two
    entry two Name=Zwei "Exec=true"
    rm "$DATA/boxes/shop/home/.local/share/applications/one.desktop"
    run box app list
    assert_contains "gone from the box"
    assert_contains "changed since"
    [ "$(field one stale),$(field two stale)" = true,true ]
    run box app run shop one
    assert_status 125
    assert_contains "box app unexport shop one"
    run box app export
    assert_status 0
    assert_contains "its menu entry was removed"
    [ "$(field two stale)" = false ]
    [ "$(key two Name)" = "Zwei (shop)" ]
    [ "$(ours | wc -l)" = 1 ]
    box app unexport
    [ -z "$(ours)" ]
}

@test "app: run accepts only files of the project, as paths and as file: URIs" {
    entry probe Name=Probe 'Exec=sh -c "echo \\"$@\\" >>out" sh %U'
    touch a b
    box app run shop probe
    box app run shop probe "$PROJECT/a" "file://localhost$PROJECT/b"
    wrote $'\n'"$PROJECT/a $PROJECT/b" || fail "$(cat out)"
    ln -s /etc/hosts out-of-here
    for file in /etc/hosts file:///etc/hosts out-of-here https://example.org /nowhere "file://other$PROJECT/a"; do
        run box app run shop probe "$file"
        assert_status 64
        assert_contains "not in its project"
    done
    entry single Name=Single 'Exec=true %f'
    run box app run shop single "$PROJECT/a" "$PROJECT/b"
    assert_status 64
    assert_contains "takes one file"
}

@test "app: a program that is missing or fails at once causes a message" {
    entry fails Name=Fails Exec=false
    entry missing Name=Missing Exec=no-such-program-here
    run box app run shop fails
    assert_status 1
    assert_contains "exited at once with status 1"
    run -127 box app run shop missing
}

@test "app: a terminal program uses the terminal that the menu opens" {
    entry term Name=Term Terminal=true "Exec=tty"
    run on_terminal box app run shop term
    assert_contains "/dev/pts/"
}

@test "app: nothing starts without trust" {
    entry probe Name=Probe 'Exec=touch started'
    box app export probe
    box stop
    printf '[box]\nmemory = "1g"\n[network]\nmode = "open"\n' >litterbox.toml
    run box app run shop probe </dev/null
    assert_status 78
    [ ! -e started ]
}

@test "app: entries of other programs are neither replaced nor removed" {
    entry probe Name=Probe Exec=true
    mkdir -p "$APPS"
    echo mine >"$APPS/${MARK}probe.desktop"
    run box app export probe
    assert_status 125
    assert_contains "is not an entry of Litterbox"
    [ "$(cat "$APPS/${MARK}probe.desktop")" = mine ]
    printf '[Desktop Entry]\nType=Application\nName=x\nTryExec=/bin/sh\nX-Litterbox-Box=other\nX-Litterbox-App=probe\nX-Litterbox-Instance=%s\n' \
        "$LITTERBOX_INSTANCE" >"$APPS/${MARK}probe.desktop"
    run box app export probe
    assert_status 125
    box app unexport
    box rm --yes
    [ -e "$APPS/${MARK}probe.desktop" ]
}

@test "app: prune removes entries of a missing project; doctor finds broken entries" {
    entry probe Name=Probe Exec=true
    box app export probe
    box doctor --json | jq -e '.. | objects | select(.id? == "apps") | .level == "ok"'
    sed -i 's|^TryExec=.*|TryExec=/nowhere/box|' "$APPS/${MARK}probe.desktop"
    run box doctor
    assert_contains "probe of box shop"
    box app export
    box stop
    cd "$TEST_HOME"
    rm -r shop
    box prune --yes
    [ -z "$(ours)" ]
}

@test "app: entries of a box without data are found and pruned" {
    entry probe Name=Probe Exec=true
    box app export probe
    box stop
    rm -r "$DATA/boxes/shop"
    run box doctor
    assert_contains "box prune"
    run box prune --dry-run
    assert_contains "would remove: menu entry 'probe'"
    [ -n "$(ours)" ]
    box prune --yes
    [ -z "$(ours)" ]
}

@test "app: an export repairs one that was killed at any moment" {
    entry probe Name=Probe Exec=true
    for delay in 0.005 0.02 0.05 0.1 0.2 0.3; do
        timeout -s KILL "$delay" box app export probe 2>/dev/null || true # it may be killed
        # Whole, or not there.
        for file in "$APPS/$MARK"*.desktop; do
            [ ! -e "$file" ] || desktop-file-validate "$file"
        done
    done
    box app export probe
    desktop-file-validate "$APPS/${MARK}probe.desktop"
    box rm --yes
    [ -z "$(ours)" ]
}

@test "app: errors about wrong usage name the right one" {
    box init
    for words in "" "export -- x" "list nonsense" "run" "run shop" "run shop ../x" "export a/../b x" "--json run shop x"; do
        # shellcheck disable=SC2086 # words
        run box app $words
        [ "$status" != 0 ] || fail "$words"
    done
    run box app export nvi
    assert_contains "did you mean 'nvim'"
    run box app list nowhere
    assert_status 64
}
