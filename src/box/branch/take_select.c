#include "box/branch/take_select.h"

#include "box/branch/branch_paths.h"
#include "common/text.h"
#include "console/log.h"

/* Lines for what is left out. */
#define SHOWN_MAX 20

typedef struct {
    const branch_take_options *how;
    GHashTable *left;  /* paths that stay in the branch */
    guint count;       /* of them, those that were asked for */
    GHashTable *named; /* of these, those whose folders are not named */
} selection;

/* TRUE for a new folder that something in it needs which was asked for. */
static gboolean leads_to(const branch_change *change, char *const *paths)
{
    char *const folder[] = {change->path, NULL};
    for (; S_ISDIR(change->after) && *paths; paths++)
        if (branch_path_is_in(folder, *paths))
            return TRUE;
    return FALSE;
}

static gboolean has_folder_in(GHashTable *set, const char *path)
{
    g_autofree char *at = g_strdup(path);
    while (text_cut_path(at))
        if (g_hash_table_contains(set, at))
            return TRUE;
    return FALSE;
}

static void note_left_out(selection *self, const branch_change *change, unsigned doubts)
{
    self->count++;
    if (has_folder_in(self->named, change->path))
        return;
    g_hash_table_add(self->named, g_strdup(change->path));
    g_autofree char *safe = text_safe(change->path, -1);
    g_autofree char *why = branch_doubts_describe(doubts);
    if (g_hash_table_size(self->named) <= SHOWN_MAX)
        log_warning("%s: '%s' (%s)",
                    self->how->words ? self->how->words->stays : "stays in the branch", safe,
                    *why ? why : "its folder does");
}

static gboolean is_selected(const branch_change *change, void *data)
{
    selection *self = data;
    const branch_take_options *how = self->how;
    gboolean is_wanted = !*how->paths || branch_path_is_in(how->paths, change->path);
    gboolean is_allowed = branch_path_is_in(how->allowed, change->path);
    gboolean replaces = how->overwrite || change->doubts & BRANCH_MERGES;
    unsigned doubts = change->doubts & ~(unsigned)BRANCH_MERGES &
                      ~(is_allowed ? (unsigned)BRANCH_NEEDS_YES : 0u) &
                      ~(replaces ? (unsigned)BRANCH_MOVED_ON : 0u);
    if (!doubts && !has_folder_in(self->left, change->path))
        return is_wanted || leads_to(change, how->paths);
    g_hash_table_add(self->left, g_strdup(change->path));
    if (is_wanted)
        note_left_out(self, change, doubts);
    return FALSE;
}

guint take_select(branch_changes *changes, const branch_take_options *how)
{
    g_autoptr(GHashTable) left = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    selection self = {.how = how, .left = left, .named = named};
    branch_changes_keep(changes, is_selected, &self);
    if (g_hash_table_size(named) > SHOWN_MAX && how->words)
        log_warning("%s: %u more", how->words->stays, g_hash_table_size(named) - SHOWN_MAX);
    else if (g_hash_table_size(named) > SHOWN_MAX)
        log_warning("%u more stay in the branch; 'box branch diff' lists all",
                    g_hash_table_size(named) - SHOWN_MAX);
    if (changes->git && !*how->paths)
        log_note("commits stay in the branch: 'box branch take --commits' takes them");
    return self.count;
}
