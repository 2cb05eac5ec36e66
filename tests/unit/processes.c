/* The processes of a box: what the kernel says of them, and command lines that are not answered. */
#include "box/inspect/processes.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_uid_map(void)
{
    static const char map[] = "         0     100000       1000\n"
                              "      1000       1000          1\n"
                              "      1001     101000      64536\n";
    g_assert_cmpint(box_processes_map_uid(map, 100000), ==, 0);
    g_assert_cmpint(box_processes_map_uid(map, 100999), ==, 999);
    g_assert_cmpint(box_processes_map_uid(map, 1000), ==, 1000);
    g_assert_cmpint(box_processes_map_uid(map, 101001), ==, 1002);
    g_assert_cmpint(box_processes_map_uid(map, 0), ==, -1);
    g_assert_cmpint(box_processes_map_uid(map, 99999), ==, -1);
    g_assert_cmpint(box_processes_map_uid("", 0), ==, -1);
    g_assert_cmpint(box_processes_map_uid("x\n0 1\n", 0), ==, -1);
}

static void test_status(void)
{
    /* The kernel escapes the line break that a process put into its name. */
    static const char text[] = "Name:\tsh\\nUid:\\t7\nState:\tS (sleeping)\nPid:\t4242\n"
                               "Uid:\t1000\t1001\t1000\t1000\nNSpid:\t4242\t17\t3\nThreads:\t1\n";
    guint32 uid = 0;
    pid_t pid = 0;
    g_assert_true(box_processes_parse_status(text, 1, &uid, &pid));
    g_assert_cmpuint(uid, ==, 1001);
    g_assert_cmpint(pid, ==, 17);
    g_assert_true(box_processes_parse_status(text, 0, &uid, &pid));
    g_assert_cmpint(pid, ==, 4242);
    g_assert_false(box_processes_parse_status(text, 3, &uid, &pid));
    g_assert_false(box_processes_parse_status("", 0, &uid, &pid));
    g_assert_false(box_processes_parse_status("x\nUid:\t1\t2\n", 0, &uid, &pid));
    g_assert_false(box_processes_parse_status("x\nUid:\t1\t2\nNSpid:\tx\n", 0, &uid, &pid));
}

static void write_line(const char *proc, pid_t pid, const char *line, gssize length)
{
    g_autofree char *folder = g_strdup_printf("%s/%d", proc, (int)pid);
    g_autofree char *path = g_build_filename(folder, "cmdline", NULL);
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    if (line)
        g_assert_true(g_file_set_contents(path, line, length, NULL));
    else
        g_assert_cmpint(mkfifo(path, 0600), ==, 0);
}

/* A FIFO that nobody writes to waits as a file on a dead FUSE does. */
static void test_command_lines(void)
{
    g_autofree char *proc = g_dir_make_tmp("proc-XXXXXX", NULL);
    static const pid_t pids[] = {2, 3, 4, 5, 6};
    g_autofree char *many = g_strnfill(COMMAND_LINE_MAX + 10, 'x');
    write_line(proc, 2, "sh\0-c\0a b\0", 10);
    write_line(proc, 3, NULL, 0);
    write_line(proc, 4, "\033[31mred\nbox: forged\0", 20);
    write_line(proc, 5, many, -1);
    /* 6 has ended. */
    g_autoptr(GPtrArray) lines = command_lines_read(proc, pids, G_N_ELEMENTS(pids));
    g_assert_cmpuint(lines->len, ==, G_N_ELEMENTS(pids));
    g_assert_cmpstr(lines->pdata[0], ==, "sh -c a b");
    g_assert_cmpstr(lines->pdata[1], ==, "");
    g_assert_cmpstr(lines->pdata[2], ==, "\\x1b[31mred\\nbox: forged");
    g_assert_cmpuint(strlen(lines->pdata[3]), <=, COMMAND_LINE_MAX);
    g_assert_cmpstr(lines->pdata[4], ==, "");
    g_autofree char *quoted = g_shell_quote(proc);
    g_autofree char *command = g_strconcat("rm -r ", quoted, NULL);
    g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL));
}

static void test_many_stuck(void)
{
    g_autofree char *proc = g_dir_make_tmp("proc-XXXXXX", NULL);
    pid_t pids[20];
    for (int i = 0; i < 20; i++) {
        pids[i] = i + 2;
        write_line(proc, pids[i], NULL, 0);
    }
    gint64 begun = g_get_monotonic_time();
    g_autoptr(GPtrArray) lines = command_lines_read(proc, pids, G_N_ELEMENTS(pids));
    g_assert_cmpuint(lines->len, ==, G_N_ELEMENTS(pids));
    /* Not half a second for each. */
    g_assert_cmpint(g_get_monotonic_time() - begun, <, 8 * G_USEC_PER_SEC);
    g_autofree char *quoted = g_shell_quote(proc);
    g_autofree char *command = g_strconcat("rm -r ", quoted, NULL);
    g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL));
}

static void test_this_process(void)
{
    g_autoptr(GPtrArray) list = box_processes_find(getpid());
    g_assert_cmpuint(list->len, >=, 1);
    const box_process *self = list->pdata[0];
    g_assert_cmpint(self->host_pid, ==, getpid());
    g_assert_cmpint(self->memory, >, 100000);
    g_assert_nonnull(strstr(self->command, "processes"));
    g_autoptr(GPtrArray) none = box_processes_find(0);
    g_assert_cmpuint(none->len, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/processes/uid-map", test_uid_map);
    g_test_add_func("/processes/status", test_status);
    g_test_add_func("/processes/command-lines", test_command_lines);
    g_test_add_func("/processes/command-lines-that-are-not-answered", test_many_stuck);
    g_test_add_func("/processes/this-process", test_this_process);
    return g_test_run();
}
