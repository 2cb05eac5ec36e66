#include "podman/service.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "podman/podman.h"

static char *folder;

static void refuse_url(const char *url)
{
    g_autoptr(GError) error = NULL;

    g_setenv("CONTAINER_HOST", url, TRUE);
    g_assert_null(podman_service_new(&error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
    g_assert_nonnull(strstr(error->message, "CONTAINER_HOST"));
}

static void test_container_host(void)
{
    const char *urls[] = {"unix:///a/b", "unix:/a/b"};
    g_autoptr(GError) error = NULL;

    for (gsize i = 0; i < G_N_ELEMENTS(urls); i++) {
        g_setenv("CONTAINER_HOST", urls[i], TRUE);
        g_autoptr(podman_service) self = podman_service_new(&error);
        g_assert_no_error(error);
        g_assert_cmpstr(podman_service_socket(self), ==, "/a/b");
        g_assert_true(podman_service_is_from_environment(self));
        /* Nothing else is started. */
        g_assert_false(podman_service_refused(self, ENOENT, &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
        g_clear_error(&error);
    }
    refuse_url("ssh://user@host/run/podman.sock");
    refuse_url("tcp://127.0.0.1:1");
    refuse_url("/run/podman.sock");
    refuse_url("unix:relative");
    refuse_url("unix://");
    g_unsetenv("CONTAINER_HOST");
}

static void test_order(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *users = g_build_filename(folder, "podman", "podman.sock", NULL);
    g_autofree char *ours = g_build_filename(folder, "litterbox", ".podman.sock", NULL);
    struct stat st;

    g_setenv("CONTAINER_HOST", "", TRUE); /* empty counts as unset */
    g_autoptr(podman_service) self = podman_service_new(&error);
    g_assert_no_error(error);
    g_assert_cmpstr(podman_service_socket(self), ==, users);
    g_assert_false(podman_service_is_from_environment(self));
    g_assert_true(podman_service_refused(self, ENOENT, &error));
    g_assert_cmpstr(podman_service_socket(self), ==, ours);
    g_autofree char *private = g_path_get_dirname(ours);
    g_assert_cmpint(stat(private, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0700);
    /* Starting a service helps with neither of these. */
    g_assert_false(podman_service_refused(self, EACCES, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
}

static void test_no_podman(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup(g_getenv("PATH"));

    g_setenv("PATH", folder, TRUE);
    g_assert_null(podman_connect(&error));
    g_setenv("PATH", path, TRUE);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
    g_assert_nonnull(strstr(error->message, "not installed"));
}

/* When podman ends at once, the end of its log is in the error. */
static void test_broken_podman(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autofree char *program = g_build_filename(folder, "podman", NULL);

    g_assert_true(g_file_set_contents(
        program, "#!/bin/sh\necho first; echo 'Error: storage \033[1m is odd' >&2; exit 125\n", -1,
        NULL));
    g_assert_cmpint(chmod(program, 0755), ==, 0);
    g_setenv("PATH", folder, TRUE);
    g_assert_null(podman_connect(&error));
    g_setenv("PATH", path, TRUE);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
    g_assert_nonnull(strstr(error->message, "storage \\x1b[1m is odd"));
    unlink(program);
}

/* Which descriptors, environment and folder the service inherits. */
static void test_inheritance(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup(g_getenv("PATH")), *text = NULL;
    g_autofree char *program = g_build_filename(folder, "podman", NULL);
    g_autofree char *log = g_build_filename(folder, "litterbox", ".podman.log", NULL);
    struct stat st;

    g_assert_true(g_file_set_contents(
        program,
        "#!/bin/bash\necho \"$$ $LISTEN_PID $LISTEN_FDS $PWD $*\"\n"
        "for fd in {0..99}; do [ -e /proc/$$/fd/$fd ] && echo has $fd; done; /usr/bin/env; umask\n",
        -1, NULL));
    g_assert_cmpint(chmod(program, 0755), ==, 0);
    g_setenv("SECRET_TOKEN", "hunter2", TRUE);
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/x", TRUE);
    g_setenv("PATH", folder, TRUE);
    int leak = dup(2);
    g_assert_null(podman_connect(&error));
    close(leak);
    g_setenv("PATH", path, TRUE);
    g_assert_true(g_file_get_contents(log, &text, NULL, NULL));
    g_autofree char *first = g_strndup(text, strcspn(text, "\n"));
    int pid, listen_pid, fds;
    g_assert_cmpint(sscanf(first, "%d %d %d", &pid, &listen_pid, &fds), ==, 3);
    g_assert_cmpint(pid, ==, listen_pid);
    g_assert_cmpint(fds, ==, 1);
    g_assert_true(g_str_has_suffix(first, " 1 / system service --time 60"));
    g_assert_nonnull(strstr(text, "has 0\nhas 1\nhas 2\nhas 3\n"));
    g_assert_null(strstr(strstr(text, "has 3\n") + 1, "has"));
    g_assert_null(strstr(text, "hunter2"));
    g_assert_null(strstr(text, "DBUS"));
    g_assert_null(strstr(text, "CONTAINER_HOST"));
    g_assert_nonnull(strstr(text, "XDG_RUNTIME_DIR="));
    g_assert_nonnull(strstr(text, "\n0077\n"));
    g_assert_cmpint(stat(log, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    unlink(program);
}

int main(int argc, char **argv)
{
    int status;

    folder = g_dir_make_tmp("service-XXXXXX", NULL);
    g_setenv("XDG_RUNTIME_DIR", folder, TRUE);
    g_unsetenv("CONTAINER_HOST");
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman/service/container-host", test_container_host);
    g_test_add_func("/podman/service/order", test_order);
    g_test_add_func("/podman/service/no-podman", test_no_podman);
    g_test_add_func("/podman/service/broken-podman", test_broken_podman);
    g_test_add_func("/podman/service/inheritance", test_inheritance);
    status = g_test_run();
    g_autofree char *clean = g_strdup_printf("rm -rf '%s'", folder);
    if (system(clean) != 0)
        status = 1;
    return status;
}
