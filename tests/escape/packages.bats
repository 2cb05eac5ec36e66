#!/usr/bin/env bats
# [box] packages: what a package's script sees when it is installed, and whose layer a box gets (1, 4, 5).

load escape.bash
load ../lib/image.bash
load ../lib/apt_repository.bash

setup() {
    escape_setup_file
    image_setup_base
    serve 127.0.0.1 secret-of-loopback "$TEST_HOME/port"
    PORT=$(cat "$TEST_HOME/port")
    export HTTP_PROXY=http://user:password@proxy.invalid:3128 https_proxy=http://user:password@proxy.invalid:3128
    # What it can reach is printed while the image is built.
    package probe 1 "echo probe-ran; env | grep -i proxy; find / -xdev -name litterbox.toml 2>/dev/null | sed 's/^/has /'
for h in 127.0.0.1 10.0.2.2 169.254.1.1 169.254.1.2 host.containers.internal; do
    timeout 5 bash -c \"exec 3<>/dev/tcp/\$h/$PORT; cat <&3\" 2>/dev/null
done
exit 0"
    apt_containerfile
}
teardown() {
    kill "$SERVICE"
    box_teardown
    remove_built_images
}
image_setup_base() {
    mkdir -p "$CONFIG"
    need_base
}

wants() { # PACKAGES [MORE]
    escape_config "[box]
containerfile = \"Containerfile\"
packages = [$1]
${2:-}"
}

@test "packages: a package's script gets no proxy variables, project or loopback of the host (1, 4, 5)" {
    exec 4<>"/dev/tcp/127.0.0.1/$PORT"
    [ "$(timeout 30 head -n 1 <&4)" = secret-of-loopback ] # control
    exec 4>&-
    wants '"probe"'
    # With a service of its own, as a user has it.
    run timeout 300 env -u CONTAINER_HOST box build
    assert_status 0
    assert_contains probe-ran
    refute_contains password
    refute_contains secret-of
    refute_contains "has /"
}

@test "packages: a project cannot name its image like another box's layer (1)" {
    local name layer
    wants '"probe"'
    box build
    layer=$(box image list --json | jq -r '.[] | select(.made_for | startswith("packages ")) | .name')
    name=${layer#*/*/} name=${name%:*}
    [[ $name = packages/* ]]
    for name in "$name" packages "packages-${name#*/}"; do
        mkdir -p "$TEST_HOME/evil/.git"
        printf 'FROM debian:bookworm\nRUN echo evil >/evil\n' >"$TEST_HOME/evil/Containerfile"
        printf '[box]\nname = "%s"\ncontainerfile = "Containerfile"\n' "$name" >"$TEST_HOME/evil/litterbox.toml"
        (cd "$TEST_HOME/evil" && box trust --yes && box build) || [[ $name = */* ]]
        rm -rf "$TEST_HOME/evil"
    done
    has_image "localhost/litterbox-$LITTERBOX_INSTANCE/packages:latest" # control: it was built
    run box run -- sh -c 'probe; ls /evil'
    assert_contains "probe 1"
    assert_contains "cannot access '/evil'"
}
