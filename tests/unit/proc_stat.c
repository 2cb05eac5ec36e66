/* The lines of /proc/PID/stat. */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/proc_stat.h"

/* Fields 8 to 39, as a bash had them. */
#define REST                                                                                 \
    " -1 4194304 1580 25034 4 29 5 3 26 11 20 0 1 0 28371 4796416 902 18446744073709551615 " \
    "94022186528768 94022187327421 140726338281104 0 0 0 65536 3670020 1266777851 1 0 0 17 3"

static void assert_process(const char *line, int pid, const char *name, char state, int parent,
                           int terminal)
{
    struct proc_stat got;
    g_assert_cmpint(proc_stat_parse(&got, line), ==, 0);
    g_assert_cmpint(got.pid, ==, pid);
    g_assert_cmpstr(got.name, ==, name);
    g_assert_cmpint(got.state, ==, state);
    g_assert_cmpint(got.parent, ==, parent);
    g_assert_cmpint(got.terminal, ==, terminal);
}

static void lines_are_read(void)
{
    assert_process("7 (tmux: server) S 1 7 7 0" REST, 7, "tmux: server", 'S', 1, 0);
    assert_process("123 (bash) R 7 123 123 34816" REST " 0 0\n", 123, "bash", 'R', 7, 34816);
}

static void each_field_is_found(void)
{
    struct proc_stat got;
    g_assert_cmpint(proc_stat_parse(&got, "123 (bash) R 7 122 121 34816" REST), ==, 0);
    g_assert_cmpint(got.session, ==, 121);
    g_assert_cmpuint(got.children_ticks, ==, 26 + 11);
    g_assert_cmpuint(got.threads, ==, 1);
    g_assert_cmpuint(got.start, ==, 28371);
    g_assert_cmpuint(got.size, ==, 4796416);
    g_assert_cmpuint(got.pages, ==, 902);
    g_assert_cmpint(got.processor, ==, 3);
}

static void terminals_are_known(void)
{
    static const struct {
        int number, pty;
    } cases[] = {
        {0, -1},    /* none */
        {1025, -1}, /* /dev/tty1 */
        {34816, 0}, /* /dev/pts/0 */
        {34816 + 255, 255},
        {(1 << 20) + 34816, 256},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(proc_stat_pty(&(struct proc_stat){.terminal = cases[i].number}), ==,
                        cases[i].pty);
}

/* A name is no part of the rest, and is cut. */
static void any_name_is_only_a_name(void)
{
    assert_process("7 (x) Z 1 1 () S 5 7 7 3" REST, 7, "x) Z 1 1 (", 'S', 5, 3);
    assert_process("7 () S 5 7 7 3" REST, 7, "", 'S', 5, 3);
    assert_process("7 (a\nb\033c) S 5 7 7 3" REST, 7, "a\nb\033c", 'S', 5, 3);
    assert_process("7 (1234567890123456789) S 5 7 7 3" REST, 7, "123456789012345", 'S', 5, 3);
}

static void other_lines_are_refused(void)
{
    static const char *const wrong[] = {"",
                                        "7",
                                        "7 (bash",
                                        "7 bash) S 1 7 7 0" REST,
                                        ")( S 1 7 7 0" REST,
                                        "7 )( S 1 7 7 0" REST,
                                        "x (bash) S 1 7 7 0" REST,
                                        "7 (bash) S 1 7 7 0",
                                        "7 (bash) S x 7 7 0" REST,
                                        "7 (bash) S - 7 7 0" REST,
                                        "7 (bash) S  7 7 0" REST,
                                        "7 (bash) SS 1 7 7 0" REST,
                                        "7 (bash) ",
                                        "7 (bash)"};
    struct proc_stat got;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpint(proc_stat_parse(&got, wrong[i]), ==, -1);
}

/* However short, a part of a line is no line. */
static void cut_lines_are_refused(void)
{
    g_autofree char *line = g_strdup("123 (bash) R 7 123 123 34816" REST);
    struct proc_stat got;
    for (char *last = strrchr(line, ' '); last > line; last--) {
        *last = '\0';
        g_assert_cmpint(proc_stat_parse(&got, line), ==, -1);
    }
}

static void the_kernels_line_is_read(void)
{
    struct proc_stat got;
    g_assert_cmpint(proc_stat_read(&got, getpid()), ==, 0);
    g_assert_cmpint(got.pid, ==, getpid());
    g_assert_cmpint(got.parent, ==, getppid());
    g_assert_cmpint(got.session, ==, getsid(0));
    g_assert_cmpint(got.state, ==, 'R');
    g_assert_cmpuint(got.threads, ==, 1);
    g_assert_cmpuint(got.size, >, got.pages);
    g_assert_cmpint(got.processor, <, sysconf(_SC_NPROCESSORS_CONF));
    g_assert_cmpint(proc_stat_read(&got, 1 << 30), ==, -1);
    g_assert_cmpint(errno, ==, ENOENT);
}

/* A zombie is none that lives. */
static void zombies_do_not_live(void)
{
    siginfo_t info;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    g_assert_true(proc_stat_is_alive(getpid()));
    g_assert_false(proc_stat_is_alive(0));
    g_assert_no_errno(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    g_assert_false(proc_stat_is_alive(child));
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    g_assert_false(proc_stat_is_alive(child));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/proc-stat/lines", lines_are_read);
    g_test_add_func("/proc-stat/fields", each_field_is_found);
    g_test_add_func("/proc-stat/terminals", terminals_are_known);
    g_test_add_func("/proc-stat/names", any_name_is_only_a_name);
    g_test_add_func("/proc-stat/wrong", other_lines_are_refused);
    g_test_add_func("/proc-stat/cut", cut_lines_are_refused);
    g_test_add_func("/proc-stat/own", the_kernels_line_is_read);
    g_test_add_func("/proc-stat/alive", zombies_do_not_live);
    return g_test_run();
}
