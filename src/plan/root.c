/*
 * The root of the box: an image's, or the host image's empty folder with the host's /usr on top.
 *
 * The empty root is read-only. Its files belong to the user (nobody else's could be made without
 * root), so a writable one would let a session replace /bin or /etc/profile under root's feet.
 */
#include "plan/draft.h"

static gboolean bind_same(plan_draft *self, const char *path, GError **error)
{
    return plan_mount_bind(self, path, path, FALSE, "the host's system folders", error);
}

static gboolean add_tops(plan_draft *self, GError **error)
{
    const GPtrArray *tops = self->facts->tops;

    for (guint i = 0; i < tops->len; i++) {
        const plan_top *top = tops->pdata[i];
        g_autofree char *path = g_strconcat("/", top->name, NULL);
        if (!top->target && !bind_same(self, path, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_etc(plan_draft *self, GError **error)
{
    const GPtrArray *etc = self->facts->etc;

    for (guint i = 0; i < etc->len; i++) {
        const plan_etc *entry = etc->pdata[i];
        g_autofree char *path = g_build_filename("/etc", entry->name, NULL);
        if (entry->how == ETC_BIND && !bind_same(self, path, error))
            return FALSE;
    }
    return TRUE;
}

/* /run is the box's own: the link to the system's programs has to be made in it. */
static gboolean add_nixos(plan_draft *self, GError **error)
{
    return bind_same(self, "/nix/store", error) &&
           plan_mount_bind(self, self->facts->system, "/run/current-system", FALSE,
                           "the host's system folders", error);
}

static gboolean add_host(plan_draft *self, GError **error)
{
    g_autofree char *root = plan_data(self->box, PLAN_DATA_ROOT);

    plan_set(self, "rootfs", json_string(root));
    plan_set(self, "read_only_filesystem", json_true());
    if (!add_tops(self, error) || !add_etc(self, error))
        return FALSE;
    return !self->facts->system || add_nixos(self, error);
}

/* What has to be writable when the root is not. */
static gboolean add_writable(plan_draft *self, GError **error)
{
    /* Or /dev/shm would be read-only too, since Podman 5. */
    plan_set(self, "read_write_tmpfs", json_true());
    g_autofree char *run = plan_memory_share(self, PLAN_RUN_SHARE);
    g_autofree char *tmp = plan_memory_share(self, PLAN_VAR_TMP_SHARE);
    return plan_mount_tmpfs(self, "/run", "0755", run, "the box's /run", error) &&
           plan_mount_tmpfs(self, "/var/tmp", "1777", tmp, "the box's /var/tmp", error);
}

gboolean plan_add_root(plan_draft *self, GError **error)
{
    if (!self->box->image)
        return add_host(self, error) && add_writable(self, error);
    g_autofree char *profile = plan_data(self->box, PLAN_DATA_ETC "/profile.sh");

    /* Last of those that a login shell reads: Debian's /etc/profile drops the PATH it was given. */
    if (!plan_mount_bind(self, profile, "/etc/profile.d/zz-litterbox.sh", FALSE, "the box's PATH",
                         error))
        return FALSE;
    plan_set(self, "image", json_string(self->box->image));
    plan_set(self, "timezone", json_string("local"));
    plan_set(self, "read_only_filesystem", json_boolean(self->wanted->security.read_only));
    return !self->wanted->security.read_only || add_writable(self, error);
}
