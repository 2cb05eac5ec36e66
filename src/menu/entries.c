/* The list of entries that a box sends (entry.h). */
#include <string.h>

#include "menu/entry.h"

#define SUFFIX ".desktop"

/* One file as it was sent; points into the message. */
typedef struct {
    const char *folder, *path; /* NUL-terminated */
    const char *data;
    gsize length;
} sent_file;

/* The next NUL NUL at or behind AT; END when there is none. */
static const char *next_mark(const char *at, const char *end)
{
    while (at < end) {
        const char *zero = memchr(at, '\0', (gsize)(end - at));
        if (!zero || zero + 1 >= end)
            return end;
        if (zero[1] == '\0')
            return zero;
        at = zero + 1;
    }
    return end;
}

/* Reads what stands behind a mark at AT. FALSE when it is cut off. */
static gboolean read_file(const char *at, const char *end, sent_file *file)
{
    const char *zero = memchr(at, '\0', (gsize)(end - at));
    const char *path = zero ? zero + 1 : end;
    const char *second = path < end ? memchr(path, '\0', (gsize)(end - path)) : NULL;
    if (!second)
        return FALSE;
    *file = (sent_file){.folder = at, .path = path, .data = second + 1};
    file->length = (gsize)(next_mark(file->data, end) - file->data);
    return TRUE;
}

/* By the specification: the path below the folder, with "-" for "/"; NULL when it is not ours to
 * take. A new string. */
static char *id_of(const char *path)
{
    gsize length = strlen(path);
    if (!g_str_has_suffix(path, SUFFIX) || length > ENTRY_ID_MAX + strlen(SUFFIX))
        return NULL;
    g_autofree char *id = g_strndup(path, length - strlen(SUFFIX));
    g_strdelimit(id, "/", '-');
    return entry_id_is_valid(id, -1) && !strstr(path, "..") ? g_steal_pointer(&id) : NULL;
}

/* An entry that only says not to be shown is none, but no broken one. */
static gboolean is_hidden(const sent_file *file)
{
    return file->length <= ENTRY_MAX && !memchr(file->data, '\0', file->length) &&
           (g_strstr_len(file->data, (gssize)file->length, "\nNoDisplay=") ||
            g_strstr_len(file->data, (gssize)file->length, "\nHidden=") ||
            !g_strstr_len(file->data, (gssize)file->length, "\nType=Application"));
}

static void take(GPtrArray *list, GHashTable *seen, const sent_file *file, guint *refused)
{
    g_autofree char *id = id_of(file->path);
    if (!id) {
        (*refused)++;
        return;
    }
    if (g_hash_table_contains(seen, id))
        return;
    g_autofree char *source = g_build_filename(file->folder, file->path, NULL);
    entry *one = entry_parse(id, source, file->data, file->length);
    if (one)
        g_ptr_array_add(list, one);
    else
        *refused += !is_hidden(file);
    g_hash_table_add(seen, g_steal_pointer(&id));
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const entry *one = *(const entry *const *)a, *other = *(const entry *const *)b;
    int order = g_ascii_strcasecmp(one->name, other->name);
    return order ? order : strcmp(one->id, other->id);
}

GPtrArray *entries_parse(const char *data, gsize length, guint *refused)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const char *end = data + length, *mark = next_mark(data, end);
    *refused = 0;
    for (guint count = 0; mark < end && count < ENTRIES_MAX; count++) {
        sent_file file;
        if (!read_file(mark + 2, end, &file))
            break;
        take(list, seen, &file, refused);
        mark = next_mark(file.data, end);
    }
    g_ptr_array_sort(list, compare);
    return list;
}

const entry *entries_find(const GPtrArray *list, const char *id)
{
    for (guint i = 0; i < list->len; i++) {
        const entry *one = list->pdata[i];
        if (strcmp(one->id, id) == 0)
            return one;
    }
    return NULL;
}
