#include "box/registry/branch_marks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/registry/branch.h"
#include "box/registry/branch_then.h"
#include "box/registry/branch_upper.h"
#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"

#define FILE_NAME "marks"
#define FILE_MAX (256 << 20)

struct branch_marks {
    struct timespec since; /* the last start */
    GHashTable *own;       /* path -> struct timespec *: what was changed before it */
};

static char *file_of(const struct box *self)
{
    return g_build_filename(self->data, FILE_NAME, NULL);
}

static gboolean parse_time(const char *text, struct timespec *when)
{
    long long seconds;
    long nanoseconds;
    if (sscanf(text, "%lld.%9ld", &seconds, &nanoseconds) != 2 || nanoseconds < 0)
        return FALSE;
    *when = (struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = nanoseconds};
    return TRUE;
}

static void add(branch_marks *self, const char *path, const struct timespec *when)
{
    struct timespec *copy = g_new(struct timespec, 1);
    *copy = *when;
    g_hash_table_replace(self->own, g_strdup(path), copy);
}

/* The file: NUL-terminated strings. First the last start, then for each file its path and time.
 * Only Litterbox writes it. */
static gboolean parse(branch_marks *self, const char *data, gsize length)
{
    const char *end = data + length;
    if (!parse_time(data, &self->since))
        return FALSE;
    for (const char *at = data + strlen(data) + 1; at < end;) {
        struct timespec when;
        const char *text = at + strlen(at) + 1;
        if (text >= end || !parse_time(text, &when))
            return FALSE;
        add(self, at, &when);
        at = text + strlen(text) + 1;
    }
    return TRUE;
}

branch_marks *branch_marks_read(const struct box *self, GError **error)
{
    g_autoptr(branch_marks) marks = g_new0(branch_marks, 1);
    g_autofree char *path = file_of(self), *data = NULL;
    gsize length = 0;
    marks->own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (!branch_began(self, &marks->since, error))
        return NULL;
    if (access(path, F_OK) < 0)
        return g_steal_pointer(&marks);
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &data, &length, error))
        return NULL;
    if (parse(marks, data, length))
        return g_steal_pointer(&marks);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' cannot be read", path);
    return NULL;
}

void branch_marks_free(branch_marks *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->own);
    g_free(self);
}

/* What is in a folder that the branch has removed or made anew has the time of that. */
const struct timespec *branch_marks_since(const branch_marks *self, const char *path)
{
    g_autofree char *at = g_strdup(path);
    do {
        const struct timespec *own = g_hash_table_lookup(self->own, at);
        if (own)
            return own;
    } while (text_cut_path(at));
    return &self->since;
}

static gboolean list_upper(const struct box *self, GPtrArray *found, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(branch_copied) copied = branch_copied_read(self, PLAN_LAYER_PROJECT, &problem);
    g_autofree char *upper = g_build_filename(self->data, PLAN_DATA_LAYERS,
                                              plan_layer_names[PLAN_LAYER_PROJECT], "upper", NULL);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    int top = open(upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        return TRUE;
    branch_upper_list(copied, top, "", found);
    close(top);
    return TRUE;
}

static void append(GString *text, const char *path, const struct timespec *when)
{
    if (path)
        g_string_append_len(text, path, (gssize)strlen(path) + 1);
    g_string_append_printf(text, "%lld.%09ld", (long long)when->tv_sec, when->tv_nsec);
    g_string_append_c(text, '\0');
}

gboolean branch_marks_start(const struct box *self, GError **error)
{
    struct timespec now;
    g_autoptr(branch_marks) marks = branch_marks_read(self, error);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    if (!marks || !list_upper(self, found, error))
        return FALSE;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *path = file_of(self);
    /* The clock of file times. */
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    append(text, NULL, &now);
    for (guint i = 0; i < found->len; i++)
        append(text, found->pdata[i], branch_marks_since(marks, found->pdata[i]));
    g_ptr_array_sort(found, text_compare);
    return branch_then_start(self, found, error) &&
           fs_write(path, text->str, (gssize)text->len, 0600, error);
}
