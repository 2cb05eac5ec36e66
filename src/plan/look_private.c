/*
 * What no box may be shown: our own files, Podman's, and the sockets through which the user's
 * session could be told what to do. And the host's mount points.
 */
#include "plan/look.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"

/* A machine with thousands of mounts has a list of a few hundred kilobytes. */
#define MOUNTINFO_MAX (4 << 20)

static void add(GPtrArray *list, char *taken)
{
    g_autofree char *path = taken;

    if (!path || path[0] != '/')
        return;
    char *real = realpath(path, NULL);
    g_ptr_array_add(list, g_strdup(real ? real : path));
    free(real);
}

/* The path in "unix:path=/run/user/1/bus,guid=…" or "unix:///run/podman.sock". */
static char *socket_path(const char *address, const char *prefix)
{
    if (!address || !g_str_has_prefix(address, prefix))
        return NULL;
    address += strlen(prefix);
    return g_strndup(address, strcspn(address, ",;"));
}

static void add_ours(GPtrArray *list)
{
    add(list, paths_config(NULL));
    add(list, paths_data(NULL));
    add(list, paths_state(NULL));
    add(list, paths_runtime(NULL, NULL));
}

static void add_session(GPtrArray *list, guint uid)
{
    add(list, g_strdup(g_getenv("XDG_RUNTIME_DIR")));
    add(list, g_strdup_printf("/run/user/%u", uid));
    add(list, g_strdup(g_getenv("SSH_AUTH_SOCK")));
    add(list, socket_path(g_getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="));
    add(list, g_strdup("/run/dbus"));
}

static void add_podman(GPtrArray *list)
{
    add(list, g_build_filename(g_get_user_data_dir(), "containers", NULL));
    add(list, g_build_filename(g_get_user_config_dir(), "containers", NULL));
    add(list, socket_path(g_getenv("CONTAINER_HOST"), "unix://"));
    add(list, g_strdup("/run/podman"));
    add(list, g_strdup("/run/docker.sock"));
    add(list, g_strdup("/run/containerd"));
    add(list, g_strdup("/var/lib/containers"));
}

/* Field 5 of a line of mountinfo, its octal escapes undone; NULL when there is none. */
static char *mount_point(const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, " ", 6);

    return g_strv_length(fields) >= 5 ? g_strcompress(fields[4]) : NULL;
}

static char **mount_points(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_autofree char *text = NULL;

    if (fs_read(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL, NULL)) {
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        for (char **line = lines; *line; line++) {
            char *point = mount_point(*line);
            if (point && g_hash_table_add(seen, point))
                g_ptr_array_add(list, point);
            else
                g_free(point);
        }
    }
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&list), FALSE);
}

void plan_look_private(plan_facts *self)
{
    GPtrArray *list = g_ptr_array_new();

    add_ours(list);
    add_session(list, self->uid);
    add_podman(list);
    g_ptr_array_add(list, NULL);
    self->private_paths = (char **)g_ptr_array_free(list, FALSE);
    self->mount_points = mount_points();
}
