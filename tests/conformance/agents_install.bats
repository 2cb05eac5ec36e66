#!/usr/bin/env bats
# box agent with the real agents, which it installs from npm's registry in one command each, on a machine that has none. By hand
# (docs/testing.md), as it is a GB: BOX_AGENTS_INSTALL=1 says that the registry can be reached.

load ../lib/box.bash
setup() {
    [ -n "${BOX_AGENTS_INSTALL:-}" ] || skip "BOX_AGENTS_INSTALL is not set"
    box_setup
    git init -q .
    # The lab's Debian 13 has npm beside its PATH.
    PATH=$PATH:/usr/local/lib/npm/node_modules/.bin
    user_config $'[box]\nidle_stop = "never"\npath = ["/usr/local/lib/npm/node_modules/.bin"]'
}
teardown() { [ -z "${BOX_AGENTS_INSTALL:-}" ] || box_teardown; }

# installs NAME: a box, its container and the agent are made by the first run, which is the agent's from then on.
installs() {
    run --separate-stderr box agent run "$1" -- --version </dev/null
    assert_status 0
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"installing '$1'"* ]] || fail "$stderr"
    [[ $output =~ [0-9]+\.[0-9]+\.[0-9]+ ]] || fail "$output"
    local version=${BASH_REMATCH[0]}
    [ "$(box agent info "$1" --json | jq -r '.boxes[0].version')" = "$version" ]
    # Npm has older ones for an older Node.
    [ "$(npm view "$(box agent info "$1" --json | jq -r .package)" version)" = "$version" ] || fail "$version is not the newest"
    run --separate-stderr box agent run "$1" -- --version </dev/null
    assert_status 0
    [ "$stderr" = '' ] || fail "$stderr"
    box agent doctor "$1" --json | jq -e '.agents[0].usable'
    # No host but those of the installation was wanted.
    run --separate-stderr jq -r 'select(.decision == "refused") | .name' <(box net log --json)
    assert_output ''
}

@test "agents: Claude Code is installed from npm, and starts, in one command" { installs claude; }
@test "agents: Codex is installed from npm, and starts, in one command" { installs codex; }
@test "agents: Gemini CLI is installed from npm, and starts, in one command" { installs gemini; }
@test "agents: opencode is installed from npm, and starts, in one command" { installs opencode; }
@test "agents: Qwen Code is installed from npm, and starts, in one command" { installs qwen; }
