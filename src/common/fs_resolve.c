/* Resolves a path link by link, as the kernel does, and says which links it went through. */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

/* Symlinks that one path may go through: the kernel's limit (path_resolution(7)). */
#define LINKS_MAX 40

/* Pushes the components of PATH onto the stack PENDING, the first one on top. */
static void push_components(GPtrArray *pending, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    for (guint i = g_strv_length(parts); i > 0; i--)
        if (*parts[i - 1] && strcmp(parts[i - 1], ".") != 0)
            g_ptr_array_add(pending, g_strdup(parts[i - 1]));
}

static void remove_last_component(GString *at)
{
    const char *slash = strrchr(at->str, '/');

    g_string_truncate(at, slash ? slash - at->str : 0);
}

/* Moves AT by one component. A symlink is appended to VIA, and the components of its target are
 * pushed; a folder that ".." leaves is appended to LEFT. FALSE if it does not exist. */
static gboolean resolve_component(GString *at, const char *component, GPtrArray *pending,
                                  GPtrArray *via, GPtrArray *left)
{
    char target[PATH_MAX];
    gsize parent_length = at->len;
    struct stat st;

    if (strcmp(component, "..") == 0) {
        if (left)
            g_ptr_array_add(left, g_strdup(at->str));
        remove_last_component(at);
        return TRUE;
    }
    g_string_append_printf(at, "/%s", component);
    if (lstat(at->str, &st) < 0)
        return FALSE;
    if (!S_ISLNK(st.st_mode))
        return TRUE;
    ssize_t length = readlink(at->str, target, sizeof target - 1);
    if (length < 0 || via->len >= LINKS_MAX)
        return FALSE;
    target[length] = '\0';
    g_ptr_array_add(via, g_strdup(at->str));
    g_string_truncate(at, target[0] == '/' ? 0 : parent_length);
    push_components(pending, target);
    return TRUE;
}

gboolean fs_is_foreign(const struct stat *st)
{
    return st->st_uid != 0 && st->st_uid != geteuid();
}

char *fs_resolve(const char *path, GPtrArray *via)
{
    return fs_resolve_leaving(path, via, NULL);
}

char *fs_resolve_leaving(const char *path, GPtrArray *via, GPtrArray *left)
{
    g_autoptr(GPtrArray) pending = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) at = g_string_new(NULL);

    push_components(pending, path);
    while (pending->len > 0) {
        g_autofree char *component = g_ptr_array_steal_index(pending, pending->len - 1);
        if (!resolve_component(at, component, pending, via, left))
            return NULL;
    }
    return at->len ? g_strdup(at->str) : g_strdup("/");
}
