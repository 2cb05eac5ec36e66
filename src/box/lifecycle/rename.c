#include "box/lifecycle/rename.h"

#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/home_lock.h"
#include "box/lifecycle/image_source.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/replace.h"
#include "box/menu/menu_entries.h"
#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"

/* Renames the user's own configuration of the box. */
static gboolean rename_config(const struct box *from, const struct box *to, GError **error)
{
    g_autofree char *old = config_box_path(from->name), *new = config_box_path(to->name);
    return fs_rename(old, new, error);
}

/* A registry_name_mover. Each part may have been done before. */
static gboolean move_names(const struct box *from, const struct box *to, GError **error)
{
    return rename_config(from, to, error) && agent_rename_box(from, to, error) &&
           bridge_rename_consent(from, to, error) &&
           menu_entries_rename(from->name, to->name, error);
}

void box_rename_repair(void)
{
    g_autoptr(GError) problem = NULL;
    if (!registry_rename_repair(move_names, &problem))
        log_warning("a box is still being renamed: %s", problem->message);
}

static gboolean check_name(const struct box *self, const char *name, GError **error)
{
    g_autofree char *safe = text_safe(name, -1);
    g_autofree char *file = box_name_is_valid(name) ? config_box_path(name) : NULL;
    if (!file)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' cannot be the name of a box: use at most %d of a-z, 0-9, '-', '_' and "
                    "'.', the first a letter or digit",
                    safe, BOX_NAME_MAX);
    else if (g_strcmp0(name, self->name) == 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "the box is called '%s' already", safe);
    else if (access(file, F_OK) == 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "'%s' is there already: move it away, as the box would get these settings",
                    file);
    else
        return registry_check_free(name, error);
    return FALSE;
}

gboolean box_rename_confirm(const struct box *self, podman_client *server, gboolean yes,
                            gboolean *runs, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    if (!now)
        return FALSE;
    *runs = now->state == BOX_RUNNING;
    g_autofree char *contents = container_diff_describe(self, server, now);
    g_autofree char *loss = box_describe_loss(self, *runs, contents);
    box_loss_words words = {"renaming", "Rename it?",
                            contents ? "name software that should always be there in [box] packages"
                                     : NULL};
    return box_confirm_loss(self, loss, yes, &words, error);
}

/* A new name for the image that was built for it, so that it need not be built again. It is a
 * nicety: the next start builds what is missing. */
static void rename_image(const struct box *from, const struct box *to, podman_client *server)
{
    g_autofree char *old = image_project_tag(from), *new = image_project_tag(to);
    if (podman_image_tag(server, old, new, NULL))
        podman_image_remove(server, old, NULL);
}

/* The containers of branches have the box's name. Those that run are the user's to end. */
static gboolean release_branch(const struct box *branch, const char *name, podman_client *server,
                               gboolean yes, GError **error)
{
    gboolean runs;
    g_autofree char *full = g_strdup_printf("%s.%s", name, branch->branch);
    g_autoptr(box_container) now = box_container_inspect(branch, server, error);
    if (!now)
        return FALSE;
    if (now->state != BOX_MISSING && now->state != BOX_STOPPED)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE, "branch '%s' is %s: run 'box stop %s' first",
                    branch->branch, box_state_name(now->state), branch->name);
    else if (!box_name_is_valid(full))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "the name is too long for branch '%s'",
                    branch->branch);
    else if (registry_check_free(full, error) &&
             box_rename_confirm(branch, server, yes, &runs, error) &&
             box_remove_container(branch, server, error)) {
        box_revoke_host_access(branch);
        return TRUE;
    }
    return FALSE;
}

/* Removes the containers of the branches of HOME. */
static gboolean release_branches(const held_home *home, const char *name, podman_client *server,
                                 gboolean yes, GError **error)
{
    for (guint i = 0; i < home->branches->len; i++) {
        const held_branch *one = home->branches->pdata[i];
        if (!release_branch(one->self, name, server, yes, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean rename_locked(struct box *self, const char *name, podman_client *server,
                              gboolean yes, gboolean *runs, GError **error)
{
    g_auto(held_home) home = HELD_HOME_NONE;
    g_autoptr(box) to = box_new(name, self->project, error);
    if (!to || !replace_repair(self, server, error) ||
        !box_rename_confirm(self, server, yes, runs, error) || !home_hold(&home, self, error) ||
        !release_branches(&home, name, server, yes, error))
        return FALSE;
    log_step("renaming box '%s'", self->name);
    gboolean done = box_stop(self, server, error) && box_remove_container(self, server, error) &&
                    registry_rename(self, to, box_revoke_host_access, move_names, error);
    if (done)
        rename_image(self, to, server);
    /* With their locks in them, which are of no use under the old names. */
    for (guint i = 0; done && i < home.branches->len; i++)
        discard_runtime(((held_branch *)home.branches->pdata[i])->self->runtime, NULL);
    log_step_done();
    return done;
}

gboolean box_rename(struct box *self, const char *name, podman_client *server, gboolean yes,
                    gboolean *runs, GError **error)
{
    gboolean was_running = FALSE;
    *runs = FALSE;
    int lock = check_name(self, name, error) ? box_lock_registered(self, error) : -1;
    if (lock < 0)
        return FALSE;
    gboolean done = rename_locked(self, name, server, yes, &was_running, error);
    close(lock);
    g_autoptr(box) renamed = done ? registry_by_name(name, error) : NULL;
    int fd = renamed && was_running ? box_start(renamed, NULL, error) : -1;
    if (fd >= 0)
        close(fd);
    *runs = fd >= 0;
    return renamed && (!was_running || fd >= 0);
}
