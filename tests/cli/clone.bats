#!/usr/bin/env bats
# box clone: a box with another one's home and settings; all of them, or no box. tests/escape/clone.bats has the attacks.

load ../lib/box.bash
setup() {
    box_setup
    APPS=${XDG_DATA_HOME:-$HOME/.local/share}/applications
    CAFE=$TEST_HOME/cafe
    STAGING=$DATA/boxes/.cloning
    mkdir -p "$CONFIG/boxes" "$CAFE"
}
teardown() {
    rm -f "$APPS/litterbox+$LITTERBOX_INSTANCE+"*
    box_teardown
}

# fill: gives shop a home with all that a copy must keep, and settings.
fill() {
    local home=$DATA/boxes/shop/home
    mkdir -p "$home/sub/deep" "$home/empty"
    echo mine >"$home/file"
    printf '#!/bin/sh\n' >"$home/script"
    chmod 777 "$home/script"
    head -c 700000 /dev/urandom >"$home/sub/big"
    : >"$home/sub/deep/nothing"
    ln -s ../file "$home/sub/link"
    ln -s /usr/bin/env "$home/sub/absolute"
    truncate -s 1G "$home/sparse"
    echo end | dd of="$home/sparse" bs=1 seek=500M conv=notrunc status=none
    touch -d '2001-02-03 04:05:06.789' "$home/file" "$home/sub"
    chmod 550 "$home/empty"
    printf '[box]\nenv = { FROM = "settings" }\n' >"$CONFIG/boxes/shop.toml"
}

# is_copy NAME: that box has what fill made.
is_copy() {
    local home=$DATA/boxes/$1/home
    diff <(listing "$DATA/boxes/shop/home") <(listing "$home") || return
    diff -r --no-dereference -x sparse "$DATA/boxes/shop/home" "$home" || return
    [ "$(du -k "$home/sparse" | cut -f 1)" -lt 1024 ] || return
    cmp "$DATA/boxes/shop/home/sparse" "$home/sparse" && cmp "$CONFIG/boxes/shop.toml" "$CONFIG/boxes/$1.toml"
}
listing() { (cd "$1" && find . -mindepth 1 -printf '%P %y %m %s %l\n' -type f -printf '  %P %T@\n' | sed '/ d /s/ [0-9]* $//' | sort); }

# no_cafe: there is no box for that folder, and nothing of one.
no_cafe() {
    [ "$(box list -q)" = shop ] || return
    [ ! -e "$STAGING" ] && [ ! -e "$CONFIG/boxes/cafe.toml" ] && [ ! -e "$DATA/boxes/cafe/home" ] || return
    [ "$(readlink "$DATA"/projects/*)" = ../boxes/shop ]
}

@test "clone: home and settings are there, holes too, and nothing else of the source" {
    box run -- sh -c 'echo inside >~/inside'
    box stop
    fill
    box port add --keep 18127:8127
    mkdir -p "$STATE/attached" "$STATE/plain-wayland" "$APPS"
    printf 'SHA256:%s work\n' "$(head -c 32 /dev/zero | base64 | tr -d =)" >"$STATE/attached/shop"
    : >"$STATE/plain-wayland/shop"
    echo '[Desktop Entry]' >"$APPS/litterbox+$LITTERBOX_INSTANCE+shop+probe.desktop"
    echo /dev/null >"$DATA/boxes/shop/devices"
    trust_file $'[box]\nidle_stop = "never"'
    cd "$CAFE"
    run box clone shop
    assert_status 0
    assert_contains "box 'cafe' is for '$CAFE'"
    assert_contains "not copied: litterbox.toml"
    is_copy cafe
    [ "$(cd "$DATA/boxes/cafe" && echo *)" = "folder home project" ]
    [ -z "$(ls -A "$CAFE")" ]
    run find "$STATE" "$APPS" -name '*cafe*'
    assert_output ""
    [ ! -e "$STAGING" ]
    # It is a box of its own, with the settings of the source.
    run --separate-stderr box run -- sh -c 'cat ~/file ~/inside; echo $LITTERBOX_BOX $FROM; pwd; echo changed >~/file'
    assert_output $'mine\ninside\ncafe settings\n'"$CAFE"
    [ "$(cat "$DATA/boxes/shop/home/file")" = mine ]
    [ "$(box port list --json | jq '.forwards | length')" = 0 ]
}

@test "clone: by the project's folder, for another folder, without settings; and of a clone" {
    fill
    rm "$CONFIG/boxes/shop.toml"
    box clone "$PROJECT" "$CAFE"
    [ ! -e "$CONFIG/boxes/cafe.toml" ]
    mkdir "$TEST_HOME/third"
    box clone cafe "$TEST_HOME/third"
    diff <(listing "$DATA/boxes/shop/home") <(listing "$DATA/boxes/third/home")
    # A file that two names share is two files, and the owner's rights are not needed to copy a folder.
    ln "$DATA/boxes/shop/home/file" "$DATA/boxes/shop/home/second"
    chmod 500 "$DATA/boxes/shop/home"
    mkdir "$TEST_HOME/fourth"
    box clone shop "$TEST_HOME/fourth"
    [ "$(cat "$DATA/boxes/fourth/home/second")" = mine ]
    [ "$(stat -c %h "$DATA/boxes/fourth/home/second")" = 1 ]
    chmod 700 "$DATA/boxes/shop/home"
}

@test "clone: what cannot be copied is named, and the rest is there" {
    fill
    mkfifo "$DATA/boxes/shop/home/pipe"
    mkdir "$DATA/boxes/shop/home/closed"
    chmod 0 "$DATA/boxes/shop/home/closed"
    run box clone shop "$CAFE"
    assert_status 0
    assert_contains "left out: 'home/pipe' is neither"
    assert_contains "left out: 'home/closed' cannot be read"
    rmdir "$DATA/boxes/shop/home/closed"
    rm "$DATA/boxes/shop/home/pipe"
    is_copy cafe
}

@test "clone: a source that runs, and a folder that has a box or may have none, are refused" {
    run box clone shop "$CAFE"
    assert_status 125
    assert_contains "never started"
    box start
    run box clone shop "$CAFE"
    assert_status 125
    assert_contains "box stop shop"
    box pause 2>/dev/null || podman_do POST "containers/litterbox.$LITTERBOX_INSTANCE.shop/pause"
    run box clone shop "$CAFE"
    assert_status 125
    assert_contains "box stop shop"
    podman_do POST "containers/litterbox.$LITTERBOX_INSTANCE.shop/unpause"
    box stop
    run box clone shop
    assert_status 125
    assert_contains "has the box 'shop'"
    run box clone
    assert_status 64
    run box clone none "$CAFE"
    assert_status 125
    run box clone shop "$CAFE/missing"
    assert_status 64
    for folder in "$HOME" / /tmp; do
        run box clone --anyway shop "$folder"
        assert_status 64
        assert_contains "cannot be a project"
    done
    mkdir -p "$TEST_HOME/src/one"
    git init -q "$TEST_HOME/src/one"
    run box clone shop "$TEST_HOME/src"
    assert_status 64
    assert_contains "give --anyway"
    echo '[box]' >"$CONFIG/boxes/cafe.toml"
    run box clone shop "$CAFE"
    assert_status 125
    assert_contains "cafe.toml"
    rm "$CONFIG/boxes/cafe.toml"
    no_cafe
    box clone --anyway shop "$TEST_HOME/src"
}

@test "clone: the source does not start while its home is copied" {
    fill
    # Each write takes long, so that the copy is under way when the other command comes.
    strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=1000000 box clone shop "$CAFE" 2>/dev/null 3>&- &
    eventually test -e "$STAGING/home"
    local cloning=$!
    [ ! -e "$DATA/boxes/cafe/project" ]
    # Nor does a branch, which has the home, too.
    box run --branch b -- sh -c 'echo late >~/late' >"$TEST_HOME/said" 2>&1 3>&- &
    local branch=$!
    run box start shop
    assert_status 0
    assert_contains "waiting for another"
    # It has waited for all of the copy, into which it would have put its mount points.
    [ -e "$DATA/boxes/cafe/project" ]
    wait "$cloning"
    wait "$branch"
    grep -q "waiting for another 'box' command, which needs the home" "$TEST_HOME/said"
    rm "$DATA/boxes/shop/home/late"
    rm -r "$DATA/boxes/shop/home/litterbox-tests"
    is_copy cafe
}

@test "clone: SIGKILL before any of its changes: the box is complete, or the next command leaves nothing of it" {
    local round=0 call n
    fill
    for call in mkdir mkdirat rename pwrite64 symlink fchmod syncfs unlink unlinkat; do
        for ((n = 1; n < 40; n += TEST_STEP)); do
            round=$((round + 1))
            status=0
            strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box clone shop "$CAFE" 2>/dev/null || status=$?
            box list >/dev/null 2>&1
            [ ! -e "$STAGING" ] || fail "$call $n: $(find "$STAGING")"
            if [ -e "$DATA/boxes/cafe/project" ]; then
                is_copy cafe || fail "$call $n: half of a box"
                box rm --yes cafe 2>/dev/null
                rm "$CONFIG/boxes/cafe.toml"
            fi
            no_cafe || fail "$call $n: something is left"
            [ "$status" != 0 ] || break
        done
    done
    echo "# $round kills" >&3
    [ "$round" -gt $((30 / TEST_STEP)) ]
    box clone shop "$CAFE"
    is_copy cafe
}

@test "clone: Ctrl-C, and a signal for the command alone, leave nothing" {
    fill
    # More than a pipe holds, so that the end of the sender is noticed at once.
    head -c 50M /dev/urandom >"$DATA/boxes/shop/home/large"
    slow=(strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=100000)
    run on_terminal --answer 'copying the home' '\x03' "${slow[@]}" box clone shop "$CAFE"
    assert_status 130
    assert_contains "nothing was changed"
    no_cafe
    for signal in INT TERM HUP; do
        # A shell without job control lets what it starts with "&" ignore INT.
        env --default-signal=INT "${slow[@]}" box clone shop "$CAFE" >"$TEST_HOME/said" 2>&1 3>&- &
        eventually test -e "$STAGING/home"
        kill -"$signal" "$(pgrep -P $!)"
        status=0
        wait $! || status=$?
        [ "$status" = 130 ] || fail "$signal: $status, $(cat "$TEST_HOME/said")"
        [ ! -e "$STAGING" ] || fail "$signal: $(find "$STAGING")"
        no_cafe
    done
}

@test "clone: two at a time" {
    fill
    mkdir "$TEST_HOME/third"
    box clone shop "$CAFE" 3>&- &
    box clone shop "$TEST_HOME/third"
    wait $!
    is_copy cafe
    is_copy third
}

@test "clone: no other box takes what a killed one had in place, and the user's own settings stay" {
    fill
    leave() {
        mkdir -p "$STAGING" "$DATA/boxes/cafe/home"
        printf '%s' "$1" >"$STAGING/name"
        cp "$CONFIG/boxes/shop.toml" "$STAGING/settings"
        echo theirs >"$DATA/boxes/cafe/home/theirs"
    }
    leave cafe
    cp "$STAGING/settings" "$CONFIG/boxes/cafe.toml"
    new_project "$CAFE"
    [ ! -e "$CONFIG/boxes/cafe.toml" ]
    [ ! -e "$DATA/boxes/cafe/home" ]
    [ ! -e "$STAGING" ]
    box rm --yes cafe
    # Settings that are not the copy are the user's.
    leave cafe
    echo '[box]' >"$CONFIG/boxes/cafe.toml"
    box list -q >/dev/null
    [ "$(cat "$CONFIG/boxes/cafe.toml")" = '[box]' ]
    rm "$CONFIG/boxes/cafe.toml"
    # A record names no other folder, and no box that is registered.
    for name in '' ../../x shop $'shop\n'; do
        leave "$name"
        rm -r "$DATA/boxes/cafe"
        box list -q >/dev/null
        [ "$(cat "$DATA/boxes/shop/home/file")" = mine ]
        [ -e "$CONFIG/boxes/shop.toml" ]
        [ ! -e "$STAGING" ]
    done
}
