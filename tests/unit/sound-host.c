/* Where the host's sound server is, by the environment. */
#include "bridge/sound_host.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <limits.h>

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
    int done = sound_host_socket(path, sizeof path);
    g_assert_cmpint(done, ==, expected ? 0 : -1);
    if (expected)
        g_assert_cmpstr(path, ==, expected);
}

static void test_folders(void)
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

/* One on another machine, or several, is not asked for another one. */
static void test_servers(void)
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

static void test_room(void)
{
    char small[8];
    set(NULL, NULL, folder);
    g_assert_cmpint(sound_host_socket(small, sizeof small), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("sound-host-XXXXXX", NULL);
    g_autofree char *pulse = g_build_filename(folder, "pulse", NULL);
    native = g_build_filename(pulse, "native", NULL);
    g_assert_cmpint(g_mkdir(pulse, 0700), ==, 0);
    g_assert_true(g_file_set_contents(native, "", 0, NULL));
    g_test_add_func("/sound-host/folders", test_folders);
    g_test_add_func("/sound-host/servers", test_servers);
    g_test_add_func("/sound-host/room", test_room);
    int status = g_test_run();
    g_remove(native);
    g_remove(pulse);
    g_remove(folder);
    g_free(native);
    g_free(folder);
    return status;
}
