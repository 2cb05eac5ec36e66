#include "box/helpers/network_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/helpers/log_lines.h"
#include "common/text.h"

#define LOG_FILE NETWORK_RECORDS ".log"
#define OLDER_FILE LOG_FILE ".1"
/* What the supervisor puts before a record. */
#define PROGRAM_PREFIX "litterbox-gate: "
/* Longer lines are none of ours. */
#define LINE_MAX_BYTES 4096

struct reader {
    int folder, fd; /* FD: the file that is written to; -1: not there yet */
    GString *line;  /* that has no end yet */
    network_log_func each;
    gpointer user_data;
};

char *network_record_rule(const struct network_record *record)
{
    const char *colon = strchr(record->rule, ':');
    return colon ? g_strdup_printf("%.*s %s", (int)(colon - record->rule), record->rule, colon + 1)
                 : NULL;
}

static void pass_line(struct reader *self)
{
    const char *rest;
    gint64 time;
    struct network_record record;
    if (self->line->len <= LINE_MAX_BYTES && log_line_time(self->line->str, &time, &rest) &&
        g_str_has_prefix(rest, PROGRAM_PREFIX) &&
        network_record_parse(rest + strlen(PROGRAM_PREFIX), &record) == 0)
        self->each(time, &record, self->user_data);
    g_string_truncate(self->line, 0);
}

/* Reads FD up to its end, as it is now. */
static void read_rest(struct reader *self, int fd)
{
    char bytes[8192];
    for (ssize_t got; (got = read(fd, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == '\n')
                pass_line(self);
            else if (self->line->len <= LINE_MAX_BYTES)
                g_string_append_c(self->line, bytes[i]);
        }
}

static int open_log(const struct reader *self, const char *name)
{
    return openat(self->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static gboolean is_same_file(int a, int b)
{
    struct stat one, other;
    return a >= 0 && b >= 0 && fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
           one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

/* The older file may have been renamed since the newer one was opened. */
static void read_older(struct reader *self)
{
    int older = open_log(self, OLDER_FILE);
    if (older >= 0 && !is_same_file(older, self->fd))
        read_rest(self, older);
    if (older >= 0)
        close(older);
}

/* What was written to the file, and to the one that has taken its place. */
static void read_new(struct reader *self)
{
    if (self->fd >= 0)
        read_rest(self, self->fd);
    int now = open_log(self, LOG_FILE);
    if (now < 0 || is_same_file(now, self->fd)) {
        if (now >= 0)
            close(now);
        return;
    }
    if (self->fd >= 0) {
        read_rest(self, self->fd);
        close(self->fd);
    }
    self->fd = now;
    read_rest(self, now);
}

/* Waits for a change of the folder. FALSE when it is gone. */
static gboolean await_change(int notify)
{
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t length = read(notify, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        const struct inotify_event *event = (const void *)(events + at);
        if (event->mask & (IN_DELETE_SELF | IN_IGNORED))
            return FALSE;
        at += (ssize_t)(sizeof *event + event->len);
    }
    return length > 0;
}

gboolean network_log_each(const char *folder, gboolean follow, network_log_func each,
                          gpointer user_data, GError **error)
{
    g_autoptr(GString) line = g_string_new(NULL);
    struct reader self = {.fd = -1, .line = line, .each = each, .user_data = user_data};
    int notify = follow ? inotify_init1(IN_CLOEXEC) : -1;
    if (follow && (notify < 0 || inotify_add_watch(notify, folder,
                                                   IN_MODIFY | IN_CREATE | IN_MOVED_TO |
                                                       IN_DELETE_SELF | IN_ONLYDIR) < 0)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot wait for the log: %s",
                    g_strerror(errno));
        if (notify >= 0)
            close(notify);
        return FALSE;
    }
    self.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    self.fd = open_log(&self, LOG_FILE);
    read_older(&self);
    do
        read_new(&self);
    while (follow && await_change(notify));
    if (self.fd >= 0)
        close(self.fd);
    if (self.folder >= 0)
        close(self.folder);
    if (notify >= 0)
        close(notify);
    return TRUE;
}
