#!/usr/bin/env bats
# What the keys of a configuration do, seen from inside a box. Those with files of their own (image,
# network, limits, devices, toolchains, sudo, trust, parts of projects) are tested there.

load ../lib/box.bash
setup() {
    box_setup
    mkdir -p "$CONFIG/boxes"
}
teardown() { box_teardown; }

# inside COMMAND…: stdout of it in a box of the plan that the file says now.
inside() {
    box run -- "$@" 2>/dev/null
}

@test "keys: box.shell is what enter opens" {
    trust_file $'[box]\nshell = "/bin/sh"'
    run on_terminal --send 'echo "shell $SHELL, $0"\n' --send 'exit\n' box enter
    assert_contains "shell /bin/sh, -sh"
}

@test "keys: box.env sets, box.pass_env passes what it names, and nothing else" {
    export NAMED=one PREFIX_A=two PREFIX_B=three OTHER=four
    trust_file $'[box]\nenv = { SET = "a b", EMPTY = "" }\npass_env = ["NAMED", "PREFIX_*", "MISSING"]'
    run inside env
    for line in "SET=a b" "EMPTY=" "NAMED=one" "PREFIX_A=two" "PREFIX_B=three"; do
        [[ $'\n'$output$'\n' == *$'\n'$line$'\n'* ]] || fail "no '$line': $output"
    done
    refute_contains OTHER
    refute_contains MISSING
    # What is passed is the caller's of each session, not of the one that made the box.
    NAMED=later run inside printenv NAMED
    assert_output later
}

@test "keys: box.path is in front of PATH, in sessions and login shells; a value is no shell's text" {
    trust_file $'[box]\npath = ["/opt/tools/bin", "~/go/bin"]'
    run inside sh -c 'echo "$PATH"'
    [[ $output = /run/litterbox/bin:/opt/tools/bin:$HOME/go/bin:$HOME/.local/bin:* ]] || fail "$output"
    run inside bash -lc 'echo "$PATH"'
    [[ $output = *:/opt/tools/bin:$HOME/go/bin:* ]] || fail "$output"
    inside sh -c 'mkdir -p ~/go/bin && printf "#!/bin/sh\necho mine\n" >~/go/bin/tool && chmod +x ~/go/bin/tool'
    run inside tool
    assert_output mine
    printf '[box]\nenv = { PATH = "/opt/tools/bin:$PATH" }\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "use box.path"
    printf '[box]\npath = ["tools", "/a:/b"]\n' >litterbox.toml
    run box trust --yes
    assert_status 78
    assert_contains "must be one folder"
}

@test "keys: box.workdir is where sessions start" {
    trust_file $'[box]\nworkdir = "/usr/share"'
    run inside pwd
    assert_output /usr/share
    run box run -w /usr -- pwd
    assert_output /usr
    trust_file $'[box]\nworkdir = "/nowhere"'
    box apply 2>/dev/null
    run box run -- pwd
    assert_status 125
    assert_contains "cannot change to '/nowhere' in the box"
}

@test "keys: box.name names it, and its home" {
    box rm --yes # which has a name
    trust_file $'[box]\nname = "till"'
    run inside printenv LITTERBOX_BOX
    assert_output till
    [ -d "$DATA/boxes/till/home" ]
}

@test "keys: home.share shows a part of the home, read-only unless it says rw" {
    local shared=$HOME/litterbox-tests/$LITTERBOX_INSTANCE/shared below
    below=${shared#"$HOME"/}
    mkdir -p "$shared"/{r,w,not}
    echo kept >"$shared/r/file"
    trust_file "[home]
share = [\"$below/r\", \"~/$below/w:rw\"]"
    run inside sh -c "cat '$shared/r/file'; touch '$shared/w/new'; touch '$shared/r/new'; ls '$shared'"
    assert_contains kept
    refute_contains not
    [ -e "$shared/w/new" ]
    [ ! -e "$shared/r/new" ]
}

@test "keys: protect.paths replaces the list, protect.extra adds to it" {
    trust_file $'[protect]\nextra = ["Makefile", "ci"]'
    run inside sh -c 'echo x >Makefile; mkdir ci; echo x >.envrc; echo x >free'
    assert_status 0
    [ ! -e Makefile ]
    [ ! -e ci ]
    [ ! -e .envrc ]
    [ -e free ]
    box rm --yes
    trust_file $'[protect]\npaths = ["only"]'
    run inside sh -c 'echo x >only; echo x >.envrc; echo "[box]" >litterbox.toml; echo tried'
    assert_contains tried
    [ ! -e only ]
    [ -e .envrc ]
    grep -q only litterbox.toml
}

@test "keys: network.tun gives the device, and no right to use it for more" {
    trust_file $'[network]\ntun = true'
    run inside sh -c 'test -c /dev/net/tun && echo there'
    assert_output there
    box rm --yes
    trust_file $'[network]\ntun = false'
    run inside test -e /dev/net/tun
    assert_status 1
}

@test "keys: limits.shm is the size of /dev/shm" {
    trust_file $'[limits]\nshm = "8M"'
    run inside df --output=size -k /dev/shm
    [ "${lines[1]//[[:space:]]/}" = 8192 ]
}

@test "keys: security.seccomp takes a profile of the host's, beside the filter of box-init" {
    cat >"$TEST_HOME/profile.json" <<'J'
{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["uname"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]}
J
    trust_file "[security]
seccomp = \"$TEST_HOME/profile.json\""
    run box run -- uname -s
    [ "$status" != 0 ]
    run inside unshare -U true
    [ "$status" != 0 ]
}

@test "keys: commands run under a profile of security.seccomp that has no unshare(2)" {
    cat >"$TEST_HOME/profile.json" <<'J'
{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["unshare"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}
J
    trust_file "[security]
seccomp = \"$TEST_HOME/profile.json\""
    for _ in 1 2 3; do # the first one may find no process ready
        run inside echo works
        assert_status 0
        assert_contains works
    done
}

@test "keys: a seccomp profile in a project is refused, as a box could change it" {
    echo '{"defaultAction": "SCMP_ACT_ALLOW"}' >profile.json
    trust_file "[security]
seccomp = \"$PROJECT/profile.json\""
    run box run -- true
    assert_status 78
    assert_contains "a box could change it"
    trust_file "[podman]
seccomp_profile_path = \"$PROJECT/x/../profile.json\""
    run box run -- true
    assert_status 78
    assert_contains "without '..'"
}

# What openat2(2) says in the box, and whether Landlock is there, if this kernel has it.
calls_of_sandboxes() {
    inside python3 -c '
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
how = ctypes.create_string_buffer(24)
print("openat2" if libc.syscall(437, -100, b".", how, 24) >= 0 else errno.errorcode[ctypes.get_errno()])
print("Landlock" if libc.syscall(444, None, 0, 1) > 0 else errno.errorcode[ctypes.get_errno()])'
}

@test "keys: protect.guard = false leaves the mounts alone, and needs a yes" {
    git init -q
    box run -- true
    run box run -- sh -c 'mkdir .vscode'
    [ "$status" != 0 ]
    run calls_of_sandboxes
    assert_output ENOSYS$'\n'ENOTSUP
    printf '[protect]\nguard = false\n' >litterbox.toml
    run box trust --show
    assert_contains "where there are none"
    box stop
    run setsid box run -- true </dev/null
    assert_status 78
    box trust --yes >/dev/null
    box apply --yes >/dev/null 2>&1
    inside mkdir .vscode
    run inside sh -c 'echo evil >>.git/config'
    [ "$status" != 0 ]
    run inside sh -c 'mv .git x || mv .git/config x'
    [ "$status" != 0 ]
    run box run -- pgrep -x box-guard
    assert_status 1
    rm -r .vscode
    run calls_of_sandboxes
    ! has_landlock || assert_output openat2$'\n'Landlock
    assert_contains openat2
    # And back: a box without a guard is not started as one with it.
    trust_file ''
    box stop
    run box run -- sh -c 'mkdir .vscode'
    [ "$status" != 0 ]
    [ ! -e .vscode ]
}

@test "keys: security.capabilities is for root of the box alone" {
    trust_file $'[security]\nsudo = "allow"\ncapabilities = ["NET_ADMIN"]'
    run inside sudo grep CapEff /proc/self/status
    (((16#${output##*[[:space:]]} >> 12) & 1)) || fail "root lacks NET_ADMIN: $output"
    run inside grep -E 'CapEff|CapPrm|CapAmb' /proc/self/status
    [ "$(tr -dc '1-9a-f' <<<"${output//Cap[A-Z][a-z][a-z]:/}")" = "" ] || fail "$output"
}

@test "keys: [podman] is merged, spelled out before it counts, and what is ours is refused" {
    printf '[podman]\nhostname = "till-4"\n' >litterbox.toml
    run box trust --show
    assert_contains hostname
    box trust --yes >/dev/null
    run inside cat /proc/sys/kernel/hostname
    assert_output till-4
    printf '[podman]\nuserns = { nsmode = "host" }\n' >litterbox.toml
    box trust --yes >/dev/null || true # fails where the key is refused
    run box apply
    assert_status 78
    assert_contains userns
}

@test "keys: your file for one box comes after the project's, which comes after your file for all" {
    printf '[box.env]\nA = "user"\nB = "user"\nC = "user"\n' >"$CONFIG/config.toml"
    trust_file $'[box.env]\nB = "project"\nC = "project"'
    printf '[box.env]\nC = "box"\n' >"$CONFIG/boxes/shop.toml"
    # shellcheck disable=SC2016
    run inside sh -c 'echo $A $B $C'
    assert_output "user project box"
}

@test "keys: a submodule's folder is a project whose git works, and whose repository is guarded" {
    git init -q "$TEST_HOME/part"
    git -C "$TEST_HOME/part" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
    git init -q "$TEST_HOME/whole"
    git -C "$TEST_HOME/whole" -c protocol.file.allow=always submodule add -q "$TEST_HOME/part" part
    cd "$TEST_HOME/whole/part"
    run box run -- git log --format=%s
    assert_status 0
    assert_contains one
    run box run -- git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two
    assert_status 0
    [ "$(git log -1 --format=%s)" = two ]
    run box run -- sh -c 'git config core.pager evil; echo evil >../.git/modules/part/hooks/post-commit; echo tried'
    assert_contains tried
    [ ! -e ../.git/modules/part/hooks/post-commit ]
    run grep evil ../.git/modules/part/config
    assert_output ""
}
