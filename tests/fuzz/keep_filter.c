/*
 * Fuzzes the way of a box's files into its new container: a hostile tar, in pieces. What comes out
 * is a tar with nothing but what may come through.
 */
#include <stdint.h>
#include <string.h>

#include "box/lifecycle/keep_filter.h"
#include "common/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Also such as the filter must not want. */
static const char *const wanted[] = {"/a", "/a/b", "/a/b/c", "/l",  "/l/x",
                                     "/h", "/f",   "/../e",  "/s/", "/long"};

static const char *const ids[] = {"0:1:1000", "1000:0:1", NULL};

static gboolean collect(const char *data, gsize length, gpointer user_data, GError **error)
{
    (void)error;
    g_byte_array_append(user_data, (const guint8 *)data, (guint)length);
    return TRUE;
}

/* The entries that came out: name → type. */
static gboolean check_entry(const tar_entry *entry, gpointer user_data, GError **error)
{
    GHashTable *seen = user_data;
    (void)error;
    g_autofree char *path = g_strconcat("/", entry->name, NULL), *above = g_strdup(path);
    gboolean is_wanted = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        is_wanted |= strcmp(path, wanted[i]) == 0;
    g_assert_true(is_wanted && !strstr(path, "..") && !g_hash_table_contains(seen, path));
    g_assert_true(entry->type == TAR_FILE || entry->type == TAR_FOLDER ||
                  entry->type == TAR_SYMLINK || entry->type == TAR_HARD_LINK);
    g_assert_true(entry->type == TAR_FOLDER || !(entry->mode & 06000));
    g_assert_false(entry->has_capability);
    g_assert_cmpuint(entry->uid, <=, 1000);
    for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
        *slash = '\0';
        gpointer type = g_hash_table_lookup(seen, above);
        g_assert_true(!type || GPOINTER_TO_INT(type) == TAR_FOLDER);
    }
    if (entry->type == TAR_HARD_LINK) {
        g_autofree char *target = g_strconcat("/", entry->target, NULL);
        int type = GPOINTER_TO_INT(g_hash_table_lookup(seen, target));
        g_assert_true(type == TAR_FILE || type == TAR_HARD_LINK);
    }
    g_hash_table_insert(seen, g_steal_pointer(&path), GINT_TO_POINTER(entry->type));
    return TRUE;
}

static gboolean ignore(const char *data, gsize length, gpointer user_data, GError **error)
{
    (void)data;
    (void)length;
    (void)user_data;
    (void)error;
    return TRUE;
}

/* Nothing behind a header with a wrong checksum is ever read. */
static void fix_checksums(char *tar, size_t size)
{
    for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK) {
        guint sum = 0;
        if (memcmp(tar + at + 257, "ustar", 5) != 0)
            continue;
        memset(tar + at + 148, ' ', 8);
        for (int i = 0; i < TAR_BLOCK; i++)
            sum += (guchar)tar[at + i];
        g_snprintf(tar + at + 148, 8, "%06o", sum);
    }
}

static gboolean run(keep_filter *filter, const char *tar, size_t size, size_t piece)
{
    for (size_t at = 0; at < size; at += piece)
        if (!keep_filter_feed(filter, tar + at, MIN(piece, size - at), NULL))
            return FALSE;
    return keep_filter_end(filter, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tar_handler handler = {.entry = check_entry, .contents = ignore};
    if (size < 1)
        return 0;
    g_autofree char *tar = g_memdup2(data + 1, size - 1);
    g_autoptr(GByteArray) out = g_byte_array_new();
    g_autoptr(keep_filter) filter = keep_filter_new(ids, ids, collect, out, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        keep_filter_want(filter, wanted[i]);
    fix_checksums(tar, size - 1);
    gboolean whole = run(filter, tar, size - 1, (size_t)*data + 1);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(tar_reader) reader = tar_reader_new(&handler, seen);
    g_assert_true(tar_reader_feed(reader, (const char *)out->data, out->len, NULL));
    g_assert_true(!whole || tar_reader_end(reader, NULL));
    return 0;
}
