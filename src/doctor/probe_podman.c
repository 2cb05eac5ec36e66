/* Probes Podman's configuration, with GET /info. */
#include <string.h>
#include <sys/statvfs.h>

#include "common/paths.h"
#include "common/text.h"
#include "doctor/doctor.h"

static char *get_text(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value && *value ? text_safe(value, -1) : NULL;
}

static gboolean get_bool(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_true(value) || g_strcmp0(json_string_value(value), "true") == 0;
}

static void parse_storage(doctor_facts *self, json_t *store)
{
    json_t *status = json_object_get(store, "graphStatus");
    json_t *options = json_object_get(store, "graphOptions");
    struct statvfs disk;

    self->storage_driver = get_text(store, "graphDriverName");
    self->storage_folder = get_text(store, "graphRoot");
    self->storage_backing = get_text(status, "Backing Filesystem");
    self->storage_native = get_bool(status, "Native Overlay Diff");
    self->storage_mount_program = json_object_get(options, "overlay.mount_program") != NULL;
    /* The folder of a remote service is not on this machine. */
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

/* Podman may find a helper outside of PATH. */
static void parse_helper(char **path, json_t *host, const char *name)
{
    if (!*path)
        *path = get_text(json_object_get(host, name), "executable");
}

void doctor_parse_info(doctor_facts *self, json_t *info)
{
    json_t *host = json_object_get(info, "host");
    json_t *security = json_object_get(host, "security");

    self->rootless = get_bool(security, "rootless");
    self->podman_seccomp = get_bool(security, "seccompEnabled");
    self->remote = get_bool(host, "serviceIsRemote");
    self->runtime_name = get_text(json_object_get(host, "ociRuntime"), "name");
    self->cgroup_manager = get_text(host, "cgroupManager");
    self->mapped_uids = count_mapped(host);
    parse_helper(&self->pasta, host, "pasta");
    parse_helper(&self->slirp4netns, host, "slirp4netns");
    parse_storage(self, json_object_get(info, "store"));
    if (!self->podman_version)
        self->podman_version = get_text(json_object_get(info, "version"), "Version");
}

static const char *source_of(const char *socket)
{
    const char *url = g_getenv("CONTAINER_HOST");
    g_autofree char *folder = paths_runtime(NULL, NULL);

    if (url && *url)
        return "CONTAINER_HOST";
    return folder && g_str_has_prefix(socket, folder) ? "private service" : "user's socket";
}

void doctor_probe_podman(doctor_facts *self)
{
    g_autofree char *program = g_find_program_in_path("podman");
    g_autoptr(GError) problem = NULL;

    self->podman_installed = program != NULL;
    /* As root this would start a service of root's Podman. */
    if (self->uid == 0) {
        self->podman_problem = g_strdup("it was not asked, because root cannot have boxes");
        return;
    }
    g_autoptr(podman_client) server = podman_connect(&problem);
    g_autoptr(json_t) info = server ? podman_info(server, &problem) : NULL;
    if (!info) {
        self->podman_problem = g_strdup(problem ? problem->message : "no answer");
        return;
    }
    const char *version = podman_version(server, NULL);
    self->podman_version = version ? text_safe(version, -1) : NULL;
    self->socket = g_strdup(podman_socket(server));
    self->socket_found = g_strdup(source_of(self->socket));
    doctor_parse_info(self, info);
}
