#!/usr/bin/env bats
# [home] share_toolchains: the user's tools run in a box, read-only, without their credentials.

load ../lib/box.bash

# A home for the test, so that it does not depend on the user's tools.
setup() {
    box_setup
    OLD_HOME=$HOME
    export XDG_DATA_HOME=${XDG_DATA_HOME:-$HOME/.local/share} XDG_CONFIG_HOME=${XDG_CONFIG_HOME:-$HOME/.config}
    export XDG_STATE_HOME=${XDG_STATE_HOME:-$HOME/.local/state}
    HOME=$TEST_HOME/home
    mkdir "$HOME"
    make_tools
}

teardown() {
    HOME=$OLD_HOME
    box_teardown
}

# tool PATH: a program below the home that prints its path.
tool() {
    mkdir -p "$HOME/$(dirname "$1")"
    printf '#!/bin/sh\necho "%s runs"\n' "$1" >"$HOME/$1"
    chmod 755 "$HOME/$1"
}

# secret PATH: a file below the home with a credential in it.
secret() {
    mkdir -p "$HOME/$(dirname "$1")"
    echo "token = hunter2" >"$HOME/$1"
}

make_tools() {
    tool .cargo/bin/cargo
    secret .cargo/credentials.toml
    secret .cargo/credentials
    secret .cargo/config.toml
    secret .cargo/bin/credentials.toml
    tool .rustup/toolchains/stable/bin/rustc
    ln -s ../../.rustup/toolchains/stable/bin/rustc "$HOME/.cargo/bin/rustc"
    tool .nvm/versions/node/v20.1.0/bin/node
    tool .nvm/versions/node/v9.9.9/bin/node
    tool .nvm/versions/node/v9.9.9/bin/old-npm
    secret .nvm/versions/node/v20.1.0/etc/npmrc
    secret .nvm/versions/node/v20.1.0/.npmrc
    tool .local/bin/mine
    secret .local/bin/.netrc
    secret .local/bin/.env
    tool .local/share/uv/tools/ruff/bin/ruff
    secret .local/share/uv/tools/ruff/pip.conf
    ln -s "$HOME/.local/share/uv/tools/ruff/bin/ruff" "$HOME/.local/bin/ruff"
    tool .pyenv/versions/3.12/bin/python-of-pyenv
    secret .pyenv/versions/3.12/pip.conf
    echo 3.12 >"$HOME/.pyenv/version"
    mkdir "$HOME/.pyenv/shims"
    printf '#!/bin/sh\nexec ~/.pyenv/versions/$(cat ~/.pyenv/version)/bin/python-of-pyenv\n' >"$HOME/.pyenv/shims/shimmed"
    chmod 755 "$HOME/.pyenv/shims/shimmed"
    tool .sdkman/candidates/java/21-tem/bin/java
    secret .sdkman/candidates/java/21-tem/conf/settings.xml
    ln -s 21-tem "$HOME/.sdkman/candidates/java/current"
    mkdir -p "$HOME/.asdf/plugins/lua/.git"
    secret .asdf/plugins/lua/.git/config
    secret .npmrc
    secret .netrc
    secret .ssh/id_ed25519
}

share() {
    trust_file '[home]
share_toolchains = true
'"${1:-}"
}

@test "toolchains: none is in the box without the setting" {
    run --separate-stderr box run -- sh -c 'command -v cargo node mine ruff java shimmed | grep -v ^/usr/; ls -A ~ | grep -vE "^\.(bash|profile)"'
    assert_output ''
}

@test "toolchains: programs in PATH run, also through links between toolchains, the newest version first" {
    share
    run --separate-stderr box run -- sh -c 'for tool in cargo rustc node old-npm mine ruff shimmed java; do $tool; done'
    assert_output ".cargo/bin/cargo runs
.rustup/toolchains/stable/bin/rustc runs
.nvm/versions/node/v20.1.0/bin/node runs
.nvm/versions/node/v9.9.9/bin/old-npm runs
.local/bin/mine runs
.local/share/uv/tools/ruff/bin/ruff runs
.pyenv/versions/3.12/bin/python-of-pyenv runs
.sdkman/candidates/java/21-tem/bin/java runs"
    # A login shell has the same PATH.
    run --separate-stderr box enter -- sh -lc 'cargo'
    assert_contains ".cargo/bin/cargo runs"
}

@test "toolchains: they are read-only, also for root of the box" {
    share
    for root in '' '-u root'; do
        # shellcheck disable=SC2086 # none or two words
        run --separate-stderr box run $root -- sh -c 'cd "$0" || exit
            test -e .cargo/bin/cargo || echo "nothing to attack"
            for path in .cargo/bin .rustup/toolchains .nvm/versions/node/v20.1.0/bin .local/bin \
                .local/share/uv/tools/ruff .pyenv/versions .pyenv/shims .sdkman/candidates/java/current/bin; do
                touch $path/planted 2>/dev/null && echo "wrote $path"
            done
            echo evil 2>/dev/null >>.cargo/bin/cargo && echo "changed cargo"
            rm -f .local/bin/mine 2>/dev/null && echo "removed mine"
            echo 2>/dev/null evil >.pyenv/version && echo "changed the version"
            chmod 777 .cargo/bin/cargo 2>/dev/null && echo "changed the mode"
            mv .cargo/bin .other 2>/dev/null && echo "renamed"
            true' "$HOME"
        assert_status 0
        assert_output ''
    done
    [ "$("$HOME/.cargo/bin/cargo")" = ".cargo/bin/cargo runs" ]
}

@test "toolchains: no credential can be read in the box's home" {
    share
    run --separate-stderr box run -- grep -rIl hunter2 "$HOME"
    assert_output ''
    # Covered by an empty file, which tools can open.
    box run -- sh -c 'cd ~ && test -f .nvm/versions/node/v20.1.0/etc/npmrc && ! test -s .nvm/versions/node/v20.1.0/etc/npmrc'
    run --separate-stderr box run -- sh -c 'cd ~; ls -d .cargo/credentials* .cargo/config.toml .npmrc .netrc .ssh 2>/dev/null'
    assert_output ''
}

@test "toolchains: a link out of a toolchain shows nothing of the host" {
    ln -s ../../.ssh/id_ed25519 "$HOME/.local/bin/key"
    ln -s "$HOME/.netrc" "$HOME/.cargo/bin/netrc"
    ln -s "$HOME/.ssh" "$HOME/.rustup/ssh"
    ln -s "$HOME/.npmrc" "$HOME/.nvm/versions/node/v9.9.9/.npmrc"
    ln -s / "$HOME/.rustup/root"
    share
    run box run -- sh -c 'cat ~/.local/bin/key; cat ~/.cargo/bin/netrc; ls ~/.rustup/ssh/; cat ~/.rustup/root$HOME/.netrc; cat ~/.nvm/versions/node/v9.9.9/.npmrc'
    [ "$status" != 0 ]
    refute_contains hunter2
    refute_contains id_ed25519$'\n'
}

@test "toolchains: a folder that is a link to another place is left out with a warning" {
    mv "$HOME/.cargo/bin" "$HOME/cargo-bin"
    ln -s ../cargo-bin "$HOME/.cargo/bin"
    rm -r "$HOME/.local/bin"
    ln -s ../.ssh "$HOME/.local/bin"
    share
    run box run -- sh -c 'command -v cargo; ls -A ~/.local/bin 2>/dev/null'
    refute_contains id_ed25519
    refute_contains "bin/cargo"$'\n'
    assert_contains "'$HOME/.cargo/bin' is a symbolic link to another place"
    assert_contains "'$HOME/.local/bin' is a symbolic link to another place"
}

@test "toolchains: a credential behind a link in the toolchain is covered at the link's target" {
    tool .nvm/versions/node/v30.0.0/bin/node
    secret .nvm/versions/node/v30.0.0/etc/real
    ln -s real "$HOME/.nvm/versions/node/v30.0.0/etc/npmrc"
    share
    run --separate-stderr box run -- sh -c 'cd ~/.nvm/versions/node/v30.0.0/etc && cat npmrc real && bin=../bin && $bin/node'
    assert_output ".nvm/versions/node/v30.0.0/bin/node runs"
}

@test "toolchains: a box that can write next to one cannot replace it by a link" {
    mkdir "$HOME/.deno"
    share 'share = [".deno:rw"]'
    box run -- ln -s ../.ssh "$HOME/.deno/bin"
    [ -e "$HOME/.deno/bin/id_ed25519" ]
    box apply 2>&1 | grep -F "'$HOME/.deno/bin' is a symbolic link to another place"
    run box run -- ls "$HOME/.deno/bin/"
    [ "$status" != 0 ]
    refute_contains id_ed25519$'\n'
}
