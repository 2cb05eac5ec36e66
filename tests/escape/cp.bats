#!/usr/bin/env bats
# box cp against a hostile box: one that sends what it likes, and one that changes folders and links while it is copied.

load escape.bash
setup_file() {
    escape_setup_file
    OUTSIDE=$TEST_HOME/outside
    mkdir -p "$OUTSIDE"
    escape_config '[box]
idle_stop = "never"'
    # A box whose end of the copy is the attacker's: its programs come from the prefix of the box that starts it.
    HOSTILE=$TEST_HOME/prefix
    cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v box)")")")" "$HOSTILE"
    rm "$HOSTILE/libexec/litterbox/bin/litterbox-copy"
    install -m 755 "$BATS_TEST_DIRNAME/cp_sender.py" "$HOSTILE/libexec/litterbox/bin/litterbox-copy"
    export OUTSIDE HOSTILE
    new_project "$TEST_HOME/fine"
    "$HOSTILE/bin/box" start
    box start fine
}
teardown_file() { box_teardown; }
setup() {
    escape_setup
    DST=$BATS_TEST_TMPDIR/dst
    mkdir -p "$DST"
    rm -rf "$OUTSIDE"
    mkdir "$OUTSIDE"
}

# attack NAME: lets the hostile box answer `box cp`.
attack() {
    echo "$1 $OUTSIDE" >"$DATA/boxes/shop/home/attack"
    # What a box may make of this: a hang would be one of its successes.
    run timeout 60 "$HOSTILE/bin/box" cp shop:x "$DST/t"
    [ "$status" != 124 ] || fail "$1: hangs"
}

# Nothing but DST/t was made, and nothing of it has rights that it must not have.
assert_contained() {
    [ -z "$(ls -A "$OUTSIDE")" ] || fail "$1: reached $(ls -A "$OUTSIDE")"
    [ -z "$(find "$DST" -mindepth 1 -maxdepth 1 ! -name t)" ] || fail "$1: made $(ls -A "$DST")"
    [ -z "$(find "$BATS_TEST_TMPDIR" -mindepth 1 -maxdepth 1 ! -name dst)" ] || fail "$1: made $(ls -A "$BATS_TEST_TMPDIR")"
    [ -z "$(find "$DST" \( -perm /7000 -o -type b -o -type c -o -type p -o -type s \))" ] || fail "$1: $(find "$DST" -ls)"
    [ ! -L "$DST/t" ] || fail "$1: a link as the copy"
}

@test "cp: names and links of a hostile box lead nowhere (1)" {
    local name
    for name in dotdot-file dotdot-folder absolute-file relative-file file-through-link folder-over-link relative-link \
        link-of-links top-is-link file-over-link two-tops more-ends; do
        attack "$name"
        assert_status 125
        assert_contained "$name"
        rm -rf "$DST/t"
    done
    # Control: a program that believes the same streams is led out of its folder.
    local reached=0
    for name in dotdot-file dotdot-folder absolute-file folder-over-link file-over-link more-ends; do
        rm -rf "$BATS_TEST_TMPDIR/naive" "$OUTSIDE"
        mkdir -p "$BATS_TEST_TMPDIR/naive/in" "$OUTSIDE"
        python3 "$BATS_TEST_DIRNAME/cp_sender.py" naive "$name" "$OUTSIDE" "$BATS_TEST_TMPDIR/naive/in" || true
        [ -z "$(find "$OUTSIDE" "$BATS_TEST_TMPDIR/naive" -name evil ! -path '*/in/t/*')" ] || reached=$((reached + 1))
    done
    [ "$reached" = 6 ] || fail "only $reached of the attacks work where nothing protects"
}

@test "cp: no set-user-ID, and no size, depth, name or garbage does more than fail (9)" {
    local name
    attack set-user-id
    assert_status 0
    assert_contained set-user-id
    [ "$(stat -c %a "$DST/t/suid")" = "$(printf '%o' $((0777 & ~$(umask))))" ]
    # Control: the mode was in the stream.
    mkdir "$BATS_TEST_TMPDIR/naive"
    python3 "$BATS_TEST_DIRNAME/cp_sender.py" naive set-user-id "$OUTSIDE" "$BATS_TEST_TMPDIR/naive"
    [ -u "$BATS_TEST_TMPDIR/naive/t/suid" ]
    rm -r "$DST/t" "$BATS_TEST_TMPDIR/naive"
    for name in long-name nul-name data-outside huge-length huge-size huge-offset deep garbage; do
        attack "$name"
        assert_status 125
        assert_contained "$name"
        [ -z "$(find "$DST" -type f)" ] || fail "$name: left $(find "$DST" -ls)"
        rm -rf "$DST/t"
    done
}

@test "cp: a box that does not end its part does not keep the command, when it has all (9)" {
    attack hangs-after-done
    assert_status 0
    [ "$(cat "$DST/t")" = evil ]
    rm "$DST/t"
    # Without all of it the command waits, and ends with Ctrl-C; the box's process with it.
    echo "hangs-in-record $OUTSIDE" >"$DATA/boxes/shop/home/attack"
    run on_terminal --answer 'copying from' '\x03' "$HOSTILE/bin/box" cp shop:x "$DST/t"
    [ "$status" != 0 ]
    eventually sh -c '! box run -- pgrep -f litterbox-copy >/dev/null'
}

@test "cp: names and messages of a hostile box are shown safely (8)" {
    local name
    for name in evil-note evil-failure evil-name; do
        attack "$name"
        assert_status 125
        assert_no_controls
        [ "$(grep -c '^box: all is well' <<<"$output")" = 0 ]
        [ "${#lines[@]}" -lt 40 ]
        rm -rf "$DST/t"
    done
}

@test "cp: a folder of the project that becomes a link while it is copied to leads nowhere (1)" {
    mkdir -p "$PROJECT/out"
    box run fine -- sh -c 'mkdir -p ~/t && echo evil >~/t/evil'
    # The box swaps the target and a link to what it cannot reach.
    "$HOSTILE/bin/box" run -- sh -c 'echo $$ >swapper; while [ -e swapper ]; do
        mv out real; ln -s "$1" out; rm out; mv real out; done' - "$OUTSIDE" >/dev/null 2>&1 3>&- &
    eventually test -s "$PROJECT/swapper"
    for _ in {1..60}; do
        box cp fine:t "$PROJECT/out" >/dev/null 2>&1 || true # as the folder may be a link just now
        box cp fine:t/evil "$PROJECT/out/x" >/dev/null 2>&1 || true # the same
    done
    [ -z "$(ls -A "$OUTSIDE")" ]
    # Control: cp follows it.
    eventually sh -c 'cp "$1" "$2/out/" 2>/dev/null; [ -n "$(ls -A "$3")" ]' - "$0" "$PROJECT" "$OUTSIDE"
    rm -f "$PROJECT/swapper"
    wait $!
    [ ! -L "$PROJECT/out" ] || rm "$PROJECT/out"
    rm -rf "$PROJECT/out" "$PROJECT/real"
}

@test "cp: links of the project are not followed, neither as a source nor as a target (1)" {
    "$HOSTILE/bin/box" run -- sh -c 'ln -sfn "$1/neighbour" in; ln -sfn "$1/neighbour/secret" file; ln -sfn "$1/outside" out
        mkdir -p d; ln -sfn "$1/neighbour/secret" d/inner' - "$TEST_HOME"
    [ "$(cat file in/secret d/inner | uniq)" = "$SECRET" ] # control
    for source in file in in/secret ./in/ "$PROJECT/in/secret" d/../in/secret; do
        run box cp "$source" fine:taken
        assert_status 64
        assert_contains "symbolic link"
    done
    # In a folder it stays a link.
    box cp d fine:d
    run box run fine -- sh -c 'cat ~/taken ~/taken/* ~/d/inner; readlink ~/d/inner'
    refute_contains "$SECRET"
    assert_contains "$TEST_HOME/neighbour/secret"
    box run fine -- sh -c 'echo evil >~/evil'
    for target in out out/ out/x "$PROJECT/out/x"; do
        run box cp fine:evil "$target"
        assert_status 64
        assert_contains "symbolic link"
    done
    [ -z "$(ls -A "$OUTSIDE")" ]
    # A link of the user's, where no box writes, is one.
    ln -s "$DST" "$BATS_TEST_TMPDIR/mine"
    box cp fine:evil "$BATS_TEST_TMPDIR/mine"
    [ "$(cat "$DST/evil")" = evil ]
    rm -r in file out d
}

@test "cp: a source that the box swaps for a link gives nothing away (1)" {
    mkdir -p "$PROJECT/data"
    "$HOSTILE/bin/box" run -- sh -c 'echo fine >data/f; echo $$ >swapper; while [ -e swapper ]; do
        mv data/f data/g; ln -s "$1/neighbour/secret" data/f; rm data/f; mv data/g data/f
        mv data real; ln -s "$1/neighbour" data; rm data; mv real data; done' - "$TEST_HOME" >/dev/null 2>&1 3>&- &
    eventually test -s "$PROJECT/swapper"
    for _ in {1..40}; do
        box cp "$PROJECT/data/f" fine:taken >/dev/null 2>&1 || true # as it may be a link just now
        box cp "$PROJECT/data/secret" fine:taken >/dev/null 2>&1 || true # the same
        box cp "$PROJECT/data" fine:all >/dev/null 2>&1 || true # the same
        run box run fine -- sh -c 'cat ~/taken ~/taken/* ~/all/* 2>/dev/null'
        refute_contains "$SECRET"
    done
    # Control: cat follows it.
    eventually grep -qs "$SECRET" "$PROJECT/data/f" "$PROJECT/data/secret"
    rm -f "$PROJECT/swapper"
    wait $!
    rm -rf "$PROJECT/data" "$PROJECT/real"
}

@test "cp: what is copied into a box has the rights of its user alone (1)" {
    # A link of the box to what the guard protects in its project.
    git init -q "$TEST_HOME/fine"
    box restart fine
    box run fine -- sh -c 'ln -sfn "$1/.git/hooks" ~/hooks; ln -sfn "$1/.git/hooks/post-commit" ~/file' - "$TEST_HOME/fine"
    printf '#!/bin/sh\n' >"$DST/post-commit"
    run box cp "$DST/post-commit" fine:hooks/
    [ "$status" != 0 ]
    run box cp "$DST/post-commit" fine:file
    [ "$status" != 0 ]
    [ ! -e "$TEST_HOME/fine/.git/hooks/post-commit" ]
    # Control: another folder takes it.
    box run fine -- sh -c 'mkdir "$1/plain"; ln -sfn "$1/plain" ~/hooks' - "$TEST_HOME/fine"
    box cp "$DST/post-commit" fine:hooks/
    [ -s "$TEST_HOME/fine/plain/post-commit" ]
}
