#include "box/placeholders.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

#define LIST_MAX (1 << 20)

static char *list_path(const box *self) {
    return g_build_filename(self->data, "placeholders", NULL);
}

static void add(GString *list, const char *text) {
    g_string_append(list, text);
    g_string_append_c(list, '\0');
}

/* Triples of NUL-terminated strings: folder, path, contents ("" for a folder). */
static gboolean remember(const box *self, const GPtrArray *wanted, GError **error) {
    g_autofree char *path = list_path(self);
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < wanted->len; i++) {
        const plan_placeholder *row = wanted->pdata[i];
        add(list, row->folder);
        add(list, row->path);
        add(list, row->contents ? row->contents : "");
    }
    gboolean done = fs_write(path, list->str, (gssize)list->len, 0600, error);
    g_string_free(list, TRUE);
    return done;
}

/* Opens the folder that holds PATH, below FOLDER; *NAME is the last part, within PATH. */
static int open_parent(const char *folder, const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    int top = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0 || !slash)
        return top;
    g_autofree char *parent = g_strndup(path, (gsize)(slash - path));
    int fd = fs_open_beneath(top, parent, O_PATH | O_DIRECTORY, 0);
    int saved = errno;
    close(top);
    errno = saved;
    return fd;
}

static int make_file(int parent, const char *name, const char *contents) {
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    ssize_t length = (ssize_t)strlen(contents);
    int result = write(fd, contents, (size_t)length) == length ? 0 : -1;
    close(fd);
    return result;
}

static gboolean make(const plan_placeholder *row, GError **error) {
    const char *name;
    int parent = open_parent(row->folder, row->path, &name);
    int made = parent < 0      ? -1
               : row->contents ? make_file(parent, name, row->contents)
                               : mkdirat(parent, name, 0755);
    int saved = errno;
    if (parent >= 0)
        close(parent);
    if (made == 0 || (parent >= 0 && saved == EEXIST))
        return TRUE;
    g_autofree char *safe = text_safe(row->path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "cannot protect '%s', which does not exist in the project: %s", safe,
                g_strerror(saved));
    return FALSE;
}

gboolean placeholders_make(const box *self, const GPtrArray *wanted, GError **error) {
    placeholders_remove(self);
    if (!wanted || wanted->len == 0)
        return TRUE;
    if (!remember(self, wanted, error))
        return FALSE;
    for (guint i = 0; i < wanted->len; i++) {
        if (!make(wanted->pdata[i], error))
            return FALSE;
    }
    return TRUE;
}

static gboolean is_untouched(int parent, const char *name, const char *contents) {
    g_autofree char *now = NULL;
    gsize length;
    return fs_read(parent, name, strlen(contents) + 1, &now, &length, NULL) &&
           length == strlen(contents) && memcmp(now, contents, length) == 0;
}

static void remove_one(const char *folder, const char *path, const char *contents) {
    const char *name;
    int parent = open_parent(folder, path, &name);
    if (parent < 0)
        return;
    /* rmdir takes only what is empty: nothing of the user's can be lost here. */
    if (!*contents)
        unlinkat(parent, name, AT_REMOVEDIR);
    else if (is_untouched(parent, name, contents))
        unlinkat(parent, name, 0);
    close(parent);
}

void placeholders_remove(const box *self) {
    g_autofree char *path = list_path(self);
    g_autofree char *list = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, LIST_MAX, &list, &length, NULL))
        return;
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    for (char *at = list; at < list + length; at += strlen(at) + 1)
        g_ptr_array_add(rows, at);
    /* Children were made last: they go first. */
    for (guint i = rows->len / 3; i-- > 0;)
        remove_one(rows->pdata[3 * i], rows->pdata[3 * i + 1], rows->pdata[3 * i + 2]);
    unlink(path);
}
