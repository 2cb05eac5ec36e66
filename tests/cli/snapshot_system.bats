#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# box snapshot --system: what sudo has installed in a box is kept as an image, and comes back.

load ../lib/box.bash
load ../lib/image.bash
setup() {
    image_setup
    NAME=litterbox.$LITTERBOX_INSTANCE.shop
    trust_file '[box]
image = "debian:bookworm"
idle_stop = "never"'
}
teardown() { image_teardown; }

as_root() { box run -u root -- sh -c "$1"; }
# images: the tags of the images of snapshots.
images() { podman_get 'images/json?all=true' | jq -r '.[].Names[]?' | grep "^localhost/litterbox-$LITTERBOX_INSTANCE/snapshots/" || true; }
count_images() { images | wc -l; }
inspect() { podman_get "containers/$NAME/json" | jq -r "$1"; }
# installed: what one sees of the system's parts.
installed() { box run -- sh -c 'cat /opt/mine 2>/dev/null; ls /usr/bin/printf 2>/dev/null; stat -c %A /opt/suid 2>/dev/null; true'; }
# drifted: the box is not what its configuration says.
drift() { box status --json | jq -r .drift; }

@test "snapshot --system: what is installed is kept, and comes back as it was; going back can be undone" {
    run --separate-stderr box snapshot create --system
    assert_status 125
    [[ $stderr == *"has no container"* ]]
    as_root 'echo one >/opt/mine; rm /usr/bin/printf; cp /bin/true /opt/suid; chmod 4755 /opt/suid'
    one=$(installed)
    [ "$one" = $'one\n-rwsr-xr-x' ]
    box snapshot create --system -m tools
    [ "$(images)" != "" ]
    run --separate-stderr box snapshot list shop --json
    [ "$(jq -c '.[0] | [.home, .project, .note, .system.bytes > 0, .system.stored > 0]' <<<"$output")" = '[null,null,"tools",true,true]' ]
    [ "$(jq -r '.[0].system.base' <<<"$output")" = "$(inspect .Image)" ]
    run box snapshot show 1
    assert_contains "system "
    as_root 'echo later >/opt/mine; rm /opt/suid; echo x >/opt/more'
    run --separate-stderr box snapshot diff 1
    assert_contains "M system opt/mine"
    assert_contains "D system opt/suid"
    assert_contains "A system opt/more"
    refute_contains "system usr/bin/printf"
    run box snapshot restore 1
    assert_status 64
    assert_contains "use --yes"
    run box snapshot restore --yes 1
    assert_status 0
    assert_contains "restored the system; 'box snapshot restore shop.2' undoes that"
    [ "$(inspect .State.Status)" = exited ]
    [ "$(containers)" = "$NAME" ]
    [ "$(installed)" = "$one" ]
    run ! box run -- test -e /opt/more
    # Its configuration is that of the plan, and no difference to what the user has set.
    [ "$(drift)" = none ]
    [ "$(inspect '.Config.Labels["litterbox.base"]')" = "$(box snapshot list shop --json | jq -r '.[0].system.base')" ]
    box snapshot restore --yes 2
    [ "$(installed)" = later ]
    [ "$(box run -- cat /opt/more)" = x ]
}

@test "snapshot --system: apply knows what a box that was gone back to has beyond its image" {
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    box snapshot restore --yes 1
    run box apply </dev/null
    assert_status 64
    # Podman 5 also counts folders that have not changed, and may name one of them.
    assert_contains "outside its home, "
    [ "$(drift)" = none ]
    run box apply --yes --keep-files
    assert_status 0
    [ "$(installed | head -n 1)" = one ]
    [ "$(inspect .Image)" = "$(box snapshot list shop --json | jq -r '.[0].system.base')" ]
    # And so does a start after a change of the configuration.
    box snapshot restore --yes 1
    box apply --yes
    [ "$(box run -- sh -c 'test -e /opt/mine || echo gone')" = gone ]
}

@test "snapshot --system: images go with their snapshots, and never one that a box uses" {
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    box snapshot create --home --project --system
    [ "$(count_images)" = 2 ]
    run box image list
    assert_contains "snapshot of box shop"
    run box prune
    assert_contains "nothing to remove"
    box snapshot drop --yes 1
    [ "$(count_images)" = 1 ]
    box snapshot restore --yes --system 2
    # In use by the box: it stays until that has another one.
    box snapshot drop --yes 2 3
    [ "$(installed | head -n 1)" = one ]
    [ "$(count_images)" = 1 ]
    run box prune --dry-run
    refute_contains "image"
    box apply --yes
    run box prune --dry-run
    assert_contains "would remove: image 'localhost/litterbox-$LITTERBOX_INSTANCE/snapshots/shop:"
    run box prune
    assert_contains "removed: image 'localhost/"
    [ "$(count_images)" = 0 ]
    # With the box; and 'box uninstall' leaves what the homes have, unless they go.
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    box uninstall --dry-run >"$TEST_HOME/plan" 2>&1
    grep -q "^stays: image 'localhost/.*snapshots/shop:.*' of a snapshot" "$TEST_HOME/plan" || fail "$(cat "$TEST_HOME/plan")"
    box uninstall --dry-run --homes >"$TEST_HOME/plan" 2>&1
    grep -q "^would remove: image 'localhost/.*snapshots/shop:.*' of a snapshot" "$TEST_HOME/plan" || fail "$(cat "$TEST_HOME/plan")"
    box rm --yes shop
    [ "$(count_images)" = 0 ]
}

@test "snapshot --system: a chain of them is gone back to in any order, and goes as a whole" {
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    box snapshot restore --yes 1
    as_root 'echo two >/opt/mine'
    box snapshot create --system
    box snapshot restore --yes 3
    [ "$(installed | head -n 1)" = two ]
    box snapshot drop --yes 1 2 4
    # The box is on the third, which is on the first.
    [ "$(installed | head -n 1)" = two ]
    box snapshot restore --yes 3
    [ "$(installed | head -n 1)" = two ]
    box rm --yes shop
    [ "$(count_images)" = 0 ]
    [ -z "$(podman_get 'images/json?all=true' | jq -r --arg tag "localhost/litterbox-$LITTERBOX_INSTANCE/snapshots/" '.[] | select(any(.History[]?; startswith($tag))) | .Id')" ]
}

@test "snapshot --system: an image that somebody has removed is said; a box without a layer has none" {
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    remove_image "$(images)"
    run box snapshot restore --yes 1
    assert_status 125
    assert_contains "the image of snapshot 1 is gone"
    [ "$(installed | head -n 1)" = one ]
    box snapshot drop --yes 1
    new_project "$TEST_HOME/cafe"
    box run cafe -- true
    run box snapshot create --system cafe
    assert_status 125
    assert_contains "its root is read-only"
}

@test "snapshot --system: Ctrl-C leaves no image without a snapshot" {
    local n
    as_root 'echo one >/opt/mine'
    for ((n = 1; n < 40; n++)); do
        run strace -qq -o /dev/null -e trace=sendto -e inject="sendto:signal=INT:when=$n" \
            env --default-signal=INT box snapshot create --system
        [ "$status" != 0 ] || break
        assert_status 130
        [ "$(box snapshot list --json)" = '[]' ]
        [ "$(count_images)" = 0 ] || fail "$n: $(images)"
    done
    [ "$n" -gt 2 ]
    [ "$(count_images)" = 1 ]
}

@test "snapshot --system: SIGKILL before any call to Podman: the old system or the other one, and nothing is left" {
    local n status rounds=0
    as_root 'echo one >/opt/mine'
    box snapshot create --system
    as_root 'echo two >/opt/mine'
    for ((n = 1; n < 80; n += 2 * TEST_STEP)); do
        status=0
        strace -qq -o /dev/null -e trace=sendto -e inject="sendto:signal=KILL:when=$n" box snapshot restore --yes 1 >/dev/null 2>&1 || status=$?
        rounds=$((rounds + 1))
        # Whatever it left is repaired at the next start.
        box stop
        now=$(installed | head -n 1)
        [ "$now" = one ] || [ "$now" = two ] || fail "$n: $now"
        [ "$(containers)" = "$NAME" ] || fail "$n: $(containers)"
        [ "$status" != 0 ] || break
        as_root 'echo two >/opt/mine'
    done
    echo "# $rounds kills" >&3
    [ "$now" = one ]
    # shellcheck disable=SC2046 # numbers
    box snapshot drop --yes $(box snapshot list --json | jq ".[].number")
    box apply --yes
    box prune --yes >/dev/null
    [ "$(count_images)" = 0 ]
}
