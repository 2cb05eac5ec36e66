#!/usr/bin/env bats
# A box cannot create protected paths that do not exist yet (invariant 7).
# shellcheck disable=SC2030,SC2031 # each test is a subshell

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }
teardown() { rm -rf "$PROJECT"/{.envrc,.vscode,.git,.config,x,d,l}; }

reserved=".envrc .vscode .git litterbox.toml .mcp.json mise.toml"

# none_made COMMAND: asserts that COMMAND creates none of the names; "%" stands for the name.
none_made() {
    local name
    for name in $reserved; do
        attempt "${1//%/$name}"
        { [ ! -e "$name" ] && [ ! -L "$name" ]; } || fail "'$name' was made by: ${1//%/$name}"
    done
}

@test "reserved: control: the same commands create ordinary names" {
    reserved=ordinary
    for command in 'echo x >%' 'mkdir %' 'ln -s /tmp %' 'mkfifo %' 'echo x >x; mv x %' 'echo x >x; ln x %' 'cd x; cd ..; echo x >./x/../%'; do
        mkdir -p x
        rm -rf ordinary
        case $command in *">x;"*) rm -rf x ;; esac
        run none_made "$command"
        [ "$status" = 1 ] || fail "made nothing: $command"
        assert_contains "was made by"
        rm -rf ordinary x
    done
}

@test "reserved: open, mkdir, symlink and mkfifo create no reserved name (7)" {
    none_made 'echo evil >%'
    none_made 'mkdir %'
    none_made 'mkdir -p %/below'
    none_made 'mkdir %/'
    none_made 'ln -s /tmp %'
    none_made 'mkfifo %'
    none_made 'touch %'
}

@test "reserved: rename, exchange and hard links create no reserved name (7)" {
    none_made 'echo evil >x; mv x %'
    none_made 'rm -rf x; mkdir -p x/hooks; echo evil >x/hooks/pre-commit; mv x %'
    none_made 'echo evil >x; ln x %'
    none_made 'echo evil >x; ./attack exchange x %'
    none_made 'cd /tmp; echo evil >e; mv e "$OLDPWD/%"'
}

@test "reserved: other paths to the same folder create no reserved name (7)" {
    none_made 'echo evil >./%'
    none_made 'mkdir -p x; echo evil >x/../%'
    none_made 'mkdir -p x; cd x; echo evil >../%'
    none_made 'ln -s . d; echo evil >d/%'
    none_made 'cd ..; echo evil >shop/%'
    none_made 'echo evil >"$PWD"//%'
}

@test "reserved: paths through /proc/self, /proc/thread-self and /dev/fd create none (7)" {
    none_made 'echo evil >/proc/self/cwd/%'
    none_made 'echo evil >/proc/thread-self/cwd/%'
    none_made 'echo evil >"/proc/self/root$PWD/%"'
    none_made 'exec 7<.; echo evil >/dev/fd/7/%'
    none_made 'ln -sfn /proc/self/cwd d; echo evil >d/%'
    none_made 'echo evil >"/proc/$$/cwd/%"'
}

@test "reserved: dangling symbolic links and chains of them create none (7)" {
    none_made 'ln -sfn % l; echo evil >l'
    none_made 'ln -sfn % l; ln -sfn l m; echo evil >m; rm m'
    none_made 'ln -sfn "$PWD/%" /tmp/l; echo evil >/tmp/l'
    none_made 'ln -sfn /proc/self/cwd/% l; echo evil >l'
    none_made 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ln -sfn l$((i-1)) l$i; done; ln -sfn % l0; echo evil >l12; rm -f l[0-9]*'
}

@test "reserved: renaming the folder above the project does not help (7)" {
    none_made 'mv .. ../../away; cd ../../away/shop; echo evil >%; mv .. ../../'"$LITTERBOX_INSTANCE"
    none_made 'mv .. ../../away; echo evil >%; mv ../../away ../../'"$LITTERBOX_INSTANCE"
    assert_box_alive
}

@test "reserved: descriptors, openat, openat2, O_TMPFILE and linkat create none (7)" {
    none_made 'python3 -c "import os; d = os.open(\"..\", os.O_RDONLY); os.open(\"shop/%\", os.O_CREAT | os.O_WRONLY, dir_fd=d)"'
    none_made 'python3 -c "import os; d = os.open(\".\", os.O_PATH); os.mkdir(\"%\", dir_fd=d)"'
    none_made 'python3 -c "
import os
fd = os.open(\".\", os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(fd, b\"evil\")
os.link(f\"/proc/self/fd/{fd}\", \"%\", follow_symlinks=True)"'
}

@test "reserved: common tools create none: git init, cp -r, tar, renames (7)" {
    none_made 'git init -q .'
    none_made 'git init -q x; cp -r x/.git .'
    none_made 'git clone -q --bare x /tmp/x 2>/dev/null; git init -q --separate-git-dir=/tmp/y .'
    none_made 'mkdir -p /tmp/t; echo evil >/tmp/t/%; tar -C /tmp/t -c % | tar x'
    none_made 'echo evil >/tmp/e; install /tmp/e %'
}

@test "reserved: root of the box and a leftover daemon create none (7)" {
    local name
    for name in $reserved; do
        box run -u root -- sh -c "cd $PROJECT && echo evil >$name" 2>/dev/null || true # refused
        [ ! -e "$name" ]
    done
    in_box sh -c '(setsid sh -c "sleep 0.5; echo evil >.envrc; mkdir .vscode; echo done >x" &) '
    eventually test -e x
    [ ! -e .envrc ]
    [ ! -e .vscode ]
}

@test "reserved: root of the box in another root folder creates none (7)" {
    run box run -u root -- python3 -c '
import os, sys
project = sys.argv[1]
top, rest = project.split("/", 2)[1:]
os.symlink("/" + rest, "/tmp/l")
os.chroot("/" + top)
os.chdir("/")
for path in ("/" + rest + "/.envrc", rest + "/.envrc"):
    try:
        open(path, "w")
    except OSError as error:
        print(error)
' "$PROJECT"
    assert_contains rror
    [ ! -e .envrc ]
    # The link is in the user's folder, for which the root is unchanged.
    in_box ln -sfn "/${PROJECT#/*/}" d
    run box run -u root -- python3 -c '
import os, sys
top = sys.argv[1].split("/")[1]
rest = sys.argv[1][len(top) + 1:]
os.chroot("/" + top)
os.chdir("/")
for path in (rest + "/d/.envrc", "." + rest + "/d/.envrc"):
    try:
        open(path, "w")
    except OSError as error:
        print(error)
' "$PROJECT"
    assert_contains Errno
    [ ! -e .envrc ] || fail "made through a link in another root"
}

@test "reserved: a folder for protected names can be made, but none of them in it (7)" {
    local try
    in_box sh -c 'mkdir .config && echo fine >.config/other'
    [ "$(cat .config/other)" = fine ]
    for try in 'echo evil >.config/mise.toml' 'mkdir .config/mise' 'echo evil >.config/Lefthook.YML' \
        'echo evil >x; mv x .config/lefthook.yml' 'ln -s /tmp .config/mise' \
        'mkdir d; echo evil >d/mise.toml; rm -r .config; mv d .config' 'mkdir d; echo evil >d/mise.toml; rm -r .config; ln -s d .config'; do
        attempt "$try"
        [ ! -e .config/mise.toml ] && [ ! -e .config/mise ] && [ ! -e .config/lefthook.yml ] && [ ! -L .config ] ||
            fail "made by: $try"
        rm -rf d x
        mkdir -p .config
    done
}

@test "reserved: no subvolume or snapshot of btrfs comes to be under a protected name (7)" {
    local disk try name
    disk=$(stat -f -c %T .)
    mkdir volume
    if [ "$disk" = btrfs ]; then
        # The controls: the user makes both here, and a box copies extents.
        rmdir volume
        btrfs subvolume create volume
        btrfs subvolume snapshot volume copy
        rmdir copy
        in_box cp --reflink=always attack copy
        cmp attack copy
        in_box lsattr attack
        rm -f copy
    fi
    for try in 'btrfs subvolume create "$1"' 'btrfs subvolume snapshot volume "$1"' 'btrfs subvolume snapshot -r volume "$1"' \
        'btrfs subvolume create other; mv other "$1"'; do
        for name in .vscode .config/mise; do
            mkdir -p .config
            attempt "$try" "$name"
            [ ! -e "$name" ] || fail "made: $name by: $try"
        done
    done
    [ ! -e other ]
    rm -rf volume
}

@test "reserved: a box cannot stop, kill or trace the guard (9)" {
    run in_box ps -o pid= -C box-guard
    local guard=${output// /}
    [ -n "$guard" ]
    for signal in 9 15 19; do
        attack signal "$guard" "$signal"
        assert_refused EPERM
    done
    attack ptrace "$guard"
    assert_refused EPERM
    attack_as_root ptrace "$guard"
    assert_refused EPERM
    attack steal "$guard"
    assert_refused EPERM
}

@test "reserved: when root of the box kills the guard, nothing can be created (7)" {
    local guard
    guard=$(in_box pgrep -x box-guard | head -1)
    run box run -u root -- pkill -9 -x box-guard
    # pkill's own session may be ended for it before pkill says that it is done.
    [ "$status" -eq 0 ] || { assert_status 125 && assert_contains "guard"; }
    eventually sh -c '! box run -- kill -0 "$0" 2>&1 | grep -q permitted' "$guard"
    # A session that starts before PID 1 has started another guard is refused.
    in_box sh -c 'echo evil >.envrc' || true # refused, or under the new guard
    [ ! -e .envrc ]
    eventually in_box true
    attempt 'echo evil >.envrc'
    [ ! -e .envrc ]
    box restart
    assert_box_alive
}
