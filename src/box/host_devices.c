#include "box/host_devices.h"

#include <glob.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/text.h"
#include "plan/plan.h"

/* Better ones first. */
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
    return !plan_judge_device(link, &real) && g_strcmp0(real, node) == 0;
}

char *host_device_stable(const char *node)
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

static void add(GPtrArray *list, const char *path, const char *kind)
{
    g_autofree char *real = NULL;
    if (plan_judge_device(path, &real) || !real || is_known(list, real))
        return;
    host_device *self = g_new0(host_device, 1);
    self->node = g_steal_pointer(&real);
    self->stable = host_device_stable(self->node);
    self->kind = kind;
    g_ptr_array_add(list, self);
}

GPtrArray *host_devices(void)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(host_device_free);
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        glob_t found;
        if (glob(kinds[i].pattern, 0, NULL, &found) == 0)
            for (gsize k = 0; k < found.gl_pathc; k++)
                add(list, found.gl_pathv[k], kinds[i].kind);
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
        return g_strdup_printf("you may not read and write it yourself, and so may no box: it "
                               "belongs to group '%s'",
                               group);
    /* A list of access rights names the user who sits at the machine. */
    gboolean listed = getxattr(node, "system.posix_acl_access", NULL, 0) > 0;
    gboolean everybody = (st.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
    if (everybody || listed || st.st_uid == getuid() || st.st_gid == getgid() || keep_groups)
        return NULL;
    return g_strdup_printf("you may open it as a member of group '%s', which a box leaves behind: "
                           "[security] keep_groups = true keeps it",
                           group);
}
