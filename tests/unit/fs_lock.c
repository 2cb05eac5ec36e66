#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"

static char *folder;

static int waits, waiting_pipe[2];

static void count_wait(const char *path)
{
    waits++;
    g_assert_cmpint(write(waiting_pipe[1], "", 1), ==, 1);
}

static void test_lock(void)
{
    g_autofree char *path = g_build_filename(folder, "lock", NULL);
    g_autoptr(GError) error = NULL;
    int held = fs_lock(path, count_wait, &error);
    g_assert_cmpint(held, >=, 0);
    g_assert_cmpint(waits, ==, 0);
    g_assert_cmpint(pipe2(waiting_pipe, O_CLOEXEC), ==, 0);

    pid_t child = fork();
    if (child == 0) {
        /* Removes the locked file once the parent waits: it must then lock the new one. */
        char byte;
        gboolean waited = read(waiting_pipe[0], &byte, 1) == 1;
        unlink(path);
        _exit(waited ? 0 : 1);
    }
    close(held); /* the child's copy of the descriptor keeps the lock */
    held = fs_lock(path, count_wait, &error);
    g_assert_cmpint(held, >=, 0);
    g_assert_cmpint(waits, ==, 1);
    struct stat opened, named;
    g_assert_cmpint(fstat(held, &opened), ==, 0);
    g_assert_cmpint(stat(path, &named), ==, 0);
    g_assert_cmpint(opened.st_ino, ==, named.st_ino);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    close(held);
    close(waiting_pipe[0]);
    close(waiting_pipe[1]);

    g_autofree char *link = g_build_filename(folder, "link", NULL);
    g_assert_cmpint(symlink(path, link), ==, 0);
    g_assert_cmpint(fs_lock(link, NULL, &error), ==, -1);
    g_assert_nonnull(error);
}

/* Takes the lock, and removes its file, until the test has ended. */
static void remove_again_and_again(const char *path)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int held = fs_lock(path, NULL, NULL);
        if (held < 0)
            _exit(1);
        unlink(path);
        close(held);
    }
}

static void test_try_lock(void)
{
    enum { TRIES = 20000 };
    g_autofree char *path = g_build_filename(folder, "lock", NULL);
    pid_t child = fork();
    if (child == 0)
        remove_again_and_again(path);
    for (int i = 0; i < TRIES; i++) {
        struct stat opened, named;
        int held = fs_try_lock(path);
        if (held < 0) {
            g_assert_cmpint(errno, ==, EWOULDBLOCK);
            continue;
        }
        g_assert_cmpint(fstat(held, &opened), ==, 0);
        g_assert_cmpint(stat(path, &named), ==, 0);
        g_assert_cmpint(opened.st_ino, ==, named.st_ino);
        close(held);
    }
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("litterbox-fs-lock-XXXXXX", NULL);
    g_test_add_func("/fs-lock/survives-removal-of-its-file", test_lock);
    g_test_add_func("/fs-lock/try-takes-no-file-that-is-removed", test_try_lock);
    int status = g_test_run();
    fs_remove_tree(folder, NULL);
    g_free(folder);
    return status;
}
