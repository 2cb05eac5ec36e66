#!/usr/bin/env bats
# Which parts of the host a box sees: project modes, hidden parts, mounts, throw-away boxes, network.

load ../lib/box.bash
setup() {
    box_setup
    mkdir -p "$CONFIG"
    echo a >a
    mkdir d
    echo c >d/c
}
teardown() { box_teardown; }

@test "ephemeral: has a fresh home and the real project, and leaves nothing behind" {
    box run -- sh -c 'echo mine > ~/mine'
    run --separate-stderr box run --ephemeral -- sh -c 'test -e ~/mine || echo fresh; cat a; echo made > made'
    assert_output "fresh"$'\n'"a"
    [ -e made ]
    [ "$(containers | wc -l)" = 1 ]
    [ -z "$(ls -A "$DATA/ephemeral")" ]
    run box run --ephemeral -- sh -c 'exit 9'
    assert_status 9
}

@test "ephemeral: the next one removes what a killed box left" {
    box run --ephemeral -- sh -c 'echo ready; exec sleep 1000' >out 2>&1 3>&- &
    pid=$!
    eventually grep -q ready out
    kill -KILL "$pid"
    wait "$pid" || true
    box run --ephemeral -- true
    eventually sh -c '[ -z "$(ls -A "$DATA/ephemeral")" ]'
    [ -z "$(containers)" ]
}

@test "file: only the named files of the project are shown, and are writable" {
    run --separate-stderr box run --file a --file d/c -- sh -c 'find . -type f | sort; echo new > a; touch other'
    assert_output "./a"$'\n'"./d/c"
    [ "$(cat a)" = new ]
    [ ! -e other ]
    run box run --file ../x -- true
    assert_status 64
}

@test "project: ro has writable parts" {
    mkdir out
    user_config '[project]
mode = "ro"
writable = ["out"]'
    run box run -- sh -c 'echo x > a'
    [ "$status" != 0 ]
    box run -- sh -c 'echo x > out/x'
    [ -e out/x ]
}

@test "project: overlay keeps changes in the box" {
    user_config '[project]
mode = "overlay"'
    box run -- sh -c 'echo changed > a; echo new > b; rm d/c'
    [ "$(cat a)" = a ]
    [ ! -e b ]
    [ -e d/c ]
    run --separate-stderr box run -- sh -c 'cat a b; ls d'
    assert_output "changed"$'\n'"new"
}

@test "project: a box starts when it has removed in an overlay what is mounted on there since" {
    mkdir cache "$TEST_HOME/shared" && echo secret >.env && echo shared >"$TEST_HOME/shared/f"
    user_config '[project]
mode = "overlay"'
    box run -- rm -r .env cache
    box stop
    user_config "[project]
mode = \"overlay\"
hidden = [\".env\"]
[[mount]]
source = \"$TEST_HOME/shared\"
target = \"$PROJECT/cache\""
    run --separate-stderr box run -- sh -c 'cat cache/f .env'
    assert_contains shared
    refute_contains secret
}

@test "project: hidden paths show nothing" {
    echo secret >.env
    mkdir private && echo secret >private/key
    user_config '[project]
hidden = [".env", "private"]'
    run box run -- sh -c 'cat .env private/key; ls private'
    refute_contains secret
}

@test "mounts: ro, rw and overlay are at their targets" {
    mkdir -p "$TEST_HOME/x" && echo x >"$TEST_HOME/x/f"
    user_config "[[mount]]
source = \"$TEST_HOME/x\"
target = \"/mnt/ro\"
mode = \"ro\"
[[mount]]
source = \"$TEST_HOME/x\"
target = \"/mnt/rw\"
mode = \"rw\""
    run --separate-stderr box run -- sh -c 'cat /mnt/ro/f; echo y > /mnt/rw/g; echo z > /mnt/ro/h; echo tried'
    assert_contains tried
    [ "$(cat "$TEST_HOME/x/g")" = y ]
    [ ! -e "$TEST_HOME/x/h" ]
}

@test "network: none has only loopback and shows nothing of the host's network" {
    user_config '[network]
mode = "none"'
    run --separate-stderr box run -- sh -c 'ls /sys/class/net; cat /etc/resolv.conf /etc/hosts'
    assert_contains lo
    refute_contains "$(hostname)"
    [ "$(box run -- ls /sys/class/net 2>/dev/null)" = lo ]
}

@test "network: open does not reach servers on the host's loopback" {
    python3 -m http.server --bind 127.0.0.1 18080 >/dev/null 2>&1 3>&- &
    server=$!
    eventually sh -c 'curl -s http://127.0.0.1:18080/ >/dev/null'
    for address in 127.0.0.1 10.0.2.2 169.254.1.2 host.containers.internal localhost; do
        # Another server may answer at such an address.
        run box run --timeout 5s -- curl -s -m 2 "http://$address:18080/"
        refute_contains "Directory listing"
    done
    kill "$server"
}

@test "network: published ports are on 127.0.0.1" {
    user_config '[network]
mode = "open"
ports = ["18081:8000"]'
    box run --detach -- python3 -m http.server 8000
    eventually sh -c 'curl -s http://127.0.0.1:18081/ | grep -q "Directory listing"'
    run ss -ltn
    [[ ! $output =~ (0\.0\.0\.0|\[::\]|\*):18081 ]]
}

@test "setup: runs once in a new home; a failure is shown, and it runs again" {
    printf '#!/bin/sh\necho run >> ~/setup.log\n[ -e ok ]\n' >setup.sh
    chmod +x setup.sh
    user_config '[home]
setup = "setup.sh"'
    run box run -- true
    assert_status 0
    assert_contains "setup 'setup.sh' failed"
    touch ok
    box run -- true
    box run -- true
    [ "$(box run -- cat "$HOME/setup.log" 2>/dev/null | wc -l)" = 2 ]
}

@test "setup: a slow failure does not prevent sessions, and it runs again in each session" {
    # Longer than box-init waits for a client's request.
    printf '#!/bin/sh\necho run >> ~/setup.log\nsleep 12\nexit 1\n' >setup.sh
    chmod +x setup.sh
    user_config '[home]
setup = "setup.sh"'
    box start
    run --separate-stderr box run -- cat "$HOME/setup.log"
    assert_status 0
    assert_output run
}

@test "parts: no process of a box shows a long command line, though PID 1 gets one" {
    mkdir -p .git
    [ "$(box plan --json | jq '.command | join(" ") | length')" -gt 2000 ]
    BOX_DEBUG=init box start
    # box-init has read it nevertheless.
    eventually sh -c "box logs 2>&1 | grep -qE 'init: listens; .* [1-9][0-9]+ protected names'"
    run ! box run -- sh -c 'echo x >.envrc'
    box run -- sh -c 'for pid in /proc/[0-9]*; do
        printf "%s %s\n" "$(wc -c <"$pid/cmdline")" "$(tr "\0" " " <"$pid/cmdline")"; done' >lines.txt
    grep -qx '25 /run/litterbox/root/init ' lines.txt || fail "$(cat lines.txt)"
    run awk '$1 + 0 > 500' lines.txt
    assert_output ""
}
