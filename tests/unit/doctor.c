/* `box doctor` against made-up machines: one that is fine, and what each flaw of it leads to. */
#include "box/doctor.h"

#include <string.h>

/* A desktop on which all is well. */
static doctor_facts fine(void)
{
    return (doctor_facts){
        .uid = 1000,
        .user = "ann",
        .subuids = 65536,
        .subgids = 65536,
        .id_helper = "/usr/bin/newuidmap",
        .installer = "sudo apt-get install",
        .init = "/usr/libexec/litterbox/box-init",
        .init_is_there = TRUE,
        .kernel = "6.12.1",
        .openat2 = TRUE,
        .close_range = TRUE,
        .seccomp = TRUE,
        .landlock = 6,
        .max_user_namespaces = 100000,
        .userns = TRUE,
        .cgroups = CGROUPS_V2,
        .controllers = "cpu memory pids",
        .tun = TRUE,
        .fuse = TRUE,
        .systemd = TRUE,
        .linger = TRUE,
        .pasta = "/usr/bin/pasta",
        .wayland = "/run/user/1000/wayland-0",
        .podman_installed = TRUE,
        .podman_version = "5.4.2",
        .socket = "/run/user/1000/podman/podman.sock",
        .socket_found = "user's socket",
        .rootless = TRUE,
        .storage_driver = "overlay",
        .storage_folder = "/home/ann/.local/share/containers/storage",
        .storage_free = 100LL << 30,
        .runtime_name = "crun",
        .mapped_uids = 65537,
        .podman_seccomp = TRUE,
    };
}

/* The machine without Podman. */
static doctor_facts without_podman(void)
{
    doctor_facts facts = fine();

    facts.podman_installed = facts.rootless = FALSE;
    facts.podman_problem = "podman is not installed: install podman 4.3 or newer";
    facts.podman_version = facts.socket = facts.socket_found = NULL;
    facts.storage_driver = facts.storage_folder = facts.runtime_name = NULL;
    facts.storage_free = -1;
    facts.mapped_uids = 0;
    facts.podman_seccomp = FALSE;
    return facts;
}

static const doctor_finding *find(const GPtrArray *report, const char *id)
{
    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        if (strcmp(finding->id, id) == 0)
            return finding;
    }
    return NULL;
}

/* FACTS give the finding ID of LEVEL, whose fix holds FIX. */
static void expect(const doctor_facts *facts, const char *id, doctor_level level, const char *fix)
{
    g_autoptr(GPtrArray) report = doctor_report(facts);
    const doctor_finding *finding = find(report, id);

    g_assert_nonnull(finding);
    g_assert_cmpstr(doctor_level_name(finding->level), ==, doctor_level_name(level));
    if (fix)
        g_assert_nonnull(strstr(finding->fix ? finding->fix : "", fix));
    else
        g_assert_null(finding->fix);
}

static void test_fine(void)
{
    doctor_facts facts = fine();
    g_autoptr(GPtrArray) report = doctor_report(&facts);

    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        if (finding->level != DOCTOR_OK || finding->fix)
            g_error("%s: %s", finding->id, finding->what);
    }
    g_assert_cmpint(doctor_exit_status(report), ==, 0);
}

/* Programs tell findings apart by their ids. */
static void test_ids(void)
{
    doctor_facts facts = fine();
    g_autoptr(GPtrArray) report = doctor_report(&facts);

    facts.remote = TRUE;
    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        g_assert_true(find(report, finding->id) == finding);
        g_assert_cmpuint(strspn(finding->id, "abcdefghijklmnopqrstuvwxyz-"), ==,
                         strlen(finding->id));
    }
}

static void test_no_podman(void)
{
    doctor_facts facts = without_podman();
    g_autoptr(GPtrArray) report = doctor_report(&facts);

    expect(&facts, "podman", DOCTOR_ERROR, "sudo apt-get install podman");
    g_assert_cmpint(doctor_exit_status(report), ==, 69);
    /* What only Podman could tell is not guessed at. */
    g_assert_null(find(report, "storage"));
    g_assert_null(find(report, "socket"));
    expect(&facts, "subids", DOCTOR_OK, NULL);
    facts.installer = NULL;
    expect(&facts, "podman", DOCTOR_ERROR, "install podman");
    facts.podman_installed = TRUE;
    facts.podman_problem = "podman does not answer";
    expect(&facts, "podman", DOCTOR_ERROR, "podman info");
}

static void test_podman(void)
{
    doctor_facts facts = fine();

    facts.podman_version = "4.2.9";
    expect(&facts, "podman", DOCTOR_ERROR, "upgrade");
    facts.podman_version = "10.0";
    expect(&facts, "podman", DOCTOR_OK, NULL);
    facts.rootless = FALSE;
    expect(&facts, "rootless", DOCTOR_ERROR, "CONTAINER_HOST");
    facts.remote = TRUE;
    expect(&facts, "remote", DOCTOR_WARNING, "CONTAINER_HOST");
    facts.runtime_name = "runc";
    expect(&facts, "runtime", DOCTOR_NOTE, "crun");
}

static void test_storage(void)
{
    doctor_facts facts = fine();

    facts.storage_driver = "vfs";
    expect(&facts, "storage", DOCTOR_WARNING, "podman system reset");
    facts.storage_driver = "overlay";
    facts.storage_mount_program = TRUE;
    expect(&facts, "storage", DOCTOR_NOTE, "mount_program");
    expect(&facts, "fuse-overlayfs", DOCTOR_ERROR, "install fuse-overlayfs");
    facts.fuse_overlayfs = "/usr/bin/fuse-overlayfs";
    expect(&facts, "fuse-overlayfs", DOCTOR_OK, NULL);
    facts.fuse = FALSE;
    expect(&facts, "fuse-overlayfs", DOCTOR_ERROR, "/dev/fuse");
    facts.storage_free = 1 << 20;
    expect(&facts, "space", DOCTOR_WARNING, "prune");
}

static void test_network(void)
{
    doctor_facts facts = fine();

    facts.pasta = NULL;
    facts.slirp4netns = "/usr/bin/slirp4netns";
    expect(&facts, "network", DOCTOR_ERROR, "passt");
    facts.podman_version = "4.3.1";
    expect(&facts, "network", DOCTOR_OK, NULL);
    facts.slirp4netns = NULL;
    expect(&facts, "network", DOCTOR_ERROR, "slirp4netns");
    facts.tun = FALSE;
    expect(&facts, "tun", DOCTOR_WARNING, "/dev/net/tun");
}

static void test_user(void)
{
    doctor_facts facts = fine();

    facts.uid = 0;
    facts.podman_problem = "not asked";
    expect(&facts, "user", DOCTOR_ERROR, "ordinary user");
    expect(&facts, "podman", DOCTOR_OK, NULL);
    facts = fine();
    facts.in_container = TRUE;
    expect(&facts, "user", DOCTOR_NOTE, "host");
    facts.in_box = TRUE;
    expect(&facts, "user", DOCTOR_ERROR, "host");
    facts.runtime_problem = "no runtime folder of your own";
    expect(&facts, "runtime-folder", DOCTOR_ERROR, "XDG_RUNTIME_DIR");
    facts.init_is_there = FALSE;
    expect(&facts, "install", DOCTOR_ERROR, "quickstart");
    facts.linger = FALSE;
    expect(&facts, "linger", DOCTOR_NOTE, "loginctl");
    facts.systemd = FALSE;
    expect(&facts, "linger", DOCTOR_OK, NULL);
    facts.id_helper = NULL;
    expect(&facts, "newuidmap", DOCTOR_OK, NULL);
    facts.mapped_uids = 1;
    expect(&facts, "newuidmap", DOCTOR_ERROR, "uidmap");
}

static void test_subids(void)
{
    doctor_facts facts = fine();

    facts.subgids = 0;
    expect(&facts, "subids", DOCTOR_NOTE, "usermod");
    facts.mapped_uids = 1;
    expect(&facts, "subids", DOCTOR_ERROR, "usermod");
    expect(&facts, "ids", DOCTOR_ERROR, "migrate");
    facts.subids_elsewhere = TRUE;
    expect(&facts, "subids", DOCTOR_OK, NULL);
    facts = fine();
    facts.subuids = facts.mapped_uids = 1000;
    expect(&facts, "subids", DOCTOR_WARNING, "ann");
    expect(&facts, "ids", DOCTOR_WARNING, "usermod");
}

static void test_count_ids(void)
{
    const char *text = "# a comment\nbob:1:5\nann:100000:65536\n1000:300000:10\nann:x\nann:1:-3\n"
                       "ann:1:99999999999999999999\nann:1:2:3\n:::\n";

    g_assert_cmpuint(doctor_count_ids(text, "ann", 1000), ==, 65546);
    g_assert_cmpuint(doctor_count_ids(text, "eve", 1001), ==, 0);
    g_assert_cmpuint(doctor_count_ids(NULL, "ann", 1000), ==, 0);
}

static void test_kernel(void)
{
    doctor_facts facts = fine();

    facts.openat2 = FALSE;
    expect(&facts, "kernel", DOCTOR_ERROR, "Linux");
    facts.landlock = 0;
    expect(&facts, "landlock", DOCTOR_NOTE, "Landlock" + 4 /* "lock" */);
    facts.podman_seccomp = FALSE;
    expect(&facts, "seccomp", DOCTOR_WARNING, "seccomp");
    facts.seccomp = FALSE;
    expect(&facts, "seccomp", DOCTOR_ERROR, "SECCOMP");
    facts.selinux = SWITCH_ON;
    expect(&facts, "selinux", DOCTOR_NOTE, NULL);
    facts.wayland = NULL;
    expect(&facts, "display", DOCTOR_OK, NULL);
    facts.x11 = ":0";
    expect(&facts, "display", DOCTOR_NOTE, "Wayland");
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
    /* Podman answers, so it can make them. */
    facts = fine();
    facts.apparmor_userns = SWITCH_ON;
    expect(&facts, "apparmor", DOCTOR_NOTE, "nested");
}

static void test_cgroups(void)
{
    doctor_facts facts = fine();

    facts.controllers = "memory hugetlb pids";
    expect(&facts, "limits", DOCTOR_WARNING, "Delegate");
    facts.controllers = NULL;
    facts.systemd = FALSE;
    expect(&facts, "limits", DOCTOR_WARNING, "administrator");
    facts.cgroups = CGROUPS_HYBRID;
    expect(&facts, "cgroups", DOCTOR_WARNING, "unified_cgroup_hierarchy");
}

/* What Podman says goes to a terminal, so it is made harmless. */
static void test_hostile_info(void)
{
    g_auto(doctor_facts) facts = {.storage_free = -1};
    g_autoptr(json_t) info =
        json_pack("{s:{s:[{s:I}, {s:s}, i], s:{s:s}, s:i}, s:{s:s, s:[i], s:{s:s}}}", "host",
                  "idMappings", "size", (json_int_t)-5, "size", "x", 1, "ociRuntime", "name",
                  "cr\033[31mun\n", "security", 3, "store", "graphDriverName", "overlay",
                  "graphStatus", 1, "graphOptions", "overlay.mount_program", "x");

    doctor_take_info(&facts, info ? info : json_null());
    g_assert_cmpuint(facts.mapped_uids, ==, 0);
    g_assert_false(facts.rootless);
    doctor_take_info(&facts, json_null());
    doctor_facts odd = fine();
    odd.runtime_name = "cr\033[31mun\n";
    g_autoptr(GPtrArray) report = doctor_report(&odd);
    g_assert_null(strpbrk(find(report, "runtime")->what, "\033\n"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/doctor/fine", test_fine);
    g_test_add_func("/doctor/ids", test_ids);
    g_test_add_func("/doctor/no-podman", test_no_podman);
    g_test_add_func("/doctor/podman", test_podman);
    g_test_add_func("/doctor/storage", test_storage);
    g_test_add_func("/doctor/network", test_network);
    g_test_add_func("/doctor/user", test_user);
    g_test_add_func("/doctor/subids", test_subids);
    g_test_add_func("/doctor/count-ids", test_count_ids);
    g_test_add_func("/doctor/kernel", test_kernel);
    g_test_add_func("/doctor/namespaces", test_namespaces);
    g_test_add_func("/doctor/cgroups", test_cgroups);
    g_test_add_func("/doctor/hostile-info", test_hostile_info);
    return g_test_run();
}
