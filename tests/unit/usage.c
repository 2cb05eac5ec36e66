/* The parser of /proc/PID/cgroup, and a measurement of this process. */
#include "box/inspect/usage.h"

#include <unistd.h>

#define ID "4f5e8a"

static void test_cgroup(void)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
         ".scope/container\n",
         "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope"},
        {"9:name=systemd:/\n4:memory:/x-" ID "\n0::/libpod-" ID "\n", "/libpod-" ID},
        /* The box is in the cgroup of the process that started it, so its figures do not count. */
        {"0::/main\n", NULL},
        {"0::/\n", NULL},
        {"0::/../../libpod-" ID "\n", NULL},
        {"4:memory:/libpod-" ID "\n", NULL},
        {"10::/libpod-" ID "\n", NULL},
        {"", NULL},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = box_usage_cgroup_path(cases[i].text, ID);
        g_assert_cmpstr(path, ==, cases[i].expected);
    }
    g_assert_null(box_usage_cgroup_path("0::/main\n", ""));
}

static void test_this_process(void)
{
    g_autoptr(GArray) processes = NULL;
    box_usage now;

    g_assert_true(box_usage_measure(getpid(), "no such container", &processes, &now));
    g_assert_false(now.by_cgroup);
    g_assert_cmpint(now.memory, >, 100000);
    g_assert_cmpint(now.pids, >=, 1);
    g_assert_cmpint(now.memory_limit, ==, -1);
    g_assert_false(box_usage_measure(0, "x", &processes, &now));
    g_assert_false(box_usage_measure(1 << 30, "x", &processes, &now));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/usage/cgroup", test_cgroup);
    g_test_add_func("/usage/this-process", test_this_process);
    return g_test_run();
}
