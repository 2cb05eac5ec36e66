#include "guest/guard/calls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/caller.h"
#include "guest/guard/filter.h"
#include "guest/guard/rights.h"
#include "sys/descriptors.h"

/* Of pseudo-terminals, but for their masters. */
#define SLAVE_MAJOR 136
#define SLAVE_MAJORS 8
/* Of the whole: a caller could be made so that the call never ends. */
#define LIMIT_S 2
#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

#if defined __x86_64__
#define RESULT(regs) (regs)->rax
static int is_native(const struct user_regs_struct *regs)
{
    return regs->cs == 0x33;
}

/* Behind a system call: the same instruction once more, for ioctl(FD, TIOCSCTTY, 0). */
static void prepare_call(struct user_regs_struct *regs, unsigned fd)
{
    regs->rax = SYS_ioctl;
    regs->orig_rax = (unsigned long long)-1;
    regs->rdi = fd;
    regs->rsi = TIOCSCTTY;
    regs->rdx = 0;
    regs->rip -= 2;
}
#elif defined __aarch64__
#define RESULT(regs) (regs)->regs[0]
static int is_native(const struct user_regs_struct *regs)
{
    return !(regs->pstate & 0x10);
}

static void prepare_call(struct user_regs_struct *regs, unsigned fd)
{
    regs->regs[8] = SYS_ioctl;
    regs->regs[0] = fd;
    regs->regs[1] = TIOCSCTTY;
    regs->regs[2] = 0;
    regs->pc -= 4;
}
#endif

static int is_slave(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) >= SLAVE_MAJOR &&
           major(st.st_rdev) < SLAVE_MAJOR + SLAVE_MAJORS;
}

static int may_take(struct guard_request *request)
{
    int flags = request->flags;
    return !(flags & O_NOCTTY) && (flags & O_ACCMODE) != O_WRONLY && !request->view.abroad &&
           guard_caller_leads_without_terminal(request);
}

static long registers(int request, pid_t pid, struct user_regs_struct *regs)
{
    struct iovec all = {regs, sizeof *regs};
    return ptrace(request, pid, (void *)(uintptr_t)NT_PRSTATUS, &all);
}

static long mask(int request, pid_t pid, uint64_t *signals)
{
    return ptrace(request, pid, (void *)sizeof *signals, signals);
}

/* Lets PID go on until it stops. What stopped it; -1: it is gone. */
static int await_stop(pid_t pid)
{
    int status;
    return waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) ? status >> 8 : -1;
}

/* The call in PID, which has stopped behind the held one. As the kernel, which says nothing either
 * when the terminal belongs to another session. */
static void take_terminal(pid_t pid)
{
    struct user_regs_struct before = {0}, call;
    uint64_t all = ~(uint64_t)0, old;
    if (registers(PTRACE_GETREGSET, pid, &before) < 0 || !is_native(&before) ||
        (int64_t)RESULT(&before) < 0 || mask(PTRACE_GETSIGMASK, pid, &old) < 0)
        return;
    call = before;
    prepare_call(&call, (unsigned)RESULT(&before));
    /* A handler would be called with the wrong registers. */
    mask(PTRACE_SETSIGMASK, pid, &all);
    registers(PTRACE_SETREGSET, pid, &call);
    for (int stops = 0; stops < 2; stops++) { /* before and behind the call */
        ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
        if (await_stop(pid) != SYSCALL_STOP)
            break;
    }
    registers(PTRACE_SETREGSET, pid, &before);
    mask(PTRACE_SETSIGMASK, pid, &old);
}

/* In a process of its own, which may hang and be killed. 0 when the call has been answered. */
static int give(struct guard_request *request, int fd)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    int keep[] = {fd, request->listener};
    pid_t pid = request->pid;
    sigaction(SIGALRM, &action, NULL);
    alarm(LIMIT_S);
    descriptors_keep(keep, 2);
    if (guard_rights_look(request->kind) < 0 ||
        ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0 ||
        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 || guard_answer_descriptor(request, fd) != 0)
        return 1;
    if (await_stop(pid) == (SIGTRAP | PTRACE_EVENT_STOP << 8))
        take_terminal(pid);
    return 0; /* and the caller is not traced any more */
}

void guard_controlling_terminal_give(struct guard_request *request, int *fd)
{
    int status = -1;
    /* Else the caller would make its call again as soon as it is traced. */
    if (!guard_filter_is_undisturbed() || !is_slave(*fd) || !may_take(request))
        return;
    pid_t child = fork();
    if (child == 0)
        _exit(give(request, *fd));
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        return;
    request->is_answered = 1;
    close(*fd);
    *fd = -1;
}
