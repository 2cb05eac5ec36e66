#!/usr/bin/env bats
# box agent: AI agents in a box, by presets. tests/conformance/agents.bats has Claude Code and Codex themselves.
# shellcheck disable=SC2016 # shells of the box expand these

load ../lib/box.bash
setup_file() {
    box_setup
    # The lab's Debian 13 has npm beside its PATH.
    trust_file '[box]
idle_stop = "never"
path = ["/usr/local/lib/npm/node_modules/.bin"]'
    make_package 1.2.3
    mkdir -p "$CONFIG/agents"
    cat >"$CONFIG/agents/robot.toml" <<END
package = "$PROJECT/robot.tgz"
program = "robot"
network = ["@openai"]
login = ["~/.robot/login"]
arguments = ["--always", "a b"]
env = { ROBOT = "on" }
[no_ask]
arguments = ["--yes"]
env = { ROBOT_ASKS = "no" }
[ask]
arguments = ["--careful"]
END
    (echo 'program = "fake"' && script fake) >"$CONFIG/agents/fake.toml"
    export TOOLS=$DATA/tools
    box start
}
teardown_file() { box_teardown; }
setup() { cd "$PROJECT" || return; }

# make_package VERSION: robot.tgz, as npm packs it. Its program says its arguments, and runs the last one. It is not
# there before the package's install script has run.
make_package() {
    mkdir -p package
    printf '{"name": "@test/robot", "version": "%s", "bin": {"robot": "robot.sh"}, "scripts": {"postinstall": "cp real robot.sh"}}\n' \
        "$1" >package/package.json
    echo 'echo the install script did not run' >package/robot.sh
    cat >package/real <<'END'
#!/bin/sh
printf '%s, ' "$@"
echo "ROBOT=$ROBOT ROBOT_ASKS=$ROBOT_ASKS"
for last; do :; done
case $last in run:*) eval "${last#run:}" ;; esac
END
    tar czf robot.tgz package
    rm -r package
}

# has_version VERSION [NAME]: what the box shop has of robot, or NAME; '' for nothing.
has_version() {
    [ "$(box agent info --json "${2:-robot}" | jq -r '.boxes[] | select(.box == "shop") | .version')" = "$1" ]
}

# script NAME: the `install` of a preset whose program NAME says how it was started.
script() {
    cat <<END
install = '''
printf '%s\\n' '#!/bin/sh' env 'printf "%s\\n" "\$@"' >bin/$1
chmod +x bin/$1
echo 1.2.3 >version
'''
END
}

# stand_in NAME: such a program in place of an agent's. All else is as its preset says.
stand_in() {
    if [ ! -e "$CONFIG/agents/$1.toml" ]; then
        (script "$1" && grep -v '^package' "$(box agent info "$1" --json | jq -r .file)") >stand_in.toml
        mv stand_in.toml "$CONFIG/agents/$1.toml"
    fi
    box agent install "$1"
}

@test "agent run: the first call installs, and no output of that is in the agent's" {
    box agent remove robot || true # no test before has installed it
    has_version ''
    run --separate-stderr box agent run robot -- 'run:cat; exit 3' < <(echo of stdin)
    assert_status 3
    assert_output "--always, a b, --yes, run:cat; exit 3, ROBOT=on ROBOT_ASKS=no
of stdin"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"installing 'robot'"*"has 'robot' 1.2.3"*"box 'shop' has no secret for 'robot', and no login: "*"'box secret add'"* ]] || fail "$stderr"
    has_version 1.2.3
    run --separate-stderr box agent run robot -- last
    assert_status 0
    assert_output "--always, a b, --yes, last, ROBOT=on ROBOT_ASKS=no"
    [ "$stderr" = '' ]
    # It goes back to where the agent has not been.
    box snapshot list --json | jq -e 'length > 0 and all(.[]; .reason == "auto")'
    run box agent install robot
    assert_contains "box 'shop' has 'robot' 1.2.3; 'box agent update robot'"
}

@test "agent run: a terminal, the folder and a signal are the agent's; --ask has other arguments" {
    run on_terminal box agent run robot -- 'run:tty; kill -TERM $$'
    assert_status 143
    assert_contains /dev/pts/
    mkdir -p sub
    cd sub
    run box agent run --ask robot -- run:pwd
    assert_output "--always, a b, --careful, run:pwd, ROBOT=on ROBOT_ASKS=
$PROJECT/sub"
    cd /
    run box agent run robot shop -- run:pwd
    assert_contains "$PROJECT"
}

@test "agent: a shim of a preset's name installs the agent, and runs it as the preset says" {
    box agent remove robot || true # no test before has installed it
    run box shim add robot
    assert_contains "'robot' is run as by 'box agent run robot'"
    box shim list --json | jq -e '.[0] | .name == "robot" and .agent'
    run --separate-stderr "$DATA/shims/robot" 'run:cat; exit 3' < <(echo of stdin)
    assert_status 3
    assert_output "--always, a b, --yes, run:cat; exit 3, ROBOT=on ROBOT_ASKS=no
of stdin"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"installing 'robot'"*"no secret for 'robot'"* ]] || fail "$stderr"
    echo anew >changed
    before=$(box snapshot list --json | jq length)
    mkdir -p sub
    cd sub
    run --separate-stderr "$DATA/shims/robot" --help -- 'run:pwd'
    assert_output "--always, a b, --yes, --help, --, run:pwd, ROBOT=on ROBOT_ASKS=no
$PROJECT/sub"
    [ "$stderr" = '' ]
    [ "$(box snapshot list --json | jq length)" -gt "$before" ]
    run on_terminal "$DATA/shims/robot" 'run:tty; kill -TERM $$'
    assert_status 143
    assert_contains /dev/pts/
    # The program of this machine, and no project, as with every shim.
    mkdir "$TEST_HOME/machine"
    printf '#!/bin/sh\necho "robot of this machine: $*"\n' >"$TEST_HOME/machine/robot"
    chmod +x "$TEST_HOME/machine/robot"
    [ "$(PATH=$TEST_HOME/machine:$PATH "$DATA/shims/robot-raw" one)" = "robot of this machine: one" ]
    cd /
    run "$DATA/shims/robot"
    assert_status 125
    assert_contains "'/' is in none"
    box shim remove robot
    rm -r "$PROJECT/changed" "$TEST_HOME/machine"
}

@test "agent: a preset counts for a shim that is older, and where the box has that program; a broken one is an error" {
    box shim add expr
    [ "$("$DATA/shims/expr" 6 '*' 7)" = 42 ]
    box shim list --json | jq -e '.[0].agent == false'
    (printf 'program = "expr"\narguments = ["--of-preset"]\n' && script expr) >"$CONFIG/agents/expr.toml"
    run box shim list
    assert_contains "an agent"
    run "$DATA/shims/expr" 6 '*' 7
    assert_status 0
    assert_contains --of-preset
    echo 'package = 3' >"$CONFIG/agents/expr.toml"
    run "$DATA/shims/expr" 6 '*' 7
    assert_status 78
    assert_contains "agents/expr.toml:1:11"
    box agent remove expr
    rm "$CONFIG/agents/expr.toml"
    [ "$("$DATA/shims/expr" 6 '*' 7)" = 42 ]
    box shim remove expr
}

@test "agent run: two first calls at once install once" {
    box agent remove robot || true # no test before has installed it
    box agent run robot -- first >out.1 2>err.1 &
    box agent run robot -- second >out.2 2>err.2
    wait "$!" || fail "$(cat err.1)"
    grep -q 'first, ROBOT=on' out.1
    grep -q 'second, ROBOT=on' out.2
    [ "$(cat err.1 err.2 | grep -c 'installing')" = 1 ] || fail "$(cat err.1 err.2)"
}

@test "agent run --branch: what the agent writes is not in the project before it is taken" {
    box agent remove robot || true # no test before has installed it
    echo mine >written
    run --separate-stderr box agent run robot --branch idea --isolated -- 'run:echo "theirs $(cat written)" >written; echo new >new'
    assert_status 0
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"installing 'robot' for box 'shop.idea'"*"box branch take idea"* ]] || fail "$stderr"
    [ "$(cat written)" = mine ]
    [ ! -e new ]
    # It is the box's, too.
    has_version 1.2.3
    run --separate-stderr box agent run robot --branch idea -- run:true
    [[ $stderr != *installing* ]] || fail "$stderr"
    box branch take --yes idea
    [ "$(cat written new)" = $'theirs mine\nnew' ]
    box branch drop --yes idea
    rm written new
    run box agent update robot --branch idea
    assert_status 64
    assert_contains 'has no option --branch'
    run box agent run robot --isolated
    assert_status 64
    assert_contains "--isolated needs --branch"
}

@test "agent update: a newer version takes the place of the old one, and one that fails does not" {
    box agent install robot
    make_package 1.3.0
    run box agent update robot
    assert_status 0
    assert_contains "has 'robot' 1.3.0"
    has_version 1.3.0
    echo broken >robot.tgz
    run box agent update robot
    assert_status 125
    assert_contains "cannot install 'robot' for box 'shop'"
    has_version 1.3.0
    box agent run robot -- still
    # Without the program of the preset.
    mkdir package
    echo '{"name": "other", "version": "2.0.0"}' >package/package.json
    tar czf robot.tgz package
    rm -r package
    run box agent update robot
    assert_status 78
    assert_contains "has no program 'robot'"
    has_version 1.3.0
    make_package 1.2.3
}

# kept: how many programs of robot are installed.
kept() { find "$TOOLS/shared/robot" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l; }

@test "agent update: what runs keeps its version until it ends" {
    box agent install robot
    mkfifo go
    box agent run robot -- 'run:echo >started; read line <go; cat "$0" >/dev/null && echo read' >out 3>&- &
    eventually test -e started
    make_package 1.4.0
    box agent update robot
    [ "$(kept)" = 2 ]
    echo >go
    wait "$!"
    grep -qx read out
    box agent update robot
    [ "$(kept)" = 1 ]
    rm go started out
    make_package 1.2.3
}

@test "agent: box prune finds what a killed installation has left, and what ran when its last box went" {
    local work id=0123456789abcdef
    for work in robot.$id lost.$id; do
        mkdir -p "$TOOLS/work/$work"
        head -c 100000 /dev/urandom >"$TOOLS/work/$work/part"
    done
    # A file of another kind is nobody's.
    touch "$TOOLS/work/other.txt"
    # Not while somebody installs it.
    mkdir -p "$TOOLS/locks"
    exec 8>"$TOOLS/locks/robot"
    flock 8
    run box prune --dry-run
    exec 8>&-
    refute_contains robot
    assert_contains "would remove: what no box uses of agent 'lost' (at most 10"
    run box prune
    assert_contains "removed: what no box uses of agent 'robot' (at most "
    assert_contains "removed: what no box uses of agent 'lost'"
    [ "$(ls "$TOOLS/work")" = other.txt ]
    rm "$TOOLS/work/other.txt"
    # No box has a name for it any more.
    box agent install robot
    mkfifo go
    box agent run robot -- 'run:echo >started; read line <go' >/dev/null 3>&- &
    eventually test -e started
    box agent remove robot
    [ "$(kept)" = 1 ]
    run box prune
    refute_contains "removed: what"
    echo >go
    wait "$!"
    run box prune
    assert_contains "removed: what no box uses of agent 'robot'"
    [ "$(kept)" = 0 ]
    run box prune
    refute_contains agent
    rm go started
}

@test "agent: boxes of one image have one installation, which goes with the last of them" {
    new_project "$TEST_HOME/second"
    cp litterbox.toml "$TEST_HOME/second"
    box trust --yes "$TEST_HOME/second"
    box agent install robot
    run --separate-stderr box agent run robot second -- here
    assert_output "--always, a b, --yes, here, ROBOT=on ROBOT_ASKS=no"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr != *installing* ]] || fail "$stderr"
    [ "$(kept)" = 1 ]
    [ "$(box agent info robot --json | jq -c '[.boxes[].box]')" = '["second","shop"]' ]
    run box agent remove robot second
    assert_contains "'robot' stays installed for shop"
    [ "$(kept)" = 1 ]
    box agent remove robot
    [ "$(kept)" = 0 ]
    # What a box has used that is gone is removed by 'box prune'.
    box agent install robot
    box agent run robot second -- here
    box agent remove robot
    box rm --yes second
    [ "$(kept)" = 1 ]
    run box prune
    assert_contains "removed: what no box uses of agent 'robot'"
    [ "$(kept)" = 0 ]
    run box prune
    refute_contains robot
}

@test "agent: a box that an earlier Litterbox has made, or that has another image now, says so" {
    box agent install robot
    mv "$RUNTIME/shop/tools-kind" kept
    run box agent run robot
    assert_status 125
    assert_contains "'box apply shop' recreates it, with its home"
    # The doctor installs nothing.
    printf another >"$RUNTIME/shop/tools-kind"
    run box agent doctor robot
    assert_contains "'robot' is not installed for the image that box 'shop' has now"
    refute_contains installing
    mv kept "$RUNTIME/shop/tools-kind"
    box agent run robot -- here
}

@test "agent: after a kill in the middle of an installation the next command repairs (9)" {
    printf 'program = "slow"\ninstall = "echo >begun; sleep 1000"\n' >"$CONFIG/agents/slow.toml"
    box agent run slow >out 2>&1 3>&- &
    eventually sh -c 'ls "$1"/work/slow.*/begun' sh "$TOOLS"
    kill -KILL "$!"
    wait "$!" || true
    [ ! -e "$TOOLS/shared/slow" ]
    (echo 'program = "slow"' && script slow) >"$CONFIG/agents/slow.toml"
    run box agent run slow
    assert_status 0
    [ -z "$(ls "$TOOLS/work")" ]
    run containers
    [[ ! $output =~ -shop-[0-9a-f]{8} ]] || fail "$output"
    box agent remove slow
    rm "$CONFIG/agents/slow.toml" out
}

@test "agent remove: the agent goes, also without its preset" {
    stand_in fake
    mv "$CONFIG/agents/fake.toml" .
    run box agent run fake
    assert_status 125
    assert_contains "there is no preset 'fake': there are"
    box agent remove fake
    mv fake.toml "$CONFIG/agents"
    has_version '' fake
    [ ! -e "$TOOLS/shared/fake" ]
    run box agent rm fake
    assert_status 125
    assert_contains "box 'shop' has no agent 'fake'"
    run box agent remove ../../..
    assert_status 125
}

@test "agent install: a box without npm says which package brings it; agent run names the rule that a filtered network lacks" {
    box agent remove robot || true # no test before has installed it
    new_project "$TEST_HOME/bare"
    mkdir -p "$CONFIG/boxes"
    echo 'network.mode = "filtered"' >"$CONFIG/boxes/bare.toml"
    run box agent run robot bare
    assert_status 125
    # The lab's Debian 12 has one.
    command -v npm || assert_contains "the image of box 'bare' has no npm to install 'robot' with: add \"npm\""
    assert_contains "box 'bare' may not reach all that 'robot' needs; this allows it: 'box net allow bare @openai'"
    [ "$(grep -c 'may not reach' <<<"$output")" = 1 ]
    # It opens nothing, and says no more when the rules are there.
    run box net why bare api.openai.com
    assert_status 1
    box net allow bare @openai
    run box agent run robot bare
    refute_contains 'may not reach'
    box rm --yes bare
}

# finding ID [BOX]: level and words of that finding for robot.
finding() { box agent doctor robot ${2+"$2"} --json | jq -r --arg id "$1" '.agents[].findings[] | select(.id == $id) | "\(.level) \(.what); \(.fix)"'; }

@test "agent doctor: installation, version, start and login" {
    box agent remove robot || true # no test before has installed it
    [ "$(finding installed)" = "note it is not installed; its first run installs it; box agent install robot" ]
    [ "$(finding starts)" = '' ]
    box agent install robot
    run box agent doctor robot
    assert_status 0
    assert_contains "robot in box 'shop':"
    assert_contains "ok       version 1.2.3 is installed"
    assert_contains "ok       its program starts"
    assert_contains "note     it needs api.openai.com (@openai), which you are asked about"
    assert_contains "note     there is no login, and no secret for its hosts"
    box run -- sh -c 'mkdir -p ~/.robot && echo token >~/.robot/login'
    [ "$(finding login)" = "ok the home of the box has a login; null" ]
    box run -- ln -sf /etc/passwd "$HOME/.robot/login"
    [[ $(finding login) == "note "* ]]
    {
        echo "version = '^1.2'"
        echo "install = 'echo 0.9.0 >version; echo exit 1 >bin/ranged; chmod +x bin/ranged'"
        sed "s/^program.*/program = 'ranged'/; s/^package.*//" "$CONFIG/agents/robot.toml"
    } >ranged.toml
    mv ranged.toml "$CONFIG/agents"
    box agent install ranged
    # Without a name: those that the box has.
    run box agent doctor
    assert_status 125
    assert_contains "ranged in box 'shop':"
    assert_contains "warning  version 0.9.0 is installed, and the preset wants '^1.2'"
    assert_contains "error    'ranged --version' fails in box 'shop'"
    assert_contains "fix: box agent update ranged"
    box agent remove ranged
    rm "$CONFIG/agents/ranged.toml"
}

@test "agent doctor: what a filtered network lacks, secrets, and presets that are wrong" {
    local filtered=$TEST_HOME/filtered
    new_project "$filtered"
    mkdir -p "$CONFIG/boxes"
    echo 'network = { mode = "filtered", allow = ["auth.openai.com"], deny = ["chatgpt.com"] }' >"$CONFIG/boxes/filtered.toml"
    cd "$filtered"
    run box agent doctor robot
    assert_status 125
    assert_contains "error    it needs api.openai.com (@openai), which the box may not reach"
    assert_contains "fix: box net allow filtered @openai"
    assert_contains "error    it needs chatgpt.com (@openai), which 'deny chatgpt.com' forbids"
    refute_contains 'needs auth.openai.com'
    [ "$(box agent doctor robot --json | jq -c '[.box, .agents[].name, .agents[].usable, .agents[].worst]')" = '["filtered","robot",false,"error"]' ]
    echo 'network = { mode = "filtered", allow = ["@openai"] }' >"$CONFIG/boxes/filtered.toml"
    run box agent doctor robot
    assert_status 0
    assert_contains "ok       the box may reach all that it needs"
    # What audit lets through is not missing, and what is asked about is not refused.
    echo 'network = { mode = "filtered", audit = true }' >"$CONFIG/boxes/filtered.toml"
    [ "$(finding network)" = "ok the box may reach all that it needs; null" ]
    echo 'network = { mode = "filtered", ask = true }' >"$CONFIG/boxes/filtered.toml"
    run box agent doctor robot
    assert_status 0
    assert_contains "note     it needs api.openai.com (@openai), which you are asked about"
    echo 'network.mode = "none"' >"$CONFIG/boxes/filtered.toml"
    [[ $(finding network) == "error the box has no network;"* ]]
    # A secret for its hosts; one for others does not count.
    box secret add other --host other.example.org --as bearer --value-fd 0 <<<a-long-value-of-a-secret
    box secret attach other
    [[ $(finding login) == "note "* ]]
    box secret add model --host api.openai.com --as bearer --value-fd 0 <<<a-long-value-of-a-secret
    box secret attach model
    [[ $(finding secret) == "warning the secret model does not work while"* ]]
    echo 'network = { mode = "filtered", allow = ["@openai"] }' >"$CONFIG/boxes/filtered.toml"
    [ "$(finding secret)" = "ok for its hosts the box has the secret model; null" ]
    [ "$(finding login)" = '' ]
    # The first start says no more that there is none.
    (cd "$PROJECT" && box agent install robot)
    run box agent install robot
    assert_status 0
    refute_contains 'no secret'
    box secret detach model
    box agent remove robot
    run box agent install robot
    assert_contains "box 'filtered' has no secret for 'robot'"
    box agent remove robot
    echo 'package = 3' >"$CONFIG/agents/broken.toml"
    run box agent doctor broken
    assert_status 125
    assert_contains "error    $CONFIG/agents/broken.toml:1:11"
    rm "$CONFIG/agents/broken.toml"
    run box agent doctor nothing
    assert_status 125
    assert_contains "error    there is no preset 'nothing'"
}

@test "agent list, info: presets and what boxes have of them, with text of a box made harmless" {
    stand_in fake
    run box agent list
    assert_contains "@anthropic-ai/claude-code"
    [[ $output =~ fake\ +-\ +shop\ 1.2.3 ]] || fail "$output"
    run box agent info robot
    assert_contains "$CONFIG/agents/robot.toml"
    assert_contains "ROBOT=on --always 'a b'"
    assert_contains "@openai"
    box agent info robot --json | jq -e '.login == ["~/.robot/login"] and .always == {"arguments": ["--always", "a b"], "env": ["ROBOT=on"]} and
        .no_ask.env == ["ROBOT_ASKS=no"] and .ask.arguments == ["--careful"] and .version == null'
    box agent info fake --json | jq -e '.boxes == [{"box": "shop", "version": "1.2.3"}]'
    # A broken one is named, and hides no other.
    echo 'package = 3' >"$CONFIG/agents/broken.toml"
    run box agent list
    assert_status 0
    assert_contains "agents/broken.toml:1:11: package must be a text"
    assert_contains robot
    run box agent run broken
    assert_status 78
    rm "$CONFIG/agents/broken.toml"
    # What a package says of its version is its own.
    printf 'program = "odd"\ninstall = """\ntouch bin/odd; chmod +x bin/odd; printf "1, cafe 9\\\\033[31m" >version\n"""\n' >"$CONFIG/agents/odd.toml"
    box agent install odd
    run box agent list
    assert_contains 'shop "1, cafe 9\x1b[31m"'
    run box agent info odd
    refute_contains $'\e'
    box agent remove odd
    rm "$CONFIG/agents/odd.toml"
}

@test "agent: a file of the host behind a link, a FIFO or a long file is no version (1)" {
    echo secret >"$TEST_HOME/secret"
    local how
    for how in "ln -s $TEST_HOME/secret version" "mkfifo version" "head -c 100000 /dev/zero >version" "mkdir version" "printf %65s 1 >version"; do
        printf 'program = "odd"\ninstall = "touch bin/odd; chmod +x bin/odd; %s"\n' "$how" >"$CONFIG/agents/odd.toml"
        run timeout 120 box agent install odd
        assert_status 125
        assert_contains "the package of 'odd' has no version"
        refute_contains secret
        has_version '' odd
    done
    box agent remove odd
    rm "$CONFIG/agents/odd.toml"
}

@test "agent: a project has no presets (7)" {
    local evil='package = "/nowhere"
program = "evil"' folder
    for folder in agents .config/litterbox/agents .litterbox/agents data/agents share/litterbox/agents; do
        mkdir -p "$folder"
        echo "$evil" | tee "$folder/evil.toml" >"$folder/claude.toml"
    done
    run box agent run evil
    assert_status 125
    assert_contains "there is no preset 'evil'"
    run box agent list
    refute_contains evil
    run box agent info claude
    refute_contains "$PROJECT"
    for name in "$PROJECT/agents/evil" ./agents/evil "../../../litterbox-tests/$LITTERBOX_INSTANCE/shop/agents/evil" agents/evil.toml; do
        run box agent run "$name"
        assert_status 125
        assert_contains "there is no preset"
    done
    new_project "$TEST_HOME/asks"
    echo '[agents]' >"$TEST_HOME/asks/litterbox.toml"
    run box agent run claude asks
    assert_status 78
    assert_contains agents
}

@test "agent run: Claude Code and Codex ask nothing that the box answers, but with --ask" {
    stand_in claude
    run box agent run claude -- -p hello
    assert_contains DISABLE_AUTOUPDATER=1
    assert_contains CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
    assert_contains "--dangerously-skip-permissions
-p
hello"
    assert_contains '"sandbox": {"enabled": false}'
    run box agent run --ask claude -- -p hello
    refute_contains --dangerously-skip-permissions
    assert_contains '"sandbox": {"enabled": false}'
    stand_in codex
    run box agent run codex -- exec hello
    assert_contains 'sandbox_mode="danger-full-access"'
    assert_contains 'approval_policy="never"'
    assert_contains "projects={\"$PROJECT\"={trust_level=\"trusted\"}}
exec
hello"
    run box agent run --ask codex -- exec hello
    assert_contains "projects={\"$PROJECT\"={trust_level=\"untrusted\"}}"
    refute_contains 'approval_policy='
    # A program that the box has lost.
    rm -r "$TOOLS"/shared/codex/*/bin
    run -127 box agent run codex
    assert_contains "'box agent update codex' installs it anew"
}

@test "agent run: files of a preset are there before it starts, and it cannot change them" {
    cat - "$CONFIG/agents/robot.toml" >"$CONFIG/agents/filed.toml" <<'END'
files = { "a.json" = '{"b": "$HOME"}', "c" = "" }
END
    sed -i 's,ROBOT = "on",ROBOT = "{files}/a.json",' "$CONFIG/agents/filed.toml"
    run --separate-stderr box agent run filed -- 'run:cat "$ROBOT"; ls -A "${ROBOT%/*}"; echo x >"$ROBOT" || rm "$ROBOT" || mv "${ROBOT%/*}" /tmp || echo held'
    assert_contains 'ROBOT=/run/litterbox-agents/filed/a.json'
    assert_contains '{"b": "$HOME"}a.json
c
held'
    # What root of the box did to them is gone at the next start.
    box run -u root -- sh -c 'cd /run/litterbox-agents/filed && rm c && echo x >a.json && ln -s /etc/passwd c'
    run --separate-stderr box agent run filed -- 'run:cat "$ROBOT" "${ROBOT%/*}/c"'
    [ "${output##*$'\n'}" = '{"b": "$HOME"}' ] || fail "$output"
    [ "$(box agent info filed --json | jq -c .files)" = '{"a.json":"{\"b\": \"$HOME\"}","c":""}' ]
    # One that cannot be written keeps the agent from starting.
    box run -u root -- sh -c 'rm -rf /run/litterbox-agents && echo >/run/litterbox-agents'
    run --separate-stderr box agent run filed -- last
    assert_status 125
    assert_output ''
    [[ $stderr == *"'robot' was not started"* ]] || fail "$stderr"
    box agent remove filed
}

@test "agent run: files of a preset for the home are written where there is nothing, and are the agent's" {
    cat - "$CONFIG/agents/robot.toml" >"$CONFIG/agents/homely.toml" <<'END'
files = { "~/.homely/with space.json" = '{"b": "$HOME"}', "~/link" = "x" }
END
    box run -- sh -c 'cd && ln -s .homely/missing link'
    run --separate-stderr box agent run homely -- 'run:cd ~/.homely; cat with*; stat -c " %a" with*; readlink ../link; ls -A; echo mine >"$(ls)"'
    assert_contains '{"b": "$HOME"} 600
.homely/missing
with space.json'
    run --separate-stderr box agent run homely -- 'run:cat ~/.homely/with*'
    [ "${output##*$'\n'}" = mine ] || fail "$output"
    box agent remove homely
}
