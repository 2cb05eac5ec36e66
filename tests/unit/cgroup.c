/* Which cgroup is a container's. */
#include "common/cgroup.h"

#include <glib/gstdio.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define USER "/user.slice/user-1000.slice/user@1000.service"

static void check(const char *cgroup, const char *own, const char *expected)
{
    g_autofree char *text = g_strdup_printf("9:name=systemd:/\n0::%s\n", cgroup);
    g_autofree char *self = g_strdup_printf("0::%s\n", own);
    g_autofree char *found = cgroup_parse_container(text, self);
    g_assert_cmpstr(found, ==, expected);
}

static void test_container(void)
{
    /* With systemd, with cgroupfs, and as crun names it where nobody does. */
    check(USER "/user.slice/libpod-" ID ".scope/container", USER "/app.slice/x.scope",
          USER "/user.slice/libpod-" ID ".scope");
    check("/libpod_parent/libpod-" ID, "/main", "/libpod_parent/libpod-" ID);
    check("/" ID, "/main", "/" ID);
    /* What the box has made below it belongs to it. */
    check("/" ID "/a/b", "/", "/" ID);
    check("/docker/" ID "/libpod-" ID "/a", "/docker/" ID "/main", "/docker/" ID "/libpod-" ID);
}

static void test_none(void)
{
    /* In no cgroup of its own: that of the user's session, or what this process is in, too. */
    check(USER "/app.slice/x.scope", USER "/app.slice/y.scope", NULL);
    check("/", "/", NULL);
    check("/docker/" ID, "/docker/" ID, NULL);
    check("/docker/" ID, "/docker/" ID "/main", NULL);
    check("/libpod-conmon-" ID ".scope", "/main", NULL);
    check("/libpod-" ID "0", "/main", NULL);
    check("/libpod-abc", "/main", NULL);
    check("/libpod-" ID ".slice", "/main", NULL);
    /* Outside of what this process sees. */
    check("/../libpod-" ID, "/main", NULL);
    g_assert_null(cgroup_parse_container("9:name=systemd:/libpod-" ID "\n", "0::/\n"));
    g_assert_null(cgroup_parse_container("0::/libpod-" ID "\n", ""));
}

static void test_user_bus(void)
{
    g_autofree char *folder = g_dir_make_tmp("bus-XXXXXX", NULL);
    g_autofree char *bus = g_build_filename(folder, "bus", NULL);
    g_setenv("XDG_RUNTIME_DIR", folder, TRUE);
    /* That is not the bus on which systemd is asked. */
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=x", TRUE);
    g_assert_false(cgroup_has_user_bus());
    g_assert_true(g_file_set_contents(bus, "", 0, NULL));
    g_assert_true(cgroup_has_user_bus());
    g_assert_cmpint(g_unlink(bus), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cgroup/container", test_container);
    g_test_add_func("/cgroup/none", test_none);
    g_test_add_func("/cgroup/user_bus", test_user_bus);
    return g_test_run();
}
