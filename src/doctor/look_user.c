/* Looks at the user and at the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/subid.h"
#include "common/wayland_socket.h"
#include "doctor/doctor.h"

/* Configuration files of the system, and one-line files of the kernel. */
#define FILE_MAX (1 << 20)

static char *read_text(const char *path)
{
    char *text = NULL;

    return fs_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) ? text : NULL;
}

guint64 doctor_count_ids(const char *text, const char *user, guint uid)
{
    g_autoptr(GArray) ranges = subid_parse(text, user, uid);
    guint64 count = 0;

    for (guint i = 0; i < ranges->len; i++)
        count += g_array_index(ranges, subid_range, i).count;
    return count;
}

static void look_ids(doctor_facts *self)
{
    g_autofree char *uids = read_text("/etc/subuid");
    g_autofree char *gids = read_text("/etc/subgid");
    g_autofree char *sources = read_text("/etc/nsswitch.conf");
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

static void look_system(doctor_facts *self)
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
    self->wayland = wayland_socket_path(wayland, sizeof wayland) == 0 ? g_strdup(wayland) : NULL;
    self->x11 = x11 && *x11 ? g_strdup(x11) : NULL;
    self->in_box = g_getenv("LITTERBOX_BOX") && access("/run/litterbox", F_OK) == 0;
    self->in_container =
        access("/run/.containerenv", F_OK) == 0 || access("/.dockerenv", F_OK) == 0;
}

void doctor_look_user(doctor_facts *self)
{
    const struct passwd *entry = getpwuid(getuid());
    g_autoptr(GError) problem = NULL;
    g_autofree char *runtime = paths_runtime(NULL, &problem);

    self->uid = getuid();
    self->user = entry ? g_strdup(entry->pw_name) : g_strdup_printf("%u", self->uid);
    self->runtime_problem = problem ? g_strdup(problem->message) : NULL;
    self->init = paths_libexec("box-init");
    self->init_is_there = access(self->init, X_OK) == 0;
    look_ids(self);
    look_system(self);
}

static doctor_switch read_switch(const char *path)
{
    g_autofree char *text = read_text(path);

    if (!text)
        return SWITCH_ABSENT;
    return atoi(text) ? SWITCH_ON : SWITCH_OFF;
}

/* Arguments that make no sense: an old kernel says ENOSYS, a filter EPERM, all others something
 * else. */
static gboolean has_call(long number)
{
    return syscall(number, -1, NULL, NULL, 0) >= 0 || (errno != ENOSYS && errno != EPERM);
}

/* In a child, because there is no way back. */
static gboolean try_user_namespace(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */) == 0 ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void look_namespaces(doctor_facts *self)
{
    g_autofree char *most = read_text("/proc/sys/user/max_user_namespaces");

    self->max_user_namespaces = most ? g_ascii_strtoll(most, NULL, 10) : -1;
    self->userns_clone = read_switch("/proc/sys/kernel/unprivileged_userns_clone");
    self->apparmor_userns = read_switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    self->apparmor_podman = access("/etc/apparmor.d/podman", F_OK) == 0;
    self->userns = try_user_namespace();
}

/* The controllers that the user's boxes get: systemd's delegation, else those of our own cgroup. */
static char *find_controllers(guint uid)
{
    g_autofree char *service = g_strdup_printf(
        "/sys/fs/cgroup/user.slice/user-%u.slice/user@%u.service/cgroup.controllers", uid, uid);
    g_autofree char *own = NULL;
    char *words = read_text(service);

    if (!words && (own = read_text("/proc/self/cgroup")) && strstr(own, "0::/")) {
        char *line = strstr(own, "0::/") + strlen("0::");
        line[strcspn(line, "\n")] = '\0';
        g_autofree char *path =
            g_build_filename("/sys/fs/cgroup", line, "cgroup.controllers", NULL);
        words = read_text(path);
    }
    if (words && !*g_strstrip(words))
        g_clear_pointer(&words, g_free);
    return words;
}

static void look_cgroups(doctor_facts *self)
{
    if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
        self->cgroups = CGROUPS_V2;
    else if (access("/sys/fs/cgroup/unified/cgroup.controllers", F_OK) == 0)
        self->cgroups = CGROUPS_HYBRID;
    else
        self->cgroups = access("/sys/fs/cgroup/memory", F_OK) == 0 ? CGROUPS_V1 : CGROUPS_NONE;
    if (self->cgroups == CGROUPS_V2)
        self->controllers = find_controllers(self->uid);
}

void doctor_look_kernel(doctor_facts *self)
{
    struct utsname name;
    long landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    self->kernel = g_strdup(uname(&name) == 0 ? name.release : "unknown");
    self->openat2 = has_call(SYS_openat2);
    self->close_range = syscall(SYS_close_range, ~0U, ~0U, 4 /* CLOEXEC: Linux 5.11 */) == 0;
    self->seccomp = access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0;
    self->landlock = landlock > 0 ? (int)landlock : 0;
    self->selinux = read_switch("/sys/fs/selinux/enforce");
    self->tun = access("/dev/net/tun", R_OK | W_OK) == 0;
    self->fuse = access("/dev/fuse", R_OK | W_OK) == 0;
    look_namespaces(self);
    look_cgroups(self);
}
