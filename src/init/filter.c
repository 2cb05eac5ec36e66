#include "init/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "init/abi.h"
#include "init/bpf.h"

#define TIOCSTI_NR 0x5412
#define TIOCLINUX_NR 0x541c
#define X32_BIT 0x40000000u
#define ANY_NAMESPACE                                                                          \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)

/* Calls by number: the machine's own, and those of its 32-bit personality. -1: has no such call. */
struct call {
    int native, compat;
};

#define COMPAT_IOCTL 54
#define COMPAT_CLONE 120
#define COMPAT_CLONE3 435
#define C(x86, arm) ABI_COMPAT(x86, arm)

static const struct call always[] = {
    {SYS_add_key, C(286, 309)},
    {SYS_request_key, C(287, 310)},
    {SYS_keyctl, C(288, 311)},
    {SYS_bpf, C(357, 386)},
    {SYS_io_uring_setup, 425},
    {SYS_io_uring_enter, 426},
    {SYS_io_uring_register, 427},
    {SYS_userfaultfd, C(374, 388)},
    {SYS_perf_event_open, C(336, 364)},
    {SYS_init_module, 128},
    {SYS_finit_module, C(350, 379)},
    {SYS_delete_module, 129},
    {SYS_kexec_load, C(283, 347)},
    {SYS_kexec_file_load, C(-1, 401)},
    {SYS_open_by_handle_at, C(342, 371)},
    {SYS_quotactl, 131},
    {SYS_swapon, 87},
    {SYS_swapoff, 115},
    {SYS_reboot, 88},
    {SYS_acct, 51},
};

static const struct call namespaces[] = {
    {SYS_unshare, C(310, 337)},
    {SYS_setns, C(346, 375)},
    {SYS_mount, 21},
    {SYS_umount2, 52},
    {SYS_pivot_root, C(217, 218)},
    {SYS_open_tree, 428},
    {SYS_move_mount, 429},
    {SYS_fsopen, 430},
    {SYS_fsconfig, 431},
    {SYS_fsmount, 432},
    {SYS_fspick, 433},
    {442 /* mount_setattr */, 442},
    /* i386 knows the older umount too */
    {-1, C(22, -1)},
};

static void refuse_ioctls(struct bpf_program *p, int ioctl_number)
{
    bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 5, (uint32_t)ioctl_number);
    /* The kernel looks at 32 bits of the request alone: so do we. */
    bpf_load(p, offsetof(struct seccomp_data, args[1]));
    bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, TIOCSTI_NR);
    bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, TIOCLINUX_NR);
    bpf_answer(p, EPERM);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static void refuse_new_namespaces(struct bpf_program *p, int clone_number, int clone3_number)
{
    /* clone3 hides its flags behind a pointer; libc falls back to clone on ENOSYS. */
    bpf_refuse(p, clone3_number, ENOSYS);
    bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)clone_number);
    bpf_load(p, offsetof(struct seccomp_data, args[0]));
    bpf_emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, ANY_NAMESPACE);
    bpf_answer(p, EPERM);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static void rules(struct bpf_program *p, int compat, int nested)
{
    bpf_load(p, offsetof(struct seccomp_data, nr));
#if defined __x86_64__
    if (!compat) { /* x32: the same calls under other numbers; no distribution ships it */
        bpf_emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
        bpf_answer(p, ENOSYS);
    }
#endif
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        bpf_refuse(p, compat ? always[i].compat : always[i].native, EPERM);
    if (!nested) {
        for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++)
            bpf_refuse(p, compat ? namespaces[i].compat : namespaces[i].native, EPERM);
        refuse_new_namespaces(p, compat ? COMPAT_CLONE : SYS_clone,
                              compat ? COMPAT_CLONE3 : SYS_clone3);
    }
    refuse_ioctls(p, compat ? COMPAT_IOCTL : SYS_ioctl);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

int filter_install(int nested)
{
    static struct bpf_program p;
    struct sock_fprog program;
    if (bpf_build(&p, rules, nested, &program) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
