/* What of the host a build sees, while the box of a folder above the project changes that. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/lifecycle/image_build.h"
#include "box/lifecycle/image_source.h"
#include "common/fs.h"

#define BUILDS 40
#define SECRET "a key of the user"

static char *make(const char *top, const char *name, const char *text)
{
    char *path = g_build_filename(top, name, NULL);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static pid_t start_swapping(const char *one, const char *other)
{
    pid_t pid = fork();
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (pid == 0 && renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0)
        ;
    if (pid == 0)
        _exit(1);
    return pid;
}

/* What the steps of a build of SOURCE could copy; NULL: it is refused. */
static char *pack(const image_source *source, const char *copy)
{
    build_context context;
    g_autoptr(GString) packed = g_string_new(NULL);
    char block[4096];
    int folder = image_source_open(source);
    gboolean opened = build_context_open(&context, folder, NULL, copy, source->file, NULL);
    if (folder >= 0)
        close(folder);
    if (!opened)
        return NULL;
    for (ssize_t n; (n = read(context.fd, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            g_string_append_c(packed, block[i] ? block[i] : ' ');
    g_assert_true(build_context_close(&context, NULL));
    return g_string_free(g_steal_pointer(&packed), FALSE);
}

static void test_swapped(void)
{
    g_autofree char *made = g_dir_make_tmp("build-XXXXXX", NULL), *top = realpath(made, NULL);
    g_autofree char *file = make(top, "shop/sub/fine", "of the project");
    g_autofree char *secret = make(top, "outside/key", SECRET);
    g_autofree char *project = g_path_get_dirname(file), *outside = g_path_get_dirname(secret);
    g_autofree char *link = g_build_filename(top, "shop/link", NULL);
    guint found = 0, refused = 0;
    image_source source = {.folder = project, .is_of_project = TRUE};
    g_assert_cmpint(symlink(outside, link), ==, 0);
    pid_t swapper = start_swapping(project, link);
    while (found < BUILDS || refused < BUILDS) {
        g_autofree char *packed = pack(&source, NULL);
        g_assert_false(packed && strstr(packed, SECRET));
        g_assert_true(!packed || strstr(packed, "of the project"));
        found += packed != NULL;
        refused += !packed;
    }
    kill(swapper, SIGKILL);
    waitpid(swapper, NULL, 0);
    g_assert_true(fs_remove_tree(top, NULL));
}

/* The box may have put a link in the place of the folder that the Containerfile was read from. */
static void test_contents(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *made = g_dir_make_tmp("build-XXXXXX", NULL), *top = realpath(made, NULL);
    g_autofree char *project = g_build_filename(top, "shop", NULL);
    g_autofree char *copy = g_build_filename(top, "copy", NULL);
    g_autofree char *file = make(project, "docker/Containerfile", "swapped");
    g_autofree char *folder = g_path_get_dirname(file);
    g_autofree char *moved = g_build_filename(project, "moved", NULL);
    image_source source = {.folder = project,
                           .is_of_project = TRUE,
                           .file = (char *)"docker/Containerfile",
                           .contents = g_bytes_new_static("approved", 8)};
    g_free(make(project, "Containerfile", "of the project"));
    g_assert_true(image_source_write_copies(&source, copy, &error));
    g_autofree char *first = pack(&source, copy);
    g_assert_nonnull(strstr(first, "approved"));
    g_assert_nonnull(strstr(first, "of the project"));
    g_assert_null(strstr(first, "swapped"));

    g_assert_cmpint(rename(folder, moved), ==, 0);
    g_assert_cmpint(symlink("moved", folder), ==, 0);
    g_autofree char *second = pack(&source, copy);
    const char *link = strstr(second, "./docker");
    g_assert_true(link && strstr(link + 1, "docker/Containerfile"));
    g_assert_true(strstr(link, "approved"));
    g_bytes_unref(source.contents);
    g_assert_true(fs_remove_tree(top, NULL));
}

/* A box makes a file of a TiB at no cost, and pays for what it writes. */
static void test_max(void)
{
    g_autofree char *made = g_dir_make_tmp("build-XXXXXX", NULL);
    g_autofree char *text = g_strnfill(4 << 20, 'x');
    g_autofree char *file = make(made, "sub/file", text), *holes = make(made, "sub/holes", "");
    g_free(make(made, "Containerfile", "FROM x"));
    const gint64 before = build_context_max(made);
    g_assert_cmpint(truncate(holes, (off_t)1 << 40), ==, 0);
    g_assert_cmpint(build_context_max(made), <, (gint64)1 << 30);
    g_assert_cmpint(build_context_max(made), >=, before);
    g_assert_cmpint(unlink(file), ==, 0);
    g_assert_cmpint(before - build_context_max(made), >=, 4 << 20);
    g_assert_true(fs_remove_tree(made, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/build-context/swapped-project", test_swapped);
    g_test_add_func("/build-context/contents", test_contents);
    g_test_add_func("/build-context/max", test_max);
    return g_test_run();
}
