#include "box/lifecycle/branch_copies.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/copy_tree.h"
#include "box/lifecycle/launch.h"
#include "box/registry/branch_copied.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "plan/facts.h"

static char *layer_file(const struct box *self, enum plan_layer layer, const char *name)
{
    return g_build_filename(self->data, PLAN_DATA_LAYERS, plan_layer_names[layer], name, NULL);
}

/* Where LAYER is mounted, a new string; NULL: the branch has no such layer. */
static char *layer_target(const struct box *self, enum plan_layer layer)
{
    g_autofree char *at = layer_file(self, layer, "at");
    return fs_read_text(at, PATH_MAX);
}

static const char *source_of(const struct box *self, enum plan_layer layer, const char *target)
{
    return layer == PLAN_LAYER_HOME ? self->home : target;
}

static gboolean has_upper(const struct box *self, enum plan_layer layer)
{
    g_autofree char *upper = layer_file(self, layer, "upper");
    return access(upper, F_OK) == 0;
}

static gboolean may_become_copy(const struct box *self, enum plan_layer layer, const char *source)
{
    g_autofree char *upper = layer_file(self, layer, "upper");
    g_autoptr(GDir) folder = g_dir_open(upper, 0, NULL);
    return folder && !g_dir_read_name(folder) && !layers_have_mounts_below(source);
}

static gboolean become_copy(const struct box *self, enum plan_layer layer)
{
    g_autofree char *upper = layer_file(self, layer, "upper");
    g_autofree char *folder = g_build_filename(self->data, PLAN_DATA_COPIES, NULL);
    g_autofree char *fact = g_build_filename(folder, plan_layer_names[layer], NULL);
    /* Without a folder it is no overlay any more, whenever this is killed. */
    return rmdir(upper) == 0 && fs_make_folder(folder, 0700, NULL) &&
           fs_write(fact, "", 0, 0600, NULL);
}

gboolean branch_copies_begin(const struct box *self)
{
    for (int change = 0; change < 2; change++) {
        for (int i = 0; i < N_PLAN_LAYERS; i++) {
            g_autofree char *target = layer_target(self, i);
            if (!target || branch_copied_is(self, i))
                continue;
            if (change ? !become_copy(self, i)
                       : !may_become_copy(self, i, source_of(self, i, target)))
                return FALSE;
        }
    }
    return branch_copies_are_missing(self);
}

gboolean branch_copies_are_missing(const struct box *self)
{
    for (int i = 0; i < N_PLAN_LAYERS; i++)
        if (branch_copied_is(self, i) && !has_upper(self, i))
            return TRUE;
    return FALSE;
}

/* What is to be said of a copy. */
static void say_copied(const struct box *self, const char *source, const copy_tree *copy)
{
    g_autofree char *size = units_format_size(copy->bytes), *safe = text_safe(source, -1);
    if (copy->is_first)
        log_note("branch '%s': copied %u file%s, %s, of '%s': the file system of Litterbox's data "
                 "cannot hold an overlay",
                 self->branch, copy->files, copy->files == 1 ? "" : "s", size, safe);
    if (copy->left)
        log_warning("branch '%s': %u file%s or folder%s of '%s' could not be copied", self->branch,
                    copy->left, copy->left == 1 ? "" : "s", copy->left == 1 ? "" : "s", safe);
}

/* All of it is on the disk before the list says so: a crash would else look like the work of the
 * branch. */
static gboolean finish_first(const struct box *self, enum plan_layer layer, const char *part,
                             const copy_tree *copy, GError **error)
{
    g_autofree char *upper = layer_file(self, layer, "upper");
    if (syncfs(copy->to) < 0)
        return fs_fail(error, "copy", part);
    return branch_copied_write(copy->now, self, layer, error) && fs_rename(part, upper, error);
}

static gboolean copy_opened(const struct box *self, enum plan_layer layer, const char *part,
                            copy_tree *copy, GError **error)
{
    if (!copy_tree_run(copy, error))
        return FALSE;
    return copy->is_first ? finish_first(self, layer, part, copy, error)
                          : branch_copied_write(copy->now, self, layer, error);
}

/* PART: the first copy, or temporary files of a later one. */
static gboolean copy_layer(const struct box *self, enum plan_layer layer, const char *source,
                           char *const *hidden, GError **error)
{
    g_autofree char *part = layer_file(self, layer, "part");
    g_autofree char *upper = layer_file(self, layer, "upper");
    gboolean is_first = !has_upper(self, layer);
    g_autoptr(branch_copied) now = branch_copied_new();
    g_autoptr(branch_copied) old =
        is_first ? branch_copied_new() : branch_copied_read(self, layer, error);
    if (!old || !fs_remove_tree(part, error) || !fs_make_folder(part, 0700, error))
        return FALSE;
    copy_tree copy = {.from = fs_open_real(source, O_RDONLY | O_DIRECTORY),
                      .part = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                      .is_first = is_first,
                      .old = old,
                      .now = now,
                      .hidden = hidden};
    copy.to = is_first ? copy.part : open(upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean done = copy.from >= 0 && copy.to >= 0
                        ? copy_opened(self, layer, part, &copy, error)
                        : fs_fail(error, "open", copy.from < 0 ? source : upper);
    int fds[] = {copy.from, copy.part, is_first ? -1 : copy.to};
    for (gsize i = 0; i < G_N_ELEMENTS(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    /* A disk that is full must not stay so. */
    fs_remove_tree(part, NULL);
    if (done)
        say_copied(self, source, &copy);
    return done;
}

static gboolean update_layer(const struct box *self, enum plan_layer layer, char *const *hidden,
                             GError **error)
{
    g_autofree char *target = layer_target(self, layer);
    if (!target || !branch_copied_is(self, layer))
        return TRUE;
    const char *source = source_of(self, layer, target);
    if (layers_have_mounts_below(source)) {
        g_autofree char *safe = text_safe(source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "'%s' cannot be copied for branch '%s': a file system is mounted in it", safe,
                    self->branch);
        return FALSE;
    }
    return copy_layer(self, layer, source, layer == PLAN_LAYER_PROJECT ? hidden : NULL, error);
}

/* Those that are no paths below the project are errors of the plan. */
static char **clean_paths(char *const *paths)
{
    g_autoptr(GPtrArray) clean = g_ptr_array_new_with_free_func(g_free);
    for (; paths && *paths; paths++) {
        char *path = plan_clean_relative(*paths);
        if (path)
            g_ptr_array_add(clean, path);
    }
    return text_list(g_steal_pointer(&clean));
}

static gboolean has_copies(const struct box *self)
{
    for (int i = 0; i < N_PLAN_LAYERS; i++)
        if (branch_copied_is(self, i))
            return TRUE;
    return FALSE;
}

gboolean branch_copies_update(const struct box *self, char *const *hidden, GError **error)
{
    gboolean done = TRUE;
    if (!has_copies(self))
        return TRUE;
    g_auto(GStrv) clean = clean_paths(hidden);
    interrupt_begin();
    log_step("copying for branch '%s', as no overlay can be mounted", self->branch);
    for (int i = 0; done && i < N_PLAN_LAYERS; i++)
        done = update_layer(self, i, clean, error);
    log_step_done();
    if (!done && !interrupt_check(NULL)) {
        g_clear_error(error);
        interrupt_check(error);
    }
    interrupt_end();
    return done;
}
