#include "box/branch/branch_view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/taken.h"
#include "box/registry/branch_marks.h"
#include "box/registry/branch_then.h"
#include "common/fs.h"
#include "plan/plan.h"

void branch_folders_close(branch_folders *folders)
{
    if (folders->upper >= 0)
        close(folders->upper);
    if (folders->project >= 0)
        close(folders->project);
    branch_copied_free(folders->copied);
    *folders = (branch_folders){-1, -1, NULL};
}

gboolean branch_folders_open(const struct box *self, branch_folders *folders, GError **error)
{
    g_autofree char *upper = g_build_filename(self->data, PLAN_DATA_LAYERS,
                                              plan_layer_names[PLAN_LAYER_PROJECT], "upper", NULL);
    g_autoptr(GError) problem = NULL;
    *folders = (branch_folders){-1, fs_open_real(self->project, O_RDONLY | O_DIRECTORY), NULL};
    if (folders->project < 0)
        return fs_fail(error, "open", self->project);
    folders->copied = branch_copied_read(self, PLAN_LAYER_PROJECT, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        branch_folders_close(folders);
        return FALSE;
    }
    /* On the way to it are no links but those of the user. */
    folders->upper = open(upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folders->upper >= 0 || errno == ENOENT)
        return TRUE;
    fs_fail(error, "open", upper);
    branch_folders_close(folders);
    return FALSE;
}

/* What the comparison asks for. */
typedef struct {
    const struct box *branch;
    branch_marks *marks;
    branch_taken *taken;
    branch_then *then; /* NULL: not needed so far */
} apart;

static const struct timespec *since(void *data, const char *path)
{
    return branch_marks_since(((apart *)data)->marks, path);
}

static gboolean is_ours(void *data, const char *path, const struct stat *st)
{
    return branch_taken_has(((apart *)data)->taken, path, st);
}

static int is_then(void *data, const char *path, int fd, const struct stat *st)
{
    apart *self = data;
    if (!self->then)
        self->then = branch_then_read(self->branch);
    return branch_then_is(self->then, path, fd, st);
}

branch_changes *branch_view(const struct box *self, const settings *wanted, GError **error)
{
    branch_folders folders;
    g_autoptr(branch_marks) marks = branch_marks_read(self, error);
    if (!marks || !branch_folders_open(self, &folders, error))
        return NULL;
    g_autoptr(branch_taken) taken = branch_taken_read(self);
    apart both = {self, marks, taken, NULL};
    branch_scan scan = {.wanted = wanted,
                        .project = self->project,
                        .copied = folders.copied,
                        .since = since,
                        .is_ours = is_ours,
                        .is_then = is_then,
                        .data = &both};
    branch_changes *changes = folders.upper < 0
                                  ? branch_changes_none()
                                  : branch_changes_find(folders.upper, folders.project, &scan);
    branch_folders_close(&folders);
    branch_then_free(both.then);
    return changes;
}

guint branch_changes_count(const branch_changes *changes)
{
    guint count = 0;
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        count += !S_ISDIR(change->after) && !(S_ISDIR(change->before) && !change->after);
    }
    return count;
}

char *branch_changes_describe(const branch_changes *changes)
{
    guint count = branch_changes_count(changes), folders = changes->list->len - count;
    const char *git = changes->git ? ", and its git repository" : "";
    if (count)
        return g_strdup_printf("%u file%s changed%s%s", count, count > 1 ? "s" : "",
                               changes->is_cut ? " or more" : "", git);
    if (folders)
        return g_strdup_printf("%u folder%s changed%s", folders, folders > 1 ? "s" : "", git);
    return g_strdup(changes->git ? "nothing changed but its git repository" : "nothing changed");
}

char *branch_doubts_describe(unsigned doubts)
{
    static const struct {
        unsigned doubt;
        const char *words;
    } all[] = {
        {BRANCH_PROTECTED, "tools of this machine run or obey it, or it is hidden"},
        {BRANCH_LINK_OUT, "a link that may lead out of the project"},
        {BRANCH_TWIN, "another name differs only in case"},
        {BRANCH_CONTROL, "unusual characters in its name"},
        {BRANCH_MOVED_ON, "changed on the host, too"},
        {BRANCH_MERGES, "take merges both"},
        {BRANCH_SPECIAL, "no file, folder or link"},
        {BRANCH_UNREAD, "cannot be read"},
        {BRANCH_LARGE, "too large"},
    };
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
        if (doubts & all[i].doubt)
            g_ptr_array_add(words, (gpointer)all[i].words);
    g_ptr_array_add(words, NULL);
    return g_strjoinv("; ", (char **)words->pdata);
}

char branch_change_letter(const branch_change *change)
{
    if (!change->before)
        return 'A';
    if (!change->after)
        return 'D';
    return (change->before & S_IFMT) == (change->after & S_IFMT) ? 'M' : 'T';
}
