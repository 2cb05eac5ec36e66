#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"

typedef struct {
    char *dir;
    int fd;
} fixture;

static void setup(fixture *f, gconstpointer data)
{
    f->dir = g_dir_make_tmp("litterbox-fs-XXXXXX", NULL);
    f->fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(f->fd, >=, 0);
}

static void teardown(fixture *f, gconstpointer data)
{
    close(f->fd);
    fs_remove_tree(f->dir, NULL);
    g_free(f->dir);
}

static char *in(const fixture *f, const char *name)
{
    return g_build_filename(f->dir, name, NULL);
}

static void put(const fixture *f, const char *name, const char *text)
{
    g_autofree char *path = in(f, name);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void assert_beneath_fails(const fixture *f, const char *path, int expected)
{
    int fd = fs_open_beneath(f->fd, path, O_RDONLY, 0);
    int saved = errno;
    g_assert_cmpint(fd, ==, -1);
    g_assert_cmpint(saved, ==, expected);
}

static void test_beneath(fixture *f, gconstpointer data)
{
    g_assert_cmpint(mkdirat(f->fd, "sub", 0700), ==, 0);
    put(f, "sub/file", "x");
    g_assert_cmpint(symlinkat("/etc", f->fd, "out"), ==, 0);
    g_assert_cmpint(symlinkat("sub", f->fd, "along"), ==, 0);

    int fd = fs_open_beneath(f->fd, "sub/file", O_RDONLY, 0600);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(fcntl(fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
    close(fd);
    fd = fs_open_beneath(f->fd, "sub", O_PATH | O_DIRECTORY, 0);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    fd = fs_open_beneath(f->fd, "sub/new", O_WRONLY | O_CREAT | O_EXCL, 0600);
    g_assert_cmpint(fd, >=, 0);
    close(fd);

    assert_beneath_fails(f, "sub/../../x", EXDEV);
    assert_beneath_fails(f, "/etc/passwd", EXDEV);
    assert_beneath_fails(f, "out/passwd", ELOOP);
    assert_beneath_fails(f, "along/file", ELOOP);
    assert_beneath_fails(f, "along", ELOOP);
    assert_beneath_fails(f, "none", ENOENT);
}

static void test_make_folder(fixture *f, gconstpointer data)
{
    g_autofree char *deep = in(f, "a/b/c");
    g_autofree char *file = in(f, "file");
    g_autofree char *below = in(f, "file/sub");
    g_autoptr(GError) error = NULL;
    struct stat st;

    g_assert_true(fs_make_folder(deep, 0700, &error));
    g_assert_true(fs_make_folder(deep, 0700, &error));
    g_assert_cmpint(stat(deep, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0700);
    put(f, "file", "");
    g_assert_false(fs_make_folder(file, 0700, &error));
    g_clear_error(&error);
    g_assert_false(fs_make_folder(below, 0700, &error));
    g_clear_error(&error);
    if (geteuid() == 0) {
        g_assert_cmpint(chown(deep, 4242, 4242), ==, 0);
        g_assert_false(fs_make_folder(deep, 0700, &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
    }
}

static void test_read(fixture *f, gconstpointer data)
{
    g_autofree char *text = NULL;
    gsize length;
    g_autoptr(GError) error = NULL;

    put(f, "file", "12345");
    g_assert_true(fs_read(f->fd, "file", 5, &text, &length, &error));
    g_assert_cmpstr(text, ==, "12345");
    g_assert_cmpuint(length, ==, 5);
    g_clear_pointer(&text, g_free);
    g_assert_false(fs_read(f->fd, "file", 4, &text, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
    g_clear_error(&error);

    g_assert_cmpint(symlinkat("file", f->fd, "link"), ==, 0);
    g_assert_false(fs_read(f->fd, "link", 99, &text, NULL, &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_LOOP);
    g_clear_error(&error);
    g_assert_false(fs_read(f->fd, "none", 99, &text, NULL, &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
    g_clear_error(&error);

    g_assert_cmpint(mkfifoat(f->fd, "fifo", 0600), ==, 0);
    g_assert_false(fs_read(f->fd, "fifo", 99, &text, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_false(fs_read(f->fd, ".", 99, &text, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
    g_clear_error(&error);

    /* st_size of a file in /proc is 0 although it has contents. */
    g_assert_true(fs_read(AT_FDCWD, "/proc/self/status", 1 << 16, &text, &length, &error));
    g_assert_cmpuint(length, >, 100);
    g_clear_pointer(&text, g_free);
    g_assert_false(fs_read(AT_FDCWD, "/proc/self/status", 50, &text, &length, &error));
    g_assert_null(text);
}

static void test_write(fixture *f, gconstpointer data)
{
    g_autofree char *path = in(f, "state");
    g_autofree char *missing = in(f, "none/state");
    g_autofree char *full = in(f, "folder");
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    struct stat st;

    g_assert_true(fs_write(path, "one", -1, 0600, &error));
    g_assert_true(fs_write(path, "t\0wo", 4, 0640, &error));
    gsize length;
    g_assert_true(fs_read(AT_FDCWD, path, 99, &text, &length, &error));
    g_assert_cmpmem(text, length, "t\0wo", 4);
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0640);

    g_assert_false(fs_write(missing, "x", -1, 0600, &error));
    g_clear_error(&error);
    g_assert_cmpint(g_mkdir(full, 0700), ==, 0);
    g_assert_false(fs_write(full, "x", -1, 0600, &error)); /* cannot replace a folder */
    g_autoptr(GDir) dir = g_dir_open(f->dir, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));)
        g_assert_false(g_str_has_prefix(name, ".litterbox-"));
}

static void test_write_killed(fixture *f, gconstpointer data)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    g_autofree char *gone = g_strdup_printf(".litterbox-%d-0a1b2c", (int)child);
    g_autofree char *alive = g_strdup_printf(".litterbox-%d-0a1b2c", (int)getpid());
    const char *names[] = {alive, ".litterbox-0a1b2c", ".litterbox-", "state", gone};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        put(f, names[i], "x");

    fs_remove_temporary(f->dir);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = in(f, names[i]);
        g_assert_cmpint(access(path, F_OK) == 0, ==, names[i] != gone);
    }
    fs_remove_temporary("/nowhere"); /* does nothing */

    /* What replaces a file there removes it as well. */
    g_autofree char *state = in(f, "state"), *left = in(f, gone);
    put(f, gone, "x");
    g_assert_true(fs_write(state, "y", -1, 0600, NULL));
    g_assert_cmpint(access(left, F_OK), <, 0);
}

static void test_write_fails(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(fs_write("/proc/self/state", "x", -1, 0600, &error));
    g_assert_nonnull(error);
}

static void test_remove(fixture *f, gconstpointer data)
{
    g_autofree char *tree = in(f, "tree");
    g_autofree char *kept = in(f, "kept");
    g_autofree char *link = in(f, "tree/link");
    g_autofree char *locked = in(f, "tree/locked");
    g_autofree char *inside = in(f, "tree/locked/file");
    g_autoptr(GError) error = NULL;

    g_assert_true(fs_remove_tree(tree, &error)); /* a missing path is success */
    g_assert_cmpint(g_mkdir(tree, 0700), ==, 0);
    g_assert_cmpint(g_mkdir(kept, 0700), ==, 0);
    put(f, "kept/file", "x");
    g_assert_cmpint(symlink(kept, link), ==, 0);
    g_assert_cmpint(g_mkdir(locked, 0700), ==, 0);
    g_assert_true(g_file_set_contents(inside, "x", -1, NULL));
    g_assert_cmpint(g_chmod(locked, 0), ==, 0);
    g_assert_true(fs_remove_tree(tree, &error));
    g_assert_no_error(error);
    g_assert_false(g_file_test(tree, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(kept, G_FILE_TEST_IS_DIR));

    g_autofree char *outer = in(f, "outer");
    g_assert_cmpint(symlink(kept, outer), ==, 0);
    g_assert_true(fs_remove_tree(outer, &error)); /* removes the link, not its target */
    g_autofree char *kept_file = in(f, "kept/file");
    g_assert_true(g_file_test(kept_file, G_FILE_TEST_EXISTS));
}

static void test_deep(fixture *f, gconstpointer data)
{
    g_autofree char *tree = in(f, "deep");
    g_autoptr(GError) error = NULL;
    int fd = dup(f->fd);

    /* The path is longer than PATH_MAX, and there are more levels than RLIMIT_NOFILE allows. */
    for (int i = 0; i < 2500; i++) {
        const char *name = i ? "dddddddddddddddddddd" : "deep";
        g_assert_cmpint(mkdirat(fd, name, 0700), ==, 0);
        int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        g_assert_cmpint(next, >=, 0);
        close(fd);
        fd = next;
    }
    close(fd);
    g_assert_cmpint(fs_disk_usage(tree), >=, 0);
    g_assert_true(fs_remove_tree(tree, &error));
    g_assert_no_error(error);
    g_assert_false(g_file_test(tree, G_FILE_TEST_EXISTS));
}

static void test_wide(fixture *f, gconstpointer data)
{
    g_autofree char *tree = in(f, "wide");
    g_assert_cmpint(g_mkdir(tree, 0700), ==, 0);
    for (int i = 0; i < 500; i++) {
        g_autofree char *sub = g_strdup_printf("%s/%d", tree, i);
        g_autofree char *file = g_strdup_printf("%s/%d/f", tree, i);
        g_assert_cmpint(g_mkdir(sub, 0700), ==, 0);
        int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        g_assert_cmpint(fd, >=, 0);
        close(fd);
    }
    g_assert_true(fs_remove_tree(tree, NULL));
    g_assert_false(g_file_test(tree, G_FILE_TEST_EXISTS));
}

static void test_usage(fixture *f, gconstpointer data)
{
    g_autofree char *tree = in(f, "use");
    g_autofree char *file = in(f, "use/file");
    g_autofree char *second = in(f, "use/second");
    g_autofree char *text = g_strnfill(100000, 'x');

    g_assert_cmpint(fs_disk_usage(tree), ==, -1);
    g_assert_cmpint(g_mkdir(tree, 0700), ==, 0);
    gint64 empty = fs_disk_usage(tree);
    g_assert_true(fs_write(file, text, -1, 0600, NULL));
    gint64 one = fs_disk_usage(tree);
    g_assert_cmpint(one - empty, >=, 90000);
    g_assert_cmpint(link(file, second), ==, 0);
    g_assert_cmpint(fs_disk_usage(tree), ==, one);
}

static void test_freed(fixture *f, gconstpointer data)
{
    g_autofree char *tree = in(f, "tree");
    g_autofree char *closed = in(f, "tree/closed");
    g_autofree char *file = in(f, "tree/file");
    g_autofree char *second = in(f, "tree/second");
    g_autofree char *outside = in(f, "outside");
    g_autofree char *text = g_strnfill(100000, 'x');
    gboolean complete = FALSE;

    g_assert_cmpint(fs_disk_freed(tree, NULL), ==, -1);
    g_assert_cmpint(g_mkdir(tree, 0700), ==, 0);
    g_assert_true(fs_write(file, text, -1, 0600, NULL));
    gint64 one = fs_disk_usage(tree);
    g_assert_cmpint(fs_disk_freed(tree, &complete), ==, one);
    g_assert_true(complete);
    g_assert_cmpint(link(file, second), ==, 0);
    g_assert_cmpint(fs_disk_freed(tree, NULL), ==, one);
    /* A link outside of the tree keeps the file. */
    g_assert_cmpint(link(file, outside), ==, 0);
    g_assert_cmpint(one - fs_disk_freed(tree, NULL), >=, 90000);
    g_assert_cmpint(fs_disk_freed(outside, NULL), ==, 0);
    if (geteuid() != 0) {
        g_assert_cmpint(g_mkdir(closed, 0), ==, 0);
        g_assert_cmpint(fs_disk_freed(tree, &complete), >=, 0);
        g_assert_false(complete);
    }
}

/* A box may append for as long as it is copied: here, what is written grows the file. */
static void test_copy_growing(fixture *f, gconstpointer data)
{
    g_autofree char *file = in(f, "growing"), *text = g_strnfill(1000000, 'x');
    const struct rlimit limit = {64 << 20, RLIM_INFINITY};
    struct rlimit before;
    struct stat st;
    g_assert_true(fs_write(file, text, -1, 0600, NULL));
    int from = open(file, O_RDONLY | O_CLOEXEC), to = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
    g_assert_true(fs_copy_contents(from, to));
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    g_assert_cmpint(fstat(to, &st), ==, 0);
    g_assert_cmpint(st.st_size, ==, strlen(text));
    close(from);
    close(to);
}

#define ADD(NAME, FUNC) g_test_add("/fs/" NAME, fixture, NULL, setup, FUNC, teardown)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("open-beneath-cannot-leave-the-folder", test_beneath);
    ADD("make-folder-refuses-what-is-not-ours", test_make_folder);
    ADD("read-is-bounded-and-follows-no-link", test_read);
    ADD("write-replaces-atomically", test_write);
    ADD("write-killed-leaves-nothing", test_write_killed);
    g_test_add_func("/fs/write-reports-errors", test_write_fails);
    ADD("remove-tree-follows-no-link", test_remove);
    ADD("remove-tree-of-any-depth", test_deep);
    ADD("remove-tree-with-many-folders", test_wide);
    ADD("disk-usage-counts-hard-links-once", test_usage);
    ADD("copy-of-a-file-that-grows-ends", test_copy_growing);
    ADD("what-a-removal-frees-counts-files-without-links-elsewhere", test_freed);
    return g_test_run();
}
