# A system bus and a real systemd-logind for one test, without systemd as PID 1 and without root:
# the user is root of a user namespace, logind reads its sessions from disk as after a restart,
# and logind_friends.py answers for systemd and polkit.
# shellcheck shell=bash

# bus_start: starts a system bus for this test; its socket is $BUS/socket.
bus_start() {
    BUS=$TEST_HOME/bus
    mkdir -p "$BUS"
    export BUS DBUS_SYSTEM_BUS_ADDRESS=unix:path=$BUS/socket
    cat >"$BUS/config" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path=$BUS/socket</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
END
    dbus-daemon --config-file="$BUS/config" --nofork --nopidfile 2>"$BUS/log" 3>&- 4>&- &
    BUS_DAEMON=$!
    eventually socket_listens "$BUS/socket"
}

# logind_start [NAME…]: starts logind with these sessions of the user (c1 by default).
logind_start() {
    local uid name
    uid=$(id -u)
    mkdir -p "$BUS/saved/sessions" "$BUS/saved/users" "$BUS/power"
    # Redirects its writes to /sys/power to files of the test.
    echo mem >"$BUS/power/state"
    echo '[s2idle] deep' >"$BUS/power/mem_sleep"
    printf '%s\n' "NAME=$(id -un)" STATE=active STOPPING=no REALTIME=1 MONOTONIC=1 \
        "SESSIONS=${*:-c1}" "ACTIVE_SESSIONS=${*:-c1}" "ONLINE_SESSIONS=${*:-c1}" >"$BUS/saved/users/$uid"
    for name in "${@:-c1}"; do
        session_file "$name" "$uid"
    done
    friends_start
    logind_run "${1:-c1}"
}

friends_start() {
    : >"$BUS/friends" # what earlier ones have written
    python3 "$BATS_TEST_DIRNAME/../lib/logind_friends.py" 2>"$BUS/friends" >/dev/null 3>&- 4>&- &
    HELPERS+=($!)
    eventually grep -q systemd1 "$BUS/friends"
    eventually grep -q PolicyKit1 "$BUS/friends"
}

# logind_run SESSION: starts or restarts logind and waits for that session.
logind_run() {
    # Written again, because newer versions record there what only systemd could pass to the next.
    rm -rf "$BUS/run"
    cp -r "$BUS/saved" "$BUS/run"
    # shellcheck disable=SC2016 # the inner shell expands these
    unshare --user --map-root-user --mount -- sh -c '
        mount -t tmpfs tmpfs /run && mkdir /run/systemd && mount --bind "$BUS/run" /run/systemd &&
        mount --bind "$BUS/power" /sys/power &&
        exec /lib/systemd/systemd-logind' 2>"$BUS/logind.log" 3>&- 4>&- &
    LOGIND=$!
    eventually has_session "$1"
}

# A session lasts while its pipe is open and it has a process.
session_file() { # NAME UID
    mkfifo "$BUS/$1.ref"
    sleep infinity <>"$BUS/$1.ref" 3>&- 4>&- &
    HELPERS+=($!)
    printf '%s\n' "UID=$2" "USER=$(id -un)" ACTIVE=1 STATE=active REMOTE=0 TYPE=x11 CLASS=user \
        "FIFO=$BUS/$1.ref" "SCOPE=session-$1.scope" SERVICE=test "LEADER=$!" \
        AUDIT=0 REALTIME=1 MONOTONIC=1 >"$BUS/saved/sessions/$1"
}

has_session() { logind "" Manager.ListSessions 2>/dev/null | grep -q "/session/$1\""; }

# logind PATH METHOD [ARGUMENT…]: calls it; PATH is below /org/freedesktop/login1.
logind() {
    dbus-send --system --print-reply --dest=org.freedesktop.login1 "/org/freedesktop/login1$1" \
        "org.freedesktop.login1.$2" "${@:3}"
}

# As a desktop's menu does. The machine stays awake, because there is no systemd to suspend it.
suspend() { logind "" Manager.Suspend boolean:false; }

# What a desktop reports when its screen is locked or unlocked.
screen_locked() { logind "/session/${2:-c1}" Session.SetLockedHint "boolean:$1" >/dev/null; }

# stop_and_wait PID: ends the process and waits for its end.
stop_and_wait() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

bus_stop() {
    local pid
    for pid in "${HELPERS[@]}" ${LOGIND:-} ${BUS_DAEMON:-}; do
        stop_and_wait "$pid"
    done
}
