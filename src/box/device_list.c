#include "box/device_list.h"

#include <string.h>
#include <unistd.h>

#include "box/host_devices.h"
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

static int lock_list(const box *self, GError **error)
{
    g_autofree char *path = devices_path(self->base);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    return fs_lock(lock, NULL, error);
}

/* The node that PATH leads to; NULL with ERROR when it is none that a box may have. */
static char *judge(const char *path, GError **error)
{
    const char *wrong = NULL;
    g_autofree char *good = check_device_path(path, &wrong);
    g_autofree char *node = NULL;
    const char *why = good ? plan_judge_device(good, &node) : NULL;
    if (!good)
        fail(error, BOX_ERROR_USAGE, path, wrong);
    else if (why)
        fail(error, BOX_ERROR_USAGE, path, why);
    else if (!node)
        fail(error, BOX_ERROR_NOT_FOUND, path,
             "is not there on this machine; 'box device list' shows what is");
    else
        return g_steal_pointer(&node);
    return NULL;
}

/* PATH itself when it is a link already: it was chosen because it stays. */
static settings_device *make(const char *path, const char *node)
{
    g_autofree char *stable = strcmp(path, node) == 0 ? host_device_stable(node) : NULL;
    /* Podman cannot take a ':', which names by the place of a plug have, inside of the box. */
    return settings_device_new(stable ? stable : path, strchr(path, ':') ? node : path);
}

/* TRUE when LIST has it already; FALSE with ERROR when another one has its name in the box. */
static gboolean is_there(const GPtrArray *list, const settings_device *wanted, GError **error)
{
    for (guint i = 0; i < list->len; i++) {
        const settings_device *device = list->pdata[i];
        if (strcmp(device->target, wanted->target) != 0)
            continue;
        if (strcmp(device->source, wanted->source) == 0)
            return TRUE;
        g_autofree char *safe = text_safe(device->source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "'%s' in the box is '%s' already; remove that first, or name this one by its "
                    "link below /dev/serial",
                    wanted->target, safe);
        return FALSE;
    }
    return FALSE;
}

static gboolean append(const box *self, const settings_device *device, GError **error)
{
    g_autoptr(GError) taken = NULL;
    int lock = lock_list(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GPtrArray) list = devices_read(self->base, error);
    gboolean done = list && is_there(list, device, &taken);
    if (list && !done && !taken) {
        g_ptr_array_add(list, settings_device_new(device->source, device->target));
        done = devices_write(self->base, list, error);
    }
    if (taken)
        g_propagate_error(error, g_steal_pointer(&taken));
    close(lock);
    return done;
}

settings_device *device_list_add(const box *self, const char *path, char **node, GError **error)
{
    *node = judge(path, error);
    if (!*node)
        return NULL;
    settings_device *device = make(path, *node);
    if (!append(self, device, error))
        g_clear_pointer(&device, settings_device_free);
    return device;
}

/* By either name; else by what both lead to now. */
static gboolean is_meant(const settings_device *device, const char *path, gboolean follow)
{
    if (!follow)
        return strcmp(device->source, path) == 0 || strcmp(device->target, path) == 0;
    g_autofree char *one = NULL, *other = NULL;
    plan_judge_device(device->source, &one);
    plan_judge_device(path, &other);
    return one && g_strcmp0(one, other) == 0;
}

static gboolean take(GPtrArray *list, const char *path)
{
    for (int follow = 0; follow < 2; follow++)
        for (guint i = 0; i < list->len; i++)
            if (is_meant(list->pdata[i], path, follow)) {
                g_ptr_array_remove_index(list, i);
                return TRUE;
            }
    return FALSE;
}

gboolean device_list_remove(const box *self, const char *path, GError **error)
{
    int lock = lock_list(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GPtrArray) list = devices_read(self->base, error);
    gboolean done = FALSE;
    if (list && take(list, path))
        done = devices_write(self->base, list, error);
    else if (list)
        fail(error, BOX_ERROR_NOT_FOUND, path,
             "was not given to this box by 'box device add' (your configuration may list it)");
    close(lock);
    return done;
}
