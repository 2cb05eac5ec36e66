/* Probes the user's account: ids, programs, desktop, SSH agent, shims, menu entries. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <linux/landlock.h>

#include "box/exec/shims.h"
#include "box/inspect/devices.h"
#include "box/menu/menu_entries.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/subid.h"
#include "common/text.h"
#include "doctor/doctor.h"
#include "net/desktop_sockets.h"
#include "net/unix_socket.h"

/* Bytes of a configuration file. */
#define FILE_MAX (1 << 20)

guint64 doctor_count_ids(const char *text, const char *user, guint uid)
{
    g_autoptr(GArray) ranges = subid_parse(text, user, uid);
    guint64 count = 0;

    for (guint i = 0; i < ranges->len; i++)
        count += g_array_index(ranges, subid_range, i).count;
    return count;
}

static void probe_ids(doctor_facts *self)
{
    g_autofree char *uids = fs_read_text("/etc/subuid", FILE_MAX);
    g_autofree char *gids = fs_read_text("/etc/subgid", FILE_MAX);
    g_autofree char *sources = fs_read_text("/etc/nsswitch.conf", FILE_MAX);
    const char *line = sources ? strstr(sources, "\nsubid:") : NULL;

    self->subuids = doctor_count_ids(uids, self->user, self->uid);
    self->subgids = doctor_count_ids(gids, self->user, self->uid);
    if (line) {
        g_autofree char *words = g_strndup(line + 1, strcspn(line + 1, "\n"));
        self->subids_elsewhere = strstr(words, "sss") != NULL;
    }
    self->id_helper = g_find_program_in_path("newuidmap");
}

static char *find_installer(void)
{
    static const struct {
        const char *program, *command;
    } known[] = {
        {"apt-get", "sudo apt-get install"},
        {"dnf", "sudo dnf install"},
        {"pacman", "sudo pacman -S"},
        {"zypper", "sudo zypper install"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autofree char *path = g_find_program_in_path(known[i].program);
        if (path)
            return g_strdup(known[i].command);
    }
    return NULL;
}

static void probe_system(doctor_facts *self)
{
    g_autofree char *linger = g_build_filename("/var/lib/systemd/linger", self->user, NULL);
    const char *x11 = g_getenv("DISPLAY");
    char wayland[PATH_MAX];

    self->systemd = access("/run/systemd/system", F_OK) == 0;
    self->linger = access(linger, F_OK) == 0;
    self->pasta = g_find_program_in_path("pasta");
    self->slirp4netns = g_find_program_in_path("slirp4netns");
    self->fuse_overlayfs = g_find_program_in_path("fuse-overlayfs");
    self->installer = find_installer();
    self->wayland = desktop_wayland_socket(wayland, sizeof wayland) == 0 ? g_strdup(wayland) : NULL;
    self->x11 = x11 && *x11 ? g_strdup(x11) : NULL;
    self->in_box = g_getenv("LITTERBOX_BOX") && access("/run/litterbox", F_OK) == 0;
    self->in_container =
        access("/run/.containerenv", F_OK) == 0 || access("/.dockerenv", F_OK) == 0;
}

static gboolean has_nvidia_file(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));)
        if (g_str_has_prefix(name, "nvidia"))
            return TRUE;
    return FALSE;
}

static void probe_gpus(doctor_facts *self)
{
    g_autoptr(GPtrArray) devices = host_device_list();
    for (guint i = 0; i < devices->len; i++) {
        const host_device *device = devices->pdata[i];
        if (g_strcmp0(device->kind, "gpu") != 0)
            continue;
        self->gpus++;
        if (!self->gpu_problem)
            self->gpu_problem = host_device_rights(device->node, FALSE);
    }
    self->nvidia = access("/dev/nvidiactl", F_OK) == 0;
    self->nvidia_cdi = has_nvidia_file("/etc/cdi") || has_nvidia_file("/run/cdi");
}

static void probe_desktop(doctor_facts *self)
{
    char path[PATH_MAX];
    self->sound = desktop_sound_socket(path, sizeof path) == 0 ? g_strdup(path) : NULL;
    probe_gpus(self);
}

/* Connects without sending anything, so that an agent that hangs cannot block `box doctor`. */
static gboolean answers(const char *path)
{
    int fd = unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* /proc/swaps has a line of headings and a line for each swap area. */
static gboolean has_swap(void)
{
    g_autofree char *text = NULL;
    return g_file_get_contents("/proc/swaps", &text, NULL, NULL) && strstr(text, "\n/");
}

void doctor_probe_upstream(doctor_facts *self, const char *path)
{
    g_free(self->upstream);
    self->upstream = path && *path ? text_safe(path, -1) : NULL;
    self->upstream_answers = path && *path && answers(path);
}

static void probe_ssh(doctor_facts *self)
{
    g_autofree char *agent = paths_libexec("litterbox-ssh-agent");
    g_autofree char *hosts = g_build_filename(paths_home(), ".ssh", "known_hosts", NULL);

    self->agent_is_there = access(agent, X_OK) == 0;
    doctor_probe_upstream(self, g_getenv("SSH_AUTH_SOCK"));
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        self->lockable = limit.rlim_cur;
    self->swap = has_swap();
    self->known_hosts = access(hosts, R_OK) == 0 || access("/etc/ssh/ssh_known_hosts", R_OK) == 0;
}

/* Appends NAME to the list TEXT ("a, b"), and frees TEXT. */
static char *append(char *text, const char *name)
{
    char *longer = text ? g_strconcat(text, ", ", name, NULL) : g_strdup(name);
    g_free(text);
    return longer;
}

static void probe_shims(doctor_facts *self)
{
    g_autofree char *file = NULL;
    g_auto(GStrv) names = shims_names();
    self->shims = g_strv_length(names);
    self->shims_on_path = shims_are_on_path();
    self->shims_add = shims_path_line(&file);
    for (char **name = names; *name; name++) {
        if (shims_is_stale(*name))
            self->shims_stale = append(self->shims_stale, *name);
        else if (!shims_is_found(*name))
            self->shims_hidden = append(self->shims_hidden, *name);
    }
}

static void probe_apps(doctor_facts *self)
{
    g_autoptr(GPtrArray) list = menu_entries_find(NULL);
    g_autoptr(GString) stale = g_string_new(NULL);
    self->apps = list->len;
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *one = list->pdata[i];
        if (one->is_orphan || one->is_broken)
            g_string_append_printf(stale, "%s%s of box %s", stale->len ? ", " : "", one->id,
                                   one->box);
        self->apps_orphaned |= one->is_orphan;
    }
    if (stale->len)
        self->apps_stale = g_strdup(stale->str);
}

void doctor_probe_user(doctor_facts *self)
{
    const struct passwd *entry = getpwuid(getuid());
    g_autoptr(GError) problem = NULL;

    g_free(paths_runtime(NULL, &problem));
    self->uid = getuid();
    self->user = entry ? g_strdup(entry->pw_name) : g_strdup_printf("%u", self->uid);
    self->runtime_problem = problem ? g_strdup(problem->message) : NULL;
    self->init = paths_libexec("box-init");
    self->init_is_there = access(self->init, X_OK) == 0;
    probe_ids(self);
    probe_system(self);
    probe_desktop(self);
    probe_ssh(self);
    probe_shims(self);
    probe_apps(self);
}
