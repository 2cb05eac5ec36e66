/* Namespaces, privileges, seccomp: what holds for every box, whatever its image says. */
#include "plan/draft.h"

static json_t *namespace(const char *mode)
{
    return json_pack("{s:s}", "nsmode", mode);
}

static void add_namespaces(plan_draft *self)
{
    plan_set(self, "userns", namespace("keep-id"));
    plan_set(self, "pidns", namespace("private"));
    plan_set(self, "ipcns", namespace("private"));
    plan_set(self, "utsns", namespace("private"));
    plan_set(self, "cgroupns", namespace("private"));
}

/*
 * A sandbox in the box mounts a /proc of its own. The kernel allows that to a user namespace only
 * where a /proc of which nothing is covered is mounted already (mount_too_revealing), and Podman
 * covers parts of the box's. Instead of uncovering it, one more /proc is mounted where only root of
 * the box may go: it satisfies the kernel, and the sessions' /proc keeps its covers. What that
 * opens is what an unprivileged user of the host sees in /proc/keys, /proc/bus and the like, in a
 * nested namespace alone; /proc/sys stays read-only to all but the kernel's own root.
 *
 * Podman's seccomp profile lets user namespaces and mounts through; box-init's filter stops them
 * unless it was told --nested.
 */
static gboolean add_nested(plan_draft *self, GError **error)
{
    g_autofree char *source = plan_data(self->box, PLAN_DATA_NESTED);

    return plan_mount_bind(self, source, PLAN_ROOT "/nested", FALSE, "Litterbox", error) &&
           plan_mount_proc(self, PLAN_ROOT "/nested/proc", "Litterbox", error);
}

gboolean plan_add_security(plan_draft *self, GError **error)
{
    const char *seccomp = self->wanted->security.seccomp;

    if (self->facts->uid == 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "a box belongs to an ordinary user; run box as one, not as root");
        return FALSE;
    }
    add_namespaces(self);
    plan_set(self, "privileged", json_false());
    plan_set(self, "no_new_privileges", json_true());
    plan_set(self, "env_host", json_false());
    plan_set(self, "httpproxy", json_false());
    /* With SELinux the host's folders would have to be relabelled, /usr among them. */
    plan_set(self, "selinux_opts", json_pack("[s]", "disable"));
    if (seccomp)
        plan_set(self, "seccomp_profile_path", json_string(seccomp));
    if (self->wanted->security.keep_groups)
        plan_set(self, "annotations", json_pack("{s:s}", "run.oci.keep_original_groups", "1"));
    return !self->wanted->security.nested || add_nested(self, error);
}
