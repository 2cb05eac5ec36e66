#!/usr/bin/env bats
# As host_tools.bats, for programs that one Debian is enough for: cargo, Maven, Thunar (7).

load host_tools.bash
load ../lib/wait.bash
setup_file() { host_tools_setup_file; }
teardown_file() { box_teardown; }
setup() { host_tools_setup; }
teardown() { desktop_end; }

# Thunar shows FOLDER on a desktop of its own. Returns when the host's own thumbnailer has been called for the model in
# it: by then all that is in the folder has been looked at.
thunar_shows() { # FOLDER
    : >"$TEST_HOME/thumbnails"
    setsid xvfb-run -a dbus-run-session -- thunar "$1" >"$BATS_TEST_TMPDIR/thunar" 2>&1 3>&- </dev/null &
    DESKTOP=$!
    eventually grep -qx "$1/model.stl" "$TEST_HOME/thumbnails"
}
desktop_end() {
    [ -z "${DESKTOP:-}" ] || kill -- "-$DESKTOP"
    DESKTOP=
}

@test "host tools: cargo makes a repository in a box, by libgit2 (7)" {
    run box run -- sh -c 'cargo -q new --vcs git made && git -C made config core.bare'
    assert_status 0
    assert_contains false
    [ "$(git -C made config core.bare)" = false ]
    rm -rf made
}

@test "host tools: cargo runs no compiler that the box names in a project's root (7)" {
    local name place list=(cargo metadata --offline --format-version 1)
    mkdir "$MINE/.cargo" "$MINE/src"
    printf '#!/bin/sh\n%s\n' "$EVIL" >"$MINE/rustc"
    chmod +x "$MINE/rustc"
    printf '[package]\nname = "p"\nversion = "0.1.0"\n' >"$MINE/Cargo.toml"
    echo 'fn main() {}' >"$MINE/src/main.rs"
    printf '[build]\nrustc = "%s/rustc"\n' "$MINE" >"$MINE/.cargo/config.toml"
    runs_in "$MINE" "${list[@]}"
    for place in $PLACES; do
        cp -r "$MINE/src" "$MINE/Cargo.toml" "$place"
        cp -r "$MINE/src" "$MINE/Cargo.toml" "$place/sub"
    done
    for name in .cargo/config.toml .cargo/config; do
        box_plants "$name" "$(cat "$MINE/.cargo/config.toml")"
        in_no_root "$name"
    done
    in_folders . "${list[@]}"
    in_folders . cargo tree --offline
    in_roots_and_below cargo --version
    # Known not to hold.
    runs_in "$PROJECT/sub" "${list[@]}"
    runs_in "$PROJECT/sub" cargo tree --offline
}

@test "host tools: Maven starts Java with no options of the box's in a project's root (7)" {
    printf '#include <stdlib.h>\nint Agent_OnLoad(void) { return system("%s"); }\n' "$EVIL" |
        cc -shared -fPIC -x c -o "$MINE/evil.so" -
    mkdir "$MINE/.mvn"
    echo "-agentpath:$MINE/evil.so" >"$MINE/.mvn/jvm.config"
    runs_in "$MINE" mvn --version
    box_plants .mvn/jvm.config "-agentpath:$MINE/evil.so"
    in_no_root .mvn/jvm.config
    in_folders . mvn --version
    # Known not to hold.
    runs_in "$PROJECT/sub" mvn --version
}

@test "host tools: Thunar and its thumbnailer run no program that a folder of the box's names (7)" {
    local place entry="[Desktop Entry]
Type=Application
Name=A picture
Icon=x
Exec=$EVIL"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    mkdir -p ~/.local/share/thumbnailers
    printf '#!/bin/sh\necho "$1" >>%s\n' "$TEST_HOME/thumbnails" >"$TEST_HOME/thumbnailer"
    chmod +x "$TEST_HOME/thumbnailer"
    printf '[Thumbnailer Entry]\nExec=%s %%i %%o\nMimeType=model/stl;\n' "$TEST_HOME/thumbnailer" >~/.local/share/thumbnailers/host.thumbnailer
    # Control: both files run their command where the user has put them, or opens them.
    echo "$entry" >"$MINE/picture.desktop"
    runs_in "$MINE" gio launch "$MINE/picture.desktop"
    echo solid >"$MINE/model.stl"
    thunar_shows "$MINE"
    desktop_end
    for place in "$PROJECT" "$TEST_HOME/plain"; do
        cd "$place"
        attempt 'for name in picture.desktop .directory autorun.inf .autorun .trashinfo; do printf "%s\n" "$1" >"sub/$name"; done
            printf "#!/bin/sh\n%s\n" "$2" | tee sub/autorun.sh >sub/autorun
            printf "[Thumbnailer Entry]\nExec=%s\nMimeType=model/stl;inode/directory;text/plain;image/png;\n" "$2" >sub/evil.thumbnailer
            mkdir -p sub/.local/share/thumbnailers sub/.hidden-folder; cp sub/evil.thumbnailer sub/.local/share/thumbnailers
            chmod +x sub/*; echo solid >sub/model.stl; head -c 5000 /dev/urandom | tee sub/a.png sub/a.svg >sub/a.pdf' "$entry" "$EVIL"
        thunar_shows "$place/sub"
        desktop_end
        [ ! -e "$RAN" ] || fail "a file of the box ran on the host"
    done
}
