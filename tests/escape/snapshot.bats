#!/usr/bin/env bats
# What a hostile box could do to the host by 'box snapshot', which reads what it has written, and brings it back.

load escape.bash
setup_file() {
    escape_setup_file
    OUTSIDE=$TEST_HOME/outside
    mkdir -p "$OUTSIDE"
    echo "$SECRET" >"$OUTSIDE/secret"
    export OUTSIDE
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    SHOP=$DATA/boxes/shop/home
}
teardown() {
    cd "$PROJECT" || return
    find "$PROJECT" -mindepth 1 -delete
}

last() { box snapshot list shop --json | jq '.[-1].number'; }
# stored TEXT: some object, or the home, has it.
stored() { find "$DATA/snapshots/objects" -type f -exec zstdcat {} + | grep -q "$1"; }

@test "snapshot: links that a box plants are kept as links, and lead nowhere, also when it is gone back to (1)" {
    box run -- sh -ec "ln -s '$OUTSIDE' ~/out; ln -s '$OUTSIDE/secret' ~/file; mkdir ~/sub; ln -s ../out/secret ~/sub/up; ln -s '$OUTSIDE' out; echo mine >~/mine"
    box stop
    before=$(find "$OUTSIDE" -printf '%p %i %s %T@\n')
    box snapshot create
    run ! stored "$SECRET"
    # Control: what is the box's is there.
    stored mine
    number=$(last)
    # A folder where the snapshot has a link, and the other way round.
    rm "$SHOP/out" "$SHOP/sub/up"
    rmdir "$SHOP/sub"
    mkdir "$SHOP/out"
    echo x >"$SHOP/out/secret"
    ln -s "$OUTSIDE" "$SHOP/sub"
    run timeout 60 box snapshot restore --yes --home "$number"
    assert_status 0
    [ "$(readlink "$SHOP/out")" = "$OUTSIDE" ]
    [ -d "$SHOP/sub" ]
    [ ! -L "$SHOP/sub" ]
    [ "$(find "$OUTSIDE" -printf '%p %i %s %T@\n')" = "$before" ]
}

@test "snapshot: FIFOs, sockets, holes without end, set-ID bits and names with control characters (6, 8, 9)" {
    box run -- sh -ec 'cd; mkfifo fifo; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")"; truncate -s 8000000000000 huge; cp /bin/true suid; chmod 6777 suid
        printf x >"$(printf "bad\033]0;t\007name")"; mkdir "two
lines"; mkfifo "$(printf "fifo\033[2J")"'
    # Deeper than any path.
    python3 -c 'import os, sys
os.chdir(sys.argv[1])
for _ in range(400): os.mkdir("d" * 16); os.chdir("d" * 16)' "$SHOP"
    run timeout 60 box snapshot create --home
    assert_status 0
    assert_no_controls
    assert_contains "its path is too long"
    assert_contains "left out of the home: 'fifo'"
    number=$(last)
    run box snapshot show --names "$number"
    assert_no_controls
    [ "$(du -sm "$DATA/snapshots" | cut -f 1)" -lt 100 ]
    run timeout 60 box snapshot restore --yes --home "$number"
    assert_status 0
    assert_no_controls
    [ "$(stat -c %a "$SHOP/suid")" = 777 ]
    [ "$(stat -c %s "$SHOP/huge")" = 8000000000000 ]
    [ ! -e "$SHOP/fifo" ]
    [ ! -e "$SHOP/sock" ]
    run box snapshot diff "$number"
    assert_no_controls
}

@test "snapshot: what is swapped between the look and the read is not followed (1)" {
    mkdir -p "$SHOP"
    find "$SHOP" -mindepth 1 -delete
    echo "harmless" >"$SHOP/swapped"
    mkdir "$SHOP/folder"
    echo harmless >"$SHOP/folder/secret"
    # The file becomes a link, a FIFO and a folder; the folder a link: all of it again and again.
    python3 - "$SHOP" "$OUTSIDE" 3>&- <<'P' &
import os, sys, time
home, outside = sys.argv[1:]
os.chdir(home)
end = time.monotonic() + 4
while time.monotonic() < end:
    for make in (lambda: os.symlink(outside + "/secret", "next"), lambda: os.mkfifo("next"), lambda: open("next", "w").close()):
        make()
        os.replace("next", "swapped")
    os.rename("folder", "aside")
    os.symlink(outside, "folder")
    os.unlink("folder")
    os.rename("aside", "folder")
P
    for round in 1 2 3 4 5 6; do
        timeout 60 box snapshot create --home >/dev/null 2>&1 || fail "round $round"
    done
    wait $!
    run ! stored "$SECRET"
    for number in $(box snapshot list shop --json | jq '.[].number'); do
        box snapshot show --names "$number" >/dev/null 2>&1 || fail "snapshot $number cannot be read"
    done
}

@test "snapshot: a project gets no protected name and no link that leads out from a snapshot without its own yes (7)" {
    # Written while nothing held it: by the host itself.
    mkdir -p .vscode src sub/.git/hooks
    echo x >.vscode/tasks.json
    echo x >.envrc
    echo x >sub/.git/hooks/post-checkout
    ln -s "$OUTSIDE/secret" lead
    echo one >src/one
    box snapshot create --project
    number=$(last)
    rm -rf .vscode .envrc lead sub src
    run box snapshot restore --yes "$number"
    assert_status 0
    [ "$(cat src/one)" = one ]
    for name in .vscode .envrc lead sub/.git; do [ ! -e "$name" ] && [ ! -L "$name" ] || fail "$name came back"; done
    assert_contains "stays as it is now: '.vscode"
    assert_contains "stays as it is now: 'lead' (a link that may lead out"
    # A link of the host in the way is not followed.
    rm -rf src
    ln -s "$OUTSIDE" src
    run box snapshot restore --yes "$number"
    assert_status 0
    [ ! -e "$OUTSIDE/one" ]
    box snapshot restore --yes --allow-protected .envrc "$number" .envrc
    [ "$(cat .envrc)" = x ]
}

@test "snapshot: a file that is not the one that was written is refused, and so are its contents (9)" {
    find "$SHOP" -mindepth 1 -delete
    echo "what was there" >"$SHOP/file"
    box snapshot create --home
    number=$(last)
    file=$DATA/boxes/shop/snapshots/$number
    cp "$file" "$TEST_HOME/whole"
    # Each byte counts; here the path.
    sed -i 's/file/fil\//' "$file"
    run box snapshot restore --yes --home "$number"
    assert_status 125
    assert_contains "is damaged"
    [ "$(cat "$SHOP/file")" = "what was there" ]
    cp "$TEST_HOME/whole" "$file"
    find "$DATA/snapshots/objects" -type f -exec sh -c 'echo other | zstd -q -f -o "$1"' sh {} \;
    echo new >"$SHOP/file"
    run box snapshot restore --yes --home "$number"
    assert_status 125
    assert_contains "damaged or missing"
    [ "$(cat "$SHOP/file")" = new ]
}
