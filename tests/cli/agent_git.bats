#!/usr/bin/env bats
# The SSH agent through a morning's work: clone over ssh, a signed commit, a signed tag, push. Each
# question is asked for what it is, and answered on its own.

load ../lib/box.bash
load ../lib/ssh.bash
setup() {
    box_setup
    ssh_setup work
    SSH_CONFIG='git_signing = true' attach work
    ssh_to_sshd ed25519
    bare=$TEST_HOME/far/shop.git
    git init -q --bare -b main "$bare"
    box run -- sh -c 'git config --global user.name me; git config --global user.email me@example.org
        git config --global init.defaultBranch main' 2>/dev/null
}
teardown() {
    ssh_teardown
    box_teardown
}

# git_in_box ARGUMENT…: in the background.
git_in_box() { start_in_box env "GIT_SSH_COMMAND=ssh -F $PROJECT/ssh_config" git "$@"; }

# login_asked PROGRAM: to log in, for that PROGRAM of git there; says yes to this one.
login_asked() {
    eventually has_pending || fail "$(cat error)"
    run box consent pending
    assert_contains "Log in as $(id -un) at [127.0.0.1]:$SSHD_PORT"
    assert_contains "Host key verified"
    assert_contains "work  ED25519  $(fingerprint work)"
    # What the program says it is for is not what is known.
    [[ ${output%Claimed by the box*} != *"$1"* ]] || fail "$output"
    [[ ${output#*Claimed by the box} == *"$1"* ]] || fail "$output"
    answer once
}

signature_asked() {
    eventually has_pending || fail "$(cat error)"
    run box consent pending
    assert_contains "Sign a git object (content not visible)"
    assert_contains "work  ED25519  $(fingerprint work)"
    assert_contains "Purpose    git"
    refute_contains "Log in"
    answer once
}

done_well() {
    eventually test -s ended
    [ "$(cat ended)" = 0 ] || fail "$(cat error)"
    [ "$(box consent pending --json)" = "[]" ]
}

@test "agent: git clone, a signed commit and tag, and push" {
    git_in_box clone -q "far:$bare" work
    login_asked git-upload-pack
    done_well
    echo hello >work/file
    box run -- git -C work add file
    git_in_box -C work commit -q -S -m 'a file'
    signature_asked
    done_well
    git_in_box -C work tag -s -m 'the first' v1
    signature_asked
    done_well
    git_in_box -C work push -q --follow-tags origin HEAD
    login_asked git-receive-pack
    done_well

    # What arrived is signed by the key.
    echo "me@example.org $(cat "$KEYS/work.pub")" >signers
    git --git-dir="$bare" -c gpg.ssh.allowedSignersFile="$PWD/signers" verify-commit main
    git --git-dir="$bare" -c gpg.ssh.allowedSignersFile="$PWD/signers" verify-tag v1
    [ "$(git --git-dir="$bare" show main:file)" = hello ]
    [ "$(box consent log --json -n 100 | jq -r '.purpose + " " + .decision + " " + .how')" = "login signed approved
sshsig signed approved
sshsig signed approved
login signed approved" ] || fail "$(box consent log --json -n 100)"
}

@test "agent: a no to a push or a commit leaves nothing there" {
    git_in_box clone -q "far:$bare" work
    answer once
    done_well
    git_in_box -C work commit -q -S --allow-empty -m 'not signed'
    eventually has_pending
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    box run -- git -C work commit -q --no-gpg-sign --allow-empty -m plain
    sleep 5 # the pause after a no
    git_in_box -C work push -q origin HEAD
    answer deny
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    [ -z "$(git --git-dir="$bare" for-each-ref)" ]
}
