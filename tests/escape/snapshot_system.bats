#!/usr/bin/env bats
# What root of a hostile box could do to the host by the image of a snapshot, whose files are all the box's.

load escape.bash
load ../lib/image.bash
setup() {
    image_setup
    trust_file '[box]
image = "debian:bookworm"
idle_stop = "never"
[network]
mode = "filtered"
allow = ["@apt"]'
    NAME=litterbox.$LITTERBOX_INSTANCE.shop
}
teardown() { image_teardown; }

as_root() { box run -u root -- sh -c "$1"; }

@test "snapshot --system: package sources that root of a box has written open no network (4)" {
    as_root 'echo "deb http://evil.example.com/debian bookworm main" >/etc/apt/sources.list; rm -rf /etc/apt/sources.list.d'
    record=$DATA/boxes/shop/network-sources
    before=$(grep -c '^@apt ' "$record")
    box snapshot create --system
    box snapshot restore --yes 1
    box run -- grep -q evil /etc/apt/sources.list
    run ! grep evil "$record"
    # Control: the restored container has a record, which is what its image said.
    id=$(podman_get "containers/$NAME/json" | jq -r .Id)
    [ "$(sed -n "/^container $id/,/^container /p" "$record" | grep -c '^@apt ')" = "$before" ]
    # A container that is made from the image itself is asked anew.
    box apply --yes
    run ! grep evil "$record"
}

@test "snapshot --system: names with control characters, and links, are shown and lead nowhere (1, 8)" {
    as_root 'echo x >/opt/x'
    box snapshot create --system
    as_root "printf x >\"/opt/\$(printf 'a\\033]0;t\\007b')\"; ln -s '$TEST_HOME' /opt/out; ln -s /etc/shadow /opt/shadow"
    run box snapshot diff 1
    assert_contains "A system opt/out"
    assert_no_controls
    before=$(find "$TEST_HOME" -maxdepth 1 -printf '%p %i %T@\n')
    box snapshot create --system
    box snapshot restore --yes 2
    [ "$(find "$TEST_HOME" -maxdepth 1 -printf '%p %i %T@\n')" = "$before" ]
    [ "$(box run -- readlink /opt/out)" = "$TEST_HOME" ]
}

@test "snapshot --system: what its image says of environment, command and user is the plan's (6)" {
    as_root 'echo x >/opt/x; echo EVIL=1 >/etc/environment'
    config() { podman_get "containers/$NAME/json" | jq -c '.Config | [(.Env | sort), .Cmd, .Entrypoint, .User, .WorkingDir, (.Labels | del(.["litterbox.base"]))]'; }
    before=$(config)
    box snapshot create --system
    # A variable that is taken away is not the image's to keep.
    box snapshot restore --yes 1
    [ "$(config)" = "$before" ]
    # The same programs may do no more: no new privilege, and the same capabilities.
    host() { podman_get "containers/$NAME/json" | jq -c '[.BoundingCaps, .HostConfig.SecurityOpt, .HostConfig.Privileged, ([.Mounts[].Destination] | sort)]'; }
    restored=$(host)
    box apply --yes
    [ "$(host)" = "$restored" ]
}
