#!/usr/bin/env bats
# A project's Containerfile and build context that a box wrote (1, 4, 5).
# shellcheck disable=SC2030,SC2031 # each test is a subshell

load escape.bash
load ../lib/image.bash

setup_file() {
    escape_setup_file
    need_base
    git init -q
    echo SECRET >.env
    mkdir -p deep/.git keep secrets
    echo SECRET | tee secrets/key >deep/.git/config
    echo fine >keep/file
    serve 127.0.0.1 secret-of-loopback "$TEST_HOME/port"
    PORT=$(cat "$TEST_HOME/port")
    export SERVICE PORT
    export HTTP_PROXY=http://user:password@proxy.invalid:3128 https_proxy=http://user:password@proxy.invalid:3128
}
teardown_file() {
    kill "$SERVICE"
    box_teardown
    remove_built_images
}
setup() { escape_setup; }

# build MODE [OPTION…]: what its steps see is printed.
build() {
    cat >Containerfile <<E2
FROM debian:bookworm
COPY . /all/
RUN find /all -name .git -o -name .env -o -name key -o -name file | sed 's/^/has /'; env | grep -i proxy; cat /proc/net/dev | sed 's/^/net /'; echo done
SHELL ["/bin/bash", "-c"]
RUN for h in 127.0.0.1 10.0.2.2 169.254.1.1 169.254.1.2 host.containers.internal; do timeout 5 bash -c "exec 3<>/dev/tcp/\$h/$PORT; cat <&3"; done; echo done again
E2
    escape_config "[box]
containerfile = \"Containerfile\"
[network]
mode = \"$1\"
[project]
hidden = [\".env\", \"secrets/key\"]"
    # With a service of its own, as a user has it.
    run timeout 120 env -u CONTAINER_HOST box build --no-cache --json "${@:2}"
    assert_status 0
    assert_contains "done again"
}

@test "build: steps get neither hidden files nor .git, proxy variables or the host's loopback (1, 4, 5)" {
    build open
    assert_contains "has /all/keep/file"
    [[ $output != *"has "*".git"* ]] || fail "has .git: $output"
    refute_contains "has /all/.env"
    refute_contains "has /all/secrets/key"
    refute_contains password
    refute_contains secret-of
    assert_contains "net "
}

@test "build: a file of a box's without contents fills no disk, with control (9)" {
    printf 'FROM debian:bookworm\n' >Containerfile
    escape_config "[box]
containerfile = \"Containerfile\""
    run in_box truncate -s 1T holes
    assert_status 0
    run timeout 300 env -u CONTAINER_HOST box build
    [ "$status" != 0 ]
    assert_contains "is there a file with holes"
    rm holes
    run timeout 300 env -u CONTAINER_HOST box build
    assert_status 0
}

# build_list: builds the project, whose step prints what it finds in the context.
build_list() {
    printf 'FROM debian:bookworm\nCOPY . /all/\nRUN ls -A /all | sed "s/^/has /"\n' >Containerfile
    escape_config '[box]
containerfile = "Containerfile"'
    run timeout 60 env -u CONTAINER_HOST box build --no-cache
    assert_status 0
}

@test "build: no link or FIFO of a box's is taken for a list of files that are left out, with control (1, 7, 9)" {
    local name secret=$TEST_HOME/outside-$BATS_TEST_NUMBER names=(.dockerignore .containerignore Containerfile.{docker,container}ignore)
    echo 'f*.txt' | tee "$secret" >ignored
    touch found.txt other
    for name in "${names[@]}"; do in_box ln -s "$secret" "$name"; done
    build_list
    assert_contains "has found.txt"
    rm "${names[@]}"
    in_box mkfifo "${names[@]}"
    build_list
    assert_contains "has found.txt"
    rm "${names[@]}"
    for name in "${names[@]}"; do
        in_box cp ignored "$name" # control
        build_list
        refute_contains "has found.txt"
        assert_contains "has other"
        rm "$name"
    done
    rm found.txt other ignored
}

# mounted MOUNT: a Containerfile with a step that prints what it finds there. Steps before have made links.
mounted() {
    printf 'FROM debian:bookworm AS one\nRUN ln -s %s /out\nFROM debian:bookworm\n%s\nRUN --mount=%s cat /mounted/secret /c/in/secret\n' \
        "$TEST_HOME/private" "RUN --mount=type=cache,target=/c ln -sfn $TEST_HOME/private /c/in" "$1" >Containerfile
}

@test "build: a mount of a step shows nothing outside of the project, with control (1)" {
    local mount mounts leaks=0
    mounts=("type=bind,source=link" "type=bind,source=sub/x/link" "source=chain/b/c/d/e/f/g/h/i/j/out"
        "type=bind,from=one,source=/out" "type=cache,source=../../../../../../../../..$TEST_HOME/private")
    mounts=("${mounts[@]/%/,target=/mounted}" "type=cache,target=/c/in")
    mkdir "$TEST_HOME/private" "$TEST_HOME/tmp" && echo secret-of-the-host >"$TEST_HOME/private/secret"
    in_box sh -c 'mkdir -p sub/x chain/b/c/d/e/f/g/h/i/j && ln -s "$1" link && ln -s "$1" sub/x/link &&
        ln -s ../../../../../../../../../.. chain/b/c/d/e/f/g/h/i/j/up &&
        ln -s "up/../../../../../../../../..$1" chain/b/c/d/e/f/g/h/i/j/out' sh "$TEST_HOME/private"
    for mount in "${mounts[@]}"; do
        mounted "$mount"
        escape_config '[box]
containerfile = "Containerfile"'
        run timeout 60 env -u CONTAINER_HOST box build --no-cache
        [ "$status" != 0 ]
        refute_contains secret-of-the-host
        run timeout 60 env -u CONTAINER_HOST TMPDIR="$TEST_HOME/tmp" podman build --no-cache .
        [[ $output != *"secret-of-the-host"* ]] || leaks=$((leaks + 1))
    done
    # Podman 4.3 shows it by all but the cache with a source, and 5.4 by none.
    case $(podman --version) in
    *" 4."*) [ "$leaks" -ge 5 ] ;;
    *) [ "$leaks" = 0 ] ;;
    esac
    rm -rf sub chain link
}

# build_from LINES: builds a Containerfile of LINES, in which no step may find the host's secret. Counts in $leaks where one does for Podman alone.
build_from() {
    printf "%b\\n" "$1" >Containerfile
    escape_config '[box]
containerfile = "Containerfile"
[network]
mode = "open"'
    run timeout 60 env -u CONTAINER_HOST box build --no-cache
    refute_contains secret-of-the-host
    local built=$output built_status=$status
    run timeout 60 env -u CONTAINER_HOST TMPDIR="$TEST_HOME/tmp" podman build --no-cache .
    [[ $output != *"secret-of-the-host"* ]] || leaks=$((leaks + 1))
    output=$built status=$built_status
}

@test "build: no base image brings steps that show more than the project, however it is named, with control (1)" {
    local from archive=docker-archive:$PROJECT/later.tar later=localhost/litterbox/later leaks=0
    mkdir -p "$TEST_HOME/private" "$TEST_HOME/tmp" && echo secret-of-the-host >"$TEST_HOME/private/secret"
    in_box ln -s "$TEST_HOME/private" link
    printf 'FROM debian:bookworm\nONBUILD RUN --mount=source=link,target=/mounted cat /mounted/secret\n' |
        env -u CONTAINER_HOST podman build --format docker -t "$later" -f - keep
    env -u CONTAINER_HOST podman save -o later.tar "$later"
    for from in "FROM $later" "ARG X=1\nFROM \${X:+$later}" "# escape=\`\nFROM \`\n$later"; do
        build_from "$from"
    done
    if [ "$leaks" != 0 ]; then # packages are a build that starts from the image of the project
        escape_config "[box]
image = \"$later\"
packages = [\"hello\"]
[network]
mode = \"open\""
        run timeout 60 env -u CONTAINER_HOST box build
        [ "$status" != 0 ]
        assert_contains "'$later:latest' has 'RUN --mount="
    fi
    env -u CONTAINER_HOST podman rmi "$later"
    for from in "FROM $archive" "ARG A=docker-arch\nARG B=ive:$PROJECT/later.tar\nFROM \$A\$B" "FROM \\\\\n$archive"; do
        build_from "$from"
        env -u CONTAINER_HOST podman rmi "$later" || true
    done
    build_from 'ARG NAME=debian\nARG VERSION=bookworm\nFROM $NAME:${VERSION} AS one\nFROM one\nRUN echo built'
    assert_status 0
    # Podman 4.3 shows it by all of them, and 5.4 by none.
    case $(podman --version) in
    *" 4."*) [ "$leaks" = 6 ] || fail "$leaks leaks" ;;
    *) [ "$leaks" = 0 ] ;;
    esac
    rm -f link later.tar
}

@test "build: no base image of another storage brings steps that show more than the project, with control (1)" {
    local later=localhost/litterbox/elsewhere store=$TEST_HOME/store leaks=0
    mkdir -p "$TEST_HOME/private" "$TEST_HOME/tmp" && echo secret-of-the-host >"$TEST_HOME/private/secret"
    in_box ln -s "$TEST_HOME/private" link
    printf 'FROM debian:bookworm\nONBUILD RUN --mount=source=link,target=/mounted cat /mounted/secret\n' |
        env -u CONTAINER_HOST podman build --format docker -t "$later" -f - keep
    env -u CONTAINER_HOST podman save -o elsewhere.tar "$later"
    env -u CONTAINER_HOST podman rmi "$later"
    env -u CONTAINER_HOST podman --root "$store" --runroot "$TEST_HOME/store-run" load -i elsewhere.tar
    cat /etc/containers/storage.conf - >"$TEST_HOME/storage.conf" <<<"[storage.options]
additionalimagestores = [\"$store\"]"
    export CONTAINERS_STORAGE_CONF=$TEST_HOME/storage.conf
    build_from "FROM $later"
    case $(podman --version) in
    *" 4."*)
        [ "$leaks" = 1 ] || fail "$leaks leaks"
        assert_contains additionalimagestores
        ;;
    *) [ "$leaks" = 0 ] ;;
    esac
    unset CONTAINERS_STORAGE_CONF
    env -u CONTAINER_HOST podman unshare rm -rf "$store" "$TEST_HOME/store-run"
    rm -f link elsewhere.tar
}

@test "build: with network none the steps have none (4)" {
    build none
    run grep -oE 'net +[a-z0-9]+:' <<<"$output"
    assert_output "net     lo:"
}

# swap_after N: a program of the box swaps the Containerfile for another one when it was read N times.
swap_after() {
    cat >swap.py <<'E2'
import ctypes, os, sys
libc = ctypes.CDLL(None)
seen = libc.inotify_init1(0)
open("evil", "w").write("FROM debian:bookworm\nRUN echo the evil one\n")
libc.inotify_add_watch(seen, b"Containerfile", 0x10) # IN_CLOSE_NOWRITE
open("ready", "w").close()
for i in range(int(sys.argv[1])):
    os.read(seen, 16)
os.rename("evil", "Containerfile")
open("swapped", "w").close()
E2
    rm -f ready swapped
    box run -- python3 swap.py "$1" 3>&- &
    eventually test -e ready
}

@test "build: what is built is the Containerfile that was approved, whatever the box writes meanwhile (7)" {
    local reads swapped=0 status
    for reads in 2 3 4; do
        # The box runs, and has been made without this Containerfile: it can write that.
        box trust --revoke
        rm -f litterbox.toml
        box apply --yes >/dev/null 2>&1
        printf 'FROM debian:bookworm\nRUN echo the good one\n' >Containerfile
        swap_after "$reads"
        escape_config '[box]
containerfile = "Containerfile"'
        run timeout 120 env -u CONTAINER_HOST box build --no-cache --json
        refute_contains "the evil one"
        [ "$status" != 0 ] || assert_contains "the good one"
        [ ! -e swapped ] || swapped=$((swapped + 1))
        box stop
        wait
    done
    [ "$swapped" -gt 0 ] # control
}

@test "build: a box cannot change its own Containerfile (7)" {
    local how attacks=(
        'echo evil >"$1/Containerfile"'
        'echo evil >>"$1/Containerfile"'
        'cp evil "$1/Containerfile"'
        'cp evil x; mv -f x "$1/Containerfile"'
        'cp evil x; ln -f x "$1/Containerfile"'
        'ln -sf ../evil "$1/Containerfile"'
        'rm -f "$1/Containerfile"'
        'cp evil x; ./attack exchange x "$1/Containerfile"'
        'mv "$1" moved; mkdir "$1"; cp evil "$1/Containerfile"'
        'mkdir new; cp evil new/Containerfile; ./attack exchange new "$1"'
    )
    mkdir own
    echo 'FROM debian:bookworm' | tee good >own/Containerfile
    printf 'FROM debian:bookworm\nRUN echo evil\n' >evil
    escape_config '[box]
containerfile = "own/Containerfile"'
    box stop
    for how in "${attacks[@]}"; do
        attempt "$how" own
        cmp good own/Containerfile || fail "changed by: $how"
        # The control: a Containerfile that the configuration does not name.
        mkdir -p other
        cp good other/Containerfile
        attempt "$how" other
        ! cmp -s good other/Containerfile || fail "does not work: $how"
        rm -rf other moved new x
    done
}

@test "build: no name of a Containerfile makes Podman read other files of this machine (1, 7)" {
    local name
    echo hunter2 >"$TEST_HOME/neighbour/secret"
    for name in Containerfile.in 'deep/C.In' '["Containerfile.in"]'; do
        printf 'FROM debian:bookworm\nRUN cat <<EOF\n#include "%s"\nEOF\n' "$TEST_HOME/neighbour/secret" >"$name"
        printf "[box]\ncontainerfile = '%s'\n" "$name" >litterbox.toml
        run box trust --yes
        run box build --json
        assert_status 78
        refute_contains hunter2
    done
    # The control: with such a name Buildah does so.
    run podman build --no-cache -f "$PROJECT/Containerfile.in" "$PROJECT"
    assert_contains hunter2
    escape_config ''
}

@test "build: --proxy passes the variables on" {
    build none --proxy
    assert_contains "http://user:password@proxy.invalid"
}
