#!/usr/bin/env bats
# Attacks on the window that asks for the value of a secret (invariants 2, 5): no box opens it, or gets what is typed.
# shellcheck disable=SC2154,SC2153 # open.bash and box.bash set what is used

load escape.bash
load ../lib/ssh.bash
load ../desktop/open.bash

setup() {
    escape_setup_file
    open_begin
    session_bus_start
    keyboard_start
    ssh_keys
    configure '[ssh]\nkeys = ["work"]\n[security]\nsudo = "allow"\n[desktop]\nclipboard = "to-box"\n[network]\nmode = "filtered"\nask = true'
    cat >ask.py <<'END'
import array, json, os, socket, struct, sys
# asks PATH…: asks each socket for a value, in each way that could reach the agent, and prints what comes out of the pipe.
question = {"version": 1, "kind": "value", "headline": "Value of the secret github, which is for github.com",
            "address": "github.com", "choices": [{"id": "once", "text": "Store"}]}
request = json.dumps({"op": "ask", "question": question}).encode() + b"\n"
ssh = b"\x1b" + struct.pack(">I", len(request)) + request # an extension of the SSH agent's protocol
def ask(path, kind, data, wait):
    ends = os.pipe2(os.O_NONBLOCK)
    s = socket.socket(socket.AF_UNIX, kind)
    s.settimeout(wait)
    try:
        s.connect(path)
        s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [ends[1]]))])
        os.close(ends[1])
        answer = s.recv(65536)
        print(path, answer[:200], flush=True)
    except OSError as error:
        print(path, error, flush=True)
    try:
        value = os.read(ends[0], 65536)
        if value:
            print("value:", value.decode())
    except BlockingIOError:
        pass
    s.close()
    os.close(ends[0])
def found():
    for top, folders, files in os.walk("/"):
        folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys", "/usr")]
        for name in files:
            path = os.path.join(top, name)
            if os.path.exists(path) and not os.path.islink(path) and os.stat(path).st_mode & 0o170000 == 0o140000:
                yield path
    for line in open("/proc/net/unix").read().splitlines()[1:]:
        path = line.split()[7:]
        if path:
            yield path[0].replace("@", "\0", 1)
def attack(*names):
    count = 0
    for path in [*found(), *names]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
            for data in (request, b" " + request, struct.pack(">I", len(ssh)) + ssh):
                ask(path, kind, data, 0.3)
                count += 1
    print("attempts", count)
if sys.argv[1] == "host":
    ask(sys.argv[2], socket.SOCK_STREAM, b" " + request, 90)
else:
    attack(*sys.argv[2:])
END
}
teardown() {
    open_end
    [ -z "$(agent_supervisor)" ] || agent_kill
    ssh_teardown
    box_teardown
}

# As ssh_setup, which takes the display away.
ssh_keys() {
    local x11=${DISPLAY:-} wayland=$WAYLAND_DISPLAY
    ssh_setup work
    [ -z "$x11" ] || export DISPLAY=$x11
    export WAYLAND_DISPLAY=$wayland
}

no_value_is_asked_for() { box consent pending --json | jq -e 'all(.[]; .kind != "value")' >/dev/null; }

@test "value window: control: on the host the attack's request opens it, and gets what is typed" {
    box run -- true
    python3 ask.py host "$RUNTIME/.agent/control" >host.said 2>&1 3>&- 4>&- &
    local asking=$!
    prompt_appears || fail "$(cat host.said)"
    run ! no_value_is_asked_for
    accepting
    type_text a-value-of-0123456789
    press Return
    wait "$asking"
    grep -qx 'value: a-value-of-0123456789' host.said || fail "$(cat host.said)"
}

@test "value window: no socket that a box reaches opens it, for its user or its root (2, 5)" {
    local as
    box run -- true
    for as in "" "sudo -n"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr in_box $as timeout 300 python3 "$PROJECT/ask.py" box "$RUNTIME/.agent/control" "/proc/1/root$RUNTIME/.agent/control" \
            "$RUNTIME/shop/control" /run/litterbox/ssh/socket /run/litterbox/desktop/requests
        assert_status 0
        assert_contains "attempts "
        assert_contains /run/litterbox/ssh/socket
        refute_contains "value:"
        no_value_is_asked_for
        run ! has_prompt "Value of"
    done
    # The agent was there, and still is.
    box run -- ssh-add -L | grep -q work
}

@test "value window: the agent opens none in the name of a box, and none without a pipe (2, 5)" {
    local question='"version":1,"kind":"value","headline":"h","address":"a.test","choices":[{"id":"once","text":"Store"}]'
    box run -- true
    # As a helper of a box could ask that the box has taken over: its questions have the box's name.
    run agent_say "{\"op\":\"ask\",\"question\":{$question,\"box\":{\"name\":\"shop\"}}}"
    assert_contains "a question of this kind cannot be a box's"
    run agent_say "{\"op\":\"ask\",\"question\":{$question}}"
    assert_contains "needs a descriptor"
    # Nor is another kind asked without a box, which no limit of a box would hold.
    run agent_say '{"op":"ask","question":{"version":1,"kind":"sudo","headline":"h","choices":[{"id":"once","text":"t"}]}}'
    assert_contains "a question needs a box"
    [ "$(pending_ids)" = "" ]
    no_prompt
}

@test "value window: while it is open a box sees nothing of it, and is told nothing (2, 5)" {
    local real=ghp_value-of-the-window01
    box run -- true
    box secret add --host a.test api </dev/null >said 2>&1 3>&- 4>&- &
    local adding=$!
    prompt_appears
    accepting
    type_text "$real"
    # Neither the question nor who asks it, nor the pipe of either, for its root, too.
    run --separate-stderr in_box sudo -n sh -c 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\0" "\n"; ls -l /proc/[0-9]*/fd; cat /proc/net/unix'
    refute_contains "secret add"
    refute_contains litterbox-prompt
    refute_contains "$real"
    # A question of the box's own does not end, answer or join it.
    begin sudo -n true
    begin xclip -selection clipboard -t image/png -o
    eventually test -n "$(prompt_windows "Value of")"
    focus "$window"
    accepting
    press Return
    wait "$adding"
    [ "$(cat "$DATA/secrets/api")" = "$real" ]
    # The control: what is there is found.
    in_box sh -c 'echo a-file-that-is-found >/tmp/planted'
    run --separate-stderr in_box sudo -n grep -rlF -e "$real" -e a-file-that-is-found /home /run /tmp /var /etc
    assert_output /tmp/planted
}
