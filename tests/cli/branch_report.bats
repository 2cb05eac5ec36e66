#!/usr/bin/env bats
# What is said at the end of a session on a branch.

load ../lib/box.bash
load ../lib/branch.bash
setup() { branch_setup; }
teardown() { box_teardown; }

@test "branch: the end of a session on a terminal is one screen: files, commits, hosts, signatures, what is left, what comes next" {
    git init -q .
    git add -A
    git -c user.name=x -c user.email=x@x commit -q -m first
    trust_file $'[network]\nmode = "filtered"\nallow = ["allowed.example.invalid"]'
    # Of this session, of another box, and of long ago.
    mkdir -p "$STATE"
    entry() { printf '{"time":"%s","box":"%s","purpose":"git","decision":"%s","how":"x"}\n' "$@"; }
    later=$(date -u -d '1 hour' +%FT%TZ)
    { entry 2001-01-01T00:00:00Z shop.b signed && entry "$later" shop signed && entry "$later" shop.b signed && entry "$later" shop.b refused; } >"$STATE/agent.log"
    work='echo b >one; rm script; git add one; git -c user.name=x -c user.email=x@x commit -q -m second; mkdir .vscode new; echo x >.vscode/tasks.json
        printf x >"new/$(printf "bad\033]0;t\007\nname")"; getent hosts refused.example.invalid
        sleep 1 # another process writes the log of the network
        true'
    NO_COLOR=1 run on_terminal box run --branch b -- sh -c "$work"
    assert_status 0
    screen=${output//$'\r'/}
    refute_contains $'\033'
    for line in "box: branch 'b' of box 'shop':" '  files       2 added, 1 changed, 1 deleted' "  commits     1: 'box branch take --commits b'" '  refused     refused.example.invalid' '  signatures  1, and 1 refused' \
        '  left there  .vscode (tools of this machine run or obey it, or it is hidden)' "box: next: 'box branch diff b', 'box branch take b' or 'box branch drop b'"; do
        [[ $'\n'$screen == *$'\n'"$line"* ]] || fail "'$line' is not in: $screen"
    done
    [[ $screen == *'new/bad\x1b]0;t\x07\nname (unusual characters in its name)'* ]] || fail "$screen"
    [ "$(sed -n "/^box: branch 'b' of/,\$p" <<<"$screen" | wc -l)" -le 15 ]
    # Headings are bold where there are colours, and elsewhere it is a few lines.
    TERM=xterm run on_terminal env -u NO_COLOR box run --branch b -- true
    assert_contains $'\033[1mfiles'
    run --separate-stderr box run --branch b -- true
    # shellcheck disable=SC2154 # bats sets stderr
    [[ $stderr == *"branch 'b': 4 files changed, and its git repository"* ]] || fail "$stderr"
    # Nothing has run, or nothing has happened: nothing is said.
    box stop shop.b
    CONTAINER_HOST=unix:///nonexistent run box run --branch b -- true
    assert_status 69
    refute_contains "files changed"
    run on_terminal box run --branch c -- true
    refute_contains files
}
