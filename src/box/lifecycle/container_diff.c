#include "box/layer.h"

#include <string.h>
#include <sys/stat.h>

#include "common/ask.h"
#include "common/text.h"
#include "plan/plan.h"
#include "podman/containers.h"

/* Written by Podman and box-init for every container, or made again by whatever needs it. */
static const char *const worthless[] = {
    "/dev",
    "/etc/group",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/mtab",
    "/etc/passwd",
    "/proc",
    "/run",
    "/sys",
    "/tmp",
    "/usr/share/zoneinfo",
    "/var/cache",
    "/var/lib/apt/lists",
    "/var/log",
    "/var/tmp",
    "/etc/resolv.conf",
};

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The place of a mount is not in the layer, but for the empty folder that it stands on. */
static gboolean is_worthless(const char *path, const json_t *mounts)
{
    json_t *mount;
    gsize i;
    for (i = 0; i < G_N_ELEMENTS(worthless); i++) {
        if (plan_is_below(path, worthless[i]))
            return TRUE;
    }
    json_array_foreach (mounts, i, mount) {
        const char *at = text_at(mount, "Destination");
        if (*at && plan_is_below(path, at))
            return TRUE;
    }
    return FALSE;
}

/* The folders that hold something of CHANGES: each is listed, since what is in it has changed. */
static GHashTable *folders_of(const json_t *changes)
{
    GHashTable *folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_t *change;
    gsize i;
    json_array_foreach (changes, i, change)
        g_hash_table_add(folders, g_path_get_dirname(text_at(change, "Path")));
    return folders;
}

/* A program says more about what was installed than its manual does. */
static gboolean is_telling(const char *path)
{
    return strstr(path, "/bin/") || strstr(path, "/sbin/");
}

static char *describe(const json_t *changes, const json_t *mounts)
{
    g_autoptr(GHashTable) folders = folders_of(changes);
    const char *example = NULL;
    guint count = 0;
    json_t *change;
    gsize i;
    json_array_foreach (changes, i, change) {
        const char *path = text_at(change, "Path");
        if (!*path || g_hash_table_contains(folders, path) || is_worthless(path, mounts))
            continue;
        count++;
        if (!example || (is_telling(path) && !is_telling(example)))
            example = path;
    }
    if (count == 0)
        return NULL;
    g_autofree char *safe = text_safe_max(example, -1, 200);
    return count == 1 ? g_strdup_printf("a file outside of its home, '%s'", safe)
                      : g_strdup_printf("%u files outside of its home, such as '%s'", count, safe);
}

char *layer_contents(const box *self, podman *server, const box_container *now)
{
    json_t *host = json_object_get(now->inspect, "HostConfig");
    /* The host image's root is a folder of ours, and read-only. */
    if (!now->inspect || *text_at(now->inspect, "Rootfs") ||
        json_is_true(json_object_get(host, "ReadonlyRootfs")))
        return NULL;
    g_autoptr(json_t) changes = podman_container_changes(server, self->container, NULL);
    if (!json_is_array(changes))
        return g_strdup("what was written outside of its home, if anything was");
    return describe(changes, json_object_get(now->inspect, "Mounts"));
}

/* Podman starts no container of which the source of a mount is gone. */
static gboolean has_its_mounts(const box_container *now)
{
    json_t *mount;
    gsize i;
    struct stat st;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = text_at(mount, "Source");
        /* An overlay is made anew at each start, in the container's own folder. */
        if (!(now->id && strstr(source, now->id)) && lstat(source, &st) < 0)
            return FALSE;
    }
    return TRUE;
}

gboolean layer_may_stay(const box_container *now, const json_t *request)
{
    json_t *config = json_object_get(now->inspect, "Config");
    const char *then = text_at(json_object_get(config, "Labels"), PLAN_LABEL_ACCESS);
    return *then &&
           strcmp(then, text_at(json_object_get(request, "labels"), PLAN_LABEL_ACCESS)) == 0 &&
           plan_covers(json_object_get(config, "Cmd"), json_object_get(request, "command")) &&
           has_its_mounts(now);
}

gboolean layer_give_up(const box *self, const char *contents, GError **error)
{
    g_autofree char *question =
        g_strdup_printf("box: box '%s' has to be made anew, and loses %s.\nA Containerfile would "
                        "bring such things back. Make it anew?",
                        self->name, contents);
    gboolean can = ask_can();
    if (can && ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, can ? BOX_ERROR_CANCELLED : BOX_ERROR_CONFIG,
                can ? "box '%s' is left as it is, with %s"
                    : "box '%s' has to be made anew, and loses %s: 'box apply --yes' does that; a "
                      "Containerfile ([box] containerfile) would bring such things back",
                self->name, contents);
    return FALSE;
}
