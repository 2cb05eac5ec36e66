#include "box/lifecycle/container_diff.h"

#include <string.h>

#include "box/lifecycle/trust_store.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/ask.h"
#include "plan/plan.h"
#include "podman/podman.h"
#include "podman/reply.h"

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

gboolean container_diff_is_mounted(const char *path, const json_t *mounts)
{
    json_t *mount;
    gsize i;
    json_array_foreach (mounts, i, mount) {
        const char *at = reply_text(mount, "Destination");
        if (*at && fs_is_below(path, at))
            return TRUE;
    }
    return FALSE;
}

/* Below a mount, only the mount point itself is in the container's layer. */
static gboolean is_ignored(const char *path, const json_t *mounts)
{
    for (gsize i = 0; i < G_N_ELEMENTS(ignored); i++) {
        if (fs_is_below(path, ignored[i]))
            return TRUE;
    }
    return container_diff_is_mounted(path, mounts);
}

/* The folders that contain changed files. Podman lists them as changed too. */
static GHashTable *parent_folders(const json_t *changes)
{
    GHashTable *folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_t *change;
    gsize i;
    json_array_foreach (changes, i, change)
        g_hash_table_add(folders, g_path_get_dirname(reply_text(change, "Path")));
    return folders;
}

/* The user recognises what was installed by a program rather than by its manual page. */
static gboolean is_program(const char *path)
{
    return strstr(path, "/bin/") || strstr(path, "/sbin/");
}

static void free_change(gpointer data)
{
    container_change *self = data;
    g_free(self->path);
    g_free(self);
}

GPtrArray *container_diff_list(const char *container, podman_client *server, const json_t *inspect,
                               const char *image, GError **error)
{
    g_autofree char *base = container_base_image(inspect);
    const char *against = image ? image : base;
    /* Of its own layer Podman knows more exactly what has changed than between two trees. */
    if (g_strcmp0(against, json_string_value(json_object_get(inspect, "Image"))) == 0)
        against = NULL;
    g_autoptr(json_t) changes = podman_container_changes(server, container, against, error);
    if (changes && !json_is_array(changes))
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say which files have changed");
    if (!json_is_array(changes))
        return NULL;
    g_autoptr(GHashTable) folders = parent_folders(changes);
    json_t *mounts = json_object_get(inspect, "Mounts"), *change;
    GPtrArray *list = g_ptr_array_new_with_free_func(free_change);
    gsize i;
    json_array_foreach (changes, i, change) {
        const char *path = reply_text(change, "Path");
        if (!*path || is_ignored(path, mounts))
            continue;
        container_change *one = g_new0(container_change, 1);
        one->path = g_strdup(path);
        one->kind = (int)json_integer_value(json_object_get(change, "Kind"));
        one->has_others = g_hash_table_contains(folders, path);
        g_ptr_array_add(list, one);
    }
    return list;
}

static char *describe(const struct box *self, const GPtrArray *changes)
{
    const char *example = NULL;
    guint count = 0;
    for (guint i = 0; i < changes->len; i++) {
        const container_change *change = changes->pdata[i];
        if (change->has_others || trust_store_may_have_changed(self, change->path))
            continue;
        count++;
        if (!example || (is_program(change->path) && !is_program(example)))
            example = change->path;
    }
    if (count == 0)
        return NULL;
    g_autofree char *safe = text_safe_max(example, -1, 200);
    return count == 1 ? g_strdup_printf("1 file outside its home, '%s'", safe)
                      : g_strdup_printf("%u files outside its home, such as '%s'", count, safe);
}

gboolean container_diff_is_possible(const box_container *now)
{
    json_t *host = json_object_get(now->inspect, "HostConfig");
    /* The root folder of the host image is read-only. */
    return now->inspect && !*reply_text(now->inspect, "Rootfs") &&
           !json_is_true(json_object_get(host, "ReadonlyRootfs"));
}

char *container_diff_describe(const struct box *self, podman_client *server,
                              const box_container *now)
{
    if (!container_diff_is_possible(now))
        return NULL;
    g_autoptr(GPtrArray) changes =
        container_diff_list(self->container, server, now->inspect, NULL, NULL);
    return changes ? describe(self, changes) : g_strdup("any files outside its home");
}

gboolean container_diff_confirm_loss(const struct box *self, const char *contents, GError **error)
{
    g_autofree char *question =
        g_strdup_printf("Recreating box '%s' will delete %s.\n"
                        "'box apply --keep-files' keeps them; name software that should always be "
                        "there in [box] packages.\nRecreate the box?",
                        self->name, contents);
    gboolean can = ask_can();
    if (can && ask_yes(question))
        return TRUE;
    g_set_error(
        error, BOX_ERROR, can ? BOX_ERROR_CANCELLED : BOX_ERROR_CONFIG,
        can ? "box '%s' is unchanged and keeps %s"
            : "recreating box '%s' will delete %s: run 'box apply --keep-files' to keep them, or "
              "'box apply --yes' to delete them; name software that should always be there in "
              "[box] packages or a Containerfile",
        self->name, contents);
    return FALSE;
}
