#!/usr/bin/env bats
# `box enter`, with a real terminal on both sides.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "enter: a login shell in the project's folder, with the terminal's size" {
    box start
    run on_terminal --size 33x101 --send 'echo $0 $PWD; stty size; tty\n' --send 'exit 7\n' box enter
    assert_status 7
    assert_contains "-bash $PROJECT"
    assert_contains "33 101"
    assert_contains "/dev/pts/0"
}

@test "enter: Ctrl-C interrupts, Ctrl-Z stops, Ctrl-\\ quits, Ctrl-P reaches the program" {
    box start
    # What it prints is not what is typed, which the shell echoes before the program runs.
    local sleeps="sh -c 'echo \$((40 + 2)); exec sleep 1000'\\n" runs=$'42\r\n'
    run on_terminal --send "$sleeps" --answer "$runs" '\x03' --send 'echo int=$?\n' \
        --send "$sleeps" --answer "$runs" '\x1a' --answer Stopped 'jobs; kill %1; wait 2>/dev/null\n' \
        --send "$sleeps" --answer "$runs" '\x1c' --answer Quit 'echo quit=$?\n' \
        --send "sh -c 'echo \$((40 + 2)); exec cat -v'\\n" --answer "$runs" '\x10\x16\x11\n' --send '\x04' \
        --send 'exit 0\n' box enter
    assert_status 0
    assert_contains "int=130"
    assert_contains "Stopped"
    assert_contains "quit=131"
    assert_contains "^P"
}

@test "enter: UTF-8 works in both directions" {
    run on_terminal --send 'echo "grün-日本-\\360\\237\\246\\212" | cat\n' --send 'exit\n' box enter
    assert_contains "grün-日本"
}

@test "enter: the shell has job control and prints no warning" {
    run on_terminal --send 'set -o | grep monitor; exit\n' box enter
    [[ $output =~ monitor[[:space:]]+on ]]
    refute_contains "no job control"
}

@test "enter: a resize of the terminal reaches the program" {
    run python3 - <<'PY'
import fcntl, os, pty, select, struct, sys, termios, time, signal
def size(fd, r, c): fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", r, c, 0, 0))
pid, fd = pty.fork()
if pid == 0:
    os.execvp("box", ["box", "enter", "--", "sh", "-c", "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done"])
size(fd, 24, 80)
seen = b""
end = time.time() + 60
resized = False
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try: data = os.read(fd, 4096)
        except OSError: break
        seen += data
        if b"ready" in seen and not resized:
            size(fd, 50, 132)
            resized = True
print(seen.decode())
PY
    assert_contains "50 132"
}

@test "enter: the terminal is restored after each kind of end" {
    box start
    cat >check.py <<'PY'
import os, pty, select, subprocess, sys, termios, time
def state(fd): return termios.tcgetattr(fd)[:4]
master, slave = pty.openpty()
before = state(slave)
command, action = sys.argv[1], sys.argv[2]
p = subprocess.Popen(["box", "enter", "--", "sh", "-c", "echo ready; " + command], stdin=slave, stdout=slave,
                     stderr=slave, start_new_session=True)
seen = b""
while b"ready" not in seen:
    assert select.select([master], [], [], 60)[0], "it does not begin"
    seen += os.read(master, 65536)
if action == "killinit":
    host_pid = int(os.environ["INIT_PID"])
    os.kill(host_pid, 9)
elif action == "term":
    p.terminate()
elif action == "stop":
    subprocess.run(["box", "stop"], check=True, stderr=subprocess.DEVNULL)
end = time.time() + 60
while p.poll() is None and time.time() < end:
    if select.select([master], [], [], 0.1)[0]: os.read(master, 65536)
assert p.poll() is not None, "still there"
assert state(slave) == before, "terminal left changed"
print("fine", p.returncode)
PY
    run python3 check.py 'exit 3' none
    assert_contains "fine 3"
    run python3 check.py 'sleep 1000' stop
    assert_contains "fine 125"
    box start
    INIT_PID=$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq .State.Pid)
    export INIT_PID
    run python3 check.py 'sleep 1000' killinit
    assert_contains "fine 125"
    box run -- true
}

@test "enter: terminal modes that the program left on are turned off" {
    run on_terminal box enter -- printf '\033[?1049h\033[?25l\033[?2004h\033[?1000h'
    assert_contains $'\033[?1049l'
    assert_contains $'\033[?25h'
    assert_contains $'\033[?2004l'
    assert_contains $'\033[?1000l'
    run on_terminal box enter -- printf '\033[?1049h\033[?1049l'
    refute_contains $'\033[?1049l\033[?1049l'
}

@test "enter: works many times at once in one box" {
    local i callers=()
    for i in 1 2 3 4 5 6 7 8; do
        box run -- sh -c "echo $i > out.$i; sleep 0.3; cat out.$i" >"seen.$i" 2>/dev/null 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    for i in 1 2 3 4 5 6 7 8; do [ "$(cat "seen.$i")" = "$i" ]; done
    [ "$(containers | wc -l)" = 1 ]
}

@test "enter: -- COMMAND gets the terminal, and its exit status is returned" {
    run on_terminal box enter -- sh -c 'test -t 0 && exit 9'
    assert_status 9
}

@test "enter: piped stdin reaches the program on its terminal" {
    run on_terminal sh -c 'echo "echo from-\$((40+2)); exit 4" | box enter'
    assert_contains "from-42"
}
