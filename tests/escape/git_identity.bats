#!/usr/bin/env bats
# What a box learns of the user's git configuration (5), however a box or a project asks for more.

load escape.bash
setup_file() {
    own_home
    export TOKEN=token-of-the-host
    cat >"$HOME/.gitconfig" <<END
[user]
    name = Ada
    email = ada@example.org
    signingKey = ~/.ssh/id_$TOKEN
[alias]
    st = status --$TOKEN
    x = !echo $TOKEN
[credential]
    helper = store --file ~/$TOKEN
[credential "https://$TOKEN@example.org"]
    username = $TOKEN
[core]
    sshCommand = ssh -i ~/.ssh/$TOKEN
    editor = $TOKEN
    hooksPath = ~/$TOKEN
    excludesFile = ~/$TOKEN
[url "https://$TOKEN@example.org/"]
    insteadOf = https://example.org/
[http]
    extraHeader = Authorization: Bearer $TOKEN
    proxy = http://me:$TOKEN@proxy.example/
[gpg]
    program = /home/$TOKEN
[include]
    path = ~/.gitconfig-$TOKEN
[includeIf "hasconfig:remote.*.url:https://client.example/**"]
    path = ~/client
[sendemail]
    smtpPass = $TOKEN
[github]
    token = $TOKEN
END
    printf '[color]\n\tui = false\n[x]\n\ty = %s\n' "$TOKEN" >"$HOME/.gitconfig-$TOKEN"
    printf '[user]\n\temail = secret@client.example\n' >"$HOME/client"
    printf '[alias]\n\ty = %s\n' "$TOKEN" >"$HOME/.config/git/config"
    echo "-----BEGIN OPENSSH PRIVATE KEY----- $TOKEN" >"$HOME/.ssh/id_$TOKEN"
    echo "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw $TOKEN" \
        >"$HOME/.ssh/id_$TOKEN.pub"
    escape_setup_file
    git init -q
    escape_config '[box]
idle_stop = "never"'
    box run -- true
}
teardown_file() {
    box_teardown
    rm -rf "$HOME"
}
setup() { escape_setup; }

# All that git and a look around find in the box.
known_inside() {
    box run -- sh -c 'git config --list --show-origin; cat /run/litterbox/git/*; env; cat ~/.gitconfig
        ls -aR ~ /run/litterbox' 2>&1
}

@test "git identity: no program, alias, address, token, path or name of a file of the user's git reaches the box (5)" {
    run known_inside
    assert_contains "user.name=Ada"
    assert_contains "key::ssh-ed25519 AAAA"
    assert_contains "color.ui=false"
    refute_contains "$TOKEN"
    # control: on the host git has all of them
    run git config --list
    assert_contains "credential.helper=store --file ~/$TOKEN"
    assert_contains "x.y=$TOKEN"
}

@test "git identity: a remote that a box adds chooses no identity of the user's (5)" {
    box run -- git remote add client https://client.example/x
    box restart
    run known_inside
    assert_contains "user.email=ada@example.org"
    refute_contains secret
    # control: git on the host follows that condition
    [ "$(git config user.email)" = secret@client.example ]
}

@test "git identity: a git file that a box writes chooses no identity of the user's (5)" {
    printf '[includeIf "gitdir:%s/neighbour/"]\n\tpath = ~/client\n' "$TEST_HOME" >>"$HOME/.gitconfig"
    git init -q "$TEST_HOME/neighbour"
    [ "$(git -C "$TEST_HOME/neighbour" config user.email)" = secret@client.example ] # control
    mkdir "$TEST_HOME/second"
    cd "$TEST_HOME/second"
    printf 'gitdir: ../neighbour/.git\n' >.git
    run box run -- git -C / config user.email
    assert_contains ada@example.org
    refute_contains client.example
}

@test "git identity: nothing in the box can write what git there obeys, nor what the host's git reads (1)" {
    run box run -- sh -c 'echo x >>/run/litterbox/git/config; rm -f /run/litterbox/git/config
        mv /run/litterbox/git /run/litterbox/other; git config --system user.name x'
    [ "$status" != 0 ]
    run known_inside
    assert_contains "user.name=Ada"
    [ "$(git config user.name)" = Ada ]
}

@test "git identity: an include that is a device, a fifo, huge or a circle keeps no command waiting (1)" {
    mkfifo "$HOME/fifo"
    head -c 1000000 /dev/zero >"$HOME/huge"
    printf '[include]\n\tpath = %s\n' "$HOME/fifo" /dev/zero "$HOME/huge" "$HOME/.gitconfig" \
        "$HOME/missing" >>"$HOME/.gitconfig"
    # Without a repository, whose configuration git on the host is asked for.
    mkdir "$TEST_HOME/plain"
    cd "$TEST_HOME/plain"
    echo >litterbox.toml
    box trust --yes
    run timeout 30 box run -- git config user.name
    assert_status 0
    assert_contains Ada
}
