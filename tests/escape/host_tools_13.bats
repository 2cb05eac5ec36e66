#!/usr/bin/env bats
# As host_tools.bats, for programs that only Debian 13 has: Emacs, Helix, rustup, starship (7).

load host_tools.bash
setup_file() { host_tools_setup_file; }
teardown_file() { box_teardown; }
setup() { host_tools_setup; }

@test "host tools: Emacs asks before it obeys .dir-locals.el and a file's own lines (7)" {
    local locals="((nil . ((eval . (shell-command \"$EVIL\")))))" folder
    export TERM=xterm
    echo "$locals" >"$MINE/.dir-locals.el"
    runs_in "$MINE" on_terminal --answer 'may not be safe' y --send '\x18\x03' emacs -Q -nw file
    box_plants .dir-locals.el "$locals"
    box_plants file.txt ";; -*- eval: (shell-command \"$EVIL\") -*-"
    for folder in . sub; do
        cd "$PROJECT/$folder"
        run on_terminal --answer 'may not be safe' n --send '\x18\x03' emacs -Q -nw file.txt
        assert_contains "may not be safe"
        [ ! -e "$RAN" ] || fail "Emacs ran what the box wrote"
    done
    cd "$TEST_HOME/plain"
    in_folders . emacs -Q --batch file.txt --eval '(hack-local-variables)'
}

@test "host tools: Helix has no language server of the box's in a project's root (7)" {
    local servers="[language-server.evil]
command = \"sh\"
args = [\"-c\", \"$EVIL\"]
[[language]]
name = \"python\"
language-servers = [\"evil\"]"
    mkdir "$MINE/.helix"
    echo "$servers" >"$MINE/.helix/languages.toml"
    runs_in "$MINE" on_terminal --answer ' NOR ' ':q!\r' hx file.py
    box_plants .helix/languages.toml "$servers"
    in_no_root .helix/languages.toml
    in_folders . on_terminal --answer ' NOR ' ':q!\r' hx file.py
    # Known not to hold: it takes the nearest folder with a .helix, and asks nothing.
    runs_in "$PROJECT/sub" on_terminal --answer ' NOR ' ':q!\r' hx file.py
}

@test "host tools: rustup runs no compiler that the box names in a project's root (7)" {
    mkdir -p "$MINE/tools/bin" "$MINE/tools/lib"
    printf '#!/bin/sh\n%s\n' "$EVIL" >"$MINE/tools/bin/rustc"
    chmod +x "$MINE/tools/bin/rustc"
    printf '[toolchain]\npath = "%s/tools"\n' "$MINE" >"$MINE/rust-toolchain.toml"
    runs_in "$MINE" rustc --version
    box_plants rust-toolchain.toml "[toolchain]
path = \"$MINE/tools\""
    box_plants rust-toolchain "[toolchain]
path = \"$MINE/tools\""
    in_no_root rust-toolchain.toml
    in_no_root rust-toolchain
    in_folders . rustc --version
    # Known not to hold.
    runs_in "$PROJECT/sub" rustc --version
}

@test "host tools: starship runs nothing of the box's in a project's root (7)" {
    export STARSHIP_LOG=error
    mine_has_filter
    touch -d '1 day ago' "$MINE/.gitattributes"
    runs_in "$MINE" starship prompt
    git -C "$MINE" config --unset filter.evil.clean
    boxes_spoil_git
    in_roots_and_below starship prompt
    mkdir -p "$MINE/tools/bin" "$MINE/tools/lib"
    printf '#!/bin/sh\n%s\n' "$EVIL" >"$MINE/tools/bin/rustc"
    chmod +x "$MINE/tools/bin/rustc"
    box_plants rust-toolchain.toml "[toolchain]
path = \"$MINE/tools\""
    box_plants Cargo.toml '[package]'
    in_folders . starship prompt
    # Known not to hold: it asks rustup's rustc for its version, as it does for other compilers.
    runs_in "$PROJECT/sub" starship prompt
}
