#!/usr/bin/env bats
# The host's files, environment and descriptors (invariants 1, 2, 5).

load escape.bash

# What a user keeps at home: keys, tokens, another project, profiles of browsers, a history; and beside fonts and themes.
secrets=(
    .ssh/id_ed25519 .aws/credentials .gnupg/private-keys-v1.d/key .netrc .config/gh/hosts.yml .docker/config.json
    other-project/.env .mozilla/firefox/a.default/logins.json .config/chromium/Default/Cookies
    .var/app/org.mozilla.firefox/.mozilla/firefox/a.default/key4.db .local/share/keyrings/login.keyring .bash_history
    .local/share/secret .config/secret
)

setup_file() {
    escape_setup_file
    local path
    for path in "${secrets[@]}"; do
        mkdir -p "$(dirname "$HOME/$path")"
        echo "$SECRET" >"$HOME/$path"
    done
    echo "$SECRET" >"/tmp/of-the-host-$LITTERBOX_INSTANCE"
    # A desktop's sockets, at the usual paths and in the environment.
    python3 - "$XDG_RUNTIME_DIR" <<'END' 3>&- &
import os, socket, sys, time
kept = []
for name in ("bus", "wayland-0", "ssh-agent", "pulse-native"):
    s = socket.socket(socket.AF_UNIX)
    path = os.path.join(sys.argv[1], name)
    if os.path.exists(path):
        os.unlink(path)
    s.bind(path)
    s.listen()
    kept.append(s)
os.makedirs("/tmp/.X11-unix", exist_ok=True)
for name in ("/tmp/.X11-unix/X77", "\0/tmp/.X11-unix/X77"):
    s = socket.socket(socket.AF_UNIX)
    s.bind(name)
    s.listen()
    kept.append(s)
time.sleep(600)
END
    DESKTOP=$!
    export DESKTOP SECRET_TOKEN=$SECRET SSH_AUTH_SOCK=$XDG_RUNTIME_DIR/ssh-agent \
        DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus WAYLAND_DISPLAY=wayland-0 \
        DISPLAY=:77 XAUTHORITY=$HOME/.Xauthority LD_PRELOAD_OF_HOST=1
    eventually socket_listens /tmp/.X11-unix/X77
    box run -- true
}
teardown_file() {
    kill "$DESKTOP"
    (cd && rm "${secrets[@]}" && dirname "${secrets[@]}" | grep -v '^\.$' | xargs rmdir -p --ignore-fail-on-non-empty 2>/dev/null)
    rm -rf "/tmp/of-the-host-$LITTERBOX_INSTANCE" /tmp/.X11-unix/X77
    box_teardown
}
setup() { escape_setup; }

@test "host: a box cannot read secrets in the user's home (1)" {
    local paths=("${secrets[@]/#/$HOME/}")
    cat "${paths[@]}" # control: they exist
    run in_box cat "${paths[@]}"
    refute_contains "$SECRET"
    [ "$(grep -c 'No such file' <<<"$output")" = "${#secrets[@]}" ] || fail "$output"
}

@test "host: a box cannot read a neighbour of the project by path or '..' (1)" {
    run in_box cat ../neighbour/secret "$TEST_HOME/neighbour/secret" "$PROJECT/../neighbour/secret"
    [ "$status" != 0 ]
    refute_contains "$SECRET"
    run in_box ls -A ..
    assert_output shop
}

@test "host: a search over all readable files does not find the secret (1)" {
    # Control: the search finds it in the project.
    echo "$SECRET" >planted
    run in_box timeout 60 grep -rlsI "$SECRET" /home /root /run /tmp /var /mnt /media /srv /opt /etc
    assert_contains "$PROJECT/planted"
    [ "${#lines[@]}" = 1 ] || fail "found: $output"
    rm planted
}

@test "host: links and hard links in the project lead nowhere outside (1)" {
    ln -sfn "$HOME/.ssh/id_ed25519" link
    ln -sfn "$TEST_HOME/neighbour" folder
    run in_box cat link folder/secret
    [ "$status" != 0 ]
    refute_contains "$SECRET"
    rm link folder
}

@test "host: a box cannot read secrets of /etc (1)" {
    local path
    for path in shadow gshadow sudoers ssh/ssh_config ssh/sshd_config NetworkManager wpa_supplicant subuid machine-id.orig \
        ssl/private krb5.keytab apt docker containers environment gitconfig netrc wgetrc crontab fstab; do
        run in_box ls -d "/etc/$path"
        [ "$status" != 0 ] || fail "/etc/$path is in the box"
    done
    [ "$(in_box ls -A /etc/ssh)" = ssh_known_hosts2 ] # of the hosts of the project's remotes
    run in_box grep -rlsE 'PRIVATE KEY|password *=' /etc
    [ -z "$output" ] || [ "$(grep -vc '^/etc/\(vim\|java\|ImageMagick\|services\|login.defs\|ssl/openssl.cnf\|mime\)' <<<"$output")" = 0 ] ||
        fail "$output"
}

@test "host: of /etc a box sees only what every user of the host may read, with control (1)" {
    run find -L /etc -type f ! -perm -o=r
    assert_contains /etc/shadow # control
    in_box find /etc/ -type f >"$TEST_HOME/seen"
    [ "$(wc -l <"$TEST_HOME/seen")" -gt 10 ]
    run xargs -d '\n' -a "$TEST_HOME/seen" sh -c 'find -L "$@" ! -perm -o=r 2>/dev/null; true' find
    assert_output ""
}

@test "host: a box does not see the names of the host's users or its machine id (1)" {
    run in_box cat /etc/passwd
    [ "${#lines[@]}" = 3 ]
    if [ -s /etc/machine-id ]; then
        run in_box cat /etc/machine-id
        [ "$output" != "$(cat /etc/machine-id)" ]
    fi
}

@test "host: a box finds no other root folder through /proc (1)" {
    attack roots
    assert_refused
    attack_as_root roots
    assert_refused
    run in_box ls /proc/1/root/home
    [ "$status" != 0 ]
}

@test "host: a box cannot open a file by its handle, past the mounts (1)" {
    attack handle /usr/bin/env
    assert_refused EPERM
    attack handle "$PROJECT"
    assert_refused EPERM
}

@test "host: a box does not see the host's processes (2)" {
    # PID 1, the guard's processes, the session's processes; those of the session before may not have ended yet.
    eventually has_few_processes 12
    run in_box pgrep -f podman
    assert_status 1
    attack signal "$$" 0
    assert_refused ESRCH
}

@test "host: a box cannot see Litterbox's files or Podman's storage (2)" {
    local path
    for path in "$DATA" "$STATE" "$CONFIG" "$RUNTIME" "$HOME/.local/share/containers" \
        "$HOME/.config/containers" /run/podman /var/lib/containers "${CONTAINER_HOST#unix://}"; do
        run in_box ls "$path"
        [ "$status" != 0 ] || fail "$path is in the box"
    done
    # The path of the host's runtime folder is the box's own folder, with its own bus (bus.bats).
    run in_box ls -A "/run/user" "/run/user/$(id -u)"
    assert_output "/run/user:"$'\n'"$(id -u)"$'\n\n'"/run/user/$(id -u):"$'\n'bus
}

@test "host: no process of a box has the caller's environment (5)" {
    run in_box env
    refute_contains "$SECRET"
    refute_contains "$XDG_RUNTIME_DIR/wayland"
    refute_contains "$XDG_RUNTIME_DIR/ssh"
    refute_contains DISPLAY
    # The box has Litterbox's values and not the host's.
    assert_contains SSH_AUTH_SOCK=/run/litterbox/ssh/socket
    run box run -u root -- sh -c 'cat /proc/[0-9]*/environ | tr "\0" "\n"'
    refute_contains "$SECRET"
    refute_contains CONTAINER_HOST
}

@test "host: of the caller's variables a box gets those of language, time zone, terminal and looks alone, with control (5)" {
    local name mark=of-the-caller
    local -a variables=("TERM=xterm-$mark" "TZ=$mark" LANG=C.UTF-8)
    for name in AWS_SECRET_ACCESS_KEY GITHUB_TOKEN http_proxy BASH_ENV ENV PYTHONPATH LD_LIBRARY_PATH EDITOR PS1 \
        GIT_SSH_COMMAND LESSOPEN LITTERBOX_WORD BOX_WORD XDG_CURRENT_DESKTOP SUDO_COMMAND A_; do
        variables+=("$name=$mark")
    done
    run --separate-stderr env "${variables[@]}" box run -- env
    [ "$(grep "$mark" <<<"$output" | sort)" = "TERM=xterm-$mark
TZ=$mark
XDG_CURRENT_DESKTOP=$mark" ] || fail "$output"
    run --separate-stderr env "${variables[@]}" box run -e GITHUB_TOKEN -- env
    assert_contains "GITHUB_TOKEN=$mark" # control
}

@test "host: a box cannot reach sockets of the desktop, D-Bus or the SSH agent (2)" {
    local path
    # "bus" is the box's own: see bus.bats.
    for path in wayland-0 ssh-agent pulse-native ../../dbus/system_bus_socket; do
        attack control "$XDG_RUNTIME_DIR/$path"
        assert_refused ENOENT
    done
    attack control /tmp/.X11-unix/X77
    assert_refused ENOENT
    # Control: on the host they exist. They close the connection, which is not refused.
    run "$ATTACK" control /tmp/.X11-unix/X77
    refute_contains ENOENT
}

@test "host: a box cannot reach the host's abstract sockets (2)" {
    grep -q @/tmp/.X11-unix/X77 /proc/net/unix # control
    attack control @/tmp/.X11-unix/X77
    assert_refused ECONNREFUSED
    run in_box cat /proc/net/unix
    refute_contains X11
}

@test "host: a box finds no sockets but its own (2)" {
    run in_box find / -xdev -type s
    refute_contains sock
    # Created for this box: the SSH agent's (agent.bats), the one for
    # desktop requests (desktop.bats), and its own bus (bus.bats).
    run in_box sh -c 'find /run /tmp /var /home -type s ! -path /run/litterbox/ssh/socket \
        ! -path /run/litterbox/desktop/requests ! -path "$XDG_RUNTIME_DIR/bus" 2>/dev/null'
    assert_output ""
}

@test "host: a box cannot reopen a file on stdin for writing (1)" {
    echo "$SECRET" >"$TEST_HOME/input"
    run in_box ./attack reopen 0 <"$TEST_HOME/input"
    assert_refused
    [ "$(cat "$TEST_HOME/input")" = "$SECRET" ]
    # Controls: on the host it works, and in the box the file can be read.
    run "$ATTACK" reopen 0 <"$TEST_HOME/input"
    assert_succeeded
    run in_box cat <"$TEST_HOME/input"
    assert_output "$SECRET"
}

@test "host: a box cannot reopen a file on stdout for reading (1)" {
    echo "$SECRET" >"$TEST_HOME/log"
    box run -- timeout 1 sh -c 'cat /proc/self/fd/1 >&2' >>"$TEST_HOME/log" 2>"$TEST_HOME/seen" </dev/null || true # timeout ends it
    run cat "$TEST_HOME/seen"
    refute_contains "$SECRET"
    box run -- sh -c ': >/proc/self/fd/1; echo end' >>"$TEST_HOME/log" </dev/null
    run cat "$TEST_HOME/log"
    assert_contains "$SECRET" # the box has not truncated it
    assert_contains end
}

@test "host: a box cannot leave its root through a folder on stdin (1)" {
    run "$ATTACK" walk-out <"$PROJECT"
    assert_succeeded
    run box run -- ./attack walk-out <"$PROJECT"
    [ "$status" != 0 ]
    refute_contains SUCCEEDED
}

@test "host: a box cannot write system folders (1)" {
    local path
    for path in /usr/bin/evil /usr/evil /bin/evil /etc/evil /etc/profile.d/evil.sh /evil /lib/evil \
        /var/lib/evil /opt/evil /root/evil /run/evil /boot/evil; do
        run in_box sh -c "echo evil >$path"
        [ "$status" != 0 ] || fail "wrote $path"
        run box run -u root -- sh -c "echo evil >$path"
        # /run is a tmpfs of the box.
        [ "$status" != 0 ] || [ "$path" = /run/evil ] || fail "root wrote $path"
        [ ! -e "$path" ]
    done
}

@test "host: a box has its own /tmp, shared memory, queues and semaphores (2)" {
    run in_box cat "/tmp/of-the-host-$LITTERBOX_INSTANCE"
    [ "$status" != 0 ]
    in_box sh -c "echo x >/tmp/of-the-box; echo x >/dev/shm/of-the-box"
    [ ! -e /tmp/of-the-box ]
    [ ! -e /dev/shm/of-the-box ]
    run in_box ipcs -a
    refute_contains 0x
}
