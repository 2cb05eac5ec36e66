#!/usr/bin/env bats
# Attacks on the programs that boxes share (AI agents): by a box on what another one runs, and by what is installed on the
# user's files and on what is installed beside it (invariants 1, 2, 5, 7, 9).
# shellcheck disable=SC2016,SC2088,SC2154 # shells of boxes expand these; bats and escape.bash set what is used

load escape.bash
load ../lib/image.bash

setup_file() {
    escape_setup_file
    new_project "$TEST_HOME/second"
    mkdir -p "$CONFIG/agents"
    export TOOLS=$DATA/tools/shared
    # One that works, beside every attack.
    preset good "printf '%s\\n' '#!/bin/sh' 'echo good' >bin/good; chmod +x bin/good; echo 1 >version"
    box agent install good
    cd "$TEST_HOME/second" && box agent run good
}
teardown_file() {
    box_teardown
    remove_built_images
}
setup() { escape_setup; }

# preset NAME SCRIPT: a preset of the user's that SCRIPT installs.
preset() {
    printf "program = '%s'\ninstall = '''\n%s\n'''\n" "$1" "$2" >"$CONFIG/agents/$1.toml"
}

# installs SCRIPT: what SCRIPT says while it installs something, with which it ends well.
installs() {
    preset evil "set +e
$1
mkdir -p bin; printf '%s\\n' '#!/bin/sh' 'echo evil' >bin/evil; chmod +x bin/evil; echo 1 >version; echo attack ended"
    run box agent update evil
    assert_contains "attack ended"
}

# assert_good: both boxes run what was installed, and nothing else is there.
assert_good() {
    local state
    state=$(cd "$TOOLS" && find good \( -type f -o -type l \) -exec cat {} + | sha256sum; find "$TOOLS/good" -printf '%P %y %m %l\n')
    [ "$state" = "$1" ] || fail "changed: $state"
    [ "$(box agent run good)" = good ]
    [ "$(cd "$TEST_HOME/second" && box agent run good)" = good ]
}
state() { cd "$TOOLS" && find good \( -type f -o -type l \) -exec cat {} + | sha256sum && find "$TOOLS/good" -printf '%P %y %m %l\n'; }

@test "tools: control: an installation can write in its own folder, and a box sees what it left" {
    installs 'echo of-the-installation >left'
    assert_status 0
    [ "$(box run -- sh -c 'cat /run/litterbox/tools/evil/*/left')" = of-the-installation ]
    [ "$(box agent run evil)" = evil ]
}

@test "tools: a box cannot write, rename, replace, link, chmod, cover or remount what it runs, as user and root (2, 7)" {
    local before as
    before=$(state)
    for as in "" "-u root"; do
        # shellcheck disable=SC2086 # two words
        run box run $as -- sh -c '
            at=/run/litterbox/tools
            for path in $at $at/good $at/good/*/ $at/good/*/bin $at/good/*/bin/good $at/good/for-* /run/litterbox; do
                echo evil >"$path"; echo evil >>"$path"; echo evil >"$path/evil"; mkdir "$path/evil"; ln -s /tmp "$path/evil"
                ln "$path" /tmp/hard; ln -sf /tmp/evil "$path"; mv "$path" "$path.away"; mv -T /tmp/evil "$path"; rm -rf "$path"
                truncate -s 0 "$path"; chmod 777 "$path"; chown 0 "$path"; touch "$path"; cp /bin/true "$path"
                setfattr -n user.evil -v evil "$path"; mount -o remount,rw "$path"; mount -o remount,bind,rw "$path"
                umount "$path"; umount -l "$path"; mount -t tmpfs none "$path"; mount --bind /tmp "$path"
            done
            ln -s $at /tmp/tools; echo evil >/tmp/tools/evil; cd $at/good && echo evil >evil; exec 3<$at; echo evil >/proc/self/fd/3/evil
            echo tried' 2>&1
        assert_contains tried
        assert_good "$before"
    done
    [ -z "$(find "$DATA/tools" -name 'evil*' -path '*good*')" ]
}

@test "tools: a box that holds locks on what it runs holds up no installation (9)" {
    box run --detach -- python3 -c '
import fcntl, glob, os, time
for path in glob.glob("/run/litterbox/tools/**", recursive=True):
    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    os.set_inheritable(fd, True)
open("held", "w")
time.sleep(1000)'
    eventually test -e held
    rm held
    run timeout 120 box agent update good
    assert_status 0
    run timeout 60 box agent run good
    assert_output good
    [ "$(find "$TOOLS/good" -mindepth 1 -maxdepth 1 -type d | wc -l)" = 1 ]
}

@test "tools: an installation finds no home, project, key, secret, variable or socket of the user's, and no other program (1, 2, 5)" {
    echo "$SECRET" >private
    echo "$SECRET" >"$HOME/in-the-home"
    box run -- sh -c "echo $SECRET >~/at-home"
    mkdir -p "$CONFIG/boxes"
    printf 'home.share = ["%s"]\nbox.env = { OF_THE_BOX = "%s" }\n[[mount]]\nsource = "%s"\ntarget = "/opt/shared"\n' \
        '~/in-the-home' "$SECRET" "$TEST_HOME/neighbour" >"$CONFIG/boxes/shop.toml"
    # The control: other boxes of the project have them.
    run box run --ephemeral -- sh -c 'cat ~/in-the-home private /opt/shared/secret; echo $OF_THE_BOX'
    [ "$(grep -cx "$SECRET" <<<"$output")" = 4 ]
    OF_THE_CALLER=$SECRET installs 'echo variables:; env; echo files:; find / -xdev -name "*secret*" -newer /proc/1/comm
        ls -Aa '"$PROJECT"' ~ /opt /run/litterbox /run/litterbox/tools /run/user/* /tmp /run/secrets; cat private ~/at-home ~/in-the-home /opt/shared/secret
        grep -rs hunter2 ~ '"$PROJECT"' /opt /run/litterbox /tmp --exclude-dir=root
        echo sockets:; cat /proc/net/unix; find / -xdev -type s; git config --get user.email; ls -A /run/litterbox/ssh /run/litterbox/git'
    rm "$CONFIG/boxes/shop.toml" "$HOME/in-the-home" private
    refute_contains "$SECRET"
    refute_contains SSH_AUTH_SOCK
    refute_contains OF_THE
    refute_contains /run/litterbox/good
    refute_contains "/neighbour"
    # Its own folder is the only one of its kind.
    [[ $output =~ files: ]] || fail "$output"
    ! grep -qx good <<<"$output" || fail "$output"
}

@test "tools: an installation reaches nothing on the network but what its preset names (4)" {
    local SERVICE hosts tries
    serve 0.0.0.0 of-the-host port
    hosts=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); printf "%s ", $4 }')
    tries="import socket, sys
for host in sys.argv[1:]:
    try:
        print(socket.create_connection((host, $(cat port)), 10).recv(100))
    except OSError as problem:
        print(host, problem)"
    # The control: the network of the box that asks is open.
    mkdir -p "$CONFIG/boxes"
    printf '[network]\nmode = "open"\n' >"$CONFIG/boxes/shop.toml"
    box stop
    # shellcheck disable=SC2086 # words
    run box run -- python3 -c "$tries" $hosts
    assert_contains of-the-host
    installs "python3 -c '$tries' $hosts 127.0.0.1 10.0.2.2 169.254.1.2 example.org"
    kill "$SERVICE"
    assert_contains "example.org"
    refute_contains of-the-host
}

@test "tools: an installation plants nothing outside of its folder, and its programs end with it (1, 7)" {
    local before
    before=$(state)
    installs 'cd .. 2>/dev/null; at=$OLDPWD; cd "$at"
        for path in .. ../.. ../good ../../good ../../good/for-x '"$TOOLS $DATA $PROJECT $HOME/.bashrc"' /usr/bin /etc/profile.d; do
            mkdir -p "$path/evil"; echo evil >"$path/evil.file"; ln -s / "$path/evil.link"
        done
        rm -rf "$at"; mv "$at" "$at.away"; ln -s '"$TOOLS"'/good "$at.link"
        ln -s '"$TOOLS"'/good away; ln -s ../good near; ln -s / root; ln -s ../../../../../../../etc/passwd up; mkfifo fifo
        cp /bin/sh sh; chmod 6755 sh; mkdir locked; echo x >locked/x; chmod 111 locked
        (trap "" HUP TERM; exec >/dev/null 2>&1; setsid sh -c "while sleep 0.1; do echo late >>late; done") &'
    assert_status 0
    [ "$(box agent run evil)" = evil ]
    local late
    late=$(cat "$TOOLS"/evil/*/late 2>/dev/null | wc -l)
    assert_good "$before"
    [ "$(cat "$TOOLS"/evil/*/late 2>/dev/null | wc -l)" = "$late" ]
    [ -z "$(find "$DATA" "$PROJECT" "$HOME" -name 'evil.file' -not -path "$TOOLS/evil/*" 2>/dev/null)" ]
    run --separate-stderr find "$DATA/tools" -perm /6000
    assert_output ""
    [ -z "$(ls "$DATA/tools/work")" ]
    # What it left goes without following a link.
    box agent remove evil
    [ ! -e "$TOOLS/evil" ]
    assert_good "$before"
    [ -e /etc/passwd ]
}

@test "tools: what is installed with a hostile image runs in boxes of that image alone (2)" {
    local before
    need_base
    before=$(state)
    new_project "$TEST_HOME/other"
    cd "$TEST_HOME/other"
    printf '[box]\nimage = "%s"\n' "$BASE" >litterbox.toml
    box trust --yes
    # Its shell is what installs.
    installs 'cat /etc/debian_version'
    preset good 'printf "%s\n" "#!/bin/sh" "echo evil" >bin/good; chmod +x bin/good; echo 1 >version'
    [ "$(box agent run good)" = evil ]
    [ "$(find "$TOOLS/good" -name 'for-*' | wc -l)" = 2 ]
    cd "$PROJECT"
    [ "$(box agent run good)" = good ]
    [ "$(cd "$TEST_HOME/second" && box agent run good)" = good ]
    # It goes with its box, and takes nothing along.
    box agent remove good other
    preset good "printf '%s\\n' '#!/bin/sh' 'echo good' >bin/good; chmod +x bin/good; echo 1 >version"
    assert_good "$before"
    box rm --yes other
}
