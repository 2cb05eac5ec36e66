#include "box/branch/take_steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/hunks.h"
#include "box/branch/patch.h"
#include "box/branch/taken.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"
#include "console/ask.h"

typedef struct {
    take_plan *plan;
    const branch_changes *changes;
    gboolean *keep;    /* for each item */
    GHashTable *above; /* folders of items */
    GHashTable *kept;  /* those of items that are kept */
    GHashTable *whole; /* path to YES or NO, of what stands for all that is below it */
    gboolean has_quit;
    GError **error;
} chooser;

#define YES GINT_TO_POINTER(1)
#define NO GINT_TO_POINTER(2)

static const char help[] = "y  take this\n"
                           "n  do not take this\n"
                           "a  take this and the rest of this file\n"
                           "d  take neither this nor the rest of this file\n"
                           "q  take nothing more than what you have said yes to\n"
                           "Ctrl-C  take nothing at all\n";

/* 'y', 'n', 'a' or 'd'; 0 with ERROR when the user has ended it. */
static char ask(chooser *self, const char *what)
{
    g_autofree char *question = g_strdup_printf("%s [y,n,a,d,q,?]", what);
    while (!self->has_quit) {
        fflush(stdout);
        char answer = ask_letter(question);
        if (answer && strchr("ynad", answer))
            return answer;
        if (!answer) {
            g_set_error_literal(self->error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was changed");
            return 0;
        }
        self->has_quit = answer == 'q';
        if (!self->has_quit)
            fputs(help, stdout);
    }
    return 'd';
}

static void add_folders(GHashTable *set, const char *path)
{
    g_autofree char *at = g_strdup(path);
    while (text_cut_path(at))
        g_hash_table_add(set, g_strdup(at));
}

/* YES or NO, where something above PATH stands for it, too. */
static gpointer find_whole(const chooser *self, const char *path)
{
    g_autofree char *at = g_strdup(path);
    gpointer answer = NULL;
    while (!answer && text_cut_path(at))
        answer = g_hash_table_lookup(self->whole, at);
    return answer;
}

static void keep_item(chooser *self, guint index)
{
    const take_item *item = self->plan->items->pdata[index];
    self->keep[index] = TRUE;
    add_folders(self->kept, item->path);
}

/* A folder that becomes something else, or something else that becomes one. */
static gboolean is_whole(const take_item *item)
{
    return item->before && item->after && S_ISDIR(item->before) != S_ISDIR(item->after);
}

/* A new or removed folder goes with what is in it. */
static gboolean goes_with_contents(const chooser *self, const take_item *item)
{
    return S_ISDIR(item->before ? item->before : item->after) && (!item->before || !item->after) &&
           g_hash_table_contains(self->above, item->path);
}

static gboolean changes_rights(const take_item *item)
{
    return item->before && item->after && !S_ISLNK(item->before) && !S_ISLNK(item->after) &&
           branch_taken_rights(item->before) != (item->after & 0777);
}

static void print_item(const chooser *self, guint index)
{
    const take_item *item = self->plan->items->pdata[index];
    take_print_item(item, self->changes->list->pdata[index]);
    g_autofree char *from = text_safe(item->old_link, -1), *to = text_safe(item->link, -1);
    if (item->old_link)
        printf("-> %s (before)\n", from);
    if (item->link)
        printf("-> %s\n", to);
    if (changes_rights(item))
        printf("rights %03o become %03o\n", item->before & 0777, item->after & 0777);
    else if (!item->before && S_ISREG(item->after) && item->after & 0111)
        printf("executable\n");
}

/* One question for all of it. */
static gboolean choose_item(chooser *self, guint index)
{
    const take_item *item = self->plan->items->pdata[index];
    char *const folder[] = {item->path, NULL};
    print_item(self, index);
    if (!take_show_files(self->plan, index, branch_patch_print, self->error))
        return FALSE;
    for (guint i = index + 1; is_whole(item) && i < self->plan->items->len; i++) {
        if (!branch_path_is_in(folder, ((const take_item *)self->plan->items->pdata[i])->path))
            continue;
        print_item(self, i);
        if (!take_show_files(self->plan, i, branch_patch_print, self->error))
            return FALSE;
    }
    char answer = ask(self, "Take this");
    gboolean is_yes = answer == 'y' || answer == 'a';
    if (is_yes)
        keep_item(self, index);
    if (is_whole(item))
        g_hash_table_insert(self->whole, g_strdup(item->path), is_yes ? YES : NO);
    return answer != 0;
}

/* A text of the host's, and what it becomes. */
typedef struct {
    char *old_data, *new_data;
    hunk_text old, new;
    GString *difference;
    GArray *hunks;
} text_change;

static void text_change_clear(text_change *self)
{
    g_free(self->old_data);
    g_free(self->new_data);
    if (self->difference)
        g_string_free(self->difference, TRUE);
    g_clear_pointer(&self->hunks, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(text_change, text_change_clear)

static gboolean read_copy(int fd, char **data, hunk_text *text)
{
    gboolean done = lseek(fd, 0, SEEK_SET) == 0 &&
                    fs_read_fd(fd, "a copy", PATCH_FILE_MAX, data, &text->length, NULL);
    text->data = *data;
    return done;
}

/* FALSE without ERROR: it has no hunks that could be shown. */
static gboolean read_change(const take_item *item, int old, int new, text_change *change,
                            GError **error)
{
    gboolean is_cut;
    if (!(change->difference = branch_patch_read(old, new, item->path, &is_cut, error)))
        return FALSE;
    if (is_cut || !read_copy(old, &change->old_data, &change->old) ||
        !read_copy(new, &change->new_data, &change->new))
        return FALSE;
    hunk_text difference = {change->difference->str, change->difference->len};
    change->hunks = hunks_parse(difference, change->old, change->new);
    return change->hunks != NULL;
}

/* As above, of item number INDEX. */
static gboolean open_change(chooser *self, guint index, text_change *change)
{
    const take_item *item = self->plan->items->pdata[index];
    if (!S_ISREG(item->before) || !S_ISREG(item->after) || item->conflicts)
        return FALSE;
    int old = take_plan_open(self->plan, TAKE_COPY_OLD, index);
    int new = take_plan_open(self->plan, TAKE_COPY_NEW, index);
    gboolean done = old >= 0 && new >= 0 && read_change(item, old, new, change, self->error);
    if (old >= 0)
        close(old);
    if (new >= 0)
        close(new);
    return done;
}

/* Asks for the hunks, and at last for the rights if these change: *RIGHTS. FALSE with ERROR. */
static gboolean ask_hunks(chooser *self, const take_item *item, GArray *hunks, gboolean *rights)
{
    char answer = 'n';
    for (guint i = 0; i < hunks->len; i++) {
        hunk *each = &g_array_index(hunks, hunk, i);
        g_autofree char *what = g_strdup_printf("Take this part (%u of %u)", i + 1, hunks->len);
        if (answer != 'a' && answer != 'd') {
            branch_patch_print_text(each->shown.data, each->shown.length);
            answer = ask(self, what);
        }
        if (!answer)
            return FALSE;
        each->is_chosen = answer == 'y' || answer == 'a';
    }
    if (changes_rights(item) && answer != 'a' && answer != 'd')
        answer = ask(self, "Take the rights above");
    *rights = answer == 'y' || answer == 'a';
    return answer != 0;
}

static guint count_chosen(const GArray *hunks)
{
    guint count = 0;
    for (guint i = 0; i < hunks->len; i++)
        count += g_array_index(hunks, hunk, i).is_chosen;
    return count;
}

/* The item gets what was chosen of CHANGE. */
static gboolean keep_part(chooser *self, guint index, const text_change *change)
{
    take_item *item = self->plan->items->pdata[index];
    g_autoptr(GString) text = hunks_apply(change->hunks, change->old, change->new);
    item->is_partial = TRUE;
    keep_item(self, index);
    if (take_plan_rewrite(self->plan, index, text->str, text->len))
        return TRUE;
    g_autofree char *safe = text_safe(item->path, -1);
    g_set_error(self->error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write a part of '%s': %s", safe,
                g_strerror(errno));
    return FALSE;
}

static gboolean choose_hunks(chooser *self, guint index, const text_change *change)
{
    take_item *item = self->plan->items->pdata[index];
    gboolean has_rights = changes_rights(item), rights;
    print_item(self, index);
    if (!ask_hunks(self, item, change->hunks, &rights))
        return FALSE;
    guint chosen = count_chosen(change->hunks);
    if (!chosen && !(has_rights && rights))
        return TRUE;
    if (has_rights && !rights)
        item->after = S_IFREG | (item->before & 0777);
    if (chosen < change->hunks->len)
        return keep_part(self, index, change);
    keep_item(self, index);
    return TRUE;
}

static gboolean choose(chooser *self, guint index)
{
    const take_item *item = self->plan->items->pdata[index];
    gpointer answer = find_whole(self, item->path);
    if (answer == YES)
        keep_item(self, index);
    if (answer || self->has_quit || goes_with_contents(self, item))
        return TRUE;
    g_auto(text_change) change = {0};
    if (open_change(self, index, &change))
        return choose_hunks(self, index, &change);
    return !*self->error && choose_item(self, index);
}

/* Folders, when it is known what of their contents is kept. */
static void keep_folders(chooser *self)
{
    for (guint i = 0; i < self->plan->items->len; i++) {
        const take_item *item = self->plan->items->pdata[i];
        if (goes_with_contents(self, item) && g_hash_table_contains(self->kept, item->path))
            self->keep[i] = TRUE;
    }
}

static gboolean choose_all(chooser *self)
{
    const GPtrArray *items = self->plan->items;
    for (guint i = 0; i < items->len; i++)
        add_folders(self->above, ((const take_item *)items->pdata[i])->path);
    for (guint i = 0; i < items->len; i++)
        if (!interrupt_check(self->error) || !choose(self, i))
            return FALSE;
    keep_folders(self);
    if (!take_plan_keep(self->plan, self->keep))
        g_set_error(self->error, BOX_ERROR, BOX_ERROR_FAILED, "cannot leave files out: %s",
                    g_strerror(errno));
    else if (!self->plan->items->len)
        g_set_error_literal(self->error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was changed");
    return !*self->error;
}

static GHashTable *path_set(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

gboolean take_hunks_choose(take_plan *plan, const branch_changes *changes, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GHashTable) above = path_set(), kept = path_set(), whole = path_set();
    g_autofree gboolean *keep = g_new0(gboolean, plan->items->len);
    chooser self = {.plan = plan,
                    .changes = changes,
                    .keep = keep,
                    .above = above,
                    .kept = kept,
                    .whole = whole,
                    .error = &problem};
    gboolean done = choose_all(&self);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done;
}
