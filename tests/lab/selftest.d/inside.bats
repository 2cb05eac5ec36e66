# The lab as its commands see it. Runs as the user, inside, with the base image at $LAB_BASE_TAR.

bats_require_minimum_version 1.5.0

image=docker.io/library/debian:bookworm
api=http://d/v4.0.0/libpod

setup_file() {
    # Before anything is imported: what a command starts with.
    podman ps -aq >"$BATS_FILE_TMPDIR/containers"
    podman images -q >"$BATS_FILE_TMPDIR/images"
    podman import -q "$LAB_BASE_TAR" "$image"
}

# Starts the service on a socket of the test's own, and defines rest METHOD PATH [BODY].
start_service() {
    socket=$BATS_TEST_TMPDIR/podman.sock
    podman system service --time=0 "unix://$socket" 3>&- &
    service=$!
    local i
    for ((i = 0; i < 1200; i++)); do
        ! curl -sf --unix-socket "$socket" http://d/_ping >/dev/null || return 0
        sleep 0.05
    done
    return 1
}

rest() { # METHOD PATH [BODY]
    curl -sS --fail-with-body --unix-socket "$socket" -X "$1" -H 'Content-Type: application/json' \
        ${3:+--data "$3"} "$api$2"
}

teardown() {
    [ -z "${service-}" ] || kill "$service"
}

@test "the command runs as an ordinary user in a clean home" {
    [ "$(id -un)" = dev ]
    [ "$(id -u)" -ge 1000 ]
    [ "$HOME" = /home/dev ]
    [ "$(stat -c %a:%u "$XDG_RUNTIME_DIR")" = "700:$(id -u)" ]
    [ "$(grep CapEff /proc/self/status)" = $'CapEff:\t0000000000000000' ]
    touch "$HOME/x" /tmp/x /var/tmp/x "$LAB_TMP/x"
}

@test "there is a second ordinary user, who reaches nothing of the first one's" {
    [ "$(su "$LAB_OTHER" -c 'id -un; id -Gn; ls ~ | wc -l')" = "$LAB_OTHER
$LAB_OTHER
0" ]
    run ! su "$LAB_OTHER" -c "ls $HOME || ls $XDG_RUNTIME_DIR || ls $LAB_GROUP"
    su "$LAB_OTHER" -c "XDG_RUNTIME_DIR=/run/user/\$(id -u) podman unshare true"
}

@test "container storage starts empty" {
    [ ! -s "$BATS_FILE_TMPDIR/containers" ]
    [ ! -s "$BATS_FILE_TMPDIR/images" ]
}

@test "the version is the one asked for, with native overlay and cgroup v2" {
    local native=true
    [ "$(stat -f -c %T "$HOME")" != overlayfs ] || native=false # storage is on FUSE there
    run podman info --format '{{.Version.Version}} {{.Store.GraphDriverName}} {{.Host.CgroupsVersion}} {{.Host.Security.Rootless}} {{index .Store.GraphStatus "Native Overlay Diff"}}'
    case $LAB_PODMAN in
    4) [ "$output" = "4.3.1 overlay v2 true $native" ] ;;
    5) [ "$output" = "5.4.2 overlay v2 true $native" ] ;;
    esac
}

@test "the checkout is there, read-only" {
    [ -x "$LAB_CHECKOUT/tests/lab/run" ]
    run ! touch "$LAB_CHECKOUT/x"
}

@test "the user may open /dev/net/tun and /dev/fuse" {
    : <>/dev/net/tun
    : <>/dev/fuse
}

@test "keep-id keeps the user" {
    run podman run --rm --userns=keep-id "$image" id -u
    [ "$output" = "$(id -u)" ]
}

@test "the container's network reaches the mirror" {
    local mode=slirp4netns
    [ "$LAB_PODMAN" = 4 ] || mode=pasta
    podman run --rm --network "$mode" "$image" sh -c \
        'apt-get -qq -o Acquire::Languages=none update && apt-cache show apt >/dev/null'
}

@test "an image is built with a step that needs the network" {
    printf 'FROM %s\nRUN apt-get -qq -o Acquire::Languages=none update && touch /done\n' "$image" >"$LAB_TMP/Containerfile"
    podman build -q -t built "$LAB_TMP"
    podman run --rm built test -e /done
}

@test "a container can make user namespaces of its own" {
    podman run --rm --userns=keep-id "$image" unshare -Urm sh -c 'mount -t tmpfs none /mnt && id -u'
}

@test "REST: a container from an empty root with the lab's /usr" {
    start_service
    mkdir -p "$LAB_TMP/root/tmp" # bwrap wants it
    local link
    for link in bin lib lib64 sbin; do
        [ -e "$LAB_TMP/root/$link" ] || ln -s "usr/$link" "$LAB_TMP/root/$link"
    done
    local body
    body=$(jq -n --arg root "$LAB_TMP/root" '{
        name: "host-image", rootfs: $root, rootfs_overlay: true,
        command: ["/bin/sh", "-c", "id -u; bwrap --ro-bind / / --unshare-user --uid 0 id -u"],
        userns: {nsmode: "keep-id"}, netns: {nsmode: "none"}, httpproxy: false, env_host: false,
        mounts: [{type: "bind", source: "/usr", destination: "/usr", options: ["ro", "rbind"]}]
    }')
    rest POST /containers/create "$body"
    rest POST /containers/host-image/start
    [ "$(rest POST '/containers/host-image/wait?condition=exited&interval=20ms')" = 0 ]
    run podman logs host-image
    [ "$output" = "$(id -u)"$'\n0' ]
    rest DELETE '/containers/host-image?force=true'
}

@test "limits are taken, and LAB_LIMITS tells whether they hold" {
    run podman run --rm --memory 64m --pids-limit 20 --cpus 1 "$image" cat /sys/fs/cgroup/pids.max
    case $LAB_LIMITS in
    ignored) [[ $output != 20 ]] && podman run --rm --memory 64m --pids-limit 20 --cpus 1 "$image" true ;;
    enforced) [ "$output" = 20 ] ;;
    *) false ;;
    esac
}
