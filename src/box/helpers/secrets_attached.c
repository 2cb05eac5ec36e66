#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/secrets.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/secret_file.h"

#define NAMES_FILE_MAX 4096

static char *attached_path(const struct box *self)
{
    return box_shared_file(self, SECRETS_ATTACHED);
}

static gboolean are_names(char *const *lines)
{
    for (; *lines; lines++)
        if (!secret_name_is_valid(*lines))
            return FALSE;
    return TRUE;
}

char **secrets_attached(const struct box *self, GError **error)
{
    g_autofree char *path = attached_path(self);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    if (!fs_read(AT_FDCWD, path, NAMES_FILE_MAX, &text, NULL, &problem)) {
        if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return g_new0(char *, 1);
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    g_strchomp(text);
    g_auto(GStrv) names = g_strsplit(text, "\n", -1);
    if (are_names(names))
        return g_steal_pointer(&names);
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "'%s' has a line that 'box secret' did not write: remove the file", safe);
    return NULL;
}

/* A box would have the placeholder of one of both, and nobody could say of which. */
static gboolean check_variables(const struct box *self, char *const *others, const char *name,
                                GError **error)
{
    g_autoptr(secret_definition) read = secret_file_read(name, error);
    if (!read)
        return FALSE;
    for (; *others; others++) {
        g_autoptr(secret_definition) other =
            strcmp(*others, name) != 0 ? secret_file_read(*others, NULL) : NULL;
        const char *common = other ? secret_common_variable(read, other) : NULL;
        if (!common)
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "box '%s' has secret '%s', which sets %s, too: detach it first", self->name,
                    *others, common);
        return FALSE;
    }
    return TRUE;
}

static gboolean write_names(const struct box *self, const char *name, gboolean attached,
                            gboolean *changed, GError **error)
{
    g_autofree char *path = attached_path(self);
    g_auto(GStrv) before = secrets_attached(self, error);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    if (!before || (attached && !check_variables(self, before, name, error)))
        return FALSE;
    *changed = g_strv_contains((const char *const *)before, name) != attached;
    for (char **each = before; *each; each++)
        if (strcmp(*each, name) != 0)
            g_ptr_array_add(names, *each);
    if (attached)
        g_ptr_array_add(names, (char *)name);
    if (names->len > SECRETS_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "box '%s' already has %d secrets, the most that are possible", self->name,
                    SECRETS_MAX);
        return FALSE;
    }
    if (names->len == 0)
        return fs_remove_tree(path, error);
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    g_autofree char *joined = g_strjoinv("\n", (char **)names->pdata);
    g_autofree char *text = g_strconcat(joined, "\n", NULL);
    return fs_write(path, text, -1, 0600, error);
}

gboolean secrets_set_attached(const struct box *self, const char *name, gboolean attached,
                              gboolean *changed, GError **error)
{
    g_autofree char *lock = box_shared_file(self, SECRETS_ATTACHED ".lock");
    int held = fs_lock(lock, NULL, error);
    gboolean done = held >= 0 && write_names(self, name, attached, changed, error);
    if (held >= 0)
        close(held);
    return done;
}
