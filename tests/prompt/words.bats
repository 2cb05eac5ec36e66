# What the window shows and what a screen reader says, for ordinary and for hostile questions.
# shellcheck disable=SC2154,SC2030,SC2031 # ask.bash sets window; a test is a process of its own

load ask

setup() {
    ask_begin
    x11_start
}

teardown() {
    ask_end
}

# has LINE…: the tree has each of these.
has() {
    local line
    for line in "$@"; do
        grep -qF -- "$line" said || { echo "no '$line' in:" >&2; cat said >&2; return 1; }
    done
}

# Every button is inside of the window, and that on the screen.
buttons_are_inside() {
    local name x y X Y WIDTH HEIGHT
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(X|Y|WIDTH|HEIGHT)=')"
    [ "$X" -ge 0 ]
    [ "$Y" -ge 0 ]
    [ $((X + WIDTH)) -le 1280 ]
    [ $((Y + HEIGHT)) -le 720 ]
    for name in "$@"; do
        read -r x y < <(at_spi where "push button" "$name")
        [ "$x" -gt "$X" ]
        [ "$x" -lt $((X + WIDTH)) ]
        [ "$y" -gt "$Y" ]
        [ "$y" -lt $((Y + HEIGHT)) ]
    done
}

@test "a screen reader gets every fact, and which facts are only claimed" {
    ask login
    accepting
    at_spi tree >said
    has "dialog|Box shop: Log in as git at github.com|Host key verified. Key: work. User: git. Host: github.com" \
        "label|Box shop|" "label|/home/u/src/shop|" "label|Your phrase: amber otter|" \
        "label|Log in as git at github.com|" "label|Host key verified|" \
        "panel|Known|Litterbox has checked this" "label|Key: work|" \
        "label|Key: SHA256:uNiVztksCsDhcc0u9e8BrwJXzVq4lHVBdFA3Yq2CJyE|" \
        "panel|Claimed by the box|It may have made this up" \
        "label|Program: ssh, pid 212 in the box, 4319 on the host|" \
        "label|Started by: git push origin main|" \
        "push button|Deny and mute|" "push button|Deny|Enter and Escape do the same|" \
        "push button|Allow once|Allows only this|sensitive" \
        "push button|Allow for 5 minutes|Allows: logins as git at github.com with work from box shop|sensitive" \
        "push button|Until the box stops|Allows: logins" "progress bar|Time left|"
    buttons_are_inside Deny "Allow once" "Deny and mute" "Until the box stops"
    grep '^push button|Deny|' said | grep -q default
}

@test "every control has a name" {
    local state
    for state in login unverified git sudo open copy paste network apply value password keys; do
        ask "$state"
        at_spi tree >said
        run ! grep -E '^(push button|check box|password text)\|\|' said || { echo "$state" >&2; return 1; }
        kill "$asking"
        expect 143
    done
}

@test "Allow is insensitive without the focus, for screen readers as well" {
    ask login
    accepting
    unfocus
    at_spi tree >said
    run ! grep -E '^push button\|(Allow|Until|Deny and).*sensitive' said
    grep -qE '^push button\|Deny\|.*sensitive' said
    at_spi press "push button" "Allow once" || true
    focus "$window"
    accepting
    at_spi press "push button" "Allow for 5 minutes"
    expect 0 '{"answer":"5m"}'
}

@test "warnings and an unverified host are read aloud" {
    ask unverified
    at_spi tree >said
    has "label|Warning: Another machine asks, through the agent that was forwarded to it.|" \
        "label|The host key is not in your known_hosts|" "label|Host: not in your known_hosts|" \
        "Warning: Another machine asks"
    run ! grep -q '^push button|Allow for' said
}

@test "a note says what to do" {
    ask git
    at_spi tree >said
    has "label|Note: Touch the security key when it blinks.|" \
        "Allows: git signatures with work from box shop"
}

@test "a sudo question shows the command as a claim" {
    ask sudo
    at_spi tree >said
    has "label|Command: apt install build-essential|" "label|As: root of the box, nobody on this computer|"
}

@test "a question about a copy shows its size and text, the text as a claim" {
    ask copy
    at_spi tree >said
    has "label|Size: 31 B, 2 lines|" "label|Text: git push origin main\necho done\n|" \
        "label|Warning: If you paste it at a shell, all but its last line may run at once.|" "push button|Replace|" \
        "push button|Deny and mute|"
    grep '^push button|Deny|' said | grep -q default
}

@test "a question about a picture says when the clipboard is read, and which program asks" {
    ask paste
    at_spi tree >said
    has "dialog|Box shop: Give box shop the picture that you have copied|" \
        "label|Clipboard: read once, and nothing but a picture is given|" \
        "label|Your clipboard is read when you allow it, not before." "label|Program: wl-paste --type image/png|" \
        "label|Started by: claude|" "push button|Allow once|Allows only this" "push button|Deny and mute|"
    grep '^push button|Deny|' said | grep -q default
    buttons_are_inside Deny "Allow once" "Deny and mute"
}

@test "a question about a picture or a value is not asked without a place for it" {
    run -1 timeout 30 "$prompt" < <(question paste) 3>&-
    [ "$output" = "litterbox-prompt: no descriptor for what the question gives" ]
    run -1 timeout 30 "$prompt" < <(question value) 3>&-
    [ "$output" = "litterbox-prompt: no descriptor for what the question gives" ]
    # A file would keep it.
    run -1 timeout 30 "$prompt" < <(question value) 3>given
    [ "$output" = "litterbox-prompt: no descriptor for what the question gives" ]
}

@test "a question about a value says of which secret, and names every host that gets it" {
    local hosts
    ask value
    at_spi tree >said
    has "label|Litterbox|" "label|Your phrase: amber otter|" \
        "label|Value of the secret github, which is for github.com and 1 more host|" \
        "panel|Hosts|They get it, and nobody else" "label|Hosts: github.com, api.github.com|" \
        "password text|Value|" "push button|Store|"
    grep '^push button|Cancel|' said | grep -q default
    buttons_are_inside Cancel Store
    press Escape
    expect 0 '{"answer":"deny"}'
    # As many as a secret may have, with long names.
    hosts=$(for i in {1..16}; do printf '%s%s.example, ' "$(printf 'abcdefghi.%.0s' {1..22})" "$i"; done)
    ask value ".address = \"${hosts%, }\""
    at_spi tree >said
    has "label|Hosts: ${hosts%, }|"
    buttons_are_inside Cancel Store
}

@test "a question about the network shows the whole name, what it reads like, and that a lasting no is one" {
    ask network
    at_spi tree >said
    has "label|Address: xn--bcher-kva.example:8443|" "label|Reads as: bücher.example|" "label|Port: 8443|" \
        "label|Warning: The name is not in plain letters (Latin). It may only look like a name you know.|" \
        "push button|Never for this box|Refuses it until you take that back" \
        "push button|Always for this box|Allows: connections of box shop to xn--bcher-kva.example:8443"
    buttons_are_inside Deny "Allow once" "Never for this box" "Until the box stops" "Always for this box"
    click "Never for this box"
    expect 0 '{"answer":"never"}'
    # A name as long as names can be is shown to its end, for which its section scrolls.
    ask network ".address = (\"abcdefghi.\" * 24) + \"example.com:8443\""
    at_spi tree >said
    has "$(printf 'abcdefghi.%.0s' {1..24})example.com:8443|"
    buttons_are_inside Deny "Allow once"
}

hostile=$(<"$BATS_TEST_DIRNAME/hostile.jq")

@test "hostile texts are escaped, and push nothing out of the window" {
    ask login "$hostile"
    at_spi tree >said
    run ! grep -P '[\x{202a}-\x{202e}\x{2066}-\x{2069}\x{200b}\x{1b}]' said
    has 'Log in as \u{202e}\u{2066}\u{200b}\x1b[31m\x00<b>&amp;שלום at github.com'
    run ! grep -qP '\x{301}{5}' said
    buttons_are_inside Deny "Allow once" "Deny and mute"
    # All known facts are visible without scrolling.
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(X|Y|WIDTH|HEIGHT)=')"
    read -r _ y < <(at_spi where label "$(grep -oP '^label\|\KHost: [^|]*' said | head -n 1)")
    point_at Deny
    [ "$y" -lt "$(xdotool getmouselocation --shell | sed -n 's/^Y=//p')" ]
    click "Allow once"
    expect 0 '{"answer":"once"}'
}

@test "hostile texts at twice the scale" {
    export GDK_SCALE=2
    ask login "$hostile"
    buttons_are_inside
    accepting
    press Tab space
    expect 0 '{"answer":"once"}'
}

@test "every known fact is visible without scrolling, also on half of the display" {
    local state y limit
    export GDK_SCALE=2
    for state in login unverified git sudo open copy paste network apply value; do
        ask "$state"
        at_spi tree >said
        read -r _ y < <(at_spi where label "$(sed -n '/^panel|Known|/,/^\(panel|[ACH]\|label|Note: \|progress bar\)/s/^label|\([^|]*: [^|]*\)|.*/\1/p' said |
            tail -n 1)")
        read -r _ limit < <(at_spi where "progress bar" "Time left")
        [ "$y" -lt $((limit - 8)) ] || { echo "$state: $y of $limit" >&2; return 1; }
        kill "$asking"
        expect 143
    done
}

@test "an invalid question is refused without a window" {
    local text
    while read -r text; do
        run -1 timeout 30 "$prompt" < <(printf '%s' "$text")
        [[ $output == "litterbox-prompt: the question's "* ]]
    done < <(
        printf '%s\n' '' 'garbage' '[]' '{}' '{"version":1}' '{"version":2,"kind":"sign"}'
        question login 'del(.headline)'
        question login '.kind = "sing"'
        question login '.choices = []'
        question login '.choices[0].id = "deny"'
        question login '.choices[0].id = "a\"b"'
        question login '.choices[1].id = .choices[0].id'
        question login '.known = [range(9) | {label: "a", value: "b"}]'
        question login '.verdict = "trusted"'
        question login | tail -c +2
        question keys '.keys = []'
        question login . | sed 's/"version":1/&,"version":1/'
    )
    run -1 timeout 30 "$prompt" < <(question login '.headline = "x" * 1048576')
    [ "$output" = "litterbox-prompt: the question's text is too long" ]
    run -1 timeout 30 "$prompt" </dev/zero
}

@test "without a display it says so, and exits with status 3" {
    run -3 timeout 30 env -u DISPLAY "$prompt" < <(question login)
    [ "$output" = "litterbox-prompt: no display that can be reached" ]
    run -3 timeout 30 env DISPLAY=:4242 "$prompt" < <(question login)
    run -3 timeout 30 env -u DISPLAY WAYLAND_DISPLAY=nowhere "$prompt" < <(question login)
}

@test "the environment can load neither code nor a theme" {
    mkdir -p config/gtk-3.0
    export GTK_MODULES=$TEST_HOME/evil.so GTK3_MODULES=$TEST_HOME/evil.so GTK_PATH=$TEST_HOME \
        GTK_IM_MODULE=evil GTK_IM_MODULE_FILE=$TEST_HOME/evil GDK_PIXBUF_MODULE_FILE=$TEST_HOME/evil \
        GIO_EXTRA_MODULES=$TEST_HOME GTK_THEME=Nothing GTK_DEBUG=interactive GTK_EXE_PREFIX=$TEST_HOME
    echo '* { opacity: 0; font-size: 1px; }' >config/gtk-3.0/gtk.css
    printf '[Settings]\ngtk-modules=%s/evil.so\ngtk-im-module=evil\n' "$TEST_HOME" >config/gtk-3.0/settings.ini
    strace -f -qq -e trace=file -o trace "$prompt" < <(question password) >answer 2>errors 3>&- 4>&- &
    asking=$!
    prompt_appears
    accepting
    type_text x
    press Return
    expect 0 '{"answer":"password","password":"x"}'
    run ! grep -E 'evil|Nothing' trace
    # It writes no files, such as a list of recent files.
    run ! grep -E "\"$TEST_HOME/(config|data|cache).*O_(WRONLY|RDWR|CREAT)" trace
}

@test "a bus address cannot start a program" {
    printf '#!/bin/sh\ntouch %s/ran\n' "$TEST_HOME" >evil
    chmod +x evil
    export AT_SPI_BUS_ADDRESS=unixexec:path=$TEST_HOME/evil DBUS_SESSION_BUS_ADDRESS=unixexec:path=$TEST_HOME/evil
    ask login
    press Escape
    expect 0 '{"answer":"deny"}'
    [ ! -e ran ]
}

# The colour of the screen at X Y, in hexadecimal.
colour_at() {
    "$python" -c '
import sys, gi
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk
print(Gdk.pixbuf_get_from_window(Gdk.get_default_root_window(), int(sys.argv[1]), int(sys.argv[2]), 1, 1).get_pixels()[:3].hex())' "$@"
}
has_colour() { [ "$(colour_at "$2" "$3")" = "$1" ]; }

@test "the header bar has the box's colour" {
    ask login '.box.colour = "#12ab34"'
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(X|Y)=')"
    eventually has_colour 12ab34 $((X + 200)) $((Y + 6))
}
