/* The user's own toolchains, read-only at their places in the home (facts.c knows which exist). */
#include "plan/draft.h"

static gboolean add_one(plan_draft *self, const plan_toolchain *toolchain, GError **error)
{
    static const char what[] = "home.share_toolchains";
    g_autofree char *empty = plan_data(self->box, PLAN_DATA_EMPTY_FILE);

    if (!plan_mount_bind(self, toolchain->folder, toolchain->folder, FALSE, what, error))
        return FALSE;
    for (char **secret = toolchain->secrets; secret && *secret; secret++)
        if (!plan_mount_bind(self, empty, *secret, FALSE, what, error))
            return FALSE;
    return TRUE;
}

gboolean plan_add_toolchains(plan_draft *self, GError **error)
{
    const GPtrArray *list = self->facts->toolchains;

    if (!self->wanted->home.share_toolchains)
        return TRUE;
    for (guint i = 0; i < list->len; i++) {
        const plan_toolchain *toolchain = list->pdata[i];
        /* A share that the user spelled out, or the project itself, comes first. */
        if (g_hash_table_contains(self->targets, toolchain->folder) ||
            plan_is_below(self->box->project, toolchain->folder))
            continue;
        if (!add_one(self, toolchain, error))
            return FALSE;
    }
    return TRUE;
}
