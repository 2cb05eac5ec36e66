#include "common/links.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* Puts the parts of PATH in front of those that are still to be walked (a stack, next one last). */
static void push_parts(GPtrArray *pending, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    for (guint i = g_strv_length(parts); i > 0; i--)
        if (*parts[i - 1] && strcmp(parts[i - 1], ".") != 0)
            g_ptr_array_add(pending, g_strdup(parts[i - 1]));
}

static void drop_last(GString *at)
{
    const char *slash = strrchr(at->str, '/');

    g_string_truncate(at, slash ? slash - at->str : 0);
}

/* One part: FALSE when it is missing. A link is recorded in VIA and its parts are pushed. */
static gboolean step(GString *at, const char *part, GPtrArray *pending, GPtrArray *via)
{
    char target[PATH_MAX];
    gsize before = at->len;
    struct stat st;

    if (strcmp(part, "..") == 0) {
        drop_last(at);
        return TRUE;
    }
    g_string_append_printf(at, "/%s", part);
    if (lstat(at->str, &st) < 0)
        return FALSE;
    if (!S_ISLNK(st.st_mode))
        return TRUE;
    ssize_t length = readlink(at->str, target, sizeof target - 1);
    if (length < 0 || via->len >= LINKS_MAX)
        return FALSE;
    target[length] = '\0';
    g_ptr_array_add(via, g_strdup(at->str));
    g_string_truncate(at, target[0] == '/' ? 0 : before);
    push_parts(pending, target);
    return TRUE;
}

char *links_resolve(const char *path, GPtrArray *via)
{
    g_autoptr(GPtrArray) pending = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) at = g_string_new(NULL);

    push_parts(pending, path);
    while (pending->len > 0) {
        g_autofree char *part = g_ptr_array_steal_index(pending, pending->len - 1);
        if (!step(at, part, pending, via))
            return NULL;
    }
    return at->len ? g_strdup(at->str) : g_strdup("/");
}
