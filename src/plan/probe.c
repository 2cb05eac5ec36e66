/* plan_facts_collect(), and the facts about the user and the machine that settings do not decide.
 */
#include "plan/facts.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>

#include "common/cgroup.h"
#include "common/fs.h"
#include "common/paths.h"

static gboolean probe_user(plan_facts *self, GError **error)
{
    const struct passwd *user = getpwuid(getuid());
    char *home = realpath(paths_home(), NULL);

    self->uid = getuid();
    self->gid = getgid();
    if (!home || !user || !user->pw_name[0]) {
        free(home);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "no home folder or no passwd entry for user %u; a box needs both", self->uid);
        return FALSE;
    }
    self->home = g_strdup(home);
    free(home);
    self->user = g_strdup(user->pw_name);
    self->shell = g_strdup(user->pw_shell && user->pw_shell[0] == '/' ? user->pw_shell : "/bin/sh");
    const struct group *group = getgrgid(self->gid);
    self->group = g_strdup(group ? group->gr_name : self->user);
    return TRUE;
}

static void probe_cgroups(plan_facts *self)
{
    self->cgroup_v2 = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
    g_autofree char *words = self->cgroup_v2 ? cgroup_delegated_controllers(self->uid) : NULL;
    if (!words)
        return;
    self->cgroup_memory = cgroup_has_controller(words, "memory");
    self->cgroup_cpu = cgroup_has_controller(words, "cpu");
    self->cgroup_pids = cgroup_has_controller(words, "pids");
}

static void probe_limits(plan_facts *self)
{
    struct rlimit files;

    self->open_files = getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : RLIM_INFINITY;
}

static void probe_podman(plan_facts *self, const char *version)
{
    /* An unknown version counts as the oldest that Litterbox supports. */
    self->podman_major = 4;
    self->podman_minor = 3;
    if (version)
        sscanf(version, "%d.%d", &self->podman_major, &self->podman_minor);
}

static gboolean probe_helpers(plan_facts *self, GError **error)
{
    self->init = paths_libexec("box-init");
    if (access(self->init, X_OK) != 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "Litterbox is not installed completely: '%s' is missing", self->init);
        return FALSE;
    }
    g_autofree char *shims = paths_libexec("bin");
    if (g_file_test(shims, G_FILE_TEST_IS_DIR))
        self->shims = g_steal_pointer(&shims);
    return TRUE;
}
/* Bytes. A machine with thousands of mounts has a list of a few hundred kilobytes. */
#define MOUNTINFO_MAX (4 << 20)

/* Takes ownership of PATH_TO_ADD, which may be NULL. */
static void add_private(GPtrArray *list, char *path_to_add)
{
    g_autofree char *path = path_to_add;

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

static void add_litterbox_files(GPtrArray *list)
{
    add_private(list, paths_config(NULL));
    add_private(list, paths_data(NULL));
    add_private(list, paths_state(NULL));
    add_private(list, paths_runtime(NULL, NULL));
}

/* The sockets with which a program could control the user's desktop session. */
static void add_desktop_sockets(GPtrArray *list, guint uid)
{
    add_private(list, g_strdup(g_getenv("XDG_RUNTIME_DIR")));
    add_private(list, g_strdup_printf("/run/user/%u", uid));
    add_private(list, g_strdup(g_getenv("SSH_AUTH_SOCK")));
    add_private(list, socket_path(g_getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="));
    add_private(list, g_strdup("/run/dbus"));
}

static void add_container_files(GPtrArray *list)
{
    add_private(list, g_build_filename(g_get_user_data_dir(), "containers", NULL));
    add_private(list, g_build_filename(g_get_user_config_dir(), "containers", NULL));
    add_private(list, socket_path(g_getenv("CONTAINER_HOST"), "unix://"));
    add_private(list, g_strdup("/run/podman"));
    add_private(list, g_strdup("/run/docker.sock"));
    add_private(list, g_strdup("/run/containerd"));
    add_private(list, g_strdup("/var/lib/containers"));
}

/* Field 5 of a line of mountinfo (proc(5)) without its octal escapes; NULL when it is missing. */
static char *mount_point(const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, " ", 6);

    return g_strv_length(fields) >= 5 ? g_strcompress(fields[4]) : NULL;
}

static char **mount_points(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_autofree char *text = fs_read_text("/proc/self/mountinfo", MOUNTINFO_MAX);

    if (text) {
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

static void probe_private_paths(plan_facts *self)
{
    GPtrArray *list = g_ptr_array_new();

    add_litterbox_files(list);
    add_desktop_sockets(list, self->uid);
    add_container_files(list);
    g_ptr_array_add(list, NULL);
    self->private_paths = (char **)g_ptr_array_free(list, FALSE);
}

plan_facts *plan_facts_collect(const plan_box *box, const settings *wanted,
                               const char *podman_version, GError **error)
{
    g_autoptr(plan_facts) self = plan_facts_new();

    if (!probe_user(self, error) || !probe_helpers(self, error))
        return NULL;
    probe_podman(self, podman_version);
    probe_cgroups(self);
    probe_limits(self);
    probe_private_paths(self);
    self->mount_points = mount_points();
    plan_probe_paths(self, box, wanted);
    plan_probe_devices(self, wanted);
    plan_probe_git(self, box->project);
    if (!box->image)
        plan_probe_host_image(self, "/");
    if (wanted->home.share_toolchains)
        plan_probe_toolchains(self);
    if (settings_wants_appearance(wanted))
        plan_probe_appearance(self, box);
    return g_steal_pointer(&self);
}
