#include "sys/box_filter.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sys/seccomp_filter.h"

#define TIOCSTI_NR 0x5412
#define TIOCLINUX_NR 0x541c
#define X32_BIT 0x40000000u
#define NEW_NAMESPACES                                                                         \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)

/* A call's numbers: of the machine's own ABI, and of its 32-bit personality; -1: it has no such
 * call. */
struct call {
    int native, compat;
};

#define COMPAT_IOCTL 54
#define COMPAT_CLONE 120
#define COMPAT_CLONE3 435

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
    {SYS_unshare, COMPAT(310, 337)},
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

static void rules(struct seccomp_filter *self, int compat, int is_nested)
{
    const uint32_t refuse = SECCOMP_FAIL(EPERM);
#if defined __x86_64__
    if (!compat) /* x32: the same calls under other numbers; no distribution ships it */
        seccomp_filter_calls_from(self, X32_BIT, SECCOMP_FAIL(ENOSYS));
#endif
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        seccomp_filter_call(self, compat ? always[i].compat : always[i].native, refuse);
    for (size_t i = 0; !is_nested && i < sizeof namespaces / sizeof *namespaces; i++)
        seccomp_filter_call(self, compat ? namespaces[i].compat : namespaces[i].native, refuse);
    if (!is_nested) {
        /* The flags of clone3 are in memory, which a filter cannot read. With ENOSYS libc uses
         * clone. */
        seccomp_filter_call(self, compat ? COMPAT_CLONE3 : SYS_clone3, SECCOMP_FAIL(ENOSYS));
        seccomp_filter_bits(self, compat ? COMPAT_CLONE : SYS_clone, 0, NEW_NAMESPACES, 0, refuse);
    }
    /* Like the kernel, this compares the lower 32 bits of the request only. */
    seccomp_filter_argument(self, compat ? COMPAT_IOCTL : SYS_ioctl, 1, TIOCSTI_NR, refuse);
    seccomp_filter_argument(self, compat ? COMPAT_IOCTL : SYS_ioctl, 1, TIOCLINUX_NR, refuse);
    seccomp_filter_all(self, SECCOMP_RET_ALLOW);
}

int box_filter_install(int is_nested)
{
    static struct seccomp_filter filter;
    struct sock_fprog program;
    if (seccomp_filter_build(&filter, rules, is_nested, &program) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
