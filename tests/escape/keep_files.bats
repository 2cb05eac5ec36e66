#!/usr/bin/env bats
# 'box apply --keep-files': what root of a box gets onto the host, or into its next box, by the files that are kept.

load escape.bash
load ../lib/image.bash
setup() {
    escape_setup_file
    mkdir -p "$CONFIG"
    need_base
    configure
    name=litterbox.$LITTERBOX_INSTANCE.shop
}
teardown() {
    box_teardown
    remove_built_images
}

configure() {
    escape_config '[box]
image = "debian:bookworm"
idle_stop = "never"'
}

# Prints every file that the host's folders of this test have, with all that is known about it.
host_files() { find "$PROJECT" "$DATA/boxes/shop/home" "$TEST_HOME/neighbour" "$TEST_HOME/data" -printf '%p %y %m %s %T@ %l\n' 2>/dev/null | sort; }

# put CONTAINER PATH FOLDER: Podman's own call, for controls.
put() {
    tar -C "$3" -c . | curl -sS --unix-socket "${CONTAINER_HOST#unix://}" -X PUT -T - -w '%{http_code}\n' \
        -H 'Content-Type: application/x-tar' "http://d/v4.0.0/libpod/containers/$1/archive?path=$2&copyUIDGID=false"
}

@test "keep files: programs with setuid, setgid and capabilities come without them (6)" {
    attempt --root 'cp /usr/bin/id /opt/setuid && cp /usr/bin/id /opt/setgid && cp /usr/bin/id /opt/capable
        chmod 4755 /opt/setuid && chmod 2755 /opt/setgid
        perl -e "my (\$file, \$name, \$value) = (q(/opt/capable), q(security.capability), pack(q(V5), 0x02000001, 1 << 21, 0, 0, 0));
            exit(syscall(188, \$file, \$name, \$value, 20, 0) != 0)" && touch /opt/has-capability'
    [ "$(box run -- stat -c %a /opt/setuid /opt/setgid)" = $'4755\n2755' ]                    # control
    box run -- test -e /opt/has-capability                                                    # control
    [ "$(box run -- perl -e "$capability_size" /opt/capable)" = 20 ]                          # control
    run box apply --keep-files --yes
    assert_status 0
    assert_contains "without setuid and setgid bits and capabilities: 3 files"
    [ "$(box run -- stat -c %a /opt/setuid /opt/setgid /opt/capable)" = $'755\n755\n755' ]
    [ "$(box run -- perl -e "$capability_size" /opt/capable)" = -1 ]
    [ -z "$(box run -- find /opt -perm /6000)" ]
}
# shellcheck disable=SC2016 # Perl's
capability_size='my ($file, $name, $value) = ($ARGV[0], "security.capability", "\0" x 100);
    print syscall(191, $file, $name, $value, 100), "\n"'

@test "keep files: lists of users that root of the old box wrote give sessions of the new one nothing (6)" {
    local before
    before=$(box run -- sh -c 'grep -E "^(Uid|Gid|Groups|Cap)" /proc/self/status; echo "$HOME"')
    attempt --root 'touch /opt/kept
        sed -i "s/^dev:.*/dev:x:0:0::\/root:\/bin\/sh/" /etc/passwd && echo "evil:x:1000:0::/root:/bin/sh" >>/etc/passwd
        sed -i "s/^root:x:0:.*/root:x:0:dev,evil/" /etc/group && echo "kept:x:6:dev,evil" >>/etc/group'
    box apply --keep-files --yes
    box run -- grep -q evil /etc/passwd # control: it is there
    box run -- grep -q kept:x:6 /etc/group
    [ "$(box run -- sh -c 'grep -E "^(Uid|Gid|Groups|Cap)" /proc/self/status; echo "$HOME"')" = "$before" ]
    [[ $before == *$'Uid:\t'"$(id -u)"* ]]
}

@test "keep files: links in the old box's and the new image's folders lead to nothing of the host (1)" {
    local before
    attempt --root "mkdir -p /opt/folder/sub /opt/away && echo evil >/opt/folder/evil && echo evil >/opt/folder/sub/evil
        ln -s '$PROJECT' /opt/link && ln -s /proc/1/root /opt/root && ln -s ../../../../../../.. /opt/up
        echo evil >/opt/away/litterbox.toml && chmod 6777 /opt/away/litterbox.toml"
    # The new image's own links have the names of the old box's folders.
    printf 'FROM debian:bookworm\nRUN ln -s "%s" /opt/folder && ln -s /proc/self/cwd /opt/away\n' "$PROJECT" >Containerfile
    escape_config '[box]
containerfile = "Containerfile"
idle_stop = "never"'
    before=$(host_files)
    run box apply --keep-files --yes
    assert_status 0
    diff <(echo "$before") <(host_files)
    # They are folders again, in the box.
    [ "$(box run -- cat /opt/folder/evil)" = evil ]
    [ ! -e "$PROJECT/evil" ]
    [ "$(box run -- readlink /opt/link)" = "$PROJECT" ]
    # control: in a running container, Podman writes through the mount
    mkdir "$TEST_HOME/evil" && echo evil >"$TEST_HOME/evil/evil" && chmod 4755 "$TEST_HOME/evil/evil"
    box run -- true
    put "$name" "$PROJECT" "$TEST_HOME/evil"
    [ -u "$PROJECT/evil" ]
}

@test "keep files: what a box puts where a folder of the host will be mounted stays off the host (1)" {
    local before
    mkdir "$TEST_HOME/data" && echo host >"$TEST_HOME/data/file"
    attempt --root 'mkdir -p /opt/data/sub && cp /usr/bin/id /opt/data/file && chmod 4755 /opt/data/file &&
        echo evil >/opt/data/evil && ln -s / /opt/data/link'
    # In the layer of the home, the project and box-init, below their mounts.
    box stop
    mkdir -p "$TEST_HOME/evil$PROJECT" "$TEST_HOME/evil/run/litterbox" "$TEST_HOME/evil$HOME/.ssh"
    touch "$TEST_HOME/evil$PROJECT/evil" "$TEST_HOME/evil/run/litterbox/init" "$TEST_HOME/evil$HOME/.ssh/evil"
    [ "$(put "$name" / "$TEST_HOME/evil")" = 200 ]
    podman_get "containers/$name/changes" | jq -r .[].Path | grep -qxF "$PROJECT/evil" # control
    user_config "[[mount]]
source = \"$TEST_HOME/data\"
target = \"/opt/data\"
mode = \"rw\""
    before=$(host_files)
    run box apply --keep-files --yes
    assert_status 0
    diff <(echo "$before") <(host_files)
    assert_contains "the new box has a mount there"
    podman_get "containers/$name/changes" | jq -e 'map(select(.Path | contains("/evil"))) == []'
}

@test "keep files: names cannot forge what is said, and reach the new box as they are (8)" {
    local names='printf "/opt/a\033[2Jb\nbox: kept everything\n"'
    attempt --root "mkfifo \"\$($names)\" && echo x >\"\$($names)x\" && mkdir /opt/\$(printf '\342\200\256')txt"
    run box apply --keep-files --yes
    assert_status 0
    assert_contains 'not kept: '
    [[ $output != *$'\033'* && $output != *$'\nbox: kept everything'* && $output != *$'\342\200\256'* ]]
    [ "$(box run -- sh -c "cat \"\$($names)x\"")" = x ]
    run box run -- sh -c "test -p \"\$($names)\""
    assert_status 1
}

@test "keep files: deep trees, many files, names that are no text and endless files lose nothing (9)" {
    attempt --root 'mkdir /opt/many && cd /opt/many && seq 3000 | xargs touch
        mkdir /opt/deep && cd /opt/deep && perl -e "for (1 .. 300) { mkdir q(d) x 20; chdir q(d) x 20 } open F, q(>bottom)"
        touch "/opt/$(printf "\377\376")" && ln -s "$(printf %04000d 0)" /opt/far && truncate -s 60M /opt/sparse'
    box run -- true
    run box apply --keep-files </dev/null
    [ "$status" != 0 ]
    [ "$(box run -- sh -c 'ls /opt/many | wc -l')" = 3000 ]
    box run -- sh -c "test -e /opt/\$(printf '\377\376')"
    attempt --root 'rm -rf /opt/deep'
    run box apply --keep-files </dev/null
    assert_status 64
    assert_contains "not kept: "
    box run -- sh -c "test -e /opt/\$(printf '\377\376')"
    attempt --root "rm /opt/\$(printf '\377\376')"
    run box apply --keep-files </dev/null
    assert_status 0
    [ "$(box run -- sh -c 'ls /opt/many | wc -l; stat -c %s /opt/sparse; readlink /opt/far | wc -c')" = $'3000\n62914560\n4001' ]
}
