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
