#include "box/inspect/devices.h"

#include <glob.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/xattr.h>

#include "common/fs.h"
#include "common/text.h"
#include "config/check.h"
#include "config/devices.h"
#include "plan/plan.h"

static gboolean fail(GError **error, box_error code, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, code, "'%s' %s", safe, why);
    return FALSE;
}

static int lock_list(const struct box *self, GError **error)
{
    g_autofree char *path = devices_path(self->base);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    return fs_lock(lock, NULL, error);
}

/* The node that PATH leads to; NULL with ERROR when no box may have it. */
static char *check_node(const char *path, GError **error)
{
    const char *problem = NULL;
    g_autofree char *clean = check_device_path(path, &problem);
    g_autofree char *node = NULL;
    const char *why = clean ? plan_check_device(clean, &node) : NULL;
    if (!clean)
        fail(error, BOX_ERROR_USAGE, path, problem);
    else if (why)
        fail(error, BOX_ERROR_USAGE, path, why);
    else if (!node)
        fail(error, BOX_ERROR_NOT_FOUND, path,
             "is missing on this machine; 'box device list' shows the devices");
    else
        return g_steal_pointer(&node);
    return NULL;
}

static char *host_device_stable_link(const char *node);

/* A link in PATH is kept, because the user chose it. */
static settings_device *make_device(const char *path, const char *node)
{
    g_autofree char *stable = strcmp(path, node) == 0 ? host_device_stable_link(node) : NULL;
    /* Links below by-path contain ':', which Podman does not accept in the target. */
    return settings_device_new(stable ? stable : path, strchr(path, ':') ? node : path);
}

/* TRUE when LIST contains the device; FALSE with ERROR when another one has its path in the box. */
static gboolean contains(const GPtrArray *list, const settings_device *wanted, GError **error)
{
    for (guint i = 0; i < list->len; i++) {
        const settings_device *device = list->pdata[i];
        if (strcmp(device->target, wanted->target) != 0)
            continue;
        if (strcmp(device->source, wanted->source) == 0)
            return TRUE;
        g_autofree char *safe = text_safe(device->source, -1);
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFLICT,
            "'%s' in the box is already device '%s'; remove that first, or use the link of this "
            "one in /dev/serial",
            wanted->target, safe);
        return FALSE;
    }
    return FALSE;
}

static gboolean append(const struct box *self, const settings_device *device, GError **error)
{
    g_autoptr(GError) conflict = NULL;
    int lock = lock_list(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GPtrArray) list = devices_read(self->base, error);
    gboolean done = list && contains(list, device, &conflict);
    if (list && !done && !conflict) {
        g_ptr_array_add(list, settings_device_new(device->source, device->target));
        done = devices_write(self->base, list, error);
    }
    if (conflict)
        g_propagate_error(error, g_steal_pointer(&conflict));
    close(lock);
    return done;
}

settings_device *box_device_add(const struct box *self, const char *path, char **node,
                                GError **error)
{
    *node = check_node(path, error);
    if (!*node)
        return NULL;
    settings_device *device = make_device(path, *node);
    if (!append(self, device, error))
        g_clear_pointer(&device, settings_device_free);
    return device;
}

/* Compares PATH with both names of the device, or with FOLLOW the nodes that they lead to now. */
static gboolean matches(const settings_device *device, const char *path, gboolean follow)
{
    if (!follow)
        return strcmp(device->source, path) == 0 || strcmp(device->target, path) == 0;
    g_autofree char *one = NULL, *other = NULL;
    plan_check_device(device->source, &one);
    plan_check_device(path, &other);
    return one && g_strcmp0(one, other) == 0;
}

static gboolean remove_match(GPtrArray *list, const char *path)
{
    for (int follow = 0; follow < 2; follow++)
        for (guint i = 0; i < list->len; i++)
            if (matches(list->pdata[i], path, follow)) {
                g_ptr_array_remove_index(list, i);
                return TRUE;
            }
    return FALSE;
}

gboolean box_device_remove(const struct box *self, const char *path, GError **error)
{
    int lock = lock_list(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GPtrArray) list = devices_read(self->base, error);
    gboolean done = FALSE;
    if (list && remove_match(list, path))
        done = devices_write(self->base, list, error);
    else if (list)
        fail(error, BOX_ERROR_NOT_FOUND, path,
             "is not a device that 'box device add' gave to this box (your configuration may list "
             "it)");
    close(lock);
    return done;
}

/* In order of preference. */
static const char *const link_folders[] = {
    "/dev/serial/by-id", "/dev/v4l/by-id",   "/dev/serial/by-path",
    "/dev/v4l/by-path",  "/dev/dri/by-path",
};

static const struct {
    const char *pattern, *kind;
} kinds[] = {
    {"/dev/ttyUSB*", "serial"},        {"/dev/ttyACM*", "serial"},
    {"/dev/serial/by-id/*", "serial"}, {"/dev/kvm", "kvm"},
    {"/dev/dri/renderD[0-9]*", "gpu"}, {"/dev/video[0-9]*", "video"},
};

static gboolean leads_to(const char *link, const char *node)
{
    g_autofree char *real = NULL;
    return !plan_check_device(link, &real) && g_strcmp0(real, node) == 0;
}

/* udev's link to NODE: by its serial number if it has one, else by where it is plugged in. A new
 * string; NULL when there is none. */
static char *host_device_stable_link(const char *node)
{
    for (gsize i = 0; i < G_N_ELEMENTS(link_folders); i++) {
        g_autoptr(GDir) folder = g_dir_open(link_folders[i], 0, NULL);
        for (const char *name; folder && (name = g_dir_read_name(folder));) {
            g_autofree char *link = g_build_filename(link_folders[i], name, NULL);
            if (leads_to(link, node))
                return g_steal_pointer(&link);
        }
    }
    return NULL;
}

static void host_device_free(gpointer data)
{
    host_device *self = data;
    g_free(self->node);
    g_free(self->stable);
    g_free(self);
}

static gboolean is_known(const GPtrArray *list, const char *node)
{
    for (guint i = 0; i < list->len; i++)
        if (strcmp(((host_device *)list->pdata[i])->node, node) == 0)
            return TRUE;
    return FALSE;
}

static void add_host_device(GPtrArray *list, const char *path, const char *kind)
{
    g_autofree char *real = NULL;
    if (plan_check_device(path, &real) || !real || is_known(list, real))
        return;
    host_device *self = g_new0(host_device, 1);
    self->node = g_steal_pointer(&real);
    self->stable = host_device_stable_link(self->node);
    self->kind = kind;
    g_ptr_array_add(list, self);
}

GPtrArray *host_device_list(void)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(host_device_free);
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        glob_t found;
        if (glob(kinds[i].pattern, 0, NULL, &found) == 0)
            for (gsize k = 0; k < found.gl_pathc; k++)
                add_host_device(list, found.gl_pathv[k], kinds[i].kind);
        globfree(&found);
    }
    return list;
}

static char *group_name(gid_t gid)
{
    const struct group *group = getgrgid(gid);
    return group ? text_safe_max(group->gr_name, -1, 64) : g_strdup_printf("%u", gid);
}

char *host_device_rights(const char *node, gboolean keep_groups)
{
    struct stat st;
    if (stat(node, &st) < 0)
        return NULL;
    g_autofree char *group = group_name(st.st_gid);
    if (access(node, R_OK | W_OK) < 0)
        return g_strdup_printf("you cannot read and write it, so your boxes cannot either: it "
                               "belongs to group '%s'",
                               group);
    /* systemd-logind adds the user at the machine to the device's ACL. */
    gboolean listed = getxattr(node, "system.posix_acl_access", NULL, 0) > 0;
    gboolean everyone = (st.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
    if (everyone || listed || st.st_uid == getuid() || st.st_gid == getgid() || keep_groups)
        return NULL;
    return g_strdup_printf("you can open it as a member of group '%s', which boxes do not have: "
                           "security.keep_groups = true gives your groups to a box",
                           group);
}
