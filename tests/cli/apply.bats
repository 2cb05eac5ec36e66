#!/usr/bin/env bats
# box apply: the old container is there until the new one has started.

load ../lib/box.bash
load ../lib/image.bash
setup() { image_setup; }
teardown() {
    [ -z "${session:-}" ] || kill "$session" 2>/dev/null || true
    image_teardown
}

# configure TEXT: a box of the base image, or of TEXT's.
configure() {
    trust_file "[box]
idle_stop = \"never\"
${1:-image = \"debian:bookworm\"}"
}

# With a Containerfile whose last line is LINE.
containerfile() { # LINE
    printf 'FROM debian:bookworm\n%s\n' "$1" >Containerfile
    configure 'containerfile = "Containerfile"'
}

# A running box with a file outside its home, whose container is $before.
installed() {
    box run -u root -- sh -c 'echo mine >/usr/bin/tool'
    before=$(id_of)
}
id_of() { podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq -r .Id; }

# The box is the old one, runs, and is the only container.
is_unchanged() {
    [ "$(id_of)" = "$before" ]
    [ "$(box status --json | jq -r .state)" = running ]
    [ "$(box run -- cat /usr/bin/tool)" = mine ]
    [ "$(containers | wc -l)" = 1 ] || fail "left: $(containers)"
}

# Configures an image in which no box starts: a link at /run leads PID 1's mount elsewhere.
cannot_start() {
    local root=$TEST_HOME/root
    mkdir -p "$root"/{bin,etc,tmp,proc,sys,dev,home}
    ln -s tmp "$root/run"
    tar -C "$root" --owner 0 --group 0 -c . | import_image "localhost/litterbox-$LITTERBOX_INSTANCE/odd:1"
    configure "image = \"localhost/litterbox-$LITTERBOX_INSTANCE/odd:1\""
}

sessions_are() { [ "$(box status --json | jq .sessions)" = "$1" ]; }
# A session that ends with the box.
open_session() {
    box run -- sh -c 'echo open >~/open; exec sleep 1000' >session.log 2>&1 3>&- &
    session=$!
    eventually test -e "$DATA/boxes/shop/home/open"
}

@test "apply: a Containerfile that does not build leaves the box and its sessions as they are" {
    containerfile 'RUN echo one >/made'
    installed
    open_session
    containerfile 'RUN echo because-of-this; exit 3'
    run box apply --yes
    assert_status 125
    assert_contains because-of-this
    is_unchanged
    kill -0 "$session"
}

@test "apply: Ctrl-C during the build leaves the box and its sessions as they are" {
    containerfile 'RUN echo one >/made'
    installed
    open_session
    containerfile 'RUN echo it-builds; exec sleep 1111'
    # With box's own service: another one may go on with the build.
    run on_terminal --answer it-builds '\x03' env -u CONTAINER_HOST box apply --yes
    assert_status 130
    eventually sh -c '! pgrep -u "$(id -u)" -f "[s]leep 1111" >/dev/null'
    is_unchanged
    kill -0 "$session"
}

@test "apply: a first start that fails leaves no box, unless the user has something of it by then" {
    local starting step
    project_forget
    containerfile 'RUN false'
    run box run -- true
    assert_status 125
    [ ! -e "$DATA/boxes/shop" ]
    containerfile 'RUN echo it-builds; exec sleep 1112'
    box run -- true >"$TEST_HOME/said" 2>&1 3>&- &
    starting=$!
    builds() { step=$(pgrep -u "$(id -u)" -f "^sleep 1112"); }
    eventually builds
    echo kept >file
    box snapshot create --project
    kill -KILL "$step"
    status=0
    wait "$starting" || status=$?
    [ "$status" != 0 ]
    rm file
    box snapshot restore --yes shop.1
    [ "$(cat file)" = kept ]
    box rm --yes shop
    box secret add kept --host kept.test --source env:KEPT 2>/dev/null
    box run -- true >"$TEST_HOME/said" 2>&1 3>&- &
    starting=$!
    eventually builds
    box secret attach kept 2>/dev/null
    kill -KILL "$step"
    ! wait "$starting" || fail "it was built"
    [ "$(box secret list --json | jq -c '.[].boxes')" = '["shop"]' ]
    box secret remove kept
    box rm --yes shop
}

@test "apply: a new container that does not start gives way to the old one, which runs again" {
    configure
    installed
    cannot_start
    run box apply --yes
    assert_status 125
    assert_contains "is unchanged, and running again"
    is_unchanged
    # Its clients have the old configuration as well, and say so.
    run box run -- true
    assert_contains "has changed since the box was started"
}

@test "apply: a box that was never started waits for its first start" {
    configure
    box init
    run box apply
    assert_status 0
    assert_contains "at the next start"
    box run -- true
}

@test "apply: asks before sessions end; without a terminal it needs --yes" {
    configure
    box run -- true
    open_session
    eventually sessions_are 1
    run box apply
    assert_status 64
    assert_contains "will end a session"
    kill -0 "$session"
    run on_terminal --answer 'Recreate it?' 'n\n' box apply
    assert_status 130
    kill -0 "$session"
    run on_terminal --answer 'Recreate it?' 'y\n' box apply
    assert_status 0
    eventually process_ended "$session"
    run box apply
    assert_status 0
}

@test "apply: a stopped box stays stopped, and its files go only with a new container that started" {
    configure
    installed
    box stop
    cannot_start
    run box apply --yes
    assert_status 125
    assert_contains "was not started"
    [ "$(id_of)" = "$before" ]
    configure
    run box apply --yes
    assert_status 0
    [ "$(box status --json | jq -r .state)" = stopped ]
    [ "$(id_of)" != "$before" ]
    [ "$(containers | wc -l)" = 1 ] || fail "left: $(containers)"
    run box run -- test -e /usr/bin/tool
    assert_status 1
}

@test "apply: builds a changed Containerfile" {
    containerfile 'RUN echo one >/made'
    [ "$(box run -- cat /made)" = one ]
    containerfile 'RUN echo two >/made'
    [ "$(box status --json | jq -r .drift)" = image ]
    run box status
    assert_contains "image changed"
    box apply
    run --separate-stderr box run -- cat /made
    assert_output two
    [ "$(box status --json | jq -r .drift)" = none ]
}

@test "apply: an image that was built again is drift until apply" {
    containerfile 'RUN date +%N >/made'
    box start
    box build --no-cache
    [ "$(box status --json | jq -r .drift)" = image ]
    box apply
    [ "$(box status --json | jq -r .drift)" = none ]
}

# A container as a killed "box apply" leaves it.
leave_next() {
    podman_do POST containers/create "{\"name\": \"$name.NEXT\", \"image\": \"$BASE\", \"command\": [\"true\"],
        \"labels\": {\"litterbox.box\": \"shop\", \"litterbox.instance\": \"$LITTERBOX_INSTANCE\"}}" | grep -q 201
}

@test "apply: a box is listed once while its container is being replaced; prune removes what is left" {
    local name=litterbox.$LITTERBOX_INSTANCE.shop
    configure
    box start
    leave_next
    [ "$(containers | wc -l)" = 2 ] # control
    [ "$(box list --json | jq -r '.[] | .container, .state')" = "$name"$'\nrunning' ]
    # What is left of a killed command goes with the next apply.
    box apply
    [ "$(containers)" = "$name" ] || fail "left: $(containers)"
    box rm --yes
    leave_next
    run box prune --yes
    assert_status 0
    [ -z "$(containers)" ] || fail "left: $(containers)"
}

is_alone() {
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ] || { box stop && box start && false; }
}

@test "apply: SIGKILL at any moment keeps the files, or the new container has started" {
    local round
    configure
    installed
    RANDOM=${CRASH_SEED:-$$}
    echo "# CRASH_SEED=${CRASH_SEED:-$$}" >&3
    for round in $(seq "${CRASH_ROUNDS:-4}"); do
        box apply --yes >"$TEST_HOME/killed" 2>&1 3>&- </dev/null &
        sleep "0.$(printf %03d $((RANDOM % 700)))"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        # Both commands repair. Podman may create the new container even later, and the next start removes it.
        if [ $((round % 2)) = 0 ]; then box start; else box stop && box start; fi
        [ "$(box status --json | jq -r .state)" = running ]
        eventually is_alone
        if [ "$(id_of)" = "$before" ]; then
            [ "$(box run -- cat /usr/bin/tool)" = mine ]
        else
            installed
        fi
    done
    box apply --yes
    box rm --yes
    [ -z "$(containers)" ]
}
