#!/usr/bin/env bats
# box rename: a box gets another name, and nothing of it is lost, also when the command is killed.

load ../lib/box.bash
load ../lib/image.bash
load ../lib/ssh.bash
setup() {
    box_setup
    APPS=${XDG_DATA_HOME:-$HOME/.local/share}/applications
    ICONS=${XDG_DATA_HOME:-$HOME/.local/share}/icons/hicolor/48x48/apps
    mkdir -p "$CONFIG/boxes"
}
teardown() {
    rm -f "$APPS/litterbox+$LITTERBOX_INSTANCE+"* "$ICONS/litterbox+$LITTERBOX_INSTANCE+"*
    ssh_teardown
    box_teardown
}

# furnish NAME: gives the box all that is kept under its name, by files, as the parts write them.
furnish() {
    local home=$DATA/boxes/$1/home
    mkdir -p "$home" "$STATE/plain-wayland" "$(dirname "$(attached "$1")")" "$APPS" "$ICONS"
    echo mine >"$home/file"
    printf '[box]\nidle_stop = "never"\n' >"$CONFIG/boxes/$1.toml"
    printf 'SHA256:%s work\n' "$(head -c 32 /dev/zero | base64 | tr -d =)" >"$(attached "$1")"
    : >"$STATE/plain-wayland/$1"
    entry "$1" >"$APPS/litterbox+$LITTERBOX_INSTANCE+$1+probe.desktop"
    echo picture >"$ICONS/litterbox+$LITTERBOX_INSTANCE+$1+probe.png"
}
attached() { echo "$STATE/attached/$1"; }

# The menu entry as `box app export` writes it.
entry() {
    printf '%s\n' '[Desktop Entry]' Type=Application Version=1.0 "Name=Probe ($1)" 'Comment=Tries things' \
        "Exec=/usr/bin/env LITTERBOX_INSTANCE=$LITTERBOX_INSTANCE \"$(command -v box)\" app run $1 probe %F" \
        "TryExec=$(command -v box)" "Icon=litterbox+$LITTERBOX_INSTANCE+$1+probe" Terminal=false \
        'Categories=Utility;' 'MimeType=text/plain;' "X-Litterbox-Box=$1" "X-Litterbox-Instance=$LITTERBOX_INSTANCE" X-Litterbox-App=probe
}

# all_of NAME: everything is there under this name, and nothing under the other, $2.
all_of() {
    local entry=$APPS/litterbox+$LITTERBOX_INSTANCE+$1+probe.desktop
    [ "$(cat "$DATA/boxes/$1/project")" = "$PROJECT" ] || return
    [ "$(cat "$DATA/boxes/$1/home/file")" = mine ] || return
    [ "$(readlink "$DATA"/projects/*)" = "../boxes/$1" ] || return
    grep -q never "$CONFIG/boxes/$1.toml" && grep -q work "$(attached "$1")" || return
    [ -e "$STATE/plain-wayland/$1" ] && [ "$(cat "$ICONS/litterbox+$LITTERBOX_INSTANCE+$1+probe.png")" = picture ] || return
    diff <(entry "$1" | sort) <(sort "$entry") || return
    # The menu is the user's, so other tests' entries are there as well.
    run find "$DATA/boxes" "$DATA/projects" "$CONFIG" "$STATE" "$APPS" "$ICONS" -path "$DATA/boxes/*/*" -prune -o \
        -name "litterbox+*" ! -name "litterbox+$LITTERBOX_INSTANCE+*" -o -name "*$2*" -print
    [ -z "$output" ] || { echo "$output" && return 1; }
    [ ! -e "$DATA/boxes/.renaming" ]
}

@test "rename: home, settings, keys, consents, menu entries and ports go along" {
    box run -- true
    box stop
    furnish shop
    box port add --keep 18124:8124
    run box rename shop boutique
    assert_status 0
    assert_contains "box 'shop' is called 'boutique' now"
    all_of boutique shop
    [ "$(box list -q)" = boutique ]
    [ -z "$(containers)" ]
    [ "$(box port list --json | jq -r '.forwards[].host')" = 18124 ]
    # It is the box of the same project, and has its home.
    run --separate-stderr box run -- sh -c 'echo $LITTERBOX_BOX; cat ~/file; hostname'
    assert_output $'boutique\nmine\nboutique'
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.boutique" ]
    # The old name is free, for a box that has nothing of this one.
    new_project "$TEST_HOME/other/shop"
    run box run shop -- sh -c 'cat ~/file'
    [ "$status" != 0 ]
    [ ! -e "$(attached shop)" ]
    # In its project the box need not be named; and back.
    box rm --yes shop
    box rename --yes shop
    [ "$(box list -q)" = shop ]
}

@test "rename: keys that were attached are there under the new name, with the real agent" {
    ssh_setup work
    box start
    box keys attach work
    [ "$(box status --json | jq '.ssh.keys | length')" = 1 ]
    box rename --yes shop boutique
    [ "$(box status --json | jq -r '.name, .state, (.ssh.keys | length)')" = $'boutique\nrunning\n1' ]
    run box run -- ssh-add -l
    assert_contains work
    box rename --yes shop
    run box run -- ssh-add -l
    assert_contains work
}

@test "rename: asks before sessions end and files are lost; with a no or without a terminal all is as it was" {
    need_base
    trust_file "[box]
image = \"$BASE\""
    box start
    box run -u root -- sh -c 'echo mine >/usr/bin/tool'
    before=$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq -r .Id)
    run box rename shop boutique </dev/null
    assert_status 64
    assert_contains "use --yes"
    run on_terminal --answer 'Rename it?' 'n\n' box rename shop boutique
    assert_status 130
    assert_contains "outside"
    [ "$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq -r .Id)" = "$before" ]
    [ "$(box list --json | jq -r '.[0] | .name, .state')" = $'shop\nrunning' ]
    run on_terminal --answer 'Rename it?' 'y\n' box rename shop boutique
    assert_status 0
    [ "$(box list --json | jq -r '.[0] | .name, .state')" = $'boutique\nrunning' ]
    # So does a branch.
    box run --branch b -u root -- sh -c 'echo mine >/usr/bin/tool'
    run box branch rename boutique.b c </dev/null
    assert_status 64
    assert_contains "use --yes"
    box branch rename --yes boutique.b c
    [ "$(box branch list --json | jq -r '.[].name')" = c ]
}

@test "rename: an image that was built for the box is its image still" {
    need_base
    printf 'FROM %s\nRUN echo built >/built\n' "$BASE" >Containerfile
    trust_file $'[box]\ncontainerfile = "Containerfile"'
    box run -- cat /built
    box rename --yes shop boutique
    run box run -- cat /built
    assert_status 0
    refute_contains STEP
    [ "$(box status --json | jq -r .drift)" = none ]
    box rm --yes boutique
    remove_built_images
}

@test "rename: a name that is wrong, taken or has settings is refused, and nothing changes" {
    new_project "$TEST_HOME/cafe"
    box start
    for name in '' UPPER ../x a/b -x "$(printf 'x%.0s' {1..64})" $'\e[31m'; do
        run box rename shop -- "$name"
        assert_status 64
        run box rename shop "$name"
        assert_status 64
        refute_contains $'\e'
    done
    run box rename shop shop
    assert_status 64
    run box rename shop cafe
    assert_status 125
    assert_contains "$TEST_HOME/cafe"
    echo '[box]' >"$CONFIG/boxes/taken.toml"
    run box rename --yes shop taken
    assert_status 125
    assert_contains "taken.toml"
    run box rename
    assert_status 64
    run box rename none boutique
    assert_status 125
    [ "$(box list --json | jq -r '.[] | "\(.name) \(.state)"')" = $'cafe missing\nshop running' ]
}

@test "rename: SIGKILL before any of its changes: the next command has all under one name" {
    local round=0 from=shop to=boutique calls=rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,openat
    furnish shop
    # Control: strace lets it through when it has fewer calls than that.
    strace -f -qq -o /dev/null -e trace="$calls" -e inject=rename:signal=KILL:when=9999 box rename --yes "$from" "$to"
    all_of "$to" "$from"
    box rename --yes "$to" "$from"
    all_of "$from" "$to"
    for call in rename unlink unlinkat symlink; do
        for ((n = 1; ; n += TEST_STEP)); do
            round=$((round + 1))
            status=0
            strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box rename --yes "$from" "$to" || status=$?
            # Any command repairs.
            box list >/dev/null 2>&1
            if [ "$status" = 0 ]; then
                all_of "$to" "$from" || fail "$call $n: not all of $to"
                box rename --yes "$to" "$from"
                break
            elif [ -e "$DATA/boxes/$to" ]; then
                all_of "$to" "$from" || fail "$call $n: half of $to"
                box rename --yes "$to" "$from"
            fi
            all_of "$from" "$to" || fail "$call $n: half of $from"
        done
    done
    echo "# $round kills" >&3
    [ "$round" -gt $((15 / TEST_STEP)) ]
    box run -- cat "$HOME/file"
}

@test "rename: a box that runs is renamed or not, when it is killed at any moment" {
    local round before=shop after=boutique
    for round in {1..4}; do
        box run -- sh -c 'echo kept >~/kept' 2>/dev/null
        box rename --yes "$before" "$after" >/dev/null 2>&1 3>&- &
        sleep "0.$(printf %03d $((RANDOM % 400)))" # a random moment
        kill -KILL $! 2>/dev/null || true
        wait $! || true
        name=$(box list -q)
        [ "$name" = "$before" ] || [ "$name" = "$after" ] || fail "$round: '$name'"
        [ "$(box run -- sh -c 'cat ~/kept; echo $LITTERBOX_BOX')" = $'kept\n'"$name" ]
        [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.$name" ]
        [ "$name" = "$before" ] || { after=$before && before=$name; }
    done
}

@test "rename: no other box takes the old name's things after a kill" {
    furnish shop
    box rename --yes shop boutique
    # As after a kill before keys and settings were moved.
    printf 'shop\nboutique\n' >"$DATA/boxes/.renaming"
    mv "$(attached boutique)" "$(attached shop)"
    mv "$CONFIG/boxes/boutique.toml" "$CONFIG/boxes/shop.toml"
    new_project "$TEST_HOME/other/shop"
    [ ! -e "$(attached shop)" ]
    [ ! -e "$CONFIG/boxes/shop.toml" ]
    grep -q work "$(attached boutique)"
    box rm --yes shop
    all_of boutique shop
    # A record that says nothing is none.
    for text in '' x $'x\ny\n' $'../x\ny\n' $'boutique\nboutique\n'; do
        printf '%s' "$text" >"$DATA/boxes/.renaming"
        box list -q >/dev/null
        all_of boutique shop
    done
}

@test "rename: nothing that a removed box of the new name left behind becomes this one's" {
    box start
    box run -- sh -c 'echo mine >~/file'
    # A box whose record is gone, but not its container, which runs, its home and its keys.
    new_project "$TEST_HOME/boutique"
    box start
    furnish boutique
    echo theirs >"$DATA/boxes/boutique/home/theirs"
    rm "$DATA/boxes/boutique/project" "$CONFIG/boxes/boutique.toml"
    before=$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.boutique/json" | jq -r .Id)
    run box rename --yes shop boutique
    assert_status 0
    run --separate-stderr box run boutique -- sh -c 'cat ~/file; ls ~/theirs; echo $LITTERBOX_BOX; pwd'
    assert_output $'mine\nboutique\n'"$PROJECT"
    [ "$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.boutique/json" | jq -r .Id)" != "$before" ]
    [ ! -e "$(attached boutique)" ]
    [ ! -e "$STATE/plain-wayland/boutique" ]
    run ls "$APPS"
    refute_contains "+boutique+"
    # Its home is not lost: prune lists it.
    run box prune -n
    assert_contains "boutique.removed-"
}

@test "rename: a start that waits for the box meanwhile makes no second box of the old name" {
    mkdir -p "$RUNTIME/shop"
    coproc held { flock "$RUNTIME/shop/lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box start shop >"$TEST_HOME/said" 2>&1 3>&- &
    eventually grep -q . "$TEST_HOME/said"
    mv "$DATA/boxes/shop" "$DATA/boxes/boutique"
    rm -r "$RUNTIME/shop"
    echo >&"${held[1]}"
    status=0
    wait $! || status=$?
    assert_status 125
    run cat "$TEST_HOME/said"
    assert_contains "removed or renamed"
    [ -z "$(containers)" ]
}

@test "rename: a box that has just got the name of a branch keeps it for itself" {
    local waiting status
    box run --branch b -- true 2>/dev/null
    box stop shop.b
    coproc held { flock "$DATA/boxes/.lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box rename --yes shop boutique >"$TEST_HOME/said" 2>&1 3>&- &
    waiting=$!
    eventually waits_for_lock "$waiting"
    # As a new box is registered, by who had the lock.
    mkdir -p "$DATA/boxes/boutique.b" "$TEST_HOME/other"
    printf %s "$TEST_HOME/other" >"$DATA/boxes/boutique.b/project"
    echo >&"${held[1]}"
    status=0
    wait "$waiting" || status=$?
    assert_status 125
    run cat "$TEST_HOME/said"
    assert_contains "is called 'boutique.b'"
    [ "$(box list -q)" = $'boutique.b\nshop' ]
    [ "$(box branch list --json | jq -r '.[].name')" = b ]
}
