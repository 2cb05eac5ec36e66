#include "sys/seccomp_filter.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void emit(struct seccomp_filter *self, uint16_t code, uint8_t yes, uint8_t no, uint32_t k)
{
    if (self->length < SECCOMP_FILTER_MAX)
        self->code[self->length++] = (struct sock_filter){code, yes, no, k};
    else
        self->is_cut_off = 1;
}

/* Loads the 32 bits at OFFSET of struct seccomp_data. */
static void load(struct seccomp_filter *self, size_t offset)
{
    emit(self, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* The lower half, on these little-endian machines. */
static void load_argument(struct seccomp_filter *self, int argument)
{
    load(self, offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t));
}

/* Rules begin and end with the call's number loaded. */
static void load_number(struct seccomp_filter *self)
{
    load(self, offsetof(struct seccomp_data, nr));
}

/* Goes on with the next instruction when TEST (BPF_JEQ, BPF_JGE, BPF_JSET) holds, else skips SKIP
 * of them. */
static void skip_unless(struct seccomp_filter *self, uint16_t test, uint32_t k, uint8_t skip)
{
    emit(self, BPF_JMP | BPF_K | test, 0, skip, k);
}

void seccomp_filter_all(struct seccomp_filter *self, uint32_t action)
{
    emit(self, BPF_RET | BPF_K, 0, 0, action);
}

void seccomp_filter_call(struct seccomp_filter *self, int number, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, 1);
    seccomp_filter_all(self, action);
}

void seccomp_filter_calls_from(struct seccomp_filter *self, uint32_t number, uint32_t action)
{
    skip_unless(self, BPF_JGE, number, 1);
    seccomp_filter_all(self, action);
}

void seccomp_filter_argument(struct seccomp_filter *self, int number, int argument, uint32_t value,
                             uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, 4);
    load_argument(self, argument);
    skip_unless(self, BPF_JEQ, value, 1);
    seccomp_filter_all(self, action);
    load_number(self);
}

void seccomp_filter_bits(struct seccomp_filter *self, int number, int argument, uint32_t any,
                         uint32_t none, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, none ? 5 : 4);
    load_argument(self, argument);
    skip_unless(self, BPF_JSET, any, none ? 2 : 1);
    if (none)
        emit(self, BPF_JMP | BPF_K | BPF_JSET, 1, 0, none);
    seccomp_filter_all(self, action);
    seccomp_filter_all(self, SECCOMP_RET_ALLOW);
}

static void load_arch(struct seccomp_filter *self)
{
    load(self, offsetof(struct seccomp_data, arch));
}

int seccomp_filter_build(struct seccomp_filter *self,
                         void (*rules)(struct seccomp_filter *self, int compat, int data), int data,
                         struct sock_fprog *program)
{
    self->length = 0;
    self->is_cut_off = 0;
    load_arch(self);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH_NATIVE);
    /* A conditional jump reaches 255 instructions, which the rules of an ABI may exceed. */
    unsigned short jump = self->length;
    emit(self, BPF_JMP | BPF_JA, 0, 0, 0);
    load_number(self);
    rules(self, 0, data);
    self->code[jump].k = (uint32_t)(self->length - jump - 1);
    load_arch(self);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH_COMPAT);
    seccomp_filter_all(self, SECCOMP_FAIL(ENOSYS));
    load_number(self);
    rules(self, 1, data);
    *program = (struct sock_fprog){self->length, self->code};
    errno = E2BIG;
    return self->is_cut_off ? -1 : 0;
}

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
