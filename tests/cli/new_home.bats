#!/usr/bin/env bats
# What is in a new home: /etc/skel, and the user's dotfiles.

load ../lib/box.bash
setup() {
    box_setup
    DOTFILES=$TEST_HOME/dotfiles
    mkdir -p "$DOTFILES/.config/app"
    echo 'alias mine=1' >"$DOTFILES/.bashrc"
    echo set >"$DOTFILES/.config/app/rc"
    ln -s .bashrc "$DOTFILES/.kshrc"
    echo 'a file' >"$DOTFILES/read me"
    mkdir "$DOTFILES/.git"
}
teardown() { box_teardown; }

dotfiles() { # [LINE…]
    user_config "[home]
dotfiles = \"$DOTFILES\"
$(printf '%s\n' "$@")"
}

@test "new home: it has the files of /etc/skel, and a prompt and ls with colours" {
    run --separate-stderr box run -- sh -c 'cmp /etc/skel/.bashrc ~/.bashrc && cmp /etc/skel/.profile ~/.profile && ls ~/.bash_logout'
    assert_status 0
    [ -z "$stderr" ] || [[ $stderr != *skel* ]]
    run --separate-stderr env TERM=xterm-256color "$BASH" -c 'echo "alias ls; exit" | box enter -- bash -l -i'
    assert_contains "ls --color=auto"
}

# prompt TEXT: what the first prompts of a shell with this PS1 show; "" leaves it to the skeleton.
prompt() {
    box run -- sh -c "${1:+echo 'PS1=\"$1\"' >~/.bashrc}"
    on_terminal --send 'echo; echo again\n' --send 'exit\n' env TERM=xterm-256color "${@:2}" box enter | tr -d '\r'
}

@test "enter: the prompt shows the box's name once, in a colour of the box" {
    run prompt ''
    [[ $output =~ $'\e[1;3'[1-6]'mshop' ]]
    run prompt '\u at \h> '
    [[ $output =~ at\ $'\e[1;3'[1-6]$'mshop\e[0m> ' ]]
    refute_contains "shop "
    # A title is not broken by the colour, whether the prompt has the name as well or not.
    run prompt '\[\e]0;at \h\a\]\u at \h> '
    assert_contains $'\e]0;at shop\a'
    [[ $output =~ at\ $'\e[1;3'[1-6]$'mshop\e[0m> ' ]]
    run prompt '\[\e]0;at \h\a\]> '
    assert_contains $'\e]0;at shop\a> '
    [[ $output =~ $'\e[1;3'[1-6]$'mshop\e[0m ' ]]
    run prompt 'plain> '
    [[ $output =~ $'\e[1;3'[1-6]$'mshop\e[0m plain> ' ]]
    [ "$(grep -c 'shop.*shop' <<<"$output")" = 0 ]
    run prompt 'my shop> '
    assert_contains "my shop> "
    refute_contains mshop
}

@test "enter: a terminal of VTE is told the box, and that it is over" {
    run on_terminal env VTE_VERSION=7000 "$(command -v box)" enter -- echo hello
    assert_contains $'\e]777;container;push;shop;box;'"$(id -u)"$'\e\\'
    assert_contains $'\e]777;container;pop;;;'"$(id -u)"$'\e\\'
    run on_terminal env -u VTE_VERSION "$(command -v box)" enter -- echo hello
    refute_contains ']777;'
    # Nothing of the box's own passes (terminal.notifications).
    run on_terminal env VTE_VERSION=7000 "$(command -v box)" run -t -- printf '\033]777;container;push;evil;box;1\a end'
    assert_contains " end"
    refute_contains evil
    # Not in a pipe.
    run env VTE_VERSION=7000 box enter -- echo hello
    refute_contains ']777;'
}

# tab_variable COMMAND…: what kitty or WezTerm is told, with values decoded from base64.
tab_variable() {
    local said
    said=$(on_terminal env -u KITTY_WINDOW_ID -u WEZTERM_PANE "$@") || return
    grep -oP '\e\]1337;SetUserVar=\K[^\a]*' <<<"$said" | while IFS='=' read -r name value; do
        echo "$name=$(base64 -d <<<"$value")"
    done
}

@test "enter: kitty and WezTerm are told the box in a variable of the tab, and that it is over" {
    local terminal
    box run -- true
    for terminal in KITTY_WINDOW_ID=1 WEZTERM_PANE=0; do
        [ "$(tab_variable "$terminal" "$(command -v box)" enter -- echo hello)" = $'litterbox=shop\nlitterbox=\nlitterbox=' ]
    done
    [ -z "$(tab_variable "$(command -v box)" enter -- echo hello)" ]
    # Nothing of the box's own passes.
    [ -z "$(tab_variable KITTY_WINDOW_ID=1 "$(command -v box)" run -t -- printf '\033]1337;SetUserVar=litterbox=ZXZpbA==\a')" ]
}

@test "enter: a new tab in the folder of 'box enter' finds the project, wherever that was typed" {
    local pid
    box run -- true
    cd "$HOME"
    "$TEST_TOOLS/on-terminal" "$(command -v box)" enter shop -- sh -c 'touch ~/entered; exec sleep 1000' >"$TEST_HOME/log" 2>&1 3>&- &
    pid=$!
    eventually box run "$PROJECT" -- sh -c 'test -e ~/entered' || { kill "$pid" && false; }
    [ "$(readlink "/proc/$(pgrep -P "$pid")/cwd")" = "$PROJECT" ] || { kill "$pid" && false; }
    box stop shop
    wait "$pid" || true
}

@test "new home: what the user removes or changes there stays so" {
    box run -- sh -c 'rm ~/.profile; echo mine >~/.bashrc'
    box restart
    run --separate-stderr box run -- sh -c 'cat ~/.bashrc; test -e ~/.profile || echo gone'
    assert_output mine$'\n'gone
}

@test "new home: dotfiles are copied over those of /etc/skel, without their repository" {
    dotfiles
    run --separate-stderr box run -- sh -c 'cat ~/.bashrc ~/.config/app/rc "$HOME/read me"; readlink ~/.kshrc
        test -e ~/.git || echo none; cmp /etc/skel/.profile ~/.profile && echo skel'
    assert_output "alias mine=1"$'\n'set$'\n'"a file"$'\n'.bashrc$'\n'none$'\n'skel
    [[ $stderr == *"filling the new home"* ]]
    box run -- sh -c 'echo changed >~/.bashrc'
    [ "$(cat "$DOTFILES/.bashrc")" = 'alias mine=1' ]
    run --separate-stderr box run -- cat "$HOME/.bashrc"
    assert_output changed
    [[ $stderr != *"filling the new home"* ]]
}

@test "new home: a script of the dotfiles runs once, in the box, in ~/.dotfiles" {
    printf '#!/bin/sh\nln -sf "$PWD/.bashrc" ~/.bashrc\necho "$LITTERBOX_BOX $PWD" >>~/ran\necho talk\n' >"$DOTFILES/install"
    chmod +x "$DOTFILES/install"
    dotfiles 'dotfiles_script = "install"'
    run --separate-stderr box run -- sh -c 'readlink ~/.bashrc; cat ~/ran; test -e ~/read* || echo linked'
    assert_output "$HOME/.dotfiles/.bashrc"$'\n'"shop $HOME/.dotfiles"$'\n'linked
    run --separate-stderr box run -- cat "$HOME/ran"
    assert_output "shop $HOME/.dotfiles"
    [ ! -e "$HOME/ran" ]
}

@test "new home: a script that fails is told, and runs again with the next session" {
    printf 'test -e ~/now\n' >"$DOTFILES/install"
    dotfiles 'dotfiles_script = "install"'
    run box run -- echo goes on
    assert_status 0
    assert_contains "goes on"
    assert_contains "the next session tries again"
    box run -- touch "$HOME/now"
    run box run -- true
    assert_contains "filling the new home"
    refute_contains "tries again"
    run box run -- true
    refute_contains "filling the new home"
}

@test "new home: a repository is cloned in the box" {
    # An address that git there replaces by a repository in the project.
    git init -q -b main repository
    cp "$DOTFILES/.bashrc" repository/
    git -C repository -c user.name=a -c user.email=a@example.org add .bashrc
    git -C repository -c user.name=a -c user.email=a@example.org commit -qm one
    local address=https://dotfiles.example/mine
    user_config "[home]
dotfiles = \"$address\"
[box]
env = { GIT_CONFIG_COUNT = \"2\", GIT_CONFIG_KEY_0 = \"url.$PROJECT/repository.insteadOf\", GIT_CONFIG_VALUE_0 = \"$address\", GIT_CONFIG_KEY_1 = \"safe.directory\", GIT_CONFIG_VALUE_1 = \"*\" }"
    run --separate-stderr box run -- sh -c 'cat ~/.bashrc; test -e ~/.git || echo none'
    assert_output "alias mine=1"$'\n'none
}

@test "new home: a repository that cannot be cloned is told, and asks for no password" {
    user_config '[home]
dotfiles = "https://dotfiles.invalid/mine"
[network]
mode = "none"'
    run box run -- sh -c 'test -e ~/.bashrc && echo goes on'
    assert_status 0
    assert_contains "cannot clone 'https://dotfiles.invalid/mine'"
    assert_contains "goes on"
}

@test "new home: two first sessions at the same time have a complete one" {
    dotfiles
    box start
    box run -- sh -c 'cat ~/.bashrc' >one 2>/dev/null &
    box run -- sh -c 'cat ~/.bashrc' >two 2>/dev/null
    wait $!
    cmp one "$DOTFILES/.bashrc"
    cmp two "$DOTFILES/.bashrc"
}

@test "new home: what fills it and sets it up takes no input of the first session, and prints nothing into its output" {
    printf 'cat; echo talk\n' >"$DOTFILES/install"
    printf 'cat; echo talk\n' >setup
    dotfiles 'dotfiles_script = "install"' 'setup = "setup"'
    run --separate-stderr bash -c 'echo input | box run -- cat'
    assert_output input
    [[ $stderr == *talk*talk* ]]
}

@test "new home: an ephemeral box has one, too" {
    dotfiles
    run --separate-stderr box run --ephemeral -- sh -c 'cat ~/.bashrc'
    assert_output "alias mine=1"
}

@test "new home: odd values of dotfiles are refused" {
    local value
    for value in 'ext::sh -c x' 'relative/path' '-x' 'file:///etc' 'git@-oProxyCommand=x:y' \
        'git@example.org:-x' 'https://-x' 'a b@example.org:x' 'host:path'; do
        user_config "[home]
dotfiles = \"$value\""
        run box config show
        assert_status 78
        assert_contains "must be a folder"
    done
}
