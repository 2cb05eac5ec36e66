/*
 * /run/litterbox: what of ours is inside a box (plan.h has the layout).
 *
 * PID 1 and the control socket stand in a folder that only root of the box may enter, on a file
 * system of its own, so that neither an image nor a session can put something else there.
 */
#include "bridge/outcome.h"
#include "plan/draft.h"

static gboolean has_desktop(const settings *wanted)
{
    return wanted->desktop.wayland != WAYLAND_NONE || wanted->desktop.x11 != X11_NONE ||
           wanted->desktop.open != OPEN_DENY || wanted->desktop.notify;
}

/* What it says must not be less than what the box has; a user's rule for all boxes may be more. */
static gboolean check_clipboard(plan_draft *self, GError **error)
{
    const settings *wanted = self->wanted;
    if (wanted->desktop.clipboard == CLIPBOARD_NONE || wanted->desktop.x11 == X11_NESTED)
        return TRUE;
    if (wanted->desktop.x11 == X11_NONE) {
        plan_warn(self, "desktop.clipboard does nothing without desktop.x11 = \"nested\": there is "
                        "no X server whose clipboard could be shared");
        return TRUE;
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "desktop.clipboard needs desktop.x11 = \"nested\": with \"host\" the box has your "
                "clipboard, both ways");
    return FALSE;
}

gboolean plan_add_litterbox(plan_draft *self, GError **error)
{
    const plan_facts *facts = self->facts;
    g_autofree char *ctl = g_build_filename(self->box->runtime, "ctl", NULL);
    g_autofree char *size = plan_memory_share(self, PLAN_RUN_SHARE);

    if (!check_clipboard(self, error) ||
        !plan_mount_tmpfs(self, PLAN_RUN_USER, "0755", size, "the box's runtime folders", error) ||
        !plan_mount_tmpfs(self, PLAN_RUN, "0755", "64k", "Litterbox", error) ||
        !plan_mount_tmpfs(self, PLAN_ROOT, "0700", "64k", "Litterbox", error) ||
        !plan_mount_bind(self, facts->init, PLAN_INIT, FALSE, "Litterbox", error) ||
        !plan_mount_bind(self, ctl, PLAN_CTL, TRUE, "Litterbox", error))
        return FALSE;
    /* Read-only: one may connect to a socket there, and not put another in its place. */
    if (self->box->ssh &&
        !plan_mount_bind(self, self->box->ssh, PLAN_SSH, FALSE, "Litterbox", error))
        return FALSE;
    g_autofree char *desktop = g_build_filename(self->box->runtime, BRIDGE_FOLDER, NULL);
    g_autofree char *x11 = g_build_filename(self->box->runtime, BRIDGE_X11, NULL);
    gboolean has_x11 = self->wanted->desktop.x11 != X11_NONE;
    if (has_desktop(self->wanted) &&
        !plan_mount_bind(self, desktop, PLAN_DESKTOP, FALSE, "Litterbox", error))
        return FALSE;
    if (has_x11 && !plan_mount_bind(self, x11, PLAN_X11, FALSE, "Litterbox", error))
        return FALSE;
    return !facts->shims ||
           plan_mount_bind(self, facts->shims, PLAN_BIN, FALSE, "Litterbox", error);
}
