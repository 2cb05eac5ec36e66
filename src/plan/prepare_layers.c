/*
 * The folders of a branch's layers (plan.h). They are made while the branch does not run, as the
 * kernel does not expect changes below an overlay.
 *
 * A whiteout hides a name of the host's project. It lies in a layer of its own between the branch's
 * and the project, and not in the branch's: there the box could replace it by a file, and remove
 * that while the host has none of the name, and a later one of the host would show.
 */
#include "plan/prepare.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/fs.h"

static char *layer_path(const plan_box *box, enum plan_layer layer, const char *name)
{
    return g_build_filename(box->data, PLAN_DATA_LAYERS, plan_layer_names[layer], name, NULL);
}

/* A whiteout in place of what is at PATH, which may hold whiteouts itself. */
static gboolean make_whiteout(const char *path, GError **error)
{
    return fs_remove_tree(path, error) &&
           (mknod(path, S_IFCHR, makedev(0, 0)) == 0 || fs_fail(error, "make", path));
}

/*
 * Hides RELATIVE below TARGET: by a whiteout of it, or of the first part of it that is no folder on
 * the host, whatever may come later. A whiteout on the way hides it already.
 */
static gboolean mask_path(const plan_prepare_context *self, const char *mask, const char *target,
                          const char *relative, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(relative, "/", -1);
    g_autofree char *at = g_strdup(mask), *on_host = g_strdup(target);

    for (char **part = parts; *part; part++) {
        g_autofree char *above = at, *host_above = on_host;
        struct stat st;
        at = g_build_filename(above, *part, NULL);
        on_host = g_build_filename(host_above, *part, NULL);
        if (!part[1] || plan_facts_file(self->facts, on_host)->type != PLAN_TYPE_FOLDER)
            return make_whiteout(at, error);
        if (mkdir(at, 0755) < 0 && errno != EEXIST)
            return fs_fail(error, "make", at);
        if (lstat(at, &st) == 0 && !S_ISDIR(st.st_mode))
            return TRUE;
    }
    return TRUE;
}

static gboolean make_mask(const plan_prepare_context *self, enum plan_layer layer,
                          const char *target, GError **error)
{
    g_autofree char *mask = layer_path(self->box, layer, "mask");
    char **hidden = layer == PLAN_LAYER_PROJECT ? self->wanted->project.hidden : NULL;

    if (!fs_remove_tree(mask, error) || !fs_make_folder(mask, 0755, error))
        return FALSE;
    for (; hidden && *hidden; hidden++) {
        g_autofree char *relative = plan_clean_relative(*hidden);
        if (!relative)
            return plan_refuse("project.hidden", *hidden, "is not a path below the project", error);
        if (!mask_path(self, mask, target, relative, error))
            return FALSE;
    }
    return TRUE;
}

/* The upper folder's rights are those of the overlay's root; at first it has those of the host. */
static gboolean make_upper(const char *upper, const char *target, GError **error)
{
    struct stat st;

    if (access(upper, F_OK) == 0)
        return TRUE;
    mode_t mode = stat(target, &st) == 0 ? st.st_mode & 0777 : 0755;
    return fs_make_folder(upper, 0700, error) &&
           (chmod(upper, mode) == 0 || fs_fail(error, "open", upper));
}

/* Some kernels mount an overlay without them, in which new folders cannot be made then. */
static gboolean has_attributes(const char *folder)
{
    static const char name[] = "user.overlay.litterbox";

    return setxattr(folder, name, "y", 1, 0) == 0 && removexattr(folder, name) == 0;
}

/* *IS_COPY: it is one, or becomes one, as UPPER would be new and the file system cannot hold it. */
static gboolean find_kind(const plan_prepare_context *self, enum plan_layer layer,
                          const char *upper, gboolean *is_copy, GError **error)
{
    g_autofree char *copies = plan_data_path(self->box, PLAN_DATA_COPIES);
    g_autofree char *fact = g_build_filename(copies, plan_layer_names[layer], NULL);
    g_autofree char *folder = g_path_get_dirname(upper);

    *is_copy = access(fact, F_OK) == 0;
    if (*is_copy || access(upper, F_OK) == 0)
        return TRUE;
    if (!fs_make_folder(folder, 0700, error))
        return FALSE;
    *is_copy = !has_attributes(folder);
    return !*is_copy ||
           (fs_make_folder(copies, 0700, error) && plan_write_file(fact, "", 0, 0600, error));
}

static gboolean prepare_layer(const plan_prepare_context *self, enum plan_layer layer,
                              const char *target, const char *source, GError **error)
{
    g_autofree char *upper = layer_path(self->box, layer, "upper");
    g_autofree char *work = layer_path(self->box, layer, "work");
    g_autofree char *at = layer_path(self->box, layer, "at");
    gboolean is_copy;

    if (!find_kind(self, layer, upper, &is_copy, error))
        return FALSE;
    if (is_copy)
        return plan_write_file(at, target, -1, 0600, error);
    return make_upper(upper, source, error) && fs_make_folder(work, 0700, error) &&
           make_mask(self, layer, target, error) && plan_write_file(at, target, -1, 0600, error);
}

/* Of a plan that had the layer, as that of a worktree: there is nothing to mount it on. */
static gboolean forget_layer(const plan_prepare_context *self, enum plan_layer layer,
                             GError **error)
{
    g_autofree char *at = layer_path(self->box, layer, "at");

    return unlink(at) == 0 || errno == ENOENT || fs_fail(error, "remove", at);
}

gboolean plan_prepare_layers(const plan_prepare_context *self, char *const *layers, GError **error)
{
    for (int i = 0; i < N_PLAN_LAYERS; i++) {
        const char *source = i == PLAN_LAYER_HOME ? self->box->home : layers[i];
        if (layers[i] ? !prepare_layer(self, i, layers[i], source, error)
                      : layers[PLAN_LAYER_PROJECT] && !forget_layer(self, i, error))
            return FALSE;
    }
    return TRUE;
}
