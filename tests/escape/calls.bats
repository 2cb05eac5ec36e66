#!/usr/bin/env bats
# System calls that no session may use, by every ABI of the machine (invariant 6).

load escape.bash
setup_file() {
    escape_setup_file
    box run -- true
}
teardown_file() { box_teardown; }
setup() { escape_setup; }

# One test for each call, with its native, 32-bit and x32 numbers.
refused_by_every_abi() {
    attack call "$1"
    assert_refused
}

@test "calls: add_key by every ABI: keyrings are shared with the host's uid (6)" { refused_by_every_abi add_key; }
@test "calls: request_key by every ABI (6)" { refused_by_every_abi request_key; }
@test "calls: keyctl by every ABI (6)" { refused_by_every_abi keyctl; }
@test "calls: bpf by every ABI: kernel programs (6)" { refused_by_every_abi bpf; }
@test "calls: io_uring_setup by every ABI: past seccomp filters (6)" { refused_by_every_abi io_uring_setup; }
@test "calls: io_uring_enter by every ABI (6)" { refused_by_every_abi io_uring_enter; }
@test "calls: io_uring_register by every ABI (6)" { refused_by_every_abi io_uring_register; }
@test "calls: userfaultfd by every ABI: holds the kernel still in a race (6)" { refused_by_every_abi userfaultfd; }
@test "calls: perf_event_open by every ABI: watches others (6)" { refused_by_every_abi perf_event_open; }
@test "calls: init_module by every ABI (6)" { refused_by_every_abi init_module; }
@test "calls: finit_module by every ABI (6)" { refused_by_every_abi finit_module; }
@test "calls: delete_module by every ABI (6)" { refused_by_every_abi delete_module; }
@test "calls: kexec_load by every ABI (6)" { refused_by_every_abi kexec_load; }
@test "calls: kexec_file_load by every ABI (6)" { refused_by_every_abi kexec_file_load; }
@test "calls: open_by_handle_at by every ABI: files by number, past every mount (6)" { refused_by_every_abi open_by_handle_at; }
@test "calls: quotactl by every ABI (6)" { refused_by_every_abi quotactl; }
@test "calls: swapon by every ABI (6)" { refused_by_every_abi swapon; }
@test "calls: swapoff by every ABI (6)" { refused_by_every_abi swapoff; }
@test "calls: reboot by every ABI (6)" { refused_by_every_abi reboot; }
@test "calls: acct by every ABI (6)" { refused_by_every_abi acct; }
@test "calls: unshare-user by every ABI: a user namespace of its own has every capability (6)" { refused_by_every_abi unshare-user; }
@test "calls: unshare-mount by every ABI (6)" { refused_by_every_abi unshare-mount; }
@test "calls: unshare-mount-and-folder by every ABI: a folder of its own may be had, not this (6)" { refused_by_every_abi unshare-mount-and-folder; }
@test "calls: unshare-time by every ABI (6)" { refused_by_every_abi unshare-time; }
@test "calls: setns by every ABI (6)" { refused_by_every_abi setns; }
@test "calls: mount by every ABI (6)" { refused_by_every_abi mount; }
@test "calls: umount2 by every ABI (6)" { refused_by_every_abi umount2; }
@test "calls: umount by every ABI (6)" { refused_by_every_abi umount; }
@test "calls: pivot_root by every ABI (6)" { refused_by_every_abi pivot_root; }
@test "calls: open_tree by every ABI (6)" { refused_by_every_abi open_tree; }
@test "calls: move_mount by every ABI (6)" { refused_by_every_abi move_mount; }
@test "calls: fsopen by every ABI (6)" { refused_by_every_abi fsopen; }
@test "calls: fsconfig by every ABI (6)" { refused_by_every_abi fsconfig; }
@test "calls: fsmount by every ABI (6)" { refused_by_every_abi fsmount; }
@test "calls: fspick by every ABI (6)" { refused_by_every_abi fspick; }
@test "calls: mount_setattr by every ABI (6)" { refused_by_every_abi mount_setattr; }
@test "calls: clone-user by every ABI (6)" { refused_by_every_abi clone-user; }
@test "calls: clone3 by every ABI: hides its flags from a filter (6)" { refused_by_every_abi clone3; }
@test "calls: setxattrat by every ABI: newer calls are not known to be harmless (7)" { refused_by_every_abi setxattrat; }
@test "calls: open_tree_attr by every ABI (7)" { refused_by_every_abi open_tree_attr; }
@test "calls: file_setattr by every ABI (7)" { refused_by_every_abi file_setattr; }
@test "calls: socketcall-socket by every ABI: its arguments are in memory (4)" { refused_by_every_abi socketcall-socket; }
@test "calls: socketcall-socketpair by every ABI (4)" { refused_by_every_abi socketcall-socketpair; }
@test "calls: ioctl-btrfs-snapshot by every ABI: makes a name past the guard (7)" { refused_by_every_abi ioctl-btrfs-snapshot; }
@test "calls: ioctl-btrfs-subvolume by every ABI (7)" { refused_by_every_abi ioctl-btrfs-subvolume; }
@test "calls: ioctl-btrfs-snapshot-v2 by every ABI (7)" { refused_by_every_abi ioctl-btrfs-snapshot-v2; }
@test "calls: ioctl-btrfs-subvolume-v2 by every ABI (7)" { refused_by_every_abi ioctl-btrfs-subvolume-v2; }
@test "calls: ioctl-bcachefs-subvolume by every ABI (7)" { refused_by_every_abi ioctl-bcachefs-subvolume; }
@test "calls: ioctl-ext4-swap-boot by every ABI (7)" { refused_by_every_abi ioctl-ext4-swap-boot; }
@test "calls: ioctl-fscrypt-policy by every ABI (7)" { refused_by_every_abi ioctl-fscrypt-policy; }
@test "calls: ioctl-fsverity by every ABI (7)" { refused_by_every_abi ioctl-fsverity; }
@test "calls: ioctl-f2fs by every ABI (7)" { refused_by_every_abi ioctl-f2fs; }
@test "calls: ioctl-ocfs2-reflink by every ABI (7)" { refused_by_every_abi ioctl-ocfs2-reflink; }
@test "calls: ioctl-xfs-by-handle by every ABI (7)" { refused_by_every_abi ioctl-xfs-by-handle; }

@test "calls: requests that read and set flags of files, or copy between two, reach the kernel" {
    # GETFLAGS, SETFLAGS, FIEMAP, FSGETXATTR, FSSETXATTR, FICLONE, FICLONERANGE, GETFSLABEL, FIDEDUPERANGE; and the
    # control, XFS_IOC_FSGEOMETRY.
    run in_box python3 -c '
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
for request in sys.argv[1:]:
    libc.ioctl(-1, ctypes.c_ulong(int(request, 16)), None)
    print(errno.errorcode[ctypes.get_errno()])' 80086601 40086602 c020660b 801c581f 401c5820 40049409 4020940d 81009431 c0189436 8100587e
    assert_output "$(printf 'EBADF\n%.0s' {1..9})"$'\n'ENOTTY
}

@test "calls: sockets are Unix, IPv4, IPv6 and routing netlink, by every ABI: AF_VSOCK reaches the host (4)" {
    attack families
    assert_refused EAFNOSUPPORT
    run "$ATTACK" families
    assert_succeeded
    run in_box python3 -c '
import socket
for family, kind, protocol in (1, 1, 0), (2, 1, 0), (2, 2, 0), (10, 1, 0), (16, 3, 0):
    socket.socket(family, kind, protocol).close()
socket.socketpair()
print("made")'
    assert_contains made
}

@test "calls: control: each call has a test and reaches the kernel outside of a box" {
    local call
    for call in $("$ATTACK" call-list); do
        grep -q "refused_by_every_abi $call; }" "$BATS_TEST_FILENAME" || fail "no test of $call"
    done
    for call in add_key keyctl unshare-user setns mount umount2 clone-user clone3 ioctl-btrfs-subvolume; do
        run "$ATTACK" call "$call"
        assert_succeeded
    done
}

@test "calls: control: the 32-bit ABI is tried in the box" {
    local outside
    # Some kernels and machines do not have this ABI.
    run "$ATTACK" abi compat
    outside=$status
    attack abi compat
    [ "$status" = "$outside" ] || fail "$status inside, $outside outside: $output"
}

@test "calls: root of the box cannot use them either (6)" {
    local call
    for call in mount setns unshare-user bpf keyctl kexec_load open_by_handle_at io_uring_setup clone3; do
        attack_as_root call "$call"
        assert_refused
    done
}
