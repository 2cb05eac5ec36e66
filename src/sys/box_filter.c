#include "sys/box_filter.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "sys/seccomp_filter.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TIOCSTI_NR 0x5412
#define TIOCLINUX_NR 0x541c
#define NEW_NAMESPACES                                                                         \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)
/* What unshare(2) may give a thread of its own: working folder and umask, descriptors, semaphores.
 */
#define NO_NAMESPACES (CLONE_FS | CLONE_FILES | CLONE_SYSVSEM)

/* A call's numbers: of the machine's own ABI, and of its 32-bit personality; -1: it has no such
 * call. */
struct call {
    int native, compat;
};

#define COMPAT_IOCTL 54
#define COMPAT_CLONE 120
#define COMPAT_UNSHARE COMPAT(310, 337)
#define COMPAT_CLONE3 435
#define COMPAT_SOCKETCALL COMPAT(102, -1)

/* The first number, in all ABIs, of the calls that nobody has looked at yet: libraries can do
 * without. Linux 6.13. x32 calls, which no distribution uses, have higher numbers as well. */
#define UNKNOWN_CALL 463

static const struct call always[] = {
    {SYS_add_key, COMPAT(286, 309)},
    {SYS_request_key, COMPAT(287, 310)},
    {SYS_keyctl, COMPAT(288, 311)},
    {SYS_bpf, COMPAT(357, 386)},
    {SYS_io_uring_setup, 425},
    {SYS_io_uring_enter, 426},
    {SYS_io_uring_register, 427},
    {SYS_userfaultfd, COMPAT(374, 388)},
    {SYS_perf_event_open, COMPAT(336, 364)},
    {SYS_init_module, 128},
    {SYS_finit_module, COMPAT(350, 379)},
    {SYS_delete_module, 129},
    {SYS_kexec_load, COMPAT(283, 347)},
    {SYS_kexec_file_load, COMPAT(-1, 401)},
    {SYS_open_by_handle_at, COMPAT(342, 371)},
    {SYS_quotactl, 131},
    {SYS_swapon, 87},
    {SYS_swapoff, 115},
    {SYS_reboot, 88},
    {SYS_acct, 51},
};

static const struct call namespaces[] = {
    {SYS_setns, COMPAT(346, 375)},
    {SYS_mount, 21},
    {SYS_umount2, 52},
    {SYS_pivot_root, COMPAT(217, 218)},
    {SYS_open_tree, 428},
    {SYS_move_mount, 429},
    {SYS_fsopen, 430},
    {SYS_fsconfig, 431},
    {SYS_fsmount, 432},
    {SYS_fspick, 433},
    {442 /* mount_setattr */, 442},
    /* i386 knows the older umount too */
    {-1, COMPAT(22, -1)},
};

#define TYPE 0xff00u
#define TYPE_AND_NUMBER 0xffffu
#define REQUEST(type, number) ((uint32_t)(type) << 8 | (number))

/*
 * Types of ioctls that file systems know, and those that pass: they read or set flags of an open
 * file, or copy between two. Linux, Documentation/userspace-api/ioctl.
 */
static const uint32_t file_system_types[] = {
    REQUEST('f', 0),  /* all; ext4, fscrypt, fsverity */
    REQUEST('X', 0),  /* XFS, and what others took from it */
    REQUEST('o', 0),  /* OCFS2, whose reflink takes paths */
    REQUEST(0x94, 0), /* btrfs */
    REQUEST(0xbc, 0), /* bcachefs */
    REQUEST(0xf5, 0), /* F2FS */
};

static const uint32_t file_system_requests[] = {
    REQUEST('f', 1),   /* FS_IOC_GETFLAGS */
    REQUEST('f', 2),   /* FS_IOC_SETFLAGS */
    REQUEST('f', 11),  /* FS_IOC_FIEMAP */
    REQUEST('X', 31),  /* FS_IOC_FSGETXATTR */
    REQUEST('X', 32),  /* FS_IOC_FSSETXATTR */
    REQUEST(0x94, 9),  /* FICLONE */
    REQUEST(0x94, 13), /* FICLONERANGE */
    REQUEST(0x94, 49), /* FS_IOC_GETFSLABEL */
    REQUEST(0x94, 54), /* FIDEDUPERANGE */
};

static void add_ioctls(struct seccomp_rules *self, int number)
{
    static const uint32_t injection[] = {TIOCSTI_NR, TIOCLINUX_NR};
    /* Like the kernel, this compares the lower 32 bits of the request only. */
    seccomp_filter_one_of(self, number, 1, ~0u, injection, COUNT(injection), SECCOMP_FAIL(EPERM));
    seccomp_filter_one_of(self, number, 1, TYPE_AND_NUMBER, file_system_requests,
                          COUNT(file_system_requests), SECCOMP_RET_ALLOW);
    /* This file system has no such request. */
    seccomp_filter_one_of(self, number, 1, TYPE, file_system_types, COUNT(file_system_types),
                          SECCOMP_FAIL(ENOTTY));
}

/* NUMBER: of socket(2) or socketpair(2). */
static void add_families(struct seccomp_rules *self, int number, int is_nested)
{
    static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6};
    seccomp_filter_one_of(self, number, 0, ~0u, families, COUNT(families), SECCOMP_RET_ALLOW);
    seccomp_filter_other_than(self, number, 0, AF_NETLINK, SECCOMP_FAIL(EAFNOSUPPORT));
    seccomp_filter_argument(self, number, 2, NETLINK_ROUTE, SECCOMP_RET_ALLOW);
    if (is_nested) /* Podman sets up the firewall of its networks */
        seccomp_filter_argument(self, number, 2, NETLINK_NETFILTER, SECCOMP_RET_ALLOW);
    seccomp_filter_call(self, number, SECCOMP_FAIL(EPROTONOSUPPORT));
}

static void add_sockets(struct seccomp_rules *self, int compat, int is_nested)
{
    static const uint32_t making[] = {1 /* SYS_SOCKET */, 8 /* SYS_SOCKETPAIR of socketcall(2) */};
    add_families(self, compat ? COMPAT(359, 281) : SYS_socket, is_nested);
    add_families(self, compat ? COMPAT(360, 288) : SYS_socketpair, is_nested);
    if (compat) /* its arguments are in memory, which a filter cannot read */
        seccomp_filter_one_of(self, COMPAT_SOCKETCALL, 0, ~0u, making, COUNT(making),
                              SECCOMP_FAIL(ENOSYS));
}

static void add_namespaces(struct seccomp_rules *self, int compat)
{
    const uint32_t refuse = SECCOMP_FAIL(EPERM);
    for (size_t i = 0; i < COUNT(namespaces); i++)
        seccomp_filter_call(self, compat ? namespaces[i].compat : namespaces[i].native, refuse);
    /* The flags of clone3 are in memory, which a filter cannot read. With ENOSYS libc uses clone.
     */
    seccomp_filter_call(self, compat ? COMPAT_CLONE3 : SYS_clone3, SECCOMP_FAIL(ENOSYS));
    seccomp_filter_bits(self, compat ? COMPAT_CLONE : SYS_clone, 0, NEW_NAMESPACES, 0, refuse);
    seccomp_filter_bits(self, compat ? COMPAT_UNSHARE : SYS_unshare, 0, ~NO_NAMESPACES, 0, refuse);
}

void box_filter_rules(struct seccomp_rules *self, int compat, int is_nested)
{
#if defined __aarch64__
    if (compat) /* calls of 32-bit ARM's own: cacheflush, set_tls */
        seccomp_filter_calls_from(self, 0xf0000, SECCOMP_RET_ALLOW);
#endif
    seccomp_filter_calls_from(self, UNKNOWN_CALL, SECCOMP_FAIL(ENOSYS));
    for (size_t i = 0; i < COUNT(always); i++)
        seccomp_filter_call(self, compat ? always[i].compat : always[i].native,
                            SECCOMP_FAIL(EPERM));
    if (!is_nested)
        add_namespaces(self, compat);
    add_sockets(self, compat, is_nested);
    add_ioctls(self, compat ? COMPAT_IOCTL : SYS_ioctl);
    seccomp_filter_all(self, SECCOMP_RET_ALLOW);
}

int box_filter_install(int is_nested)
{
    static struct seccomp_filter filter;
    struct sock_fprog program;
    if (seccomp_filter_build(&filter, box_filter_rules, is_nested, &program) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
