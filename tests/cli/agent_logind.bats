#!/usr/bin/env bats
# The SSH agent and logind: a locked screen, sleep, and a bus that lies or dies.
# shellcheck disable=SC2030,SC2031 # each test is a subshell
load ../lib/box.bash
load ../lib/ssh.bash
load ../lib/logind.bash
setup() {
    agent_setup
    HELPERS=()
    bus_start
}
teardown() {
    ssh_teardown
    bus_stop
    box_teardown
}

is_held() { [ "$(box consent status --json | jq .held)" = true ]; }
not_held() { [ "$(box consent status --json | jq .held)" = false ]; }
is_shown() { [ "$(box consent pending --json | jq -c '[.[].shown]')" = "[$1]" ]; }
no_grants() { [ "$(box consent grants --json)" = "[]" ]; }

# A question answered with "until the box stops".
grant() {
    rm -f ended
    sign_in_box "${1:-git}" &
    answer box
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    [ "$(box consent grants --json | jq length)" = 1 ]
}

@test "agent and logind: a locked screen ends grants; a question waits for it to be unlocked" {
    logind_start
    grant
    screen_locked true
    eventually is_held
    no_grants
    rm ended
    sign_in_box git &
    eventually has_pending
    is_shown false
    sleep 1
    is_shown false
    screen_locked false
    eventually is_shown true
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    [ "$(box consent log --json | jq -r 'select(.event == "grants cleared") | .why')" = "screen locked" ]
    # All of that within the sandbox.
    [ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$(agent_pid)/status")" = 2 ]
}

@test "agent and logind: behind a locked screen a question ends as a no, and the box is heard after" {
    logind_start
    box run -- true
    screen_locked true
    eventually is_held
    sign_in_box git &
    eventually has_pending
    eventually --within 80 test -s ended
    [ "$(cat ended)" != 0 ]
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = timeout ]
    screen_locked false
    rm ended
    sign_in_box git &
    eventually is_shown true
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
}

@test "agent and logind: an agent that starts behind a locked screen knows it" {
    logind_start
    screen_locked true
    box run -- true
    eventually is_held
    agent_kill
    box run -- true
    eventually is_held
    screen_locked false
    eventually not_held
}

@test "agent and logind: a request to lock counts at once, and not for ever where nobody says locked" {
    logind_start
    grant
    logind /session/c1 Session.Lock
    eventually is_held
    no_grants
    logind /session/c1 Session.Unlock
    eventually not_held
    # Unlock is a request, too: the screen is locked as long as it is said to be.
    screen_locked true
    logind /session/c1 Session.Unlock
    sleep 1
    is_held
    screen_locked false
    eventually not_held
    logind /session/c1 Session.Lock
    eventually is_held
    eventually not_held
}

@test "agent and logind: sleep ends grants" {
    logind_start
    grant
    suspend
    eventually no_grants
    [ "$(box consent log --json | jq -r 'select(.event == "grants cleared") | .why')" = suspend ]
    not_held
}

@test "agent and logind: one of two sessions is locked; one that is gone holds nothing back" {
    logind_start c1 c2
    box run -- true
    eventually not_held
    screen_locked true c2
    eventually is_held
    screen_locked false c1
    sleep 1
    is_held
    # While logind is away, locked stays locked.
    stop_and_wait "$LOGIND"
    sleep 1
    is_held
    rm "$BUS/saved/sessions/c2"
    sed -i 's/ c2//' "$BUS/saved/users/$(id -u)"
    logind_run c1
    eventually not_held
}

@test "agent and logind: signals of others, for others and of the wrong type change nothing" {
    logind_start
    grant
    screen_locked true
    eventually is_held
    local session=/org/freedesktop/login1/session/c1 login=org.freedesktop.login1
    # Not logind's.
    dbus-send --system --type=signal "$session" $login.Session.Unlock
    dbus-send --system --type=signal "$session" org.freedesktop.DBus.Properties.PropertiesChanged \
        string:$login.Session dict:string:boolean:LockedHint,false array:string:
    sleep 1
    is_held
    screen_locked false
    eventually not_held
    rm ended
    grant file
    dbus-send --system --type=signal "$session" $login.Session.Lock
    dbus-send --system --type=signal /org/freedesktop/login1 $login.Manager.PrepareForSleep boolean:true
    sleep 1
    not_held
    [ "$(box consent grants --json | jq length)" = 1 ]
}

@test "agent and logind: a bus that goes away while the screen is locked unlocks nothing, and is found again" {
    logind_start
    grant
    screen_locked true
    eventually is_held
    stop_and_wait "$BUS_DAEMON"
    sleep 1
    is_held
    rm ended
    sign_in_box git &
    eventually has_pending
    is_shown false
    # A person at a terminal has unlocked something.
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    stop_and_wait "$LOGIND"
    bus_start
    friends_start
    logind_run c1
    eventually not_held
    screen_locked true
    eventually is_held
}

@test "agent and logind: no bus, one that hangs, and one that talks nonsense cost nothing" {
    stop_and_wait "$BUS_DAEMON"
    grant
    local how
    for how in 'SYSTEM:sleep 600' 'SYSTEM:cat /dev/urandom' 'SYSTEM:echo OK 0123; head -c 100000 /dev/zero; sleep 600' EXEC:true; do
        agent_kill
        # Else the last one's socket is taken for this one's.
        [ "${#HELPERS[@]}" = 0 ] || stop_and_wait "${HELPERS[-1]}"
        rm -f "$BUS/socket"
        socat "UNIX-LISTEN:$BUS/socket,fork" "$how" >/dev/null 2>&1 3>&- 4>&- &
        HELPERS+=($!)
        eventually socket_listens "$BUS/socket"
        grant || fail "$how"
        not_held
    done
}

@test "agent and logind: a logind that talks nonsense opens nothing" {
    python3 "$BATS_TEST_DIRNAME/../lib/false_logind.py" >/dev/null 2>"$BUS/false" 3>&- 4>&- &
    HELPERS+=($!)
    eventually grep -q ready "$BUS/false"
    box run -- true
    # It said "locked" first, as it should be said; then everything else.
    eventually is_held
    eventually grep -q finished "$BUS/false"
    sleep 1
    is_held
    sign_in_box git &
    eventually has_pending
    is_shown false
    answer deny
}
