#include "box/inspect/project_changes.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"

/* Bytes: a time and PROJECT_SCAN_MAX of the longest paths. */
#define CHANGES_MAX (PROJECT_SCAN_MAX * 4097 + 64)
#define SHOWN_MAX 10

/* What is known, and what of it the user has been shown, with the time of that look. */
#define KNOWN_FILE "changes"
#define SHOWN_FILE "changes.shown"

static char *path_of(const struct box *self, const char *name)
{
    return g_build_filename(self->data, name, NULL);
}

static project_changes *changes_new(void)
{
    project_changes *self = g_new0(project_changes, 1);
    self->paths = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void project_changes_free(project_changes *self)
{
    if (!self)
        return;
    g_ptr_array_free(self->paths, TRUE);
    g_free(self);
}

/*
 * The file: NUL-terminated strings, as a path has any other byte. First the time in decimal and how
 * many paths were not kept, then the paths. Only Litterbox writes it.
 */
static project_changes *read_changes(const struct box *self, const char *name)
{
    g_autofree char *path = path_of(self, name);
    g_autofree char *data = NULL;
    gsize length = 0;
    project_changes *changes = changes_new();
    if (!fs_read(AT_FDCWD, path, CHANGES_MAX, &data, &length, NULL))
        return changes;
    char *end = data;
    changes->since = g_ascii_strtoll(data, &end, 10);
    changes->more = (guint)g_ascii_strtoull(end, NULL, 10);
    for (char *at = data + strlen(data) + 1; at < data + length; at += strlen(at) + 1)
        g_ptr_array_add(changes->paths, g_strdup(at));
    return changes;
}

static gboolean write_changes(const struct box *self, const char *name, gint64 time,
                              const project_changes *changes, GError **error)
{
    g_autofree char *path = path_of(self, name);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "%" G_GINT64_FORMAT " %u", time, changes->more);
    g_string_append_c(text, '\0');
    for (guint i = 0; i < changes->paths->len; i++)
        g_string_append_len(text, changes->paths->pdata[i],
                            (gssize)strlen(changes->paths->pdata[i]) + 1);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

/* Sessions end at the same time. */
static int lock(const struct box *self)
{
    g_autofree char *path = path_of(self, "changes.lock");
    return fs_lock(path, NULL, NULL);
}

static void unlock(int fd)
{
    if (fd >= 0)
        close(fd);
}

void project_changes_begin(const struct box *self)
{
    int locked = lock(self);
    g_autoptr(project_changes) changes = read_changes(self, KNOWN_FILE);
    if (changes->since == 0) {
        changes->since = g_get_real_time();
        write_changes(self, KNOWN_FILE, changes->since, changes, NULL);
    }
    unlock(locked);
}

static void report_new(const project_scan_result *found, gint64 since)
{
    g_autofree char *from = units_format_time(since / G_USEC_PER_SEC);
    if (found->paths->len)
        log_warning("files that tools on this machine run or obey have changed since %s:", from);
    for (guint i = 0; i < MIN(found->paths->len, SHOWN_MAX); i++) {
        g_autofree char *safe = text_safe(found->paths->pdata[i], -1);
        log_warning("  %s", safe);
    }
    if (found->paths->len + found->more > SHOWN_MAX)
        log_warning("  … and %u more; 'box status --json' lists all",
                    found->paths->len + found->more - SHOWN_MAX);
    if (found->unread)
        log_warning("%u folders of the project were not checked: their paths are too long, or they "
                    "cannot be read",
                    found->unread);
}

static gboolean has_path(const GPtrArray *paths, const char *path)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)paths, path, g_str_equal, NULL);
}

/* What was reported before is found again while there are folders that cannot be read. */
static void drop_known(project_scan_result *found, const project_changes *changes)
{
    for (guint i = found->unread ? found->paths->len : 0; i-- > 0;)
        if (has_path(changes->paths, found->paths->pdata[i]))
            g_ptr_array_remove_index(found->paths, i);
    if (found->unread)
        found->more -= MIN(found->more, changes->more);
}

/* Takes the paths of FOUND, and drops those of files that are gone. */
static void merge(const struct box *self, project_changes *changes, project_scan_result *found)
{
    for (guint i = changes->paths->len; i-- > 0;) {
        if (!project_scan_exists(self->project, changes->paths->pdata[i]))
            g_ptr_array_remove_index(changes->paths, i);
    }
    for (guint i = 0; i < found->paths->len; i++) {
        const char *path = found->paths->pdata[i];
        if (has_path(changes->paths, path))
            continue;
        if (changes->paths->len < PROJECT_SCAN_MAX)
            g_ptr_array_add(changes->paths, g_strdup(path));
        else
            changes->more++;
    }
    g_ptr_array_sort(changes->paths, text_compare);
    changes->more += found->more;
    changes->unread = found->unread;
}

project_changes *project_changes_update(const struct box *self, const settings *wanted,
                                        gboolean runs, gboolean report)
{
    int locked = lock(self);
    project_changes *changes = read_changes(self, KNOWN_FILE);
    changes->looked = g_get_real_time();
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    project_scan_result found = {.paths = paths};
    if (changes->since) {
        log_step("looking for changed files that tools on this machine run or obey");
        project_scan(self->project, wanted, changes->since, &found);
        log_step_done();
        drop_known(&found, changes);
        if (report)
            report_new(&found, changes->since);
        /* Else a box could hide what it has changed until it is old. */
        if (!found.unread)
            changes->since = runs ? changes->looked : 0;
    }
    merge(self, changes, &found);
    write_changes(self, KNOWN_FILE, changes->since, changes, NULL);
    unlock(locked);
    return changes;
}

void project_changes_shown(const struct box *self, const project_changes *changes)
{
    int locked = lock(self);
    write_changes(self, SHOWN_FILE, changes->looked, changes, NULL);
    unlock(locked);
}

gboolean project_changes_forget(const struct box *self, GError **error)
{
    int locked = lock(self);
    g_autoptr(project_changes) changes = read_changes(self, KNOWN_FILE);
    g_autoptr(project_changes) shown = read_changes(self, SHOWN_FILE);
    for (guint i = changes->paths->len; i-- > 0;) {
        const char *path = changes->paths->pdata[i];
        if (has_path(shown->paths, path) &&
            !project_scan_has_changed(self->project, path, shown->since))
            g_ptr_array_remove_index(changes->paths, i);
    }
    changes->more -= MIN(changes->more, shown->more);
    if (changes->paths->len || changes->more)
        log_note("files have changed since 'box status' listed them, or were not listed yet: they "
                 "stay in its list");
    gboolean written = write_changes(self, KNOWN_FILE, changes->since, changes, error);
    /* What was listed counts once. */
    g_autofree char *shown_path = path_of(self, SHOWN_FILE);
    if (written)
        unlink(shown_path);
    unlock(locked);
    return written;
}
