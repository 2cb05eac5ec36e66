/* The difference of a file and nothing, which is ours, beside what diff(1) prints. */
#include "box/branch/patch.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/fs.h"

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

/* Many at once, by one diff. */

/* Number I: a text, or -1 for none. What looks like the words of diff itself is among them. */
static int pair_file(guint i, guint side)
{
    static const char *const more[] = {
        "diff -ru a/001 b/001\n", "Binary files a/002 and b/002 differ\n",
        "--- a/x\n+++ b/x\n",     "\\ No newline at end of file",
        "d/003\nB/004\n",
    };
    guint all = G_N_ELEMENTS(texts) + G_N_ELEMENTS(more);
    guint which = side ? (i * 7 + 3) % (all + 2) : i % (all + 2);
    if (which == all)
        return -1;
    if (which == all + 1)
        return file_of("x\0y", 3);
    const char *text =
        which < G_N_ELEMENTS(texts) ? texts[which] : more[which - G_N_ELEMENTS(texts)];
    return file_of(text, strlen(text));
}

static patch_batch *start_batch(void)
{
    patch_batch *self = patch_batch_new();
    for (guint i = 0; i < PATCH_BATCH_MAX; i++)
        patch_batch_add(self, pair_file(i, 0), pair_file(i, 1));
    g_assert_true(patch_batch_start(self, NULL));
    return self;
}

/* What is printed from now on, until end_capture(). */
static int begin_capture(int *saved)
{
    int fd = memfd_create("printed", MFD_CLOEXEC);
    fflush(stdout);
    *saved = dup(STDOUT_FILENO);
    g_assert_cmpint(dup2(fd, STDOUT_FILENO), >=, 0);
    return fd;
}

static char *end_capture(int fd, int saved)
{
    fflush(stdout);
    g_assert_cmpint(dup2(saved, STDOUT_FILENO), >=, 0);
    close(saved);
    gsize length = (gsize)lseek(fd, 0, SEEK_END);
    char *text = g_malloc0(length + 1);
    g_assert_cmpint(pread(fd, text, length, 0), ==, (gssize)length);
    close(fd);
    return text;
}

static void print_one_by_one(void)
{
    for (guint i = 0; i < PATCH_BATCH_MAX; i++) {
        int before = pair_file(i, 0), after = pair_file(i, 1);
        if (before >= 0 || after >= 0)
            g_assert_true(branch_patch_print(before, after, "x", NULL));
        close(before);
        close(after);
    }
}

static void test_batch(void)
{
    int saved, fd = begin_capture(&saved);
    print_one_by_one();
    g_autofree char *expected = end_capture(fd, saved);
    g_autoptr(patch_batch) batch = start_batch();
    fd = begin_capture(&saved);
    for (guint i = 0; i < PATCH_BATCH_MAX; i++)
        g_assert_true(patch_batch_print_next(batch, "x", NULL));
    g_autofree char *printed = end_capture(fd, saved);
    g_assert_true(patch_batch_end(batch, NULL));
    g_assert_cmpstr(printed, ==, expected);
    g_assert_cmpuint(strlen(printed), >, 1000);
}

static void test_batch_counts(void)
{
    g_autoptr(patch_batch) batch = start_batch();
    guint64 all = 0;
    for (guint i = 0; i < PATCH_BATCH_MAX; i++) {
        int before = pair_file(i, 0), after = pair_file(i, 1);
        branch_patch_lines lines = {0}, counted;
        if (before >= 0 || after >= 0)
            g_assert_true(branch_patch_count(before, after, &lines, NULL));
        g_assert_true(patch_batch_count_next(batch, &counted, NULL));
        g_assert_cmpuint(counted.added, ==, lines.added);
        g_assert_cmpuint(counted.removed, ==, lines.removed);
        g_assert_cmpint(counted.is_binary, ==, lines.is_binary);
        all += counted.added;
        close(before);
        close(after);
    }
    g_assert_cmpuint(all, >, 50);
    g_assert_true(patch_batch_end(batch, NULL));
}

/* When diff says nothing of the last ones, they are no files without a difference. */
static void test_batch_fails(void)
{
    g_autofree char *bin = g_build_filename(g_get_user_runtime_dir(), "bin", NULL);
    g_autofree char *diff = g_build_filename(bin, "diff", NULL);
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_assert_cmpint(g_mkdir(bin, 0700), ==, 0);
    g_assert_true(
        g_file_set_contents(diff, "#!/bin/sh\necho diff a/000 b/000\nkill -9 $$\n", -1, NULL));
    g_assert_cmpint(g_chmod(diff, 0700), ==, 0);
    g_setenv("PATH", bin, TRUE);
    g_autoptr(patch_batch) batch = start_batch();
    g_setenv("PATH", path, TRUE);
    branch_patch_lines lines;
    for (guint i = 0; i < PATCH_BATCH_MAX; i++)
        g_assert_true(patch_batch_count_next(batch, &lines, NULL));
    g_assert_false(patch_batch_end(batch, NULL));
    g_unlink(diff);
    g_rmdir(bin);
}

int main(int argc, char **argv)
{
    g_autofree char *runtime = g_dir_make_tmp("patch-XXXXXX", NULL);
    g_setenv("XDG_RUNTIME_DIR", runtime, TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/patch/as-diff", test_as_diff);
    g_test_add_func("/patch/counts", test_counts);
    g_test_add_func("/patch/limits", test_limits);
    g_test_add_func("/patch/batch", test_batch);
    g_test_add_func("/patch/batch-counts", test_batch_counts);
    g_test_add_func("/patch/batch-fails", test_batch_fails);
    int status = g_test_run();
    fs_remove_tree(runtime, NULL);
    return status;
}
