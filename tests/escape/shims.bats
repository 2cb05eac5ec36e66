#!/usr/bin/env bats
# Attacks of a box on shims and on the programs behind them (invariants 1, 7, 8).

load escape.bash
setup() {
    escape_setup_file
    cd "$PROJECT" || return
    SHIMS=$DATA/shims
    mkdir "$TEST_HOME/machine"
    printf '#!/bin/sh\necho of the machine\n' >"$TEST_HOME/machine/tool"
    chmod +x "$TEST_HOME/machine/tool"
    export PATH=$SHIMS:$TEST_HOME/machine:$PATH
    box shim add tool 2>/dev/null
    box init >/dev/null 2>&1
    EVIL='#!/bin/sh
echo evil
touch '"$TEST_HOME/evil"
}
teardown() { box_teardown; }

no_evil() {
    refute_contains evil
    [ ! -e "$TEST_HOME/evil" ]
}

@test "shims: a box does not see the folder or have it on PATH (1)" {
    run in_box sh -c 'ls -d "$1" "$1/tool"; echo "$PATH"; command -v tool tool-raw || true' - "$SHIMS"
    refute_contains "shims:"
    refute_contains "/shims/tool
"
    [ "$(box run -e PATH -- sh -c 'echo "$PATH"' | grep -c shims)" = 0 ]
    run in_box test -e "$SHIMS"
    assert_status 1
    attempt 'mkdir -p "$1"; echo x >"$1/tool"' "$SHIMS"
    [ "$(tool-raw)" = "of the machine" ]
    [ -L "$SHIMS/tool" ]
}

@test "shims: a box cannot get the folder by home.share or [[mount]] (1)" {
    for text in "[home]
share = [\"${SHIMS#"$HOME/"}:rw\"]" "[[mount]]
source = \"$SHIMS\"
mode = \"rw\""; do
        escape_config "$text"
        run box run -- true
        assert_status 78
    done
}

@test "shims: a program planted in a project on PATH is not run (7)" {
    in_box sh -c 'mkdir bin; printf "%s\n" "$1" >bin/tool; chmod +x bin/tool; cp bin/tool bin/box; cp bin/tool tool' - "$EVIL"
    [ -x bin/tool ] # control: it exists
    ln -s "$PROJECT/bin" "$TEST_HOME/linked"
    for folder in "$PROJECT/bin" . bin "" "$TEST_HOME/linked" "$PROJECT/../shop/bin" "$PROJECT"; do
        PATH=$folder:$PATH run "$SHIMS/tool-raw"
        assert_status 0
        assert_contains "of the machine"
        assert_contains "left out of PATH"
        no_evil
        PATH=$SHIMS:$folder:$PATH run tool-raw
        assert_contains "of the machine"
        no_evil
    done
    # The shim uses the box of the current folder, and never a planted 'box'.
    PATH=$SHIMS:$PROJECT/bin:$PATH run -127 tool
    no_evil
    assert_contains "command not found in this box"
}

@test "shims: a raw program starts no planted program by name (7)" {
    in_box sh -c 'mkdir bin; printf "%s\n" "$1" >bin/lang; chmod +x bin/lang' - "$EVIL"
    printf '#!/bin/sh\necho lang of the machine\n' >"$TEST_HOME/machine/lang"
    printf '#!/usr/bin/env lang\n' >"$TEST_HOME/machine/tool"
    chmod +x "$TEST_HOME/machine/lang"
    PATH=$PROJECT/bin:.:bin:$PATH run --separate-stderr "$SHIMS/tool-raw"
    assert_output "lang of the machine"
    no_evil
}

@test "shims: box itself runs no program that a box has put into a folder of PATH (7)" {
    local path
    # Each does what the real one does, too.
    in_box sh -c 'mkdir bin; for name in git timeout podman tar systemctl newuidmap newgidmap diff; do
        printf "#!/bin/sh\ntouch \"$1\"\nexec /usr/bin/$name \"\$@\"\n" >bin/$name; done; chmod +x bin/*' - "$TEST_HOME/evil"
    git init -q .
    cd bin
    for path in "$PROJECT/bin:$PATH" ":$PATH"; do
        box stop 2>/dev/null
        PATH=$path run box run -- true
        assert_status 0
        no_evil
        box stop 2>/dev/null
        PATH=$path run -127 "$SHIMS/tool"
        no_evil
    done
    # A program that is a link of the user's to one of the box.
    ln -s "$PROJECT/bin/diff" "$TEST_HOME/machine/diff"
    box run --branch b -- sh -c 'echo x >new' 2>/dev/null
    PATH=$TEST_HOME/machine:$PATH run box branch diff -p b
    assert_status 0
    no_evil
    timeout 1 true # control
    [ ! -e "$TEST_HOME/evil" ]
    PATH=$PROJECT/bin:$PATH timeout 1 true
    [ -e "$TEST_HOME/evil" ]
}

@test "shims: a folder of PATH that a box had by [[mount]] is left out, also when the box has gone (7)" {
    mkdir -p "$TEST_HOME/tools/bin" "$TEST_HOME/shared/bin"
    trust_file "[[mount]]
source = \"$TEST_HOME/tools\"
mode = \"rw\"

[home]
share = [\"${TEST_HOME#"$HOME/"}/shared:rw\"]"
    in_box sh -c 'for folder; do for name in git timeout podman diff; do
        printf "#!/bin/sh\ntouch \"$0\"\nexec /usr/bin/$name \"\$@\"\n" >$folder/bin/$name; done; chmod +x $folder/bin/*; done' \
        "$TEST_HOME/evil" "$TEST_HOME/tools" "$TEST_HOME/shared"
    [ -x "$TEST_HOME/tools/bin/git" ]
    [ -x "$TEST_HOME/shared/bin/git" ]
    box rm --yes 2>/dev/null
    rm litterbox.toml
    git init -q .
    PATH=$TEST_HOME/tools/bin:$TEST_HOME/shared/bin:$PATH run box run -- true
    assert_status 0
    no_evil
    PATH=$TEST_HOME/tools/bin:$PATH run "$SHIMS/tool-raw"
    assert_contains "left out of PATH"
    no_evil
    # Nor after an uninstallation that keeps what boxes have left.
    run box uninstall --yes
    assert_status 0
    assert_contains "stays: list of folders that boxes could write"
    box init --no-file 2>/dev/null
    PATH=$TEST_HOME/tools/bin:$PATH run box run -- true
    assert_status 0
    no_evil
    box shim add tool 2>/dev/null
    # Nor is any folder trusted while the list of them cannot be read.
    mkdir "$TEST_HOME/innocent"
    rm "$DATA/writable-folders" && mkdir "$DATA/writable-folders"
    PATH=$TEST_HOME/innocent:$PATH run -127 "$SHIMS/tool-raw"
    assert_contains "left out of PATH"
    rmdir "$DATA/writable-folders"
    # Control.
    PATH=$TEST_HOME/shared/bin:$PATH timeout 1 true
    [ -e "$TEST_HOME/evil" ]
}

@test "shims: a folder of PATH behind a box's folder and '..' is left out, as the box decides where that leads (7)" {
    in_box sh -c 'mkdir -p inner/deep bin/a; printf "%s\n" "$1" >bin/lang; chmod +x bin/lang' - "$EVIL"
    printf '#!/bin/sh\necho lang of the machine\n' >"$TEST_HOME/machine/lang"
    printf '#!/bin/sh\nrm -r "%s"; ln -s bin/a "%s"; exec lang\n' "$PROJECT/inner" "$PROJECT/inner" >"$TEST_HOME/machine/tool"
    chmod +x "$TEST_HOME/machine/lang"
    # What the box would do between the look and the start of "lang", the tool does here itself.
    PATH=$PROJECT/inner/../../machine/../shop/inner/..:$PATH run --separate-stderr "$SHIMS/tool-raw"
    assert_output "lang of the machine"
    in_box sh -c 'rm inner; mkdir inner'
    mkdir "$TEST_HOME/bin"
    PATH=$PROJECT/inner/../../bin:$PATH run "$SHIMS/tool-raw"
    assert_contains "left out of PATH"
    assert_contains "lang of the machine"
    no_evil
    # Control: with the box's link, that way leads into the project.
    [ "$(readlink -f "$PROJECT/inner/../../bin")" != "$TEST_HOME/bin" ]
    # A way that leaves the project's own folder is the user's: no box can put a link there.
    printf '#!/bin/sh\nexec lang\n' >"$TEST_HOME/machine/tool"
    PATH=$PROJECT/../machine:$PATH run "$SHIMS/tool-raw"
    assert_output "lang of the machine"
}

@test "shims: the user's links through a project, changed by the box, are not followed (7)" {
    in_box sh -c 'printf "%s\n" "$1" >planted; chmod +x planted; ln -s "$2" through; ln -s /usr/bin folder' - "$EVIL" "$TEST_HOME/machine/tool"
    mkdir "$TEST_HOME/own"
    for target in "$PROJECT/planted" "$PROJECT/through" "$PROJECT/folder/env"; do
        ln -sfn "$target" "$TEST_HOME/own/tool"
        PATH=$SHIMS:$TEST_HOME/own:$PATH run -127 tool-raw
        assert_contains "is not run on this machine"
        no_evil
    done
}

@test "shims: add links to the running box program, not to one planted on PATH (7)" {
    mkdir bin
    ln -s "$(command -v box)" bin/box
    PATH=$PROJECT/bin:$PATH box shim add other 2>/dev/null
    [ "$(readlink "$SHIMS/other")" = "$(readlink -f "$(command -v box)")" ]
}

@test "shims: a folder with a hostile name is shown safely (8)" {
    mkdir -p "$TEST_HOME"/$'\e[31m\nbox: forged\u202e'
    cd "$TEST_HOME"/$'\e[31m\nbox: forged\u202e'
    run tool
    assert_status 125
    assert_no_controls
    [ "${#lines[@]}" = 1 ]
    PATH=$SHIMS:$PWD:$PATH run tool-raw
    assert_no_controls
}
