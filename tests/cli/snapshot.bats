#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box snapshot: what is kept, that it is kept once, and kills. tests/escape/snapshot.bats has the attacks.

load ../lib/box.bash
setup() {
    box_setup
    SHOP=$DATA/boxes/shop/home
    OBJECTS=$DATA/snapshots/objects
}
teardown() { box_teardown; }

# fill: gives shop a home and a project with all that a snapshot must keep.
fill() {
    mkdir -p "$SHOP/sub/deep" "$SHOP/empty" src .git/hooks
    echo mine >"$SHOP/file"
    printf '#!/bin/sh\n' >"$SHOP/script"
    chmod 755 "$SHOP/script"
    head -c 3000000 /dev/urandom >"$SHOP/sub/big"
    : >"$SHOP/sub/deep/nothing"
    ln -s ../file "$SHOP/sub/link"
    truncate -s 1G "$SHOP/sparse"
    echo end | dd of="$SHOP/sparse" bs=1 seek=500M conv=notrunc status=none
    touch -d '2001-02-03 04:05:06.789' "$SHOP/file" "$SHOP/sub"
    chmod 550 "$SHOP/empty"
    echo one >src/one
    echo secret >.env
    echo commit >.git/HEAD
    trust_file $'[project]\nhidden = [".env"]'
}

names() { box snapshot show --names --json "$1" | jq -r '.names[] | "\(.part) \(.path)"'; }
objects() { find "$OBJECTS" -type f | wc -l; }

@test "snapshot: a home and a project are kept, each content once, and nothing of .git and hidden names" {
    fill
    run box snapshot
    assert_contains "no snapshots yet"
    new_project "$TEST_HOME/new"
    box snapshot create new
    run box snapshot create --home new
    assert_status 125
    assert_contains "box 'new' was never started"
    run box snapshot create --note 'first try'
    assert_status 0
    assert_contains "snapshot 1 of box 'shop': 1 GiB, of which 2.9 MiB are new"
    [ "$(names 1 | grep -c '^home ')" = 9 ]
    [ "$(names 1 | grep '^project ')" = $'project litterbox.toml\nproject src\nproject src/one' ]
    run box snapshot show 1
    assert_contains "note       first try"
    [ "$(stat -c %a "$DATA/boxes/shop/snapshots/1" "$DATA/snapshots" "$(find "$OBJECTS" -type f | head -n 1)")" = $'600\n700\n600' ]
    # The second one adds nothing; only the home, or the project, where that is asked for.
    before=$(objects)
    box snapshot create --home
    box snapshot create --project
    [ "$(objects)" = "$before" ]
    [ "$(box snapshot list shop --json | jq -c '[.[1:][] | [.number, .home.stored, .project.stored]]')" = '[[2,0,null],[3,null,0]]' ]
    # What another box has already is not stored again.
    new_project "$TEST_HOME/cafe"
    cp -r "$SHOP" "$DATA/boxes/cafe/home"
    box snapshot create --home cafe
    [ "$(objects)" = "$before" ]
    [ "$(box snapshot list cafe --json | jq -r '.[0].box')" = cafe ]
    [ "$(box completion words snapshots)" = $'1\n2\n3' ]
}

@test "snapshot: drop removes what no other snapshot needs, and says how much is free" {
    fill
    box snapshot create
    rm "$SHOP/sub/big"
    echo other >"$SHOP/file"
    box snapshot create
    run box snapshot drop 1
    assert_status 64
    assert_contains "use --yes"
    run box snapshot drop --yes 1
    assert_status 0
    assert_contains "dropped snapshot 1 of box 'shop': 2.9 MiB are free"
    run box snapshot show 1
    assert_status 125
    assert_contains "has no snapshot 1"
    # What the other one has is there: its names are checked by the next create.
    before=$(objects)
    box snapshot create
    [ "$(objects)" = "$before" ]
    box snapshot drop --yes 2 shop.3
    [ "$(objects)" = 0 ]
    # Beside a damaged snapshot nothing is known to be of no use.
    box snapshot create
    before=$(objects)
    new_project "$TEST_HOME/cafe"
    mkdir -p "$DATA/boxes/cafe/home"
    box snapshot create cafe
    echo x >>"$DATA/boxes/cafe/snapshots/1"
    # A number is used once.
    run box snapshot drop --yes 4
    assert_status 125
    assert_contains "boxes/cafe/snapshots/1' is damaged"
    [ "$(objects)" = "$before" ]
    # Nor beside some that cannot be read; and none takes the place of one of these.
    rm "$DATA/boxes/cafe/snapshots/1"
    box snapshot create cafe
    before=$(objects)
    chmod 300 "$DATA/boxes/cafe/snapshots"
    box snapshot create --project shop
    run box snapshot drop --yes shop.5
    assert_status 125
    assert_contains "boxes/cafe/snapshots"
    run box snapshot create cafe
    assert_status 125
    assert_contains "boxes/cafe/snapshots"
    chmod 700 "$DATA/boxes/cafe/snapshots"
    [ "$(box snapshot list cafe --json | jq -c '[.[].number]')" = '[1]' ]
    box snapshot restore --yes cafe.1
    # What a box that is removed alone had goes with it.
    box rm --yes cafe
    [ "$(objects)" = 0 ]
    box snapshot create shop
    [ "$(box snapshot list shop --json | jq -c '[.[].number]')" = '[6]' ]
    [ "$(objects)" != 0 ]
    box rm --yes shop
    [ "$(objects)" = 0 ]
}

@test "snapshot: SIGKILL before any change of create and drop: a whole snapshot or none, and nothing too much" {
    local call n status rounds=0
    mkdir -p "$SHOP"
    echo kept >"$SHOP/kept"
    head -c 1500000 /dev/urandom >"$SHOP/large"
    box snapshot create
    for call in linkat renameat rename syncfs mkdirat fsync; do
        for ((n = 1; n < 60; n += TEST_STEP)); do
            echo "$call $n" >"$SHOP/new"
            status=0
            strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box snapshot create >/dev/null 2>&1 || status=$?
            rounds=$((rounds + 1))
            # The next one works, reads all, and has what is there now.
            if [ "$status" = 0 ]; then break; fi
        done
    done
    echo "# $rounds kills" >&3
    box snapshot create
    [ -z "$(ls -A "$DATA/snapshots/staging")" ]
    last=$(box snapshot list --json | jq '.[-1].number')
    for n in $(box snapshot list --json | jq '.[].number'); do box snapshot show --names "$n" >/dev/null || fail "snapshot $n"; done
    # A killed drop, and the next one.
    status=0
    strace -f -qq -o /dev/null -e trace=unlinkat -e inject=unlinkat:signal=KILL:when=1 box snapshot drop --yes 1 >/dev/null 2>&1 || status=$?
    [ "$status" = 137 ]
    run box snapshot show 1
    assert_status 125
    # shellcheck disable=SC2046 # numbers
    box snapshot drop --yes $(box snapshot list --json | jq ".[].number | select(. != $last)")
    [ "$(objects)" = 3 ]
    box snapshot drop --yes "$last"
    [ "$(objects)" = 0 ]
}

home_listing() { (cd "$SHOP" && find . -mindepth 1 -printf '%P %y %m %s %l %T@\n' | sort && find . -type f ! -name sparse -exec sha256sum {} + | sort); }
project_listing() { find . -path ./.git -prune -o -printf '%P %y %m %l\n' -type f -exec sha256sum {} + | sort; }
# damage: what an agent may do.
damage() {
    rm -rf "$SHOP/sub" src
    echo x >"$SHOP/file"
    echo x >src
    ln -sf /etc/passwd "$SHOP/script"
    echo new >"$SHOP/new"
    mkdir more && echo new >more/new
}

@test "snapshot: contents that were lost or damaged are stored again by the next one, and the file is named" {
    mkdir -p "$SHOP/sub"
    echo one >"$SHOP/sub/file"
    # Old enough to be known as unchanged, so that it is not read.
    is_settled() { [ "$(date +%s)" -gt $(($(stat -c %Z "$SHOP/sub/file") + 2)) ]; }
    eventually is_settled
    box snapshot create --home
    rm -r "$OBJECTS"
    box snapshot create --home
    echo two >"$SHOP/sub/file"
    box snapshot restore --yes --home 1
    [ "$(cat "$SHOP/sub/file")" = one ]
    find "$OBJECTS" -type f -exec sh -c 'for object; do echo other | zstd -q -f -o "$object"; done' sh {} +
    echo three >"$SHOP/sub/file"
    run box snapshot restore --yes --home 1
    assert_status 125
    assert_contains "'sub/file': contents of a snapshot are damaged or missing"
    [ "$(cat "$SHOP/sub/file")" = three ]
    echo one >"$SHOP/sub/file"
    box snapshot create --home
    echo three >"$SHOP/sub/file"
    box snapshot restore --yes --home 1
    [ "$(cat "$SHOP/sub/file")" = one ]
    # What was set aside goes with the next drop.
    box snapshot drop --yes 1
    [ -z "$(find "$OBJECTS" -name '*.damaged')" ]
}

@test "snapshot: diff says what has changed, restore brings it back, and can be undone" {
    fill
    home_before=$(home_listing) before=$(project_listing)
    box snapshot create
    run --separate-stderr box snapshot diff 1
    assert_output ""
    damage
    home_damaged=$(home_listing) damaged=$(project_listing)
    run --separate-stderr box snapshot diff 1
    assert_output "M home file
A home new
T home script
D home sub/
D home sub/big
D home sub/deep/
D home sub/deep/nothing
D home sub/link
A project more/
A project more/new
T project src
D project src/one"
    run box snapshot restore 1
    assert_status 64
    assert_contains "use --yes"
    [ "$(home_listing)" = "$home_damaged" ]
    [ "$(project_listing)" = "$damaged" ]
    run box snapshot restore --yes 1
    assert_status 0
    assert_contains "restored the home; 'box snapshot restore shop.3' undoes that"
    [ "$(home_listing)" = "$home_before" ] || fail "$(diff <(echo "$home_before") <(home_listing))"
    [ "$(project_listing)" = "$before" ] || fail "$(diff <(echo "$before") <(project_listing))"
    [ "$(du -k "$SHOP/sparse" | cut -f 1)" -lt 1024 ]
    [ "$(cat .git/HEAD .env)" = $'commit\nsecret' ]
    [ ! -e "$DATA/boxes/.restoring" ]
    # Undone: both are what they were.
    box snapshot restore --yes 2
    box snapshot restore --yes 3
    [ "$(home_listing)" = "$home_damaged" ] || fail "$(diff <(echo "$home_damaged") <(home_listing))"
    [ "$(project_listing)" = "$damaged" ] || fail "$(diff <(echo "$damaged") <(project_listing))"
    # A part of the project.
    box snapshot restore --yes 1 src
    [ "$(cat src/one more/new)" = $'one\nnew' ]
    run box snapshot restore --yes --home 2
    assert_status 125
    assert_contains "snapshot 2 has no home"
}

@test "snapshot: paths of a restore may be written in any way, and one without changes restores nothing" {
    local path
    fill
    mkdir -p more
    echo m >more/file
    box snapshot create
    echo x | tee src/one >more/file
    for path in ./src src/ "$PROJECT/src" more/../src//one; do
        echo x >src/one
        run box snapshot restore --yes 1 "$path"
        assert_status 0
        assert_contains "restored the project"
        [ "$(cat src/one more/file)" = $'one\nx' ]
    done
    for path in ../src /etc ''; do
        run box snapshot restore --yes 1 "$path"
        assert_status 64
    done
    count=$(box snapshot list --json | jq length)
    run box snapshot restore --yes 1 mroe
    assert_status 0
    assert_contains "nothing has changed in 'mroe'"
    assert_contains "there is nothing to restore"
    refute_contains "restored"
    [ "$(cat more/file)" = x ]
    [ "$(box snapshot list --json | jq length)" = "$count" ]
    # Those of names that stay as they are, too.
    echo x >.envrc
    run box snapshot restore --yes --allow-protected ./.envrc 1 "$PROJECT/.envrc"
    assert_status 0
    [ ! -e .envrc ]
}

@test "snapshot: what is in the way and can be in no snapshot stays, and the rest is restored" {
    echo one | tee closed fifo other >/dev/null
    box snapshot create --project
    rm fifo
    mkfifo fifo
    echo precious | tee closed >other
    chmod 0 closed
    run box snapshot restore --yes 1 fifo
    assert_status 0
    assert_contains "'fifo' stays as it is now: no snapshot has that"
    refute_contains "'closed' stays"
    run box snapshot restore --yes 1
    chmod 600 closed
    assert_status 0
    assert_contains "'closed' stays as it is now"
    [ "$(cat other closed)" = $'one\nprecious' ]
    [ -p fifo ]
}

@test "snapshot: a box that runs is stopped for its home, and has the other one when it starts" {
    box run -- sh -c 'echo one >~/file'
    box snapshot create --home
    # Without a cgroup it was not paused; tests/cgroups/snapshot.bats has the rest.
    new_project "$PROJECT/below" && cd "$PROJECT"
    box run "$PROJECT/below" -- true
    run box snapshot create --project shop
    assert_contains "box 'below', which can write in this project, too, ran meanwhile, and was not paused"
    box snapshot drop --yes shop.2
    box rm --yes below
    [ "${LAB_LIMITS:-}" != ignored ] || [ "$(box snapshot list shop --json | jq -c '.[0] | [.running, .consistent]')" = '[true,false]' ]
    box run -- sh -c 'echo two >~/file; mkdir ~/closed; echo x >~/closed/x; chmod 0 ~/closed'
    # What no snapshot can hold is not lost without a yes.
    run box snapshot restore --yes --home 1
    assert_status 0
    assert_contains "left out of the home: 'closed'"
    run --separate-stderr box run -- sh -c 'cat ~/file; test -e ~/closed || echo gone'
    assert_output $'one\ngone'
}

@test "snapshot: no branch starts with a home that is being restored, so nothing that it writes is lost" {
    local restoring old new
    box run -- sh -c 'echo one >~/file' 2>/dev/null
    box snapshot create --home
    box run -- sh -c 'echo two >~/file'
    box run --branch old -- true 2>/dev/null
    box stop shop.old
    # Wherever the restore is, as far as its own lock.
    coproc held { flock "$DATA/snapshots/.lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box snapshot restore --yes --home 1 >"$TEST_HOME/said" 2>&1 3>&- &
    restoring=$!
    eventually grep -q "waiting for another 'box snapshot'" "$TEST_HOME/said"
    box run --branch old -- sh -c 'cat ~/file; echo kept >~/old' >"$TEST_HOME/old" 2>&1 3>&- &
    old=$!
    box run --branch new -- sh -c 'cat ~/file; echo kept >~/new' >"$TEST_HOME/new" 2>&1 3>&- &
    new=$!
    eventually grep -q "waiting for another 'box' command" "$TEST_HOME/old"
    eventually grep -q "waiting for another 'box' command, which needs the home of this box" "$TEST_HOME/new"
    echo >&"${held[1]}"
    wait "$restoring"
    wait "$old"
    wait "$new"
    grep -q '^one$' "$TEST_HOME/old"
    grep -q '^one$' "$TEST_HOME/new"
    [ "$(cat "$SHOP/old" "$SHOP/new")" = $'kept\nkept' ]
    # One that runs ends the restore before anything has changed, and the box goes on.
    box run --detach -- sleep 1000
    box run --detach --branch new -- sleep 1000
    run box snapshot restore --yes --home 1
    assert_status 125
    assert_contains "branch 'new' is running with this home: run 'box stop shop.new' first"
    [ "$(box status --json shop | jq .sessions)" = 1 ]
}

@test "snapshot: SIGKILL before any change of a restore of the home: the old one or the new one" {
    local call n status rounds=0 now
    mkdir -p "$SHOP/sub"
    echo one >"$SHOP/sub/file"
    box snapshot create --home
    echo two >"$SHOP/sub/file"
    ln -s x "$SHOP/link"
    for call in mkdirat renameat2 unlinkat fchmod; do
        for ((n = 1; n < 60; n += TEST_STEP)); do
            status=0
            strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" box snapshot restore --yes --home 1 >/dev/null 2>&1 || status=$?
            rounds=$((rounds + 1))
            box list -q >/dev/null
            [ ! -e "$DATA/boxes/.restoring" ] || fail "$call $n: something is left"
            now=$(cd "$SHOP" && find . -mindepth 1 | sort | tr '\n' ' ' && cat sub/file)
            [[ $now = './link ./sub ./sub/file two' || $now = './sub ./sub/file one' ]] || fail "$call $n: $now"
            rm -f "$SHOP/link"
            ln -s x "$SHOP/link"
            echo two >"$SHOP/sub/file"
            [ "$status" != 0 ] || break
        done
    done
    echo "# $rounds kills" >&3
    [ "$rounds" -gt $((12 / TEST_STEP)) ]
}

@test "snapshot: one is made before a take and when asked for, if something has changed; old ones go" {
    numbers() { box snapshot list shop --json | jq -c '[.[] | [.number, .reason]]'; }
    user_config $'[snapshot]\nkeep = 2'
    mkdir -p "$SHOP"
    mkfifo "$SHOP/fifo"
    echo one >one
    box snapshot create
    run box snapshot auto
    assert_output ""
    [ "$(numbers)" = '[[1,"user"]]' ]
    box run --branch b -- sh -c 'echo two >one'
    echo host >new
    run box branch take --yes b
    assert_status 0
    assert_contains "snapshot 2 of box 'shop' has what the project is now"
    [ "$(cat one)" = two ]
    box snapshot restore --yes 2 one
    [ "$(cat one)" = one ]
    [ "$(numbers)" = '[[1,"user"],[2,"auto"],[3,"before restore"]]' ]
    echo more >other
    box snapshot auto
    [ "$(numbers)" = '[[1,"user"],[3,"before restore"],[4,"auto"]]' ]
    # None, when none is wanted.
    user_config $'[snapshot]\nkeep = 0'
    echo less >other
    box snapshot auto
    [ "$(box snapshot list shop --json | jq length)" = 3 ]
}
