#include "box/branch/twins.h"

#include <stdlib.h>

#include "box/branch/branch_paths.h"
#include "common/text.h"

/* Names in lower case. */
struct branch_twins {
    GHashTable *there; /* -> how many there are, with the host's */
    GHashTable *gone;  /* that the host has, and not the branch; a set */
    gboolean has_any;  /* of two names in THERE, or of one in GONE */
};

gboolean branch_twins_is_in(const GPtrArray *sorted, const char *name)
{
    return sorted->len && bsearch(&name, sorted->pdata, sorted->len, sizeof name, text_compare);
}

static void count_name(branch_twins *self, const char *name, gboolean is_gone)
{
    char *key = branch_path_fold(name);
    gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(self->there, key)) + 1;
    self->has_any |= is_gone || count > 1;
    if (is_gone)
        g_hash_table_add(self->gone, key);
    else
        g_hash_table_replace(self->there, key, GSIZE_TO_POINTER(count));
}

branch_twins *branch_twins_find(const GPtrArray *names, const GPtrArray *gone,
                                const GPtrArray *of_host, gboolean hides)
{
    branch_twins *self = g_new0(branch_twins, 1);
    self->there = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->gone = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < names->len; i++) {
        gboolean is_gone = branch_twins_is_in(gone, names->pdata[i]);
        if (!is_gone || (of_host && branch_twins_is_in(of_host, names->pdata[i])))
            count_name(self, names->pdata[i], is_gone);
    }
    for (guint i = 0; of_host && i < of_host->len; i++)
        if (!branch_twins_is_in(names, of_host->pdata[i]))
            count_name(self, of_host->pdata[i], hides);
    return self;
}

void branch_twins_free(branch_twins *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->there);
    g_hash_table_unref(self->gone);
    g_free(self);
}

gboolean branch_twins_has(const branch_twins *self, const char *name, gboolean *goes)
{
    *goes = FALSE;
    if (!self->has_any)
        return FALSE;
    g_autofree char *key = branch_path_fold(name);
    *goes = g_hash_table_contains(self->gone, key);
    return GPOINTER_TO_SIZE(g_hash_table_lookup(self->there, key)) > 1;
}
