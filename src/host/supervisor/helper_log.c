#include "host/supervisor/helper_log.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/debug.h"

#define PROGRAM_PREFIX "litterbox-"
#define PROGRAM_MAX 32

int helper_log_open(int folder, const char *name)
{
    char file[NAME_MAX + 1];
    struct stat st;
    snprintf(file, sizeof file, "%s.log", name);
    int fd = openat(folder, file,
                    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    return -1;
}

static void release(struct helper_log *self)
{
    /* A process that is being forked may have the descriptor, too. */
    flock(self->fd, LOCK_UN);
    close(self->fd);
    self->fd = -1;
}

/* Locks the file that has the log's name, which another process may have rotated meanwhile. Returns
 * its size, or -1. */
static off_t lock_current(struct helper_log *self)
{
    char file[NAME_MAX + 1];
    struct stat ours, now;
    snprintf(file, sizeof file, "%s.log", self->name);
    while (self->fd >= 0 && flock(self->fd, LOCK_EX) == 0 && fstat(self->fd, &ours) == 0) {
        if (fstatat(self->folder, file, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
            now.st_ino == ours.st_ino && now.st_dev == ours.st_dev)
            return ours.st_size;
        release(self);
        self->fd = helper_log_open(self->folder, self->name);
    }
    return -1;
}

/* The lock is held, and held on the new file. */
static void rotate(struct helper_log *self)
{
    char file[NAME_MAX + 1], old[NAME_MAX + 1];
    snprintf(file, sizeof file, "%s.log", self->name);
    snprintf(old, sizeof old, "%s.log.1", self->name);
    if (renameat(self->folder, file, self->folder, old) < 0)
        unlinkat(self->folder, file, 0);
    release(self);
    self->fd = helper_log_open(self->folder, self->name);
    lock_current(self);
}

void helper_log_init(struct helper_log *self, int folder, const char *name, const char *program,
                     size_t max)
{
    *self = (struct helper_log){.folder = folder, .name = name, .program = program, .max = max};
    self->fd = helper_log_open(folder, name);
}

/* Whether the line begins with one of our programs: "litterbox-wm: …", "litterbox-wm[123]: …". */
static int names_program(const char *text, size_t length)
{
    size_t at = strlen(PROGRAM_PREFIX);
    if (length <= at || memcmp(text, PROGRAM_PREFIX, at) != 0)
        return 0;
    for (; at < length && at < PROGRAM_MAX; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-[]", text[at]))
            return text[at] == ':';
    return 0;
}

static size_t format_time(char *line, size_t room)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(line, room, "%Y-%m-%dT%H:%M:%S", &parts);
    return used + (size_t)snprintf(line + used, room - used, ".%03ldZ ", now.tv_nsec / 1000000);
}

static void write_line(struct helper_log *self, const char *text, size_t length)
{
    /* Every byte may become four. */
    char line[4 * HELPER_LOG_LINE_MAX + 128];
    if (self->fd < 0 || length == 0)
        return;
    size_t used = format_time(line, sizeof line);
    if (!names_program(text, length))
        used += (size_t)snprintf(line + used, sizeof line - used, "%s: ", self->program);
    used += log_text_escape(line + used, sizeof line - used - 1, text, length);
    line[used++] = '\n';
    off_t size = lock_current(self);
    if (size >= 0 && (size_t)size + used > self->max)
        rotate(self);
    if (self->fd < 0)
        return;
    /* On a full disk the line is lost. */
    ssize_t written = write(self->fd, line, used);
    (void)written;
    flock(self->fd, LOCK_UN);
}

void helper_log_feed(struct helper_log *self, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        int is_end = bytes[i] == '\n' || bytes[i] == '\0';
        if (!is_end)
            self->text[self->used++] = bytes[i];
        if (!is_end && self->used < sizeof self->text)
            continue;
        write_line(self, self->text, self->used);
        if (self->heard)
            self->heard(self->text, self->used);
        self->used = 0;
    }
}

void helper_log_line(struct helper_log *self, const char *format, ...)
{
    char text[HELPER_LOG_LINE_MAX];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length > 0)
        write_line(self, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}
