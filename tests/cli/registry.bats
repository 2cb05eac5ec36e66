#!/usr/bin/env bats
# Pulling from a real registry, which each run starts on loopback.

load ../lib/box.bash
load ../lib/image.bash

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

setup_file() {
    local change
    PORT=$(free_port)
    STORE=$BATS_FILE_TMPDIR/registry
    mkdir -p "$STORE"
    cat >"$STORE/config.yml" <<C
version: 0.1
storage: {filesystem: {rootdirectory: $STORE/data}}
http: {addr: "127.0.0.1:$PORT"}
C
    docker-registry serve "$STORE/config.yml" >"$STORE/log" 2>&1 3>&- &
    REGISTRY=$!
    # In this run's home; a developer's file is restored afterwards.
    CONF=$HOME/.config/containers/registries.conf
    mkdir -p "${CONF%/*}"
    [ ! -e "$CONF" ] || mv "$CONF" "$STORE/conf"
    printf '[[registry]]\nlocation = "localhost:%s"\ninsecure = true\n' "$PORT" >"$CONF"
    NAME=localhost:$PORT/x
    export PORT STORE REGISTRY CONF NAME
    eventually curl -sf "http://localhost:$PORT/v2/" >/dev/null
    need_base
    push "$BASE" "$NAME:plain"
    # An image with a user of the same uid and another name.
    change=$(podman_do POST containers/create "{\"image\": \"$BASE\", \"user\": \"0\",
        \"command\": [\"useradd\", \"-u\", \"$(id -u)\", \"-m\", \"someone\"]}" | grep -o '[0-9a-f]\{64\}')
    podman_do POST "containers/$change/start" >/dev/null
    podman_do POST "containers/$change/wait?condition=exited" >/dev/null
    podman_do POST "commit?container=$change&repo=localhost/with-user&tag=1" >/dev/null
    podman_do DELETE "containers/$change?force=true" >/dev/null
    push localhost/with-user:1 "$NAME:user"
    remove_image localhost/with-user:1
}
teardown_file() {
    kill "$REGISTRY"
    rm -f "$CONF"
    [ ! -e "$STORE/conf" ] || mv "$STORE/conf" "$CONF"
}

# push FROM TO: pushes the image, and removes the local TO.
push() {
    env -u CONTAINER_HOST podman push -q --tls-verify=false "$1" "$2"
}

setup() { box_setup; }
teardown() {
    box_teardown
    remove_image "$NAME:plain"
    remove_image "$NAME:user"
}

@test "registry: an image is pulled once, with plain lines, and a box runs on it" {
    box init --image "$NAME:plain"
    run box run -- sh -c 'id -un; echo $HOME; pwd; touch made'
    assert_status 0
    assert_contains "box: pulling '$NAME:plain'"
    assert_contains "Copying blob"
    assert_contains "$(id -un)"$'\n'"$HOME"$'\n'"$PROJECT"
    [ "$(stat -c %u made)" = "$(id -u)" ]
    box apply
    run box run -- true
    assert_status 0
    refute_contains pulling
}

@test "registry: a user with the same uid and another name in the image does no harm" {
    box init --image "$NAME:user"
    run box run -- sh -c 'id -u; id -un; echo $HOME $USER; touch made ~/made'
    assert_status 0
    assert_contains "$(id -u)"$'\n'
    assert_contains "$HOME $(id -un)"
    [ "$(stat -c %u made)" = "$(id -u)" ]
    run box run -u root -- id -u
    assert_contains 0
}

@test "registry: progress is one redrawn line on a terminal; --quiet and --json work" {
    box init --image "$NAME:plain"
    run on_terminal box build
    assert_status 0
    [[ $output =~ $'\r\033[K0 s  '(looking for the image|Trying to pull) ]] || fail "$output"
    refute_contains $'\nCopying'
    remove_image "$NAME:plain"
    run box build --quiet
    assert_status 0
    assert_output ""
    remove_image "$NAME:plain"
    run --separate-stderr box build --json
    assert_status 0
    jq -es 'length > 2 and all(has("text"))' <<<"$output" >/dev/null
}

@test "registry: wrong tag, wrong name, no server: one sentence, status 125, no box" {
    local image
    for image in "$NAME:nope" "localhost:$PORT/nope:1"; do
        box init --image "$image"
        run box run -- true
        assert_status 125
        assert_contains "cannot pull the image '$image': the registry has no such image or tag"
        rm litterbox.toml
    done
    box init --image "localhost:1/x:1"
    run box run -- true
    assert_status 125
    assert_contains "the registry cannot be reached; check the name and the network"
    rm litterbox.toml
    box init --image "no-such-host.invalid/x:1"
    run box run -- true
    assert_status 125
    assert_contains "check the name and the network"
    [ -z "$(containers)" ]
}

@test "registry: the error names a registry without TLS" {
    box init --image "127.0.0.1:$PORT/x:plain"
    run box run -- true
    assert_status 125
    assert_contains "does not use TLS"
    assert_contains "insecure = true"
}

@test "registry: Ctrl-C ends a pull from a registry that does not answer, and leaves no box" {
    local silent pid code=0
    silent=$(free_port)
    printf '[[registry]]\nlocation = "localhost:%s"\ninsecure = true\n' "$silent" >>"$CONF"
    python3 -c "
import socket, time
s = socket.socket(); s.bind(('127.0.0.1', $silent)); s.listen(); print('listens', flush=True); time.sleep(1000)" >listener 3>&- &
    local listener=$!
    eventually grep -q listens listener
    box init --image "localhost:$silent/x:1"
    setsid box run -- true >out 2>&1 3>&- &
    pid=$!
    eventually grep -q 'Trying to pull' out
    kill -INT "$pid"
    wait "$pid" || code=$?
    kill "$listener"
    [ "$code" = 130 ]
    [ -z "$(containers)" ]
    rm litterbox.toml
    box init --image "$NAME:plain"
    run box run -- true
    assert_status 0
}
