#!/usr/bin/env bats
# Images: bootstrap without a registry, Containerfiles, templates, references.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    box_setup
    mkdir -p "$CONFIG"
}
teardown() {
    box_teardown
    remove_built_images
    remove_nameless_images
}

@test "image: bootstrap creates a Debian image from signed packages, and a box runs on it" {
    run on_terminal box image bootstrap debian:bookworm
    assert_status 0
    # Nothing but mmdebstrap draws its progress, and the end says what was made.
    assert_contains "I: "
    refute_contains $'\e[K'
    assert_contains "image 'docker.io/library/debian:bookworm' is ready"
    refute_contains "made no image yet"
    [ "$(box image list --json | jq -r '.[] | .made_for + " " + .name')" = "bootstrap docker.io/library/debian:bookworm" ]
    box init --image debian:bookworm
    run --separate-stderr box run -- sh -c '. /etc/os-release; echo $ID $VERSION_CODENAME; id -un; pwd'
    assert_status 0
    assert_output "debian bookworm"$'\n'"$(id -un)"$'\n'"$PROJECT"
    run box image bootstrap plan9
    assert_status 64
}

@test "image: a signal to box alone ends a bootstrap at once, with all that it has started" {
    local signal pid group status
    for signal in TERM INT; do
        : >"$TEST_HOME/said" # the shell below may empty it later than it is looked at
        env --default-signal=INT box image bootstrap debian:bookworm >"$TEST_HOME/said" 2>&1 3>&- &
        pid=$!
        eventually grep -q '^I: .*apt-get' "$TEST_HOME/said"
        group=$(pgrep -P "$pid" -x mmdebstrap)
        kill -"$signal" "$pid"
        status=0
        wait "$pid" || status=$?
        [ "$status" = 130 ] || fail "$signal: $status $(cat "$TEST_HOME/said")"
        ! grep -q '^I: success' "$TEST_HOME/said" || fail "$signal: it went on: $(cat "$TEST_HOME/said")"
        eventually process_ended "-$group"
    done
}

@test "image: the project's Containerfile is built with progress, used, and cached" {
    need_base
    printf 'FROM debian:bookworm\nARG USER\nRUN echo "made for $USER" > /made\n' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    run box run -- cat /made
    assert_status 0
    assert_contains "STEP"
    assert_contains "made for $(id -un)"
    box apply
    run box run -- cat /made
    refute_contains "STEP"
    run box build --json
    jq -es 'length > 0' <<<"$(grep '^{' <<<"$output")" >/dev/null
    run --separate-stderr box build --quiet
    assert_output ""
}

@test "image: a changed Containerfile needs a yes, is reported, and build and apply use it" {
    need_base
    printf 'FROM debian:bookworm\nRUN echo one > /made\n' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    box start
    printf 'FROM debian:bookworm\nRUN echo two > /made\n' >Containerfile
    box stop
    run box build
    assert_status 78
    assert_contains "names files that have changed"
    run box trust --yes
    assert_contains "- RUN echo one > /made"
    assert_contains "+ RUN echo two > /made"
    run box run -- cat /made
    assert_contains "run 'box apply' to rebuild it"
    assert_contains one
    box build
    box apply
    run --separate-stderr box run -- cat /made
    assert_output two
}

@test "image: list says what each image is for, its size, and what uses it" {
    local below=localhost/$LITTERBOX_INSTANCE-base:1
    mkdir im
    echo x >im/file
    tar -C im -c . | import_image "$below"
    run --separate-stderr box image list
    assert_output ""
    # shellcheck disable=SC2154 # bats sets stderr
    [[ $stderr == *"has made no image yet"* ]]
    head -c 2000000 /dev/urandom >data
    printf 'FROM %s\nCOPY data /data\n' "$below" >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    box build --quiet
    head -c 3000000 /dev/urandom >data
    box build --quiet
    run box image list
    assert_status 0
    assert_contains "box shop"
    run --separate-stderr box image list --json
    assert_status 0
    # The layer, and its copy for the user's ids; the base's belong to another image.
    jq -e --arg tag "localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest" 'sort_by(.frees) | length == 2 and .[0].name == null and .[1].name == $tag
        and all(.made_for == "box shop" and .used_by == [] and (.created | test("^[0-9-]+T.*Z$")))
        and (.[0].frees | . > 4000000 and . < 4300000) and (.[1].frees | . > 6000000 and . < 6300000)' <<<"$output"
    podman_do POST containers/create "{\"name\":\"user-$LITTERBOX_INSTANCE\",
        \"image\":\"localhost/litterbox-$LITTERBOX_INSTANCE/shop:latest\",\"command\":[\"/none\"],\"netns\":{\"nsmode\":\"none\"}}"
    run --separate-stderr box image list --json
    [ "$(jq -c 'sort_by(.frees)[1].used_by' <<<"$output")" = "[\"user-$LITTERBOX_INSTANCE\"]" ]
    podman_do DELETE "containers/user-$LITTERBOX_INSTANCE?force=true"
    remove_image "$below"
}

@test "image: a failed build shows the reason, exits with 125 and creates no box" {
    need_base
    printf 'FROM debian:bookworm\nRUN echo because-of-this >&2; exit 3\n' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    run box run -- true
    assert_status 125
    assert_contains "because-of-this"
    [ -z "$(containers)" ]
}

serves_build() { pgrep -u "$(id -u)" -f '[s]ystem service --time 3' >/dev/null; }

@test "image: Ctrl-C during a build ends it and leaves nothing behind" {
    need_base
    printf 'FROM debian:bookworm\nRUN sleep 1000\n' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    setsid box build >out 2>&1 3>&- &
    pid=$!
    eventually grep -q 'STEP 2' out
    serves_build
    kill -INT "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" = 130 ]
    eventually sh -c '! pgrep -u "$(id -u)" -f "[s]leep 1000" >/dev/null'
    # Nor the service of the build, which no other build uses.
    serves_no_build() { ! serves_build; }
    eventually serves_no_build
    [ -z "$(containers)" ]
}

@test "image: the error for an unknown image is one sentence" {
    box init --image localhost/no/such-image:ever
    run timeout 60 box run -- true
    assert_status 125
    assert_contains "no/such-image"
    [ -z "$(containers)" ]
}

@test "image: sudo = allow installs into an image-based box" {
    need_base
    trust_file '[box]
image = "debian:bookworm"
[security]
sudo = "allow"'
    run box run -- sh -c 'sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends hello >/dev/null && hello'
    assert_status 0
    assert_contains "Hello, world!"
}

@test "image: security.read_only makes the image's files read-only, but not home and project" {
    need_base
    trust_file '[box]
image = "docker.io/library/debian:bookworm"
[security]
read_only = true'
    # shellcheck disable=SC2016
    run box run -u root -- sh -c 'for f in /etc/x /usr/x /x "$1/x" /tmp/x; do touch "$f" 2>/dev/null && echo "can $f"; done' sh "$HOME"
    assert_contains "can $HOME/x"
    assert_contains "can /tmp/x"
    refute_contains "can /etc/x"
    refute_contains "can /usr/x"
    refute_contains "can /x"
    box run -- touch in-project
    [ -e in-project ]
}

@test "image: a hostile image's config weakens no protection" {
    need_base
    cat >Containerfile <<'C'
FROM debian:bookworm
ENV LD_PRELOAD=/evil.so PATH=/evil:/usr/bin:/bin HOME=/evil
USER nobody
WORKDIR /evil
VOLUME /home
ENTRYPOINT ["/bin/false"]
CMD ["/bin/false"]
STOPSIGNAL SIGKILL
HEALTHCHECK --interval=1s CMD touch /tmp/health
LABEL litterbox.box=other litterbox.project=/etc litterbox.instance=
C
    trust_file '[box]
containerfile = "Containerfile"'
    run --separate-stderr box run -- sh -c 'id -un; echo $HOME; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status'
    assert_status 0
    assert_output "$(id -un)"$'\n'"$HOME"$'\n'"CapEff:	0000000000000000"$'\n'"NoNewPrivs:	1"
    [ "$(box list --json | jq -r '.[].name')" = shop ]
    sleep 1.5
    run box run -- ls /tmp/health
    [ "$status" != 0 ]
}

# template_on_debian NAME: the project's Containerfile from that template, on the available base.
template_on_debian() {
    sed "s|^ARG BASE=.*|ARG BASE=$BASE|" "$BATS_TEST_DIRNAME/../../containerfiles/$1/Containerfile"
}

# bats test_tags=release
@test "image: the debian template has the promised programs" {
    need_base
    box init --template debian
    run box run -- sh -c 'command -v git ssh rg vim zsh jq && getent passwd "$(id -u)" && echo all-there'
    assert_status 0
    assert_contains "$(id -un):x:$(id -u):"
    assert_contains all-there
    run box image templates
    for name in debian ubuntu fedora arch opensuse-tumbleweed; do assert_contains "$name"; done
}

# bats test_tags=release
@test "image: the ubuntu template builds on another base, with extra packages" {
    need_base
    template_on_debian ubuntu | sed 's/^ARG PACKAGES=.*/ARG PACKAGES="hello"/' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    box build --quiet
    run box run -- sh -c 'command -v git ssh rg vim && hello'
    assert_status 0
    assert_contains "Hello, world!"
}

# template_end: the step of all templates that creates the user, behind a base with other users.
template_end() {
    printf 'FROM %s\nRUN groupadd -g 1000 ubuntu && useradd -u 1000 -g 1000 -m ubuntu && useradd -u 1001 other\n' "$BASE"
    sed -n '/^ARG USER=/,$p' "$BATS_TEST_DIRNAME/../../containerfiles/debian/Containerfile"
}

@test "image: the templates' last step creates the user, with any ids in the base and any name" {
    need_base
    local who user uid gid
    template_end >Containerfile
    trust_file '[box]
containerfile = "Containerfile"'
    run --separate-stderr box run -- sh -c 'getent passwd "$(id -u)"; id -gn; id -un'
    assert_status 0
    [[ $output == "$(id -un):x:$(id -u):$(id -g):"* ]] || fail "$output"
    # As in Active Directory and LDAP.
    for who in 'me@company.example:1234567:1234567' 'other:1001:1001' 'ubuntu:1000:1000' 'new:1000:100'; do
        IFS=: read -r user uid gid <<<"$who"
        {
            template_end | sed "s/^ARG USER=.*/ENV USER=$user/; s/^ARG UID=.*/ENV UID=$uid/; s/^ARG GID=.*/ENV GID=$gid/"
            printf 'RUN getent passwd %s | grep -q "^%s:x:%s:%s:"\n' "$uid" "$user" "$uid" "$gid"
        } >Containerfile
        trust_file '[box]
containerfile = "Containerfile"'
        run box build
        assert_status 0
    done
}

@test "image: templates have the same parts in the same order; debian and ubuntu differ only in their base" {
    local file line at parts=('^ARG BASE=[a-z.]*/.*:' '^FROM \$BASE$' '^RUN .*(apt-get update|dnf install|pacman -Syu|zypper .*install)'
        ' git(-core)? ' '^ARG PACKAGES=""$' '^RUN \[ -z "\$PACKAGES" \]' '^ENV LANG=C.UTF-8$' '^ARG USER=user$'
        '^ARG UID=1000$' '^ARG GID=1000$' '^RUN other=')
    cd "$BATS_TEST_DIRNAME/../../containerfiles"
    for file in */Containerfile; do
        at=0
        for part in "${parts[@]}"; do
            line=$(grep -nE -- "$part" "$file" | cut -d: -f1 | head -n 1)
            [ "${line:-0}" -gt "$at" ] || fail "$file: '$part' is missing or out of order"
            at=$line
        done
        for word in bash-completion ca-certificates curl jq less nano openssh ripgrep vim zsh; do
            grep -q -- "$word" "$file" || fail "$file lacks $word"
        done
        # A file that a layer does not delete stays in the image.
        [ "$(grep -cE 'rm -rf /var/lib/apt/lists|dnf clean all|zypper clean --all|rm -rf /var/cache/pacman' "$file")" = 2 ] ||
            fail "$file: a layer keeps its cache"
        diff <(sed -n '/^ARG USER=/,$p' debian/Containerfile) <(sed -n '/^ARG USER=/,$p' "$file")
    done
    diff <(sed 's/Debian/Ubuntu/; s|^ARG BASE=.*|ARG BASE=|' debian/Containerfile) \
        <(sed 's|^ARG BASE=.*|ARG BASE=|' ubuntu/Containerfile)
}
