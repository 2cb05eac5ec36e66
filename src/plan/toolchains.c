/* The user's own toolchains, read-only at their places in the home (facts.c knows which exist). */
#include "plan/draft.h"

#include "common/text.h"

static gboolean add_one(plan_draft *self, const plan_toolchain *toolchain, GError **error)
{
    static const char what[] = "home.share_toolchains";
    g_autofree char *empty = plan_data(self->box, PLAN_DATA_EMPTY_FILE);

    if (!plan_check_source(self, toolchain->real, what, error) ||
        !plan_mount_bind(self, toolchain->real, toolchain->folder, FALSE, what, error))
        return FALSE;
    for (char **secret = toolchain->secrets; secret && *secret; secret++)
        if (!plan_mount_bind(self, empty, *secret, FALSE, what, error))
            return FALSE;
    return TRUE;
}

/* Whoever can write near it could have made it a link to anything. */
static void warn_of_link(plan_draft *self, const char *folder)
{
    g_autofree char *safe = text_safe(folder, -1);

    plan_warn(self,
              "home.share_toolchains: '%s' leads elsewhere and is left out; name it in home.share",
              safe);
}

gboolean plan_add_toolchains(plan_draft *self, GError **error)
{
    const GPtrArray *list = self->facts->toolchains;

    if (!self->wanted->home.share_toolchains)
        return TRUE;
    for (guint i = 0; i < list->len; i++) {
        const plan_toolchain *toolchain = list->pdata[i];
        /* A share that the user spelled out comes first. */
        if (g_hash_table_contains(self->targets, toolchain->folder))
            continue;
        /* The project shows it already, by its own rules; or it would show the project without. */
        if (!toolchain->real)
            warn_of_link(self, toolchain->folder);
        else if (!plan_overlaps(self->box->project, toolchain->folder) &&
                 !plan_overlaps(self->box->project, toolchain->real) &&
                 !add_one(self, toolchain, error))
            return FALSE;
    }
    return TRUE;
}
