/* Steps in the configurations of images, as hostile registries write them. */
#include "podman/storage.h"

#include <string.h>

#include "common/fs.h"

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
    assert_steps("{\"schemaVersion\":1,\"history\":[{\"v1Compatibility\":\"{}\"}]}", "!");
}

/* NUMBER: how many images Podman says it has; LIST: what its storage names; NULL: no list. */
static gboolean reads(gsize number, const char *list, GString *told)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *root = g_dir_make_tmp("steps.XXXXXX", NULL);
    g_autofree char *folder = g_build_filename(root, "overlay-images", NULL);
    g_autofree char *path = g_build_filename(folder, "images.json", NULL);
    g_autofree char *image = g_build_filename(folder, "ab", NULL);
    g_autofree char *config = g_build_filename(image, "=c2hhMjU2OmE=", NULL);
    g_assert_cmpint(g_mkdir_with_parents(image, 0700), ==, 0);
    g_assert_true(g_file_set_contents(config, "{\"config\":{\"OnBuild\":[\"RUN a\"]}}", -1, NULL));
    g_assert_true(!list || g_file_set_contents(path, list, -1, NULL));
    gboolean read = storage_steps_in(root, "overlay", number, collect, told, &error);
    g_assert_true(read == !error);
    fs_remove_tree(root, NULL);
    return read;
}

static void storage(void)
{
    static const char one[] = "[{\"id\":\"ab\",\"big-data-names\":[\"sha256:a\"]}]";
    g_autoptr(GString) told = g_string_new(NULL);
    g_assert_true(reads(1, one, told));
    g_assert_cmpstr(told->str, ==, "RUN a;");
    /* One was removed meanwhile, or has come. */
    g_assert_true(reads(0, one, told));
    g_assert_true(reads(0, NULL, told));
    /* There are others elsewhere. */
    g_assert_false(reads(2, one, told));
    g_assert_false(reads(1, "[]", told));
    g_assert_false(reads(1, NULL, told));
    g_assert_false(reads(0, "{}", told));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman_storage_steps/steps", steps);
    g_test_add_func("/podman_storage_steps/unclear", unclear);
    g_test_add_func("/podman_storage_steps/storage", storage);
    return g_test_run();
}
