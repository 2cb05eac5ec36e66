/* What is left to a program that has confined itself: each in a process of its own. */
#include <errno.h>
#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/confine.h"

static gboolean is_refused(int result)
{
    return result < 0 && errno == EPERM;
}

/* Of a process that MAY do so much: 1 a local socket, 2 a connection, 4 one to the network, 8
 * another process. */
static int what_is_left(unsigned may)
{
    const struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/nowhere"};
    int status = -1, pair[2];
    pid_t pid = fork();
    if (pid == 0) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || confine_calls(may) < 0)
            _exit(99);
        int left = 0;
        left |= is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? 0 : 1;
        left |=
            is_refused(connect(pair[0], (const struct sockaddr *)&nowhere, sizeof nowhere)) ? 0 : 2;
        left |= is_refused(socket(AF_INET, SOCK_STREAM, 0)) ? 0 : 4;
        left |= is_refused(fork()) ? 0 : 8;
        _exit(left);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_calls(void)
{
    g_assert_cmpint(what_is_left(0), ==, 0);
    g_assert_cmpint(what_is_left(CONFINE_THREADS), ==, 0);
    g_assert_cmpint(what_is_left(CONFINE_THREADS | CONFINE_CONNECT), ==, 1 | 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/confine/calls", test_calls);
    return g_test_run();
}
