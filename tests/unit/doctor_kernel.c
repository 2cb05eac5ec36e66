/* The findings of `box doctor` about kernels. */
#include "doctor_fixture.h"

static void test_kernel(void)
{
    doctor_facts facts = fine();

    facts.openat2 = FALSE;
    expect(&facts, "kernel", DOCTOR_ERROR, "Linux");
    facts.landlock = 0;
    expect(&facts, "landlock", DOCTOR_NOTE, "lock");
    facts.podman_seccomp = FALSE;
    expect(&facts, "seccomp", DOCTOR_WARNING, "seccomp");
    facts.seccomp = FALSE;
    expect(&facts, "seccomp", DOCTOR_ERROR, "SECCOMP");
    facts.selinux = SWITCH_ON;
    expect(&facts, "selinux", DOCTOR_NOTE, NULL);
    facts.sound = NULL;
    expect(&facts, "sound", DOCTOR_NOTE, "pipewire-pulse");
    facts.wayland = NULL;
    expect(&facts, "sound", DOCTOR_OK, NULL);
    expect(&facts, "display", DOCTOR_OK, NULL);
    facts.x11 = ":0";
    expect(&facts, "display", DOCTOR_NOTE, "Wayland");
}

static void test_gpu(void)
{
    doctor_facts facts = fine();

    expect(&facts, "gpu", DOCTOR_OK, NULL);
    facts.nvidia = TRUE;
    expect(&facts, "nvidia", DOCTOR_NOTE, "nvidia-ctk cdi generate");
    facts.nvidia_cdi = TRUE;
    expect(&facts, "nvidia", DOCTOR_OK, NULL);
    facts.gpu_problem = "it belongs to group 'render'";
    expect(&facts, "gpu", DOCTOR_NOTE, "keep_groups");
}

static void test_namespaces(void)
{
    doctor_facts facts = without_podman();

    facts.userns = FALSE;
    expect(&facts, "userns", DOCTOR_ERROR, "security module");
    facts.userns_clone = SWITCH_OFF;
    expect(&facts, "userns", DOCTOR_ERROR, "unprivileged_userns_clone");
    facts.max_user_namespaces = 0;
    expect(&facts, "userns", DOCTOR_ERROR, "max_user_namespaces");
    facts = without_podman();
    facts.apparmor_userns = SWITCH_ON;
    expect(&facts, "apparmor", DOCTOR_ERROR, "apparmor_restrict_unprivileged_userns");
    facts.apparmor_podman = TRUE;
    expect(&facts, "apparmor", DOCTOR_NOTE, "nested");
    /* Podman answers, so it can create user namespaces. */
    facts = fine();
    facts.apparmor_userns = SWITCH_ON;
    expect(&facts, "apparmor", DOCTOR_NOTE, "nested");
}

static void test_cgroups(void)
{
    doctor_facts facts = fine();

    facts.controllers = "memory hugetlb pids";
    expect(&facts, "limits", DOCTOR_WARNING, "Delegate");
    facts.lacks_bus = TRUE;
    expect(&facts, "limits", DOCTOR_WARNING, "dbus-user-session");
    facts.controllers = NULL;
    facts.systemd = FALSE;
    expect(&facts, "limits", DOCTOR_WARNING, "administrator");
    facts.cgroups = CGROUPS_HYBRID;
    expect(&facts, "cgroups", DOCTOR_ERROR, "unified_cgroup_hierarchy");
    facts.cgroups = CGROUPS_V1;
    expect(&facts, "cgroups", DOCTOR_WARNING, "unified_cgroup_hierarchy");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/doctor/kernel", test_kernel);
    g_test_add_func("/doctor/namespaces", test_namespaces);
    g_test_add_func("/doctor/gpu", test_gpu);
    g_test_add_func("/doctor/cgroups", test_cgroups);
    return g_test_run();
}
