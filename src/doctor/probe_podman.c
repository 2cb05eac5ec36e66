/* Asks Podman how it is set up. */
#include <string.h>
#include <sys/statvfs.h>

#include "common/paths.h"
#include "common/text.h"
#include "doctor/doctor.h"

static char *text_of(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value && *value ? text_safe(value, -1) : NULL;
}

static gboolean true_in(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_true(value) || g_strcmp0(json_string_value(value), "true") == 0;
}

static void take_storage(doctor_facts *self, json_t *store)
{
    json_t *status = json_object_get(store, "graphStatus");
    json_t *options = json_object_get(store, "graphOptions");
    struct statvfs disk;

    self->storage_driver = text_of(store, "graphDriverName");
    self->storage_folder = text_of(store, "graphRoot");
    self->storage_backing = text_of(status, "Backing Filesystem");
    self->storage_native = true_in(status, "Native Overlay Diff");
    self->storage_mount_program = json_object_get(options, "overlay.mount_program") != NULL;
    /* A service somewhere else has its folder somewhere else, too. */
    if (!self->remote && self->storage_folder && statvfs(self->storage_folder, &disk) == 0)
        self->storage_free = (gint64)disk.f_bavail * (gint64)disk.f_frsize;
}

static guint64 count_mapped(json_t *host)
{
    json_t *map = json_object_get(json_object_get(host, "idMappings"), "uidmap"), *range;
    guint64 count = 0;
    size_t i;

    json_array_foreach (map, i, range) {
        json_int_t size = json_integer_value(json_object_get(range, "size"));
        count += size > 0 && size <= (json_int_t)G_MAXUINT32 ? (guint64)size : 0;
    }
    return count;
}

/* Podman knows helpers that are in none of our folders. */
static void take_helper(char **path, json_t *host, const char *name)
{
    if (!*path)
        *path = text_of(json_object_get(host, name), "executable");
}

void doctor_take_info(doctor_facts *self, json_t *info)
{
    json_t *host = json_object_get(info, "host");
    json_t *security = json_object_get(host, "security");

    self->rootless = true_in(security, "rootless");
    self->podman_seccomp = true_in(security, "seccompEnabled");
    self->remote = true_in(host, "serviceIsRemote");
    self->runtime_name = text_of(json_object_get(host, "ociRuntime"), "name");
    self->cgroup_manager = text_of(host, "cgroupManager");
    self->mapped_uids = count_mapped(host);
    take_helper(&self->pasta, host, "pasta");
    take_helper(&self->slirp4netns, host, "slirp4netns");
    take_storage(self, json_object_get(info, "store"));
    if (!self->podman_version)
        self->podman_version = text_of(json_object_get(info, "version"), "Version");
}

static const char *how_found(const char *socket)
{
    const char *given = g_getenv("CONTAINER_HOST");
    g_autofree char *ours = paths_runtime(NULL, NULL);

    if (given && *given)
        return "CONTAINER_HOST";
    return ours && g_str_has_prefix(socket, ours) ? "private service" : "user's socket";
}

void doctor_look_podman(doctor_facts *self)
{
    g_autofree char *program = g_find_program_in_path("podman");
    g_autoptr(GError) problem = NULL;

    self->podman_installed = program != NULL;
    /* Root has a Podman of its own, which a box must not get into. */
    if (self->uid == 0) {
        self->podman_problem =
            g_strdup("it was not asked, since a box belongs to an ordinary user");
        return;
    }
    g_autoptr(podman) server = podman_connect(&problem);
    g_autoptr(json_t) info = server ? podman_info(server, &problem) : NULL;
    if (!info) {
        self->podman_problem = g_strdup(problem ? problem->message : "no answer");
        return;
    }
    const char *version = podman_version(server, NULL);
    self->podman_version = version ? text_safe(version, -1) : NULL;
    self->socket = g_strdup(podman_socket(server));
    self->socket_found = g_strdup(how_found(self->socket));
    doctor_take_info(self, info);
}
