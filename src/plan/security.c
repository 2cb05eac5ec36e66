/* Namespaces, privileges, seccomp: what holds for every box, whatever its image says. */
#include "plan/draft.h"

#include <string.h>

static json_t *namespace(const char *mode) {
    return json_pack("{s:s}", "nsmode", mode);
}

static void add_namespaces(plan_draft *self) {
    plan_set(self, "userns", namespace("keep-id"));
    plan_set(self, "pidns", namespace("private"));
    plan_set(self, "ipcns", namespace("private"));
    plan_set(self, "utsns", namespace("private"));
    plan_set(self, "cgroupns", namespace("private"));
}

/*
 * A nested user namespace needs its own /proc, and the kernel allows that only where nothing of the
 * box's /proc is covered (mount_too_revealing).
 */
static void add_nested(plan_draft *self) {
    g_autofree char *profile = plan_data(self->box, PLAN_DATA_SECCOMP);

    plan_set(self, "seccomp_profile_path", json_string(profile));
    plan_set(self, "unmask", json_pack("[s]", "/proc/*"));
}

gboolean plan_add_security(plan_draft *self, GError **error) {
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
    if (self->wanted->security.nested && (!seccomp || strcmp(seccomp, "unconfined") != 0))
        add_nested(self);
    else if (seccomp)
        plan_set(self, "seccomp_profile_path", json_string(seccomp));
    if (self->wanted->security.keep_groups)
        plan_set(self, "annotations", json_pack("{s:s}", "run.oci.keep_original_groups", "1"));
    return TRUE;
}
