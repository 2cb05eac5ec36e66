#!/usr/bin/env bats
# Codex from npm in a box with security.nested: its own sandbox of bubblewrap and a filter holds there, and works.
#
# BOX_CODEX: the folder in which npm has installed it (docs/testing.md). By hand, as it is 400 MB.

load ../escape/escape.bash
setup_file() {
    : "${BOX_CODEX:?}"
    escape_setup_guarded '[security]
nested = true'
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

@test "codex: its own sandbox runs a command that may write the project and nothing else" {
    cp -r "$BOX_CODEX" codex
    cp "$BATS_TEST_DIRNAME/model.py" .
    cat >run-codex <<'SH'
#!/bin/bash
python3 model.py "$1" >port 2>said &
model=$!
until [ -s port ]; do sleep 0.1; done
mkdir -p ~/.codex
cat >~/.codex/config.toml <<TOML
model = "none"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "http://127.0.0.1:$(cat port)/v1"
wire_api = "responses"
env_key = "KEY_OF_MODEL"
TOML
KEY_OF_MODEL=none codex/node_modules/.bin/codex exec -s workspace-write --skip-git-repo-check 'Run it.' </dev/null
kill "$model"
SH
    run in_box bash run-codex 'echo made >by-agent; echo x >~/outside; echo x >.git/hooks/pre-commit; echo x >.codex/config.toml
        grep ^Seccomp_filters /proc/self/status; ls ~/outside; echo to anywhere >/dev/tcp/127.0.0.1/1'
    echo "$output"
    [ "$(cat by-agent)" = made ]
    [ ! -e .git/hooks/pre-commit ]
    [ ! -e .codex/config.toml ]
    assert_contains "outside: Read-only file system"
    assert_contains "socket: Operation not permitted" # its filter
}
