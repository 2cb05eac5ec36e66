/* The kernel's features that isolate and limit boxes. */
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
    self->lacks_bus = !cgroup_has_user_bus();
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

static void check_kernel(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->openat2 && facts->close_range)
        doctor_report_addf(report, "kernel", DOCTOR_OK, NULL, "Linux %s", facts->kernel);
    else
        doctor_report_addf(report, "kernel", DOCTOR_ERROR, "use Linux 5.11 or newer",
                           "Linux %s has no %s, which is needed to open files of a project safely",
                           facts->kernel, facts->openat2 ? "close_range" : "openat2");
}

static void check_namespaces(const doctor_facts *facts, GPtrArray *report)
{
    /* A rootless Podman that answers has created one. */
    gboolean proven = !facts->podman_problem && facts->rootless;
    doctor_level bad = proven ? DOCTOR_NOTE : DOCTOR_ERROR;

    if (facts->max_user_namespaces == 0)
        doctor_report_addf(report, "userns", bad,
                           "echo user.max_user_namespaces=28633 | sudo tee "
                           "/etc/sysctl.d/90-userns.conf, then: sudo sysctl --system",
                           "user namespaces are turned off (user.max_user_namespaces = 0)");
    else if (facts->userns_clone == SWITCH_OFF)
        doctor_report_addf(report, "userns", bad,
                           "echo kernel.unprivileged_userns_clone=1 | sudo tee "
                           "/etc/sysctl.d/90-userns.conf, then: sudo sysctl --system",
                           "only root can create user namespaces "
                           "(kernel.unprivileged_userns_clone = 0)");
    else if (!facts->userns && facts->apparmor_userns != SWITCH_ON)
        doctor_report_addf(report, "userns", bad,
                           "find out whether a container or a security module forbids them",
                           "user namespaces cannot be created here");
    else
        doctor_report_addf(report, "userns", DOCTOR_OK, NULL, "user namespaces work");
}

static void check_apparmor(const doctor_facts *facts, GPtrArray *report)
{
    gboolean proven = !facts->podman_problem && facts->rootless;

    if (facts->apparmor_userns != SWITCH_ON)
        doctor_report_addf(report, "apparmor", DOCTOR_OK, NULL,
                           "AppArmor does not restrict user namespaces");
    else if (facts->apparmor_podman || proven)
        doctor_report_addf(report, "apparmor", DOCTOR_NOTE,
                           "if programs fail in a box with security.nested = true: sudo sysctl "
                           "kernel.apparmor_restrict_unprivileged_userns=0",
                           "AppArmor restricts user namespaces, but not podman's");
    else
        doctor_report_addf(report, "apparmor", DOCTOR_ERROR,
                           "install your distribution's AppArmor profile for podman (apparmor 4.0 "
                           "has one), or: sudo sysctl "
                           "kernel.apparmor_restrict_unprivileged_userns=0",
                           "AppArmor restricts user namespaces and has no profile for podman");
}

static const char *const cgroup_names[] = {"none", "v1", "hybrid", "v2"};
G_STATIC_ASSERT(G_N_ELEMENTS(cgroup_names) == CGROUPS_V2 + 1);

static void check_cgroups(const doctor_facts *facts, GPtrArray *report)
{
    static const char fix[] = "boot with systemd.unified_cgroup_hierarchy=1";

    if (facts->cgroups == CGROUPS_V2)
        doctor_report_addf(report, "cgroups", DOCTOR_OK, NULL, "cgroups v2");
    else if (facts->cgroups == CGROUPS_HYBRID && g_strcmp0(facts->runtime_name, "runc") != 0)
        doctor_report_addf(report, "cgroups", DOCTOR_ERROR, fix,
                           "cgroups hybrid: crun cannot start rootless containers");
    else
        doctor_report_addf(report, "cgroups", DOCTOR_WARNING, fix,
                           "cgroups %s: [limits] are not enforced", cgroup_names[facts->cgroups]);
}

static void check_limits(const doctor_facts *facts, GPtrArray *report)
{
    static const char *const wanted[] = {"memory", "cpu", "pids"};
    g_autoptr(GString) missing = g_string_new(NULL);

    if (facts->cgroups != CGROUPS_V2)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        if (!cgroup_has_controller(facts->controllers, wanted[i]))
            g_string_append_printf(missing, "%s%s", missing->len ? ", " : "", wanted[i]);
    if (facts->systemd && facts->lacks_bus)
        doctor_report_addf(report, "limits", DOCTOR_WARNING,
                           "install dbus-user-session (Debian, Ubuntu), and log in again",
                           "boxes have no limits, as podman has no D-Bus session bus to ask "
                           "systemd on");
    else if (!missing->len)
        doctor_report_addf(report, "limits", DOCTOR_OK, NULL,
                           "limits of memory, processors and processes are enforced");
    else
        doctor_report_addf(
            report, "limits", DOCTOR_WARNING,
            facts->systemd ? "write [Service] Delegate=cpu cpuset io memory pids to "
                             "/etc/systemd/system/user@.service.d/delegate.conf, then: sudo "
                             "systemctl daemon-reload, and log in again"
                           : "without systemd, an administrator must give you a cgroup with "
                             "these controllers",
            "boxes have no limits for these cgroup controllers, which are not delegated to you: %s",
            missing->str);
}

static void check_seccomp(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->seccomp)
        doctor_report_addf(report, "seccomp", DOCTOR_ERROR,
                           "use a kernel with CONFIG_SECCOMP_FILTER",
                           "the kernel cannot filter system calls");
    else if (!facts->podman_problem && !facts->podman_seccomp)
        doctor_report_addf(report, "seccomp", DOCTOR_WARNING,
                           "install a podman that is built with seccomp",
                           "podman does not filter system calls; only box-init's filter is active");
    else
        doctor_report_addf(report, "seccomp", DOCTOR_OK, NULL, "system calls are filtered");
}

static void check_landlock(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->landlock)
        doctor_report_addf(report, "landlock", DOCTOR_OK, NULL, "Landlock, version %d",
                           facts->landlock);
    else
        doctor_report_addf(report, "landlock", DOCTOR_NOTE,
                           "boot with lsm=landlock,… or use Linux 5.13 or newer",
                           "no Landlock: Litterbox's helpers on this machine cannot be confined");
}

static void check_selinux(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->selinux == SWITCH_ON)
        doctor_report_addf(report, "selinux", DOCTOR_NOTE, NULL,
                           "SELinux is enforcing; boxes run without SELinux labels, because your "
                           "folders and /usr would need new labels otherwise");
    else
        doctor_report_addf(report, "selinux", DOCTOR_OK, NULL, "SELinux is %s",
                           facts->selinux == SWITCH_OFF ? "permissive" : "not in use");
}

static void check_tun(const doctor_facts *facts, GPtrArray *report)
{
    /* pasta and slirp4netns open it in a user namespace, where only the node's mode decides. */
    if (facts->tun)
        doctor_report_addf(report, "tun", DOCTOR_OK, NULL, "/dev/net/tun can be used");
    else
        doctor_report_addf(report, "tun", DOCTOR_WARNING,
                           "sudo modprobe tun; if that is not enough: sudo chmod 0666 /dev/net/tun",
                           "/dev/net/tun cannot be used: boxes with a network cannot start");
}

const doctor_check doctor_kernel_checks[] = {
    check_kernel,  check_namespaces, check_apparmor, check_cgroups, check_limits,
    check_seccomp, check_landlock,   check_selinux,  check_tun,     NULL,
};
