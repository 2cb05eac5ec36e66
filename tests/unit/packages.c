/* The layer of [box] packages: each manager's command line, and names that stay arguments. */
#include <glib/gstdio.h>
#include <jansson.h>
#include <string.h>

#include "box/lifecycle/image_source.h"
#include "common/fs.h"

/* Programs that write down how they were called. They are all that the script finds. */
static void put_program(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\necho %s \"$@\" >>%s/calls\n", name, folder);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_cmpint(g_chmod(path, 0755), ==, 0);
}

/* The command of the Containerfile that adds NAMES; free with g_strfreev(). */
static char **command_of(const char *names)
{
    g_autofree char *file = packages_containerfile("0123abcd", names);
    json_t *argv = json_loads(strstr(file, "RUN ") + strlen("RUN "), JSON_DISABLE_EOF_CHECK, NULL);
    char **command = g_new0(char *, json_array_size(argv) + 1);
    g_assert_cmpuint(json_array_size(argv), >, 4);
    for (size_t i = 0; i < json_array_size(argv); i++)
        command[i] = g_strdup(json_string_value(json_array_get(argv, i)));
    json_decref(argv);
    return command;
}

/* Runs it where MANAGER is the only one. Its calls, one a line. */
static char *calls_of(const char *manager)
{
    g_autofree char *folder = g_dir_make_tmp("packages-XXXXXX", NULL);
    g_autofree char *calls = g_build_filename(folder, "calls", NULL);
    g_autofree char *path = g_strconcat("PATH=", folder, NULL);
    char *env[] = {path, NULL};
    g_auto(GStrv) argv = command_of("g++ a=1~2");
    char *text = NULL;
    int status;
    put_program(folder, "rm");
    put_program(folder, manager);
    g_assert_true(g_spawn_sync(NULL, argv, env, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                               &status, NULL));
    g_assert_true(g_spawn_check_wait_status(status, NULL) == !g_str_equal(manager, "none"));
    g_file_get_contents(calls, &text, NULL, NULL);
    g_assert_true(fs_remove_tree(folder, NULL));
    return text;
}

static void assert_calls(const char *manager, const char *expected)
{
    g_autofree char *calls = calls_of(manager);
    g_assert_true(calls && g_str_has_prefix(calls, expected));
}

static void test_managers(void)
{
    assert_calls("apt-get", "apt-get update\n"
                            "apt-get install -y --no-install-recommends g++ a=1~2\n"
                            "apt-get clean\nrm -rf /var/lib/apt/lists/");
    assert_calls("dnf", "dnf -y install g++ a=1~2\ndnf clean all\n");
    assert_calls("microdnf", "microdnf -y install g++ a=1~2\nmicrodnf clean all\n");
    assert_calls("zypper", "zypper --non-interactive install g++ a=1~2\nzypper clean --all\n");
    assert_calls("pacman", "pacman -Syu --noconfirm --needed g++ a=1~2\n"
                           "rm -rf /var/cache/pacman/pkg/");
    assert_calls("apk", "apk add --no-cache g++ a=1~2\n");
    g_autofree char *none = calls_of("none");
    g_assert_cmpstr(none, ==, NULL);
}

static void test_text(void)
{
    char *list[] = {"b", "a", "b", "g++", NULL};
    g_autofree char *text = packages_text(list), *none = packages_text(NULL);
    g_assert_cmpstr(text, ==, "a b g++");
    g_assert_cmpstr(none, ==, "");
}

static void test_containerfile(void)
{
    g_autofree char *file = packages_containerfile("0123abcd", "a b");
    g_assert_true(
        g_str_has_prefix(file, "FROM 0123abcd\nUSER 0\nRUN [\"/bin/sh\", \"-c\", \"set -e; "));
    g_assert_true(g_str_has_suffix(file, "fi\", \"packages\", \"a\", \"b\"]\n"));
    g_auto(GStrv) lines = g_strsplit(file, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packages/managers", test_managers);
    g_test_add_func("/packages/text", test_text);
    g_test_add_func("/packages/containerfile", test_containerfile);
    return g_test_run();
}
