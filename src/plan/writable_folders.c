#include "plan/writable_folders.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"

#define NOTED_MAX ((gsize)1 << 20)

gboolean writable_folders_each(const settings *wanted, const plan_facts *facts,
                               writable_folder_func each, gpointer data)
{
    const GPtrArray *lists[] = {wanted->mounts, wanted->home.share};
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
        for (guint j = 0; lists[i] && j < lists[i]->len; j++) {
            const settings_mount *mount = lists[i]->pdata[j];
            g_autofree char *source =
                mount->mode == MODE_RW ? plan_expand(facts, mount->source) : NULL;
            const char *real = source ? plan_facts_file(facts, source)->real : NULL;
            if (real && each(real, data))
                return TRUE;
        }
    return FALSE;
}

static void split(const char *data, gsize length, GPtrArray *list)
{
    const char *end = data + length;
    for (const char *path = data, *nul; (nul = memchr(path, '\0', (gsize)(end - path)));
         path = nul + 1)
        g_ptr_array_add(list, g_strdup(path));
}

gboolean writable_folders_add(GPtrArray *list, GError **error)
{
    g_autofree char *path = paths_data(WRITABLE_FOLDERS_FILE), *data = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length = 0;
    if (fs_read(AT_FDCWD, path, NOTED_MAX, &data, &length, &problem))
        split(data, length, list);
    else if (!g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    return TRUE;
}

static gboolean add_missing(const char *real, gpointer data)
{
    if (!g_ptr_array_find_with_equal_func(data, real, g_str_equal, NULL))
        g_ptr_array_add(data, g_strdup(real));
    return FALSE;
}

/* *CHANGED: LIST has more than what is noted. */
static gboolean list_with(const settings *wanted, const plan_facts *facts, GPtrArray *list,
                          gboolean *changed, GError **error)
{
    g_ptr_array_set_size(list, 0);
    if (!writable_folders_add(list, error))
        return FALSE;
    guint known = list->len;
    writable_folders_each(wanted, facts, add_missing, list);
    *changed = list->len > known;
    return TRUE;
}

static gboolean write_list(const char *path, const GPtrArray *list, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++)
        g_string_append_len(text, list->pdata[i], (gssize)strlen(list->pdata[i]) + 1);
    if (text->len <= NOTED_MAX)
        return fs_write(path, text->str, (gssize)text->len, 0600, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "boxes have had more folders with mode \"rw\" than '%s' can hold", path);
    return FALSE;
}

gboolean writable_folders_note(const settings *wanted, const plan_facts *facts, GError **error)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    gboolean changed;
    if (!list_with(wanted, facts, list, &changed, error))
        return FALSE;
    if (!changed)
        return TRUE;
    g_autofree char *lock_path = paths_data(WRITABLE_FOLDERS_LOCK),
                    *path = paths_data(WRITABLE_FOLDERS_FILE);
    int lock = fs_lock(lock_path, NULL, error);
    if (lock < 0)
        return FALSE;
    gboolean noted = list_with(wanted, facts, list, &changed, error) &&
                     (!changed || write_list(path, list, error));
    close(lock);
    return noted;
}
