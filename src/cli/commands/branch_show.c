#include "cli/commands/show.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/commits.h"
#include "box/branch/difftool.h"
#include "box/branch/merge.h"
#include "box/branch/patch.h"
#include "box/lifecycle/container.h"
#include "box/registry/branch_names.h"
#include "common/fs.h"
#include "common/text.h"
#include "common/units.h"
#include "config/config.h"
#include "console/log.h"
#include "console/output.h"

/* One branch of the list. */
typedef struct {
    struct box *self;
    branch_changes *changes; /* NULL: they cannot be read */
    struct timespec began;
    int commits; /* -1: they cannot be counted */
    gboolean runs;
    gint64 disk;
} branch_row;

static void branch_row_free(gpointer data)
{
    branch_row *row = data;
    box_free(row->self);
    branch_changes_free(row->changes);
    g_free(row);
}

static void add_branch_row(GPtrArray *rows, const struct box *of, const char *name)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(box) self = branch_find(of, name, &problem);
    if (!self) {
        log_warning("%s", problem->message);
        return;
    }
    g_autoptr(config) read = config_load(of->project, of->name, NULL, TRUST_SKIP, NULL);
    branch_row *row = g_new0(branch_row, 1);
    row->runs = box_find_init(self) > 0;
    branch_began(self, &row->began, NULL);
    row->changes = read ? branch_view(self, config_settings(read), NULL) : NULL;
    row->commits = !row->changes ? -1 : row->changes->git ? branch_count_commits(self) : 0;
    row->disk = discard_tree_frees(self->data);
    row->self = g_steal_pointer(&self);
    g_ptr_array_add(rows, row);
}

static json_t *branch_row_json(const branch_row *row)
{
    const branch_changes *changes = row->changes;
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:b, s:s, s:o}", "name",
                     json_text(row->self->branch), "box", json_text(row->self->base), "project",
                     json_text(row->self->project), "began", json_time(row->began.tv_sec), "state",
                     row->runs ? "running" : "stopped", "changed",
                     json_count(changes ? (gint64)branch_changes_count(changes) : -1), "git",
                     changes ? json_boolean(changes->git) : json_null(), "commits",
                     json_count(row->commits), "isolated", row->self->isolated, "owner",
                     branch_owner_name(branch_owner_of(row->self)), "disk", json_count(row->disk));
}

static void print_rows(const GPtrArray *rows)
{
    static const char *const headings[] = {"NAME", "BOX",     "STATE",   "AGE",
                                           "DISK", "COMMITS", "CHANGED", NULL};
    g_autoptr(table) out = table_new(headings);
    gint64 now = g_get_real_time() / G_USEC_PER_SEC;
    for (guint i = 0; i < rows->len; i++) {
        const branch_row *row = rows->pdata[i];
        g_autofree char *age = units_format_duration(MAX(now - row->began.tv_sec, 0));
        g_autofree char *disk = units_format_size(row->disk);
        g_autofree char *commits = g_strdup_printf("%d", row->commits);
        g_autofree char *changed = row->changes ? branch_changes_describe(row->changes) : NULL;
        table_add(out, row->self->branch);
        table_add(out, row->self->base);
        table_add(out, row->runs ? "running" : "stopped");
        table_add(out, age);
        table_add(out, disk);
        table_add(out, row->commits < 0 ? "unknown" : commits);
        table_add(out, changed ? changed : "unknown");
    }
    if (table_is_empty(out))
        log_note("no branches yet; 'box run --branch NAME' makes one");
    else
        table_print(out);
}

void branch_show_list(char *const *names, gboolean as_json)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(branch_row_free);
    for (; *names; names++) {
        g_autoptr(box) of = registry_by_name(*names, NULL);
        g_auto(GStrv) branches = branch_names(*names);
        for (char **branch = branches; of && *branch; branch++)
            add_branch_row(rows, of, *branch);
    }
    if (!as_json) {
        print_rows(rows);
        return;
    }
    json_t *list = json_array();
    for (guint i = 0; i < rows->len; i++)
        json_array_append_new(list, branch_row_json(rows->pdata[i]));
    json_print(list);
}

static json_t *doubts_json(unsigned doubts)
{
    static const char *const words[] = {"protected", "link-out", "twin",   "control", "moved-on",
                                        "special",   "unread",   "merges", "large"};
    json_t *list = json_array();
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        if (doubts & 1u << i)
            json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *change_json(const branch_change *change)
{
    const char letter[] = {branch_change_letter(change), '\0'};
    return json_pack("{s:o, s:s, s:o, s:o}", "path", json_text(change->path), "change", letter,
                     "size", json_count(change->after ? change->size : -1), "doubts",
                     doubts_json(change->doubts));
}

static void print_name(const branch_change *change)
{
    g_autofree char *safe = text_safe(change->path, -1);
    printf("%s%s", safe, S_ISDIR(change->after ? change->after : change->before) ? "/" : "");
}

/* COUNTS: of lines, or "". */
static void print_branch_change(const branch_change *change, const char *counts)
{
    g_autofree char *doubts = branch_doubts_describe(change->doubts);
    printf("%c ", branch_change_letter(change));
    print_name(change);
    printf("%s%s%s%s%s\n", *counts ? "   " : "", counts, *doubts ? "   (" : "", doubts,
           *doubts ? ")" : "");
}

void branch_show_changes(const branch_changes *changes, gboolean as_json, gboolean name_only)
{
    json_t *list = as_json ? json_array() : NULL;
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        if (as_json) {
            json_array_append_new(list, change_json(change));
        } else if (name_only) {
            print_name(change);
            putchar('\n');
        } else {
            print_branch_change(change, "");
        }
    }
    if (as_json)
        json_print(json_pack("{s:o, s:b, s:b}", "changes", list, "git", changes->git, "cut",
                             changes->is_cut));
    else if (changes->git)
        log_note("its git repository has changed, too: 'box branch take --commits' takes commits");
}

gboolean branch_show_staged(int before, int after, const char *path, GError **error)
{
    return branch_patch_print(before, after, path, error);
}

static int open_regular(int folder, const char *path, mode_t mode)
{
    return S_ISREG(mode) ? fs_open_beneath(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
                         : -1;
}

/* What a look into all files is for. */
typedef struct {
    const struct box *branch;
    const branch_then *then;  /* compares with what the host had, where it has moved on; or NULL */
    char *const *hidden;      /* what of the host is not shown; or NULL */
    gboolean is_stat;         /* only to count lines */
    branch_patch_lines total; /* is_binary is unused */
} file_view;

static gboolean show_counts(file_view *view, const branch_change *change, patch_batch *batch,
                            GError **error)
{
    branch_patch_lines lines;
    g_autofree char *counts = NULL;
    if (!patch_batch_count_next(batch, &lines, error))
        return FALSE;
    if (lines.is_binary)
        counts = g_strdup("not text, or too large");
    else if (lines.added || lines.removed)
        counts = g_strdup_printf("+%" G_GUINT64_FORMAT " -%" G_GUINT64_FORMAT, lines.added,
                                 lines.removed);
    view->total.added += lines.added;
    view->total.removed += lines.removed;
    print_branch_change(change, counts ? counts : "");
    return TRUE;
}

/* The next one of BATCH. */
static gboolean show_file(file_view *view, const branch_change *change, patch_batch *batch,
                          GError **error)
{
    if (view->is_stat)
        return show_counts(view, change, batch, error);
    print_branch_change(change, "");
    return patch_batch_print_next(batch, change->path, error);
}

/* What the branch is compared with; -1: nothing. */
static int open_before(const file_view *view, int project, const branch_change *change)
{
    g_autoptr(GError) problem = NULL;
    if (branch_path_is_in(view->hidden, change->path))
        return -1;
    if (!view->then || !(change->doubts & BRANCH_MOVED_ON))
        return open_regular(project, change->path, change->before);
    int fd = branch_then_open(view->branch, view->then, change->path, &problem);
    g_autofree char *safe = text_safe(change->path, -1);
    if (fd >= 0)
        return fd;
    log_warning("'%s': %s; it is compared with what the project has now", safe, problem->message);
    return open_regular(project, change->path, change->before);
}

/* Shows COUNT of LIST. */
static gboolean show_batch(file_view *view, const branch_folders *folders, gpointer *list,
                           guint count, GError **error)
{
    g_autoptr(patch_batch) batch = patch_batch_new();
    for (guint i = 0; i < count; i++) {
        const branch_change *change = list[i];
        patch_batch_add(batch, open_before(view, folders->project, change),
                        open_regular(folders->upper, change->path, change->after));
    }
    gboolean done = patch_batch_start(batch, error);
    for (guint i = 0; done && i < count; i++)
        done = show_file(view, list[i], batch, error);
    return done && patch_batch_end(batch, error);
}

static gboolean show_all(file_view *view, const branch_changes *changes, GError **error)
{
    branch_folders folders;
    guint count = changes->list->len;
    gboolean done = branch_folders_open(view->branch, &folders, error);
    for (guint i = 0; done && i < count; i += PATCH_BATCH_MAX)
        done = show_batch(view, &folders, changes->list->pdata + i, MIN(count - i, PATCH_BATCH_MAX),
                          error);
    if (folders.project >= 0)
        branch_folders_close(&folders);
    return done;
}

gboolean branch_show_files(const struct box *self, const branch_changes *changes,
                           char *const *hidden, gboolean stat, gboolean then, GError **error)
{
    g_autoptr(branch_then) known = then ? branch_then_read(self) : NULL;
    file_view view = {.branch = self, .then = known, .hidden = hidden, .is_stat = stat};
    gboolean done = show_all(&view, changes, error);
    if (done && stat) {
        g_autofree char *what = branch_changes_describe(changes);
        printf("%s, +%" G_GUINT64_FORMAT " -%" G_GUINT64_FORMAT "\n", what, view.total.added,
               view.total.removed);
    }
    return done;
}

static gboolean add_to_tool(file_view *view, difftool *tool, const branch_changes *changes,
                            GError **error)
{
    branch_folders folders;
    gboolean done = branch_folders_open(view->branch, &folders, error);
    for (guint i = 0; done && i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        int before = open_before(view, folders.project, change);
        int after = open_regular(folders.upper, change->path, change->after);
        done = difftool_add(tool, change, before, after, error);
        if (before >= 0)
            close(before);
        if (after >= 0)
            close(after);
    }
    if (folders.project >= 0)
        branch_folders_close(&folders);
    return done;
}

gboolean branch_show_tool(const struct box *self, const branch_changes *changes, const char *name,
                          gboolean then, GError **error)
{
    g_autoptr(branch_then) known = then ? branch_then_read(self) : NULL;
    g_autoptr(difftool) tool = difftool_new(self, error);
    file_view view = {.branch = self, .then = known};
    return tool && add_to_tool(&view, tool, changes, error) && difftool_run(tool, name, error);
}
