/* Where `box cp` looks on the host, while a box changes its project. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/exec/tree_copy.h"
#include "common/fs.h"

#define ROUNDS 1000

/* The project of a box with a folder "out", a link to a folder outside, and the two swapped by a
 * process of the box. */
typedef struct {
    char *top, *project, *outside;
    struct stat outside_is;
    pid_t swapper;
} fixture;

static void swap_for_ever(const char *project)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that aborts does not wait for it */
    int folder = open(project, O_PATH | O_DIRECTORY);
    while (renameat2(folder, "out", folder, "link", RENAME_EXCHANGE) == 0)
        ;
    _exit(1);
}

static void set_up(fixture *self)
{
    self->top = g_dir_make_tmp("cp-XXXXXX", NULL);
    g_autofree char *real = realpath(self->top, NULL);
    self->project = g_build_filename(real, "shop", NULL);
    self->outside = g_build_filename(real, "outside", NULL);
    g_autofree char *out = g_build_filename(self->project, "out", NULL);
    g_autofree char *link = g_build_filename(self->project, "link", NULL);
    g_autofree char *secret = g_build_filename(self->outside, "in", NULL);
    g_autofree char *fine = g_build_filename(out, "in", NULL);
    g_autofree char *data_folder = g_build_filename(real, "data/litterbox/boxes/shop", NULL);
    g_autofree char *record = g_build_filename(data_folder, "project", NULL);
    g_autofree char *linked = g_build_filename(real, "linked", NULL); /* the user's */
    g_assert_cmpint(symlink("data", linked), ==, 0);
    g_setenv("XDG_DATA_HOME", linked, TRUE);
    g_assert_cmpint(g_mkdir_with_parents(out, 0700) | g_mkdir_with_parents(secret, 0700) |
                        g_mkdir_with_parents(fine, 0700) | g_mkdir_with_parents(data_folder, 0700),
                    ==, 0);
    g_assert_true(g_file_set_contents(record, self->project, -1, NULL));
    g_assert_cmpint(symlink(self->outside, link), ==, 0);
    g_assert_cmpint(stat(self->outside, &self->outside_is), ==, 0);
    self->swapper = fork();
    if (self->swapper == 0)
        swap_for_ever(self->project);
}

static void tear_down(fixture *self)
{
    kill(self->swapper, SIGKILL);
    waitpid(self->swapper, NULL, 0);
    g_assert_true(fs_remove_tree(self->top, NULL));
    g_free(self->top);
    g_free(self->project);
    g_free(self->outside);
}

static gboolean is_outside(const fixture *self, int folder)
{
    struct stat st;
    g_assert_cmpint(fstat(folder, &st), ==, 0);
    return st.st_dev == self->outside_is.st_dev && st.st_ino == self->outside_is.st_ino;
}

/* Calls PLACE until it has found the folder, and has met the link, often enough. */
static void assert_stays_inside(const fixture *self, gboolean (*place)(tree_place *, const char *),
                                const char *name)
{
    g_autofree char *path = g_build_filename(self->project, name, NULL);
    guint found = 0, refused = 0;
    while (found < ROUNDS || refused < ROUNDS / 4) {
        g_auto(tree_place) at = {.folder = -1};
        gboolean done = place(&at, path);
        g_assert_false(done && is_outside(self, at.folder));
        found += done != 0;
        refused += !done;
    }
}

static gboolean as_target(tree_place *at, const char *path)
{
    return tree_place_target(at, path, "copy", NULL);
}

static gboolean as_source(tree_place *at, const char *path)
{
    g_autoptr(GError) problem = NULL;
    return tree_place_source(at, path, &problem);
}

static void test_target(gconstpointer self)
{
    assert_stays_inside(self, as_target, "out");
}

static void test_new_name(gconstpointer self)
{
    assert_stays_inside(self, as_target, "out/new");
}

static void test_source(gconstpointer self)
{
    assert_stays_inside(self, as_source, "out/in");
}

/* The user's data folder is a link, and the box has made one in its home. */
static void test_home(gconstpointer data)
{
    const fixture *self = data;
    g_autofree char *link = g_build_filename(self->top, "data/litterbox/boxes/shop/way", NULL);
    g_autofree char *path = g_build_filename(link, "in", NULL);
    g_auto(tree_place) at = {.folder = -1};
    g_assert_cmpint(symlink(self->outside, link), ==, 0);
    g_assert_false(as_source(&at, path));
    /* Control: a path without links. */
    g_autofree char *plain = g_build_filename(self->outside, "in", NULL);
    g_assert_true(as_source(&at, plain));
}

int main(int argc, char **argv)
{
    fixture made = {0};
    g_test_init(&argc, &argv, NULL);
    set_up(&made);
    g_test_add_data_func("/tree-copy/swapped-target", &made, test_target);
    g_test_add_data_func("/tree-copy/swapped-folder-of-a-new-name", &made, test_new_name);
    g_test_add_data_func("/tree-copy/swapped-folder-of-a-source", &made, test_source);
    g_test_add_data_func("/tree-copy/link-in-a-home", &made, test_home);
    int status = g_test_run();
    tear_down(&made);
    return status;
}
