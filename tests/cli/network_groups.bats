#!/usr/bin/env bats
# @apt and @npm of [network] allow: what the image says, and not what a box or a project writes.

load ../lib/box.bash
load ../lib/image.bash
setup() { image_setup; }
teardown() { image_teardown; }

# configure NAME: a filtered box whose image installs packages from NAME.
configure() {
    cat >Containerfile <<END
FROM debian:bookworm
RUN rm -rf /etc/apt/sources.list.d && echo 'deb [arch=amd64] http://deb.$1:8080/debian stable main' >/etc/apt/sources.list && \
    echo 'registry = "https://npm.$1/repo/"' >/etc/npmrc
END
    trust_file '[box]
containerfile = "Containerfile"
idle_stop = "never"
[network]
mode = "filtered"
allow = ["@apt", "@npm", "always.example.org"]'
}

rules() { box net rules --json | jq -r '.rules[] | "\(.rule) \(.group)"'; }

@test "network groups: @apt and @npm are those of the image, whatever the box or the project writes" {
    local wanted=$'deb.first.example:8080 @apt\nnpm.first.example @npm\nalways.example.org null'
    configure first.example
    run box net rules
    assert_contains "the hosts of '@apt' are found out when the container of box 'shop' is made"
    run box run -- true
    assert_status 0
    [ "$(rules)" = "$wanted" ] || fail "$(rules)"
    run box net why npm.first.example
    assert_status 0
    assert_contains "a rule of '@npm'"
    # Root of the box, its home, and the project name other hosts.
    box run -u root -- sh -c 'echo deb http://evil.example/ x y | tee /etc/apt/sources.list
        echo registry=https://evil.example >/etc/npmrc'
    box run -- sh -c 'echo registry=https://evil.example >~/.npmrc'
    echo registry=https://evil.example >.npmrc
    box stop
    [ "$(rules)" = "$wanted" ] || fail "$(rules)"
    # Nor do files that are kept in a new container.
    box apply --keep-files --yes
    box run -- grep -q evil.example /etc/npmrc
    [ "$(rules)" = "$wanted" ] || fail "$(rules)"
    # Another image.
    configure second.example
    box apply --yes
    box run -- true
    [ "$(rules)" = "${wanted//first/second}" ] || fail "$(rules)"
}

@test "network groups: a new container that could not be read, as when box is killed, is made anew" {
    configure first.example
    box build 2>/dev/null
    mkdir "$DATA/boxes/shop/network-sources" # no file can take its place
    run box run -- true
    [ "$status" != 0 ]
    [ -n "$(containers)" ]
    rmdir "$DATA/boxes/shop/network-sources"
    run box run -- true
    assert_status 0
    [ "$(rules)" = $'deb.first.example:8080 @apt\nnpm.first.example @npm\nalways.example.org null' ] || fail "$(rules)"
}

@test "network groups: an image is looked into once, and never through a mount" {
    local first=$'deb.first.example:8080 @apt\nnpm.first.example @npm\nalways.example.org null'
    mkdir "$TEST_HOME/apt"
    echo 'deb http://evil.example/ x y' >"$TEST_HOME/apt/sources.list"
    configure first.example
    printf '[[mount]]\nsource = "%s/apt"\ntarget = "/etc/apt"\n' "$TEST_HOME" >>litterbox.toml
    box trust --yes
    box run -- grep -q evil /etc/apt/sources.list
    [ ! -e "$STATE/image-sources-1" ] || fail "$(cat "$STATE/image-sources-1")"
    configure first.example
    box --debug apply --yes 2>"$TEST_HOME/said"
    # Podman is not asked for what the image lacks.
    [ "$(grep -c '/archive?path=' "$TEST_HOME/said")" = 2 ] || fail "$(cat "$TEST_HOME/said")"
    box run -- true
    [ "$(rules)" = "$first" ] || fail "$(rules)"
    # That the next container's hosts are those, and not read again, shows by what is put there.
    sed -i s/npm.first/once.first/ "$STATE/image-sources-1"
    box rm --yes
    box init --no-file
    run box run -- true
    refute_contains looking
    [ "$(rules)" = "${first/npm.first/once.first}" ] || fail "$(rules)"
    # What is no such file is nothing, and is replaced.
    head -c 5000 /dev/urandom >"$STATE/image-sources-1"
    box apply --yes
    box rm --yes
    box init --no-file
    box run -- true
    [ "$(rules)" = "$first" ] || fail "$(rules)"
    grep -q 'npm.first.example' "$STATE/image-sources-1"
}

@test "network: mode ask is filtered, with questions and the groups of registries and forges" {
    user_config '[network]
mode = "ask"'
    trust_file '[network]
allow = ["always.example.org"]'
    run --separate-stderr box config show --json
    [ "$(jq -r '.["network.mode"].value' <<<"$output")" = ask ]
    run box net rules
    assert_contains "@registries"
    run --separate-stderr box net rules --json
    [ "$(jq -r '.rules[] | select(.rule == "always.example.org") | .from' <<<"$output")" = "$PROJECT/litterbox.toml" ] ||
        fail "$output"
    [ "$(jq -r '.rules[] | select(.rule == "github.com") | .from' <<<"$output")" = "$CONFIG/config.toml" ] || fail "$output"
    run box net why index.crates.io
    assert_status 0
    run box net why other.example.org
    assert_contains asked
}

@test "net: check tests a list without a box, with 0 when all are allowed" {
    cat >list.toml <<'END'
[network]
allow = ["*.example.org", "@github", "host:5432"]
deny = ["bad.example.org"]
END
    run -0 box net check --rules list.toml a.example.org github.com host:5432
    assert_contains "github.com:443     allowed   allow github.com     @github"
    run -1 box net check --rules list.toml --json example.org bad.example.org github.com:22
    [ "$(jq -c 'map([.target, .allowed, .rule])' <<<"$output")" = \
        '[["example.org:443",false,null],["bad.example.org:443",false,"deny bad.example.org"],["github.com:22",false,null]]' ] ||
        fail "$output"
    printf '[network]\nmode = "ask"\n' >list.toml
    run -0 box net check --rules list.toml github.com
    # What mode "ask" asks about is refused without questions.
    run -1 box net check --rules list.toml example.org
    assert_contains "example.org:443  asked "
    printf '[network]\nmode = "ask"\nask = false\n' >list.toml
    run -1 box net check --rules list.toml example.org
    assert_contains "example.org:443  refused "
    box net check --rules list.toml --json github.com example.org | jq -ce 'map([.allowed, .asked]) == [[true, false], [false, false]]'
    run -0 box net check --allow 10.0.0.0/8:5432 10.1.2.3:5432
    run -1 box net check example.org
    run -64 box net check --allow localhost example.org
    assert_contains "'localhost' must be"
    run -78 box net check --allow @nosuch example.org
}

@test "net: a rule with which no list can be made is not kept" {
    mkdir -p "$CONFIG/network"
    for group in a b c d e; do
        seq -f "\"$group%g.example.org\"," 250 | tr -d '\n' | sed 's/.*/hosts = [&]/' >"$CONFIG/network/$group.toml"
    done
    user_config '[network]
mode = "filtered"
allow = ["@a", "@b", "@c", "@d"]'
    box init >/dev/null 2>&1
    run -78 box net allow @e
    assert_contains "more rules for the network of a box than"
    run -0 box net allow last.example.org
    run -0 box net rules --json
    [ "$(jq '[.rules[] | select(.group == "@d")] | length' <<<"$output")" = 250 ]
    refute_contains '"@e"'
    assert_contains last.example.org
    # What was denied stays so.
    box net deny held.example.org
    sed -i 's/"@d"/"@d", "@e"/' "$CONFIG/config.toml"
    run -78 box net allow held.example.org
    run -78 box net deny other.example.org
    sed -i 's/, "@e"//' "$CONFIG/config.toml"
    run -0 box net rules
    assert_contains "deny held.example.org"
    assert_contains "deny other.example.org"
    refute_contains "allow held.example.org"
}
