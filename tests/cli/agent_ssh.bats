#!/usr/bin/env bats
# The SSH agent with ssh, scp, git and sshd as they are.

load ../lib/box.bash
load ../lib/ssh.bash
setup() { agent_setup; }
teardown() { agent_teardown; }

@test "agent: ssh logs in after a yes that names user and host" {
    sshd_start ed25519
    mkdir -p "$HOME/.ssh"
    local known=$HOME/.ssh/known_hosts
    printf '[127.0.0.1]:%s %s\n' "$SSHD_PORT" "$(cut -d' ' -f1-2 "$TEST_HOME/sshd/host.pub")" >>"$known"
    printf '[network]\nmode = "host"\n' >>"$CONFIG/boxes/shop.toml"
    box run -- sh -c "ssh -q -p $SSHD_PORT -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
        $(id -un)@127.0.0.1 echo logged-in" >out 2>err 3>&- &
    eventually has_pending
    run box consent pending
    assert_contains "Log in as $(id -un) at [127.0.0.1]:$SSHD_PORT"
    assert_contains "Host key verified"
    answer 5m
    eventually grep -qx logged-in out
    # The grant covers the next one.
    run --separate-stderr box run -- ssh -q -p "$SSHD_PORT" -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null "$(id -un)@127.0.0.1" echo again
    assert_output again
    # The log says where to, also of a login that nobody was asked about.
    run box consent log
    assert_contains "as $(id -un) at [127.0.0.1]:$SSHD_PORT: signed (approved for 5m as grant 1)"
    assert_contains "as $(id -un) at [127.0.0.1]:$SSHD_PORT: signed (grant 1, use 2 of 100)"
    [ "$(box consent log --json | jq -r .host_name | uniq)" = "[127.0.0.1]:$SSHD_PORT" ]
    [ "$(box consent log --json | jq -r .scope | uniq)" = "logins as $(id -un) at [127.0.0.1]:$SSHD_PORT with work from box shop" ]
    [ "$(box consent log --json | jq -r .host | uniq)" = "$(ssh-keygen -lf "$TEST_HOME/sshd/host.pub" | cut -d' ' -f2)" ]
    # Unbound data for the same user proves nothing.
    agent_client
    cp "$KEYS/work.pub" k.pub
    box run -- python3 client.py login k.pub "$(id -un)" >answer 2>/dev/null 3>&- &
    eventually has_pending
    run box consent pending
    assert_contains "a host that you do not know"
    assert_contains "does not say which host"
    refute_contains "5 minutes"
    answer deny
    eventually grep -qx "5 1" answer
    rm -f "$known"
}

@test "agent: git commits, tags and rebases with one approval" {
    SSH_CONFIG='git_signing = true' attach work
    mkdir repo
    box run -- sh -ec 'cd repo; git init -q -b main .; git config user.name me; git config user.email me@x
        git commit -q --no-gpg-sign --allow-empty -m root; git branch side
        for i in $(seq 20); do echo $i >f$i; git add f$i; git commit -q --no-gpg-sign -m $i; done
        git checkout -q side; echo x >other; git add other; git commit -q --no-gpg-sign -m other' 2>/dev/null
    box run -w "$PROJECT/repo" -- sh -ec 'git checkout -q main; git rebase -q --force-rebase -S side; git tag -m t v1' \
        >out 2>&1 3>&- &
    answer 5m
    eventually --within 60 process_ended "$!"
    echo "me@x $(cat "$KEYS/work.pub")" >signers
    [ "$(git -C repo -c gpg.ssh.allowedSignersFile="$PWD/signers" log --format=%G? main -20 | sort -u)" = G ] ||
        fail "$(cat out)"
    git -C repo -c gpg.ssh.allowedSignersFile="$PWD/signers" tag -v v1
    [ "$(box consent log --json -n 1000 | jq -r 'select(.how == "approved") | .how' | wc -l)" = 1 ]
    [ "$(box consent log --json -n 1000 | jq -r 'select(.how == "grant") | .how' | wc -l)" -ge 20 ]
}

@test "agent: logins with ECDSA and RSA host keys, scp, ControlMaster and ProxyJump" {
    ssh_to_sshd ecdsa
    box run -- true 2>/dev/null
    box run -- ssh -F ssh_config far echo in >out 2>error 3>&- &
    eventually has_pending
    [ "$(box consent pending --json | jq -r '.[0].verdict')" = verified ]
    answer 15m
    eventually grep -qx in out || fail "$(cat error)"
    echo content >file
    box run -- scp -q -F ssh_config file "far:$TEST_HOME/copied"
    [ "$(cat "$TEST_HOME/copied")" = content ]
    box run -- sh -ec 'ssh -F ssh_config -o ControlMaster=yes -o ControlPath=/tmp/cm -o ControlPersist=20 far true
        ssh -F ssh_config -o ControlPath=/tmp/cm far echo shared; ssh -F ssh_config -o ControlPath=/tmp/cm -O exit far' \
        >out 2>error
    grep -qx shared out
    run --separate-stderr box run -- ssh -F ssh_config -J jump far echo jumped
    assert_output jumped
    [ "$(box consent log --json -n 1000 | jq -r 'select(.how == "approved") | .how' | wc -l)" = 1 ]
    kill "$SSHD"
    wait "$SSHD" || true # it removes a file of its own at the end
    rm -r "$TEST_HOME/sshd"
    ssh_to_sshd rsa
    box run -- ssh -F ssh_config far echo in-by-rsa >out 2>error 3>&- &
    eventually has_pending
    [ "$(box consent pending --json | jq -r '.[0].verdict')" = verified ]
    answer once
    eventually grep -qx in-by-rsa out || fail "$(cat error)"
}

@test "agent: -A is refused unless it may be asked about, and then never granted for longer" {
    ssh_to_sshd ed25519
    cp "$KEYS/work.pub" k.pub
    agent_client
    box run -- true 2>/dev/null
    # ssh to the host, where the forwarded agent is asked for a signature.
    local far="sh -c 'cd $PROJECT && python3 client.py sign k.pub'"
    box run -- ssh -A -F ssh_config far "$far" >out 2>error 3>&- &
    answer 5m
    eventually grep -qx "5 1" out || fail "$(cat out error)"
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = forwarding ]
    box stop
    SSH_CONFIG='forward = "ask"' attach work
    box run -- ssh -A -F ssh_config far "$far" >out 2>error 3>&- &
    answer 5m # the login itself
    eventually has_pending
    run box consent pending
    assert_contains "Another machine asks"
    refute_contains "5 minutes"
    answer once
    eventually grep -q "^14 " out || fail "$(cat out error)"
}

@test "agent: a host that is not in known_hosts, or revoked, is not called verified" {
    ssh_to_sshd ed25519
    sed -i "/:$SSHD_PORT/d" "$HOME/.ssh/known_hosts"
    box run -- ssh -F ssh_config far echo in >out 2>error 3>&- &
    eventually has_pending
    [ "$(box consent pending --json | jq -r '.[0].verdict')" = unverified ]
    run box consent pending
    assert_contains "a host that you do not know"
    refute_contains "5 minutes"
    answer once
    eventually grep -qx in out || fail "$(cat error)"
    # Hashed: found by the name that ssh has on its command line.
    printf '[127.0.0.1]:%s %s\n' "$SSHD_PORT" "$(cut -d' ' -f1-2 "$TEST_HOME/sshd/host.pub")" >"$TEST_HOME/hashed"
    ssh-keygen -q -H -f "$TEST_HOME/hashed"
    cat "$TEST_HOME/hashed" >>"$HOME/.ssh/known_hosts"
    box run -- ssh -q -p "$SSHD_PORT" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
        "$(id -un)@127.0.0.1" echo in >out 2>error 3>&- &
    eventually has_pending
    run box consent pending
    assert_contains "at [127.0.0.1]:$SSHD_PORT"
    answer once
    eventually grep -qx in out || fail "$(cat error)"
    printf '@revoked * %s\n' "$(cut -d' ' -f1-2 "$TEST_HOME/sshd/host.pub")" >>"$HOME/.ssh/known_hosts"
    box run -- ssh -F ssh_config far echo in >out 2>error 3>&- &
    eventually has_pending
    run box consent pending
    assert_contains revoked
    answer deny
}

@test "agent: a host that only a pattern of known_hosts has is called by the pattern" {
    ssh_to_sshd ed25519
    sed -i "/:$SSHD_PORT/d" "$HOME/.ssh/known_hosts"
    printf '*.example.org %s\n' "$(cut -d' ' -f1-2 "$TEST_HOME/sshd/host.pub")" >>"$HOME/.ssh/known_hosts"
    # The word could be any that fits, and is not where ssh has connected to.
    box run -- ssh -F ssh_config far echo bank.example.org >out 2>error 3>&- &
    eventually has_pending
    run jq -r '.[0] | .headline, .verdict, (.known[] | select(.label == "Host") | .value)' <<<"$(box consent pending --json)"
    assert_output "Log in as $(id -un) at *.example.org
verified
*.example.org"
    answer deny
}

@test "agent: a known_hosts that a box can have written makes no host verified" {
    ssh_to_sshd ed25519
    local known=$HOME/.ssh/known_hosts verdict
    as_box_root() { env -u CONTAINER_HOST podman unshare "$@"; }
    for verdict in unverified-mode unverified-owner verified; do
        chmod 644 "$known"
        case $verdict in
        *mode) chmod o+w "$known" ;;
        *owner) as_box_root chown 1:1 "$known" ;;
        esac
        box run -- ssh -F ssh_config far echo in >out 2>error 3>&- &
        eventually has_pending
        [ "$(box consent pending --json | jq -r '.[0].verdict')" = "${verdict%-*}" ]
        answer once
        eventually grep -qx in out || fail "$(cat error)"
        as_box_root chown 0:0 "$known"
    done
}

@test "agent: binds reach the real agent: a key for one host works there and nowhere else" {
    ssh_to_sshd ed25519
    ssh-add -q -D
    # The real agent lets this key be used for connections that are bound to that host alone.
    ssh-add -q -H "$HOME/.ssh/known_hosts" -h "[127.0.0.1]:$SSHD_PORT" "$KEYS/work"
    box run -- ssh -F ssh_config far echo in >out 2>error 3>&- &
    answer once
    eventually grep -qx in out || fail "$(cat error)"
    sign_in_box git &
    answer once
    eventually test -s ended
    [ "$(cat ended)" != 0 ]
    [ "$(box consent log --json | tail -n 1 | jq -r .how)" = "your own SSH agent refused" ]
}
