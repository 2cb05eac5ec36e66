#!/usr/bin/env bats
# Attacks on [network] ask: an answer counts for what was asked alone, and a box cannot flood the user; and on [network]
# audit: it lets through names without a rule, and nothing else (invariants 2, 4, 7, 8, 9).
# shellcheck disable=SC2154 # bats sets status and output

load escape.bash
load gate.bash
load ../lib/ssh.bash

# The lab gives its user /etc/hosts.
setup_file() {
    gate_setup
    unset DISPLAY WAYLAND_DISPLAY
    # A person takes longer to answer.
    sed 's/, 10) as line/, 100) as line/' "$BATS_TEST_DIRNAME/gate_client.py" >"$PROJECT/client"
    cat >"$PROJECT/many" <<'END'
import socket, sys
port, names = int(sys.argv[1]), sys.argv[2:]
lines = []
for name in names:
    line = socket.socket()
    line.setblocking(False)
    line.connect_ex((socket.gethostbyname(name), port))
    lines.append(line)
print("connected", flush=True)
said = {}
for line in lines:
    line.settimeout(100)
    try:
        what = line.recv(8, socket.MSG_WAITALL).decode()
    except OSError as error:
        what = type(error).__name__
    said[what] = said.get(what, 0) + 1
print(said)
END
    python3 -u - "$OWN" >"$TEST_HOME/ports" 3>&- <<'END' &
import http.server, socket, sys, threading
def serve(server):
    while True:
        line, _ = server.accept()
        threading.Thread(target=talk, args=(line,), daemon=True).start()
def talk(line):
    with line:
        line.sendall(b"reached ")
        while data := line.recv(4096):
            line.sendall(data)
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"a page\n")
    def log_message(self, *args):
        pass
servers = [socket.create_server((sys.argv[1], 0)) for _ in range(2)]
for server in servers:
    threading.Thread(target=serve, args=(server,)).start()
web = http.server.ThreadingHTTPServer((sys.argv[1], 0), Page)
print(*[server.getsockname()[1] for server in servers], web.server_port, flush=True)
web.serve_forever()
END
    SERVERS=$!
    eventually test -s "$TEST_HOME/ports"
    read -r PORT OTHER WEB <"$TEST_HOME/ports"
    export OWN SERVERS PORT OTHER WEB
    hosts_add "$OWN $(printf '%s.asked.test ' {a..l} ruled denied plain xn--pypal-4ve)
127.0.0.1 loop.asked.test
169.254.169.254 meta.asked.test
10.77.7.7 private.asked.test"
    escape_config "[network]
mode = \"filtered\"
ask = true
allow = [\"ruled.asked.test:$PORT\", \"$OWN:$PORT\", \"$OWN:$OTHER\", \"$OWN:$WEB\"]
deny = [\"denied.asked.test\"]
[box]
idle_stop = \"never\""
    box run -- true
}
teardown_file() {
    [ -n "${SERVERS:-}" ] || return 0
    kill "$SERVERS"
    hosts_remove asked.test
    ssh_teardown
    box_teardown
}
setup() { escape_setup; }
# Each test has names of its own.
gate_again() {
    helper_kill "$RUNTIME/shop" gate
    eventually no_questions
    eventually ruled_is_reached
}
ruled_is_reached() { [ "$(in_box python3 client raw ruled.asked.test "$PORT" hello)" = "reached hello" ]; }

# connect NAME PORT [OUT]: in the background; what the server says, or the error, is in OUT.
connect() {
    rm -f "$TEST_HOME/${3:-out}"
    { in_box python3 client raw "$1" "$2" hello >"$TEST_HOME/said-${3:-out}" 3>&- && mv "$TEST_HOME/said-${3:-out}" "$TEST_HOME/${3:-out}"; } &
}
# said TEXT [OUT]: waits for the end of the connection.
said() {
    eventually test -e "$TEST_HOME/${2:-out}" || return
    [ "$(cat "$TEST_HOME/${2:-out}")" = "$1" ] || fail "it said '$(cat "$TEST_HOME/${2:-out}")'"
}

questions() { box net pending --json | jq -r '.[].address'; }
no_questions() { [ -z "$(questions)" ]; }
not_asked() { ! is_asked "$1"; }
is_asked() { questions | grep -qxF "$1"; }
# asked ADDRESS: waits for the question, whose number is in id then.
asked() {
    eventually is_asked "$1" || return
    id=$(box net pending --json | jq -r --arg address "$1" '.[] | select(.address == $address).id')
}

@test "asked: control: the host reaches both ports by every name" {
    local name
    for name in {a..l} denied xn--pypal-4ve; do
        on_host raw "$name.asked.test" "$PORT" hello
        assert_output "reached hello"
    done
    on_host raw a.asked.test "$OTHER" hello
    assert_output "reached hello"
}

@test "asked: a name without a rule has an address at once, and its connection waits for the user (4)" {
    run in_box getent ahostsv4 a.asked.test
    assert_contains 198.18.
    box run -- sh -c "python3 client raw a.asked.test $PORT hello; exit" >"$TEST_HOME/out" 2>"$TEST_HOME/error" 3>&- &
    asked "a.asked.test:$PORT"
    box net pending --json | jq -e --arg port "$PORT" '.[0] | .kind == "network" and .box.name == "shop" and
        .known[0].value == $port and (.chain[0].command | startswith("python3 client raw a.asked.test")) and
        (.chain[1].command | startswith("sh -c "))'
    # The session is told what answers.
    eventually grep -q "^box: box 'shop' asks: Connect to a.asked.test, port $PORT" "$TEST_HOME/error"
    grep -q "'box net approve $id', or 'box net deny $id'" "$TEST_HOME/error"
    [ ! -s "$TEST_HOME/out" ]
    box net approve "$id"
    eventually grep -qx "reached hello" "$TEST_HOME/out"
}

@test "asked: a box whose mode nobody has set reaches no name without a rule until the user says so (4)" {
    new_project "$TEST_HOME/plain"
    cp client "$TEST_HOME/plain"
    cd "$TEST_HOME/plain"
    # Where the servers are. What leads to an address of this machine needs it, whatever the user answers.
    printf '[network]\nallow = ["%s:%s"]\n' "$OWN" "$PORT" >litterbox.toml
    box trust --yes
    run box run -- true
    assert_status 0
    box run -- python3 client raw plain.asked.test "$PORT" hello >"$TEST_HOME/plain-out" 2>/dev/null 3>&- &
    asked "plain.asked.test:$PORT"
    [ ! -s "$TEST_HOME/plain-out" ]
    box net approve "$id"
    eventually grep -qx "reached hello" "$TEST_HOME/plain-out"
    run in_box python3 client raw "$OWN" "$OTHER" hello
    refute_contains reached
    run box net why github.com
    assert_status 0
    run --separate-stderr box net rules --json
    [ "$(jq -r '.rules[] | select(.rule == "github.com") | .from' <<<"$output")" = default ] || fail "$output"
    run box net why www.example.org
    assert_contains "is asked about"
    box rm --yes 2>/dev/null
}

@test "asked: once is once, and no answer counts for another name or port (4)" {
    connect b.asked.test "$PORT"
    asked "b.asked.test:$PORT"
    box net approve "$id" once
    said "reached hello"
    connect b.asked.test "$PORT" again
    asked "b.asked.test:$PORT"
    connect c.asked.test "$PORT" name
    connect b.asked.test "$OTHER" port
    eventually is_asked "c.asked.test:$PORT"
    eventually is_asked "b.asked.test:$OTHER"
    box net approve "$id" box
    said "reached hello" again
    [ ! -e "$TEST_HOME/name" ]
    [ ! -e "$TEST_HOME/port" ]
    asked "c.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET name
    asked "b.asked.test:$OTHER"
    box net deny "$id"
    said ECONNRESET port
    # Until the box stops b.asked.test is reached, on that port.
    from_box raw b.asked.test "$PORT" hello
    assert_output "reached hello"
    no_questions
    box net forget "b.asked.test:$PORT"
}

@test "asked: who was refused is not asked about again at once, and is told why" {
    local worker
    worker=$(worker_pid "$RUNTIME/shop" gate)
    connect d.asked.test "$PORT"
    asked "d.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
    from_box raw d.asked.test "$PORT" hello
    assert_output ECONNRESET
    no_questions
    [ "$(worker_pid "$RUNTIME/shop" gate)" = "$worker" ]
    eventually prints "the user said no" box net log --denied
    # `box net` says something else, which holds at once.
    box net allow "d.asked.test:$PORT"
    from_box raw d.asked.test "$PORT" hello
    assert_output "reached hello"
    box net forget "d.asked.test:$PORT"
}

@test "asked: answers that last are rules: listed with their time, kept over a restart, forgotten" {
    connect e.asked.test "$PORT"
    asked "e.asked.test:$PORT"
    box net approve "$id" always
    said "reached hello"
    connect f.asked.test "$PORT"
    asked "f.asked.test:$PORT"
    box net approve "$id" box
    said "reached hello"
    connect g.asked.test "$PORT"
    asked "g.asked.test:$PORT"
    box net deny --never "$id"
    said ECONNRESET
    box net rules --answered --json | jq -e --arg port ":$PORT" 'map({rule, denies, until_stop}) == [
        {rule: ("e.asked.test" + $port), denies: false, until_stop: false},
        {rule: ("g.asked.test" + $port), denies: true, until_stop: false},
        {rule: ("f.asked.test" + $port), denies: false, until_stop: true}] and
        all(.answered | fromdateiso8601 > now - 600)'
    run box net rules
    assert_contains "allow f.asked.test:$PORT"
    # The gate that is started anew has them all.
    gate_again
    from_box raw f.asked.test "$PORT" hello
    assert_output "reached hello"
    box stop
    run box net rules --answered
    refute_contains f.asked.test
    from_box raw e.asked.test "$PORT" hello
    assert_output "reached hello"
    from_box raw g.asked.test "$PORT" hello
    assert_output ECONNRESET
    connect f.asked.test "$PORT"
    asked "f.asked.test:$PORT"
    box net deny "$id"
    box net forget "e.asked.test:$PORT"
    connect e.asked.test "$PORT" again
    asked "e.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET again
    box net forget "g.asked.test:$PORT"
}

# A process that is asked something runs.
@test "asked: a name that nobody has allowed is not looked up, before the question nor after a no (4)" {
    local resolver quiet
    resolver=$(pgrep -P "$(worker_pid "$RUNTIME/shop" gate)" -x gate-resolver)
    runs() { awk '/ctxt_switches/ { sum += $2 } END { print sum }' "/proc/$resolver/status"; }
    # What it has done for the tests before is over.
    is_quiet() { quiet=$(runs) && sleep 0.5 && [ "$(runs)" = "$quiet" ]; }
    eventually is_quiet
    connect unknown.asked.test "$PORT"
    asked "unknown.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
    from_box raw denied.asked.test "$PORT" hello
    assert_output "no such name"
    [ "$(runs)" = "$quiet" ] || fail "the resolver ran"
    # The control.
    ruled_is_reached
    [ "$(runs)" != "$quiet" ] || fail "the resolver did not run"
}

@test "asked: many connections to a name are one question, and all of them get its answer" {
    local names
    read -ra names <<<"$(printf 'h.asked.test %.0s' {1..30})"
    in_box python3 many "$PORT" "${names[@]}" >"$TEST_HOME/out" 3>&- &
    asked "h.asked.test:$PORT"
    eventually grep -q connected "$TEST_HOME/out"
    [ "$(questions | wc -l)" = 1 ]
    box net approve "$id" once
    eventually grep -qF "{'reached ': 30}" "$TEST_HOME/out"
}

@test "asked: a flood of names opens three questions, and the rest is refused at once (8)" {
    local names number
    gate_again # which may ask as often as a new one
    read -ra names <<<"$(printf 'n%s.asked.test ' {1..200})"
    rm -f "$TEST_HOME/out"
    in_box python3 many "$PORT" "${names[@]}" >"$TEST_HOME/out" 3>&- &
    eventually grep -qs connected "$TEST_HOME/out"
    asked "n1.asked.test:$PORT"
    eventually three_questions
    # What a rule allows is not behind them.
    from_box raw ruled.asked.test "$PORT" hello
    assert_output "reached hello"
    three_questions
    for number in $(box net pending --json | jq -r '.[].id'); do box net deny "$number"; done
    eventually grep -qF "{'ConnectionResetError': 200}" "$TEST_HOME/out"
    eventually prints "too much of the box waits for the user's answers" box net log --denied
}

three_questions() { [ "$(questions | wc -l)" = 3 ]; }

# The last one waits for an answer, though it has ended what it sends.
@test "asked: what nobody waits for any more is withdrawn, after a while, and its place is free (8)" {
    local kept
    gate_again
    rm -f "$TEST_HOME/held"
    mkfifo "$TEST_HOME/held"
    in_box python3 -c "
import socket, sys
def connect(name):
    line = socket.create_connection((name + '.asked.test', $PORT))
    line.sendall(b'hello')
    return line
def go_on(said):
    print(said, flush=True)
    sys.stdin.readline()
gone = [connect('e'), connect('f'), connect('e')]
half = connect('g')
half.shutdown(socket.SHUT_WR)
go_on('three')
gone.pop(0).close()
gone.pop(0).close()
go_on('f is left')
again = connect('f')
gone.pop().close()
go_on('e is left')
again.close()
print(half.recv(13, socket.MSG_WAITALL).decode(), flush=True)" <"$TEST_HOME/held" >"$TEST_HOME/said" 3>&- &
    exec 7>"$TEST_HOME/held"
    asked "e.asked.test:$PORT"
    asked "f.asked.test:$PORT"
    kept=$id
    asked "g.asked.test:$PORT"
    echo >&7
    eventually grep -q "f is left" "$TEST_HOME/said"
    echo >&7
    # "f" was left first, and has another connection: the same question.
    eventually not_asked "e.asked.test:$PORT"
    asked "f.asked.test:$PORT"
    [ "$id" = "$kept" ] || fail "it was asked anew"
    connect h.asked.test "$PORT"
    asked "h.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
    echo >&7
    eventually not_asked "f.asked.test:$PORT"
    asked "g.asked.test:$PORT"
    box net approve "$id"
    exec 7>&-
    eventually grep -qx "reached hello" "$TEST_HOME/said"
    eventually refused_for e.asked.test "$PORT" "its program has ended before the user answered"
}

# By a reset, the kernel forgets the connection: nothing is left that says who has it.
@test "asked: a program that ends what it sends and then resets the connection waits for nothing (8)" {
    gate_again
    rm -f "$TEST_HOME/was-asked"
    in_box python3 -c "
import socket, struct, sys, time
line = socket.create_connection(('k.asked.test', $PORT))
line.shutdown(socket.SHUT_WR)
sys.stdin.readline()
line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
line.close()" < <(eventually is_asked "k.asked.test:$PORT" && touch "$TEST_HOME/was-asked" && echo) 3>&-
    [ -e "$TEST_HOME/was-asked" ]
    eventually not_asked "k.asked.test:$PORT"
    eventually refused_for k.asked.test "$PORT" "its program has ended before the user answered"
}

@test "asked: what a rule denies, the host, and addresses are never asked about (4)" {
    from_box raw denied.asked.test "$PORT" hello
    assert_output "no such name"
    from_box raw host.box.internal "$PORT" hello
    refute_contains reached
    from_box raw 203.0.113.7 443 hello
    assert_output ENETUNREACH
    from_box raw 198.18.200.7 "$PORT" hello
    assert_output ECONNRESET
    from_box raw 127.0.0.1 "$PORT" hello
    assert_output ECONNREFUSED
    local name
    for name in localhost "-a.asked.test" "a b.asked.test" 'a\n.asked.test' "127.0.0.1" asked; do
        from_box dns 198.18.0.1 53 "${name// /_} 1"
        refute_contains "answers 1"
    done
    no_questions
}

@test "asked: the name is shown in full, and Punycode as what it reads like (8)" {
    local long
    long=$(printf 'abcdefghij.%.0s' {1..20})asked.test
    connect xn--pypal-4ve.asked.test "$PORT"
    connect "$long" "$PORT" long
    asked "xn--pypal-4ve.asked.test:$PORT"
    eventually is_asked "$long:$PORT"
    run box net pending
    assert_contains "pаypal.asked.test"
    assert_contains "(Latin, Cyrillic)"
    assert_contains "$long:$PORT"
    assert_contains "The name is long."
    box net deny "$id"
    said ECONNRESET
    asked "$long:$PORT"
    box net deny "$id"
    said ECONNRESET long
}

@test "asked: a rule that is given meanwhile answers the question" {
    connect i.asked.test "$PORT"
    asked "i.asked.test:$PORT"
    box net allow "i.asked.test:$PORT"
    said "reached hello"
    eventually not_asked "i.asked.test:$PORT"
    box net forget "i.asked.test:$PORT"
    connect j.asked.test "$PORT"
    asked "j.asked.test:$PORT"
    box net deny "j.asked.test:$PORT"
    said ECONNRESET
    eventually not_asked "j.asked.test:$PORT"
    box net forget "j.asked.test:$PORT"
}

@test "asked: SIGKILL of the gate, its launcher, resolver, an asker or the agent while it is asked opens nothing (9)" {
    local worker
    worker=$(worker_pid "$RUNTIME/shop" gate)
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    kill -KILL "$worker"
    said ECONNRESET
    eventually no_questions
    eventually ruled_is_reached
    worker=$(worker_pid "$RUNTIME/shop" gate)
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    kill -KILL "$(pgrep -f "litterbox-gate-asker $RUNTIME/shop ")"
    said ECONNRESET
    eventually no_questions
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    agent_kill
    said ECONNRESET
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    kill -KILL "$(pgrep -P "$worker" -x litterbox-fork)"
    said ECONNRESET
    eventually ruled_is_reached
    worker=$(worker_pid "$RUNTIME/shop" gate)
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    kill -KILL "$(pgrep -P "$worker" -x gate-resolver)"
    said ECONNRESET
    eventually ruled_is_reached
    connect k.asked.test "$PORT"
    asked "k.asked.test:$PORT"
    box net approve "$id"
    said "reached hello"
}

# A gate that does what the box sends it (taken_over.c).
take_over() {
    preloaded taken_over
    export LD_PRELOAD=$module
    gate_again
    unset LD_PRELOAD
}
# host_does DEED PATH: the control, a process of the host that nothing confines.
host_does() {
    LD_PRELOAD=$module run python3 -c '
import socket, sys
a, b = socket.socketpair()
a.send(f"take over {sys.argv[1]}\n".encode())
print(b.recv(1000).decode())' "$*"
}
gate_does() { from_box raw ruled.asked.test "$PORT" "take over $*\n"; }

@test "asked: a gate that the box has taken over answers no question, and reaches no Unix socket of the host (2, 4)" {
    local path agent=""
    take_over
    connect m.asked.test "$PORT"
    asked "m.asked.test:$PORT"
    while read -r path; do
        host_does connect "$path"
        # Left over by a program that has ended, or for others.
        [ "$output" = connected ] || continue
        gate_does connect "$path"
        assert_output "reached Operation not permitted"
        [[ $path != */.agent/control ]] || agent=found
    done < <(find "$XDG_RUNTIME_DIR" -type s)
    [ "$agent" = found ]
    is_asked "m.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
    gate_again
}

@test "asked: a gate that the box has taken over reads no file of the user's, makes none, and executes nothing (2, 4)" {
    local path
    has_landlock || skip "this kernel has no Landlock"
    take_over
    for path in "$TEST_HOME/neighbour/secret" "$CONFIG/config.toml" /etc/passwd "$STATE/trust"; do
        [ -f "$path" ] || continue
        host_does read "$path"
        assert_output opened
        gate_does read "$path"
        assert_output "reached Permission denied"
    done
    for path in "$HOME/taken" "$RUNTIME/shop/taken" /tmp/taken; do
        host_does write "$path"
        assert_output opened
        rm "$path"
        gate_does write "$path"
        assert_output "reached Permission denied"
        [ ! -e "$path" ]
    done
    printf '#!/bin/sh\ntouch "%s/ran"\n' "$TEST_HOME" >"$TEST_HOME/program"
    chmod +x "$TEST_HOME/program"
    host_does run "$TEST_HOME/program"
    assert_output ran
    rm "$TEST_HOME/ran"
    gate_does run "$TEST_HOME/program"
    assert_output "reached Operation not permitted"
    [ ! -e "$TEST_HOME/ran" ]
    gate_again
}

# No listener can stand on every port.
@test "asked: without nft the ports of rules, 443, 80 and 22 are asked about, and others refused (4)" {
    local port
    box stop
    without_nft box run -- true
    run in_box getent ahostsv4 w.asked.test
    assert_contains 198.18.
    connect w.asked.test "$PORT"
    asked "w.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
    for port in 443 80 22; do
        in_box python3 client greeting w.asked.test "$port" >"$TEST_HOME/out-$port" 3>&- &
        asked "w.asked.test:$port"
        box net deny "$id"
        wait "$!"
        run cat "$TEST_HOME/out-$port"
        refute_contains reached
    done
    from_box raw w.asked.test 9 hello
    assert_output ECONNREFUSED
    no_questions
    connect a.asked.test "$PORT"
    asked "a.asked.test:$PORT"
    box net approve "$id"
    said "reached hello"
    # The control: with nft the other port is asked about, too.
    box stop
    box run -- true
    connect w.asked.test 9
    asked "w.asked.test:9"
    box net deny "$id"
    said ECONNRESET
}

@test "asked: curl waits for the answer" {
    in_box curl -sS "http://l.asked.test:$WEB/" >"$TEST_HOME/out" 3>&- &
    asked "l.asked.test:$WEB"
    box net approve "$id"
    eventually grep -qx "a page" "$TEST_HOME/out"
}

@test "asked: a project's file alone turns no questions on (7)" {
    cp litterbox.toml "$TEST_HOME/kept"
    printf '[network]\nmode = "filtered"\n' >litterbox.toml
    box trust --yes
    printf '[network]\nmode = "filtered"\nask = true\n' >litterbox.toml
    run setsid box apply --yes </dev/null
    assert_status 78
    run box trust --yes
    assert_contains "ask you whether it may reach names that network.allow does not list"
    cp "$TEST_HOME/kept" litterbox.toml
    box trust --yes
}

# audit_begin: the box runs in audit, by the user's own configuration of it.
audit_begin() {
    mkdir -p "$CONFIG/boxes" "$CONFIG/network"
    printf '[network]\naudit = true\n' >"$CONFIG/boxes/shop.toml"
    printf 'hosts = ["a.asked.test:%s", "b.asked.test:%s", "other.asked.test"]\n' "$PORT" "$PORT" >"$CONFIG/network/asked.toml"
    box stop
    run box run -- true
    assert_status 0
    assert_contains "network.audit is true: box 'shop' reaches every name that no rule denies"
}
audit_end() {
    rm "$CONFIG/boxes/shop.toml" "$CONFIG/network/asked.toml"
    box stop
}
# refused_for NAME PORT REASON: the log has it.
refused_for() {
    box net log --json | jq -es --arg name "$1" --arg port "$2" --arg reason "$3" \
        'any(.name == $name and .port == ($port | tonumber) and .decision == "refused" and .reason == $reason)' >/dev/null
}

@test "audit: a name without a rule is reached, logged as what would have been refused, and suggested in groups" {
    local name suggested
    audit_begin
    for name in a b c; do
        from_box raw "$name.asked.test" "$PORT" hello
        assert_output "reached hello"
    done
    from_box raw ruled.asked.test "$PORT" hello
    assert_output "reached hello"
    no_questions
    logged() { box net log --json | jq -es --arg port "$PORT" 'map(select(.port == ($port | tonumber)) | [.name, .decision, .reason]) as $all |
        all("a", "b", "c"; [. + ".asked.test", "audited", "it would have been refused: no rule allows it"] as $one | any($all[]; . == $one)) and
        any($all[]; . == ["ruled.asked.test", "allowed", null])' >/dev/null; }
    eventually logged
    run -0 box net why "a.asked.test:$PORT"
    assert_contains "is let through and logged: no rule decides, and network.audit is true"
    box net why --json "a.asked.test:$PORT" | jq -e '.allowed and .audited and (.asked | not) and .rule == null'
    run -1 box net why denied.asked.test
    run -1 box net why "host:$PORT"
    run -1 box net why 10.77.7.7:443
    [ "$(box status --json | jq -r .network)" = audit ]
    run box status
    assert_contains "audit: it reaches every name that no rule denies"
    run box plan
    assert_contains "network.audit is true"
    run box net rules
    assert_contains "network.audit is true"
    # What is printed can be pasted, and is enough.
    suggested=$(box net suggest)
    [[ $suggested == *"\"@asked\", # 2x: a.asked.test:$PORT, b.asked.test:$PORT; and 1 rule for more"* ]] || fail "$suggested"
    printf '[network]\n%s\n' "$suggested" >"$TEST_HOME/list.toml"
    run -0 box net check --rules "$TEST_HOME/list.toml" {a,b,c}.asked.test:"$PORT"
    run -1 box net check --rules "$TEST_HOME/list.toml" "denied.asked.test:$PORT"
    box net suggest --json | jq -e --arg port ":$PORT" 'map(select(.rule == "@asked").covers) == [["a.asked.test" + $port, "b.asked.test" + $port]]'
    # Each rule that comes takes what it decides off the list.
    box net allow @asked
    box net deny "c.asked.test:$PORT"
    run box net suggest
    refute_contains asked.test
    from_box raw c.asked.test "$PORT" hello
    assert_output ECONNRESET
    box net forget @asked
    box net forget "c.asked.test:$PORT"
    audit_end
    # Without audit the same names are asked about.
    connect a.asked.test "$PORT"
    asked "a.asked.test:$PORT"
    box net deny "$id"
    said ECONNRESET
}

@test "audit: control: the host reaches the loopback by the name that a box may not use" {
    local port
    python3 -u -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
s.accept()[0].sendall(b"reached")' >"$TEST_HOME/loop" 3>&- &
    eventually test -s "$TEST_HOME/loop"
    port=$(cat "$TEST_HOME/loop")
    on_host greeting loop.asked.test "$port"
    assert_output reached
}

@test "audit: denied names, private addresses, the host and its own, metadata and other protocols stay refused (2, 4)" {
    local name
    audit_begin
    from_box raw denied.asked.test "$PORT" hello
    assert_output "no such name"
    for name in loop meta private; do
        from_box raw "$name.asked.test" 443 hello
        assert_output ECONNRESET
        from_box tls "$name.asked.test" 443 "$name.asked.test"
        refute_contains reached
    done
    eventually refused_for loop.asked.test 443 "it is a loopback, link-local or reserved address"
    eventually refused_for meta.asked.test 443 "it is a loopback, link-local or reserved address"
    eventually refused_for private.asked.test 443 "it is a private address, which no rule names"
    # The machine's own address, on a port that no rule names with it.
    from_box raw a.asked.test 9 hello
    assert_output ECONNRESET
    eventually refused_for a.asked.test 9 "it is an address of this machine, which no rule names"
    for name in host.box.internal 127.0.0.1 10.77.7.7 169.254.169.254 203.0.113.7 198.18.200.7 "$OWN"; do
        from_box raw "$name" 9 hello
        [ -n "$output" ]
        refute_contains reached
    done
    # What is said must be for the name, before anything is dialled.
    from_box raw a.asked.test 443 hello
    assert_output ECONNRESET
    from_box tls a.asked.test 443 other.asked.test
    refute_contains reached
    eventually refused_for a.asked.test 443 "its ClientHello names another host"
    from_box ech a.asked.test 443 a.asked.test
    refute_contains ServerHello
    eventually refused_for a.asked.test 443 "it has an encrypted ClientHello, and network.ech is false"
    from_box raw a.asked.test 80 'GET / HTTP/1.1\r\nHost: other.asked.test\r\n\r\n'
    assert_contains "403 Forbidden"
    refute_contains "box net allow"
    no_questions
    # Nothing of it is suggested.
    run box net suggest
    for name in denied loop meta private other; do refute_contains "$name.asked.test"; done
    refute_contains "a.asked.test:9"
    audit_end
}

@test "audit: what a box or its gate writes as a name reaches neither the terminal nor the suggested rules (8)" {
    local name line
    audit_begin
    for name in 'a\x1b[31mx' 'a"x' "a'x" 'a#x' 'a]x'; do
        from_box dns 198.18.0.1 53 "$name.forged.test 1"
        refute_contains "answers 1"
    done
    # As a gate that was taken over would write them.
    line="$(date +%Y-%m-%dT%H:%M:%S.000%:z) litterbox-gate: audited tcp %s 443 1 0 0 0 - - - -\n"
    # shellcheck disable=SC2059 # the line is the format
    for name in $'a\033[31mx.forged.test' 'a"x.forged.test' 'a",#.forged.test' '*.forged.test' '@forged' 10.77.7.7 good.forged.test; do
        printf "$line" "$name"
    done >>"$RUNTIME/shop/network.log"
    for name in "box net log" "box net log --json" "box net suggest" "box net suggest --json"; do
        run $name
        assert_status 0
        assert_contains good.forged.test
        refute_contains $'\033'
        refute_contains x.forged
        refute_contains '*.forged'
        refute_contains @forged
    done
    run -0 python3 -c 'import sys, tomllib; print(*[each for each in tomllib.load(sys.stdin.buffer)["allow"] if "forged" in each])' \
        < <(box net suggest)
    assert_output good.forged.test
    audit_end
}

@test "audit: a project's file cannot turn it on, trusted or not (4, 7)" {
    cp litterbox.toml "$TEST_HOME/kept"
    printf '[network]\nmode = "filtered"\naudit = true\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "[network] audit: is for you alone to choose: it belongs into your own configuration"
    box stop
    run setsid box run -- true </dev/null
    assert_status 78
    cp "$TEST_HOME/kept" litterbox.toml
    from_box raw denied.asked.test "$PORT" hello
    assert_output "no such name"
    run -1 box net why "a.asked.test:$PORT"
    assert_contains "is asked about"
    # With the user's own, a project that gets a filtered network is told to reach more than its list.
    audit_begin
    printf '[network]\nmode = "none"\n' >litterbox.toml
    user_config '[network]
audit = true'
    box trust --yes
    cp "$TEST_HOME/kept" litterbox.toml
    run box trust --yes
    assert_contains "reach every name that no rule denies, as your own network.audit is true"
    rm "$CONFIG/config.toml"
    box trust --yes
    audit_end
}
