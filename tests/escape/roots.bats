#!/usr/bin/env bats
# Hostile files in a container's root folder, from its image or from root of the box, when it is mounted
# (invariants 1, 2, 6), and mount sources that another box swaps (1).

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
}

# odd COMMAND: an image with the attack program; COMMAND has changed its root folder.
odd() {
    local root=$TEST_HOME/root
    rm -rf "$root" && mkdir -p "$root"/{bin,etc,tmp,proc,sys,dev,run,home}
    cp "$ATTACK" "$root/bin/attack"
    (cd "$root" && eval "$1")
    tar -C "$root" --owner 0 --group 0 -c . | import_image localhost/odd:1
    escape_config '[box]
image = "localhost/odd:1"'
}

assert_never_started() {
    assert_status 125
    assert_contains "was not started: its image has a symbolic link or a mount at '/run/litterbox'"
    [ ! -e "$PROJECT/pwned" ]
    run podman_get "containers/$(container_name)/json"
    [ "$(jq -r .State.Status <<<"$output")" != running ]
}

@test "roots: an image whose /run is a link into the home cannot replace PID 1 (6)" {
    odd "mkdir -p '.$HOME' && rmdir run && ln -s '$HOME' run"
    run box run -- /bin/attack abi native
    assert_never_started
}

@test "roots: a link that makes Podman run the project's PID 1 is refused, with control (6)" {
    need_base
    local made top=$TEST_HOME/top
    mkdir "$top"
    made=$(podman_do POST containers/create "{\"image\": \"$BASE\", \"command\": [\"true\"]}" | grep -o '[0-9a-f]\{64\}')
    # Unpacked and packed again: tar --delete can damage an archive.
    podman_get "containers/$made/export" | tar -C "$top" --exclude run -x
    podman_do DELETE "containers/$made"
    mkdir -p "$top$PROJECT"
    ln -s "$PROJECT" "$top/run"
    tar -C "$top" --owner 0 --group 0 -c . | import_image localhost/odd:1
    # A program that leaves a trace when it runs.
    mkdir -p litterbox/root
    cat >litterbox/root/init <<C
#!/bin/sh
grep CapEff /proc/self/status >$PROJECT/pwned
sleep 60
C
    chmod 755 litterbox/root/init
    escape_config '[box]
image = "localhost/odd:1"'
    run box run -- true
    assert_never_started
    podman_do POST "containers/$(container_name)/start"
    eventually test -s pwned # the attack works
    podman_do POST "containers/$(container_name)/stop?timeout=0"
    rm -f pwned
    run box run -- true
    assert_never_started
}

@test "roots: links on the way to /run/litterbox are refused (2, 6)" {
    local made
    for made in 'ln -s /tmp run/litterbox' 'ln -s ../../etc run/litterbox' 'ln -s /nowhere run/litterbox' \
        'rmdir run && ln -s tmp run' 'mkdir -p x/litterbox && rmdir run && ln -s x run'; do
        odd "$made"
        run timeout 60 box run -- /bin/attack abi native
        assert_status 125
        box rm --yes
    done
}

@test "roots: odd files at mount points give an error or a fully hardened box (1, 6, 9)" {
    local made
    for made in 'touch run/litterbox' 'mkfifo run/litterbox' 'rmdir tmp && touch tmp' 'rmdir tmp && ln -s etc tmp' \
        'rmdir home && touch home' 'rmdir home && mkfifo home' 'rmdir home && ln -s /etc home' \
        'rmdir home && ln -s /proc/1/root home' 'rmdir etc && ln -s tmp etc' 'mkdir etc/passwd etc/group' \
        'ln -s /proc/self/environ etc/passwd' 'mkdir etc/hosts' 'mkfifo etc/resolv.conf' 'rmdir proc && ln -s tmp proc' \
        'rmdir dev && ln -s /tmp dev' 'rmdir sys && touch sys' 'mkdir -p etc/profile.d/zz-litterbox.sh'; do
        odd "$made"
        run timeout 60 box run -- /bin/attack call mount
        case $status in
        1) assert_contains refused ;; # the attack ran and was refused
        125) assert_contains "box: " ;;
        69) assert_contains "podman does not answer" ;; # crun of Podman 5 opens a FIFO and is killed
        *) fail "$made: status $status: $output" ;;
        esac
        assert_no_controls
        [ -z "$(find "$PROJECT" -mindepth 1 ! -name litterbox.toml)" ]
        box rm --yes
    done
}

@test "roots: PID 1 of a running box is the installed box-init (6)" {
    escape_config ''
    box run -- true
    local pid
    pid=$(pid_one "$(container_name)")
    [ "$(stat -L -c %d:%i "/proc/$pid/exe")" = "$(stat -L -c %d:%i "$(podman_get "containers/$(container_name)/json" |
        jq -r '.Mounts[] | select(.Destination == "/run/litterbox/root/init") | .Source')")" ]
}

# swapping A B PATH [TIMES]: starts a program that exchanges A and B in a loop, and a box TIMES (30) times
# that prints PATH and its mounts. Neither may show the user's secrets.
swapping() {
    cat >"$TEST_HOME/swap.py" <<'P'
import ctypes, random, sys, time
libc = ctypes.CDLL(None)
while True:
    time.sleep(random.uniform(0, 0.08))
    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
P
    python3 "$TEST_HOME/swap.py" "$1" "$2" 3>&- &
    local swapper=$!
    for _ in $(seq "${4:-30}"); do
        run box run -- sh -c "cat /proc/self/mountinfo; cat '$3/key'; true"
        refute_contains "$SECRETS"
        refute_contains hunter2
        box stop >/dev/null 2>&1 || true
    done
    kill "$swapper"
    # With the real folder back in place, the box starts.
    if [ -L "$1" ]; then mv "$1" "$1.aside" && mv "$2" "$1"; fi
    run box run -- echo well
    assert_contains well
}

@test "roots: a box that swaps a mount's source shows another box no file of the user (1)" {
    mkdir .vscode
    ln -s "$SECRETS" swapped
    escape_config ''
    swapping "$PROJECT/.vscode" "$PROJECT/swapped" .vscode
}

# Below the project's mount a folder is the right one also where nothing is mounted on it: its mount went where the link
# led, and that is the home of the user on the host, and of the box in it.
@test "roots: a folder above protected names, swapped for a link to the home, is not mounted there (1)" {
    mkdir .config
    ln -s "$HOME" swapped
    escape_config ''
    box run -- true
    box stop
    cat >"$TEST_HOME/swap.py" <<'P'
import ctypes, os, sys, time
def stamp(path):
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
before = [stamp(path) for path in sys.argv[1:]]
print("waiting", flush=True)
for path, was in zip(sys.argv[1:], before):
    while stamp(path) == was:
        time.sleep(0.001)
    ctypes.CDLL(None).renameat2(-100, b".config", -100, b"swapped", 2)
P
    local files swapper tries
    mapfile -t files < <(podman_get "containers/$(container_name)/json" | jq -r '.OCIConfigPath, .PidFile')
    # On a busy machine the swap may come too late, after the mount.
    for tries in 1 2 3 4 5 6 7 8; do
        rm -f "$TEST_HOME/swapping"
        python3 "$TEST_HOME/swap.py" "${files[@]}" >"$TEST_HOME/swapping" 3>&- &
        swapper=$!
        eventually grep -qs waiting "$TEST_HOME/swapping"
        run box run -- sh -c 'cat ../secrets/key'
        wait "$swapper"
        echo "# $tries: $status"
        refute_contains hunter2
        [ ! -L .config ]
        [ "$status" != 125 ] || break
        box stop
    done
    assert_status 125
    assert_contains "was replaced while it was mounted"
    run box run -- echo well
    assert_contains well
}

# A project outside of the home, at `outside`, with the folder "real", and a link to secrets to swap it for.
project_of_another_box() {
    outside=$(mktemp -d /var/tmp/litterbox-test.XXXXXX)
    mkdir "$outside/real"
    ln -s "$SECRETS" "$outside/other"
    box init "$outside"
}

@test "roots: a mount from another box's project follows no link of that box (1)" {
    local outside
    project_of_another_box
    escape_config "[[mount]]
source = \"$outside/real\"
target = \"/mnt/real\""
    swapping "$outside/real" "$outside/other" /mnt/real
    mv "$outside/real" "$outside/aside" && ln -s "$SECRETS" "$outside/real"
    box stop
    run box run -- cat /mnt/real/key
    assert_status 78
    assert_contains "is a symbolic link that a box could have made"
    rm -rf "$outside"
}

@test "roots: a link that another box swaps for a folder is not the lower folder of an overlay (1)" {
    local outside
    project_of_another_box
    escape_config "[[mount]]
source = \"$outside/real\"
target = \"/mnt/real\"
mode = \"overlay\""
    swapping "$outside/real" "$outside/other" /mnt/real 12
    box run -- sh -c 'echo kept >/mnt/real/kept'
    box stop
    run --separate-stderr box run -- cat /mnt/real/kept
    assert_output kept
    [ ! -e "$outside/real/kept" ]
    rm -rf "$outside"
}

@test "roots: a link that a box has made in an overlay leads no other mount over PID 1 (6)" {
    printf '#!/bin/sh\necho ran >"%s/pwned"\nsleep 5\n' "$HOME" >"$TEST_HOME/tool"
    chmod 755 "$TEST_HOME/tool"
    escape_config '[project]
mode = "overlay"'
    box run -- ln -s /run/litterbox/root build
    box stop
    escape_config "[project]
mode = \"overlay\"
[[mount]]
source = \"$TEST_HOME/tool\"
target = \"$PROJECT/build/init\""
    run box run -- true
    assert_status 125
    assert_contains "a link that the box has made is in the way of a mount"
    [ ! -e "$DATA/boxes/shop/home/pwned" ]
}
