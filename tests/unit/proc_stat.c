/* The lines of /proc/PID/stat. */
#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "guest/init/proc_stat.h"

static void assert_process(const char *line, int pid, const char *name, char state, int parent,
                           int terminal)
{
    struct process got;
    g_assert_cmpint(proc_stat_parse(line, &got), ==, 0);
    g_assert_cmpint(got.pid, ==, pid);
    g_assert_cmpstr(got.name, ==, name);
    g_assert_cmpint(got.state, ==, state);
    g_assert_cmpint(got.parent, ==, parent);
    g_assert_cmpint(got.terminal, ==, terminal);
}

static void lines_are_read(void)
{
    assert_process("7 (tmux: server) S 1 7 7 0 -1 4194368 ", 7, "tmux: server", 'S', 1, 0);
    assert_process("123 (bash) R 7 123 123 34816 130 4194304 1", 123, "bash", 'R', 7, 34816);
}

/* A name is no part of the rest, and is cut. */
static void any_name_is_only_a_name(void)
{
    assert_process("7 (x) Z 1 1 () S 5 7 7 3 -1", 7, "x) Z 1 1 (", 'S', 5, 3);
    assert_process("7 () S 5 7 7 3 -1", 7, "", 'S', 5, 3);
    assert_process("7 (a\nb\033c) S 5 7 7 3 -1", 7, "a\nb\033c", 'S', 5, 3);
    assert_process("7 (1234567890123456789) S 5 7 7 3 -1", 7, "123456789012345", 'S', 5, 3);
}

static void other_lines_are_refused(void)
{
    static const char *const wrong[] = {"",
                                        "7",
                                        "7 (bash",
                                        "7 bash) S 1 7 7 0",
                                        ")( S 1 7 7 0",
                                        "x (bash) S 1 7 7 0",
                                        "7 (bash) S 1 7 7",
                                        "7 (bash) S x 7 7 0",
                                        "7 (bash)"};
    struct process got;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpint(proc_stat_parse(wrong[i], &got), ==, -1);
}

static void the_kernels_line_is_read(void)
{
    g_autofree char *line = NULL;
    struct process got;
    g_assert_true(g_file_get_contents("/proc/self/stat", &line, NULL, NULL));
    g_assert_cmpint(proc_stat_parse(line, &got), ==, 0);
    g_assert_cmpint(got.pid, ==, getpid());
    g_assert_cmpint(got.parent, ==, getppid());
    g_assert_cmpint(got.state, ==, 'R');
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/proc-stat/lines", lines_are_read);
    g_test_add_func("/proc-stat/names", any_name_is_only_a_name);
    g_test_add_func("/proc-stat/wrong", other_lines_are_refused);
    g_test_add_func("/proc-stat/own", the_kernels_line_is_read);
    return g_test_run();
}
