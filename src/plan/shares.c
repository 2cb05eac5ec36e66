/* Folders and files of the host that the user shows to the box: [[mount]] and home.share. */
#include "plan/draft.h"

#include <string.h>

char *plan_expand(const plan_facts *facts, const char *path)
{
    if (strcmp(path, "~") == 0)
        return g_strdup(facts->home);
    if (g_str_has_prefix(path, "~/")) {
        g_autofree char *full = g_strconcat(facts->home, path + 1, NULL);
        return plan_clean_path(full);
    }
    return plan_clean_path(path);
}

gboolean plan_meets_writable(const plan_draft *self, const char *path,
                             gboolean (*meets)(const char *path, const char *folder))
{
    const GPtrArray *lists[] = {self->wanted->mounts, self->wanted->home.share};

    if (meets(path, self->box->project))
        return TRUE;
    for (const char *const *other = self->box->projects; other && *other; other++)
        if (meets(path, *other))
            return TRUE;
    for (char **ours = self->facts->private_paths; ours && *ours; ours++)
        if (meets(path, *ours))
            return TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
        for (guint j = 0; lists[i] && j < lists[i]->len; j++) {
            const settings_mount *mount = lists[i]->pdata[j];
            g_autofree char *source = plan_expand(self->facts, mount->source);
            const char *real = source ? plan_facts_path(self->facts, source)->real : NULL;
            if (mount->mode == MODE_RW && real && meets(path, real))
                return TRUE;
        }
    return FALSE;
}

/* A link that a box can make must not decide what the next box shows. */
static gboolean check_links(const plan_draft *self, const plan_path *source, const char *what,
                            GError **error)
{
    for (char **link = source->via; link && *link; link++)
        if (plan_meets_writable(self, *link, plan_is_below))
            return plan_refuse(
                what, *link,
                "is a symbolic link that a box could have made; name what it points to", error);
    return TRUE;
}

/* Seen at a second place the project would be without its protection. */
static gboolean check_overlap(const plan_draft *self, const char *real, const char *target,
                              settings_mode mode, const char *what, GError **error)
{
    const char *project = self->box->project;
    gboolean hidden = self->wanted->project.hidden && self->wanted->project.hidden[0];

    if (!plan_overlaps(real, project))
        return TRUE;
    if (mode == MODE_RW)
        return plan_refuse(
            what, real,
            "overlaps with the project, whose protected files could be written through "
            "it; make it read-only or name another folder",
            error);
    if (hidden && strcmp(real, target) != 0)
        return plan_refuse(what, real,
                           "overlaps with the project, whose hidden files it would show", error);
    return TRUE;
}

static gboolean add_one(plan_draft *self, const settings_mount *mount, const char *what,
                        GError **error)
{
    g_autofree char *source = plan_expand(self->facts, mount->source);
    g_autofree char *target =
        mount->target ? plan_expand(self->facts, mount->target) : g_strdup(source);

    if (!source || !target)
        return plan_refuse(what, source ? mount->target : mount->source,
                           "must be an absolute path, or one that starts with ~/, without '..'",
                           error);
    const plan_path *found = plan_facts_path(self->facts, source);
    if (found->kind == PLAN_MISSING || !found->real)
        return plan_refuse(what, source, "does not exist on this machine", error);
    if (found->kind != PLAN_FOLDER && found->kind != PLAN_FILE)
        return plan_refuse(what, source, "is neither a file nor a folder", error);
    if (!check_links(self, found, what, error) ||
        !plan_check_source(self, found->real, what, error) ||
        !plan_check_target(self, target, what, error) ||
        !check_overlap(self, found->real, target, mount->mode, what, error))
        return FALSE;
    if (plan_is_guarded(self, target))
        return plan_refuse(what, target, "lies in a protected or hidden path of the project",
                           error);
    if (mount->mode != MODE_OVERLAY)
        return plan_mount_bind(self, found->real, target, mount->mode == MODE_RW, what, error);
    if (found->kind != PLAN_FOLDER)
        return plan_refuse(what, source, "is a file; only a folder can be an overlay", error);
    return plan_mount_overlay(self, found->real, target, what, error);
}

static gboolean add_list(plan_draft *self, const GPtrArray *list, const char *what, GError **error)
{
    for (guint i = 0; list && i < list->len; i++)
        if (!add_one(self, list->pdata[i], what, error))
            return FALSE;
    return TRUE;
}

gboolean plan_add_shares(plan_draft *self, GError **error)
{
    return add_list(self, self->wanted->mounts, "mount", error) &&
           add_list(self, self->wanted->home.share, "home.share", error);
}
