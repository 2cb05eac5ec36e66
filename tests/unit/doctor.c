/* The findings of `box doctor` for a machine without problems, and for one with each problem. */
#include <sys/resource.h>

#include "doctor_fixture.h"

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

/* Programs identify findings by their ids. */
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
    /* Facts that only Podman can tell are not guessed. */
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
    expect(&facts, "network", DOCTOR_WARNING, "passt");
    facts.podman_version = "4.3.1";
    expect(&facts, "network", DOCTOR_OK, NULL);
    facts.slirp4netns = NULL;
    expect(&facts, "network", DOCTOR_WARNING, "slirp4netns");
    expect(&facts, "nft", DOCTOR_OK, NULL);
    facts.nft = FALSE;
    expect(&facts, "nft", DOCTOR_NOTE, "nftables");
    facts.fake_route = "Meta";
    expect(&facts, "fake-addresses", DOCTOR_WARNING, "own addresses");
    facts.tun = FALSE;
    expect(&facts, "tun", DOCTOR_WARNING, "/dev/net/tun");
    facts.resolver = FALSE;
    expect(&facts, "resolver", DOCTOR_WARNING, "/etc/resolv.conf");
    facts.clock_behind = 60;
    expect(&facts, "clock", DOCTOR_OK, NULL);
    facts.clock_behind = 61;
    expect(&facts, "clock", DOCTOR_WARNING, "set the clock");
}

static void test_resolver(void)
{
    static const char *const named = "# comment\nsearch a.test\nnameserver 192.0.2.1\n";
    static const char *const not_named = "search a.test\n#nameserver 192.0.2.1\nnameservers 1\n";
    static const char *const resolved =
        "passwd: files\nhosts:  files resolve [!UNAVAIL=return] dns\n";
    static const char *const plain = "hosts: files dns # not resolve\n";

    g_assert_true(doctor_has_resolver(named, plain));
    g_assert_false(doctor_has_resolver(not_named, plain));
    g_assert_true(doctor_has_resolver(not_named, resolved));
    g_assert_true(doctor_has_resolver(NULL, resolved));
    g_assert_false(doctor_has_resolver("", NULL));
    g_assert_false(doctor_has_resolver(NULL, NULL));
}

static void test_fake_route(void)
{
#define HEADINGS \
    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    static const struct {
        const char *line, *found;
    } routes[] = {
        {"Meta\t000012C6\t00000000\t0001\t0\t0\t0\tFCFFFFFF\t0\t0\t0", "Meta"},
        {"tun0\t000012C6\t00000000\t0001\t0\t0\t0\t0000FEFF\t0\t0\t0", "tun0"},
        {"tun0\t010013C6\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0", "tun0"},
        {"eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0", NULL},
        {"tun0\t00000080\t0101A8C0\t0003\t0\t0\t0\t00000080\t0\t0\t0", NULL},
        {"eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", NULL},
        {"eth0\t000012C6", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(routes); i++) {
        g_autofree char *table = g_strconcat(HEADINGS, routes[i].line, "\n", NULL);
        g_autofree char *found = doctor_fake_route(table);
        g_assert_cmpstr(found, ==, routes[i].found);
    }
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
    facts.podman_problem = "no runtime folder of your own";
    expect(&facts, "podman", DOCTOR_NOTE, NULL);
    facts.podman_problem = NULL;
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

/* Podman's text goes to a terminal, so it is made safe. */
static void test_hostile_info(void)
{
    g_auto(doctor_facts) facts = {.storage_free = -1};
    g_autoptr(json_t) info =
        json_pack("{s:{s:[{s:I}, {s:s}, i], s:{s:s}, s:i}, s:{s:s, s:[i], s:{s:s}}}", "host",
                  "idMappings", "size", (json_int_t)-5, "size", "x", 1, "ociRuntime", "name",
                  "cr\033[31mun\n", "security", 3, "store", "graphDriverName", "overlay",
                  "graphStatus", 1, "graphOptions", "overlay.mount_program", "x");

    g_assert_nonnull(info);
    doctor_parse_info(&facts, info);
    g_assert_cmpuint(facts.mapped_uids, ==, 0);
    g_assert_false(facts.rootless);
    g_assert_null(strpbrk(facts.runtime_name, "\033\n"));
    g_auto(doctor_facts) none = {0};
    doctor_parse_info(&none, json_null());
    g_assert_null(none.storage_driver);
    doctor_facts odd = fine();
    odd.runtime_name = "cr\033[31mun\n";
    g_autoptr(GPtrArray) report = doctor_report(&odd);
    g_assert_null(strpbrk(find(report, "runtime")->what, "\033\n"));
}

/* Unlocked memory is a problem only where there is swap. */
static void test_lockable(void)
{
    doctor_facts facts = fine();
    facts.lockable = 64 << 10;
    expect(&facts, "ssh-memory", DOCTOR_WARNING, "memlock");
    facts.swap = FALSE;
    expect(&facts, "ssh-memory", DOCTOR_NOTE, "memlock");
    facts.lockable = RLIM_INFINITY;
    expect(&facts, "ssh-memory", DOCTOR_OK, NULL);
}

static void test_git(void)
{
    doctor_facts facts = fine();

    expect(&facts, "git", DOCTOR_OK, NULL);
    facts.bare_repository = "all";
    expect(&facts, "git", DOCTOR_NOTE, "safe.bareRepository explicit");
    facts.bare_repository = NULL;
    expect(&facts, "git", DOCTOR_NOTE, "safe.bareRepository explicit");
    facts.git_is_there = FALSE;
    expect(&facts, "git", DOCTOR_OK, NULL);
}

static void test_shims(void)
{
    doctor_facts facts = fine();

    facts.shims = 2;
    facts.shims_add = "export PATH=shims";
    expect(&facts, "shims", DOCTOR_WARNING, "export PATH=shims");
    facts.shims_on_path = TRUE;
    expect(&facts, "shims", DOCTOR_OK, NULL);
    facts.shims_hidden = "npm";
    expect(&facts, "shims", DOCTOR_WARNING, "to the front of PATH");
    facts.shims_stale = "claude";
    expect(&facts, "shims", DOCTOR_WARNING, "box shim add");
}

static void test_apps(void)
{
    doctor_facts facts = fine();

    facts.apps = 2;
    expect(&facts, "apps", DOCTOR_OK, NULL);
    facts.apps_stale = "gedit of box shop";
    expect(&facts, "apps", DOCTOR_WARNING, "box app export");
    facts.apps_orphaned = TRUE;
    expect(&facts, "apps", DOCTOR_WARNING, "box prune");
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
    g_test_add_func("/doctor/resolver", test_resolver);
    g_test_add_func("/doctor/fake-route", test_fake_route);
    g_test_add_func("/doctor/user", test_user);
    g_test_add_func("/doctor/subids", test_subids);
    g_test_add_func("/doctor/lockable", test_lockable);
    g_test_add_func("/doctor/count-ids", test_count_ids);
    g_test_add_func("/doctor/hostile-info", test_hostile_info);
    g_test_add_func("/doctor/git", test_git);
    g_test_add_func("/doctor/shims", test_shims);
    g_test_add_func("/doctor/apps", test_apps);
    return g_test_run();
}
