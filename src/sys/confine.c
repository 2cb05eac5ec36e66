#include "sys/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The rights of Landlock's first ABI. Those of later ones are not restricted. */
#define HANDLED ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

void confine_harden(void)
{
    const struct rlimit none = {0, 0};
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
}

static uint64_t rights_of(unsigned what)
{
    uint64_t rights = 0;
    if (what & CONFINE_READ)
        rights |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    if (what & CONFINE_CHANGE)
        rights |= LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
    if (what & CONFINE_REMOVE)
        rights |= LANDLOCK_ACCESS_FS_REMOVE_FILE;
    if (what & CONFINE_SOCKETS)
        rights |= LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_DIR;
    return rights;
}

static void allow(int rules, const struct confine_path *path)
{
    int fd = path->path ? open(path->path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights_of(path->what),
                                              .parent_fd = fd};
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

int confine_files(const struct confine_path *paths, size_t count)
{
    const struct landlock_ruleset_attr what = {.handled_access_fs = HANDLED};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &what, sizeof what, 0);
    if (rules < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        allow(rules, &paths[i]);
    int done = (int)syscall(SYS_landlock_restrict_self, rules, 0), saved = errno;
    close(rules);
    errno = saved;
    return done;
}

/* Missing in older headers; the numbers are the same on every architecture. */
#define FCHMODAT2 452
#define SETXATTRAT 463
#define REMOVEXATTRAT 466

/* Programs, processes, namespaces, and rarely used parts of the kernel. */
static const int refused[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(personality),
    SCMP_SYS(memfd_create),
    SCMP_SYS(swapon),
    SCMP_SYS(symlink),
    SCMP_SYS(symlinkat),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    /* Landlock does not restrict these, and they need no right to open the file. */
    SCMP_SYS(truncate),
    SCMP_SYS(chmod),
    SCMP_SYS(fchmodat),
    FCHMODAT2,
    SCMP_SYS(chown),
    SCMP_SYS(lchown),
    SCMP_SYS(fchownat),
    SCMP_SYS(setxattr),
    SCMP_SYS(lsetxattr),
    SETXATTRAT,
    SCMP_SYS(removexattr),
    SCMP_SYS(lremovexattr),
    REMOVEXATTRAT,
};

/* Calls that signal another process. */
static const int signalling[] = {
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(pidfd_send_signal),
};
/* Calls that make another process the owner of a descriptor: SIGIO ends one without a handler. */
static const struct {
    int call;
    scmp_datum_t what;
} owning[] = {
    {SCMP_SYS(fcntl), F_SETOWN},
    {SCMP_SYS(fcntl), F_SETOWN_EX},
    {SCMP_SYS(ioctl), FIOSETOWN},
    {SCMP_SYS(ioctl), SIOCSPGRP},
};

static int may_have(int family, unsigned may)
{
    return ((may & CONFINE_CONNECT) && family == AF_UNIX) ||
           ((may & CONFINE_INTERNET) && (family == AF_INET || family == AF_INET6));
}

static int refuse_sockets(scmp_filter_ctx filter, unsigned may)
{
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    int wrong = 0;
    /* One of a pair of datagram sockets sends to any other by its path. */
    if (!(may & CONFINE_CONNECT))
        wrong |= seccomp_rule_add(filter, refuse, SCMP_SYS(socketpair), 0);
    if (!(may & (CONFINE_CONNECT | CONFINE_INTERNET)))
        return wrong | seccomp_rule_add(filter, refuse, SCMP_SYS(socket), 0) |
               seccomp_rule_add(filter, refuse, SCMP_SYS(connect), 0);
    /* Refuses larger numbers, whatever their lower 32 bits are. */
    wrong |= seccomp_rule_add(filter, refuse, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_INET6));
    for (int family = 0; family <= AF_INET6; family++) {
        if (!may_have(family, may))
            wrong |= seccomp_rule_add(filter, refuse, SCMP_SYS(socket), 1,
                                      SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family));
    }
    return wrong;
}

/* abort() uses tgkill on the process itself. A lower RLIMIT_CPU would end another process, too. */
static int refuse_signals(scmp_filter_ctx filter)
{
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    int wrong = seccomp_rule_add(filter, refuse, SCMP_SYS(tgkill), 1,
                                 SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid())) |
                seccomp_rule_add(filter, refuse, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0));
    for (size_t i = 0; i < sizeof signalling / sizeof *signalling; i++)
        wrong |= seccomp_rule_add(filter, refuse, signalling[i], 0);
    for (size_t i = 0; i < sizeof owning / sizeof *owning; i++)
        wrong |= seccomp_rule_add(filter, refuse, owning[i].call, 1,
                                  SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, owning[i].what));
    return wrong;
}

static int fill(scmp_filter_ctx filter, unsigned may)
{
    int wrong = refuse_sockets(filter, may);
    if (!(may & CONFINE_SIGNALS))
        wrong |= refuse_signals(filter);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    /* The flags of clone3 are in memory. With ENOSYS the C library uses clone. */
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (may & CONFINE_THREADS)
        wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    else
        wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 0);
    return wrong;
}

int confine_calls(unsigned may)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int done = filter && fill(filter, may) == 0 && seccomp_load(filter) == 0 ? 0 : -1;
    if (filter)
        seccomp_release(filter);
    return done;
}

void confine_process(const char *program, const struct confine_path *paths, size_t count,
                     unsigned may)
{
    confine_harden();
    if (confine_files(paths, count) < 0)
        fprintf(stderr, "%s: Landlock does not work here: %s\n", program, strerror(errno));
    if (confine_calls(may) < 0)
        fprintf(stderr, "%s: the seccomp filter does not work here\n", program);
}
