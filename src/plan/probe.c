/* plan_facts_collect(), and the facts about the user and the machine that settings do not decide.
 */
#include "plan/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/fs.h"
#include "common/paths.h"
#include "config/named_files.h"

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
static void add_desktop_sockets(GPtrArray *list)
{
    add_private(list, g_strdup(g_getenv("XDG_RUNTIME_DIR")));
    add_private(list, g_strdup_printf("/run/user/%u", (guint)getuid()));
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

char **plan_private_paths(void)
{
    GPtrArray *list = g_ptr_array_new();

    add_litterbox_files(list);
    add_desktop_sockets(list);
    add_container_files(list);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
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
    self->private_paths = plan_private_paths();
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
    if (wanted->git.identity)
        plan_probe_identity(self, box->project);
    if (wanted->git.host_keys)
        plan_probe_host_keys(self, box);
    return g_steal_pointer(&self);
}

/* Probes the paths and devices that the settings name. */

static plan_file_type file_type(const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return PLAN_TYPE_FILE;
    if (S_ISDIR(st->st_mode))
        return PLAN_TYPE_FOLDER;
    return S_ISLNK(st->st_mode) ? PLAN_TYPE_LINK : PLAN_TYPE_OTHER;
}

static plan_file_type probe_path(plan_facts *self, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        /* Any other error does not prove that the path is missing. */
        if (errno != ENOENT && errno != ENOTDIR)
            plan_facts_add_file(self, path, PLAN_TYPE_OTHER, NULL);
        return PLAN_TYPE_MISSING;
    }
    plan_facts_add_file(self, path, file_type(&st), NULL)->hard_links = st.st_nlink;
    return file_type(&st);
}

void plan_probe_below(plan_facts *self, const char *folder, const char *relative)
{
    g_autofree char *clean = plan_clean_relative(relative);
    g_autofree char *whole = clean ? g_build_filename(folder, clean, NULL) : NULL;
    plan_file_type type = PLAN_TYPE_FOLDER;

    for (char *slash = clean; slash && (slash = strchr(slash, '/')) && type == PLAN_TYPE_FOLDER;
         slash++) {
        *slash = '\0';
        g_autofree char *way = g_build_filename(folder, clean, NULL);
        type = probe_path(self, way);
        *slash = '/';
    }
    if (whole && type == PLAN_TYPE_FOLDER)
        probe_path(self, whole);
    else if (whole && type == PLAN_TYPE_LINK)
        plan_facts_add_file(self, whole, PLAN_TYPE_LINK, NULL);
}

static void probe_list(plan_facts *self, const char *project, char **list)
{
    for (char **path = list; path && *path; path++)
        plan_probe_below(self, project, *path);
}

static char *first_foreign(const GPtrArray *links)
{
    for (guint i = 0; i < links->len; i++) {
        struct stat st;
        if (lstat(links->pdata[i], &st) < 0 || fs_is_foreign(&st))
            return g_strdup(links->pdata[i]);
    }
    return NULL;
}

static void probe_source(plan_facts *self, const char *source)
{
    g_autofree char *path = plan_expand(self, source);
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    struct stat st;

    if (!path)
        return;
    g_autofree char *real = fs_resolve(path, links);
    if (!real || lstat(real, &st) < 0)
        return;
    plan_file *added = plan_facts_add_file(self, path, file_type(&st), real);
    added->hard_links = st.st_nlink;
    added->foreign_link = first_foreign(links);
    g_ptr_array_add(links, NULL);
    added->links = (char **)g_ptr_array_free(g_steal_pointer(&links), FALSE);
}

static void probe_mounts(plan_facts *self, const GPtrArray *mounts)
{
    for (guint i = 0; mounts && i < mounts->len; i++)
        probe_source(self, ((const settings_mount *)mounts->pdata[i])->source);
}

void plan_probe_paths(plan_facts *self, const plan_box *box, const settings *wanted)
{
    static char *always[] = {"litterbox.toml", NULL};
    char *named[NAMED_FILES];

    named_files(wanted, named);
    probe_mounts(self, wanted->mounts);
    probe_mounts(self, wanted->home.share);
    if (settings_dotfiles_is_folder(wanted))
        probe_source(self, wanted->home.dotfiles);
    if (wanted->security.seccomp)
        probe_source(self, wanted->security.seccomp);
    /* After the mount sources, because each probe replaces what an earlier one recorded for the
     * same path, and a path of the project must be recorded with its symbolic links not followed.
     */
    probe_list(self, box->project, always);
    probe_list(self, box->project, named);
    probe_list(self, box->project, wanted->protect.paths);
    probe_list(self, box->project, wanted->protect.extra);
    probe_list(self, box->project, wanted->project.hidden);
    probe_list(self, box->project, wanted->project.writable);
    probe_list(self, box->project, (char **)box->only);
}

static plan_file_type device_type(const struct stat *st)
{
    return S_ISCHR(st->st_mode)   ? PLAN_TYPE_CHARACTER
           : S_ISBLK(st->st_mode) ? PLAN_TYPE_BLOCK
                                  : PLAN_TYPE_OTHER;
}

/* The first of LINKS that is not below /dev, or NULL. Such a link names no device: below /proc/self
 * it depends on the process, elsewhere on whoever can write there. */
static const char *outside_of_dev(const GPtrArray *links)
{
    for (guint i = 0; i < links->len; i++)
        if (!fs_is_below(links->pdata[i], "/dev"))
            return links->pdata[i];
    return NULL;
}

static void add_node(plan_facts *self, const char *path, const struct stat *st)
{
    plan_file *added = plan_facts_add_file(self, path, device_type(st), NULL);
    added->major = major(st->st_rdev);
    added->minor = minor(st->st_rdev);
}

void plan_probe_device(plan_facts *self, const char *path)
{
    g_autoptr(GPtrArray) links = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(path, links);
    const char *out = outside_of_dev(links);
    struct stat st;

    if (out)
        plan_facts_add_file(self, out, PLAN_TYPE_OTHER, NULL);
    else if (real && lstat(real, &st) == 0)
        add_node(self, real, &st);
    /* Recorded as a link, because it may lead to another device at the next start. */
    if (links->len > 0)
        plan_facts_add_file(self, path, PLAN_TYPE_LINK, out ? out : real);
}

/* DEVICE as in devices.list: "PATH[:PATH][:RIGHTS]", or a name of the Container Device Interface,
 * which does not start with "/". */
static void probe_listed_device(plan_facts *self, const char *device)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));

    if (path[0] == '/')
        plan_probe_device(self, path);
}

char **plan_gpu_nodes(enum gpu_access wanted)
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

void plan_probe_devices(plan_facts *self, const settings *wanted)
{
    for (char **device = wanted->devices; device && *device; device++)
        probe_listed_device(self, *device);
    for (guint i = 0; wanted->added_devices && i < wanted->added_devices->len; i++)
        plan_probe_device(self, ((settings_device *)wanted->added_devices->pdata[i])->source);
    if (wanted->network.tun)
        plan_probe_device(self, PLAN_TUN);
    self->gpus = plan_gpu_nodes(wanted->desktop.gpu);
    for (char **node = self->gpus; *node; node++)
        plan_probe_device(self, *node);
}
