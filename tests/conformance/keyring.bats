#!/usr/bin/env bats
# A secret whose value is in a real keyring: GNOME's, unlocked on a session bus. By hand (docs/testing.md).
# shellcheck disable=SC2154 # bats sets output

load ../escape/escape.bash
load ../escape/secrets.bash

setup_file() {
    local program
    for program in gnome-keyring-daemon secret-tool; do
        command -v "$program" >/dev/null || skip "$program is not here"
    done
    export REAL=ghp_realRealRealReal0123456789abcdefABCD
    secrets_begin ../escape/secrets_server.py {api,other,plain,checked}.secrets.test
    DBUS_SESSION_BUS_ADDRESS=unix:path=$TEST_HOME/bus
    export DBUS_SESSION_BUS_ADDRESS
    dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" 3>&- &
    BUS=$!
    export BUS
    eventually test -S "$TEST_HOME/bus"
    printf password | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 3>&- &
    KEYRING=$!
    export KEYRING
    eventually sh -c "printf %s '$REAL' | secret-tool store --label=forge service forge account 'me too'"
    escape_config '[network]
mode = "filtered"
allow = ["'"$OWN"':443"]
[box]
idle_stop = "never"'
}
teardown_file() {
    secrets_end secrets.test || return 0
    box secret remove forge
    box_teardown
    kill "$KEYRING" "$BUS"
}
setup() { escape_setup; }

@test "keyring: a value is read from it when the box starts, and the box has a placeholder" {
    box secret add forge --host api.secrets.test --as bearer --variable FORGE_TOKEN --source "keyring:service=forge,account=me too"
    run box secret test forge
    assert_output "secret 'forge' has a value of ${#REAL} characters"
    box secret attach forge
    # shellcheck disable=SC2016 # the box's shell expands it
    run in_box sh -c 'curl -sS -H "Authorization: Bearer $FORGE_TOKEN" https://api.secrets.test/who && echo "$FORGE_TOKEN"'
    assert_contains served
    refute_contains "$REAL"
    run cat "$TEST_HOME/seen"
    assert_output "api.secrets.test Bearer $REAL -"
}

@test "keyring: a value that is not there is said, and its host is refused" {
    secret-tool clear service forge account "me too"
    run box secret test forge
    [ "$status" != 0 ]
    assert_contains "the keyring has no such secret"
    box stop
    # shellcheck disable=SC2016
    run in_box sh -c 'curl -sS -H "Authorization: Bearer $FORGE_TOKEN" https://api.secrets.test/who 2>&1; true'
    refute_contains served
}
