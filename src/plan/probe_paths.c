/* Probes the paths and devices that the settings name. */
#include "plan/facts.h"

#include <errno.h>
#include <glob.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/fs.h"

static plan_file_type file_type(const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return PLAN_TYPE_FILE;
    if (S_ISDIR(st->st_mode))
        return PLAN_TYPE_FOLDER;
    return S_ISLNK(st->st_mode) ? PLAN_TYPE_LINK : PLAN_TYPE_OTHER;
}

static plan_file_type probe_path(plan_facts *self, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        /* Any other error does not prove that the path is missing. */
        if (errno != ENOENT && errno != ENOTDIR)
            plan_facts_add_file(self, path, PLAN_TYPE_OTHER, NULL);
        return PLAN_TYPE_MISSING;
    }
    plan_facts_add_file(self, path, file_type(&st), NULL)->hard_links = st.st_nlink;
    return file_type(&st);
}

void plan_probe_below(plan_facts *self, const char *folder, const char *relative)
{
    g_autofree char *clean = plan_clean_relative(relative);
    g_autofree char *whole = clean ? g_build_filename(folder, clean, NULL) : NULL;
    plan_file_type type = PLAN_TYPE_FOLDER;

    for (char *slash = clean; slash && (slash = strchr(slash, '/')) && type == PLAN_TYPE_FOLDER;
         slash++) {
        *slash = '\0';
        g_autofree char *way = g_build_filename(folder, clean, NULL);
        type = probe_path(self, way);
        *slash = '/';
    }
    if (whole && type == PLAN_TYPE_FOLDER)
        probe_path(self, whole);
    else if (whole && type == PLAN_TYPE_LINK)
        plan_facts_add_file(self, whole, PLAN_TYPE_LINK, NULL);
}

static void probe_list(plan_facts *self, const char *project, char **list)
{
    for (char **path = list; path && *path; path++)
        plan_probe_below(self, project, *path);
}

static void probe_source(plan_facts *self, const char *source)
{
    g_autofree char *path = plan_expand(self, source);
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    struct stat st;

    if (!path)
        return;
    g_autofree char *real = fs_resolve(path, links);
    if (!real || lstat(real, &st) < 0)
        return;
    plan_file *added = plan_facts_add_file(self, path, file_type(&st), real);
    added->hard_links = st.st_nlink;
    g_ptr_array_add(links, NULL);
    added->links = (char **)g_ptr_array_free(g_steal_pointer(&links), FALSE);
}

static void probe_mounts(plan_facts *self, const GPtrArray *mounts)
{
    for (guint i = 0; mounts && i < mounts->len; i++)
        probe_source(self, ((const settings_mount *)mounts->pdata[i])->source);
}

void plan_probe_paths(plan_facts *self, const plan_box *box, const settings *wanted)
{
    static char *always[] = {"litterbox.toml", NULL};

    probe_mounts(self, wanted->mounts);
    probe_mounts(self, wanted->home.share);
    /* After the mount sources, because each probe replaces what an earlier one recorded for the
     * same path, and a path of the project must be recorded with its symbolic links not followed.
     */
    probe_list(self, box->project, always);
    probe_list(self, box->project, wanted->protect.paths);
    probe_list(self, box->project, wanted->protect.extra);
    probe_list(self, box->project, wanted->project.hidden);
    probe_list(self, box->project, wanted->project.writable);
    probe_list(self, box->project, (char **)box->only);
}

static plan_file_type device_type(const struct stat *st)
{
    return S_ISCHR(st->st_mode)   ? PLAN_TYPE_CHARACTER
           : S_ISBLK(st->st_mode) ? PLAN_TYPE_BLOCK
                                  : PLAN_TYPE_OTHER;
}

/* The first of LINKS that is not below /dev, or NULL. Such a link names no device: below /proc/self
 * it depends on the process, elsewhere on whoever can write there. */
static const char *outside_of_dev(const GPtrArray *links)
{
    for (guint i = 0; i < links->len; i++)
        if (!plan_is_below(links->pdata[i], "/dev"))
            return links->pdata[i];
    return NULL;
}

static void add_node(plan_facts *self, const char *path, const struct stat *st)
{
    plan_file *added = plan_facts_add_file(self, path, device_type(st), NULL);
    added->major = major(st->st_rdev);
    added->minor = minor(st->st_rdev);
}

void plan_probe_device(plan_facts *self, const char *path)
{
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(path, links);
    const char *out = outside_of_dev(links);
    struct stat st;

    if (out)
        plan_facts_add_file(self, out, PLAN_TYPE_OTHER, NULL);
    else if (real && lstat(real, &st) == 0)
        add_node(self, real, &st);
    /* Recorded as a link, because it may lead to another device at the next start. */
    if (links->len > 0)
        plan_facts_add_file(self, path, PLAN_TYPE_LINK, out ? out : real);
}

/* DEVICE as in devices.list: "PATH[:PATH][:RIGHTS]", or a name of the Container Device Interface,
 * which does not start with "/". */
static void probe_listed_device(plan_facts *self, const char *device)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));

    if (path[0] == '/')
        plan_probe_device(self, path);
}

char **plan_gpu_nodes(enum gpu_access wanted)
{
    static const char *const patterns[] = {"/dev/dri/renderD[0-9]*", "/dev/dri/card[0-9]*",
                                           "/dev/kfd"};
    gsize count = wanted == GPU_NONE ? 0 : wanted == GPU_RENDER ? 1 : G_N_ELEMENTS(patterns);
    g_autoptr(GPtrArray) nodes = g_ptr_array_new();

    for (gsize i = 0; i < count; i++) {
        glob_t found = {0};
        glob(patterns[i], 0, NULL, &found);
        for (gsize k = 0; k < found.gl_pathc; k++)
            g_ptr_array_add(nodes, g_strdup(found.gl_pathv[k]));
        globfree(&found);
    }
    g_ptr_array_add(nodes, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&nodes), FALSE);
}

void plan_probe_devices(plan_facts *self, const settings *wanted)
{
    for (char **device = wanted->devices; device && *device; device++)
        probe_listed_device(self, *device);
    for (guint i = 0; wanted->added_devices && i < wanted->added_devices->len; i++)
        plan_probe_device(self, ((settings_device *)wanted->added_devices->pdata[i])->source);
    if (wanted->network.tun)
        plan_probe_device(self, PLAN_TUN);
    self->gpus = plan_gpu_nodes(wanted->desktop.gpu);
    for (char **node = self->gpus; *node; node++)
        plan_probe_device(self, *node);
}
