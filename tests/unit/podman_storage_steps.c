/* Steps in the configurations of images, as hostile registries write them. */
#include "podman/storage_steps.h"

#include <string.h>

static gboolean collect(const char *image, const char *step, gpointer data, GError **error)
{
    g_string_append_printf(data, "%s;", step);
    return strcmp(step, "stop") != 0;
}

/* EXPECTED: the steps; "!" behind them: nobody can be sure. */
static void assert_steps(const char *text, const char *expected)
{
    g_autoptr(GString) steps = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    if (!storage_steps_parse("a", text, strlen(text), collect, steps, &error))
        g_string_append_c(steps, '!');
    g_assert_cmpstr(steps->str, ==, expected);
}

static void steps(void)
{
    assert_steps("{\"config\":{\"Env\":[\"OnBuild\"],\"OnBuild\":null}}", "");
    assert_steps("{\"config\":{\"OnBuild\":[\"RUN a\",\"USER b\"]}}", "RUN a;USER b;");
    assert_steps("{\"Config\":{\"onbuild\":[\"a\"],\"ONBUILD\":[\"b\"]}}", "a;b;");
    assert_steps("{\"config\":{\"OnBuild\":[\"stop\",\"a\"]}}", "stop;!");
}

static void unclear(void)
{
    assert_steps("{\"config\":{\"OnBuild\":[\"a\"]},\"config\":{}}", "!");
    assert_steps("{\"config\":{\"OnBuild\":[\"a\"]}} x", "!");
    assert_steps("", "!");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman_storage_steps/steps", steps);
    g_test_add_func("/podman_storage_steps/unclear", unclear);
    return g_test_run();
}
