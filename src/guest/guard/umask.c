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
struct known {
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
    struct known known[KNOWN_MAX];
    uint64_t epoch; /* counts calls of umask(2) */
    struct change changing[CHANGING_MAX];
    int changing_count;
    int is_off; /* too many at once: nothing is remembered any more */
} * shared;

/* This process's own. */
static mode_t current = (mode_t)-1;

int guard_umask_begin(void)
{
    shared = shared_memory_new(sizeof *shared);
    if (!shared)
        return -1;
    shared_memory_lock_init(&shared->lock);
    return 0;
}

static void lock(void)
{
    pthread_mutex_lock(&shared->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&shared->lock);
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
    for (int i = shared->changing_count - 1; i >= 0; i--) {
        if (has_happened(&shared->changing[i]))
            shared->changing[i] = shared->changing[--shared->changing_count];
    }
}

void guard_umask_changes(const struct guard_request *request)
{
    int i = 0;
    lock();
    if (shared->changing_count == CHANGING_MAX)
        settle();
    while (i < shared->changing_count && shared->changing[i].pid != request->pid)
        i++; /* the caller's last change has happened */
    shared->epoch++;
    if (i < CHANGING_MAX)
        shared->changing[i] = (struct change){request->pid, request->mode & 0777};
    else
        shared->is_off = 1;
    if (i == shared->changing_count && i < CHANGING_MAX)
        shared->changing_count++;
    unlock();
}

/* With the lock held. The process must be the same one: its number may have been given anew. */
static const struct known *find(pid_t pid)
{
    const struct known *found = &shared->known[pid & (KNOWN_MAX - 1)];
    if (found->pid != pid || found->epoch != shared->epoch ||
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
static void remember(const struct guard_request *request, uint64_t since)
{
    int pidfd = open_thread(request->pid);
    lock();
    /* It still waits, so PIDFD is the caller's. */
    if (pidfd >= 0 && shared->epoch == since && guard_request_waits(request)) {
        struct known *self = &shared->known[request->pid & (KNOWN_MAX - 1)];
        int old = self->pid ? self->pidfd : -1;
        *self = (struct known){request->pid, pidfd, since, request->status.mask};
        pidfd = old;
    }
    unlock();
    if (pidfd >= 0)
        close(pidfd);
}

static int look(struct guard_request *request, mode_t *mask)
{
    lock();
    if (shared->changing_count)
        settle();
    int is_settled = !shared->changing_count && !shared->is_off;
    uint64_t since = shared->epoch;
    const struct known *found = is_settled ? find(request->pid) : NULL;
    if (found)
        *mask = found->mask;
    unlock();
    if (found)
        return 0;
    int error = guard_caller_refresh(request);
    if (!error && is_settled)
        remember(request, since);
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
        error = look(request, &mask);
    if (!error && mask != current) {
        umask(mask);
        current = mask;
    }
    return error;
}
