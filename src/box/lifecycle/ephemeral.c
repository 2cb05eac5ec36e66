#include "box/lifecycle/ephemeral.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/registry/box.h"
#include "common/fs.h"
#include "common/paths.h"
#include "podman/podman.h"

#define FOLDER "ephemeral"
#define LOCK_SUFFIX ".lock"
/* Bytes of the project's box name in the name of an ephemeral one. */
#define BASE_MAX 48

static char *path_of(const char *name, const char *suffix)
{
    g_autofree char *file = g_strconcat(name, suffix, NULL);
    g_autofree char *tail = g_build_filename(FOLDER, file, NULL);
    return paths_data(tail);
}

char *ephemeral_box_data_path(const char *name)
{
    return path_of(name, "");
}

gboolean ephemeral_box_exists(const char *name)
{
    g_autofree char *lock = path_of(name, LOCK_SUFFIX);
    return g_file_test(lock, G_FILE_TEST_EXISTS);
}

/* The lock of NAME without waiting; -1 while another process uses the box. */
static int try_lock(const char *name)
{
    g_autofree char *path = path_of(name, LOCK_SUFFIX);
    return fs_try_lock(path);
}

static struct box *make_box(const struct box *of, GError **error)
{
    g_autofree char *name = g_strdup_printf("%.*s-%08x", BASE_MAX, of->name, g_random_int());
    struct box *self = box_new(name, of->project, error);
    if (!self)
        return NULL;
    g_free(self->base);
    g_free(self->data);
    g_free(self->home);
    self->base = g_strdup(of->base);
    self->data = path_of(name, "");
    self->home = g_build_filename(self->data, "home", NULL);
    return self;
}

gboolean ephemeral_box_create(ephemeral_box *self, const struct box *of, const char *const *only,
                              GError **error)
{
    g_autofree char *folder = paths_data(FOLDER);
    *self = (ephemeral_box){NULL, -1};
    if (!fs_make_folder(folder, 0700, error))
        return FALSE;
    self->box = make_box(of, error);
    if (!self->box)
        return FALSE;
    self->box->only = g_strdupv((char **)only);
    self->lock = try_lock(self->box->name);
    if (self->lock >= 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create an ephemeral box: %s",
                g_strerror(errno));
    g_clear_pointer(&self->box, box_free);
    return FALSE;
}

/* The lock file last, because sweeps find ephemeral boxes by it. */
static gboolean remove_folders(const struct box *gone)
{
    g_autofree char *lock = path_of(gone->name, LOCK_SUFFIX);
    return discard_tree(gone->data, NULL) && discard_tree(gone->runtime, NULL) && unlink(lock) == 0;
}

static void ephemeral_boxes_sweep(podman_client *server);

gboolean ephemeral_box_remove(ephemeral_box *self, GError **error)
{
    if (!self->box)
        return TRUE;
    g_autoptr(podman_client) server = podman_connect(error);
    agent_forget_box(self->box);
    gboolean removed = server && podman_container_remove(server, self->box->container, error);
    if (removed)
        remove_folders(self->box);
    close(self->lock);
    g_clear_pointer(&self->box, box_free);
    if (server)
        ephemeral_boxes_sweep(server);
    return removed;
}

gboolean ephemeral_box_sweep(const char *name, podman_client *server)
{
    int lock = try_lock(name);
    g_autoptr(box) gone = lock >= 0 ? box_new(name, "", NULL) : NULL;
    gboolean removed = FALSE;
    if (gone) {
        g_free(gone->data);
        gone->data = path_of(name, "");
        agent_forget_box(gone);
        removed = server && podman_container_remove(server, gone->container, NULL) &&
                  remove_folders(gone);
    }
    if (lock >= 0)
        close(lock);
    return removed;
}

/* All ephemeral boxes, in use or not. */
static char **names(void)
{
    g_autofree char *folder = paths_data(FOLDER);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    for (const char *file; dir && (file = g_dir_read_name(dir));) {
        g_autofree char *name = g_str_has_suffix(file, LOCK_SUFFIX)
                                    ? g_strndup(file, strlen(file) - strlen(LOCK_SUFFIX))
                                    : NULL;
        if (name && box_name_is_valid(name))
            g_strv_builder_add(all, name);
    }
    return g_strv_builder_end(all);
}

char **ephemeral_boxes_left(void)
{
    g_auto(GStrv) all = names();
    g_autoptr(GStrvBuilder) left = g_strv_builder_new();
    for (char **name = all; *name; name++) {
        int lock = try_lock(*name);
        if (lock < 0)
            continue;
        g_strv_builder_add(left, *name);
        close(lock);
    }
    return g_strv_builder_end(left);
}

/* Removes what killed `box` processes have left behind. */
static void ephemeral_boxes_sweep(podman_client *server)
{
    g_auto(GStrv) all = names();
    for (char **name = all; *name; name++)
        ephemeral_box_sweep(*name, server);
}
