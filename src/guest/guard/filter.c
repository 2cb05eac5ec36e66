#include "guest/guard/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/file_system.h"
#include "sys/seccomp_filter.h"

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

#define COMPAT_SOCKETCALL COMPAT(102, -1)
#define SOCKETCALL_BIND 2

/* Modes that let a file be run, or run as its owner, or be written by others. */
#define OPENING (0111 | GUARD_OTHERS_WRITE | GUARD_SET_ID_BITS)
#define CREAT_FLAGS (O_CREAT | O_WRONLY | O_TRUNC)
/* Of a length; ARM wants such a pair to start at an even register. */
#define HALF COMPAT(1, 2)

/* clang-format off */
static const struct guard_call calls[] = {
    /* native, compat, when, act, made, old, flags, mode, number, halves, fixed */
    {OLD(open), 5, GUARD_IF_WRITING, GUARD_OPEN, {-1, 0}, NONE, 1, 2, -1, 0, 0},
    {SYS_openat, COMPAT(295, 322), GUARD_IF_WRITING, GUARD_OPEN, {0, 1}, NONE, 2, 3, -1, 0, 0},
    {NR_OPENAT2, NR_OPENAT2, GUARD_ALWAYS, GUARD_OPEN_HOW, {0, 1}, NONE, 2, -1, 3, 0, 0},
    {OLD(creat), 8, GUARD_ALWAYS, GUARD_OPEN, {-1, 0}, NONE, -1, 1, -1, 0, CREAT_FLAGS},
    {OLD(mkdir), 39, GUARD_ALWAYS, GUARD_MKDIR, {-1, 0}, NONE, -1, 1, -1, 0, 0},
    {SYS_mkdirat, COMPAT(296, 323), GUARD_ALWAYS, GUARD_MKDIR, {0, 1}, NONE, -1, 2, -1, 0, 0},
    {OLD(mknod), 14, GUARD_ALWAYS, GUARD_MKNOD, {-1, 0}, NONE, -1, 1, 2, 0, 0},
    {SYS_mknodat, COMPAT(297, 324), GUARD_ALWAYS, GUARD_MKNOD, {0, 1}, NONE, -1, 2, 3, 0, 0},
    {OLD(symlink), 83, GUARD_ALWAYS, GUARD_SYMLINK, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {SYS_symlinkat, COMPAT(304, 331), GUARD_ALWAYS, GUARD_SYMLINK, {1, 2}, {-1, 0}, -1, -1, -1, 0, 0},
    {OLD(link), 9, GUARD_ALWAYS, GUARD_LINK, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {SYS_linkat, COMPAT(303, 330), GUARD_ALWAYS, GUARD_LINK, {2, 3}, {0, 1}, 4, -1, -1, 0, 0},
    {SYS_bind, COMPAT(361, 282), GUARD_ALWAYS, GUARD_BIND, {-1, 1}, {0, -1}, -1, -1, 2, 0, 0},
    {OLD(rename), 38, GUARD_ALWAYS, GUARD_RENAME, {-1, 1}, {-1, 0}, -1, -1, -1, 0, 0},
    {NR_RENAMEAT, COMPAT(302, 329), GUARD_ALWAYS, GUARD_RENAME, {2, 3}, {0, 1}, -1, -1, -1, 0, 0},
    {SYS_renameat2, COMPAT(353, 382), GUARD_ALWAYS, GUARD_RENAME, {2, 3}, {0, 1}, 4, -1, -1, 0, 0},
    {SYS_truncate, 92, GUARD_ALWAYS, GUARD_TRUNCATE, {-1, 0}, NONE, -1, -1, 1, 0, 0},
    {OLD(chmod), 15, GUARD_IF_OPENING, GUARD_CHMOD, {-1, 0}, NONE, -1, 1, -1, 0, 0},
    {SYS_fchmod, 94, GUARD_IF_OPENING, GUARD_CHMOD, {0, -1}, NONE, -1, 1, -1, 0, AT_EMPTY_PATH},
    {SYS_fchmodat, COMPAT(306, 333), GUARD_IF_OPENING, GUARD_CHMOD, {0, 1}, NONE, -1, 2, -1, 0, 0},
    {NR_FCHMODAT2, NR_FCHMODAT2, GUARD_IF_OPENING, GUARD_CHMOD, {0, 1}, NONE, 3, 2, -1, 0, 0},
    {SYS_setxattr, 226, GUARD_ALWAYS, GUARD_SETXATTR, {-1, 0}, {-1, 1}, -1, 4, 3, 0, 0},
    {SYS_lsetxattr, 227, GUARD_ALWAYS, GUARD_SETXATTR, {-1, 0}, {-1, 1}, -1, 4, 3, 0, AT_SYMLINK_NOFOLLOW},
    {SYS_fsetxattr, 228, GUARD_ALWAYS, GUARD_SETXATTR, {0, -1}, {-1, 1}, -1, 4, 3, 0, AT_EMPTY_PATH},
    {SYS_removexattr, 235, GUARD_ALWAYS, GUARD_REMOVEXATTR, {-1, 0}, {-1, 1}, -1, -1, -1, 0, 0},
    {SYS_lremovexattr, 236, GUARD_ALWAYS, GUARD_REMOVEXATTR, {-1, 0}, {-1, 1}, -1, -1, -1, 0, AT_SYMLINK_NOFOLLOW},
    {SYS_fremovexattr, 237, GUARD_ALWAYS, GUARD_REMOVEXATTR, {0, -1}, {-1, 1}, -1, -1, -1, 0, AT_EMPTY_PATH},
    {SYS_flock, 143, GUARD_IF_LOCKING, GUARD_LOCK, NONE, NONE, 1, -1, -1, 0, 0},
    {SYS_fcntl, 55, GUARD_IF_LOCKING, GUARD_LOCK, NONE, NONE, 1, -1, -1, 0, 0},
    {-1, 221 /* fcntl64 */, GUARD_IF_LOCKING, GUARD_LOCK, NONE, NONE, 1, -1, -1, 0, 0},
    {SYS_umask, 60, GUARD_ALWAYS, GUARD_UMASK, NONE, NONE, -1, 0, -1, 0, 0},
    {-1, 193 /* truncate64 */, GUARD_ALWAYS, GUARD_TRUNCATE, {-1, 0}, NONE, -1, -1, HALF, 1, 0},
};
/* clang-format on */
#define CALLS (sizeof calls / sizeof *calls)

/* Not locks of fcntl(2) that belong to a process, and so end with its own descriptor. */
static void hold_locking(struct seccomp_rules *self, int number, const struct guard_call *row)
{
    static const uint32_t operations[] = {F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE};
    const uint32_t held = SECCOMP_RET_USER_NOTIF;
    if (row->native == SYS_flock) {
        seccomp_filter_bits(self, number, row->flags, LOCK_SH | LOCK_EX, 0, held);
        return;
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        seccomp_filter_argument(self, number, row->flags, operations[i], held);
}

/* Whatever else the flags say, O_PATH neither makes nor opens anything: to read by such a
 * descriptor it must be opened anew (proc(5), /proc/self/fd). */
static void hold_opening(struct seccomp_rules *self, int number, int flags, int hides)
{
    static const uint32_t path_only[] = {O_PATH};
    if (hides) {
        seccomp_filter_one_of(self, number, flags, O_PATH, path_only, 1, SECCOMP_RET_ALLOW);
        seccomp_filter_call(self, number, SECCOMP_RET_USER_NOTIF);
    } else {
        seccomp_filter_bits(self, number, flags, O_ACCMODE | O_CREAT | O_TRUNC, O_PATH,
                            SECCOMP_RET_USER_NOTIF);
    }
}

/* Holds the calls of ROW, when their arguments say that they may write. */
static void hold(struct seccomp_rules *self, int number, const struct guard_call *row, int hides)
{
    const uint32_t held = SECCOMP_RET_USER_NOTIF;
    if (row->when == GUARD_ALWAYS)
        seccomp_filter_call(self, number, held);
    else if (row->when == GUARD_IF_LOCKING)
        hold_locking(self, number, row);
    else if (row->when == GUARD_IF_OPENING)
        seccomp_filter_bits(self, number, row->mode, OPENING, 0, held);
    else
        hold_opening(self, number, row->flags, hides);
}

void guard_filter_rules(struct seccomp_rules *self, int compat, int what)
{
    /* Whoever knows it can do without, but for sandboxes: so it is not worth its differences. */
    if (!(what & GUARD_FILTER_NESTED))
        seccomp_filter_call(self, NR_OPENAT2, SECCOMP_FAIL(ENOSYS));
    for (size_t i = 0; i < CALLS; i++)
        hold(self, compat ? calls[i].compat : calls[i].native, &calls[i],
             what & GUARD_FILTER_HIDES);
    if (compat) /* its arguments are in memory; nor can a session make a socket by it */
        seccomp_filter_argument(self, COMPAT_SOCKETCALL, 0, SOCKETCALL_BIND, SECCOMP_FAIL(ENOSYS));
    seccomp_filter_call(self, NR_LANDLOCK_CREATE_RULESET, SECCOMP_FAIL(EOPNOTSUPP));
    seccomp_filter_call(self, NR_LANDLOCK_RESTRICT_SELF, SECCOMP_FAIL(EOPNOTSUPP));
    seccomp_filter_all(self, SECCOMP_RET_ALLOW);
}

/* Linux 5.19. Without it a signal restarts a held call that has been done already. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static int install_undisturbed(const struct sock_fprog *program)
{
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                        program);
}

int guard_filter_is_undisturbed(void)
{
    /* Flags are looked at first. */
    return install_undisturbed(NULL) < 0 && errno == EFAULT;
}

static int install(const struct sock_fprog *program)
{
    int fd = install_undisturbed(program);
    if (fd >= 0 || errno != EINVAL)
        return fd;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        program);
}

static struct seccomp_filter filter;
static struct sock_fprog program;

int guard_filter_build(int nested, int hides)
{
    int what = (nested ? GUARD_FILTER_NESTED : 0) | (hides ? GUARD_FILTER_HIDES : 0);
    return seccomp_filter_build(&filter, guard_filter_rules, what, &program);
}

int guard_filter_install(void)
{
    return install(&program);
}

const struct guard_call *guard_filter_call(const struct seccomp_data *data)
{
    int native = data->arch == ARCH_NATIVE;
    for (size_t i = 0; i < CALLS; i++) {
        int number = native ? calls[i].native : calls[i].compat;
        if (number >= 0 && number == data->nr)
            return &calls[i];
    }
    return NULL;
}
