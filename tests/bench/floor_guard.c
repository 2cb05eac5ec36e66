/*
 * floor-guard let|do COMMAND…: runs COMMAND with the guard's filter (guest/guard/filter.c) and a
 * supervisor that decides nothing, on the caller's processor. "let" lets each held call go on: what
 * the hold alone takes. "do" makes the call itself: the least that any guard of this kind takes.
 * Neither is safe: nothing is checked, not even whether the caller still waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/filter.h"
#include "guest/guard/serve.h"
#include "sys/descriptors.h"
#include "sys/seccomp_filter.h"

#define CALLS_A_PROCESSOR 32 /* as in workers.c */
#define PAGE 4096
#define SHORT_TEXT 256

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

static int listener;
static const struct seccomp_notif *notice;
static const struct guard_call *row;

static int argument(int index, int otherwise)
{
    return index < 0 ? otherwise : (int)notice->data.args[index];
}

static ssize_t copy(__u64 from, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    return process_vm_readv((pid_t)notice->pid, &here, 1, &there, 1, 0);
}

/* The caller's descriptor FD itself. */
static int fetch(int fd)
{
    static pid_t known;
    static int pidfd = -1;
    if (known != (pid_t)notice->pid) {
        close(pidfd);
        known = (pid_t)notice->pid;
        pidfd = (int)syscall(SYS_pidfd_open, known, GUARD_PIDFD_THREAD);
    }
    return (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

/* What NAME says, into TEXT and *BASE; the text alone for what is no path of a file. */
static void read_name(const struct guard_name *name, int is_text, char *text, int *base)
{
    char path[64];
    int folder = argument(name->dirfd, AT_FDCWD);
    *base = AT_FDCWD;
    text[0] = '\0';
    if (name->path < 0) {
        if (name->dirfd >= 0)
            *base = fetch(folder);
        return;
    }
    __u64 from = notice->data.args[name->path];
    size_t page = PAGE - (from & (PAGE - 1)), first = page < SHORT_TEXT ? page : SHORT_TEXT;
    copy(from, text, first);
    if (!memchr(text, '\0', first))
        copy(from + first, text + first, PAGE);
    if (is_text || text[0] == '/')
        return;
    snprintf(path, sizeof path, folder == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d",
             (int)notice->pid, folder);
    *base = open(path, O_PATH | O_CLOEXEC);
}

static int set_attribute(int base, const char *path, const char *name)
{
    char value[PAGE];
    size_t size = (size_t)argument(row->number, 0) % (PAGE + 1);
    copy(notice->data.args[row->old.path + 1], value, size);
    return path[0] ? setxattr(path, name, value, size, 0) : fsetxattr(base, name, value, size, 0);
}

/* The new descriptor, 0 or -1 with errno. */
static int make(const char *made, int base, const char *old, int from)
{
    int flags = argument(row->flags, row->fixed);
    mode_t mode = (mode_t)argument(row->mode, 0);
    switch (row->act) {
    case GUARD_OPEN:
        return openat(base, made, flags | O_CLOEXEC, mode);
    case GUARD_MKDIR:
        return mkdirat(base, made, mode);
    case GUARD_SYMLINK:
        return symlinkat(old, base, made);
    case GUARD_LINK:
        return linkat(from, old, base, made, flags);
    case GUARD_RENAME:
        return renameat2(from, old, base, made, (unsigned)flags);
    case GUARD_CHMOD:
        return made[0] ? fchmodat(base, made, mode, 0) : fchmod(base, mode);
    default:
        return set_attribute(base, made, old);
    }
}

static void answer(int error, uint32_t flags)
{
    struct seccomp_notif_resp response = {notice->id, 0, -error, flags};
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void do_call(void)
{
    static char made[2 * PAGE], old[2 * PAGE];
    int base, from, is_text = row->act == GUARD_SYMLINK || row->act == GUARD_SETXATTR;
    read_name(&row->made, 0, made, &base);
    read_name(&row->old, is_text, old, &from);
    int result = make(made, base, old, from);
    if (result >= 0 && row->act == GUARD_OPEN) {
        struct seccomp_notif_addfd add = {notice->id, SECCOMP_ADDFD_FLAG_SEND, (__u32)result, 0,
                                          (__u32)(argument(row->flags, row->fixed) & O_CLOEXEC)};
        ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
        close(result);
    } else {
        answer(result < 0 ? errno : 0, 0);
    }
    if (base >= 0)
        close(base);
    if (from >= 0)
        close(from);
}

/* For where this runs see workers.c in guest/guard/serve.h. */
static void move_to_caller(void)
{
    cpu_set_t set;
    int processor = guard_caller_processor((pid_t)notice->pid);
    CPU_ZERO(&set);
    CPU_SET((size_t)(processor < 0 ? 0 : processor), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void serve(int does)
{
    union guard_notification held;
    struct pollfd over = {.fd = listener};
    notice = &held.notice;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    if (sched_getscheduler(0) == SCHED_OTHER) /* no real-time priority, where others compute */
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    umask(022);
    for (unsigned calls = 0;; calls++) {
        memset(&held, 0, sizeof held);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &held.notice) < 0) {
            if (poll(&over, 1, 0) > 0 && (over.revents & POLLHUP))
                return;
            continue;
        }
        if (calls % CALLS_A_PROCESSOR == 0)
            move_to_caller();
        row = guard_filter_call(&notice->data);
        if (does && row->act <= GUARD_SETXATTR && row->act != GUARD_BIND &&
            row->act != GUARD_TRUNCATE)
            do_call();
        else
            answer(0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    }
}

static void run(int to_parent, char **command)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int fd = guard_filter_build(0, 0) < 0 ? -1 : guard_filter_install();
    if (fd >= 0 && descriptors_send(to_parent, "", 1, &fd, 1, 0) == 1 && close(fd) == 0)
        execvp(command[0], command);
    exit(127);
}

int main(int argc, char **argv)
{
    int pair[2], status;
    char byte;
    if (argc < 3 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return 2;
    pid_t child = fork();
    if (child == 0)
        run(pair[1], argv + 2);
    close(pair[1]);
    if (child < 0 || descriptors_receive(pair[0], &byte, 1, &listener, 1, NULL) <= 0)
        return 1;
    serve(!strcmp(argv[1], "do"));
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
