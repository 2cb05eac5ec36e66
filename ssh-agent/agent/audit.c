#include "ssh-agent/agent/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

#define REFUSAL_US (AUDIT_REFUSAL_SECONDS * (gint64)G_USEC_PER_SEC)

/* Token bucket of a box: AUDIT_REFUSALS entries, then one every AUDIT_REFUSAL_SECONDS. */
typedef struct {
    gint64 full_at; /* when all of its tokens are back */
    guint left_out; /* entries that were not written, since the last one */
} refusal_bucket;

struct audit {
    int folder;
    GHashTable *refused; /* box -> refusal_bucket */
};

void audit_free(audit *self)
{
    if (!self)
        return;
    close(self->folder);
    g_hash_table_unref(self->refused);
    g_free(self);
}

static void old_name(char *name, gsize size, int number)
{
    if (number == 0)
        g_strlcpy(name, AUDIT_FILE, size);
    else
        g_snprintf(name, (gulong)size, AUDIT_FILE ".%d", number);
}

static void rotate(const audit *self)
{
    char from[32], to[32];
    for (int i = AUDIT_OLD; i > 0; i--) {
        old_name(from, sizeof from, i - 1);
        old_name(to, sizeof to, i);
        renameat(self->folder, from, self->folder, to);
    }
}

/* Opens the file for each line, as it may have been moved or removed meanwhile. */
static int open_log(const audit *self, struct stat *st)
{
    int fd = openat(self->folder, AUDIT_FILE,
                    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0)
        return -1;
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && fchmod(fd, 0600) == 0)
        return fd;
    close(fd);
    return -1;
}

/* An agent that was killed while writing may have left a partial line. What it describes was not
 * done, because lines are written first. */
static void drop_partial_line(const audit *self)
{
    struct stat st;
    char last;
    int fd = openat(self->folder, AUDIT_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    gboolean file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    off_t end = file ? st.st_size : 0;
    while (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
        end--;
    if (file && end < st.st_size && ftruncate(fd, end) < 0)
        g_message("cannot repair '" AUDIT_FILE "': %s", g_strerror(errno));
    close(fd);
}

audit *audit_new(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    audit *self = g_new0(audit, 1);
    self->folder = fd;
    self->refused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    drop_partial_line(self);
    return self;
}

static gboolean append(const audit *self, const char *line, gsize length)
{
    struct stat st;
    int fd = open_log(self, &st);
    if (fd >= 0 && st.st_size > 0 && st.st_size + (off_t)length > AUDIT_BYTES) {
        close(fd);
        rotate(self);
        fd = open_log(self, &st);
    }
    if (fd < 0)
        return FALSE;
    gboolean written = fs_write_all(fd, line, length);
    /* A partial line would spoil the next one. */
    if (!written && ftruncate(fd, st.st_size) < 0)
        written = FALSE;
    return close(fd) == 0 && written;
}

gboolean audit_write(audit *self, json_t *entry)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *time = g_date_time_format_iso8601(now);
    json_t *whole = json_pack("{s:s}", "time", time);
    /* A failed update must not count as a written entry. */
    char *text = json_object_update(whole, entry) == 0 ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(entry);
    json_decref(whole);
    if (!text)
        return FALSE;
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    free(text);
    return append(self, line, strlen(line));
}

void audit_write_refusal(audit *self, const char *box, json_t *entry, gint64 now)
{
    refusal_bucket *bucket = g_hash_table_lookup(self->refused, box);
    if (!bucket) {
        bucket = g_new0(refusal_bucket, 1);
        g_hash_table_insert(self->refused, g_strdup(box), bucket);
    }
    bucket->full_at = MAX(bucket->full_at, now);
    if (bucket->full_at - now >= AUDIT_REFUSALS * REFUSAL_US) {
        bucket->left_out++;
        json_decref(entry);
        return;
    }
    bucket->full_at += REFUSAL_US;
    if (bucket->left_out)
        json_object_set_new(entry, "left_out", json_integer(bucket->left_out));
    bucket->left_out = 0;
    audit_write(self, entry);
}
