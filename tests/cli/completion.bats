#!/usr/bin/env bats
# `box completion`: the scripts, in the shells they are for.

load ../lib/box.bash
load ../lib/image.bash
load ../lib/ssh.bash
setup() { box_setup; }
teardown() {
    ssh_teardown
    box_teardown
}

# complete_bash WORD…: what bash offers for the last word, a line each.
complete_bash() {
    bash --norc -c '
        set -u
        source <(box completion bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _box
        printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}' -- "$@"
}

complete_fish() {
    fish --no-config -c 'box completion fish | source; complete -C "$argv"' -- "$1" | cut -f1
}

# complete_zsh KEYS…: types each into a line of its own; what zsh shows is in $output.
complete_zsh() {
    local keys sends=()
    for keys; do sends+=(--send "\x15$keys"); done
    echo 'autoload -Uz compinit; compinit -D -u; source <(box completion zsh); PS1="ready> "' >"$TEST_HOME/.zshrc"
    run on_terminal --after 'ready> ' "${sends[@]}" --send '\x15exit\n' env TERM=xterm ZDOTDIR="$TEST_HOME" zsh -d -i
}

# In a terminal of its own, with what is typed ending in tabulator keys.
type_in() {
    local shell=$1 typed=$2
    shift 2
    on_terminal --send "source <(box completion $shell)\\n" --send "$typed" --send '\x15exit\n' "$@"
}

@test "completion: the script of each shell is installed, and is what box prints" {
    share=$(dirname "$(dirname "$(readlink -f "$(command -v box)")")")/share
    cmp "$share/bash-completion/completions/box" <(box completion bash)
    cmp "$share/zsh/site-functions/_box" <(box completion zsh)
    cmp "$share/fish/vendor_completions.d/box.fish" <(box completion fish)
}

@test "completion: an unknown shell is a usage error" {
    run box completion tcsh
    assert_status 64
    run box completion
    assert_status 64
}

@test "completion: the words for boxes are their names, without asking Podman" {
    mkdir -p "$TEST_HOME/paint"
    box init >/dev/null 2>&1
    box init "$TEST_HOME/paint" >/dev/null 2>&1
    CONTAINER_HOST=unix:///nonexistent run box completion words boxes
    assert_status 0
    assert_output $'paint\nshop'
}

@test "completion: bash: commands, aliases and the program's own options" {
    run complete_bash box sta
    assert_output $'start\nstatus\nstats'
    run complete_bash box l
    assert_output $'list\nls\nlogs'
    run complete_bash box --
    assert_output $'--debug\n--help\n--version'
}

@test "completion: bash: every command and each of its options" {
    for name in $(complete_bash box ''); do
        [[ $name == -* ]] && continue
        run complete_bash box "$name" --
        assert_status 0
        assert_contains --help
        for option in $(box help "$name" | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
            assert_contains "$option"
        done
    done
}

@test "completion: bash: names with a colon, at which bash divides words" {
    run complete_bash box image bootstrap debian : boo
    assert_output bookworm
    run complete_bash box image bootstrap debian :
    assert_output bookworm$'\n'trixie
    run complete_bash box image bootstrap deb
    assert_contains debian:bookworm
}

@test "completion: bash: verbs, choices and values" {
    run complete_bash box config ''
    assert_output $'show\nfiles'
    run complete_bash box run --wait k
    assert_output kill
    run complete_bash box run --wait = k
    assert_output kill
    run complete_bash box run --wait =
    assert_output $'foreground\nbackground\nkill'
    mkdir -p src sub
    touch silly
    run complete_bash box run -w s
    [ "$(sort <<<"$output")" = $'src\nsub' ]
    ONLY_HERE=1 run complete_bash box run -e ONLY_H
    assert_output ONLY_HERE
    run complete_bash box logs --tail ''
    assert_output ''
    run complete_bash box help doc
    assert_output doctor
}

@test "completion: bash: projects by name and by folder, and nothing behind them" {
    box init >/dev/null 2>&1
    mkdir -p shelf "sh me" other
    run complete_bash box enter sh
    [ "$(sort <<<"$output")" = $'sh me\nshelf\nshop' ]
    run complete_bash box up sh
    assert_contains shop
    run complete_bash box config show sho
    assert_output shop
    run complete_bash box enter shop sh
    assert_output ''
    run complete_bash box run -w /usr --timeout 3s sho
    assert_output shop
}

# What bash and fish offer behind a command's verb and its operands: exactly these lines.
offers() { # "COMMAND VERB OPERAND…" LINES
    local words
    read -ra words <<<"$1"
    diff -u <(complete_bash box "${words[@]}" '' | sed '/^$/d' | sort) <(sed '/^$/d' <<<"$2" | sort) >&2
    diff -u <(complete_fish "box $1 " | sed 's|/$||' | sort) <(sed '/^$/d' <<<"$2" | sort) >&2
}

@test "completion: names of keys and ids of questions, as they are just now" {
    ssh_setup work 'a $(touch planted)'
    attach work
    echo pw | box keys generate --password-fd 0 mine
    offers "keys show" mine
    offers "keys generate" ''
    # No agent runs, and none is started for it.
    offers "consent approve" ''
    no_agent
    box run -- true
    box keys attach mine
    offers "keys detach" mine
    offers "keys attach" "mine
work
$(fingerprint 'a $(touch planted)')"
    [ ! -e planted ]
    offers "consent mute" shop
    sign_in_box git &
    eventually has_pending
    offers "consent approve" 1
    answer box
    eventually test -s ended
    offers "consent revoke" $'1\nall'
    # Of files as before, and nothing else.
    touch id_ed25519
    run complete_bash box keys import id
    assert_output id_ed25519
    run complete_fish 'box keys import id'
    assert_output id_ed25519
    complete_zsh 'box keys show m\t' 'box consent revoke a\t' 'box keys import id\t'
    assert_contains "show mine"
    assert_contains "revoke all"
    assert_contains "import id_ed25519"
}

@test "completion: what each operand can be just now, and nothing else" {
    mkdir -p sub "$HOME/bin"
    box init >/dev/null 2>&1
    offers 'image bootstrap' 'debian
debian:bookworm
debian:trixie'
    offers 'completion words' "$(box completion words kinds)"
    offers 'agent info' $'aider\namp\nclaude\ncodex\ncopilot\ncrush\ncursor\ngemini\ngoose\nopencode\nqwen'
    # Shims that exist alone, for each operand.
    offers 'shim remove' ''
    box shim add sort tac
    offers 'shim remove' $'sort\ntac'
    offers 'shim remove tac' $'sort\ntac'
    # A project or what may stand behind it; then that alone.
    box port add --keep 8123:80
    offers 'port remove' $'shop\n8123:80\nsub'
    offers 'port remove shop' '8123:80'
    offers 'port remove shop 8123:80' ''
    offers 'port add shop' ''
    # A file is the second word, or the first.
    offers 'keys import sub' ''
    offers 'keys show nothing' ''
    offers 'app unexport shop' ''
    run complete_bash box edit shop s
    assert_output sub
    run complete_bash box edit shop sub/x s
    assert_output sub
    run complete_bash box edit s
    [ "$(sort -u <<<"$output")" = $'shop\nsub' ]
}

@test "completion: zsh: each operand by its place" {
    mkdir -p "$HOME/bin"
    box init >/dev/null 2>&1
    box shim add sort tac
    box port add --keep 8123:80
    complete_zsh 'box shim add qw\t' 'box shim remove sort ta\t' 'box port remove shop 81\t' 'box image bootstrap debian:b\t' 'box edit shop src\t'
    assert_contains "shim add qwen"
    assert_contains "remove sort tac"
    assert_contains "8123:80"
    assert_contains "debian:bookworm"
    refute_contains "_box"
}

@test "completion: names of branches, as operands and behind --branch" {
    local words
    mkdir -p "$DATA/boxes/shop/branches/"{fix,other}
    echo '1.0 shared' | tee "$DATA/boxes/shop/branches/"{fix,other}/began >/dev/null
    offers 'branch take' $'fix\nother'
    for words in 'run --branch' 'run -b' 'enter --branch' 'agent run claude --branch'; do
        offers "$words" $'fix\nother'
    done
    # As BOX.NAME, where that stands for a box.
    for words in start stop restart apply status logs top stats 'net rules'; do
        offers "$words" $'shop\nshop.fix\nshop.other'
    done
    offers enter shop
    # An option stands before the operand.
    run complete_bash box branch diff --stat ''
    assert_output $'fix\nother'
    run complete_fish 'box branch diff --stat '
    assert_output $'fix\nother'
    run complete_bash box run --branch = ot
    assert_output other
    run complete_fish 'box run --branch=fi'
    assert_output --branch=fix
    complete_zsh 'box run --branch fi\t' 'box enter --branch=ot\t' 'box branch diff --stat fi\t' 'box stop shop.f\t'
    assert_contains "--branch fix"
    assert_contains "=other"
    assert_contains "--stat fix"
    assert_contains "stop shop.fix"
}

@test "completion: images and the programs of a box" {
    need_base
    box run -- sh -c 'mkdir -p ~/.local/share/applications
        printf "[Desktop Entry]\nType=Application\nName=Probe\nExec=true\n" >~/.local/share/applications/probe.desktop'
    run box completion words apps
    grep -qx probe <<<"$output"
    box app export probe
    offers 'app unexport shop' probe
    box stop
    # None is started for it.
    run box completion words apps shop
    assert_output ''
    run box completion words exported-apps
    assert_output probe
    box app unexport probe
    run box completion words images
    assert_status 0
}

@test "completion: bash: a command and files behind --, where that means something" {
    touch notes.txt
    run complete_bash box run shop -- tes
    assert_contains test
    run complete_bash box run shop -- cat no
    assert_output notes.txt
    run complete_bash box stop -- tes
    assert_output ''
}

@test "completion: every PROJECT of several is completed, in bash and fish" {
    new_project "$TEST_HOME/paint"
    run complete_bash box stop shop pai
    assert_output paint
    run complete_bash box enter shop pai
    assert_output ''
    run complete_fish 'box stop shop pai'
    assert_output paint
    run complete_fish 'box enter shop pai'
    assert_output ''
    run complete_bash box shim add sh tes
    assert_contains test
    # Agents, too, which this machine need not have.
    run complete_bash box shim add qw
    assert_contains qwen
    run complete_fish 'box shim add qw'
    assert_contains qwen
}

@test "completion: bash: at a prompt" {
    run type_in bash 'box complet\t' env PS1=. bash --norc -i
    assert_contains "box completion "
}

@test "completion: bash: a file whose name is a command does not run it" {
    printf '#!/bin/sh\n' >'tool$(>planted)'
    chmod +x tool*
    for line in 'box run --no-such -- ./too' 'box shim add ./too' 'box cp ./too' 'box shim add sh ./too'; do
        run type_in bash "$line\\t\\n" env PS1=. bash --norc -i
        assert_contains './tool\$\(\>planted\)'
        [ ! -e planted ]
    done
}

@test "completion: zsh: at a prompt" {
    # What is typed before the prompt is there would not be completed.
    complete_zsh 'box complet\t' 'box run --wai\tk\t' 'box help doct\t'
    assert_contains "box completion"
    assert_contains "=kill"
    assert_contains "help doctor"
    refute_contains "_box:"
}

@test "completion: zsh: every command is there" {
    box completion zsh >"$TEST_HOME/_box"
    zsh -n "$TEST_HOME/_box"
    for name in $(complete_bash box ''); do
        [[ $name == -* ]] || grep -q "^        '$name:" "$TEST_HOME/_box" || fail "$name"
    done
}

@test "completion: fish: commands, options, choices, verbs, projects" {
    box init >/dev/null 2>&1
    run complete_fish 'box sta'
    [ "$(sort <<<"$output")" = $'start\nstats\nstatus' ]
    run complete_fish 'box run --wait '
    [ "$(sort <<<"$output")" = $'background\nforeground\nkill' ]
    run complete_fish 'box run --tim'
    assert_output --timeout
    run complete_fish 'box config '
    [ "$(sort <<<"$output")" = $'files\nshow' ]
    run complete_fish 'box enter sho'
    assert_output shop
    run complete_fish 'box help doc'
    assert_output doctor
    touch notes.txt
    run complete_fish 'box run shop -- cat notes'
    assert_output notes.txt
}

@test "completion: the scripts change nothing else of the shell" {
    run bash --norc -c 'before=$(compgen -A function; set -o); source <(box completion bash)
        diff <(echo "$before") <(compgen -A function; set -o) | grep "^>" | grep -v "> _box"'
    assert_output ''
}
