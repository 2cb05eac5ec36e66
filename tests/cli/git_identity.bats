#!/usr/bin/env bats
# [git] identity: who commits in a box, and what else a box knows of the user's git configuration.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    own_home
    box_setup
    git init -q -b main .
    cat >"$HOME/.gitconfig" <<'END'
[user]
    name = Ada \"the first\" Lovelace
    email = ada@example.org
[pull]
    rebase
[color "status"]
    added = red bold
END
}
teardown() {
    box_teardown
    remove_built_images
    rm -rf "$HOME"
}

author() { git log -1 --format='%an <%ae>'; }

@test "git identity: a commit in a fresh box is the user's" {
    box run -- git commit -q --allow-empty -m one
    [ "$(author)" = 'Ada "the first" Lovelace <ada@example.org>' ]
    run --separate-stderr box run -- sh -c 'git config pull.rebase; git config color.status.added'
    assert_output "true"$'\n'"red bold"
}

@test "git identity: the home and the repository of a box come first" {
    box run -- sh -c 'git config --global user.name Box; git commit -q --allow-empty -m one'
    [ "$(author)" = 'Box <ada@example.org>' ]
    box run -- sh -c 'git config user.email repo@example.org; git commit -q --allow-empty -m two'
    [ "$(author)" = 'Box <repo@example.org>' ]
}

@test "git identity: the next start has what the user changed" {
    box run -- true
    git config --global user.name Grace
    box restart
    box run -- git commit -q --allow-empty -m one
    [ "$(author)" = 'Grace <ada@example.org>' ]
    run box status
    refute_contains "drift"
    refute_contains "outdated"
}

@test "git identity: an include for the project's folder counts, as on the host" {
    printf '[includeIf "gitdir:%s/"]\n\tpath = work\n' "$TEST_HOME" >>"$HOME/.gitconfig"
    printf '[user]\n\temail = ada@work.example\n' >"$HOME/work"
    box run -- git commit -q --allow-empty -m one
    [ "$(author)" = 'Ada "the first" Lovelace <ada@work.example>' ]
    git commit -q --allow-empty -m two
    [ "$(author)" = 'Ada "the first" Lovelace <ada@work.example>' ]
}

@test "git identity: the system configuration of an image counts, also when root changes it" {
    need_base
    printf 'FROM debian:bookworm\nRUN printf "[user]\\n\\tname = image\\n[x]\\n\\ty = 1\\n" >/etc/gitconfig\n' \
        >Containerfile
    # The image has no git: this machine's, with its libraries.
    # Podman of a build with rules looks for images in this test's own home.
    trust_file "[box]
containerfile = \"Containerfile\"
[network]
mode = \"open\"
[security]
sudo = \"allow\"
[[mount]]
source = \"/usr\"
target = \"/opt/usr\""
    git='exec /opt/usr/lib64/ld-linux-x86-64.so.2 --library-path /opt/usr/lib/x86_64-linux-gnu /opt/usr/bin/git "$@"'
    run --separate-stderr box run -- sh -c "$git" git config --get-regexp 'user.name|x.y'
    assert_output "user.name image"$'\n'"x.y 1"$'\n'"user.name Ada \"the first\" Lovelace"
    box run -- sudo sh -c 'printf "[x]\n\ty = 2\n" >/etc/gitconfig'
    run --separate-stderr box run -- sh -c "$git" git config x.y
    assert_output 2
}

@test "git identity: false, and nobody knows who commits" {
    user_config '[git]
identity = false'
    run --separate-stderr box run -- git config user.name
    assert_status 1
    assert_output ""
    run box run -- sh -c 'echo "${GIT_CONFIG_SYSTEM-none}"; test -e /run/litterbox/git'
    assert_status 1
    assert_output none
}

@test "git identity: a configuration that git cannot read is told" {
    echo '[broken' >>"$HOME/.gitconfig"
    run box run -- git config user.name
    assert_contains "$HOME/.gitconfig' has a line that git does not understand"
    assert_contains Ada
}

@test "git identity: a project asks before it gets what the user switched off" {
    user_config '[git]
identity = false'
    printf '[git]\nidentity = true\n' >litterbox.toml
    run box run -- true
    assert_status 78
    run box trust --show
    assert_contains "read your name and e-mail address"
}

@test "git identity: a repository that borrows objects from another one says what is missing, until it is shown or whole" {
    git -c user.name=x -c user.email=x@x commit -q --allow-empty -m borrowed
    git clone -q --shared . "$TEST_HOME/shared"
    cd "$TEST_HOME/shared"
    run box run -- git log --format=%s
    [ "$status" != 0 ]
    assert_contains "the repository borrows them from '$PROJECT/.git/objects'"
    user_config "[[mount]]
source = \"$PROJECT/.git/objects\"
target = \"$PROJECT/.git/objects\""
    run box apply
    assert_status 0
    refute_contains borrows
    run --separate-stderr box run -- git log --format=%s
    assert_output borrowed
    rm "$CONFIG/config.toml"
    git repack -q -a -d
    rm .git/objects/info/alternates
    run box apply
    assert_status 0
    refute_contains borrows
    run --separate-stderr box run -- git log --format=%s
    assert_output borrowed
}
