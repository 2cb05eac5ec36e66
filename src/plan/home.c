/* The private home, at the path of the host's home, and temporary folders of the box's own. */
#include "plan/draft.h"

gboolean plan_add_home(plan_draft *self, GError **error)
{
    if (!plan_mount_bind(self, self->box->home, self->facts->home, TRUE, "the box's home", error))
        return FALSE;
    g_autofree char *size = plan_memory_share(self, PLAN_TMP_SHARE);
    return plan_mount_tmpfs(self, "/tmp", "1777", size, "the box's /tmp", error);
}
