# The clipboards of a box's X server and of the desktop, used by ordinary programs. Needs host_copy [TYPE] (from stdin)
# and host_paste [TYPE].
# shellcheck shell=bash disable=SC2119,SC2120,SC2154 # set elsewhere, and functions of who sources it

# clipboard_begin HOW: starts the box's X server, which shares its clipboard as HOW says, for as long as the test. Both
# clipboards have contents of their own; the box's are newer.
clipboard_begin() {
    configure_x11 nested "wayland = \"none\"\nclipboard = \"$1\""
    mkdir -p .x11
    cp "$BATS_TEST_DIRNAME"/../desktop/{x11_client,x11_display,clipboard_client}.py .x11
    printf 'text of the host' | host_copy
    liar idle 600
    eventually has_clip
    case $1 in from-box) sleep 3 ;; *) eventually box_has "text of the host" ;; esac
    printf 'text of the box' | box_copy
    eventually box_has "text of the box"
}
has_clip() { [ -n "$(clip_pid)" ]; }
no_clip() { ! has_clip; }
# box_paste [TYPE]: prints what a program in the box reads from the clipboard.
box_paste() { timeout 40 box run -- timeout 30 xclip -selection clipboard -o -t "${1:-UTF8_STRING}" 2>/dev/null; }
# box_copy [TYPE]: copies stdin in the box, with a program that owns the clipboard until somebody else does.
box_copy() {
    cat >"$PROJECT/.copied"
    box run -- sh -c "xclip -selection clipboard -t ${1:-UTF8_STRING} -quiet -i .copied" >/dev/null 2>&1 3>&- &
}
box_has() { [ "$(box_paste | tr -d '\0')" = "$1" ]; }
host_has() { [ "$(host_paste | tr -d '\0')" = "$1" ]; }
# liar HOW [SECONDS]: owns the box's clipboard, and misbehaves (clipboard_client.py).
liar() {
    rm -f "$TEST_HOME/liar" # the last one's "owns"
    box run -- python3 .x11/clipboard_client.py "$inside_socket" "$inside_cookie" "$@" >"$TEST_HOME/liar" 2>&1 3>&- &
    eventually grep -qs owns "$TEST_HOME/liar"
}

# picture WIDTH FILE: writes a PNG of noise, WIDTH by WIDTH.
picture() {
    python3 - "$@" <<'END'
import os, struct, sys, zlib
width = int(sys.argv[1])
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
rows = b"".join(b"\0" + os.urandom(3 * width) for _ in range(width))
with open(sys.argv[2], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0))
               + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
END
}

# The tests that run on both Wayland and X11 desktops. Their pauses are for what must not happen: nothing signals it.
text_both_ways() {
    clipboard_begin both
    eventually host_has "text of the box"
    printf 'Grüße from outside' | host_copy
    eventually box_has 'Grüße from outside'
    printf 'Grüße from inside' | box_copy
    eventually host_has 'Grüße from inside'
    # More than fits in one X11 request.
    seq 300000 >"$TEST_HOME/long"
    host_copy <"$TEST_HOME/long"
    eventually box_has "$(cat "$TEST_HOME/long")"
    seq 300001 >"$TEST_HOME/longer"
    box_copy <"$TEST_HOME/longer"
    eventually host_has "$(cat "$TEST_HOME/longer")"
}

picture_both_ways() {
    clipboard_begin both
    picture 700 "$TEST_HOME/out.png"
    host_copy image/png <"$TEST_HOME/out.png"
    eventually box_has_picture "$TEST_HOME/out.png"
    picture 650 "$TEST_HOME/in.png"
    box_copy image/png <"$TEST_HOME/in.png"
    eventually host_has_picture "$TEST_HOME/in.png"
}
box_has_picture() { box_paste image/png | cmp -s - "$1"; }
host_has_picture() { host_paste image/png | cmp -s - "$1"; }

one_way_to_box() {
    clipboard_begin to-box
    sleep 3
    host_has "text of the host"
    printf 'for the box' | host_copy
    eventually box_has "for the box"
    printf 'not for the host' | box_copy
    eventually box_has "not for the host"
    sleep 3
    host_has "for the box"
}

one_way_from_box() {
    clipboard_begin from-box
    eventually host_has "text of the box"
    printf 'not for the box' | host_copy
    sleep 3
    host_has 'not for the box'
    box_has "text of the box"
    # Not offered either.
    printf 'for the host' | box_copy
    eventually host_has "for the host"
}

too_large() {
    clipboard_begin both
    eventually host_has "text of the box"
    head -c $((16 * 1024 * 1024 + 1)) /dev/zero | tr '\0' a | host_copy
    eventually box_has ""
    printf small | host_copy
    eventually box_has small
    liar huge 20
    eventually grep -q 'asked for UTF8_STRING' "$TEST_HOME/liar"
    sleep 5
    host_has small
    has_clip
}

owners_that_lie() {
    clipboard_begin both
    eventually host_has "text of the box"
    printf kept | host_copy
    eventually box_has kept
    local how
    for how in silent hangs endless lies secret; do
        liar "$how" 8
        sleep 7
        host_has kept || fail "$how: $(host_paste | head -c 200)"
        wait $!
    done
    has_clip
    liar control 600
    eventually host_has $'a[201~bc'
}
