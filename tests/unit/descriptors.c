/* Descriptors: sending, receiving, closing the surplus, and descriptors_keep(). */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/descriptors.h"

static void open_pair(int type, int pair[2])
{
    g_assert_cmpint(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair), ==, 0);
}

static void close_pair(int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

/* How many descriptors the process has open. */
static guint count_open(void)
{
    g_autoptr(GDir) folder = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    while (g_dir_read_name(folder))
        count++;
    return count;
}

static void descriptors_arrive_close_on_exec(void)
{
    int pair[2], sent[2], got[3] = {99, 99, 99}, flags = MSG_DONTWAIT;
    char data[8];
    open_pair(SOCK_SEQPACKET, pair);
    g_assert_cmpint(pipe(sent), ==, 0);
    struct iovec parts[] = {{"ab", 2}, {"c", 1}};
    g_assert_cmpint(descriptors_sendv(pair[0], parts, 2, sent, 2, 0), ==, 3);
    g_assert_cmpint(descriptors_receive(pair[1], data, sizeof data, got, 3, &flags), ==, 3);
    g_assert_cmpmem(data, 3, "abc", 3);
    g_assert_cmpint(flags & MSG_CTRUNC, ==, 0);
    g_assert_cmpint(fcntl(got[0], F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint(fcntl(got[1], F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint(got[2], ==, -1);
    /* In the order in which they were sent. */
    g_assert_cmpint(write(got[1], "x", 1), ==, 1);
    g_assert_cmpint(read(got[0], data, 1), ==, 1);
    for (int i = 0; i < 2; i++) {
        close(got[i]);
        close(sent[i]);
    }
    close_pair(pair);
}

static void surplus_is_closed(void)
{
    int pair[2], got[1], flags = 0, three[3] = {0, 1, 2};
    char byte;
    open_pair(SOCK_STREAM, pair);
    guint before = count_open();
    g_assert_cmpint(descriptors_send(pair[0], "1", 1, three, 3, 0), ==, 1);
    g_assert_cmpint(descriptors_receive(pair[1], &byte, 1, got, 1, &flags), ==, 1);
    g_assert_cmpint(flags & MSG_CTRUNC, !=, 0);
    g_assert_cmpint(got[0], >, 2);
    g_assert_cmpuint(count_open(), ==, before + 1);
    close(got[0]);
    /* With no room for any, none is opened. */
    g_assert_cmpint(descriptors_send(pair[0], "2", 1, three, 3, 0), ==, 1);
    g_assert_cmpint(descriptors_receive(pair[1], &byte, 1, NULL, 0, NULL), ==, 1);
    g_assert_cmpuint(count_open(), ==, before);
    close_pair(pair);
}

/* A process without a free descriptor is told that it lost one, and gets the message. */
static void lost_descriptors_are_reported(void)
{
    int pair[2], got[1], flags = 0, one = 0;
    char byte;
    struct rlimit limit, none;
    open_pair(SOCK_STREAM, pair);
    g_assert_cmpint(descriptors_send(pair[0], "1", 1, &one, 1, 0), ==, 1);
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &limit), ==, 0);
    none = (struct rlimit){3, limit.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
    ssize_t length = descriptors_receive(pair[1], &byte, 1, got, 1, &flags);
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
    g_assert_cmpint(length, ==, 1);
    g_assert_cmpint(got[0], ==, -1);
    g_assert_cmpint(flags & MSG_CTRUNC, !=, 0);
    close_pair(pair);
}

static void too_many_are_refused(void)
{
    int pair[2], fds[DESCRIPTORS_MAX + 1] = {0};
    char byte;
    open_pair(SOCK_STREAM, pair);
    g_assert_cmpint(descriptors_send(pair[0], "", 1, fds, DESCRIPTORS_MAX + 1, 0), ==, -1);
    g_assert_cmpint(errno, ==, EINVAL);
    g_assert_cmpint(descriptors_receive(pair[1], &byte, 1, fds, DESCRIPTORS_MAX + 1, NULL), ==, -1);
    g_assert_cmpint(errno, ==, EINVAL);
    g_assert_cmpint(fds[0], ==, -1);
    memset(fds, 0, sizeof fds);
    g_assert_cmpint(descriptors_send(pair[0], "", 1, fds, DESCRIPTORS_MAX, 0), ==, 1);
    close_pair(pair);
}

static void ends_and_errors(void)
{
    int pair[2], got[1], flags = MSG_DONTWAIT;
    char byte;
    open_pair(SOCK_STREAM, pair);
    g_assert_cmpint(descriptors_receive(pair[1], &byte, 1, got, 1, &flags), ==, -1);
    g_assert_cmpint(errno, ==, EAGAIN);
    close(pair[0]);
    g_assert_cmpint(descriptors_receive(pair[1], &byte, 1, got, 1, NULL), ==, 0);
    /* Without SIGPIPE, which would end the test. */
    g_assert_cmpint(descriptors_send(pair[1], "", 1, NULL, 0, 0), ==, -1);
    g_assert_cmpint(errno, ==, EPIPE);
    close(pair[1]);
}

static void all_others_are_closed(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        int kept = fcntl(0, F_DUPFD, 40), other = fcntl(0, F_DUPFD, 50);
        int keep[] = {kept, -1, 2};
        descriptors_keep(keep, G_N_ELEMENTS(keep));
        int is_right = fcntl(kept, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0 &&
                       fcntl(other, F_GETFD) < 0 && fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0;
        _exit(is_right ? 0 : 1);
    }
    int status;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/descriptors/arrive-close-on-exec", descriptors_arrive_close_on_exec);
    g_test_add_func("/descriptors/surplus-is-closed", surplus_is_closed);
    g_test_add_func("/descriptors/lost-ones-are-reported", lost_descriptors_are_reported);
    g_test_add_func("/descriptors/too-many-are-refused", too_many_are_refused);
    g_test_add_func("/descriptors/ends-and-errors", ends_and_errors);
    g_test_add_func("/descriptors/all-others-are-closed", all_others_are_closed);
    return g_test_run();
}
