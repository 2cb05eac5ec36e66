/* Podman: service, version, user ids, storage, OCI runtime, network. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "doctor/doctor.h"

/* The oldest version that is tested. */
#define PODMAN_MAJOR 4
#define PODMAN_MINOR 3
/* Bytes. With less free space many images do not fit. */
#define STORAGE_LOW (2LL << 30)

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
        self->podman_problem = g_strdup("it was not checked, because root cannot have boxes");
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

/* An unknown version counts as the oldest. */
static gboolean is_at_least(const char *version, int major, int minor)
{
    int has_major = 0, has_minor = 0;

    return version && sscanf(version, "%d.%d", &has_major, &has_minor) == 2 &&
           (has_major > major || (has_major == major && has_minor >= minor));
}

static void check_podman(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->uid == 0)
        doctor_report_add(
            report, "podman", facts->podman_installed ? DOCTOR_OK : DOCTOR_WARNING,
            g_strdup(facts->podman_installed
                         ? "podman is installed; its service was not checked, as you are root"
                         : "podman is not installed"),
            facts->podman_installed ? NULL : doctor_install_command(facts, "podman"));
    else if (facts->podman_problem && !facts->podman_installed && !facts->socket)
        doctor_report_add(report, "podman", DOCTOR_ERROR, g_strdup("podman is not installed"),
                          doctor_install_command(facts, "podman"));
    else if (facts->podman_problem && g_strcmp0(facts->podman_problem, facts->runtime_problem) == 0)
        /* That has a line of its own, with what mends it. */
        doctor_report_add(report, "podman", DOCTOR_NOTE,
                          g_strdup("podman was not checked, as there is no runtime folder"), NULL);
    else if (facts->podman_problem)
        doctor_report_add(report, "podman", DOCTOR_ERROR,
                          g_strdup_printf("podman does not answer: %s", facts->podman_problem),
                          g_strdup("run 'podman info' to see whether podman itself works"));
    else if (!is_at_least(facts->podman_version, PODMAN_MAJOR, PODMAN_MINOR))
        doctor_report_add(
            report, "podman", DOCTOR_ERROR,
            g_strdup_printf("podman %s is older than %d.%d, the oldest supported version",
                            facts->podman_version ? facts->podman_version : "(unknown)",
                            PODMAN_MAJOR, PODMAN_MINOR),
            g_strdup("upgrade podman"));
    else
        doctor_report_addf(report, "podman", DOCTOR_OK, NULL, "podman %s", facts->podman_version);
}

static void check_socket(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->podman_problem)
        return;
    doctor_report_addf(report, "socket", DOCTOR_OK, NULL, "%s, at '%s'", facts->socket_found,
                       facts->socket);
    if (facts->remote)
        doctor_report_add(
            report, "remote", DOCTOR_WARNING,
            g_strdup("the podman service runs on another machine"),
            g_strdup("unset CONTAINER_HOST, because boxes mount folders of this machine"));
}

static void check_rootless(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->podman_problem)
        return;
    if (facts->rootless)
        doctor_report_addf(report, "rootless", DOCTOR_OK, NULL, "podman runs without root");
    else
        doctor_report_addf(report, "rootless", DOCTOR_ERROR,
                           "unset CONTAINER_HOST to use your own podman",
                           "the podman service runs as root, so boxes would not be rootless");
}

static void check_mapping(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->podman_problem || !facts->rootless)
        return;
    if (facts->mapped_uids >= DOCTOR_SUBIDS_USUAL)
        doctor_report_addf(report, "ids", DOCTOR_OK, NULL,
                           "containers have %" G_GUINT64_FORMAT " user ids", facts->mapped_uids);
    else if (facts->subuids >= DOCTOR_SUBIDS_USUAL)
        doctor_report_addf(report, "ids", facts->mapped_uids > 1 ? DOCTOR_WARNING : DOCTOR_ERROR,
                           "podman system migrate",
                           "podman was started before your subordinate ids were set up");
    else
        doctor_report_add(report, "ids", facts->mapped_uids > 1 ? DOCTOR_WARNING : DOCTOR_ERROR,
                          g_strdup_printf("containers have only %" G_GUINT64_FORMAT " user ids",
                                          facts->mapped_uids),
                          doctor_subids_command(facts));
}

static void check_storage(const doctor_facts *facts, GPtrArray *report)
{
    const char *driver = facts->storage_driver ? facts->storage_driver : "unknown";

    if (facts->podman_problem)
        return;
    if (strcmp(driver, "vfs") == 0)
        doctor_report_addf(
            report, "storage", DOCTOR_WARNING,
            "set [storage] driver = \"overlay\" in "
            "~/.config/containers/storage.conf, then run 'podman system reset', which "
            "deletes all your containers and images",
            "storage driver vfs: each new container copies its whole image");
    else if (facts->storage_mount_program)
        doctor_report_addf(
            report, "storage", DOCTOR_NOTE,
            "with Linux 5.13 or newer, remove mount_program from storage.conf",
            "storage driver %s with a FUSE program, which is slower than the kernel's "
            "driver",
            driver);
    else
        doctor_report_addf(report, "storage", DOCTOR_OK, NULL, "storage driver %s%s%s", driver,
                           facts->storage_backing ? " on " : "",
                           facts->storage_backing ? facts->storage_backing : "");
}

static void check_fuse_overlayfs(const doctor_facts *facts, GPtrArray *report)
{
    gboolean needed = facts->storage_mount_program;

    if (facts->podman_problem || (facts->fuse_overlayfs && facts->fuse))
        doctor_report_addf(report, "fuse-overlayfs", DOCTOR_OK, NULL, "fuse-overlayfs: %s",
                           facts->fuse_overlayfs ? facts->fuse_overlayfs : "not installed");
    else if (!facts->fuse_overlayfs)
        doctor_report_add(report, "fuse-overlayfs", needed ? DOCTOR_ERROR : DOCTOR_OK,
                          g_strdup_printf("fuse-overlayfs is not installed%s",
                                          needed ? "" : "; it is not needed here"),
                          needed ? doctor_install_command(facts, "fuse-overlayfs") : NULL);
    else
        doctor_report_addf(report, "fuse-overlayfs", needed ? DOCTOR_ERROR : DOCTOR_NOTE,
                           "sudo chmod 0666 /dev/fuse",
                           "/dev/fuse cannot be used, so fuse-overlayfs cannot either");
}

static void check_space(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->storage_free < 0)
        return;
    g_autofree char *size = units_format_size(facts->storage_free);
    doctor_report_addf(
        report, "space", facts->storage_free < STORAGE_LOW ? DOCTOR_WARNING : DOCTOR_OK,
        facts->storage_free < STORAGE_LOW ? "run 'box prune' or 'podman image prune' to free space"
                                          : NULL,
        "%s free in '%s'", size, facts->storage_folder);
}

static void check_runtime(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->podman_problem)
        return;
    if (g_strcmp0(facts->runtime_name, "crun") == 0)
        doctor_report_addf(report, "runtime", DOCTOR_OK, NULL, "runtime crun");
    else
        doctor_report_add(report, "runtime", DOCTOR_NOTE,
                          g_strdup_printf("runtime %s: only crun is tested, and it is faster",
                                          facts->runtime_name ? facts->runtime_name : "unknown"),
                          doctor_install_command(facts, "crun"));
}

static void check_network(const doctor_facts *facts, GPtrArray *report)
{
    gboolean pasta = is_at_least(facts->podman_version, 5, 0);
    const char *wanted = pasta ? facts->pasta : facts->slirp4netns;

    if (facts->podman_problem && !facts->pasta && !facts->slirp4netns)
        doctor_report_add(
            report, "network", DOCTOR_WARNING,
            g_strdup("neither pasta nor slirp4netns is installed: boxes with [network] mode = "
                     "\"open\" cannot start, and images of templates cannot be built"),
            doctor_install_command(facts, "passt"));
    else if (facts->podman_problem)
        doctor_report_addf(report, "network", DOCTOR_OK, NULL, "%s is installed",
                           facts->pasta ? "pasta" : "slirp4netns");
    else if (wanted)
        doctor_report_addf(report, "network", DOCTOR_OK, NULL, "%s: %s",
                           pasta ? "pasta" : "slirp4netns", wanted);
    else
        doctor_report_add(
            report, "network", DOCTOR_WARNING,
            g_strdup_printf("%s is not installed: boxes with [network] mode = \"open\" cannot "
                            "start, and images of templates cannot be built",
                            pasta ? "pasta" : "slirp4netns"),
            doctor_install_command(facts, pasta ? "passt" : "slirp4netns"));
}

const doctor_check doctor_podman_checks[] = {
    check_podman, check_socket,         check_rootless, check_mapping, check_storage,
    check_space,  check_fuse_overlayfs, check_runtime,  check_network, NULL,
};
