#!/usr/bin/env bats
# The SSH agent's systemd units, in a real `systemd --user` of the test's own.

load ../lib/box.bash
load ../lib/ssh.bash
setup() {
    # systemd makes itself at home there.
    USUAL_RUNTIME=$XDG_RUNTIME_DIR
    XDG_RUNTIME_DIR=$(mktemp -d /tmp/units-XXXXXX)
    export XDG_RUNTIME_DIR
    agent_setup
    units=$(dirname "$(command -v box)")/../lib/systemd/user
    user_manager_start
}
teardown() {
    ssh_teardown
    # Of itself, and not by a signal to bwrap, which would leave systemd and its units behind.
    systemctl --user exit || true
    wait "$MANAGER" || true
    local folder=$XDG_RUNTIME_DIR
    XDG_RUNTIME_DIR=$USUAL_RUNTIME
    box_teardown
    chmod -R u+rwX "$folder"
    # What is just ending may still make a file there.
    eventually rm -rf "$folder"
}

# The installed units, for this test's instance of Litterbox and with less patience. systemd wants to
# have been booted: a folder in a /run of its own says so.
user_manager_start() {
    local folder=$TEST_HOME/.config/systemd/user
    mkdir -p "$folder"
    cp "$units"/litterbox-ssh-agent.* "$folder"
    sed -i "s#%t/litterbox/#%t/litterbox-$LITTERBOX_INSTANCE/#" "$folder/litterbox-ssh-agent.socket"
    sed -i "s#^ExecStart=.*#ExecStart=$(realpath "$units/../../../libexec/litterbox")/litterbox-ssh-agent --idle 2\n\
Environment=LITTERBOX_INSTANCE=$LITTERBOX_INSTANCE#" "$folder/litterbox-ssh-agent.service"
    env -u DBUS_SESSION_BUS_ADDRESS XDG_CONFIG_HOME="$TEST_HOME/.config" \
        bwrap --bind / / --dev-bind /dev /dev --tmpfs /run --dir /run/systemd/system \
        --bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR" --bind /sys/fs/cgroup /sys/fs/cgroup \
        --die-with-parent -- /usr/lib/systemd/systemd --user >"$TEST_HOME/manager" 2>&1 3>&- 4>&- &
    MANAGER=$!
    eventually test -S "$XDG_RUNTIME_DIR/systemd/private" || fail "$(cat "$TEST_HOME/manager")"
    eventually systemctl --user start litterbox-ssh-agent.socket
}
unit() { systemctl --user show -P "$1" "${2:-litterbox-ssh-agent.service}"; }
is_unit() { [ "$(unit "$1")" = "$2" ]; }
# The agent that holds the lock is the one that systemd has started.
unit_is_agent() { [ "$(agent_pid)" = "$(unit MainPID)" ]; }
# was_started PID: it has run, and may have ended since, and is another process than PID.
was_started() { [[ $(unit ExecMainPID) != @("$1"|0) ]]; }

@test "agent units: systemd finds nothing wrong with them" {
    run systemd-analyze verify --user "$units/litterbox-ssh-agent.socket" "$units/litterbox-ssh-agent.service"
    assert_status 0
    refute_contains litterbox-ssh-agent
}

@test "agent units: a request starts the agent, it ends when idle, and the next request starts it again" {
    is_unit ActiveState inactive
    local pid
    box consent status
    eventually was_started 0
    pid=$(unit ExecMainPID)
    eventually is_unit ActiveState inactive
    [ "$(unit Result)" = success ]
    [ -S "$RUNTIME/.agent/control" ]
    box run -- true
    eventually was_started "$pid"
    # A box that runs keeps it.
    sleep 4
    is_unit ActiveState active
    unit_is_agent
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" = 0 ]
    box stop
    eventually is_unit ActiveState inactive
    [ -S "$RUNTIME/.agent/control" ]
}

@test "agent units: killed, it is started again and serves the boxes it had" {
    box run -- true
    local pid
    eventually is_unit ActiveState active
    pid=$(unit MainPID)
    kill -KILL "$pid"
    eventually process_ended "$pid"
    eventually is_unit ActiveState active
    # By nobody's command: what runs in the box finds it.
    # systemd calls it active before it listens.
    eventually box run -- ssh-add -l
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent units: what they take away is gone" {
    box run -- true
    local pid
    eventually is_unit ActiveState active
    pid=$(unit MainPID)
    [ "$pid" != 0 ] || fail "$(systemctl --user status litterbox-ssh-agent.service; cat "$TEST_HOME/manager")"
    [ "$(unit NoNewPrivileges)" = yes ]
    [ "$(unit LimitCORE)" = 0 ]
    [ "$(unit MemorySwapMax)" = 0 ]
    [ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")" = 2 ]
    [ "$(awk '/^Umask:/ { print $2 }' "/proc/$pid/status")" = 0077 ]
    [ "$(stat -c %a "$RUNTIME/.agent/control")" = 600 ]
}

# An agent that box has started, whose pid is $pid, while the units are not there.
started_by_box() {
    systemctl --user stop litterbox-ssh-agent.socket litterbox-ssh-agent.service
    rm -f "$RUNTIME/.agent/control"
    box run -- true
    pid=$(agent_pid)
    [ -n "$pid" ]
}

@test "agent units: an agent that box has started gives way to the units, which serve its boxes" {
    local pid
    started_by_box
    is_unit MainPID 0
    systemctl --user start litterbox-ssh-agent.socket
    box consent status
    eventually process_ended "$pid"
    eventually is_unit ActiveState active
    eventually unit_is_agent
    [ -S "$RUNTIME/.agent/control" ]
    run --separate-stderr box run -- ssh-add -l
    assert_output "256 $(fingerprint work) work (ED25519)"
}

@test "agent units: an agent that ends leaves the units' socket alone" {
    local pid
    started_by_box
    systemctl --user start litterbox-ssh-agent.socket
    kill "$pid"
    eventually process_ended "$pid"
    [ -S "$RUNTIME/.agent/control" ]
    box consent status
    eventually is_unit ActiveState active
}
