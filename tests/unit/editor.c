#include "box/exec/editor.h"

#include <glib/gstdio.h>

static void assert_location(const char *text, const char *path, guint line)
{
    editor_location location;
    editor_location_parse(text, &location);
    g_autofree char *wanted = g_canonicalize_filename(path, NULL);
    g_assert_cmpstr(location.path, ==, wanted);
    g_assert_cmpuint(location.line, ==, line);
    editor_location_clear(&location);
}

static void test_locations(void)
{
    assert_location("a.c", "a.c", 0);
    assert_location("a.c:12", "a.c", 12);
    assert_location("a.c:12:5", "a.c", 12);
    assert_location("/x/a.c:12", "/x/a.c", 12);
    assert_location("a.c:0", "a.c:0", 0);
    assert_location("a.c:", "a.c:", 0);
    assert_location("a.c:-1", "a.c:-1", 0);
    assert_location("a.c:1x", "a.c:1x", 0);
    assert_location("a.c:99999999999", "a.c:99999999999", 0);
    assert_location(":12", ":12", 0);
    assert_location("a:1:2:3", "a:1", 2);
}

/* A file with exactly this name is meant. */
static void test_colons(void)
{
    g_autofree char *folder = g_dir_make_tmp("editor-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "odd:12", NULL);
    g_autofree char *line = g_strconcat(path, ":3", NULL);
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    assert_location(path, path, 0);
    assert_location(line, path, 3);
    g_unlink(path);
    g_rmdir(folder);
}

/* The arguments of PROGRAM for LINE of /p/a (0: none), joined by spaces. */
static void assert_argv(const char *program, guint line, gboolean terminal, gboolean wait,
                        const char *expected)
{
    const char *const words[] = {program, "-x", NULL};
    g_autoptr(GArray) locations = g_array_new(FALSE, FALSE, sizeof(editor_location));
    editor_location location = {(char *)"/p/a", line};
    g_array_append_val(locations, location);
    g_auto(GStrv) argv = editor_argv(editor_find(program), words, terminal, wait, locations, "/p");
    g_autofree char *joined = g_strjoinv(" ", argv);
    g_assert_cmpstr(joined, ==, expected);
}

static void test_lines(void)
{
    assert_argv("nvim", 7, TRUE, FALSE, "nvim -x +7 /p/a");
    assert_argv("/opt/bin/nvim", 7, TRUE, TRUE, "/opt/bin/nvim -x +7 /p/a");
    assert_argv("hx", 7, TRUE, FALSE, "hx -x /p/a:7");
    assert_argv("code", 7, FALSE, FALSE, "code -x --goto /p/a:7");
    assert_argv("code", 0, FALSE, TRUE, "code -x --wait /p/a");
    assert_argv("zed", 7, FALSE, TRUE, "zed -x --wait /p/a:7");
    assert_argv("clion", 7, FALSE, FALSE, "clion -x --line 7 /p/a");
    assert_argv("emacs", 7, FALSE, TRUE, "emacs -x +7 /p/a");
    assert_argv("emacs", 7, TRUE, FALSE, "emacs -x -nw +7 /p/a");
    assert_argv("unheard-of", 7, TRUE, TRUE, "unheard-of -x /p/a");
}

static void test_folder(void)
{
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(editor_location));
    const char *const code[] = {"code", NULL}, *const nano[] = {"nano", NULL};
    g_auto(GStrv) with = editor_argv(editor_find("code"), code, FALSE, FALSE, none, "/p");
    g_auto(GStrv) without = editor_argv(editor_find("nano"), nano, TRUE, FALSE, none, "/p");
    g_assert_cmpstr(with[1], ==, "/p");
    g_assert_null(with[2]);
    g_assert_null(without[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/editor/locations", test_locations);
    g_test_add_func("/editor/colons", test_colons);
    g_test_add_func("/editor/lines", test_lines);
    g_test_add_func("/editor/folder", test_folder);
    return g_test_run();
}
