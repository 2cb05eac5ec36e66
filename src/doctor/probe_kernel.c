/* Probes the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/fs.h"
#include "doctor/doctor.h"

/* Bytes of a file with one number. */
#define FILE_MAX 4096

static doctor_switch read_switch(const char *path)
{
    g_autofree char *text = fs_read_text(path, FILE_MAX);

    if (!text)
        return SWITCH_ABSENT;
    return atoi(text) ? SWITCH_ON : SWITCH_OFF;
}

/* Calls it with invalid arguments: an old kernel returns ENOSYS, a seccomp filter EPERM. */
static gboolean has_call(long number)
{
    return syscall(number, -1, NULL, NULL, 0) >= 0 || (errno != ENOSYS && errno != EPERM);
}

/* In a child process, because it cannot leave the namespace. */
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

static void probe_namespaces(doctor_facts *self)
{
    g_autofree char *most = fs_read_text("/proc/sys/user/max_user_namespaces", FILE_MAX);

    self->max_user_namespaces = most ? g_ascii_strtoll(most, NULL, 10) : -1;
    self->userns_clone = read_switch("/proc/sys/kernel/unprivileged_userns_clone");
    self->apparmor_userns = read_switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    self->apparmor_podman = access("/etc/apparmor.d/podman", F_OK) == 0;
    self->userns = try_user_namespace();
}

static void probe_cgroups(doctor_facts *self)
{
    if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
        self->cgroups = CGROUPS_V2;
    else if (access("/sys/fs/cgroup/unified/cgroup.controllers", F_OK) == 0)
        self->cgroups = CGROUPS_HYBRID;
    else
        self->cgroups = access("/sys/fs/cgroup/memory", F_OK) == 0 ? CGROUPS_V1 : CGROUPS_NONE;
    if (self->cgroups == CGROUPS_V2)
        self->controllers = cgroup_delegated_controllers(self->uid);
}

void doctor_probe_kernel(doctor_facts *self)
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
    probe_namespaces(self);
    probe_cgroups(self);
}
