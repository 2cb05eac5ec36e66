#!/usr/bin/env bats
# The variables of an image: sessions get them, but they never replace Litterbox's.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    box_setup
    need_base
}
teardown() {
    box_teardown
    remove_built_images
}

# containerfile TEXT: a Containerfile with TEXT after FROM.
containerfile() {
    printf 'FROM debian:bookworm\n%s\n' "$1" >Containerfile
    trust_file '[box]
containerfile = "Containerfile"
'"${2:-}"
    box build --quiet
}

@test "image env: sessions and login shells have PATH, GOPATH and JAVA_HOME of the image" {
    containerfile 'RUN mkdir -p /usr/local/go/bin && printf "#!/bin/sh\necho go in \$GOPATH with \$JAVA_HOME\n" >/usr/local/go/bin/go && chmod 755 /usr/local/go/bin/go
ENV PATH=/usr/local/go/bin:$PATH GOPATH=/go JAVA_HOME=/opt/java'
    export GOPATH=/host/go JAVA_HOME=/host/java
    run --separate-stderr box run -- go
    assert_output "go in /go with /opt/java"
    run --separate-stderr box run -- bash -lc go
    assert_output "go in /go with /opt/java"
    run on_terminal box enter -- go
    assert_contains "go in /go with /opt/java"
    run --separate-stderr box run -- sh -c 'echo ${PATH%%:*}'
    assert_output /run/litterbox/bin
    run --separate-stderr box run -u root -- go
    assert_output "go in /go with /opt/java"
}

@test "image env: [box.env] and -e override the image's variables" {
    containerfile 'ENV A=image B=image C=image' '[box.env]
B = "box"
C = "box"'
    run --separate-stderr box run -e C=flag -- sh -c 'echo $A $B $C'
    assert_output "image box flag"
}

@test "image env: an image cannot set variables that describe a session" {
    containerfile 'ENV HOME=/evil USER=evil LOGNAME=evil SHELL=/evil TERM=evil XDG_RUNTIME_DIR=/evil LITTERBOX_BOX=evil LITTERBOX_X=evil container=evil SSH_AUTH_SOCK=/evil'
    run --separate-stderr env TERM=xterm-256color box run -- sh -c \
        'echo $HOME $USER $LOGNAME $SHELL $TERM $LITTERBOX_BOX $container $LITTERBOX_X $XDG_RUNTIME_DIR $SSH_AUTH_SOCK'
    assert_output "$HOME $(id -un) $(id -un) /bin/bash xterm-256color shop podman /run/user/$(id -u) /run/litterbox/ssh/socket"
    run --separate-stderr env -u TERM box run -- sh -c 'echo "<$TERM>"'
    assert_output "<>"
}

@test "image env: LD_PRELOAD, LD_LIBRARY_PATH and BASH_ENV do not reach box-init and the sudo shim" {
    # The loader prints an error for each program that it should preload into, so no output proves something.
    containerfile 'ENV LD_PRELOAD=/evil.so LD_LIBRARY_PATH=/evil LD_AUDIT=/evil.so BASH_ENV=/evil ENV=/evil' '[security]
sudo = "deny"'
    run box run -- /bin/true
    assert_contains /evil.so # a program of the image is spoiled: the image's own affair
    run --separate-stderr box run -- /run/litterbox/bin/sudo true
    [ "$status" != 0 ]
    # shellcheck disable=SC2154 # bats sets stderr
    [[ $stderr != *evil* ]] || fail "$stderr"
    pid=$(podman_get "containers/$(containers)/json" | jq .State.Pid)
    run cat "/proc/$pid/maps"
    assert_contains /run/litterbox/root/init
    refute_contains ".so"
    run box logs
    refute_contains evil
}
