#!/usr/bin/env bats
# `box shim` and the commands that it creates, which run in the box of the current folder.

load ../lib/box.bash
setup() {
    box_setup
    SHIMS=$DATA/shims
    MACHINE=$TEST_HOME/machine
    mkdir "$MACHINE"
    # A program that only the host has, and one that box and host have.
    printf '#!/bin/sh\necho real "$0" "$@"\nexit 5\n' >"$MACHINE/probe"
    cp "$MACHINE/probe" "$MACHINE/wc"
    chmod +x "$MACHINE/probe" "$MACHINE/wc"
    OLD_PATH=$PATH
    PATH=$SHIMS:$MACHINE:$PATH
    box init >/dev/null 2>&1
}
teardown() {
    PATH=$OLD_PATH
    box_teardown
}

names() { box shim list --json | jq -r '.[].name' | tr '\n' ' '; }

# field NAME FIELD
field() { box shim list --json | jq -r --arg n "$1" --arg f "$2" '.[] | select(.name == $n) | .[$f]'; }

@test "shim: add creates the command and its -raw link, and list shows it" {
    run box shim list
    assert_status 0
    assert_contains "no shims yet"
    run box shim add wc probe nowhere-at-all
    assert_status 0
    assert_contains "'wc-raw' is '$MACHINE/wc'"
    assert_contains "this machine has no such program"
    refute_contains "PATH"
    [ "$(names)" = "nowhere-at-all probe wc " ]
    [ "$(field wc program)" = "$MACHINE/wc" ]
    [ "$(field wc agent)" = false ]
    [ "$(field wc shadows),$(field wc found),$(field wc stale)" = true,true,false ]
    [ "$(field nowhere-at-all program)" = null ]
    [ "$(field nowhere-at-all shadows)" = false ]
    [ "$(command -v wc)" = "$SHIMS/wc" ]
    run box shim list
    assert_contains "in use"
}

@test "shim: runs in the project's box, also from a folder below, with unchanged arguments" {
    box shim add python3
    mkdir -p a/b
    cd a/b
    run --separate-stderr python3 -c 'import os, sys; print(os.getcwd(), os.environ["LITTERBOX_BOX"], sys.argv[1:])' \
        -- --help -x '' 'a b' $'\n'
    assert_status 0
    assert_output "$PROJECT/a/b shop ['--', '--help', '-x', '', 'a b', '\\n']"
}

@test "shim: the exit status is the program's; the message for 127 names the -raw link" {
    box shim add python3 probe
    run python3 -c 'raise SystemExit(42)'
    assert_status 42
    run -127 probe
    assert_contains "'probe': command not found in this box"
    assert_contains "'probe-raw' is the one of this machine"
}

@test "shim: bytes in pipes are unchanged, and stdout and stderr stay separate" {
    box shim add cat python3
    head -c 3000000 /dev/urandom >data
    # shellcheck disable=SC2002
    /bin/cat data | cat | cmp - data
    python3 -c 'import sys; print("out"); print("err", file=sys.stderr)' >out 2>err
    [ "$(<out)" = out ]
    [ "$(<err)" = err ]
}

@test "shim: uses a terminal when input and output are one, and keeps other standard errors apart" {
    box shim add tty stty
    run on_terminal stty size
    assert_contains "24 80"
    run on_terminal tty
    assert_contains "/dev/pts/"
    run on_terminal sh -c "tty 2>$TEST_HOME/err"
    assert_contains /dev/pts/
    run on_terminal sh -c "stty nonsense 2>$TEST_HOME/err"
    assert_output ""
    grep -q nonsense "$TEST_HOME/err"
    run on_terminal sh -c "tty | /bin/cat"
    assert_contains "not a tty"
    run --separate-stderr tty
    assert_output "not a tty"
}

@test "shim: signals reach the program, which ends with the shim" {
    box shim add python3
    python3 -uc 'import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
print("ready")
time.sleep(1000)' >out 2>&1 3>&- &
    pid=$!
    eventually grep -q ready out
    kill -TERM "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" = 3 ]
    python3 -uc 'import time; print("ready-again"); time.sleep(1234)' >out 2>&1 3>&- &
    pid=$!
    eventually grep -q ready-again out
    box run -- pgrep -f "sleep.1234"
    kill -KILL "$pid"
    wait "$pid" || true
    eventually sh -c '! box run -- pgrep -f "sleep.1234" >/dev/null 2>&1'
}

@test "shim: NAME-raw runs the host's program under its name, with its status, in and outside of projects" {
    box shim add probe
    run --separate-stderr probe-raw a 'b c'
    assert_status 5
    assert_output "real $MACHINE/probe a b c"
    cd /
    run --separate-stderr probe-raw
    assert_status 5
    run -127 probe-raw-raw
}

@test "shim: NAME-raw never runs a shim: with another path to the folder, a link, an empty PATH" {
    box shim add probe
    ln -s "$SHIMS" "$TEST_HOME/other-way"
    ln -s "$SHIMS/probe" "$TEST_HOME/probe"
    mkdir "$TEST_HOME/plain"
    cp -P "$SHIMS/probe" "$TEST_HOME/plain/"
    PATH=$TEST_HOME/other-way:$TEST_HOME/plain:$SHIMS/:$SHIMS/../shims:$PATH run --separate-stderr probe-raw
    assert_status 5
    PATH=$TEST_HOME/other-way:$SHIMS:$TEST_HOME/plain run -127 "$SHIMS/probe-raw"
    assert_contains "this machine has no 'probe' in PATH"
    PATH="" run -127 "$SHIMS/probe-raw"
    run -127 env -u PATH "$SHIMS/probe-raw"
    # A user's link to a shim is a shim.
    cd /
    run "$TEST_HOME/probe"
    assert_status 125
    assert_contains "probe-raw"
}

@test "shim: programs that a -raw program starts by name are the host's" {
    printf '#!/usr/bin/env probe-lang\n' >"$MACHINE/script"
    printf '#!/bin/sh\necho lang of the machine\n' >"$MACHINE/probe-lang"
    chmod +x "$MACHINE/script" "$MACHINE/probe-lang"
    box shim add script probe-lang
    run --separate-stderr script-raw
    assert_output "lang of the machine"
}

@test "shim: outside of projects the error names NAME-raw, and no box is created" {
    box shim add probe
    mkdir "$TEST_HOME/no-project"
    for folder in "$TEST_HOME/no-project" / "$HOME"; do
        cd "$folder"
        run probe
        assert_status 125
        assert_contains "'$folder' is in none"
        assert_contains "'probe-raw'"
    done
    [ "$(box list --json | jq length)" = 1 ]
}

@test "shim: creates a box for a project without one, as box run does" {
    box shim add python3
    mkdir -p "$TEST_HOME/fresh/.git" "$TEST_HOME/fresh/sub"
    cd "$TEST_HOME/fresh/sub"
    run --separate-stderr python3 -c 'import os; print(os.environ["LITTERBOX_BOX"])'
    assert_output fresh
}

@test "shim: harmful and useless names are refused with the reason" {
    local name why
    while IFS='|' read -r name why; do
        run box shim add -- "$name"
        [ "$status" = 64 ] || fail "$name: $status"
        run box shim add "$name"
        assert_status 64
        assert_contains "$why"
        [ "${#lines[@]}" = 1 ] || fail "$output"
    done <<'ROWS'
a/b|is a path
../../bin/x|is a path
.|does not start with
..|does not start with
a b|has other characters
claude-raw|ends in '-raw'
cd|is built into shells
test|is built into shells
box|is Litterbox itself
sudo|asks for your password
ssh|works with your keys
bash|runs scripts of the host
podman|is needed to create
ROWS
    run box shim add ''
    assert_status 64
    run box shim add -e
    assert_status 64
    run box shim add $'\e[31mred\nbox: forged'
    assert_status 64
    refute_contains $'\e'
    [ "${#lines[@]}" = 1 ]
    # With one wrong name nothing is created.
    run box shim add good sudo
    assert_status 64
    [ ! -e "$SHIMS/good" ]
    for words in 'add' 'remove' 'list x' 'nonsense' '' 'add --json x'; do
        # shellcheck disable=SC2086
        run box shim $words
        assert_status 64
    done
}

@test "shim: other files are neither replaced nor removed" {
    mkdir -p "$SHIMS/folder"
    echo mine >"$SHIMS/probe"
    ln -s /bin/cat "$SHIMS/linked"
    for name in probe linked folder; do
        run box shim add "$name"
        assert_status 125
        assert_contains "is not a shim of Litterbox"
        run box shim remove "$name"
        assert_status 0 # 'shim add' has put the name on the list all the same
        [ "$(ls -d "$SHIMS/$name")" ]
    done
    [ "$(<"$SHIMS/probe")" = mine ]
    [ "$(readlink "$SHIMS/linked")" = /bin/cat ]
    [ "$(names)" = "" ]
    run box shim remove probe
    assert_status 125
    assert_contains "no shim 'probe'"
}

@test "shim: remove removes only the named shim" {
    box shim add probe probe2 wc
    box shim remove probe
    [ "$(names)" = "probe2 wc " ]
    [ "$(cd "$SHIMS" && echo *)" = "probe2 probe2-raw wc wc-raw" ]
    run box shim remove probe
    assert_status 125
    hash -r
    [ "$(command -v probe)" = "$MACHINE/probe" ]
}

@test "shim: the next command repairs an add or remove that was killed" {
    box shim add probe
    rm "$SHIMS/probe" # killed: the way past it is all that there is
    [ "$(names)" = "" ]
    box shim add probe
    [ "$(names)" = "probe " ]
    rm "$SHIMS/probe"
    box shim remove probe
    [ -z "$(ls -A "$SHIMS")" ]
}

@test "shim: a shim with a missing target is reported, and add repairs it" {
    box shim add probe
    ln -sfn /nonexistent/bin/box "$SHIMS/probe"
    [ "$(field probe stale),$(field probe found)" = true,false ]
    run box shim list
    assert_contains "broken link"
    run --separate-stderr box doctor --json
    [ "$(jq -r '.findings[] | select(.id == "shims") | .level' <<<"$output")" = warning ]
    box shim add probe
    [ "$(field probe stale),$(field probe found)" = false,true ]
    run --separate-stderr box doctor --json
    [ "$(jq -r '.findings[] | select(.id == "shims") | .level' <<<"$output")" = ok ]
}

@test "shim: add, list and doctor report a folder that is not in PATH, or too late in it" {
    PATH=$MACHINE:$OLD_PATH SHELL=/bin/zsh run box shim add probe
    assert_contains "/.zshrc"
    assert_contains "export PATH='$SHIMS':\"\$PATH\""
    PATH=$MACHINE:$OLD_PATH run box shim list
    assert_contains "not on PATH"
    PATH=$MACHINE:$OLD_PATH run box doctor
    assert_contains "the folder of the shims is not in PATH"
    PATH=$MACHINE:$SHIMS:$OLD_PATH run box shim add probe
    assert_contains "another 'probe' comes before the shim in your PATH"
    PATH=$MACHINE:$SHIMS:$OLD_PATH run box shim list
    assert_contains "hidden by another"
    PATH=$MACHINE:$SHIMS:$OLD_PATH run box doctor
    assert_contains "before these shims in PATH: probe"
    run box doctor
    refute_contains "shims"
}

@test "shim: the line for each shell works with any name of the home" {
    local home line shell
    home=$TEST_HOME/$'it\'s a \\ "home" $(touch bad) \u00e9'
    mkdir -p "$home"
    for shell in bash zsh fish; do
        line=$(HOME=$home XDG_DATA_HOME=$home/data PATH=$MACHINE:$OLD_PATH SHELL=/usr/bin/$shell \
            box shim add probe 2>&1 | sed -n 's/^    //p')
        run --separate-stderr env HOME="$home" XDG_DATA_HOME="$home/data" PATH="$MACHINE:$OLD_PATH" \
            "$shell" -c "$line
probe-raw"
        assert_contains "real $MACHINE/probe"
        run --separate-stderr env HOME="$home" XDG_DATA_HOME="$home/data" PATH="$MACHINE:$OLD_PATH" \
            "$shell" -c "$line
command -v probe"
        assert_output "$home/data/litterbox-$LITTERBOX_INSTANCE/shims/probe"
    done
    [ ! -e bad ]
    XDG_DATA_HOME=$TEST_HOME/a:b run box shim add probe
    assert_status 125
    assert_contains "PATH cannot contain a folder with"
}

@test "shim: Litterbox itself never runs a shim, wherever it is in PATH" {
    # Without a running service, Podman is started through PATH.
    mkdir -p "$SHIMS"
    for name in podman tar conmon crun; do
        ln -s "$(readlink -f "$(command -v box)")" "$SHIMS/$name"
    done
    env -u CONTAINER_HOST box run -- true
    run podman version
    assert_status 64
    assert_contains "a shim cannot be called 'podman'"
}

@test "shim: a shim of another instance is treated as a shim" {
    box shim add probe
    cd /
    LITTERBOX_INSTANCE=t-other run "$SHIMS/probe" --version
    assert_status 125
    assert_contains "'probe' is a shim"
}

@test "shim: completion offers programs for each argument" {
    # shellcheck disable=SC1090
    source <(box completion bash)
    COMP_WORDS=(box shim add prob) COMP_CWORD=3
    _box
    [[ " ${COMPREPLY[*]} " == *" probe "* ]]
    COMP_WORDS=(box shim add one prob) COMP_CWORD=4
    _box
    [[ " ${COMPREPLY[*]} " == *" probe "* ]]
    COMP_WORDS=(box shim '') COMP_CWORD=2
    _box
    [ "${COMPREPLY[*]}" = "add list remove" ]
    run fish --no-config -c 'box completion fish | source; complete -C "box shim add one prob"'
    assert_contains probe
}
