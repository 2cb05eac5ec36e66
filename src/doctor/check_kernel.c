/* The kernel: what isolates a box, and what limits it. */
#include <string.h>

#include "doctor/check.h"

static void check_kernel(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->openat2 && facts->close_range)
        doctor_say_what(report, "kernel", DOCTOR_OK, NULL, "Linux %s", facts->kernel);
    else
        doctor_say_what(report, "kernel", DOCTOR_ERROR, "use Linux 5.11 or newer",
                        "Linux %s lacks %s, without which paths in a project cannot be opened "
                        "safely",
                        facts->kernel, facts->openat2 ? "close_range" : "openat2");
}

static void check_namespaces(const doctor_facts *facts, GPtrArray *report)
{
    /* Where Podman answers as an ordinary user it has made one. */
    gboolean proven = !facts->podman_problem && facts->rootless;
    doctor_level bad = proven ? DOCTOR_NOTE : DOCTOR_ERROR;

    if (facts->max_user_namespaces == 0)
        doctor_say_what(report, "userns", bad,
                        "echo user.max_user_namespaces=28633 | sudo tee "
                        "/etc/sysctl.d/90-userns.conf, then: sudo sysctl --system",
                        "user namespaces are switched off (user.max_user_namespaces = 0)");
    else if (facts->userns_clone == SWITCH_OFF)
        doctor_say_what(report, "userns", bad,
                        "echo kernel.unprivileged_userns_clone=1 | sudo tee "
                        "/etc/sysctl.d/90-userns.conf, then: sudo sysctl --system",
                        "user namespaces are for root alone "
                        "(kernel.unprivileged_userns_clone = 0)");
    else if (!facts->userns && facts->apparmor_userns != SWITCH_ON)
        doctor_say_what(report, "userns", bad,
                        "see whether a container or a security module forbids them",
                        "user namespaces cannot be made here");
    else
        doctor_say_what(report, "userns", DOCTOR_OK, NULL, "user namespaces work");
}

static void check_apparmor(const doctor_facts *facts, GPtrArray *report)
{
    gboolean proven = !facts->podman_problem && facts->rootless;

    if (facts->apparmor_userns != SWITCH_ON)
        doctor_say_what(report, "apparmor", DOCTOR_OK, NULL,
                        "AppArmor does not restrict user namespaces");
    else if (facts->apparmor_podman || proven)
        doctor_say_what(report, "apparmor", DOCTOR_NOTE,
                        "for [security] nested = true, if its programs fail: sudo sysctl "
                        "kernel.apparmor_restrict_unprivileged_userns=0",
                        "AppArmor restricts user namespaces, but not podman's");
    else
        doctor_say_what(report, "apparmor", DOCTOR_ERROR,
                        "install the profile that your distribution has for podman (apparmor "
                        "4.0 has it), or: sudo sysctl "
                        "kernel.apparmor_restrict_unprivileged_userns=0",
                        "AppArmor restricts user namespaces, and has no profile for podman");
}

static const char *const cgroup_names[] = {"none", "v1", "hybrid", "v2"};
G_STATIC_ASSERT(G_N_ELEMENTS(cgroup_names) == CGROUPS_V2 + 1);

static void check_cgroups(const doctor_facts *facts, GPtrArray *report)
{
    static const char fix[] = "boot with systemd.unified_cgroup_hierarchy=1";

    if (facts->cgroups == CGROUPS_V2)
        doctor_say_what(report, "cgroups", DOCTOR_OK, NULL, "cgroups v2");
    else if (facts->cgroups == CGROUPS_HYBRID && g_strcmp0(facts->runtime_name, "runc") != 0)
        doctor_say_what(report, "cgroups", DOCTOR_ERROR, fix,
                        "cgroups hybrid: crun starts no container of an ordinary user");
    else
        doctor_say_what(report, "cgroups", DOCTOR_WARNING, fix,
                        "cgroups %s: no limit of [limits] is enforced",
                        cgroup_names[facts->cgroups]);
}

static gboolean has_word(const char *words, const char *word)
{
    g_auto(GStrv) list = g_strsplit_set(words ? words : "", " \n", -1);

    return g_strv_contains((const char *const *)list, word);
}

static void check_limits(const doctor_facts *facts, GPtrArray *report)
{
    static const char *const wanted[] = {"memory", "cpu", "pids"};
    g_autoptr(GString) missing = g_string_new(NULL);

    if (facts->cgroups != CGROUPS_V2)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        if (!has_word(facts->controllers, wanted[i]))
            g_string_append_printf(missing, "%s%s", missing->len ? ", " : "", wanted[i]);
    if (!missing->len)
        doctor_say_what(report, "limits", DOCTOR_OK, NULL,
                        "limits of memory, processors and processes are enforced");
    else
        doctor_say_what(report, "limits", DOCTOR_WARNING,
                        facts->systemd
                            ? "put [Service] Delegate=cpu cpuset io memory pids into "
                              "/etc/systemd/system/user@.service.d/delegate.conf, then: sudo "
                              "systemctl daemon-reload, and log in again"
                            : "without systemd, an administrator has to give you a cgroup with "
                              "these controllers",
                        "not delegated to you, so not limited: %s", missing->str);
}

static void check_seccomp(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->seccomp)
        doctor_say_what(report, "seccomp", DOCTOR_ERROR, "use a kernel with CONFIG_SECCOMP_FILTER",
                        "the kernel filters no system calls");
    else if (!facts->podman_problem && !facts->podman_seccomp)
        doctor_say_what(report, "seccomp", DOCTOR_WARNING,
                        "install a podman that is built with seccomp",
                        "podman filters no system calls; box-init's own filter stays");
    else
        doctor_say_what(report, "seccomp", DOCTOR_OK, NULL, "system calls are filtered");
}

static void check_landlock(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->landlock)
        doctor_say_what(report, "landlock", DOCTOR_OK, NULL, "Landlock, version %d",
                        facts->landlock);
    else
        doctor_say_what(report, "landlock", DOCTOR_NOTE,
                        "boot with lsm=landlock,… or use Linux 5.13 or newer",
                        "no Landlock: programs of Litterbox on the host cannot confine themselves");
}

static void check_selinux(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->selinux == SWITCH_ON)
        doctor_say_what(report, "selinux", DOCTOR_NOTE, NULL,
                        "SELinux enforces; boxes run without its labels, since those of your "
                        "folders and of /usr would have to be changed");
    else
        doctor_say_what(report, "selinux", DOCTOR_OK, NULL, "SELinux is %s",
                        facts->selinux == SWITCH_OFF ? "permissive" : "not in use");
}

static void check_tun(const doctor_facts *facts, GPtrArray *report)
{
    /* pasta and slirp4netns open it inside of a user namespace, where the device's mode counts. */
    if (facts->tun)
        doctor_say_what(report, "tun", DOCTOR_OK, NULL, "/dev/net/tun can be used");
    else
        doctor_say_what(report, "tun", DOCTOR_WARNING,
                        "sudo modprobe tun; if that is not enough: sudo chmod 0666 /dev/net/tun",
                        "/dev/net/tun cannot be used: boxes with a network cannot start");
}

const doctor_check doctor_kernel_checks[] = {
    check_kernel,  check_namespaces, check_apparmor, check_cgroups, check_limits,
    check_seccomp, check_landlock,   check_selinux,  check_tun,     NULL,
};
