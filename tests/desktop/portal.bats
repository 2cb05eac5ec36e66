#!/usr/bin/env bats
# The session bus of a box, and the portal on it, whose calls reach the host's desktop.
# shellcheck shell=bash disable=SC2154 # open.bash sets opened and others

load ../lib/box.bash
load ../lib/image.bash
load open.bash
setup() {
    box_setup
    open_begin
    cp "$BATS_TEST_DIRNAME/portal.py" .
}
teardown() {
    open_end
    box_teardown
}

page='https://example.com/a?b=c'
portal=(org.freedesktop.portal.Desktop /org/freedesktop/portal/desktop)
notifications=(org.freedesktop.Notifications /org/freedesktop/Notifications)

ask_bus() { run --separate-stderr box run -- python3 portal.py "$@"; }
portal_answers() { # ANSWER METHOD [PARAMETERS]
    ask_bus call "${portal[@]}" "${@:2}"
    assert_output "$1"
}
portal_fails() { # ERROR METHOD [PARAMETERS]: or one whose name begins so
    ask_bus call "${portal[@]}" "${@:2}"
    assert_contains "error $1"
}
assert_scheme() { # 0 any, 1 dark, 2 light
    portal_answers "(<<uint32 $1>>,)" org.freedesktop.portal.Settings.Read "('org.freedesktop.appearance', 'color-scheme')"
}
daemon() { box run -- pgrep -x dbus-daemon 2>/dev/null; }
calls() { box run -- python3 portal.py names >/dev/null 2>&1; }

@test "bus: the daemon starts with the first connection, which is answered" {
    run --separate-stderr box run -- sh -c 'echo "$DBUS_SESSION_BUS_ADDRESS"; stat -c "%U %a %F" $XDG_RUNTIME_DIR/bus'
    assert_output "unix:path=/run/user/$(id -u)/bus"$'\n'"$(id -un) 600 socket"
    run daemon
    assert_status 1
    ask_bus names
    assert_output org.freedesktop.DBus
    [ "$(daemon | wc -l)" = 1 ]
    run --separate-stderr box run -u root -- sh -c 'echo "[$DBUS_SESSION_BUS_ADDRESS]"'
    assert_output "[]"
    run --separate-stderr box run -- dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.Peer.Ping
    assert_status 0
    # An address that the user sets is kept.
    run --separate-stderr box run -e DBUS_SESSION_BUS_ADDRESS=unix:path=/none -- sh -c 'echo "$DBUS_SESSION_BUS_ADDRESS"'
    assert_output unix:path=/none
}

@test "bus: programs of different sessions reach each other by name" {
    begin python3 portal.py own org.example.Shop
    eventually grep -q owned "$asked"
    ask_bus names
    assert_contains org.example.Shop
    ask_bus call org.example.Shop /a a.b.Stop
    assert_output "()"
    ended_with 0
}

@test "bus: a killed daemon is started again; one that fails at once does no harm" {
    box run -- sh -c 'mkdir -p ~/.local/bin; printf "#!/bin/sh\nexit 1\n" >~/.local/bin/dbus-daemon; chmod +x ~/.local/bin/dbus-daemon'
    run timeout 60 box run -- python3 portal.py names
    assert_status 1
    run timeout 60 box run -- sh -c 'for i in 1 2 3 4 5; do python3 portal.py names; done'
    assert_status 1
    box run -- sh -c 'rm ~/.local/bin/dbus-daemon'
    eventually calls
    local first
    first=$(daemon)
    sleep 1.2
    box run -- kill -KILL "$first"
    eventually calls
    [ "$(daemon)" != "$first" ]
}

@test "bus: a daemon without socket activation creates its own socket, and is started again" {
    box run -- sh -c 'mkdir -p ~/.local/bin; cat >~/.local/bin/dbus-daemon; chmod +x ~/.local/bin/dbus-daemon' <<'END'
#!/bin/sh
case "$*" in *systemd:*) echo "dbus was compiled without systemd support" >&2; exit 1 ;; esac
exec /usr/bin/dbus-daemon "$@"
END
    run calls
    assert_status 1
    eventually calls
    portal_answers "()" org.freedesktop.DBus.Peer.Ping
    box run -- pkill -KILL -x dbus-daemon
    eventually calls
}

@test "bus: an idle box stops, whatever its bus has started" {
    configure '[box]\nidle_stop = 2'
    # In one session: between two of them a busy machine may need longer than until the box stops.
    run --separate-stderr box run -- sh -c 'python3 portal.py call "$@" && pgrep -cx litterbox-porta' - \
        "${portal[@]}" org.freedesktop.DBus.Peer.Ping
    assert_output "()"$'\n'1
    eventually sh -c '[ "$(box status --json | jq -r .state)" = stopped ]'
    ask_bus names
    assert_output org.freedesktop.DBus
}

@test "bus: an image without a bus daemon has no bus, and the log says so" {
    need_base
    configure '[box]\nimage = "docker.io/library/debian:bookworm"'
    run box run -- sh -c 'test ! -e /usr/bin/dbus-daemon && echo "$DBUS_SESSION_BUS_ADDRESS"'
    assert_status 0
    run timeout 60 box run -- perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0);
        connect(S, pack_sockaddr_un("$ENV{XDG_RUNTIME_DIR}/bus")) or die; print "end" if !sysread(S, $x, 1)'
    assert_contains end
    eventually prints "no session bus: dbus-daemon" box logs
}

@test "portal: an approved page is opened, and the answer is the request's response" {
    begin python3 portal.py open "$page" token_1
    answer once
    ended_with 0
    was_opened "$page"
    grep -qF 'token_1 (uint32 0, @a{sv} {})' "$asked" || fail "$(cat "$asked")"
    # A program that does not wait for the response.
    rm "$opened"
    begin python3 portal.py call "${portal[@]}" org.freedesktop.portal.OpenURI.OpenURI "('', '$page', @a{sv} {})"
    ended_with 0
    answer once
    was_opened "$page"
}

@test "portal: denied and closed requests, files and other schemes open nothing" {
    begin python3 portal.py cancel "$page" cancel-now
    eventually is_asked
    touch cancel-now
    eventually not_asked
    ended_with 0
    grep -qx closed "$asked" || fail "$(cat "$asked")"
    refute_response
    box consent mute --for 0 shop 2>/dev/null || true
    begin python3 portal.py open "$page"
    answer deny
    ended_with 0
    grep -qF '(uint32 1, @a{sv} {})' "$asked" || fail "$(cat "$asked")"
    local each
    for each in file:///etc/passwd javascript:x portal.py; do
        ask_bus open "$each"
        assert_contains '(uint32 2, @a{sv} {})'
    done
    portal_fails org.freedesktop org.freedesktop.portal.OpenURI.OpenFile "('', @h 0, @a{sv} {})"
    portal_fails org.freedesktop.DBus.Error.InvalidArgs org.freedesktop.portal.OpenURI.OpenURI "('', '$page', {'handle_token': <'../x'>})"
    portal_answers "(true,)" org.freedesktop.portal.OpenURI.SchemeSupported "('https', @a{sv} {})"
    [ ! -e "$opened" ]
}
not_asked() { ! is_asked; }
refute_response() { run ! grep -q uint32 "$asked"; }

@test "portal: allow and deny are as for xdg-open" {
    configure '[desktop]\nopen = "allow"'
    ask_bus open "$page"
    assert_contains '(uint32 0,'
    was_opened "$page"
    configure '[desktop]\nopen = "deny"'
    box stop
    rm "$opened"
    ask_bus open "$page"
    assert_contains '(uint32 1,'
    [ ! -e "$opened" ]
}

last_shown() { [ "$(tail -n 1 "$shown" | jq -c '[.title, .body]')" = "$1" ]; }

@test "portal: notifications are shown on the host's desktop" {
    notifications_begin body
    ask_bus call "${notifications[@]}" org.freedesktop.Notifications.Notify \
        "('Editor', uint32 0, '/etc/passwd', 'Build done', 'all <b>fine</b>', ['default', 'Open'], {'urgency': <byte 2>}, -1)"
    assert_output "(uint32 1,)"
    [ "$(jq -c '[.title, .body, .app, .icon, .actions, .hints]' "$shown")" = \
        '["shop: Build done","all <b>fine</b>","Litterbox","",[],{}]' ] || fail "$(cat "$shown")"
    sleep 1.1
    ask_bus call "${portal[@]}" org.freedesktop.portal.Notification.AddNotification \
        "('id', {'title': <'Portal'>, 'body': <'too'>, 'icon': <('themed', <['x']>)>})"
    assert_output "()"
    [ "$(tail -n 1 "$shown" | jq -c '[.title, .body]')" = '["shop: Portal","too"]' ] || fail "$(cat "$shown")"
    sleep 1.1
    # GTK sends without waiting for an answer.
    begin python3 portal.py application org.example.App 'From GTK' 'its way' end-now
    eventually last_shown '["shop: From GTK","its way"]' || fail "$(cat "$shown" "$asked")"
    touch end-now
    ended_with 0
    sleep 1.1
    # Long texts are cut between characters; too many notifications are refused with a message.
    ask_bus call "${notifications[@]}" org.freedesktop.Notifications.Notify \
        "('e', uint32 7, '', '$(printf 'ä%.0s' {1..1000})', '$(printf 'ü%.0s' {1..5000})', @as [], @a{sv} {}, -1)"
    assert_output "(uint32 7,)"
    tail -n 1 "$shown" | jq -e '(.title | startswith("shop: ää") and length < 120) and (.body | startswith("üü"))'
    ask_bus flood 8
    assert_contains "AccessDenied"
    assert_contains "too often"
    ask_bus call "${notifications[@]}" org.freedesktop.Notifications.GetCapabilities
    assert_output "(['body'],)"
    ask_bus call "${notifications[@]}" org.freedesktop.Notifications.GetServerInformation
    assert_contains Litterbox
    ask_bus call "${notifications[@]}" org.freedesktop.Notifications.CloseNotification '(uint32 7,)'
    assert_output "()"
    configure '[desktop]\nnotify = false'
    box stop
    portal_fails org.freedesktop.portal.Error.NotAllowed org.freedesktop.portal.Notification.AddNotification "('id', {'title': <'x'>})"
    assert_contains "notify is false"
}

@test "portal: colour scheme, versions, introspection, and errors for what is not supported" {
    local settings=org.freedesktop.portal.Settings scheme
    assert_scheme 0
    # GTK's settings of the box.
    box run -- sh -c 'mkdir -p ~/.config/gtk-3.0; printf "[Settings]\ngtk-application-prefer-dark-theme=1\n" >~/.config/gtk-3.0/settings.ini'
    assert_scheme 1
    scheme=1
    for name in dark light; do
        configure '[box.env]\nLITTERBOX_COLOR_SCHEME = "'$name'"'
        box apply 2>/dev/null
        portal_answers "(<uint32 $scheme>,)" $settings.ReadOne "('org.freedesktop.appearance', 'color-scheme')"
        scheme=2
    done
    for each in "@as []" "['']" "['org.freedesktop.*']" "['a', 'org.freedesktop.appearance']"; do
        portal_answers "({'org.freedesktop.appearance': {'color-scheme': <uint32 2>}},)" $settings.ReadAll "($each,)"
    done
    portal_answers "(@a{sa{sv}} {},)" $settings.ReadAll "(['org.gnome.*'],)"
    portal_fails org.freedesktop.portal.Error.NotFound $settings.Read "('org.gnome.desktop.interface', 'gtk-theme')"
    portal_answers "(<uint32 5>,)" org.freedesktop.DBus.Properties.Get "('org.freedesktop.portal.OpenURI', 'version')"
    portal_fails org.freedesktop.DBus.Error.InvalidArgs org.freedesktop.DBus.Properties.Get "('org.freedesktop.portal.FileChooser', 'version')"
    portal_fails org.freedesktop.DBus.Error.UnknownMethod org.freedesktop.portal.FileChooser.OpenFile "('', 'x', @a{sv} {})"
    portal_fails org.freedesktop.DBus.Error.InvalidArgs org.freedesktop.portal.OpenURI.OpenURI "('x',)"
    ask_bus call "${portal[@]}" org.freedesktop.DBus.Introspectable.Introspect
    assert_contains '<method name="AddNotification"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/></method>'
}

@test "portal: a dark desktop is dark in the box, unless the box has settings of its own" {
    export XDG_CONFIG_HOME=$TEST_HOME/config
    CONFIG=$XDG_CONFIG_HOME/litterbox-$LITTERBOX_INSTANCE
    mkdir -p "$CONFIG" "$XDG_CONFIG_HOME/gtk-3.0"
    printf '[Settings]\ngtk-application-prefer-dark-theme=1\n' >"$XDG_CONFIG_HOME/gtk-3.0/settings.ini"
    assert_scheme 1
    box run -- sh -c 'mkdir -p ~/.config/gtk-3.0; printf "gtk-application-prefer-dark-theme=0\n" >~/.config/gtk-3.0/settings.ini'
    assert_scheme 0
    box run -- sh -c 'rm ~/.config/gtk-3.0/settings.ini'
    configure '[desktop]\nappearance = false'
    box apply 2>/dev/null
    assert_scheme 0
}

@test "portal: another portal in the box is not started in place of ours" {
    box run -- sh -c 'mkdir -p ~/.local/share/dbus-1/services && cd ~/.local/share/dbus-1/services &&
        for name in org.freedesktop.portal.Desktop org.freedesktop.Notifications org.example.Mine; do
            printf "[D-BUS Service]\nName=%s\nExec=/bin/sh -c \"touch %s/%s.started; sleep 1; exit 1\"\n" $name "$0" $name >$name.service
        done' "$PROJECT"
    portal_answers "()" org.freedesktop.DBus.Peer.Ping
    ask_bus call "${notifications[@]}" org.freedesktop.DBus.Peer.Ping
    assert_output "()"
    # Control: the box's own services are started.
    run timeout 60 box run -- python3 portal.py call org.example.Mine / a.b.C
    [ "$(echo ./*.started)" = ./org.example.Mine.started ]
}

@test "portal: GTK uses its own file dialog, as there is no portal for it" {
    configure '[desktop]\nwayland = "plain"'
    begin python3 portal.py chooser
    eventually has_window "choose a file" || fail "$(cat "$asked"; windows)"
    swaymsg -q '[app_id=.*] kill'
    ended_with 0
}
