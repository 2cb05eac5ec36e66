/*
 * The root folder of the box, /run/litterbox, and the private home.
 *
 * The root is that of an image, or on the host image a generated folder (prepare_host_image.c) with
 * the host's /usr mounted in it. The generated folder is mounted read-only: its files belong to the
 * user, because Litterbox runs without root, so a session could otherwise replace /bin or
 * /etc/profile, which root of the box uses.
 */
#include "plan/request.h"

#include "proto/bridge_protocol.h"

static gboolean bind_host_folder(plan_request *self, const char *path, GError **error)
{
    return plan_request_add_bind(self, path, path, FALSE, "the host's system folders", error);
}

static gboolean mount_root_folders(plan_request *self, GError **error)
{
    const GPtrArray *folders = self->facts->root_folders;

    for (guint i = 0; i < folders->len; i++) {
        const plan_root_folder *folder = folders->pdata[i];
        g_autofree char *path = g_strconcat("/", folder->name, NULL);
        if (!folder->target && !bind_host_folder(self, path, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_etc(plan_request *self, GError **error)
{
    const GPtrArray *etc = self->facts->etc;

    for (guint i = 0; i < etc->len; i++) {
        const plan_etc *entry = etc->pdata[i];
        g_autofree char *path = g_build_filename("/etc", entry->name, NULL);
        if (entry->method == PLAN_ETC_BIND && !bind_host_folder(self, path, error))
            return FALSE;
    }
    return TRUE;
}

/* The box has its own /run, so the host's link to the system's programs is missing there. */
static gboolean add_nixos(plan_request *self, GError **error)
{
    return bind_host_folder(self, "/nix/store", error) &&
           plan_request_add_bind(self, self->facts->nixos_system, "/run/current-system", FALSE,
                                 "the host's system folders", error);
}

static gboolean add_host_image(plan_request *self, GError **error)
{
    g_autofree char *root = plan_data_path(self->box, PLAN_DATA_ROOT);

    plan_request_set(self, "rootfs", json_string(root));
    plan_request_set(self, "read_only_filesystem", json_true());
    if (!mount_root_folders(self, error) || !add_etc(self, error))
        return FALSE;
    return !self->facts->nixos_system || add_nixos(self, error);
}

/* The folders that must be writable when the root is read-only. */
static gboolean add_writable_folders(plan_request *self, GError **error)
{
    /* Without it Podman 5 makes /dev/shm read-only too. */
    plan_request_set(self, "read_write_tmpfs", json_true());
    g_autofree char *run = plan_request_memory_share(self, PLAN_RUN_PERCENT);
    g_autofree char *tmp = plan_request_memory_share(self, PLAN_VAR_TMP_PERCENT);
    return plan_request_add_tmpfs(self, "/run", "0755", run, "the box's /run", error) &&
           plan_request_add_tmpfs(self, "/var/tmp", "1777", tmp, "the box's /var/tmp", error);
}

gboolean plan_request_add_root(plan_request *self, GError **error)
{
    if (!self->box->image)
        return add_host_image(self, error) && add_writable_folders(self, error);
    g_autofree char *profile = plan_data_path(self->box, PLAN_DATA_ETC "/profile.sh");

    /* "zz" makes it the last script that a login shell reads. Debian's /etc/profile replaces the
     * PATH that it is given. */
    if (!plan_request_add_bind(self, profile, "/etc/profile.d/zz-litterbox.sh", FALSE,
                               "the box's PATH", error))
        return FALSE;
    plan_request_set(self, "image", json_string(self->box->image));
    plan_request_set(self, "timezone", json_string("local"));
    plan_request_set(self, "read_only_filesystem", json_boolean(self->wanted->security.read_only));
    return !self->wanted->security.read_only || add_writable_folders(self, error);
}

static gboolean has_desktop(const settings *wanted)
{
    return wanted->desktop.wayland != WAYLAND_NONE || wanted->desktop.x11 != X11_NONE ||
           settings_wants_requests(wanted);
}

/* Refuses a clipboard setting that promises more isolation than x11 = "host" leaves. With x11 =
 * "none" only pictures are pasted, after asking; what else the setting says has no effect. That is
 * not an error, because a user's rule for all boxes may contain it. */
static gboolean check_clipboard(plan_request *self, GError **error)
{
    const settings *wanted = self->wanted;
    if (wanted->desktop.clipboard == CLIPBOARD_NONE || wanted->desktop.x11 == X11_NESTED)
        return TRUE;
    if (wanted->desktop.x11 == X11_NONE) {
        if (!settings_wants_pictures(wanted))
            plan_request_warn(self,
                              "desktop.clipboard = \"from-box\" does nothing without desktop.x11 = "
                              "\"nested\": there is no X server with a clipboard to share");
        return TRUE;
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "desktop.clipboard needs desktop.x11 = \"nested\": with \"host\" the box reads and "
                "writes your clipboard");
    return FALSE;
}

/* What gets installed is a folder of the host in which strangers write, as a project is. */
static gboolean add_tools(plan_request *self, GError **error)
{
    const char *tools = self->box->tools, *at = self->box->installs;

    if (!tools || !at)
        return !tools || plan_request_add_bind(self, tools, PLAN_TOOLS, FALSE, "Litterbox", error);
    return plan_request_add_bind(self, tools, at, TRUE, "Litterbox", error) &&
           plan_request_add_git_folder(self, at, error);
}

/*
 * /run/litterbox (plan.h has the layout). PID 1 and the control socket are in a tmpfs that only
 * root of the box may enter, so that neither an image nor a session can replace them.
 */
gboolean plan_request_add_litterbox(plan_request *self, GError **error)
{
    const plan_facts *facts = self->facts;
    g_autofree char *ctl = g_build_filename(self->box->runtime, "ctl", NULL);
    g_autofree char *size = plan_request_memory_share(self, PLAN_RUN_PERCENT);

    if (!check_clipboard(self, error) ||
        !plan_request_add_tmpfs(self, PLAN_RUN_USER, "0755", size, "the box's runtime folders",
                                error) ||
        !plan_request_add_tmpfs(self, PLAN_RUN, "0755", "64k", "Litterbox", error) ||
        !plan_request_add_tmpfs(self, PLAN_ROOT, "0700", "64k", "Litterbox", error) ||
        !plan_request_add_bind(self, facts->init, PLAN_INIT, FALSE, "Litterbox", error) ||
        !plan_request_add_bind(self, ctl, PLAN_CTL, TRUE, "Litterbox", error))
        return FALSE;
    g_autofree char *layers = plan_data_path(self->box, PLAN_DATA_LAYERS);
    if (self->box->is_branch &&
        !plan_request_add_bind(self, layers, PLAN_LAYERS, TRUE, "Litterbox", error))
        return FALSE;
    /* A read-only mount allows connections to a socket, but nobody can replace the socket. */
    if (self->box->ssh &&
        !plan_request_add_bind(self, self->box->ssh, PLAN_SSH, FALSE, "Litterbox", error))
        return FALSE;
    if (!add_tools(self, error))
        return FALSE;
    g_autofree char *desktop = g_build_filename(self->box->runtime, BRIDGE_FOLDER, NULL);
    g_autofree char *x11 = g_build_filename(self->box->runtime, BRIDGE_X11, NULL);
    gboolean has_x11 = self->wanted->desktop.x11 != X11_NONE;
    if (has_desktop(self->wanted) &&
        !plan_request_add_bind(self, desktop, PLAN_DESKTOP, FALSE, "Litterbox", error))
        return FALSE;
    if (has_x11 && !plan_request_add_bind(self, x11, PLAN_X11, FALSE, "Litterbox", error))
        return FALSE;
    return !facts->shims ||
           plan_request_add_bind(self, facts->shims, PLAN_BIN, FALSE, "Litterbox", error);
}

/* The private home, at the path of the host's home, and /tmp. */
gboolean plan_request_add_home(plan_request *self, GError **error)
{
    static const char what[] = "the box's home";
    const char *source = self->box->home, *target = self->facts->home;

    if (self->box->copies_home
            ? !plan_request_add_layer(self, PLAN_LAYER_HOME, source, target, what, error)
            : !plan_request_add_bind(self, source, target, TRUE, what, error))
        return FALSE;
    g_autofree char *size = plan_request_memory_share(self, PLAN_TMP_PERCENT);
    return plan_request_add_tmpfs(self, "/tmp", "1777", size, "the box's /tmp", error);
}
