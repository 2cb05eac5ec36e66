#!/usr/bin/env bats
# Help, the man pages, and what is said to a wrong command line. No Podman needed.

load ../lib/box.bash

setup_file() {
    COMMANDS=$(box help | sed -nE 's/^  ([a-z]+)(, [a-z]+)? .*/\1/p')
    export COMMANDS
}
setup() {
    box_setup
    pages=$BATS_TEST_DIRNAME/../../data/man
    share=$(dirname "$(dirname "$(readlink -f "$(command -v box)")")")/share
}
teardown() { box_teardown; }

# All commands, a line each, as the overview has them.
command_names() { echo "$COMMANDS"; }
is_command() { [[ $'\n'$COMMANDS$'\n' == *$'\n'"$1"$'\n'* ]]; }

# aliases: "NAME ALIAS", a line each.
aliases() {
    box help | sed -nE 's/^  ([a-z]+), ([a-z]+) .*/\1 \2/p'
}

# The options of a command, a line each, without dashes.
options_of() {
    box help "$1" | sed -nE 's/^  (-.,|   ) --([a-z-]+).*/\2/p'
}

@test "help: the overview has the commands of the issue and their aliases" {
    run --separate-stderr box help
    assert_status 0
    for name in init enter run start stop restart list status build apply rm logs stats prune \
        trust config plan doctor image; do
        is_command "$name" || fail "$name"
    done
    [ "$(aliases | sort | tr '\n' ' ')" = "list ls start up stop down " ]
}

@test "help: three ways to ask give the same, on stdout and with 0" {
    box help >one
    box --help >two
    box -h >three
    cmp one two
    cmp one three
    for name in $(command_names); do
        box help "$name" >one 2>err
        box "$name" --help >two 2>>err
        box "$name" -h >three 2>>err
        cmp one two
        cmp one three
        [ ! -s err ]
        head -n 1 one | grep -q "^box $name - "
        grep -q "^usage: box $name" one
    done
}

@test "help: --help of a command that is run in a box is not ours" {
    run box run -- sh --help
    refute_contains "usage: box run"
}

@test "help: no line is wider than a terminal of 80 columns, all is safe text" {
    for name in '' $(command_names); do
        # shellcheck disable=SC2086 # none at all for the overview
        LC_ALL=C.UTF-8 run grep -E '^.{81}' <(box help $name)
        assert_output ""
        # shellcheck disable=SC2086
        [ -z "$(box help $name | tr -d '[:print:]\n' | LC_ALL=C tr -d '\200-\377')" ]
    done
}

@test "help: an alias is its command" {
    while read -r name alias; do
        cmp <(box help "$name") <(box help "$alias")
        box help "$name" | grep -q "^alias: box $alias"
    done < <(aliases)
}

@test "help: without a command and a project it goes to stderr, with 64" {
    cd "$TEST_HOME"
    run --separate-stderr box
    assert_status 64
    assert_output ""
    # shellcheck disable=SC2154
    [[ $stderr == *"usage: box COMMAND"* ]]
}

@test "help: did you mean" {
    run box statsu
    assert_status 64
    assert_contains "did you mean 'box status'?"
    run box entr
    assert_contains "did you mean 'box enter'?"
    run box zzzzzz
    assert_status 64
    assert_contains "'box help' lists all commands"
    run box list --jsno
    assert_status 64
    assert_contains "did you mean '--json'?"
    run box help nonsense
    assert_status 64
}

@test "help: words that are hostile are shown harmless" {
    run box $'\e[31mred\nbox: forged'
    assert_status 64
    refute_contains $'\e'
    [ "${#lines[@]}" = 1 ]
    run box list $'--\e]0;title\a'
    assert_status 64
    refute_contains $'\e'
}

@test "help: one word too many, one value too few, a value where there is none" {
    run box list surplus
    assert_status 64
    assert_contains "surplus"
    run box enter one two
    assert_status 64
    run box logs --tail
    assert_status 64
    assert_contains "LINES"
    run box list --json=yes
    assert_status 64
    run box run --wait nonsense -- true
    assert_status 64
    assert_contains "foreground background kill"
    run box list -- true
    assert_status 64
}

@test "help: verbs take their operands, and JSON is asked of those alone that print some" {
    local words
    for words in 'consent' 'consent nonsense' 'consent approve' 'consent deny' 'consent status x' 'consent lock --json' \
        'app' 'app nonsense' 'app run x' 'app export --json' 'config' 'config nonsense' \
        'device add' 'device remove' 'device add --json /dev/fuse' 'image' 'image list x' 'image templates x' \
        'port nonsense' 'port list x y' 'port add --json 80' 'shim add' 'shim list x'; do
        # shellcheck disable=SC2086
        run box $words
        assert_status 64
        assert_contains "box ${words%% *}"
    done
}

# Command lines of the table, without operands, whose row says $1 (true or false) of Podman.
lines_by_podman() {
    box help --json | jq -r --argjson needs "$1" '.[] | . as $command |
        if .verbs == [] then select(.needs_podman == $needs) | .name
        else .verbs[] | select(.needs_podman == $needs) | "\($command.name) \(.name)" end'
}

@test "help: commands whose row says so need Podman, and no others" {
    box init
    export CONTAINER_HOST=unix://$TEST_HOME/no-such-socket
    while read -r line; do
        case $line in
        'image bootstrap') operand=debian ;;
        'image rm' | 'branch drop' | 'branch refresh') operand=none ;;
        'branch rename') operand='none other' ;;
        'snapshot restore') operand=1 ;;
        *) operand= ;;
        esac
        # shellcheck disable=SC2086 # words
        run box $line $operand
        assert_status 69
        echo "$line"
    done < <(lines_by_podman true) >with.txt
    [ "$(wc -l <with.txt)" -ge 14 ]
    # The rest: those that need no running box.
    while read -r line; do
        case $line in
        'enter' | 'run' | 'edit' | 'branch diff' | 'branch take' | 'snapshot '[!l]* | 'cp' | 'start' | 'doctor' | 'app '* | 'port '* | 'net '* | 'keys '* | 'secret '* | 'shim '* | 'device '* | 'agent '* | 'consent '* | 'completion words' | 'uninstall') continue ;;
        esac
        # shellcheck disable=SC2086 # words
        run box $line </dev/null
        assert_status 0
        echo "$line"
    done < <(lines_by_podman false) >without.txt
    [ "$(wc -l <without.txt)" -ge 6 ]
    for line in 'agent list' 'keys list' 'secret list' 'shim list' 'device list' 'consent status' 'completion words boxes'; do
        # shellcheck disable=SC2086 # words
        run box $line
        assert_status 0
    done
}

@test "help: every operand of the table says what completes it, or that nobody can know" {
    local known
    known=$(box completion words kinds)$'\nproject\nproject-or-branch\nfile\ncommands\nprogram\ntext'
    box help --json | jq -r '.[] | . as $row | ([$row] + [.verbs[] | . + {name: "\($row.name) \(.name)"}])[] |
        "\(.name)\t\([.operands // "" | sub("\\[?-- .*"; "") | splits(" ") | select(. != "")] | length)\t\(.completes | map(. // "?") | join(" "))"' >rows.txt
    while IFS=$'\t' read -r name count kinds; do
        [ "$(wc -w <<<"$kinds")" = "$count" ] || fail "$name: $count operands, completed by '$kinds'"
        for kind in $kinds; do
            [[ $'\n'$known$'\n' == *$'\n'"$kind"$'\n'* ]] || fail "$name: '$kind'"
        done
    done <rows.txt
    # Nothing but what the user makes up is free text.
    run sed -nE 's/^([^\t]*)\t.*text.*/\1/p' rows.txt
    assert_output "$(printf '%s\n' 'branch rename' 'port add' 'net why' 'net check' 'net allow' 'net deny' rename 'keys generate' 'keys import' 'keys rename' 'secret add' 'completion words')"
}

@test "help: every command rejects an option that it does not have" {
    for name in $(command_names); do
        run box "$name" --no-such-option
        assert_status 64
    done
}

@test "help: an option that a summary gives to some verbs is refused by the others" {
    local line count=0
    while read -ra line; do
        run box "${line[@]}"
        assert_status 64
        assert_contains "has no option ${line[2]%=*}"
        count=$((count + 1))
    done < <(box help --json | jq -r '.[] | . as $command | [.verbs[].name] as $all | .options[] |
        (.summary | split(": ")[0] | split(", ")) as $its | select($all | index($its[0])) |
        "\($command.name) \(($all - $its)[0]) --\(.name)\(if .argument then "=x" else "" end)"')
    [ "$count" -gt 20 ]
}

@test "help: --version" {
    run --separate-stderr box --version
    assert_status 0
    [[ $output =~ ^box\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "help: bold on a terminal, not elsewhere, not with NO_COLOR or a dumb terminal" {
    run box help
    refute_contains $'\e['
    TERM=xterm run on_terminal box help
    assert_contains $'\e[1m'
    NO_COLOR=1 TERM=xterm run on_terminal box help
    refute_contains $'\e['
    TERM=dumb run on_terminal box help
    refute_contains $'\e['
    NO_COLOR=1 TERM=xterm run on_terminal box nonsense
    refute_contains $'\e['
}

@test "help: output that cannot be written is an error" {
    run bash -c 'box help >/dev/full'
    assert_status 125
}

@test "man: every command has a page, whose name and summary are the table's" {
    for name in $(command_names); do
        summary=$(box help "$name" | head -n 1)
        [ "$(sed -n 5p "$pages/box-$name.1.scd")" = "box-$name - ${summary#*- }" ] || fail "$name"
        [ -s "$share/man/man1/box-$name.1" ] || fail "not installed: $name"
        grep -qF "\\fBbox-$name\\fR(1)" "$share/man/man1/box.1" || fail "not in box(1): $name"
    done
    for page in "$pages"/box-*.1.scd; do
        name=${page##*/box-}
        is_command "${name%.1.scd}" || fail "a page without a command: $name"
    done
    [ -s "$share/man/man1/box.1" ]
}

@test "man: every verb has a line in the synopsis of its command's page" {
    while read -r name verb; do
        grep -q "^\*box $name $verb\*" "$pages/box-$name.1.scd" || fail "$name $verb"
    done < <(box help --json | jq -r '.[] | "\(.name) \(.verbs[].name)"')
}

@test "man: every option and alias is in its command's page, and no other option" {
    for name in $(command_names); do
        options=$'\n'$(options_of "$name")$'\n'
        for option in $options; do
            grep -qE "^(\*-.\*, )?\*--$option\*" "$pages/box-$name.1.scd" || fail "$name --$option"
        done
        while read -r option; do
            [[ $options == *$'\n'"$option"$'\n'* ]] || fail "$name has no --$option"
        done < <(sed -nE '/^# OPTIONS/,/^# [^O]/s/^(\*-.\*, )?\*--([a-z-]+)\*.*/\2/p' \
            "$pages/box-$name.1.scd")
    done
    while read -r name alias; do
        grep -q "^\*box $alias\*" "$pages/box-$name.1.scd" || fail "$alias"
        grep -qF "\\fBbox-$name\\fR(1), alias \\fB$alias\\fR" "$share/man/man1/box.1" || fail "box(1): $alias"
    done < <(aliases)
}

@test "man: litterbox.toml(5) has every key of the schema" {
    page=$share/man/man5/litterbox.toml.5
    [ -s "$page" ]
    for key in $(box config show --json | jq -r 'keys[]'); do
        [[ $key == *.* ]] || continue
        grep -qF "\\fB${key#*.}\\fR (" "$page" || fail "$key"
        grep -qF "[${key%%.*}]" "$page" || fail "[${key%%.*}]"
    done
}

@test "man: litterbox.toml(5) says of each key whose files may have it, and has every group" {
    # The keys that a project's file may not have: each is refused there.
    [ "$(grep -c 'In your own files alone' "$share/man/man5/litterbox.toml.5")" = 11 ]
    local key
    for key in 'home.dotfiles = "~/x"' 'home.dotfiles_script = "x"' 'snapshot.keep = 1' 'snapshot.keep_for = "1d"' 'network.audit = true' \
        'ssh.keys = []' 'ssh.upstream = ""' 'ssh.forward = "deny"' 'ssh.grants = "once"' 'ssh.grant_uses = 1' 'ssh.git_signing = true'; do
        echo "$key" >litterbox.toml
        run box config show
        assert_status 78
    done
    for group in "$BATS_TEST_DIRNAME"/../../data/network/*.toml; do
        group=${group##*/}
        grep -qw -- "${group%.toml}" <<<"$(sed -n '/^A group is a file/,/^$/p' "$pages/litterbox.toml.5.scd.in")" || fail "$group"
    done
}

@test "man: the pages of ours that a page names are there" {
    local page count=0
    while read -r page; do
        compgen -G "$pages/${page%(*}.${page: -2:1}.scd*" >/dev/null || fail "$page"
        count=$((count + 1))
    done < <(cat "$pages"/*.scd* "$BATS_TEST_DIRNAME/../../README.md" | grep -ohE '\*(box|litterbox)[a-z.-]*\*\([0-9]\)' | tr -d '*' | sort -u)
    [ "$count" -gt 30 ]
}

@test "man: litterbox.toml(5): its examples are right" {
    awk '/^```/ { inside = !inside; n += inside; next } inside { print > "example" n }' \
        "$pages/litterbox.toml.5.scd.in"
    [ -s example1 ]
    [ -s example2 ]
    for example in example1 example2; do
        cp "$example" litterbox.toml
        run box config show
        assert_status 0
    done
}

@test "man: the fields of list and status are in their pages" {
    box run -- true
    for field in $(box list --json | jq -r '.[0] | keys[]'); do
        grep -qF "*${field//_/\\_}*" "$pages/box-list.1.scd" || fail "list: $field"
    done
    for field in $(box status --json | jq -r 'keys[]'); do
        cat "$pages/box-list.1.scd" "$pages/box-status.1.scd" | grep -qF "*${field//_/\\_}*" ||
            fail "status: $field"
    done
}

@test "readme: its commands exist, its litterbox.toml is right" {
    readme=$BATS_TEST_DIRNAME/../../README.md
    while read -r name; do
        is_command "$name" || fail "$name"
    done < <(grep -oE '(`|^    )box [a-z]+' "$readme" | sed 's/.*box //' | sort -u)
    sed -n '/^    \[box\]/,/^[^ ]/s/^    //p' "$readme" >litterbox.toml
    [ -s litterbox.toml ]
    run box config show
    assert_status 0
    assert_contains "template:debian"
}

@test "docs: the files that they name and link to exist" {
    local top=$BATS_TEST_DIRNAME/../.. page file
    for page in "$top"/*.md "$top"/docs/*.md; do
        while read -r file; do
            # A name may go on with NAME, * or [ch].
            compgen -G "$top/$file*" >/dev/null || [ -e "$(dirname "$page")/$file" ] || fail "$page: $file"
        done < <({
            grep -oE '(^|[ (`"])(src|tests|data|docs|ssh-agent)/[a-z0-9._/-]*[a-z0-9]' "$page"
            grep -oE '\]\([A-Za-z./_-]+\)' "$page"
        } | tr -d ' "`]()' | sort -u)
    done
}

@test "instance: a name that could be a path is refused, by every command" {
    local name
    for name in Bad/Name ../x UPPER 'with space' "$(printf 'x%.0s' {1..25})"; do
        LITTERBOX_INSTANCE=$name run --separate-stderr box list
        assert_status 64
        assert_output ""
        [[ $stderr == "box: LITTERBOX_INSTANCE must be at most 24 letters a-z, digits and '-'" ]] || fail "$stderr"
        LITTERBOX_INSTANCE=$name run box run -- true
        assert_status 64
    done
    [ -z "$(ls -A "$PROJECT")" ]
    LITTERBOX_INSTANCE=t-24-letters-are-allowed run box list
    assert_status 0
}
