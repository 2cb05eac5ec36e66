/* What stands at the devices that the settings name. */
#include "plan/look.h"

#include <glob.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/links.h"
#include "plan/draft.h"

#define DEVICES "/dev"

static plan_kind kind_of(const struct stat *st)
{
    return S_ISCHR(st->st_mode) ? PLAN_CHARACTER : S_ISBLK(st->st_mode) ? PLAN_BLOCK : PLAN_OTHER;
}

/* The first link on the way that is not below /dev: it speaks for a process (/proc/self) or for
 * whoever may write there, not for a device. NULL: all are. */
static const char *leads_out(const GPtrArray *via)
{
    for (guint i = 0; i < via->len; i++)
        if (!plan_is_below(via->pdata[i], DEVICES))
            return via->pdata[i];
    return NULL;
}

static void add_node(plan_facts *self, const char *path, const struct stat *st)
{
    plan_path *added = plan_facts_add(self, path, kind_of(st), NULL);
    added->major = major(st->st_rdev);
    added->minor = minor(st->st_rdev);
}

void plan_look_device(plan_facts *self, const char *path)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = links_resolve(path, via);
    const char *out = leads_out(via);
    struct stat st;

    if (out)
        plan_facts_add(self, out, PLAN_OTHER, NULL);
    else if (real && lstat(real, &st) == 0)
        add_node(self, real, &st);
    /* A link may lead to another device at the next start. */
    if (via->len > 0)
        plan_facts_add(self, path, PLAN_LINK, out ? out : real);
}

/* A device of the configuration. */
static void look_at(plan_facts *self, const char *device)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));

    /* The rest are names of the container device interface. */
    if (path[0] == '/')
        plan_look_device(self, path);
}

/* A machine without one, or without that folder, has none. */
char **plan_gpu_nodes(settings_gpu wanted)
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

void plan_look_devices(plan_facts *self, const settings *wanted)
{
    for (char **device = wanted->devices; device && *device; device++)
        look_at(self, *device);
    for (guint i = 0; wanted->added_devices && i < wanted->added_devices->len; i++)
        plan_look_device(self, ((settings_device *)wanted->added_devices->pdata[i])->source);
    if (wanted->network.tun)
        look_at(self, PLAN_TUN);
    self->gpus = plan_gpu_nodes(wanted->desktop.gpu);
    for (char **node = self->gpus; *node; node++)
        plan_look_device(self, *node);
}

const char *plan_judge_device(const char *source, char **real)
{
    g_autoptr(plan_facts) facts = plan_facts_new();
    const char *found;

    plan_look_device(facts, source);
    const char *why = plan_device_refused(facts, source, &found);
    *real = g_strdup(found);
    return why;
}
