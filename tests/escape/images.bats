#!/usr/bin/env bats
# An image whose configuration tries to weaken the plan (invariants 1, 6, 8).

load escape.bash
load ../lib/image.bash

# import NAME CHANGE…: an image with the attack program and hostile files.
import() {
    mkdir -p "$TEST_HOME/image/"{bin,etc,tmp,proc,sys,dev,run/litterbox/root,home}
    cp "$ATTACK" "$TEST_HOME/image/bin/attack"
    cp "$ATTACK" "$TEST_HOME/image/run/litterbox/root/init"
    cp "$ATTACK" "$TEST_HOME/image/bin/sudo"
    chmod 4755 "$TEST_HOME/image/bin/sudo"
    printf 'root::0:0:root:/root:/bin/attack\n%s::0:0::/:/bin/attack\n' "$(id -un)" >"$TEST_HOME/image/etc/passwd"
    tar -C "$TEST_HOME/image" --owner 0 --group 0 -c . | import_image "$@"
}

setup_file() {
    escape_setup_file
    cd "$PROJECT" || return
    import localhost/evil:1 'ENTRYPOINT ["/bin/attack","call-list"]' 'CMD ["/bin/attack"]' 'USER 0' \
        'ENV LD_PRELOAD=/evil.so' 'ENV GLIBC_TUNABLES=glibc.malloc.check=3' 'ENV PATH=/evil:/bin' \
        'ENV SSH_AUTH_SOCK=/evil' 'ENV EVIL=1' 'ENV XDG_RUNTIME_DIR=/evil' 'ENV TERM=evil' \
        'ENV LITTERBOX_BOX=evil' 'ENV LITTERBOX_INSTANCE=evil' 'ENV HOME=/evil' 'ENV USER=evil' \
        'ENV LOGNAME=evil' 'ENV SHELL=/evil' 'ENV BASH_ENV=/evil' 'ENV LD_LIBRARY_PATH=/evil' 'VOLUME /run/litterbox' 'VOLUME /evil-volume' \
        'WORKDIR /run/litterbox/root' 'STOPSIGNAL SIGKILL' 'EXPOSE 80' \
        'LABEL litterbox.box=shop' 'LABEL litterbox.instance=evil' 'LABEL litterbox.project=/' \
        "LABEL litterbox.base=sha256:$(printf '0%.0s' {1..64})" \
        'LABEL io.podman.annotations.privileged=TRUE' 'LABEL io.podman.annotations.seccomp=unconfined'
    escape_config '[box]
image = "localhost/evil:1"'
    box run -- /bin/attack abi native
    NAME=$(container_name)
    export NAME
}
teardown_file() {
    box_teardown
    remove_image localhost/evil:1
}
setup() { escape_setup; }

inspect() { podman_get "containers/$NAME/json" | jq -r "$1"; }

@test "image: ENTRYPOINT, CMD, USER, WORKDIR and STOPSIGNAL are ignored; PID 1 is box-init (6)" {
    run inspect '.Path'
    assert_output /run/litterbox/root/init
    run inspect '.Config.StopSignal'
    [ "$output" = 15 ] || assert_output SIGTERM
    run box run -- /bin/attack query /run/litterbox/root/ctl/sock
    assert_contains "refused: EACCES"
}

@test "image: a session runs as the user, without capabilities, with seccomp (6)" {
    local call
    for call in mount unshare-user setns bpf keyctl clone3 io_uring_setup; do
        run box run -- /bin/attack call "$call"
        assert_contains refused
        [ "$status" = 1 ]
    done
    run box run -- /bin/attack chroot /tmp
    assert_contains "refused: EPERM"
    run box run -- /bin/attack open-write /proc/1/environ
    assert_contains refused
}

@test "image: its variables replace none of Litterbox's and do not affect PID 1 (6)" {
    run inspect '.Config.Env[]'
    assert_contains "PATH=/run/litterbox/bin:"
    assert_contains "HOME=$HOME"
    assert_contains "USER=$(id -un)"
    assert_contains "LITTERBOX_BOX=shop"
    refute_contains "XDG_RUNTIME_DIR"
    assert_contains "SSH_AUTH_SOCK=/run/litterbox/ssh/socket"
    refute_contains "SSH_AUTH_SOCK=/evil"
    refute_contains "TERM=evil"
    refute_contains "LITTERBOX_INSTANCE"
    run box run -- /bin/attack abi native # despite LD_PRELOAD and GLIBC_TUNABLES
    assert_contains SUCCEEDED
}

@test "image: its VOLUMEs are not mounted (1)" {
    run inspect '.Mounts[].Destination'
    refute_contains evil-volume
    run inspect '[.Mounts[] | select(.Type == "volume")] | length'
    assert_output 0
    run podman_get volumes/json
    assert_output '[]'
}

@test "image: its labels do not change the box's owner (8)" {
    run inspect '.Config.Labels["litterbox.project"]'
    assert_output "$PROJECT"
    run inspect '.Config.Labels["litterbox.instance"]'
    assert_output "$LITTERBOX_INSTANCE"
    run inspect '.Config.Labels["litterbox.base"]' # of a snapshot's image alone
    assert_output ""
    run inspect '.HostConfig.Privileged'
    assert_output false
}

@test "image: its own /run/litterbox, sudo and passwd are not used (6)" {
    run box run -- sudo call-list
    refute_contains keyctl # the image's sudo would print this
    run box run -- /bin/attack signal 1 0
    assert_contains "refused: EPERM"
}

@test "image: its health check, ports and restart policy are ignored (6)" {
    run inspect '.Config.Healthcheck.Test // ["NONE"] | .[0]'
    assert_output NONE
    run inspect '.HostConfig.RestartPolicy.Name'
    [ -z "$output" ] || assert_output no
    run inspect '.NetworkSettings.Ports // {} | [.[] | select(. != null)] | length'
    assert_output 0
}

# An import adds "NAME" as "NAME=", so the image's configuration is written by hand: OCI allows any string.
load_image() { # NAME ENV…
    local folder=$TEST_HOME/saved name=$1 layer config
    shift
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -C "$TEST_HOME/image" --owner 0 --group 0 -cf "$folder/layer.tar" .
    layer=sha256:$(sha256sum "$folder/layer.tar" | cut -d' ' -f1)
    config=$(jq -n --arg layer "$layer" '{architecture: "amd64", os: "linux", config: {Env: $ARGS.positional},
        rootfs: {type: "layers", diff_ids: [$layer]}}' --args "$@")
    printf '%s' "$config" >"$folder/config.json"
    jq -n --arg name "$name" '[{Config: "config.json", RepoTags: [$name], Layers: ["layer.tar"]}]' >"$folder/manifest.json"
    tar -C "$folder" -c manifest.json config.json layer.tar |
        curl -sS --unix-socket "${CONTAINER_HOST#unix://}" -H 'Content-Type: application/x-tar' --data-binary @- \
            http://d/v4.0.0/libpod/images/load >/dev/null
}

@test "image: a variable without a value is not filled in from the environment of Podman's service (4)" {
    local name
    load_image localhost/filled:1 OF_IMAGE=fine XDG_RUNTIME_DIR 'XDG_*' HOME 'CONTAINER*' 'PATH=/evil:/bin'
    # Control: this Podman fills them in.
    podman_do POST containers/create '{"name": "'"litterbox.$LITTERBOX_INSTANCE.filled"'", "image": "localhost/filled:1", "command": ["/x"],
        "labels": {"litterbox.instance": "'"$LITTERBOX_INSTANCE"'"}}'
    name=litterbox.$LITTERBOX_INSTANCE.filled
    podman_get "containers/$name/json" | jq -r '.Config.Env[]' | sort >"$TEST_HOME/filled"
    cat "$TEST_HOME/filled"
    grep -q "^XDG_RUNTIME_DIR=." "$TEST_HOME/filled"
    podman_do DELETE "containers/$name?force=true" >/dev/null
    escape_config '[box]
image = "localhost/filled:1"'
    run box apply --yes
    assert_contains "'XDG_*' has no value"
    run inspect '.Config.Env[]'
    assert_contains "OF_IMAGE=fine"
    refute_contains "XDG_RUNTIME_DIR"
    refute_contains "XDG_CONFIG_HOME"
    remove_image localhost/filled:1
}

@test "image: nor from that of our own service, which has the password of your proxy (4)" {
    local name=litterbox.$LITTERBOX_INSTANCE.filled
    [ ! -S "$XDG_RUNTIME_DIR/podman/podman.sock" ] || skip "the user's own podman.socket is up: that one is used"
    load_image localhost/proxied:1 OF_IMAGE=fine HTTPS_PROXY 'HTTPS*' http_proxy
    escape_config '[box]
image = "localhost/proxied:1"'
    box stop
    export HTTPS_PROXY=http://user:password@proxy.invalid http_proxy=http://user:password@proxy.invalid
    run env -u CONTAINER_HOST box run -- /bin/attack abi native
    assert_contains "'HTTPS*' has no value"
    run inspect '.Config.Env[]'
    assert_contains "OF_IMAGE=fine"
    refute_contains password
    # Control: this service fills them in.
    export CONTAINER_HOST=unix://$RUNTIME/.podman.sock
    podman_do POST containers/create '{"name": "'"$name"'", "image": "localhost/proxied:1", "command": ["/x"],
        "labels": {"litterbox.instance": "'"$LITTERBOX_INSTANCE"'"}}'
    run podman_get "containers/$name/json"
    assert_contains HTTPS_PROXY=http://user:password@proxy.invalid
    podman_do DELETE "containers/$name?force=true" >/dev/null
    remove_image localhost/proxied:1
}
