#!/usr/bin/env bats
# Privilege escalation of a session (invariant 6).

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

@test "privileges: a session has no capabilities, and has no_new_privs and seccomp (6)" {
    run in_box cat /proc/self/status
    local set
    for set in CapInh CapPrm CapEff CapBnd CapAmb; do
        assert_contains "$set:"$'\t'0000000000000000
    done
    assert_contains "NoNewPrivs:"$'\t'1
    assert_contains "Seccomp:"$'\t'2
    assert_contains "Groups:"$'\t'
    refute_contains "Groups:"$'\t'"0"
}

@test "privileges: so do sessions on a terminal and detached ones (6)" {
    run on_terminal box run -t -- grep -E 'Cap|NoNew|Seccomp:' /proc/self/status
    assert_contains "CapBnd:"$'\t'0000000000000000
    assert_contains "CapEff:"$'\t'0000000000000000
    assert_contains "NoNewPrivs:"$'\t'1
    assert_contains "Seccomp:"$'\t'2
    box run --detach -- sh -c 'cp /proc/self/status "$PWD/detached"'
    eventually test -s detached
    grep -q $'CapBnd:\t0000000000000000' detached
    grep -q $'Seccomp:\t2' detached
}

# no_strong_capability STATUS_FILE: asserts that the bounding set has none that Podman's default lacks.
no_strong_capability() {
    local caps bad names=(DAC_READ_SEARCH=2 NET_ADMIN=12 NET_RAW=13 SYS_MODULE=16 SYS_RAWIO=17
        SYS_ADMIN=21 SYS_BOOT=22 SYS_RESOURCE=24 SYS_TIME=25 SYS_TTY_CONFIG=26 MKNOD=27
        SYSLOG=34 PERFMON=38 BPF=39 CHECKPOINT_RESTORE=40)
    caps=0x$(sed -n 's/^CapBnd:\t//p' <<<"$1")
    for bad in "${names[@]}"; do
        [ $(((caps >> ${bad#*=}) & 1)) = 0 ] || fail "${bad%=*} in $caps"
    done
}

@test "privileges: root of the box has no strong capability, and has no_new_privs and seccomp (6)" {
    run box run -u root -- cat /proc/self/status
    no_strong_capability "$output"
    [ $((0x$(sed -n 's/^CapBnd:\t//p' <<<"$output") >> 19 & 1)) = 0 ] || fail "SYS_PTRACE"
    assert_contains "NoNewPrivs:"$'\t'1
    assert_contains "Seccomp:"$'\t'2
}

@test "privileges: PID 1 has no strong capability (6)" {
    run in_box cat /proc/1/status
    no_strong_capability "$output"
    assert_contains "Seccomp:"$'\t'2
}

@test "privileges: setuid programs of the host give nothing (6)" {
    local program
    for program in su passwd mount newuidmap chsh gpasswd fusermount3; do
        program=$(command -v "$program") && [ -u "$program" ] || continue
        found=1
        run in_box grep -E "Uid|CapEff" /proc/self/status
        assert_contains "CapEff:"$'\t'0000000000000000
    done
    [ -n "${found:-}" ] || fail "no setuid program to try"
    run in_box su -c id root </dev/null
    [ "$status" != 0 ]
    run in_box newuidmap 1 0 0 1
    [ "$status" != 0 ]
}

@test "privileges: a setuid program that root of the box left in /tmp gives nothing (6)" {
    box run -u root -- sh -c 'cp /usr/bin/id /tmp/id; chmod 4755 /tmp/id'
    run in_box stat -c '%a %u' /tmp/id
    assert_output "755 0"
    run in_box /tmp/id -u
    assert_output "$(id -u)"
}

# modes_left FOLDER: prints the modes of what set-user-ID and set-group-ID were asked for, by all calls that set a mode.
modes_left() {
    # shellcheck disable=SC2016 # the box's python
    in_box python3 -c '
import ctypes, os, stat, sys
libc = ctypes.CDLL(None)
os.chdir(sys.argv[1])
os.umask(0)
made = []
def file(name, mode=0o700):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode))
    made.append(name)
    return name
file("set-open", 0o6755)
libc.creat(b"set-creat", 0o6755); made.append("set-creat")
os.mknod("set-mknod", stat.S_IFREG | 0o6755); made.append("set-mknod")
os.chmod(file("set-chmod"), 0o6755)
os.chmod(file("set-no-run"), 0o6644)
fd = os.open(file("set-fchmod"), os.O_RDONLY); os.fchmod(fd, 0o6755)
os.chmod(file("set-fchmodat"), 0o4755, dir_fd=os.open(".", os.O_PATH))
libc.syscall(452, -100, file("set-fchmodat2").encode(), 0o6755, 0)
unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o6755)
os.link("/proc/self/fd/%d" % unnamed, "set-unnamed", src_dir_fd=unnamed); made.append("set-unnamed")
os.fchmod(unnamed, 0o6755)
os.chmod("/proc/self/fd/%d" % os.open(file("set-by-proc"), os.O_PATH), 0o6755)
os.rename("set-by-proc", "set-renamed"); made[-1] = "set-renamed"
os.chmod("set-renamed", 0o2755)
for name in made:
    print(name, oct(os.stat(name).st_mode & 0o6000))
    os.unlink(name)
os.mkdir("set-folder"); os.chmod("set-folder", 0o2775)
print("folder", oct(os.stat("set-folder").st_mode & 0o6000)); os.rmdir("set-folder")
' "$1"
}

@test "privileges: a box leaves no set-user-ID or set-group-ID file on the host (6)" {
    local place
    # shellcheck disable=SC2016 # the box's home
    for place in "$PROJECT" "$(in_box sh -c 'echo $HOME')"; do
        run modes_left "$place"
        assert_status 0
        [ "$(grep -c '^set-.* 0o0$' <<<"$output")" = 10 ] || fail "in $place: $output"
        refute_contains 0o4
        assert_contains "folder 0o2000"
    done
    attempt --root 'cp /usr/bin/id /tmp/kept; chmod 6755 /tmp/kept; cp /tmp/kept "$1/kept"; chmod 6755 "$1/kept"' "$PROJECT"
    [ ! -e kept ] || [ -z "$(find kept -perm /6000)" ]
    rm -f kept
}

@test "privileges: file capabilities give nothing (6)" {
    run in_box setcap cap_setuid+ep attack
    [ "$status" != 0 ]
    run box run -u root -- sh -c 'cp /usr/bin/python3 /tmp/python; /usr/sbin/setcap cap_setuid,cap_sys_admin+ep /tmp/python; /tmp/python -c "import os; print(open(\"/proc/self/status\").read())"'
    refute_contains CapEff:$'\t'0000002
    run in_box sh -c 'test -x /tmp/python && /tmp/python -c "import os; os.setuid(0)"'
    [ "$status" != 0 ]
}

@test "privileges: a session cannot become another user (6)" {
    run in_box python3 -c 'import os; os.setuid(0)'
    assert_contains PermissionError
    run in_box python3 -c 'import os; os.setgroups([0])'
    assert_contains PermissionError
}

@test "privileges: the usual tools create no namespaces (6)" {
    run in_box unshare -r id
    [ "$status" != 0 ]
    run in_box unshare -Urmpf id
    [ "$status" != 0 ]
    run in_box bwrap --ro-bind / / id
    [ "$status" != 0 ]
    run in_box nsenter -t 1 -a id
    [ "$status" != 0 ]
    run in_box nsenter --user=/proc/1/ns/user id
    [ "$status" != 0 ]
    # Control: they work on the host.
    unshare -r id
}

@test "privileges: chroot does not lead out of the root (6)" {
    attack chroot /tmp
    assert_refused EPERM
    # Root of the box may use chroot and gains nothing.
    run box run -u root -- python3 -c '
import os
d = os.open("/", os.O_RDONLY)
os.mkdir("/tmp/c")
os.chroot("/tmp/c")
os.fchdir(d)
os.chdir("../../../../../..")
os.chroot(".")
print(os.path.exists("/run/litterbox/root/init"))'
    [ "$output" = True ] || assert_contains PermissionError
}

@test "privileges: a session cannot create or open nodes of memory, disks, consoles or FUSE (6)" {
    local major minor type
    while read -r major minor type; do
        attack mknod "/tmp/node-$major-$minor" "$major" "$minor" "$type"
        assert_refused EPERM
        attack_as_root mknod "/tmp/root-$major-$minor" "$major" "$minor" "$type"
        assert_refused EPERM
        attack mknod "$PROJECT/node-$major-$minor" "$major" "$minor" "$type"
        assert_refused EPERM
    done <<'END'
1 1 c
1 11 c
4 0 c
5 1 c
8 0 b
254 0 b
10 229 c
END
}

@test "privileges: /dev has only harmless devices (6)" {
    # Not find -type, which uses the types in the folder and not those of the mounts.
    run in_box sh -c 'cd /dev; find . | sort | while read -r f; do [ ! -b "$f" ] || echo "$f"; [ ! -c "$f" ] || [ -L "$f" ] || echo -n "$f "; done'
    assert_output "./full ./null ./pts/ptmx ./random ./tty ./urandom ./zero "
    local name
    for name in mem kmem port kmsg fuse net/tun kvm sda vda loop0 dri snd input/event0 console vcs uinput; do
        run in_box sh -c "test -e /dev/$name"
        assert_status 1
    done
}

@test "privileges: a session cannot read the kernel's log, memory, keys or timers (1)" {
    run in_box dmesg
    [ "$status" != 0 ]
    local path
    for path in /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kallsyms /proc/timer_list /proc/sched_debug \
        /proc/latency_stats /proc/vmallocinfo /proc/slabinfo /proc/sysrq-trigger /sys/kernel/debug \
        /sys/kernel/tracing /sys/kernel/security /sys/firmware /sys/fs/bpf; do
        run in_box sh -c "head -c 4096 $path; ls -A $path" 2>/dev/null
        output=$(grep -av "^$path$" <<<"$output" | grep -avE '^0000000000000000|^ *[0-9]+:.* (dev|[0-9]+)/' || true)
        case $path in
        /proc/key-users) ;; # counts by uid of this user namespace
        *) ! tr -d '\0\n' <<<"$output" | grep -aqv 'denied\|cannot\|No such\|not permitted\|error\|^$' || fail "$path: $output" ;;
        esac
    done
}

@test "privileges: a session cannot change the host through /proc and /sys (6)" {
    local path
    for path in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe \
        /proc/sys/kernel/hostname /proc/sys/fs/binfmt_misc/register /proc/sys/vm/overcommit_memory \
        /proc/sys/net/ipv4/ip_forward /proc/sys/kernel/panic /proc/sys/kernel/randomize_va_space \
        /proc/irq/default_smp_affinity /sys/kernel/uevent_helper /sys/power/state \
        /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/release_agent /sys/fs/cgroup/cgroup.subtree_control \
        /sys/module/kernel/parameters/panic; do
        run in_box sh -c "echo 1 >$path"
        [ "$status" != 0 ] || fail "wrote $path"
        run box run -u root -- sh -c "echo 1 >$path"
        [ "$status" != 0 ] || fail "root wrote $path"
    done
    # Control: the session's own files can be written.
    run in_box sh -c 'echo 500 >/proc/self/oom_score_adj'
    assert_status 0
}

@test "privileges: a session cannot leave its cgroup or set a release agent (6)" {
    run in_box mkdir /sys/fs/cgroup/evil
    [ "$status" != 0 ]
    run box run -u root -- mkdir /sys/fs/cgroup/evil
    [ "$status" != 0 ]
    run in_box cat /proc/self/cgroup
    refute_contains user.slice
}

@test "privileges: a session cannot type with TIOCSTI or TIOCLINUX by any ABI (6)" {
    run on_terminal box run -t -- ./attack terminal-here
    assert_contains SUCCEEDED
    run on_terminal box run -t -- ./attack type 0
    assert_contains "refused: EPERM"
    run on_terminal box run -t -- ./attack paste 0
    assert_contains "refused: EPERM"
    # Control: without a filter, the kernel knows the tool's request.
    run on_terminal "$ATTACK" type 0
    refute_contains "refused: EPERM"
}

@test "privileges: a session's terminal is the box's pty, not the user's (2)" {
    local of_host of_box
    run on_terminal sh -c 'stat -L -c "host:%d" "$(tty)"; box run -t -- sh -c "stat -L -c box:%d /proc/self/fd/0"'
    of_host=$(sed -nE 's/.*host:([0-9]+).*/\1/p' <<<"$output") of_box=$(sed -nE 's/.*box:([0-9]+).*/\1/p' <<<"$output")
    [ -n "$of_host" ]
    [ -n "$of_box" ]
    [ "$of_host" != "$of_box" ] || fail "both are in file system $of_box"
    # The path that the box prints must not be the same terminal on the host.
    run in_box sh -c 'echo x >/dev/tty'
    [ "$status" != 0 ] # without -t there is no controlling terminal
}

@test "privileges: with -T a session has the user's terminal neither as a descriptor nor by path, with control (2)" {
    local look='import os
for fd in 0, 1, 2: print("held" if os.isatty(fd) else "none", os.fstat(fd).st_rdev, end=" ")
try: print("opened", os.open("/dev/tty", os.O_RDWR))
except OSError: print("no controlling terminal")'
    echo "$look" >look.py
    run on_terminal python3 look.py # control
    assert_contains opened
    [ "$(grep -o held <<<"$output" | wc -l)" = 3 ]
    run on_terminal box run -T -- python3 look.py
    assert_contains "no controlling terminal"
    refute_contains held
    rm look.py
}

@test "privileges: the user's folders are nosuid and nodev, system folders read-only (6)" {
    local crun
    crun=$(crun --version)
    run in_box findmnt -rno TARGET,OPTIONS
    while read -r target options; do
        case $target in
        /usr | /etc/* | /run/litterbox/bin | /run/litterbox/root/init | /sys | /sys/* | /)
            [[ ,$options, == *,ro,* ]] || fail "$target is writable: $options"
            ;;
        esac
        case $target in
        / | /proc* | /sys* | /dev*) ;;
        "$HOME" | "$PROJECT" | "$PROJECT"/.git | "$TEST_HOME"* | /run/litterbox/root/ctl)
            # crun 1.8 does not set these on writable binds, which have them where the host's folder has; no_new_privs and the
            # lack of mknod protect instead.
            [[ $crun =~ ^'crun version 1.8' || ,$options, == *,nosuid,*nodev,* ]] || fail "$target: $options"
            ;;
        *) [[ ,$options, == *,nosuid,*nodev,* ]] || fail "$target: $options" ;;
        esac
    done <<<"$output"
    assert_contains "/usr "
}
