#!/usr/bin/env bats
# Files of a box's home that have a placeholder: what tools read there, and attacks on what `box` writes in the box.
# shellcheck disable=SC2030,SC2031 # each test is a process of its own, with a PROJECT of its own

load escape.bash
load secrets.bash
load ../lib/image.bash
load ../lib/killed.bash

setup_file() {
    export REAL=ghp_realRealRealReal0123456789abcdefABCD OTHER=sk-ant-api03-otherOtherOtherOther0123456789
    secrets_begin secrets_server.py {api,other}.secrets.test
    mkdir "$TEST_HOME/shared"
    network filtered
    box secret add npm --host api.secrets.test --file "$HOME/.npmrc" --file-text '//api.secrets.test/:_authToken={}' \
        --value-fd 0 <<<"$REAL"
    box secret add net --host other.secrets.test --as basic --source env:OTHER --file .netrc \
        --file-text $'machine other.secrets.test\n\tlogin "me"\n\tpassword {}'
    # Below folders that are not there, and the placeholder alone.
    box secret add deep --host api.secrets.test:444 --source env:OTHER --file "$HOME/.config/deep er/token"
    box secret attach npm
    box secret attach net
    box secret attach deep
    box run -- true
}
teardown_file() {
    secrets_end secrets.test || return 0
    box secret remove npm
    box secret remove net
    box secret remove deep
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/seen"
}

# network MODE
network() {
    escape_config "[network]
mode = \"$1\"
$([ "$1" != filtered ] || echo "allow = [\"$OWN:443\"]")
[[mount]]
source = \"$TEST_HOME/shared\"
target = \"$HOME/sha red\"
mode = \"rw\"
[[mount]]
source = \"$TEST_HOME/shared\"
target = \"$HOME/of 2024\"
mode = \"rw\"
[box]
idle_stop = \"never\""
}

# in_home COMMAND [ARGUMENT…]: by the box's shell, in the home.
in_home() { in_box sh -c "cd && $1" - "${@:2}"; }
inside() { run in_home "$@"; }
# attaches NAME: again, so the next session looks at the file; said has what that says. It ends, whatever lies there.
attaches() {
    box secret attach "$1" 2>/dev/null
    said=$(timeout -k 5 60 box run -- true 2>&1) || fail "a session: $? $said"
}
no_value() { # TEXT
    [[ $1 != *realRealReal* && $1 != *otherOther* ]] || fail "a value is in: $1"
}
# is_written: the box has the three files.
is_written() {
    inside 'stat -c "%a %F" .npmrc .netrc ".config/deep er/token"'
    assert_output "$(printf '600 regular file\n600 regular file\n600 regular file')"
}

@test "secret files: tools find the placeholder where they look, and the server gets the key (5)" {
    is_written
    inside 'cat .npmrc .netrc ".config/deep er/token"; ls -A | grep "litterbox$"'
    no_value "$output"
    local expected=$'^//api\\.secrets\\.test/:_authToken=ghp_[0-9A-Za-z]{36}\nmachine other\\.secrets\\.test\n\tlogin "me"\n\tpassword sk-ant-api03-[0-9A-Za-z]+\nsk-ant-api03-[0-9A-Za-z]+$'
    [[ $output =~ $expected ]] || fail "$output"
    inside 'curl -sS --netrc https://other.secrets.test/who'
    assert_output served
    run cat "$TEST_HOME/seen"
    assert_output "other.secrets.test Basic $(printf 'me:%s' "$OTHER" | base64 -w 0) -"
    : >"$TEST_HOME/seen"
    inside 'curl -sS -H "Authorization: Bearer $(sed "s/.*=//" .npmrc)" https://api.secrets.test/who'
    assert_output served
    run cat "$TEST_HOME/seen"
    assert_output "api.secrets.test Bearer $REAL -"
    run grep -rslE 'realRealReal|otherOther' "$RUNTIME" "$STATE" "$DATA/boxes"
    assert_output ""
}

# The lab's Debian 13 has npm there, and the box has that folder of the host.
@test "secret files: npm with the token of its file (5)" {
    local npm
    npm=$(command -v npm || echo /usr/local/lib/npm/node_modules/.bin/npm)
    [ -x "$npm" ] || skip "npm is not here"
    inside 'cd /tmp && "$1" whoami --registry=https://api.secrets.test/' "$npm"
    assert_contains npm-user
    run cat "$TEST_HOME/seen"
    assert_contains "Bearer $REAL"
}

@test "secret files: a file that is removed is there again after a restart, apply and attach, and not before" {
    local how
    for how in restart apply "secret attach npm"; do
        in_home 'rm .npmrc'
        inside 'ls .npmrc'
        [ "$status" != 0 ] || fail "$how"
        [ "$how" != apply ] || printf '[terminal]\ntitles = false\n' >>"$PROJECT/litterbox.toml"
        box trust --yes >/dev/null
        # shellcheck disable=SC2086 # words
        run box $how
        assert_status 0
        is_written
    done
}

@test "secret files: a file with other contents is the user's, and stays as it is" {
    local plant
    for plant in 'echo mine >.npmrc' 'echo mine >.npmrc; chmod 444 .npmrc' 'echo mine >.npmrc; chmod 0 .npmrc' ': >.npmrc' \
        'cp .npmrc x; echo more >>x; mv x .npmrc' 'tr a b <.npmrc >x; mv x .npmrc' 'truncate -s 1T .npmrc'; do
        inside "$plant; stat -c '%i %a %s %Y' .npmrc"
        local before=$output
        [ -n "$before" ]
        attaches npm
        [[ $said == *"~/.npmrc does not get the placeholder of secret 'npm': something else is there, and stays"* ]] || fail "$plant: $said"
        # Once for each start.
        [ "$(box run -- true 2>&1)" = "" ]
        inside "stat -c '%i %a %s %Y' .npmrc"
        assert_output "$before"
        in_home 'rm -f .npmrc'
        attaches npm
        [ "$said" = "" ] || fail "$said"
        is_written
    done
}

@test "secret files: what lies beside it is the user's, and what a killed script has left goes" {
    local left
    left=.litterbox.$(cat /proc/sys/kernel/random/uuid)
    in_home 'rm .npmrc; echo mine >.npmrc.litterbox; echo mine >"$1"; ln -s .npmrc.litterbox "${1%?}-"
        mkdir "${1%?}."; head -c 5 .netrc >"${1%?}_"; cp .netrc "${1%?}x"; echo >>"${1%?}x"; : >"${1%?}y"' "$left"
    attaches npm
    [ "$said" = "" ] || fail "$said"
    is_written
    inside 'cat .npmrc.litterbox "$1" "${1%?}-"; cmp .netrc "${1%?}x"; rmdir "${1%?}." && rm .npmrc.litterbox "$1" "${1%?}-" "${1%?}x"
        ls -A | grep "^.litterbox"' "$left"
    assert_output $'mine\nmine\nmine\ncmp: EOF on .netrc after byte '"$(stat -c %s "$DATA/boxes/shop/home/.netrc"), line 3"
}

@test "secret files: no link, FIFO or folder that a box has put there leads elsewhere, with control (1)" {
    local plant
    in_box sh -c 'cd && echo keep >other && echo keep >/tmp/other && echo keep >"$1/other"' - "$PROJECT"
    for plant in 'ln -s "$1/other" .npmrc' 'ln -s "$1/new" .npmrc' 'ln -s other .npmrc' 'ln -s new .npmrc' 'ln -s /tmp/other .npmrc' \
        'ln -s /tmp/new .npmrc' 'ln -s .npmrc .npmrc' 'ln -s /dev/zero .npmrc' 'ln other .npmrc' 'mkfifo .npmrc' 'mkdir .npmrc' \
        'ln -s "$1" .npmrc'; do
        inside "rm -rf .npmrc; $plant; stat -c %F .npmrc" "$PROJECT"
        local kind=$output
        attaches npm
        [[ $said == *"~/.npmrc does not get the placeholder of secret 'npm'"* ]] || fail "$plant: $said"
        inside 'stat -c %F .npmrc; cat other /tmp/other "$1/other"; ls new /tmp/new "$1/new" .npmrc/* 2>/dev/null | grep -v other' "$PROJECT"
        [[ $output == "$kind"$'\nkeep\nkeep\nkeep'* ]] || fail "$plant: $output"
        refute_contains new
    done
    run grep -rs authToken "$PROJECT"
    assert_output ""
    # Control: without them it is written.
    in_home 'rm -rf .npmrc other; rm /tmp/other "$1/other"' "$PROJECT"
    attaches npm
    is_written
}

@test "secret files: no link in place of a folder leads elsewhere, with control (1)" {
    local plant
    for plant in 'ln -s "$1" .config' 'mkdir .config; ln -s "$1" ".config/deep er"' 'mkdir .config out; ln -s ../out ".config/deep er"' \
        'mkdir .config; ln -s /tmp ".config/deep er"' 'mkdir .config; ln -s missing ".config/deep er"' \
        'mkdir .config; mkfifo ".config/deep er"' 'mkdir .config; : >".config/deep er"' 'ln -s . .config; mkdir "deep er"' 'mkfifo .config'; do
        inside "rm -rf .config out 'deep er'; $plant" "$PROJECT"
        assert_status 0
        attaches deep
        [[ $said == *"~/.config/deep er/token does not get the placeholder of secret 'deep': its folder is a link, or no folder"* ]] ||
            fail "$plant: $said"
        inside 'ls -d "$1/token" "$1/deep er" out/token /tmp/token missing ".config/deep er/token" "deep er/token"' "$PROJECT"
        refute_contains $'\n/'
        [ "$(grep -vc 'cannot access' <<<"$output")" = 0 ] || fail "$plant: $output"
    done
    in_home 'rm -rf .config out "deep er"'
    attaches deep
    is_written
}

@test "secret files: folders that are exchanged for links all the time lead nowhere else (1)" {
    local i
    # shellcheck disable=SC2016 # the box's shell expands these
    box run -d -- sh -c 'cd && touch began && while [ -e began ]; do
        rm -rf .config; ln -sn "$1" .config; rm -f .config; mkdir -p ".config/deep er"; ln -sfn "$1" "x"; mv -T x ".config/deep er" 2>/dev/null
        rmdir ".config/deep er" 2>/dev/null; ln -sn "$1" ".config/deep er" 2>/dev/null; done; touch ended' - "$PROJECT"
    eventually in_box sh -c 'test -e ~/began'
    for ((i = 0; i < 15; i++)); do
        attaches deep
        run find "$PROJECT" -name '*token*' -o -name '.litterbox*' -o -name 'deep*'
        assert_output ""
    done
    in_home 'rm began'
    eventually in_box sh -c 'test -e ~/ended'
    in_home 'rm -rf ended .config x'
    attaches deep
    is_written
}

@test "secret files: a link to a folder that comes and goes all the time where the file belongs leads nowhere else (1)" {
    local i
    # shellcheck disable=SC2016 # the box's shell expands these
    box run -d -- sh -c 'cd && touch began && while [ -e began ]; do ln -sn "$1" .npmrc; rm -f .npmrc; done; touch ended' - "$PROJECT"
    eventually in_box sh -c 'test -e ~/began'
    for ((i = 0; i < 15; i++)); do
        attaches npm
        run find "$PROJECT" -name '.litterbox*' -o -name '.npmrc'
        assert_output ""
    done
    in_home 'rm began'
    eventually in_box sh -c 'test -e ~/ended'
    in_home 'rm -rf ended .npmrc'
    attaches npm
    is_written
}

@test "secret files: nothing is written into what is mounted below the home, such as the project (1)" {
    local file
    [[ $PROJECT == "$HOME"/* ]]
    for file in "${PROJECT#"$HOME"/}/sub/token" "sha red/sub/token" "sha red/token" "of 2024/token"; do
        box secret add here --host api.secrets.test:445 --source env:OTHER --file "$file" 2>/dev/null
        attaches here
        [[ $said == *"~/$file does not get the placeholder of secret 'here': its folder is not of this box alone"* ]] || fail "$said"
        [ ! -e "$PROJECT/sub" ]
        [ -z "$(ls -A "$TEST_HOME/shared")" ] || fail "$(ls -A "$TEST_HOME/shared")"
    done
    box secret remove here
    # Control: the box could write there.
    in_home 'mkdir "$1/sub" "sha red/sub"' "$PROJECT"
    rmdir "$PROJECT/sub" "$TEST_HOME/shared/sub"
}

@test "secret files: what was written is exchanged when the value changes, and detach removes that alone" {
    local before
    before=$(in_box sh -c 'cat ~/.npmrc')
    box secret add npm --host api.secrets.test --file .npmrc --value-fd 0 <<<"npm_$REAL" 2>/dev/null
    attaches npm
    [ "$said" = "" ] || fail "$said"
    inside 'cat .npmrc'
    [[ $output =~ ^npm_[0-9A-Za-z_]+$ && $output != "$before" ]] || fail "$output"
    no_value "$output"
    # In another file.
    box secret add npm --host api.secrets.test --file .token --file-text '//api.secrets.test/:_authToken={}' --value-fd 0 <<<"$REAL" 2>/dev/null
    attaches npm
    inside 'ls .npmrc .token'
    assert_contains .token
    assert_contains "cannot access '.npmrc'"
    in_home 'mv .token .npmrc; echo mine >.token'
    box secret add npm --host api.secrets.test --file .npmrc --file-text '//api.secrets.test/:_authToken={}' --value-fd 0 <<<"$REAL" 2>/dev/null
    attaches npm
    inside 'cat .npmrc .token; rm .token'
    assert_output "$before"$'\nmine'
    in_home 'echo mine >>.netrc'
    box secret detach npm
    box secret detach net
    inside 'ls .npmrc .netrc ".config/deep er/token"; tail -n 1 .netrc; rm .netrc'
    assert_contains "cannot access '.npmrc'"
    assert_contains ".netrc"
    assert_contains token
    assert_contains mine
    box secret attach npm
    box secret attach net
    is_written
}

# stops_scripts: a program of the box stops each script of `box` in its home, until ~/began is gone, and says so in ~/stopped.
stops_scripts() {
    # shellcheck disable=SC2016 # the box's shell expands these
    box run -d -- sh -c 'cd && touch began && while [ -e began ]; do
        for p in $(grep -lsz "^umask 077" /proc/[0-9]*/cmdline); do p=${p%/*}; kill -STOP "${p#/proc/}" && touch stopped; done; done; touch ended'
    eventually test -e "$BOX_HOME/began"
}
stops_no_script() {
    rm "$BOX_HOME/began"
    eventually test -e "$BOX_HOME/ended"
    rm -f "$BOX_HOME/ended" "$BOX_HOME/stopped"
}

@test "secret files: no session waits for ever for a program of the box, with control (1)" {
    local BOX_HOME=$DATA/boxes/shop/home
    in_home 'rm -f .npmrc .netrc'
    stops_scripts
    attaches npm # and does not wait for each file
    [ -e "$BOX_HOME/stopped" ]
    [[ $said == *"~/.npmrc does not get the placeholder of secret 'npm': it takes too long"* ]] || fail "$said"
    # Once for each start.
    [ "$(box run -- true 2>&1)" = "" ]
    stops_no_script
    attaches npm
    is_written
}

@test "secret files: who is killed meanwhile leaves no file that the record does not know, and no record that grows" {
    local BOX_HOME=$DATA/boxes/shop/home record=$DATA/boxes/shop/secret-files pid i
    in_home 'rm -f .npmrc'
    stops_scripts
    for i in 1 2 3; do
        box secret add npm --host api.secrets.test --file ".npmrc$((i % 2))" --value-fd 0 <<<"$REAL" 2>/dev/null
        box secret attach npm
        rm -f "$BOX_HOME/stopped"
        "$(dirname "$(command -v box)")/box" run -- true 3>&- &
        pid=$!
        eventually test -e "$BOX_HOME/stopped"
        kill -KILL "$pid"
        wait "$pid" || true
    done
    stops_no_script
    run sort "$record"
    assert_output "$(sort -u "$record")"
    box secret detach npm
    inside 'ls -A | grep npmrc'
    assert_output ""
    box secret add npm --host api.secrets.test --file .npmrc --file-text '//api.secrets.test/:_authToken={}' --value-fd 0 <<<"$REAL" 2>/dev/null
    box secret attach npm
    is_written
    [ "$(wc -l <"$record")" = 3 ]
}

@test "secret files: a detach that was killed before it told the box is done by the next one (9)" {
    local attached=$DATA/boxes/shop/secrets
    sed -i '/^npm$/d' "$attached"
    inside 'ls .npmrc; curl -sS -H "Authorization: Bearer $(sed "s/.*=//" .npmrc)" https://api.secrets.test/who'
    assert_contains served # control: the box can use it
    run box secret detach npm
    [ "$status" != 0 ]
    assert_contains "has no secret 'npm'"
    inside 'ls .npmrc'
    assert_contains "cannot access '.npmrc'"
    [ "$(grep -c npm "$RUNTIME/shop/secrets.list" "$attached")" = "$RUNTIME/shop/secrets.list:0
$attached:0" ]
    box secret attach npm
    is_written
}

# A secret that the box has and uses.
has_gone() {
    box secret add gone --host api.secrets.test --as x-api-key --variable GONE --value-fd 0 <<<goneGoneGone0123456789 2>/dev/null &&
        box secret attach gone 2>/dev/null && placeholder=$(box run -- printenv GONE) || return
    uses_gone || fail "it cannot be used: $placeholder"
}
uses_gone() {
    : >"$TEST_HOME/seen"
    in_box curl -sS -H "X-Api-Key: $placeholder" https://api.secrets.test/who >/dev/null && grep -q goneGoneGone "$TEST_HOME/seen"
}
is_gone_or_not() { # STATUS
    box run -- true 2>/dev/null || return
    if uses_gone; then
        [ "$(box secret list --json | jq -c '.[] | select(.name == "gone").boxes')" = '["shop"]' ]
    else
        [ "$(box secret list --json | jq '.[] | select(.name == "gone")')" = "" ] && ! box secret remove gone 2>/dev/null
    fi
}

@test "secret: a removal that was killed at any moment is done by the next command, also in the box (9)" {
    local placeholder
    # shellcheck disable=SC2034 # each counts them
    rounds=0
    each KILL has_gone is_gone_or_not 'rename unlink openat connect' box secret remove gone
    enough 9
}

@test "secret files: they stay while no value can be had" {
    mv "$DATA/secrets/npm" "$TEST_HOME/kept"
    env -u OTHER box restart 2>/dev/null || true
    run env -u OTHER box run -- sh -c 'cd && ls .npmrc .netrc ".config/deep er/token"'
    local said=$output
    mv "$TEST_HOME/kept" "$DATA/secrets/npm"
    box restart
    [[ $said == *"cannot reach the hosts of its secrets"* ]] || fail "control: $said"
    [[ $said != *"No such file"* ]] || fail "$said"
    is_written
}

@test "secret files: they stay while the value of some cannot be had, and go when they are detached meanwhile" {
    env -u OTHER box restart
    # Control: there is a placeholder of the other one alone.
    [ "$(grep -c . "$RUNTIME/shop/secrets.files")" = 1 ]
    is_written
    box secret detach net
    run env -u OTHER box run -- sh -c 'cd && ls .npmrc .netrc ".config/deep er/token"'
    assert_contains "cannot access '.netrc'"
    [ "$(grep -c 'cannot access' <<<"$output")" = 1 ]
    box secret attach net
    box restart
    is_written
}

@test "secret files: a branch with another network mode and the same home leaves them there, and detach removes them there, too" {
    network none
    box run --branch n -- sh -c 'cd && ls .npmrc && ! env | grep SSL_CERT_FILE'
    is_written
    box restart
    is_written
    box secret detach npm
    inside 'ls -A'
    refute_contains npmrc
    assert_contains .netrc
    box secret attach npm
    network filtered
    box branch drop --yes n
    box restart
    is_written
}

@test "secret files: none is in a snapshot, so that no earlier one comes back with the home" {
    in_home 'echo mine >>.netrc'
    box snapshot create --home
    run box snapshot show --names 1
    assert_contains .netrc # control: it is the user's
    refute_contains npmrc
    box secret add npm --host api.secrets.test --file .npmrc --value-fd 0 <<<"npm_$REAL" 2>/dev/null
    box secret attach npm
    box secret detach deep
    box run -- true
    run box snapshot diff --home 1
    refute_contains "npmrc"
    box snapshot restore --home --yes 1
    run box run -- sh -c 'cd && cat .npmrc; ls ".config/deep er"; tail -n 1 .netrc; rm .netrc'
    [[ $output == *$'\nnpm_'*$'\nmine' ]] || fail "$output"
    refute_contains token
    box secret add npm --host api.secrets.test --file .npmrc --file-text '//api.secrets.test/:_authToken={}' --value-fd 0 <<<"$REAL" 2>/dev/null
    box secret attach npm
    box secret attach deep
    is_written
}

@test "secret files: busybox, whose wc(1) reads all of a file, is enough for a box" {
    local PROJECT=$TEST_HOME/busy root=$TEST_HOME/root image=localhost/litterbox-$LITTERBOX_INSTANCE/busy:1 name said
    command -v busybox || skip "busybox is not here"
    mkdir -p "$PROJECT" "$root"/{bin,etc,tmp,proc,sys,dev,home,run,usr}
    cp "$(command -v busybox)" "$root/bin/busybox"
    for name in $(busybox --list | grep -v busybox); do
        ln -s busybox "$root/bin/$name"
    done
    ln -s ../bin "$root/usr/bin"
    tar -C "$root" --owner 0 --group 0 -c . | import_image "$image"
    cd "$PROJECT"
    escape_config "[network]
mode = \"filtered\"
[box]
image = \"$image\""
    box run -- true
    box secret attach deep
    attaches npm
    [ "$said" = "" ] || fail "$said"
    inside 'cat .npmrc ".config/deep er/token"; rm .npmrc; truncate -s 1024G .npmrc && ls -A'
    [[ $output == //api.secrets.test/:_authToken=ghp_*$'\nsk-ant-api03-'*.npmrc* ]] || fail "$output"
    attaches npm
    [[ $said == *"~/.npmrc does not get the placeholder of secret 'npm': something else is there, and stays"* ]] || fail "$said"
    in_home 'rm .npmrc; mkdir d; ln -s d .npmrc'
    attaches npm
    [[ $said == *"something else is there, and stays"* ]] || fail "$said"
    box secret detach npm
    box secret detach deep
    inside 'ls -A d ".config/deep er"; readlink .npmrc'
    assert_output $'.config/deep er:\n\nd:\nd'
    box rm --yes
    remove_image "$image"
}

@test "secret files: what cannot be removed is told, and removed after the next start" {
    local mode
    for mode in 555 355; do
        in_home 'chmod "$1" ".config/deep er"' "$mode"
        box secret detach deep
        run box run -- true
        assert_contains "deep er/token may still have the placeholder of secret 'deep'"
        [ "$(box run -- true 2>&1)" = "" ]
        box secret attach deep
    done
    box secret detach deep
    in_home 'chmod 755 ".config/deep er"; ls ".config/deep er/token"'
    box restart
    inside 'ls ".config/deep er"'
    assert_output ""
    box secret attach deep
    is_written
}

@test "secret files: a branch with a home of its own has them, and a copy of the box has none of the other box" {
    # shellcheck disable=SC2016 # the box's shell expands it
    run box run --branch b --isolated -- sh -c 'cat ~/.npmrc; rm ~/.netrc'
    assert_contains _authToken=ghp_
    refute_contains "does not get"
    is_written
    box stop shop.b
    box secret detach npm
    run box run --branch b --isolated -- sh -c 'cd && ls .npmrc .netrc'
    assert_contains "cannot access '.npmrc'"
    refute_contains "cannot access '.netrc'"
    box secret attach npm
    box branch drop --yes b
    box stop
    mkdir -p "$TEST_HOME/cafe"
    box clone "$PROJECT" "$TEST_HOME/cafe"
    [ -f "$DATA/boxes/cafe/home/.npmrc" ]
    cd "$TEST_HOME/cafe"
    run box run -- sh -c 'cd && ls -A'
    assert_status 0
    refute_contains .npmrc
    cd "$PROJECT"
    is_written
}

@test "secret: a file that cannot be is refused, two secrets do not have one, and the list has it" {
    local wrong
    for wrong in "--file /etc/passwd" "--file ../x" "--file .ssh/" "--file-text {}" "--file x --file-text token" "--file x --file-text {}{}" \
        "--file x --as sigv4"; do
        # shellcheck disable=SC2086 # words
        run box secret add x --host a.test --source env:OTHER $wrong
        [ "$status" != 0 ] || fail "$wrong"
        assert_contains "file"
    done
    run box secret add x --login claude --file x
    [ "$status" != 0 ]
    printf 'hosts = ["a.test"]\nsource = "env:OTHER"\nfile_text = "{}"\n' >"$CONFIG/secrets/x.toml"
    run box secret attach x
    [ "$status" != 0 ]
    assert_contains "no file is named"
    rm "$CONFIG/secrets/x.toml"
    box secret add x --host a.test --source env:OTHER --file ./.netrc
    run box secret attach x
    [ "$status" != 0 ]
    assert_contains "which sets .netrc, too"
    run box secret list
    assert_contains "/.config/deep er/token"
    run --separate-stderr box secret list --json
    [ "$(jq -c '[.[] | [.name, .file]]' <<<"$output")" = '[["deep","~/.config/deep er/token"],["net","~/.netrc"],["npm","~/.npmrc"],["x","~/.netrc"]]' ] ||
        fail "$output"
    box secret remove x
}
