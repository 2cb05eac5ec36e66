#include "box/branch/take_select.h"

#include <string.h>

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
    GHashTable *holders;
    GHashTable *going; /* twin_key() of paths that the host loses */
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

static void note_left_out(selection *self, const branch_change *change, const char *why)
{
    self->count++;
    if (has_folder_in(self->named, change->path))
        return;
    g_hash_table_add(self->named, g_strdup(change->path));
    g_autofree char *safe = text_safe(change->path, -1);
    if (g_hash_table_size(self->named) <= SHOWN_MAX)
        log_warning("%s: '%s' (%s)",
                    self->how->words ? self->how->words->stays : "stays in the branch", safe, why);
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
    g_autofree char *why = branch_doubts_describe(doubts);
    if (is_wanted)
        note_left_out(self, change, *why ? why : "its folder does");
    return FALSE;
}

/* Folders that something lies in which stays on the host. */
static GHashTable *find_holders(const selection *self)
{
    GHashTable *holders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTableIter each;
    gpointer path;
    g_hash_table_iter_init(&each, self->left);
    while (g_hash_table_iter_next(&each, &path, NULL)) {
        g_autofree char *at = g_strdup(path);
        while (text_cut_path(at) && !g_hash_table_contains(holders, at))
            g_hash_table_add(holders, g_strdup(at));
    }
    return holders;
}

/* A folder that cannot go stays, and what would take its place, with the rest of the folder. */
static gboolean can_go(const branch_change *change, void *data)
{
    selection *self = data;
    gboolean goes = S_ISDIR(change->before) && !S_ISDIR(change->after);
    if (has_folder_in(self->left, change->path)) {
        self->count++;
        return FALSE;
    }
    if (!goes || !g_hash_table_contains(self->holders, change->path))
        return TRUE;
    if (change->after) {
        g_hash_table_add(self->left, g_strdup(change->path));
        note_left_out(self, change, "something in the folder that it replaces stays");
    }
    return FALSE;
}

/* The same for the paths of one folder whose names differ only in case; a new string. The folder
 * counts as it is: one that differs in case may have such a name, too, and lose it. */
static char *twin_key(const char *path)
{
    const char *slash = strrchr(path, '/');
    gsize length = slash ? (gsize)(slash + 1 - path) : 0;
    g_autofree char *folder = g_strndup(path, length);
    g_autofree char *name = branch_path_fold(path + length);
    return g_strconcat(folder, name, NULL);
}

/* Names that differ only in case: one comes only where the other goes. */
static gboolean has_room(const branch_change *change, void *data)
{
    selection *self = data;
    g_autofree char *key = twin_key(change->path);
    gboolean is_alone = !change->twin_goes || g_hash_table_contains(self->going, key) ||
                        branch_path_is_in(self->how->allowed, change->path);
    if (is_alone && !has_folder_in(self->left, change->path))
        return TRUE;
    g_autofree char *why = branch_doubts_describe(BRANCH_TWIN);
    g_hash_table_add(self->left, g_strdup(change->path));
    note_left_out(self, change, why);
    return FALSE;
}

/* Removes what depends on something that is left out. */
static void select_dependent(selection *self, branch_changes *changes)
{
    g_autoptr(GHashTable) holders = find_holders(self);
    g_autoptr(GHashTable) going = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->holders = holders;
    self->going = going;
    branch_changes_keep(changes, can_go, self);
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        if (!change->after)
            g_hash_table_add(going, twin_key(change->path));
    }
    branch_changes_keep(changes, has_room, self);
}

/* A path in which nothing differs may be a slip of the pen. */
static void note_unmatched(const branch_changes *changes, char *const *paths)
{
    for (; *paths; paths++) {
        char *const path[] = {*paths, NULL};
        gboolean is_matched = FALSE;
        for (guint i = 0; i < changes->list->len && !is_matched; i++)
            is_matched =
                branch_path_is_in(path, ((const branch_change *)changes->list->pdata[i])->path);
        g_autofree char *safe = text_safe(*paths, -1);
        if (!is_matched)
            log_warning("nothing has changed in '%s'", safe);
    }
}

guint take_select(branch_changes *changes, const branch_take_options *how)
{
    g_autoptr(GHashTable) left = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    selection self = {.how = how, .left = left, .named = named};
    note_unmatched(changes, how->paths);
    branch_changes_keep(changes, is_selected, &self);
    select_dependent(&self, changes);
    if (g_hash_table_size(named) > SHOWN_MAX && how->words)
        log_warning("%s: %u more", how->words->stays, g_hash_table_size(named) - SHOWN_MAX);
    else if (g_hash_table_size(named) > SHOWN_MAX)
        log_warning("%u more stay in the branch; 'box branch diff' lists all",
                    g_hash_table_size(named) - SHOWN_MAX);
    if (changes->git && !*how->paths)
        log_note("commits stay in the branch: 'box branch take --commits' takes them");
    return self.count;
}
