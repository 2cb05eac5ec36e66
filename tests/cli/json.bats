#!/usr/bin/env bats
# --json: the conventions of box(1), JSON OUTPUT, hold for every command that the table has with it.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { box_setup; }
teardown() {
    ssh_teardown
    box_teardown
}

# Each command line of the table that takes --json, without operands.
json_commands() {
    box help --json | jq -r '.[] | . as $command |
        (select(.json) | .name), (.verbs[] | select(.json) | "\($command.name) \(.name)")'
}

# Paths of FILE's values that break a convention, with the reason, a line each.
breaches() {
    jq -r '
        def times: ["time", "started", "created"];
        def integers: ["size", "bytes", "memory", "memory_limit", "pids", "pids_limit", "home", "image_size",
            "idle", "left", "idle_left", "processes", "sessions", "port", "pid", "uses", "most"];
        paths as $path | getpath($path) as $value |
            ($path | last | if type == "string" then . else "entry" end) as $name | select(
            ($name | test("^[a-z][a-z0-9_]*$") | not) or $value == "" or
            (($name | IN(times[])) and $value != null and
                ($value | tostring | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z$") | not)) or
            (($name | IN(integers[])) and ($value | type) == "number" and $value != ($value | floor)) or
            (($value | type) == "string" and ($value | test("^[0-9.]+ ?(B|[kKMGT]i?B|s|min|h)$")))
        ) | "\($path | map(tostring) | join(".")): \($value)"' "$1"
}

# box net is for a box that has rules.
with_rules() {
    trust_file '[network]
mode = "filtered"'
}

# check_json: every command of the table keeps the conventions; $1 names the only key of the store.
check_json() {
    local line operand status
    while read -r line; do
        operand=
        [ "$line" != 'keys show' ] || operand=$1
        [[ $line != 'net why' && $line != 'net check' ]] || operand=example.org
        [ "$line" != run ] || operand='-- true'
        [ "$line" != 'agent info' ] || operand=claude
        if [ "$line" = 'branch diff' ]; then
            operand=$(box branch list --json | jq -r '.[0].name // empty')
            [ -n "$operand" ] || { echo "$line" && continue; }
        fi
        [[ $line != 'snapshot show' && $line != 'snapshot diff' ]] || operand=1
        status=0
        # shellcheck disable=SC2086 # words
        box $line --json $operand >out.json 2>err.txt </dev/null || status=$?
        # Its status is what it has found.
        [ "$status" = 0 ] || [ "$line" = doctor ] || [[ "$line $status" == net\ [wc]h*\ 1 ]] || fail "box $line --json: status $status: $(cat err.txt)"
        jq -e -n '[inputs] | length >= 0' out.json >jq.txt 2>&1 || fail "box $line --json: no JSON: $(cat out.json jq.txt)"
        case $line in
        build | 'consent log' | 'net log') ;; # lines, and none when nothing was done
        *) [ -s out.json ] || fail "box $line --json: prints nothing" ;;
        esac
        case $line in
        plan) ;;        # Podman defines it
        'config show') # has a key for each setting
            jq -e 'all(.[]; keys == ["file", "origin", "value"])' out.json >jq.txt || fail "box $line"
            # No value is JSON or TOML within a string.
            jq -e '[.[].value | strings | select(test("^[\\[{\"]") or . == "")] == []' out.json >jq.txt ||
                fail "box $line: $(cat out.json)" ;;
        *) [ -z "$(breaches out.json)" ] || fail "box $line --json: $(breaches out.json)" ;;
        esac
        echo "$line"
    done < <(json_commands) >checked.txt
    [ "$(cat checked.txt)" = "$(json_commands)" ] || fail "stopped after $(tail -n 1 checked.txt)"
    grep -qx 'list' checked.txt
    grep -qx 'consent status' checked.txt
    [ "$(wc -l <checked.txt)" -ge 15 ]
}

@test "json: the test finds what breaks a convention" {
    echo '{"Name": 1, "started": 1740830405, "size": 1.5, "image": "", "limit": "8 GiB", "list": [{"created": "yesterday"}]}' >bad.json
    run breaches bad.json
    [ "${#lines[@]}" = 6 ] || fail "$output"
    echo '{"name": "x", "started": "2025-03-01T12:00:05Z", "size": 5, "image": null, "pids": [], "cpu": 1.5}' >good.json
    run breaches good.json
    assert_output ''
}

@test "json: whatever lists or shows something has --json" {
    run jq -r '.[] | . as $command | .verbs[] |
        select(.json | not) | select(.name | IN("list", "show", "files", "templates", "status", "pending", "grants", "log")) |
        "\($command.name) \(.name)"' <(box help --json)
    assert_output ''
}

@test "json: a setting has the type that it has in the file, sizes in bytes and durations in seconds" {
    cat >litterbox.toml <<'END'
[box]
idle_stop = "never"
env = { A = "1" }
packages = ["git"]
[limits]
memory = "1G"
cpus = 1.5
pids = 99
[network]
ports = ["8080:80"]
[home]
share = ["~/x:ro"]
[[mount]]
source = "/usr"
target = "/mnt"
[podman]
umask = "0077"
END
    box config show --json --set network.ping=true >out.json
    jq -e '[."box.idle_stop", ."box.env", ."box.packages", ."limits.memory", ."limits.cpus", ."limits.pids",
        ."network.ports", ."home.share", .mount, .podman, ."network.ping", ."box.shell"] | map(.value) ==
        ["never", {"A": "1"}, ["git"], 1073741824, 1.5, 99, ["127.0.0.1:8080:80"], [{"source": "~/x", "mode": "ro"}],
        [{"source": "/usr", "target": "/mnt", "mode": "ro"}], {"umask": "0077"}, true, null]' out.json || fail "$(cat out.json)"
    box config show --json --set box.idle_stop='"10m"' | jq -e '."box.idle_stop" | .value == 600 and .origin == "flag" and .file == null'
}

@test "json: times are UTC for programs, and local with their zone for people" {
    local zoned='20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} TST'
    export TZ=TST-5
    ssh_setup work
    attach work
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    BOX_DEBUG=init sign_in_box git &
    answer deny
    eventually test -s ended
    box status | grep -E "^started +$zoned\$"
    box status --json | jq -e '.started | test("Z$")'
    box consent log | grep -E "^$zoned  shop"
    box consent log --json | jq -se 'length > 0 and all(.[]; .time | test("Z$"))'
    box keys show mine | grep -E "since $zoned\$"
    box logs --helpers | grep -E '^20[0-9-]+T[0-9:.]+[+]05:00 '
    # The clock is the same.
    [ "$(date -d "$(box status --json | jq -r .started)" +%s)" = \
        "$(date -d "$(box status | sed -n 's/^started *\(.*\) TST$/\1+05/p')" +%s)" ]
}

@test "json: the conventions hold where there is nothing yet" {
    box init >/dev/null 2>&1
    with_rules
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    check_json mine
}

@test "json: the conventions hold with a box that runs, with keys, ports, devices and a log" {
    with_rules
    ssh_setup work
    attach work
    echo pw | box keys generate --password-fd 0 mine >/dev/null
    box run -- true
    box consent lock
    box run -- ssh-add -l || true # the agent is locked
    box consent unlock
    box port add 1 2>/dev/null || true # it is not opened, but listed
    box run --branch try -- touch new
    check_json mine
    # Unknown is null, and what is known is not.
    eventually sh -c 'box status --json | jq -e ".started != null and (.ssh.keys | length) == 1 and .sessions == 0"'
    eventually sh -c 'box list --json | jq -e ".[0].idle_left | type == \"number\""'
    box keys show --json mine | jq -e '.created | test("Z$")'
    box stop
    box list --json | jq -e '.[0] | .started == null and .sessions == null and .idle_left == null'
    box consent status --json | jq -e '.runs | type == "boolean"'
}

@test "json: on a terminal no character of a box's text reaches it as it is" {
    mkdir -p "$TEST_HOME/x"$'\u202e'"y"
    cd "$TEST_HOME/x"$'\u202e'"y"
    box init >/dev/null 2>&1
    box list --json | jq -e 'any(.[]; .project | contains("\u202e"))'
    run on_terminal box list --json
    assert_contains '\u202E'
    refute_contains $'\u202e'
}
