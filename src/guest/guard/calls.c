#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/abi.h"
#include "init/bpf.h"

/* clang-format off */
#define NONE {-1, -1}
/* clang-format on */

/* Calls that this machine's own ABI does not have any more. */
#ifdef SYS_open
#define OLD(call) SYS_##call
#else
#define OLD(call) -1
#endif
#ifdef SYS_renameat
#define NR_RENAMEAT SYS_renameat
#else
#define NR_RENAMEAT -1
#endif

/* The same numbers everywhere; older headers lack them. */
#define NR_OPENAT2 437
#define NR_FCHMODAT2 452
#define NR_LANDLOCK_CREATE_RULESET 444
#define NR_LANDLOCK_RESTRICT_SELF 446

#define RUNNING 0111 /* modes that let a file be run */
#define CREAT_FLAGS (O_CREAT | O_WRONLY | O_TRUNC)
#define HALF                                                                            \
    ABI_COMPAT(1, 2) /* of a length; ARM wants such a pair to start at an even register \
                      */

/* clang-format off */
static const struct guard_call calls[] = {
    /* native, compat, when, act, made, old, flags, mode, number, halves, fixed */
    {OLD(open), 5, GUARD_IF_WRITING, GUARD_OPEN, {-1, 0}, NONE, 1, 2, -1, 0, 0},
    {SYS_openat, ABI_COMPAT(295, 322), GUARD_IF_WRITING, GUARD_OPEN, {0, 1}, NONE, 2, 3, -1, 0, 0},
    {NR_OPENAT2, NR_OPENAT2, GUARD_ALWAYS, GUARD_OPEN_HOW, {0, 1}, NONE, 2, -1, 3, 0, 0},
    {OLD(creat), 8, GUARD_ALWAYS, GUARD_OPEN, {-1, 0}, NONE, -1, 1, -1, 0, CREAT_FLAGS},
    {OLD(mkdir), 39, GUARD_ALWAYS, GUARD_MKDIR, {-1, 0}, NONE, -1, 1, -1, 0, 0},
    {SYS_mkdirat, ABI_COMPAT(296, 323), GUARD_ALWAYS, GUARD_MKDIR, {0, 1}, NONE, -1, 2, -1, 0, 0},
    {OLD(mknod), 14, GUARD_ALWAYS, GUARD_MKNOD, {-1, 0}, NONE, -1, 1, 2, 0, 0},
    {SYS_mknodat, ABI_COMPAT(297, 324), GUARD_ALWAYS, GUARD_MKNOD, {0, 1}, NONE, -1, 2, 3, 0, 0},
    {OLD(symlink), 83, GUARD_ALWAYS, GUARD_SYMLINK, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {SYS_symlinkat, ABI_COMPAT(304, 331), GUARD_ALWAYS, GUARD_SYMLINK, {1, 2}, {-1, 0}, -1, -1, -1, 0, 0},
    {OLD(link), 9, GUARD_ALWAYS, GUARD_LINK, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {SYS_linkat, ABI_COMPAT(303, 330), GUARD_ALWAYS, GUARD_LINK, {2, 3}, {0, 1}, 4, -1, -1, 0, 0},
    {OLD(rename), 38, GUARD_ALWAYS, GUARD_RENAME, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {NR_RENAMEAT, ABI_COMPAT(302, 329), GUARD_ALWAYS, GUARD_RENAME, {2, 3}, {0, 1}, -1, -1, -1, 0, 0},
    {SYS_renameat2, ABI_COMPAT(353, 382), GUARD_ALWAYS, GUARD_RENAME, {2, 3}, {0, 1}, 4, -1, -1, 0, 0},
    {SYS_truncate, 92, GUARD_ALWAYS, GUARD_TRUNCATE, {-1, 0}, NONE, -1, -1, 1, 0, 0},
    {OLD(chmod), 15, GUARD_IF_RUNNING, GUARD_CHMOD, {-1, 0}, NONE, -1, 1, -1, 0, 0},
    {SYS_fchmod, 94, GUARD_IF_RUNNING, GUARD_CHMOD, {0, -1}, NONE, -1, 1, -1, 0, AT_EMPTY_PATH},
    {SYS_fchmodat, ABI_COMPAT(306, 333), GUARD_IF_RUNNING, GUARD_CHMOD, {0, 1}, NONE, -1, 2, -1, 0, 0},
    {NR_FCHMODAT2, NR_FCHMODAT2, GUARD_IF_RUNNING, GUARD_CHMOD, {0, 1}, NONE, 3, 2, -1, 0, 0},
    {-1, 193 /* truncate64 */, GUARD_ALWAYS, GUARD_TRUNCATE, {-1, 0}, NONE, -1, -1, HALF, 1, 0},
};
/* clang-format on */
#define CALLS (sizeof calls / sizeof *calls)

/* The call's number is loaded. */
static void hold(struct bpf_program *p, int number, const struct guard_call *row)
{
    if (number < 0)
        return;
    if (row->when == GUARD_ALWAYS) {
        bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)number);
        bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF);
        return;
    }
    if (row->when == GUARD_IF_RUNNING) {
        bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)number);
        bpf_load(p, offsetof(struct seccomp_data, args) + (size_t)row->mode * sizeof(uint64_t));
        bpf_emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, RUNNING);
        bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF);
        bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
        return;
    }
    bpf_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 5, (uint32_t)number);
    bpf_load(p, offsetof(struct seccomp_data, args) + (size_t)row->flags * sizeof(uint64_t));
    bpf_emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 2, O_ACCMODE | O_CREAT | O_TRUNC);
    /* Whatever else the flags say, O_PATH neither makes nor opens anything. */
    bpf_emit(p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, O_PATH);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static void rules(struct bpf_program *p, int compat, int nested)
{
    bpf_load(p, offsetof(struct seccomp_data, nr));
    /* Whoever knows it can do without, but for sandboxes: so it is not worth its differences. */
    if (!nested)
        bpf_refuse(p, NR_OPENAT2, ENOSYS);
    for (size_t i = 0; i < CALLS; i++)
        hold(p, compat ? calls[i].compat : calls[i].native, &calls[i]);
    bpf_refuse(p, NR_LANDLOCK_CREATE_RULESET, EOPNOTSUPP);
    bpf_refuse(p, NR_LANDLOCK_RESTRICT_SELF, EOPNOTSUPP);
    bpf_emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static int install(const struct sock_fprog *program)
{
#ifdef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
    /* Without it a signal restarts a held call that has been done already. Linux 5.19. */
    int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                          SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                          program);
    if (fd >= 0 || errno != EINVAL)
        return fd;
#endif
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        program);
}

int guard_filter(int nested)
{
    static struct bpf_program p;
    struct sock_fprog program;
    return bpf_build(&p, rules, nested, &program) < 0 ? -1 : install(&program);
}

const struct guard_call *guard_call_of(const struct seccomp_data *data)
{
    int native = data->arch == ABI_NATIVE;
    for (size_t i = 0; i < CALLS; i++) {
        int number = native ? calls[i].native : calls[i].compat;
        if (number >= 0 && number == data->nr)
            return &calls[i];
    }
    return NULL;
}
