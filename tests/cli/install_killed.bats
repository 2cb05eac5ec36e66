#!/usr/bin/env bats
# Installations of AI agents that are killed, or meet a full disk, at any of their calls: what was there runs on, and the next
# command repairs.

load ../lib/box.bash
load ../lib/killed.bash
setup() {
    box_setup
    trust_file '[box]
idle_stop = "never"'
    TOOLS=$DATA/tools
    export rounds=0
    mkdir -p "$CONFIG/agents"
    preset 1.2.3
    box run -- true
}
teardown() { box_teardown; }

# preset VERSION: what the next installation of the agent makes.
preset() {
    cat >"$CONFIG/agents/fake.toml" <<END
program = "fake"
install = '''
printf '%s\n' '#!/bin/sh' 'echo runs' >bin/fake
chmod +x bin/fake
echo $1 >version
'''
END
}

version() { box agent info fake --json | jq -r '.boxes[] | select(.box == "shop") | .version'; }

runs() { [ "$(box agent run fake 2>"$TEST_HOME/run")" = runs ]; }

# is_whole VERSION: it runs, and nothing else is there.
is_whole() {
    runs || return
    [ "$(version)" = "$1" ] || return
    [ "$(find "$TOOLS/shared/fake" -mindepth 1 -maxdepth 1 -type d | wc -l)" = 1 ] || return
    has_rest fake
}
# has_rest [NAME]: of all installations only that of NAME, and no box of another one.
has_rest() {
    [ -z "$(ls "$TOOLS/work")" ] || return
    [ "$(ls "$TOOLS/shared")" = "${1:-}" ] || return
    [ "$(containers)" = "litterbox.$LITTERBOX_INSTANCE.shop" ] || return
    [ -z "$(ls -A "$DATA/ephemeral" 2>/dev/null)" ]
}

remove() { [ -z "$(version)" ] || box agent remove fake; }

check_installed() {
    [ "$1" != 0 ] || [ "$(version)" = 1.2.3 ] || return
    is_whole 1.2.3
}

@test "killed: an installation of an agent at any moment: the next command has it, once" {
    local calls="mkdir rename linkat sendto${BOX_TESTS_ALL:+ unlink unlinkat symlink}"
    each KILL remove check_installed "$calls" box agent install fake
    each ENOSPC remove check_installed "mkdir linkat fsync syncfs" box agent install fake
    remove
    enough 12
}

install_old() {
    preset 1.2.3
    [ "$(version)" = 1.2.3 ] || box agent update fake || box agent install fake
    preset 1.3.0
}

# The old one or the new one runs, whatever has happened.
check_updated() {
    local found
    found=$(version)
    [ "$found" = 1.2.3 ] || [ "$found" = 1.3.0 ] || return
    [ "$1" != 0 ] || [ "$found" = 1.3.0 ] || return
    runs || return
    box agent update fake 2>"$TEST_HOME/run" || return
    is_whole 1.3.0
}

@test "killed: an update of an agent at any moment: the old one runs, or the new one" {
    local calls="rename unlink unlinkat sendto${BOX_TESTS_ALL:+ mkdir linkat symlink}"
    each KILL install_old check_updated "$calls" box agent update fake
    each ENOSPC install_old check_updated "mkdir rename fsync syncfs" box agent update fake
    remove
    enough 12
}

install() { [ -n "$(version)" ] || box agent install fake; }

check_removed() {
    local found
    found=$(version)
    [ "$1" != 0 ] || [ -z "$found" ] || return
    if [ -n "$found" ]; then
        runs || return
        box agent remove fake 2>"$TEST_HOME/run" || return
    fi
    box prune --yes >/dev/null 2>&1 || return
    [ -z "$(version)" ] && has_rest
}

@test "killed: a removal of an agent at any moment: it runs, or is gone" {
    each KILL install check_removed "unlink unlinkat rmdir rename" box agent remove fake
    each ENOSPC install check_removed "rename mkdir" box agent remove fake
    enough 4
}
