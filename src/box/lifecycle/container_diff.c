#include "box/lifecycle/container_diff.h"

#include <string.h>
#include <sys/stat.h>

#include "common/text.h"
#include "console/ask.h"
#include "plan/plan.h"
#include "podman/containers.h"

/* Podman and box-init write these in each container, or programs create them again. */
static const char *const ignored[] = {
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

/* Below a mount, only the mount point itself is in the container's layer. */
static gboolean is_ignored(const char *path, const json_t *mounts)
{
    json_t *mount;
    gsize i;
    for (i = 0; i < G_N_ELEMENTS(ignored); i++) {
        if (plan_is_below(path, ignored[i]))
            return TRUE;
    }
    json_array_foreach (mounts, i, mount) {
        const char *at = text_at(mount, "Destination");
        if (*at && plan_is_below(path, at))
            return TRUE;
    }
    return FALSE;
}

/* The folders that contain changed files. Podman lists them as changed too. */
static GHashTable *parent_folders(const json_t *changes)
{
    GHashTable *folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_t *change;
    gsize i;
    json_array_foreach (changes, i, change)
        g_hash_table_add(folders, g_path_get_dirname(text_at(change, "Path")));
    return folders;
}

/* The user recognises what was installed by a program rather than by its manual page. */
static gboolean is_program(const char *path)
{
    return strstr(path, "/bin/") || strstr(path, "/sbin/");
}

static char *describe(const json_t *changes, const json_t *mounts)
{
    g_autoptr(GHashTable) folders = parent_folders(changes);
    const char *example = NULL;
    guint count = 0;
    json_t *change;
    gsize i;
    json_array_foreach (changes, i, change) {
        const char *path = text_at(change, "Path");
        if (!*path || g_hash_table_contains(folders, path) || is_ignored(path, mounts))
            continue;
        count++;
        if (!example || (is_program(path) && !is_program(example)))
            example = path;
    }
    if (count == 0)
        return NULL;
    g_autofree char *safe = text_safe_max(example, -1, 200);
    return count == 1 ? g_strdup_printf("a file outside of its home, '%s'", safe)
                      : g_strdup_printf("%u files outside of its home, such as '%s'", count, safe);
}

char *container_diff_describe(const struct box *self, podman_client *server,
                              const box_container *now)
{
    json_t *host = json_object_get(now->inspect, "HostConfig");
    /* The root folder of the host image is read-only. */
    if (!now->inspect || *text_at(now->inspect, "Rootfs") ||
        json_is_true(json_object_get(host, "ReadonlyRootfs")))
        return NULL;
    g_autoptr(json_t) changes = podman_container_changes(server, self->container, NULL);
    if (!json_is_array(changes))
        return g_strdup("any files outside of its home");
    return describe(changes, json_object_get(now->inspect, "Mounts"));
}

/* Podman does not start a container whose mount sources are missing. */
static gboolean has_mount_sources(const box_container *now)
{
    json_t *mount;
    gsize i;
    struct stat st;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = text_at(mount, "Source");
        /* Podman creates overlays at each start, in the container's folder. */
        if (!(now->id && strstr(source, now->id)) && lstat(source, &st) < 0)
            return FALSE;
    }
    return TRUE;
}

gboolean container_may_be_kept(const box_container *now, const json_t *request)
{
    json_t *config = json_object_get(now->inspect, "Config");
    const char *old = text_at(json_object_get(config, "Labels"), PLAN_LABEL_ACCESS);
    return *old &&
           strcmp(old, text_at(json_object_get(request, "labels"), PLAN_LABEL_ACCESS)) == 0 &&
           plan_reserves_all(json_object_get(config, "Cmd"), json_object_get(request, "command")) &&
           has_mount_sources(now);
}

gboolean container_diff_confirm_loss(const struct box *self, const char *contents, GError **error)
{
    g_autofree char *question =
        g_strdup_printf("box: box '%s' must be created again and loses %s.\nWith a Containerfile "
                        "they would be installed again. Create it again?",
                        self->name, contents);
    gboolean can = ask_can();
    if (can && ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, can ? BOX_ERROR_CANCELLED : BOX_ERROR_CONFIG,
                can ? "box '%s' is unchanged and keeps %s"
                    : "box '%s' must be created again and loses %s: 'box apply --yes' does that; "
                      "with a Containerfile ([box] containerfile) they would be installed again",
                self->name, contents);
    return FALSE;
}
