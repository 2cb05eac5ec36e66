/* Where the user's desktop listens, by the environment. */
#include <glib.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>

#include "net/desktop_sockets.h"

static char *folder, *native;

static void set(const char *server, const char *pulse, const char *runtime)
{
    const char *names[] = {"PULSE_SERVER", "PULSE_RUNTIME_PATH", "XDG_RUNTIME_DIR"};
    const char *values[] = {server, pulse, runtime};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        if (values[i])
            g_setenv(names[i], values[i], TRUE);
        else
            g_unsetenv(names[i]);
    }
}

static void assert_found(const char *expected)
{
    char path[PATH_MAX] = "";
    int done = desktop_sound_socket(path, sizeof path);
    g_assert_cmpint(done, ==, expected ? 0 : -1);
    if (expected)
        g_assert_cmpstr(path, ==, expected);
}

static void sound_server_by_folder(void)
{
    g_autofree char *pulse = g_build_filename(folder, "pulse", NULL);
    set(NULL, NULL, folder);
    assert_found(native);
    set("", "", folder);
    assert_found(native);
    set(NULL, pulse, "/nowhere");
    assert_found(native);
    set(NULL, "/nowhere", folder);
    assert_found(NULL);
    set(NULL, NULL, NULL);
    assert_found(NULL);
    set(NULL, NULL, "relative");
    assert_found(NULL);
}

/* A server on another machine is not used, and neither is a list of servers. */
static void sound_server_by_address(void)
{
    static const struct {
        const char *before, *behind;
        gboolean found;
    } rows[] = {
        {"", "", TRUE},
        {"unix:", "", TRUE},
        {"{0123abcd}unix:", "", TRUE},
        {"tcp:", "", FALSE},
        {"{0123", "", FALSE},
        {"unix:", " tcp:localhost", FALSE},
        {"tcp:localhost ", "", FALSE},
        {"unix:", ".gone", FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *server = g_strconcat(rows[i].before, native, rows[i].behind, NULL);
        set(server, NULL, folder);
        assert_found(rows[i].found ? native : NULL);
    }
}

static void path_that_does_not_fit(void)
{
    char small[8];
    set(NULL, NULL, folder);
    g_assert_cmpint(desktop_sound_socket(small, sizeof small), ==, -1);
}

static void compositor_by_name(void)
{
    char path[PATH_MAX];
    g_unsetenv("WAYLAND_DISPLAY");
    g_setenv("XDG_RUNTIME_DIR", folder, TRUE);
    g_assert_cmpint(desktop_wayland_socket(path, sizeof path), ==, -1);
    g_setenv("WAYLAND_DISPLAY", "pulse/native", TRUE);
    g_assert_cmpint(desktop_wayland_socket(path, sizeof path), ==, 0);
    g_assert_cmpstr(path, ==, native);
    g_assert_cmpint(desktop_wayland_socket(path, strlen(native)), ==, -1);
    g_unsetenv("XDG_RUNTIME_DIR");
    g_assert_cmpint(desktop_wayland_socket(path, sizeof path), ==, -1);
    g_setenv("WAYLAND_DISPLAY", native, TRUE);
    g_assert_cmpint(desktop_wayland_socket(path, sizeof path), ==, 0);
    g_setenv("WAYLAND_DISPLAY", "/nowhere", TRUE);
    g_assert_cmpint(desktop_wayland_socket(path, sizeof path), ==, -1);
}

static void bus_addresses_that_run_programs_are_refused(void)
{
    g_assert_true(desktop_bus_is_socket("unix:path=/run/user/1000/bus"));
    g_assert_true(desktop_bus_is_socket("unix:path=/a;unix:abstract=b"));
    g_assert_false(desktop_bus_is_socket("unixexec:path=/bin/sh"));
    g_assert_false(desktop_bus_is_socket("unix:path=/a;unixexec:path=/bin/sh"));
    g_assert_false(desktop_bus_is_socket("unix:path=/a;"));
    g_assert_false(desktop_bus_is_socket(""));
    g_assert_false(desktop_bus_is_socket("tcp:host=localhost"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("desktop-sockets-XXXXXX", NULL);
    g_autofree char *pulse = g_build_filename(folder, "pulse", NULL);
    native = g_build_filename(pulse, "native", NULL);
    g_assert_cmpint(g_mkdir(pulse, 0700), ==, 0);
    g_assert_true(g_file_set_contents(native, "", 0, NULL));
    g_test_add_func("/desktop-sockets/sound-by-folder", sound_server_by_folder);
    g_test_add_func("/desktop-sockets/sound-by-address", sound_server_by_address);
    g_test_add_func("/desktop-sockets/long-path", path_that_does_not_fit);
    g_test_add_func("/desktop-sockets/wayland", compositor_by_name);
    g_test_add_func("/desktop-sockets/bus", bus_addresses_that_run_programs_are_refused);
    int status = g_test_run();
    g_remove(native);
    g_remove(pulse);
    g_remove(folder);
    g_free(native);
    g_free(folder);
    return status;
}
