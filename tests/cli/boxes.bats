#!/usr/bin/env bats
# Which box belongs to which project, and a box's life.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

@test "boxes: two projects of one name get two boxes" {
    new_project "$TEST_HOME/other/shop"
    box run -- true
    box run "$TEST_HOME/other/shop" -- sh -c 'echo > ~/mine'
    run box list --json
    [ "$(jq length <<<"$output")" = 2 ]
    [ "$(jq -r '[.[].name] | unique | length' <<<"$output")" = 2 ]
    run box run -- ls -A "$HOME/mine"
    [ "$status" != 0 ]
}

@test "boxes: PROJECT is a name, a path, or left out below a project" {
    box start
    mkdir -p deep/er && cd deep/er
    run --separate-stderr box run -- sh -c 'echo $LITTERBOX_BOX'
    assert_output shop
    cd "$HOME"
    run --separate-stderr box run shop -- sh -c 'echo $LITTERBOX_BOX'
    assert_output shop
    run --separate-stderr box run "$PROJECT/" -- sh -c 'echo $LITTERBOX_BOX'
    assert_output shop
    ln -s "$PROJECT" "$TEST_HOME/link"
    run --separate-stderr box run "$TEST_HOME/link" -- sh -c 'echo $LITTERBOX_BOX; pwd'
    assert_output "shop"$'\n'"$PROJECT"
    run box run sohp -- true
    assert_contains "did you mean 'shop'"
}

@test "boxes: a .git or litterbox.toml that a box makes below its project leads to no new box" {
    local marker
    mkdir src
    box run -- sh -c 'mkdir src/.git src/a src/a/deep && echo >src/a/litterbox.toml'
    for marker in src src/a src/a/deep; do
        cd "$PROJECT/$marker"
        run --separate-stderr box run -- sh -c 'echo $LITTERBOX_BOX; pwd'
        assert_output "shop"$'\n'"$PROJECT/$marker"
    done
    [ "$(box list --json | jq length)" = 1 ]
    # The user may still ask for a box of its own.
    rm "$PROJECT/src/a/litterbox.toml"
    cd "$PROJECT/src"
    run box init
    assert_status 0
    run --separate-stderr box run -- sh -c 'echo $LITTERBOX_BOX'
    assert_output src
}

@test "boxes: the home folder and / are refused as projects" {
    cd "$HOME"
    run box run -- true
    assert_status 64
    run box run / -- true
    assert_status 64
}

@test "boxes: a moved project is recognised and offered a fix" {
    box run -- sh -c 'echo kept > ~/kept'
    box stop
    mv "$PROJECT" "$TEST_HOME/moved"
    cd "$TEST_HOME/moved"
    run box run -- true
    assert_status 125
    assert_contains "box init --move"
    box init --move
    run --separate-stderr box run -- sh -c 'cat ~/kept; pwd'
    assert_output "kept"$'\n'"$TEST_HOME/moved"
}

@test "boxes: a box that was moved keeps its home from a new project at its old path" {
    box init 2>/dev/null
    new_project "$TEST_HOME/b/shop"
    cd "$TEST_HOME/b/shop"
    box run -- sh -c 'echo kept > ~/kept'
    box stop
    mv "$TEST_HOME/b" "$TEST_HOME/c"
    cd "$TEST_HOME/c/shop"
    box init --move
    new_project "$TEST_HOME/b/shop"
    cd "$TEST_HOME/b/shop"
    run box run -- test -e "$HOME/kept"
    assert_status 1
    cd "$TEST_HOME/c/shop"
    run --separate-stderr box run -- cat "$HOME/kept"
    assert_output kept
    [ "$(box list --json | jq length)" = 3 ]
}

@test "boxes: a new box has nothing of a lost one of its name: no keys, and not what still runs" {
    box run --detach -- sleep 1000
    mkdir -p "$STATE/attached"
    echo key >"$STATE/attached/shop"
    rm "$DATA/boxes/shop/project"
    new_project "$TEST_HOME/other/shop"
    cd "$TEST_HOME/other/shop"
    run --separate-stderr box run -- sh -c 'pwd; ! pgrep -x sleep'
    assert_status 0
    assert_output "$TEST_HOME/other/shop"
    [ ! -e "$STATE/attached/shop" ]
}

@test "boxes: the home stays over stop, restart and apply; rm takes it" {
    box run -- sh -c 'echo here > ~/note'
    box stop
    [ "$(box run -- cat "$HOME/note" 2>/dev/null)" = here ]
    box restart
    [ "$(box run -- cat "$HOME/note" 2>/dev/null)" = here ]
    box apply
    [ "$(box run -- cat "$HOME/note" 2>/dev/null)" = here ]
    box rm --yes
    [ ! -e "$DATA/boxes/shop" ]
    [ -z "$(containers)" ]
    [ -d "$PROJECT" ]
}

@test "boxes: a project that is moved while its box runs is told about the old path" {
    box run -- true
    mv "$PROJECT" "$TEST_HOME/moved"
    cd "$TEST_HOME/moved"
    run box init --move
    assert_status 0
    assert_contains "box restart"
    box restart
    run --separate-stderr box run -- pwd
    assert_output "$TEST_HOME/moved"
    run box init --move
    assert_status 125
}

@test "boxes: box-init is static, and with all that it starts takes under 512 KiB of memory for itself" {
    local init pid used total=0
    box run -- true
    init=$(podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq .State.Pid)
    eventually sessions_are 0
    for pid in "$init" $(pgrep -P "$init"); do
        # Pages of the program's file are shared by all boxes, and how many of them are mapped is the kernel's choice.
        # What answered `box status` may still be there, and then not.
        used=$(awk '/^Pss_Anon:|^Pss_Shmem:/ { sum += $2 } END { print sum }' "/proc/$pid/smaps_rollup" 2>/dev/null) || continue
        total=$((total + used))
    done
    echo "# $total KiB" >&3
    [ "$total" -gt 0 ]
    [ "$total" -lt 512 ]
    # Static: nothing of it is mapped from a library.
    grep -q . "/proc/$init/maps"
    run grep -E '\.so' "/proc/$init/maps"
    assert_output ""
}

@test "boxes: list says that there are none yet" {
    project_forget
    run --separate-stderr box list
    assert_status 0
    assert_output ""
    # shellcheck disable=SC2154
    [[ $stderr == *"no boxes yet"* ]]
    [ "$(box list --json)" = "[]" ]
}

@test "boxes: init says what it wrote, and does not drop what it was told" {
    run box init --template debian
    assert_status 0
    assert_contains "wrote Containerfile and litterbox.toml"
    cp litterbox.toml "$TEST_HOME/before"
    for asked in "--image x:1" "--template fedora" "--template nosuch"; do
        # shellcheck disable=SC2086
        run box init $asked
        assert_status 64
        assert_contains "already exists"
    done
    cmp litterbox.toml "$TEST_HOME/before"
    run box init
    assert_status 0
    assert_contains "is unchanged"
}

@test "boxes: rm asks, and does nothing without a yes" {
    box start
    run box rm </dev/null
    assert_status 64
    run on_terminal --answer '[y/N]' 'n\n' box rm
    [ "$status" != 0 ]
    [ -d "$DATA/boxes/shop/home" ]
    run on_terminal --answer '[y/N]' 'y\n' box rm
    assert_status 0
    [ ! -e "$DATA/boxes/shop" ]
}

@test "boxes: rm that has waited removes no other box that has the name by then" {
    local waiting status home=$DATA/boxes/shop/home
    mkdir -p "$RUNTIME/shop"
    coproc held { flock "$RUNTIME/shop/lock" sh -c 'echo held; read -r _'; }
    read -r _ <&"${held[0]}"
    box rm --yes shop >"$TEST_HOME/said" 2>&1 3>&- &
    waiting=$!
    eventually grep -q waiting "$TEST_HOME/said"
    box rm --force shop >"$TEST_HOME/said-force" 2>&1 3>&- &
    eventually grep -q waiting "$TEST_HOME/said-force"
    # As a rename does, which has the lock.
    mv "$DATA/boxes/shop" "$DATA/boxes/boutique"
    rm -r "$RUNTIME/shop"
    new_project "$TEST_HOME/other/shop"
    (cd "$TEST_HOME/other/shop" && box run -- sh -c 'echo precious >~/file')
    echo >&"${held[1]}"
    wait $!
    status=0
    wait "$waiting" || status=$?
    assert_status 125
    run cat "$TEST_HOME/said"
    assert_contains "box 'shop' has just been removed or renamed: run the command again"
    [ "$(cat "$home/file")" = precious ]
    [ -n "$(containers)" ]
    box rm --yes shop
    [ ! -e "$home" ]
}

@test "boxes: rm removes no branches that it cannot see" {
    local branches=$DATA/boxes/shop/branches
    box run --branch b -- sh -c 'echo work >new' 2>/dev/null
    chmod 300 "$branches"
    run box rm --yes shop
    assert_status 125
    assert_contains "$branches"
    chmod 700 "$branches"
    run box rm --yes shop
    assert_status 125
    assert_contains "box 'shop' has branches: b"
    [ "$(box branch diff b)" = 'A new' ]
    box branch drop --yes b
    box rm --yes shop
}

@test "boxes: another container with a box's label is not taken for the box" {
    box start
    mkdir "$TEST_HOME/root"
    podman_do POST containers/create "{\"name\":\"z-$LITTERBOX_INSTANCE\",\"rootfs\":\"$TEST_HOME/root\",
        \"command\":[\"/none\"],\"netns\":{\"nsmode\":\"none\"},\"labels\":{\"litterbox.box\":\"shop\",
        \"litterbox.instance\":\"$LITTERBOX_INSTANCE\",\"litterbox.project\":\"/x\"}}" >/dev/null
    [ "$(containers | wc -l)" = 2 ]
    [ "$(box list --json | jq -c 'map([.name, .state, .project, .container])')" = \
        "[[\"shop\",\"running\",\"$PROJECT\",\"litterbox.$LITTERBOX_INSTANCE.shop\"]]" ]
}

# A connection that has just been closed is a session until PID 1 has seen to it.
sessions_are() { [ "$(box status --json | jq .sessions)" = "$1" ]; }

@test "boxes: rm says how many sessions are open, in its question and with --yes" {
    box run --detach -- sleep 1000
    eventually sessions_are 1
    run on_terminal --answer '[y/N]' 'n\n' box rm
    assert_contains "1 session is open in box 'shop' and will end"
    [ -n "$(containers)" ]
    box run --detach -- sleep 1000
    eventually sessions_are 2
    run box rm --yes
    assert_status 0
    assert_contains "2 sessions are open in box 'shop' and will end"
    [ -z "$(containers)" ]
    box init --no-file 2>/dev/null
    box start
    eventually sessions_are 0
    run box rm --yes
    refute_contains "open in box"
}

runs_idle() { [ "$(box status --json | jq -r '.state, .sessions, .drift, .image')" = $'running\n0\nnone\nhost' ]; }

@test "boxes: status and list tell the state, sessions and drift" {
    project_forget
    run box status
    assert_status 125
    project_setup
    box start
    eventually runs_idle || fail "$(box status --json)"
    box run --detach -- sleep 1000
    eventually sh -c '[ "$(box list --json | jq ".[0].sessions")" = 1 ]'
    box stop
    [ "$(box status --json | jq -r .state)" = stopped ]
}

@test "boxes: an idle box stops by itself, and nothing of ours stays in the project" {
    mkdir -p "$CONFIG"
    printf '[box]\nidle_stop = 1\n' >"$CONFIG/config.toml"
    box run -- true
    eventually sh -c '[ "$(box status --json | jq -r .state)" = stopped ]'
    [ -z "$(ls -A "$PROJECT")" ]
}

@test "boxes: a session keeps an idle box alive" {
    mkdir -p "$CONFIG"
    printf '[box]\nidle_stop = 1\n' >"$CONFIG/config.toml"
    box run --detach -- sleep 1000
    sleep 3 # longer than idle_stop
    [ "$(box status --json | jq -r .state)" = running ]
}

@test "boxes: two first enters at one moment make one box" {
    local i callers=()
    for i in 1 2 3 4; do
        box run -- sh -c 'echo $LITTERBOX_BOX' >"$TEST_HOME/out.$i" 2>&1 3>&- &
        callers+=($!)
    done
    wait "${callers[@]}"
    for i in 1 2 3 4; do grep -qx shop "$TEST_HOME/out.$i"; done
    [ "$(containers | wc -l)" = 1 ]
}

@test "boxes: a box that was removed behind our back is made again, home kept" {
    box run -- sh -c 'echo kept > ~/kept'
    podman_do DELETE "containers/$(containers)?force=true&timeout=0" >/dev/null
    [ "$(box run -- sh -c 'cat ~/kept' 2>/dev/null)" = kept ]
}

@test "boxes: odd project paths" {
    local name
    for name in 'with space' "quo'te\"s" $'new\nline' 'ünïcødé-日本' '-dash' '$(id)' ';x' 'a:b,c=d' '%s' '\back'; do
        new_project "$TEST_HOME/odd/$name"
        run --separate-stderr box run "$TEST_HOME/odd/$name" -- sh -c 'echo in > file; printf "%s" "$PWD"'
        assert_status 0
        assert_output "$TEST_HOME/odd/$name"
        [ "$(cat "$TEST_HOME/odd/$name/file")" = in ]
        box stop "$TEST_HOME/odd/$name"
    done
}

@test "boxes: a project path of nearly 4,000 characters" {
    local path=$TEST_HOME/long
    while [ ${#path} -lt 3800 ]; do path+=/$(printf 'd%.0s' $(seq 100)); done
    new_project "$path"
    cd "$path"
    run --separate-stderr box run -- sh -c 'echo in > file; pwd | wc -c'
    assert_status 0
    [ "$(cat file)" = in ]
}

@test "boxes: rm removes no container that box did not make, whatever its name" {
    box init 2>/dev/null
    mkdir "$TEST_HOME/empty"
    podman_do POST containers/create "{\"name\":\"litterbox.$LITTERBOX_INSTANCE.shop\",\"rootfs\":\"$TEST_HOME/empty\",\"command\":[\"x\"]}"
    run box rm --yes
    assert_status 125
    assert_contains "was not created by Litterbox"
    podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq -e .Id
    podman_do DELETE "containers/litterbox.$LITTERBOX_INSTANCE.shop?force=true"
}

@test "boxes: what is told to end by stop can still save" {
    box run --detach -- sh -c 'trap "echo saved >saved; exit" TERM HUP; echo >ready; while :; do sleep 0.1; done'
    eventually test -e ready
    box stop
    [ "$(cat saved)" = saved ]
    # Nobody to wait for: it does not use up its time, which is 3 s. More than once, where the machine has much else to do.
    stops_at_once() {
        local begin
        box start
        begin=${EPOCHREALTIME/./}
        box stop
        [ $((${EPOCHREALTIME/./} - begin)) -lt 3000000 ]
    }
    eventually stops_at_once
}

@test "boxes: a removal that was cut off leaves its home to nobody" {
    box run -- sh -c 'echo secret >~/token'
    # As a kill right behind the moment at which it stops being a box leaves it.
    box stop
    for name in $(containers); do podman_do DELETE "containers/$name?force=true" >/dev/null; done
    rm -r "$DATA/boxes/shop/project" "$DATA/projects" 2>/dev/null || rm "$DATA/boxes/shop/project"
    new_project "$TEST_HOME/other/shop"
    cd "$TEST_HOME/other/shop"
    run box run -- sh -c 'echo $LITTERBOX_BOX; cat ~/token'
    assert_contains shop
    refute_contains secret
    # It is not destroyed either, but left to prune.
    [ "$(cat "$DATA"/boxes/shop.removed-*/home/token)" = secret ]
    run box prune --dry-run
    assert_contains shop.removed-
    box prune --yes
    [ ! -e "$(echo "$DATA"/boxes/shop.removed-*)" ]
    box run -- true
}
