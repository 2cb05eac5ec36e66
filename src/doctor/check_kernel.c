/* Checks of the kernel's features that isolate and limit boxes. */
#include <string.h>

#include "common/cgroup.h"
#include "doctor/doctor.h"

static void check_kernel(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->openat2 && facts->close_range)
        doctor_report_addf(report, "kernel", DOCTOR_OK, NULL, "Linux %s", facts->kernel);
    else
        doctor_report_addf(report, "kernel", DOCTOR_ERROR, "use Linux 5.11 or newer",
                           "Linux %s lacks %s, which is needed to open paths in a project safely",
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
                           "check whether a container or a security module forbids them",
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
                           "cgroups %s: the limits of [limits] are not enforced",
                           cgroup_names[facts->cgroups]);
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
    if (!missing->len)
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
            "controllers that are not delegated to you, so boxes have no such limits: "
            "%s",
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
        doctor_report_addf(
            report, "landlock", DOCTOR_NOTE, "boot with lsm=landlock,… or use Linux 5.13 or newer",
            "no Landlock: Litterbox's programs on the host cannot confine themselves");
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
