# AI agents of tests, in place of what a preset installs. Sourced after box.bash.
# shellcheck shell=bash

# agent_program NAME PROGRAM: what boxes of the image of the current project's box run as the agent NAME is PROGRAM, a path in
# boxes. Its preset stays as it is installed.
agent_program() {
    local preset=$CONFIG/agents/$1.toml
    mkdir -p "$CONFIG/agents"
    cat >"$preset" <<END
program = "$1"
install = '''
printf '%s\n' '#!/bin/sh' 'exec "$2" "\$@"' >bin/$1
chmod +x bin/$1
echo 1 >version
'''
END
    box agent install "$1"
    rm "$preset"
}

# codex_uses URL [SETTING]: Codex in the box asks the model there (tests/conformance/model.py), and no account.
codex_uses() {
    # shellcheck disable=SC2016 # the shell of the box expands it
    box run -- sh -c 'mkdir -p ~/.codex && echo "$1" >~/.codex/config.toml' sh "model = \"none\"
model_provider = \"here\"
${2:-}
[model_providers.here]
name = \"here\"
base_url = \"$1/v1\"
wire_api = \"responses\""
}
