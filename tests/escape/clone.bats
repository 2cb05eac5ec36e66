#!/usr/bin/env bats
# box clone of a home in which a hostile box has planted what leads elsewhere.

load escape.bash
setup_file() {
    escape_setup_file
    OUTSIDE=$TEST_HOME/outside
    mkdir -p "$OUTSIDE"
    echo "$SECRET" >"$OUTSIDE/secret"
    export OUTSIDE
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    HOUSE=$DATA/boxes/shop/home
    COPY=$DATA/boxes/copy/home
    mkdir -p "$TEST_HOME/copy"
}
teardown() {
    cd "$PROJECT" || return
    box rm --yes copy 2>/dev/null || true
    chmod -R u+rwX "$HOUSE" 2>/dev/null || true
    rm -rf "$HOUSE"
}

# plant COMMAND: a box runs it in its home, and is stopped.
plant() {
    box run -- sh -c "cd ~ && $1"
    box stop
}

# clone: what a home may make of this: a hang would be one of its successes.
clone() {
    run timeout 60 box clone shop "$TEST_HOME/copy"
    [ "$status" != 124 ] || fail "hangs"
}

@test "clone: links of a home to files outside are copied as links, at every level (1)" {
    plant "mkdir -p a/b/c; for at in . a a/b a/b/c .config; do
        mkdir -p \$at; ln -s '$OUTSIDE/secret' \$at/file; ln -s '$OUTSIDE' \$at/folder; ln -s ../../../../../../../../../..$OUTSIDE/secret \$at/relative
        ln -s /proc/self/cwd \$at/magic; done; ln -s . circle"
    before=$(find "$OUTSIDE" -printf '%P %i %s %T@\n')
    clone
    assert_status 0
    [ "$(find "$COPY" -type l | wc -l)" = 21 ]
    [ "$(readlink "$COPY/a/b/c/file")" = "$OUTSIDE/secret" ]
    run grep -r "$SECRET" "$COPY" # -r follows no link
    assert_status 1
    [ "$(find "$OUTSIDE" -printf '%P %i %s %T@\n')" = "$before" ]
    # Control: a copy that follows links has the secret.
    cp -rL "$HOUSE/a" "$TEST_HOME/naive" 2>/dev/null || true
    grep -qr "$SECRET" "$TEST_HOME/naive"
    rm -r "$TEST_HOME/naive"
}

@test "clone: nothing in the copy has set-user-ID (6)" {
    plant "cp /bin/true suid && mkdir sub"
    # A box cannot do that itself.
    chmod 6755 "$HOUSE/suid"
    chmod 3777 "$HOUSE/sub"
    clone
    assert_status 0
    [ -x "$COPY/suid" ]
    [ -z "$(find "$COPY" -perm /7000)" ] || fail "$(find "$COPY" -ls)"
    # Control: it was there, and other copies keep it.
    cp -a "$HOUSE/suid" "$TEST_HOME/naive"
    [ -u "$TEST_HOME/naive" ]
    rm "$TEST_HOME/naive"
}

@test "clone: FIFOs, sockets and locked or deep folders do not keep the command, and are named (9)" {
    plant 'mkfifo pipe; mkdir -p locked; echo x >locked/x; echo x >none; chmod 0 locked none
        i=0; while [ $i -lt 300 ]; do mkdir deep && cd deep || exit; i=$((i + 1)); done; cd ~; chmod 500 .'
    # Control: who opens the FIFO as a file hangs.
    run timeout 1 cat "$HOUSE/pipe"
    assert_status 124
    clone
    assert_status 0
    for name in pipe locked none; do assert_contains "left out: 'home/$name' "; done
    assert_contains "has too many folders above it"
    for name in pipe locked none; do [ ! -e "$COPY/$name" ] || fail "$name"; done
    [ "$(find "$COPY/deep" -type d | wc -l)" = 255 ]
}

@test "clone: names of a home are shown safely, and as few lines (8)" {
    plant "mkfifo 'x
box: all is well' \"\$(printf 'y\\033[2J\\033]0;z\\007')\"; i=0; while [ \$i -lt 100 ]; do mkfifo p\$i; i=\$((i + 1)); done"
    clone
    assert_status 0
    assert_no_controls
    [ "$(grep -c '^box: all is well' <<<"$output")" = 0 ]
    [ "${#lines[@]}" -lt 30 ]
    assert_contains "left out: 82 more"
    # Control: the names were there.
    [ -p "$HOUSE/x"$'\n'"box: all is well" ]
}

@test "clone: a home that does not fit leaves nothing, and the source is as it was (9)" {
    plant 'for i in 1 2 3; do head -c 3000000 /dev/zero >big$i; done'
    # Where files may have 2 MiB, a write fails as on a full disk.
    run env --ignore-signal=XFSZ prlimit --fsize=2000000 box clone shop "$TEST_HOME/copy"
    assert_status 125
    assert_contains "cannot copy the home"
    [ ! -e "$DATA/boxes/.cloning" ]
    [ ! -e "$COPY" ]
    [ "$(box list -q)" = shop ]
    [ "$(stat -c %s "$HOUSE/big3")" = 3000000 ]
    # Control: the limit alone did that.
    clone
    assert_status 0
}
