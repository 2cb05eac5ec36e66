#include "host/supervisor/helper_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Length of "PID RUN\n", filled up with spaces so that a new text overwrites all of the old one. */
#define TEXT_LENGTH 32

enum { BYTE_HELD, BYTE_SERVING, BYTE_PAUSED };

static struct flock one_byte(int at, short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

static int set_lock(int lock, int at, int is_wanted)
{
    struct flock range = one_byte(at, is_wanted ? F_WRLCK : F_UNLCK);
    return fcntl(lock, F_OFD_SETLK, &range);
}

static int is_locked(int lock, int at)
{
    struct flock range = one_byte(at, F_WRLCK);
    return fcntl(lock, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

static int write_text(int lock, const char *run)
{
    char text[TEXT_LENGTH + 1];
    int length = snprintf(text, sizeof text, "%d %s", (int)getpid(), run);
    if (length >= TEXT_LENGTH)
        return -1;
    memset(text + length, ' ', (size_t)(TEXT_LENGTH - length - 1));
    text[TEXT_LENGTH - 1] = '\n';
    return pwrite(lock, text, TEXT_LENGTH, 0) == TEXT_LENGTH ? 0 : -1;
}

int helper_lock_take(int folder, const char *name, const char *run)
{
    char file[NAME_MAX + 1];
    snprintf(file, sizeof file, "%s.lock", name);
    int lock = openat(folder, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock >= 0 && set_lock(lock, BYTE_HELD, 1) == 0 && write_text(lock, run) == 0)
        return lock;
    if (lock >= 0)
        close(lock);
    return -1;
}

int helper_lock_set(int lock, enum helper_state state)
{
    return set_lock(lock, BYTE_SERVING, state == HELPER_SERVING) < 0 ||
                   set_lock(lock, BYTE_PAUSED, state == HELPER_PAUSED) < 0
               ? -1
               : 0;
}

static void read_text(int lock, struct helper_holder *holder)
{
    char text[TEXT_LENGTH + 1] = "", run[HELPER_RUN_MAX] = "";
    int pid = 0;
    ssize_t length = read(lock, text, TEXT_LENGTH);
    if (length == TEXT_LENGTH && sscanf(text, "%d %15s", &pid, run) >= 1 && pid > 0) {
        holder->supervisor = pid;
        memcpy(holder->run, run, sizeof run);
    }
}

void helper_lock_read(const char *path, const char *name, struct helper_holder *holder)
{
    char file[PATH_MAX];
    *holder = (struct helper_holder){.state = HELPER_ABSENT};
    if (snprintf(file, sizeof file, "%s/%s.lock", path, name) >= (int)sizeof file)
        return;
    int lock = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0)
        return;
    if (is_locked(lock, BYTE_SERVING))
        holder->state = HELPER_SERVING;
    else if (is_locked(lock, BYTE_HELD))
        holder->state = is_locked(lock, BYTE_PAUSED) ? HELPER_PAUSED : HELPER_STARTING;
    if (holder->state != HELPER_ABSENT)
        read_text(lock, holder);
    close(lock);
}
