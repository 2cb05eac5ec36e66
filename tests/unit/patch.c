/* The difference of a file and nothing, which is ours, beside what diff(1) prints. */
#include "box/branch/patch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const texts[] = {
    "",
    "\n",
    "one\n",
    "one",
    "one\ntwo\n",
    "one\n\n\ntwo",
    "tab\there\r\nreturn\r\n",
    "+plus\n-minus\n@@ -1 +1 @@\n\\ No newline at end of file\n",
    "\xff\xfe bytes\n\x1b[31m",
};

static int file_of(const char *text, gsize length)
{
    int fd = memfd_create("patch", MFD_CLOEXEC);
    g_assert_cmpint(write(fd, text, length), ==, (gssize)length);
    return fd;
}

/* What diff prints of the files FROM and TO, which it calls LABEL_FROM and LABEL_TO. */
static char *run_diff(const char *label_from, const char *label_to, const char *from,
                      const char *to)
{
    const char *argv[] = {"diff", "-u", "--label", label_from, "--label", label_to, from, to, NULL};
    char *output = NULL;
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
                               NULL, NULL, NULL));
    return output;
}

static void expect_as_diff(const char *text)
{
    int fd = file_of(text, strlen(text));
    g_autofree char *path = g_strdup_printf("/proc/%d/fd/%d", getpid(), fd);
    g_autofree char *added = run_diff("/dev/null", "b/x", "/dev/null", path);
    g_autofree char *removed = run_diff("a/x", "/dev/null", path, "/dev/null");
    gboolean is_cut;
    g_autoptr(GString) ours = branch_patch_read(-1, fd, "x", &is_cut, NULL);
    g_assert_cmpstr(ours->str, ==, added);
    g_assert_false(is_cut);
    g_autoptr(GString) gone = branch_patch_read(fd, -1, "x", &is_cut, NULL);
    g_assert_cmpstr(gone->str, ==, removed);
    g_assert_false(is_cut);
    close(fd);
}

static void test_as_diff(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        expect_as_diff(texts[i]);
}

static void expect_lines(const char *text, gsize length, guint64 count, gboolean is_binary)
{
    int fd = file_of(text, length);
    branch_patch_lines lines;
    g_assert_true(branch_patch_count(-1, fd, &lines, NULL));
    g_assert_cmpuint(lines.added, ==, count);
    g_assert_cmpuint(lines.removed, ==, 0);
    g_assert_cmpint(lines.is_binary, ==, is_binary);
    g_assert_true(branch_patch_count(fd, -1, &lines, NULL));
    g_assert_cmpuint(lines.added, ==, 0);
    g_assert_cmpuint(lines.removed, ==, count);
    g_assert_cmpint(lines.is_binary, ==, is_binary);
    close(fd);
}

static void test_counts(void)
{
    static const char late_zero[] = "text\ntext\n\0";
    expect_lines("", 0, 0, FALSE);
    expect_lines("a", 1, 1, FALSE);
    expect_lines("a\n\nb", 4, 3, FALSE);
    expect_lines(late_zero, sizeof late_zero, 0, TRUE);
}

/* Of what is not shown, or not all of it, that is said. */
static void test_limits(void)
{
    gboolean is_cut;
    int binary = file_of("\0\n", 2), large = file_of("", 0), long_line = file_of("", 0);
    g_autoptr(GString) text = branch_patch_read(-1, binary, "x", &is_cut, NULL);
    g_assert_cmpstr(text->str, ==, "Binary files /dev/null and b/x differ\n");
    g_assert_false(is_cut);

    g_assert_cmpint(ftruncate(large, PATCH_FILE_MAX + 1), ==, 0);
    branch_patch_lines lines;
    g_assert_true(branch_patch_count(-1, large, &lines, NULL));
    g_assert_true(lines.is_binary);
    g_autoptr(GString) none = branch_patch_read(large, -1, "x", &is_cut, NULL);
    g_assert_cmpstr(none->str, ==, "");
    g_assert_true(is_cut);

    g_autofree char *letters = g_strnfill(2 << 20, 'a');
    g_assert_cmpint(write(long_line, letters, 2 << 20), ==, 2 << 20);
    g_autoptr(GString) part = branch_patch_read(-1, long_line, "x", &is_cut, NULL);
    g_assert_true(is_cut);
    g_assert_cmpuint(part->len, ==, 1 << 20);
    g_assert_true(g_str_has_prefix(part->str, "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+aaa"));
    close(binary);
    close(large);
    close(long_line);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/patch/as-diff", test_as_diff);
    g_test_add_func("/patch/counts", test_counts);
    g_test_add_func("/patch/limits", test_limits);
    return g_test_run();
}
