#!/usr/bin/env bats
# What stands in the root of a container, by its image or by root of the box, when the mounts are made
# (invariants 1, 2, 6), and sources of mounts that another box swaps (1).

load escape.bash
load ../lib/image.bash

setup() {
    box_setup
    ATTACK=$(attack_program)
    SECRETS=$TEST_HOME/secrets
    mkdir -p "$SECRETS"
    echo hunter2 >"$SECRETS/key"
}
teardown() {
    box_teardown
    remove_image localhost/odd:1
    pkill -P $$ -f swap.py || true
}

# odd COMMAND: an image with the attack program, in the root of which COMMAND has been at work.
odd() {
    local root=$TEST_HOME/root
    rm -rf "$root" && mkdir -p "$root"/{bin,etc,tmp,proc,sys,dev,run,home}
    cp "$ATTACK" "$root/bin/attack"
    (cd "$root" && eval "$1")
    tar -C "$root" --owner 0 --group 0 -c . | import_image localhost/odd:1
    escape_config '[box]
image = "localhost/odd:1"'
}

# A program that proves that it ran, where a link of the box would lead PID 1's path.
plant_init() {
    mkdir -p "$1/litterbox/root"
    printf '#!/bin/sh\nid -u >%s/pwned\ngrep CapEff /proc/self/status >>%s/pwned\nsleep 60\n' \
        "$PROJECT" "$PROJECT" >"$1/litterbox/root/init"
    chmod 755 "$1/litterbox/root/init"
}

assert_never_started() {
    assert_status 125
    assert_contains "was not started"
    [ ! -e "$PROJECT/pwned" ]
    run podman_get "containers/$(container_name)/json"
    [ "$(jq -r .State.Status <<<"$output")" != running ]
}

@test "roots: an image whose /run leads into the project does not get its own PID 1 (6)" {
    odd "rmdir run && ln -s '$PROJECT' run"
    plant_init "$PROJECT"
    cp "$ATTACK" "$PROJECT/litterbox/root/init"
    run box run -- /bin/attack abi native
    assert_never_started
    assert_contains_message "/run/litterbox"
}

# The message of the last `box`, kept by the tests that look twice.
assert_contains_message() {
    run box run -- /bin/attack abi native
    assert_contains "'$1'"
}

@test "roots: control and cure: root of the box moves /run; Podman runs the box's PID 1, box does not (6)" {
    need_base
    escape_config '[box]
image = "debian:bookworm"'
    plant_init "$PROJECT"
    box run -u root -- sh -c "mv /run /run-before && ln -s '$PROJECT' /run"
    box stop
    podman_do POST "containers/$(container_name)/start"
    eventually 10 test -s pwned # so the attack is real
    podman_do POST "containers/$(container_name)/stop?timeout=0"
    rm -f pwned
    run box run -- true
    assert_never_started
    run box apply --yes
    assert_status 0
    run box run -- echo well
    assert_contains well
}

@test "roots: links in the way of our own folder are refused, wherever they lead (2, 6)" {
    local made
    for made in 'ln -s /tmp run/litterbox' 'ln -s ../../etc run/litterbox' 'ln -s /nowhere run/litterbox' \
        'rmdir run && ln -s tmp run' 'mkdir -p x/litterbox && rmdir run && ln -s x run'; do
        odd "$made"
        run timeout 60 box run -- /bin/attack abi native
        assert_status 125
        box rm --yes
    done
}

@test "roots: odd files in the places of mounts: a sentence, or a box as hardened as ever (1, 6, 9)" {
    local made
    for made in 'touch run/litterbox' 'mkfifo run/litterbox' 'rmdir tmp && touch tmp' 'rmdir tmp && ln -s etc tmp' \
        'rmdir home && touch home' 'rmdir home && mkfifo home' 'rmdir home && ln -s /etc home' \
        'rmdir home && ln -s /proc/1/root home' 'rmdir etc && ln -s tmp etc' 'mkdir etc/passwd etc/group' \
        'ln -s /proc/self/environ etc/passwd' 'mkdir etc/hosts' 'mkfifo etc/resolv.conf' 'rmdir proc && ln -s tmp proc' \
        'rmdir dev && ln -s /tmp dev' 'rmdir sys && touch sys' 'mkdir -p etc/profile.d/zz-litterbox.sh'; do
        odd "$made"
        run timeout 60 box run -- /bin/attack call mount
        echo "# $made: $status $output" >&3
        case $status in
        1) assert_contains refused ;; # the attack ran, and got nowhere
        125) assert_contains "box: " ;;
        *) fail "$made: status $status: $output" ;;
        esac
        assert_no_controls
        [ -z "$(ls -A "$PROJECT" | grep -v '^litterbox.toml$')" ]
        box rm --yes
    done
}

@test "roots: PID 1 of a running box is the very file box-init (6)" {
    escape_config ''
    box run -- true
    local pid
    pid=$(pid_one "$(container_name)")
    [ "$(stat -L -c %d:%i "/proc/$pid/exe")" = "$(stat -L -c %d:%i "$(podman_get "containers/$(container_name)/json" |
        jq -r '.Mounts[] | select(.Destination == "/run/litterbox/root/init") | .Source')")" ]
}

@test "roots: another box that swaps the source of a mount shows no file of the user's (1)" {
    local i refused=0
    mkdir .vscode
    ln -s "$SECRETS" swapped
    escape_config ''
    cat >"$TEST_HOME/swap.py" <<'P'
import ctypes, sys
libc = ctypes.CDLL(None)
while True:
    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
P
    python3 "$TEST_HOME/swap.py" "$PROJECT/.vscode" "$PROJECT/swapped" 3>&- &
    local swapper=$!
    for i in $(seq 30); do
        run box run -- sh -c 'cat /proc/self/mountinfo; cat .vscode/key'
        refute_contains "$SECRETS"
        refute_contains hunter2
        [ "$status" = 0 ] || refused=$((refused + 1))
        box stop >/dev/null 2>&1 || true
    done
    kill "$swapper"
    echo "# $refused of 30 starts were refused" >&3
}
