#!/usr/bin/env bats
# As host_tools.bats, for programs from the npm registry: npm, Yarn, corepack, lefthook, mise, Qwen Code (7). The lab's
# Debian 13 has them in /usr/local/lib/npm.
# shellcheck disable=SC2016 # shells that are tested expand these

load host_tools.bash
load ../lib/wait.bash
setup_file() {
    host_tools_setup_file || return
    export NPM=/usr/local/lib/npm/node_modules
    export PATH=$NPM/.bin:$NPM/lefthook-linux-x64/bin:$PATH
    # What the box names below, on the host's side: a program in a folder, and a script of node's.
    export TOOLS=$TEST_HOME/tools
    mkdir -p "$TOOLS/bin"
    printf '#!/bin/sh\n%s\n' "$EVIL" >"$TOOLS/bin/ls"
    chmod +x "$TOOLS/bin/ls"
    echo "require('fs').writeFileSync('$RAN', '')" >"$TOOLS/evil.js"
}
teardown_file() { box_teardown; }
setup() { host_tools_setup; }
teardown() {
    [ -z "${SERVER:-}" ] || kill "$SERVER"
}

@test "host tools: npm has no .npmrc of the box's in a project's root (7)" {
    local start=(npm init -y)
    echo "init-module=$TOOLS/evil.js" >"$MINE/.npmrc"
    runs_in "$MINE" "${start[@]}"
    box_plants .npmrc "init-module=$TOOLS/evil.js"
    in_no_root .npmrc
    in_folders . "${start[@]}"
    rm "$PROJECT/package.json"
    cd sub
    npm ls
    npm --version
    [ ! -e "$RAN" ]
    # Known not to hold.
    runs_in "$PROJECT/sub" "${start[@]}"
}

@test "host tools: Yarn runs no other yarn and no plugin that the box names in a project's root (7)" {
    local yarn1=(node "$NPM/yarn/bin/yarn.js" --version) yarn4=(node "$NPM/@yarnpkg/cli-dist/bin/yarn.js" --version)
    echo "yarn-path \"$TOOLS/evil.js\"" >"$MINE/.yarnrc"
    runs_in "$MINE" "${yarn1[@]}"
    echo "plugins: [$TOOLS/evil.js]" >"$MINE/.yarnrc.yml"
    runs_in "$MINE" "${yarn4[@]}"
    box_plants .yarnrc "yarn-path \"$TOOLS/evil.js\""
    box_plants .yarnrc.yml "yarnPath: $TOOLS/evil.js"
    in_no_root .yarnrc
    in_no_root .yarnrc.yml
    in_folders . "${yarn1[@]}"
    in_folders . "${yarn4[@]}"
    # Known not to hold.
    runs_in "$PROJECT/sub" "${yarn4[@]}"
    rm sub/.yarnrc.yml
    runs_in "$PROJECT/sub" "${yarn1[@]}"
}

@test "host tools: corepack gets no yarn from a server of the box's for a project's root (7)" {
    local port allow=COREPACK_ENABLE_UNSAFE_CUSTOM_URLS=1
    python3 -u -m http.server --bind 127.0.0.1 --directory "$TOOLS" 0 >"$BATS_TEST_TMPDIR/server" 2>/dev/null 3>&- &
    SERVER=$!
    eventually grep -q 'port [0-9]' "$BATS_TEST_TMPDIR/server"
    port=$(grep -oE 'port [0-9]+' "$BATS_TEST_TMPDIR/server" | tr -dc 0-9)
    local package="{\"packageManager\": \"yarn@http://127.0.0.1:$port/evil.js\"}"
    echo "$package" >"$MINE/package.json"
    echo "$allow" >"$MINE/.corepack.env"
    runs_in "$MINE" corepack yarn --version
    box_plants .corepack.env "$allow"
    box_plants package.json "$package"
    in_no_root .corepack.env
    in_folders . corepack yarn --version
    # Known not to hold.
    runs_in "$PROJECT/sub" corepack yarn --version
}

@test "host tools: mise takes no program of the box's in a project's root (7)" {
    local name tool="[tools]
node = \"path:$TOOLS\"" enter=(bash -c 'eval "$(mise activate bash)"; _mise_hook; ls')
    echo "$tool" >"$MINE/mise.toml"
    runs_in "$MINE" "${enter[@]}"
    for name in mise.toml .mise/config.toml .config/mise.toml .config/mise/conf.d/x.toml; do
        box_plants "$name" "$tool"
        in_no_root "$name"
    done
    box_plants .tool-versions "node path:$TOOLS"
    in_folders . "${enter[@]}"
    in_roots_and_below mise --version
    # Known not to hold: it asks for trust, but not for this.
    runs_in "$PROJECT/sub" "${enter[@]}"
}

@test "host tools: mise obeys no mise.NAME.toml that only the box would switch on (7)" {
    local name place tool="[tools]
node = \"path:$TOOLS\"" enter=(bash -c 'eval "$(mise activate bash)"; _mise_hook; ls')
    echo "$tool" >"$MINE/mise.evil.toml"
    echo 'env = ["evil"]' >"$MINE/.miserc.toml"
    runs_in "$MINE" "${enter[@]}"
    for place in $PLACES; do
        cd "$place"
        attempt 'echo "$1" >mise.evil.toml' "$tool"
        [ -e mise.evil.toml ]
    done
    for name in .miserc.toml .miserc.local.toml .config/miserc.toml; do
        box_plants "$name" 'env = ["evil"]'
        in_no_root "$name"
    done
    in_folders . "${enter[@]}"
    # Known not to hold: what you switch on yourself.
    runs_in "$PROJECT" env MISE_ENV=evil "${enter[@]}"
}

@test "host tools: mise asks before it runs hooks of the box's in a folder below (7)" {
    local hooks="[hooks]
enter = \"$EVIL\"" enter=(bash -c 'eval "$(mise activate bash)"; _mise_hook')
    echo "$hooks" >"$MINE/mise.toml"
    mise trust "$MINE/mise.toml"
    runs_in "$MINE" "${enter[@]}"
    box_plants mise.toml "$hooks"
    in_roots_and_below "${enter[@]}"
    in_folders sub mise ls
}

@test "host tools: mise x, run and install, and all of mise where CI is set, find nothing in a project's root (7)" {
    local each file="[env]
X = \"{{exec(command='$EVIL')}}\"
[tasks]
mine = \"true\"" calls=('mise x -- true' 'mise run mine' 'mise install' 'CI=1 mise env')
    echo "$file" >"$MINE/mise.toml"
    mise trust --untrust "$MINE/mise.toml"
    for each in "${calls[@]}"; do
        runs_in "$MINE" sh -c "$each"
    done
    box_plants mise.toml "$file"
    in_no_root mise.toml
    for each in "${calls[@]}"; do
        in_folders . sh -c "$each"
    done
    in_folders sub mise env
    # Known not to hold: these trust what they find.
    for each in "${calls[@]}"; do
        runs_in "$PROJECT/sub" sh -c "$each"
    done
}

@test "host tools: commits run nothing of lefthook's that the box wrote in a project's root (7)" {
    local name place jobs="pre-commit:
  commands:
    evil:
      run: $EVIL" commit=(sh -c 'date +%N >file; git add file; git commit -qm more')
    echo "$jobs" >"$MINE/lefthook.yml"
    (cd "$MINE" && lefthook install)
    runs_in "$MINE" "${commit[@]}"
    # The host has lefthook's hook, in the repository and in the submodule; worktrees share it.
    for place in "$PROJECT" "$TEST_HOME/super/lib"; do
        (cd "$place" && echo 'pre-commit: {commands: {mine: {run: "true"}}}' >lefthook.yml && lefthook install)
    done
    for name in .lefthook.yaml lefthook-local.yml .config/lefthook.json; do
        box_plants "$name" "$jobs"
        in_no_root "$name"
    done
    attempt 'echo "$1" >lefthook.yml; echo "$1" >x; mv x lefthook.yml' "$jobs"
    in_roots_and_below "${commit[@]}"
    in_folders . lefthook validate
    # Known not to hold: the project's own lefthook, for a hook that finds no other.
    attempt 'mkdir -p node_modules/lefthook-linux-x64/bin; printf "#!/bin/sh\n%s\n" "$1" >node_modules/lefthook-linux-x64/bin/lefthook
        chmod +x node_modules/lefthook-linux-x64/bin/lefthook' "$EVIL"
    sed "s|$NPM|/nowhere|" -i .git/hooks/pre-commit
    runs_in "$PROJECT" env PATH=/usr/bin:/bin "${commit[@]}"
    rm .git/hooks/pre-commit ../super/.git/modules/lib/hooks/pre-commit
}

@test "host tools: Qwen Code has no settings of the box's in a project's root, but its .env (7)" {
    local settings="{\"tools\": {\"discoveryCommand\": \"$EVIL\"}}"
    local ask=(env OPENAI_API_KEY=key OPENAI_MODEL=model OPENAI_BASE_URL=http://127.0.0.1:9 timeout 60 qwen -p hello)
    mkdir -p ~/.qwen
    echo '{"security": {"auth": {"selectedType": "openai"}}}' >~/.qwen/settings.json
    box_plants .qwen/settings.json "$settings"
    in_no_root .qwen/settings.json
    (cd "$PROJECT" && "${ask[@]}") >/dev/null 2>&1 3>&- </dev/null || true
    [ ! -e "$RAN" ]
    # Known not to hold, and the control: below the root, and node's options in the root's .env.
    runs_in "$PROJECT/sub" "${ask[@]}"
    attempt 'echo "NODE_OPTIONS=--require=$1" >.env' "$TOOLS/evil.js"
    runs_in "$PROJECT" "${ask[@]}"
}
