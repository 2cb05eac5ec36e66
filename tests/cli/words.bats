#!/usr/bin/env bats
# What people type who know Podman, Docker, distrobox or toolbox, and what they mistype.

load ../lib/box.bash
setup() { box_setup; }
teardown() { box_teardown; }

# says COMMAND-LINE TEXT: a usage error of one line, with TEXT.
says() {
    # shellcheck disable=SC2086 # words
    run box $1
    assert_status 64
    assert_contains "$2"
    [ "${#lines[@]}" = 1 ] || fail "$1: ${#lines[@]} lines"
}

@test "words: shell is enter, exec is run with the command behind the box" {
    run --separate-stderr box exec shop sh -c 'echo $LITTERBOX_BOX "$@"' - -e -- x
    assert_status 0
    assert_output "shop -e -- x"
    run --separate-stderr box exec -e A=b --env=C=d -w / shop env
    assert_contains "A=b"
    assert_contains "C=d"
    run --separate-stderr box exec -- pwd
    assert_output "$PROJECT"
    run --separate-stderr box exec shop -- pwd
    assert_output "$PROJECT"
    run box exec shop
    assert_status 64
    assert_contains "missing command"
    run on_terminal box exec -it shop sh -c 'tty; exit 3'
    assert_status 3
    assert_contains /dev/pts/
    run on_terminal box shell -- sh -c 'echo "here is $LITTERBOX_BOX"; exit 4'
    assert_status 4
    assert_contains "here is shop"
}

@test "words: run -it has a terminal, run -i passes on standard input" {
    run on_terminal box run -it -- tty
    assert_status 0
    assert_contains /dev/pts/
    [ "$(echo passed | box run -i -- cat)" = passed ]
    [ "$(echo passed | box run -- cat)" = passed ]
}

@test "words: ps -a and list -a list all, list -q prints names alone" {
    box start
    new_project "$TEST_HOME/cafe"
    [ "$(box list -q)" = $'cafe\nshop' ]
    [ "$(box ls -qr)" = shop ]
    [ "$(box ps -a)" = "$(box list)" ]
    [ "$(box ps)" = "$(box list --all)" ]
    says 'list -a --running' exclude
    says 'list -q --json' exclude
}

@test "words: verbs are called rm, remove or delete, and ls or list" {
    box start
    box port add 18123:8123
    run box port ls
    assert_contains 18123
    box port rm 18123
    run box port list
    refute_contains 18123
    box port add 18123:8123
    box port delete 18123
    [ "$(box image ls --json)" = '[]' ]
    [ "$(box images --json)" = '[]' ]
    run box rmi localhost/litterbox-no-such-image
    assert_status 125
    run box image remove localhost/litterbox-no-such-image
    assert_status 125
    says 'config rm' "unknown command 'box config rm'"
}

@test "words: version, remove and update are --version, rm and upgrade" {
    [ "$(box version)" = "$(box --version)" ]
    run box update --no-such-option
    assert_contains "unknown option"
    cmp <(box update --help) <(box help upgrade)
    run box remove </dev/null
    assert_contains "use --yes"
    box delete --yes
    [ -z "$(box list -q)" ]
}

@test "words: what has no equal says in one line what it is called here" {
    says create "'box init'"
    says 'create --name x --image debian' "'box init'"
    says 'commit shop' packages
    says inspect "'box status --json'"
    says 'pull debian' "'box upgrade'"
    says 'attach shop' "'box enter'"
    says 'kill shop' "'box stop'"
    says export "'box app export'"
    says 'help create' "'box init'"
    says 'run --rm -- true' --ephemeral
    says 'run -v /a:/b -- true' '[[mount]]'
    says 'run --volume=/a:/b -- true' '[[mount]]'
    says 'run -itv /a:/b -- true' '[[mount]]'
    says 'run -p 80:80 -- true' "'box port add'"
    says 'run --name x -- true' "box run NAME"
    says 'exec --volume=/a:/b shop true' '[[mount]]'
    says 'enter --name shop' "box enter NAME"
    says 'enter -n shop' "box enter NAME"
}

@test "words: what box agent was is box consent" {
    local verb
    for verb in status pending approve deny grants revoke mute lock unlock log; do
        says "agent $verb" "'box agent $verb' is called 'box consent $verb' now"
    done
    says 'agent approve 3 once' "'box consent approve'"
    says 'agent lst' "did you mean 'box agent list'?"
}

@test "words: the manual has each that works or is explained" {
    page=$(dirname "$(dirname "$(readlink -f "$(command -v box)")")")/share/man/man1/box.1
    for word in shell exec ps version remove update images create export commit; do
        grep -qF "\\fBbox $word\\fR" "$page" || fail "$word"
    done
}

@test "words: what is misspelt gets a suggestion, what is another word gets none" {
    says satrt "did you mean 'box start'?"
    says tops "did you mean 'box top'?"
    says 'list --runing' "did you mean '--running'?"
    says 'list -running' "did you mean '--running'?"
    says 'logs --tial=3' "did you mean '--tail'?"
    says 'run --workdri / -- true' "did you mean '--workdir'?"
    for word in shel-l zoo; do
        run box "$word"
        assert_status 64
        refute_contains "did you mean"
    done
    run box start shpo
    assert_contains "did you mean 'shop'?"
    printf '[box]\nmemmory = "1g"\nidel_stop = 3\n' >litterbox.toml
    run box config show
    assert_status 78
    assert_contains 'did you mean "memory" in [limits]?'
    assert_contains 'did you mean "idle_stop"?'
}

@test "words: a hostile operand of another tool's word is shown harmless" {
    run box exec $'\e[31mshop' true
    [ "$status" != 0 ]
    refute_contains $'\e'
    run box create $'\e[31mshop'
    assert_status 64
    refute_contains $'\e'
}
