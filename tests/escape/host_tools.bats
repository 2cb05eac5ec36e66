#!/usr/bin/env bats
# Programs of the host, in their default configuration, in projects in which a box has planted every file that they
# look for (7): in the root and in a folder below; in a repository, a submodule, a worktree, and without a .git.
# shellcheck disable=SC2016 # shells and programs that are tested expand these

load host_tools.bash
load ../lib/tmux.bash
setup_file() { host_tools_setup_file; }
teardown_file() { box_teardown; }
setup() { host_tools_setup; }
teardown() { tmux_end; }

@test "host tools: no protected name of the list is made in the root of any project (7)" {
    local names made place
    names=$(box config show --json | jq -r '."protect.paths".value[]')
    [ "$(wc -l <<<"$names")" -gt 80 ]
    try_all='for name in $1; do
        case $name in */*) mkdir -p "${name%/*}" ;; esac
        echo evil >"$name"; mkdir "$name"; ln -s x "$name"; echo evil >x; mv x "$name"; mkdir y; mv y "$name"; ln x "$name"
        rm -rf x y; done'
    # Control: the same makes what is not protected.
    attempt "$try_all" "ordinary .hidden/ordinary"
    [ -e ordinary ]
    [ -e .hidden/ordinary ]
    rm -r ordinary .hidden
    for place in $PLACES; do
        cd "$place"
        made=$(git status --porcelain --ignored --untracked-files=all . 2>/dev/null; find . -path ./.git -prune -o -print | sort)
        attempt "$try_all" "$names"
        rmdir .config .cargo .yarn # folders of protected names are not protected themselves
        [ "$made" = "$(git status --porcelain --ignored --untracked-files=all . 2>/dev/null; find . -path ./.git -prune -o -print | sort)" ] ||
            fail "$place: $(find . -path ./.git -prune -o -print)"
    done
}

@test "host tools: prompts of bash, zsh and fish run nothing of the box's (7)" {
    local days=0 prompt prompts=('GIT_PS1_SHOWDIRTYSTATE=1 GIT_PS1_SHOWUNTRACKEDFILES=1 GIT_PS1_SHOWSTASHSTATE=1 GIT_PS1_SHOWUPSTREAM=auto bash -c ". /usr/lib/git-core/git-sh-prompt; __git_ps1"'
        'zsh -fc "autoload -Uz vcs_info; zstyle \":vcs_info:*\" check-for-changes true; vcs_info; echo \$vcs_info_msg_0_"'
        'fish -c "set -g __fish_git_prompt_showdirtystate 1; set -g __fish_git_prompt_showuntrackedfiles 1; fish_git_prompt"')
    mine_has_filter
    for prompt in "${prompts[@]}"; do
        touch -d "$((++days)) days ago" "$MINE/.gitattributes"
        runs_in "$MINE" bash -c "$prompt"
    done
    git -C "$MINE" config --unset filter.evil.clean
    boxes_spoil_git
    for prompt in "${prompts[@]}"; do
        in_roots_and_below bash -c "$prompt"
    done
}

@test "host tools: git takes no program from .gitmodules and .gitattributes (7)" {
    echo '* filter=evil' >"$MINE/.gitattributes"
    git -C "$MINE" config filter.evil.clean "$EVIL; cat"
    runs_in "$MINE" git add -A
    git config submodule.lib.update "!$EVIL"
    git -C lib checkout -q --detach
    git -C lib commit -q --allow-empty -m away
    runs_in "$PROJECT" git submodule update --init
    git config --unset submodule.lib.update
    attempt 'printf "[submodule \"lib\"]\n\tpath = lib\n\turl = %s\n\tupdate = !%s\n" "$1" "$2" >.gitmodules; echo "* filter=evil" >.gitattributes' "$TEST_HOME/upstream" "$EVIL"
    grep -q '!touch' .gitmodules
    in_roots_and_below git submodule update --init
    in_roots_and_below git add -A --dry-run .
    in_roots_and_below git diff
    git checkout -q .gitmodules
}

@test "host tools: direnv runs no .envrc of the box's (7)" {
    local enter='eval "$(direnv hook bash)"; _direnv_hook'
    echo "$EVIL" >"$MINE/.envrc"
    direnv allow "$MINE/.envrc"
    runs_in "$MINE" bash -c "$enter"
    box_plants .envrc "$EVIL"
    box_plants .env "X=\$($EVIL)"
    in_no_root .envrc
    in_roots_and_below bash -c "$enter"
    # Nor when it changes one that was allowed.
    echo true >sub/.envrc
    direnv allow sub/.envrc
    attempt 'echo "$1" >sub/.envrc' "$EVIL"
    in_roots_and_below bash -c "$enter"
}

@test "host tools: Vim runs no configuration of the box's (7)" {
    local name edit=(vim --not-a-term -c 'qa!')
    for name in .exrc .vimrc _vimrc; do
        echo "silent !$EVIL" >"$MINE/$name"
        runs_in "$MINE" "${edit[@]}" --cmd 'set exrc' file
        rm "$MINE/$name"
        box_plants "$name" "silent !$EVIL"
        in_no_root "$name"
        in_folders . "${edit[@]}" --cmd 'set exrc' file
        in_roots_and_below "${edit[@]}" file
    done
}

@test "host tools: Neovim runs no configuration of the box's (7)" {
    local name edit=(nvim --headless -c 'qa!')
    echo "silent !$EVIL" >"$MINE/.exrc"
    runs_in "$MINE" "${edit[@]}" --cmd 'set exrc | lua if vim.secure then vim.secure.read = function(p) return io.open(p):read("*a") end end' file
    for name in .exrc .nvimrc .nvim.lua; do
        case $name in *.lua) box_plants "$name" "os.execute('$EVIL')" ;; *) box_plants "$name" "silent !$EVIL" ;; esac
        in_no_root "$name"
        in_folders . "${edit[@]}" --cmd 'set exrc' file
        in_roots_and_below "${edit[@]}" file
    done
}

@test "host tools: gdb loads no .gdbinit and no script beside a program (7)" {
    local debug=(gdb -q -batch ./program)
    cp /bin/true "$MINE/program"
    echo "shell $EVIL" | tee "$MINE/program-gdb.gdb" >"$MINE/.gdbinit"
    runs_in "$MINE" "${debug[@]}" -iex 'set auto-load safe-path /'
    box_plants .gdbinit "shell $EVIL"
    box_plants program-gdb.gdb "shell $EVIL"
    attempt 'cp /bin/true program; cp /bin/true sub/program'
    in_roots_and_below "${debug[@]}"
}

@test "host tools: ack takes no program from a project's .ackrc (7)" {
    echo found >"$MINE/file"
    runs_in "$MINE" on_terminal ack --pager="$EVIL; cat" found
    box_plants .ackrc "--pager=$EVIL"
    in_roots_and_below on_terminal ack found
}

@test "host tools: Midnight Commander has no menu of the box's in a project's root (7)" {
    local place
    printf 'a\tevil entry\n\t%s\n' "$EVIL" >"$MINE/.mc.menu"
    for place in "$MINE" $PLACES; do
        cd "$place"
        [ "$place" = "$MINE" ] || attempt 'printf "a\tevil entry\n\t%s\n" "$1" >.mc.menu; printf "a\tevil entry\n\t%s\n" "$1" >x; mv x .mc.menu; ln -s x .mc.menu' "$EVIL"
        in_tmux "env TERM=xterm mc --nocolor"
        eventually shows '10Quit'
        type_keys F2
        eventually shows 'User menu'
        if [ "$place" = "$MINE" ]; then
            eventually shows 'evil entry'
            type_keys Enter
            eventually test -e "$RAN"
            rm "$RAN"
        else
            shows 'evil entry' && fail "a menu of the box in $place"
        fi
        tmux_end
    done
}

@test "host tools: commits run no hook of pre-commit's and husky's that the box wrote (7)" {
    local hooks='repos: [{repo: local, hooks: [{id: x, name: x, language: system, always_run: true, pass_filenames: false, entry: "%s"}]}]\n'
    # shellcheck disable=SC2059 # a format
    printf "$hooks" "$EVIL" >"$MINE/.pre-commit-config.yaml"
    (cd "$MINE" && pre-commit install && git add -A)
    runs_in "$MINE" git commit -qm one
    (cd "$MINE" && pre-commit uninstall && rm .pre-commit-config.yaml && git config core.hooksPath .husky/_ && mkdir -p .husky/_)
    printf '#!/bin/sh\n%s\n' "$EVIL" >"$MINE/.husky/_/pre-commit"
    chmod +x "$MINE/.husky/_/pre-commit"
    runs_in "$MINE" git commit -q --allow-empty -m two
    git -C "$MINE" config --unset core.hooksPath
    # The host has pre-commit's hook, in the repository and in the submodule; worktrees share it.
    (pre-commit install && cd ../super/lib && pre-commit install)
    # shellcheck disable=SC2059
    printf "$hooks" true >.pre-commit-config.yaml
    box_plants .husky/_/pre-commit "$EVIL"
    local place
    for place in $PLACES; do
        cd "$place"
        attempt 'printf "$1" "$2" >.pre-commit-config.yaml; printf "$1" "$2" >x; mv x .pre-commit-config.yaml
            for hook in pre-commit commit-msg; do printf "#!/bin/sh\n%s\n" "$2" >x; chmod +x x; cp x "$(git rev-parse --git-path hooks)/$hook"; mv x "$(git rev-parse --git-path hooks)/$hook"; done' "$hooks" "$EVIL"
    done
    cd "$PROJECT"
    PRE_COMMIT_ALLOW_NO_CONFIG=1 in_folders . git commit -q --allow-empty -m more
    PRE_COMMIT_ALLOW_NO_CONFIG=1 in_folders sub git commit -q --allow-empty -m more
    git config core.hooksPath .husky/_
    in_folders . git commit -q --allow-empty -m more
    git config --unset core.hooksPath
    rm .git/hooks/pre-commit ../super/.git/modules/lib/hooks/pre-commit
}

# The files that PROGRAM opens below the current folder.
opened() {
    strace -qq -f -e trace=open,openat,openat2,execve -o "$BATS_TEST_TMPDIR/trace" "$@" >/dev/null 2>&1 3>&- </dev/null || true
    grep -oE '"[^"]*"' "$BATS_TEST_TMPDIR/trace" | tr -d '"' | sed "s|^$PWD/||"
}

@test "host tools: shells, pagers and search tools open no configuration of a project (7)" {
    local name names=".ripgreprc .ignore .tigrc .nanorc .lessfilter .lesskey .inputrc .bashrc .bash_profile .profile .zshrc .zshenv .zlogin
        config.fish .tmux.conf .screenrc .curlrc .wgetrc .netrc .xinitrc .Xresources .desktop .directory"
    # Control: what a program is told to read is seen.
    echo --max-columns=10 >"$MINE/.ripgreprc"
    cd "$MINE"
    output=$(RIPGREP_CONFIG_PATH=./.ripgreprc opened rg x)
    assert_contains .ripgreprc
    for name in $names; do
        printf '%s\n' "$EVIL" | tee "$PROJECT/sub/$name" >"$PROJECT/$name"
    done
    cd "$PROJECT"
    local program
    for program in 'bash -ic true' 'zsh -ic true' 'fish -ic true' 'grep -r found --include=*.c .' 'less litterbox.toml' 'ls -la' 'find . -name x' \
        'tig --version' 'curl --version' 'tmux -V' 'git log -1' 'jq . package.json' 'file litterbox.toml' 'make --version' 'nano --version'; do
        for folder in . sub; do
            # shellcheck disable=SC2086 # words of a command
            output=$(cd "$folder" && opened $program)
            for name in $names; do
                [[ $'\n'"$output"$'\n' != *$'\n'"${name}"$'\n'* && $'\n'"$output"$'\n' != *$'\n'./"${name}"$'\n'* ]] || fail "$program opened $name: $output"
            done
            [ ! -e "$RAN" ] || fail "ran: $program"
        done
    done
    output=$(opened rg x)
    refute_contains .ripgreprc
}

@test "host tools: not held: a Makefile runs when Tab is pressed after 'make', Python's modules by 'python3 -m' (7)" {
    attempt 'printf "x := \$(shell %s)\nall:\n" "$1" >Makefile; printf "import os\nos.system(\"%s\")\n" "$1" >json.py' "$EVIL"
    runs_in "$PROJECT" fish -c 'complete -C "make "'
    echo '. /usr/share/bash-completion/bash_completion; PS1="ready> "' >"$MINE/rc"
    runs_in "$PROJECT" on_terminal --after 'ready>' --send 'make \t' --answer 'make all' '\x03' --answer 'ready>' 'exit\n' bash --noprofile --rcfile "$MINE/rc" -i
    runs_in "$PROJECT" python3 -m json.tool
}

@test "host tools: not held: a submodule below the root has the names of any folder (7)" {
    local hooks='repos: [{repo: local, hooks: [{id: x, name: x, language: system, always_run: true, pass_filenames: false, entry: "%s"}]}]\n'
    (cd lib && pre-commit install)
    attempt 'printf "$1" "$2" >lib/.pre-commit-config.yaml' "$hooks" "$EVIL"
    git -C lib add -A
    runs_in "$PROJECT/lib" git commit -qm more
    rm lib/.pre-commit-config.yaml .git/modules/lib/hooks/pre-commit
    # Its hooks and configuration are protected there, too.
    attempt 'for git in .git/modules/lib .git/worktrees/worktree; do
        printf "#!/bin/sh\n%s\n" "$1" >$git/hooks/pre-commit; printf "[core]\n\tfsmonitor = %s\n" "$1" >>$git/config; done' "$EVIL"
    [ ! -e .git/modules/lib/hooks/pre-commit ]
    git -C lib commit -q --allow-empty -m more
    [ ! -e "$RAN" ]
}

@test "host tools: box enter names what it cannot hold in folders below (7)" {
    run on_terminal box enter -- sh -c 'for f in .helix/languages.toml rust-toolchain.toml .cargo/config.toml .npmrc .yarnrc.yml .mc.menu .exrc; do
        mkdir -p "$(dirname "sub/$f")"; echo x >"sub/$f"; done'
    local name
    for name in .helix/languages.toml rust-toolchain.toml .cargo/config.toml .npmrc .yarnrc.yml .mc.menu .exrc; do
        [ -e "sub/$name" ]
        assert_contains "sub/$name"
    done
}
