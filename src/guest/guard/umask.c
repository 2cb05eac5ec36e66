#include "guest/guard/umask.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/shared_memory.h"

#define KNOWN_MAX 64    /* processes that make files at a time; a power of two */
#define CHANGING_MAX 64 /* calls of umask(2) that may not have happened yet */

/* What is known of the process that PIDFD leads to. */
struct process_mask {
    pid_t pid;
    int pidfd;
    uint64_t epoch;
    mode_t mask;
};

struct change {
    pid_t pid;
    mode_t mask;
};

static struct {
    pthread_mutex_t lock;
    struct process_mask known[KNOWN_MAX];
    uint64_t epoch; /* counts calls of umask(2) */
    struct change changing[CHANGING_MAX];
    int changing_count;
    int is_off; /* too many at once: nothing is remembered any more */
} * umasks;

/* This process's own. */
static mode_t current = (mode_t)-1;

int guard_umask_begin(void)
{
    umasks = shared_memory_new(sizeof *umasks);
    if (!umasks)
        return -1;
    shared_memory_lock_init(&umasks->lock);
    return 0;
}

static void lock(void)
{
    pthread_mutex_lock(&umasks->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&umasks->lock);
}

/* 1 when CHANGE has happened, or never will. */
static int has_happened(const struct change *change)
{
    struct guard_status status;
    return guard_status_read(&status, change->pid) < 0 || status.mask == change->mask;
}

/* Forgets the changes that have happened. With the lock held. */
static void settle(void)
{
    for (int i = umasks->changing_count - 1; i >= 0; i--) {
        if (has_happened(&umasks->changing[i]))
            umasks->changing[i] = umasks->changing[--umasks->changing_count];
    }
}

void guard_umask_changes(const struct guard_request *request)
{
    int i = 0;
    lock();
    if (umasks->changing_count == CHANGING_MAX)
        settle();
    while (i < umasks->changing_count && umasks->changing[i].pid != request->pid)
        i++; /* the caller's last change has happened */
    umasks->epoch++;
    if (i < CHANGING_MAX)
        umasks->changing[i] = (struct change){request->pid, request->mode & 0777};
    else
        umasks->is_off = 1;
    if (i == umasks->changing_count && i < CHANGING_MAX)
        umasks->changing_count++;
    unlock();
}

/* With the lock held. The process must be the same one: its number may have been given anew. */
static const struct process_mask *find_known(pid_t pid)
{
    const struct process_mask *found = &umasks->known[pid & (KNOWN_MAX - 1)];
    if (found->pid != pid || found->epoch != umasks->epoch ||
        (syscall(SYS_pidfd_send_signal, found->pidfd, 0, NULL, 0) < 0 && errno == ESRCH))
        return NULL;
    return found;
}

static int open_thread(pid_t pid)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, GUARD_PIDFD_THREAD);
    /* Before Linux 6.9 there is none of a thread that is not its process's first. */
    return pidfd < 0 && errno == EINVAL ? (int)syscall(SYS_pidfd_open, pid, 0) : pidfd;
}

/* What was read of the caller's status in the epoch SINCE. */
static void remember_umask(const struct guard_request *request, uint64_t since)
{
    int pidfd = open_thread(request->pid);
    lock();
    /* It still waits, so PIDFD is the caller's. */
    if (pidfd >= 0 && umasks->epoch == since && guard_request_waits(request)) {
        struct process_mask *self = &umasks->known[request->pid & (KNOWN_MAX - 1)];
        int old = self->pid ? self->pidfd : -1;
        *self = (struct process_mask){request->pid, pidfd, since, request->status.mask};
        pidfd = old;
    }
    unlock();
    if (pidfd >= 0)
        close(pidfd);
}

static int look_at_mask(struct guard_request *request, mode_t *mask)
{
    lock();
    if (umasks->changing_count)
        settle();
    int is_settled = !umasks->changing_count && !umasks->is_off;
    uint64_t since = umasks->epoch;
    const struct process_mask *found = is_settled ? find_known(request->pid) : NULL;
    if (found)
        *mask = found->mask;
    unlock();
    if (found)
        return 0;
    int error = guard_caller_refresh(request);
    if (!error && is_settled)
        remember_umask(request, since);
    *mask = request->status.mask;
    return error;
}

int guard_umask_take(struct guard_request *request)
{
    mode_t mask = 0;
    int error = 0;
    if (request->knows)
        mask = request->status.mask;
    else
        error = look_at_mask(request, &mask);
    if (!error && mask != current) {
        umask(mask);
        current = mask;
    }
    return error;
}
