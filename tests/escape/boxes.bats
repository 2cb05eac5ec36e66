#!/usr/bin/env bats
# Attacks of one box on another, of sessions on sessions, and on the host's resources
# (invariants 2, 6, 9).

load escape.bash
setup_file() {
    escape_setup_file
    new_project "$TEST_HOME/second"
    cp "$ATTACK" "$TEST_HOME/second/attack"
    echo "$SECRET" >"$TEST_HOME/second/private"
    cd "$TEST_HOME/second" || return
    box run -- sh -c "echo $SECRET >~/at-home; echo $SECRET >/tmp/in-tmp; echo $SECRET >/dev/shm/in-shm"
    box run --detach -- python3 -c '
import socket, time
kept = []
for family, address in ((socket.AF_UNIX, "\0of-the-second"), (socket.AF_UNIX, "/tmp/of-the-second"), (socket.AF_INET, ("0.0.0.0", 18901))):
    s = socket.socket(family)
    s.bind(address)
    s.listen()
    kept.append(s)
while True:
    line, _ = kept[2].accept()
    try:
        line.sendall(b"of-the-second")
    except OSError:
        pass # the client has gone
    line.close()'
    eventually box run -- test -S /tmp/of-the-second
    cd "$PROJECT" || return
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

second() { (cd "$TEST_HOME/second" && box run -- "$@"); }

@test "boxes: control: the second box sees its own files" {
    run second cat private "$HOME/at-home" /tmp/in-tmp /dev/shm/in-shm
    assert_contains "$SECRET"
    run second ./attack control @of-the-second
    refute_contains ECONNREFUSED
    run second python3 -c "import socket; print(socket.create_connection(('127.0.0.1', 18901), 2).recv(100))"
    assert_contains of-the-second
}

@test "boxes: a box cannot see another box's project, home, /tmp or shared memory (2)" {
    local path
    for path in "$TEST_HOME/second/private" ../second/private "$HOME/at-home" /tmp/in-tmp /dev/shm/in-shm \
        "$DATA/boxes/second/home/at-home"; do
        run in_box cat "$path"
        [ "$status" != 0 ]
        refute_contains "$SECRET"
    done
}

@test "boxes: a box cannot reach another box's sockets: abstract, by path, network, control socket (2)" {
    attack control @of-the-second
    assert_refused ECONNREFUSED
    attack control /tmp/of-the-second
    assert_refused ENOENT
    attack control "$RUNTIME/second/ctl/sock"
    assert_refused ENOENT
    local host
    for host in 127.0.0.1 10.0.2.100 10.0.2.2 169.254.1.2 host.containers.internal; do
        run in_box timeout 5 python3 -c "import socket; print(socket.create_connection(('$host', 18901), 2).recv(100))"
        refute_contains of-the-second
    done
}

@test "boxes: a box cannot see, signal or trace another box's processes (2)" {
    run in_box pgrep -f of-the-second
    assert_status 1
    run in_box sh -c 'kill -9 -1; true'
    assert_status 0 # kill(2): -1 does not signal the caller
    run second pgrep -f of-the-second
    assert_status 0
    assert_box_alive
}

@test "boxes: kill -9 -1 by root of a box ends only its own sessions (9)" {
    box run -u root -- sh -c 'kill -9 -1' || true # the session is killed too
    run second pgrep -f of-the-second
    assert_status 0
    eventually box run -- true
}

@test "boxes: a box learns nothing about others from host name, machine id or boot arguments (2)" {
    run in_box cat /etc/machine-id
    local first=$output
    run second cat /etc/machine-id
    [ "$output" != "$first" ]
}

@test "sessions: a double-forked daemon ends when its client is killed (9)" {
    box run -- sh -c 'setsid sh -c "setsid sleep 4711 & sleep 4712" & sleep 4713' 3>&- &
    local client=$!
    eventually box run -- pgrep -f 'sleep 4711'
    kill -9 "$client"
    eventually sh -c "! box run -- pgrep -f 'sleep 471[123]' >/dev/null"
}

@test "sessions: --timeout ends processes that ignore signals, are stopped or traced (9)" {
    SECONDS=0
    run box run --timeout 1s -- sh -c 'trap "" TERM HUP INT QUIT; (trap "" TERM HUP; setsid sh -c "trap \"\" TERM HUP; while :; do sleep 0.1; done") & kill -STOP $! ; while :; do sleep 0.1; done'
    assert_status 124
    [ "$SECONDS" -lt 30 ]
    run box run -- pgrep -f 'sleep 0.1'
    assert_status 1
}

@test "sessions: a fork bomb ends with its timeout and does not affect host or PID 1 (9)" {
    # Bounded by RLIMIT_NPROC in its own user namespace, because limits are not enforced everywhere.
    run timeout 60 box run --timeout 2s -- python3 -c '
import os, resource
resource.setrlimit(resource.RLIMIT_NPROC, (400, 400))
def bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass
bomb()'
    assert_status 124
    assert_box_alive
    eventually has_few_processes 20 # PID 1 may still be collecting the bomb's
}

@test "sessions: a session that uses up descriptors and /tmp does not stop the next (9)" {
    box run --detach -- python3 -c '
import os, time
kept = []
try:
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
time.sleep(60)'
    assert_box_alive
}

@test "sessions: /tmp and other tmpfs mounts cannot fill the host's memory, with or without limits (9)" {
    local folder
    escape_config '[limits]
memory = "64M"
shm = "8M"'
    box apply --yes >/dev/null
    for folder in /tmp /var/tmp /dev/shm; do
        run in_box sh -c "head -c 65M /dev/zero >$folder/full"
        assert_contains 'No space left'
        in_box rm -f "$folder/full"
    done
    # All tmpfs mounts that the user can write, together, but for home and project, which are folders of the host.
    output=$(in_box sh -c 'for f in $(findmnt -rnt tmpfs -o TARGET); do
        case $f in "$HOME" | "$PWD") continue ;; esac; test -d "$f" && test -w "$f" && df -B1 --output=size "$f" | tail -n 1; done' | awk '{ sum += $1 } END { printf "%.0f\n", sum }')
    echo "# $output"
    [ "$output" -le $((64 << 20)) ]
    rm -f litterbox.toml
    box trust --revoke
    box apply >/dev/null
}

@test "sessions: core dumps reach no program of the host and do not fill the project (9)" {
    in_box sh -c 'ulimit -c unlimited; kill -SEGV $$' || true # kills the shell
    run find "$PROJECT" -name 'core*'
    assert_output ""
    run in_box sh -c 'ulimit -Hc'
    [ "$output" = 0 ] || [ "$output" = 1 ] || fail "core dumps can be switched on: $output"
}

@test "sudo: denied by default: no shim, path or variable gives root (6)" {
    run in_box sudo -n id
    [ "$status" != 0 ]
    refute_contains uid=0
    run in_box sh -c 'PATH=/usr/bin:/bin; sudo -n id; exit 1'
    refute_contains uid=0
}

sudo_box() { # POLICY
    mkdir -p "$TEST_HOME/sudo-$1"
    cd "$TEST_HOME/sudo-$1" || return
    cp "$ATTACK" attack
    printf '[security]\nsudo = "%s"\n' "$1" >litterbox.toml
    box trust --yes >/dev/null
}

@test "sudo: ask: without a terminal the answer is always no (6)" {
    sudo_box ask
    run setsid box run -- sudo id </dev/null
    [ "$status" != 0 ]
    refute_contains uid=0
    run setsid box run -- sh -c 'yes y | sudo id; echo y | sudo -S id; ./attack control /run/litterbox/sudo' </dev/null
    refute_contains uid=0
    refute_contains SUCCEEDED
}

@test "sudo: ask: a box cannot type the answer into the terminal (6)" {
    sudo_box ask
    # The command prints and reads, but nobody types. No answer means no.
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'n\r' box run -t -- \
        sh -c '(sleep 0.2; printf "y\ny\n" >/dev/tty) & yes y | head -c 100 >/dev/tty; sudo id'
    refute_contains uid=0
    # Control: a "yes" of the user counts.
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'y\r' box run -t -- sudo id
    assert_contains uid=0
}

@test "sudo: ask: the text of a command cannot hide or forge the question (8)" {
    sudo_box ask
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'n\r' box run -t -- \
        sh -c 'printf "\033[8mconcealed"; exec sudo sh -c "echo evil" "$(printf "\033[2K\033[1A\r\nbox: harmless \342\200\256")"'
    assert_contains "Run a command as root of box"
    assert_contains 'echo evil'
    local question=${output##*concealed}
    # Concealed text is turned off before the question, and the command's text has no control sequences.
    [[ ${question%%wants*} == *$'\e[0m'* ]] || fail "still concealed: $(printf %q "$question")"
    [[ ${question#*wants} != *$'\e[1A'* ]] || fail "the text moves the cursor"
    [[ $question != *$'\342\200\256'* ]] || fail "bidi in the question"
    refute_contains uid=0
}

@test "sudo: ask: a long command cannot hide its end (8)" {
    sudo_box ask
    # Control: what can be shown is shown, to its end.
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'y\r' box run -t -- \
        sh -c 'exec sudo sh -c "$(head -c 700 /dev/zero | tr "\0" " ")" "evil"'
    assert_contains "Run a command as root of box"
    assert_contains "evil"
    refute_contains "…"
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'y\r' box run -t -- \
        sh -c 'exec sudo sh -c ":$(head -c 3000 /dev/zero | tr "\0" " ");id"'
    refute_contains "Run a command as root of box"
    refute_contains uid=0
    assert_contains "too long"
    # Bytes that are shown as four each.
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer '[y/N]' 'y\r' box run -t -- \
        sh -c 'exec sudo sh -c ":$(head -c 300 /dev/zero | tr "\0" "\001");id"'
    refute_contains "Run a command as root of box"
    refute_contains uid=0
    assert_contains "too long"
}

@test "sudo: ask: a request that is not sudo's own cannot run what is not shown (6)" {
    sudo_box ask
    cat >evil <<'E2'
#!/bin/sh
echo "evil as $(id -u)"
E2
    chmod +x evil
    # START (proto/session.h): argv under the flags of a login shell, and a folder that fills the question.
    cat >ask.py <<'E2'
import os, socket, struct, sys
flags, cwd, argv = int(sys.argv[1]), sys.argv[2] * int(sys.argv[3]), sys.argv[4:]
env = os.environ.get("WORDS", "").split()
body = struct.pack("IIQHHII", 2 | 16 | flags, 0, 0, 0, 0, len(argv), len(env)) + b"\0" * 4
body += b"".join(word.encode() + b"\0" for word in [cwd] + argv + env)
s = socket.socket(socket.AF_UNIX)
s.connect("/run/litterbox/sudo")
socket.send_fds(s, [struct.pack("HHI", int(os.environ["VERSION"]), 1, len(body)) + body], [0, 1, 2])
reply = s.recv(100)
print("type", struct.unpack("HHI", reply[:8])[1], reply[8:16])
while s.recv(100): # the command ends with this connection
    pass
E2
    local version
    version=$(sed -n 's/^#define SESSION_VERSION \([0-9]*\).*/\1/p' "$BATS_TEST_DIRNAME/../../src/proto/session.h")
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer 'Allow it?' 'y\n' \
        box run -t -e "VERSION=$version" -- python3 ask.py 0 / 1 /usr/bin/id # control: the request is understood
    assert_contains "in /: /usr/bin/id"
    assert_contains uid=0
    for request in "4 / 1 $PWD/evil" "4 / 1 - -c id" "0 /xxxxxxxxx 100 /usr/bin/id" "0 / 0 /usr/bin/id" "0 tmp 1 /usr/bin/id"; do
        # shellcheck disable=SC2086 # words
        run timeout 60 "$TEST_TOOLS/on-terminal" \
            box run -t -e "VERSION=$version" -- python3 ask.py $request
        assert_contains "type 6" # FAILED
        refute_contains "Allow it?"
        refute_contains uid=0
        refute_contains "evil as"
    done
    # Words that are no variables would stand in front of the program.
    run timeout 60 "$TEST_TOOLS/on-terminal" --answer 'Allow it?' 'y\n' \
        box run -t -e "VERSION=$version" -e WORDS="apt install vim" -- python3 ask.py 0 / 1 "$PWD/evil"
    assert_contains "type 6"
    refute_contains "apt install"
    refute_contains "evil as"
}

@test "sudo: ask: a session cannot ask on another session's terminal (6)" {
    sudo_box ask
    # A detached process has no terminal, even while a session with a terminal is open.
    timeout 60 "$TEST_TOOLS/on-terminal" box run -t -- sh -c 'echo there; until [ -e told ]; do sleep 0.1; done' >"$TEST_HOME/terminal-out" 3>&- &
    local other=$!
    eventually grep -q there "$TEST_HOME/terminal-out"
    run setsid box run -- sudo id </dev/null
    refute_contains uid=0
    touch told
    wait "$other"
    rm told
    run cat "$TEST_HOME/terminal-out"
    refute_contains "Run a command as root"
}

@test "sudo: ask: 1,100 silent connections do not block the host (9)" {
    sudo_box ask
    box run -- true
    box run --detach -- ./attack flood /run/litterbox/sudo 1100 120
    sleep 2
    run timeout 60 box run -- echo alive
    assert_contains alive
}

@test "sudo: allow: root of the box has no_new_privs, seccomp and few capabilities (6)" {
    sudo_box allow
    run in_box sudo grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status
    assert_contains "NoNewPrivs:"$'\t'1
    assert_contains "Seccomp:"$'\t'2
    local caps=0x${output##*CapBnd:$'\t'}
    caps=${caps%%$'\n'*}
    # MODULE RAWIO PTRACE ADMIN BOOT TIME TTY_CONFIG MKNOD NET_ADMIN NET_RAW DAC_READ_SEARCH SYSLOG BPF
    local bad
    for bad in 16 17 19 21 22 25 26 27 12 13 2 34 39 38; do
        [ $(((caps >> bad) & 1)) = 0 ] || fail "capability $bad in $caps"
    done
}

@test "sudo: allow: root of the box cannot reach the host's files, protected paths or PID 1 (1, 7)" {
    sudo_box allow
    box stop
    mkdir -p .vscode
    box run -- true
    local name
    run in_box sudo ./attack open-write "$PWD/litterbox.toml"
    assert_refused
    run in_box sudo ./attack below "$PWD/.vscode"
    assert_refused
    run in_box sudo sh -c "echo evil >$PWD/.envrc; echo tried"
    assert_contains tried
    [ ! -e .envrc ]
    for name in "ptrace 1" "steal 1" "write-memory 1" "bind /tmp $PWD/.vscode" "uncover $PWD/.vscode" "handle /usr" \
        "mknod /tmp/mem 1 1 c" "control /run/litterbox/root/ctl/sock"; do
        # shellcheck disable=SC2086 # words
        run in_box sudo ./attack $name
        assert_refused
    done
    run in_box sudo sh -c 'echo evil >/usr/bin/evil || echo evil >/etc/evil'
    [ "$status" != 0 ]
    run in_box sudo cat "$TEST_HOME/second/private"
    refute_contains "$SECRET"
}

@test "sudo: options and variables that sudo refuses give nothing (6)" {
    sudo_box allow
    run in_box sudo -u daemon id
    [ "$status" != 0 ]
    run in_box sudo LD_PRELOAD=/tmp/evil.so id -u
    assert_contains 0 # already root of the box
    run in_box sudo -g wheel -C 9 -T 5 id
    [ "$status" != 0 ]
}
