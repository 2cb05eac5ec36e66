/*
 * ask_hidden() restores the echo whenever a signal arrives: here just before each call in which the
 * question may wait (the linker wraps these calls).
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "console/ask.h"

/* The call before which SIGNAL comes: each poll() and read() counts; 0: never. */
static int when, number;

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
ssize_t __real_read(int fd, void *into, size_t size);
ssize_t __wrap_read(int fd, void *into, size_t size);

/* The names of these calls with _FORTIFY_SOURCE. */
int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size);
ssize_t __wrap___read_chk(int fd, void *into, size_t size, size_t most);

static void come(void)
{
    if (when > 0 && --when == 0)
        raise(number);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    come();
    return __real_poll(fds, count, timeout);
}

ssize_t __wrap_read(int fd, void *into, size_t size)
{
    come();
    return __real_read(fd, into, size);
}

int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size)
{
    return __wrap_poll(fds, count, timeout);
}

ssize_t __wrap___read_chk(int fd, void *into, size_t size, size_t most)
{
    return __wrap_read(fd, into, size);
}

static int open_terminal(int *other)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(master, >=, 0);
    g_assert_cmpint(grantpt(master), ==, 0);
    g_assert_cmpint(unlockpt(master), ==, 0);
    *other = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(*other, >=, 0);
    return master;
}

/* Starts a process that asks on TERMINAL and ends with the length of what was typed. */
static pid_t start(int terminal)
{
    pid_t pid = fork();
    g_assert_cmpint(pid, >=, 0);
    if (pid > 0)
        return pid;
    char buffer[16];
    /* nohup(1) ignores SIGHUP, and then the question would, too. */
    if (number)
        signal(number, SIG_DFL);
    setsid();
    if (ioctl(terminal, TIOCSCTTY, 0) < 0)
        _exit(100);
    gssize length = ask_hidden("? ", buffer, sizeof buffer);
    _exit(length < 0 ? 101 : (int)length);
}

static gboolean has_echo(int terminal)
{
    struct termios now;
    g_assert_cmpint(tcgetattr(terminal, &now), ==, 0);
    return (now.c_lflag & ECHO) != 0;
}

static void wait_for_question(int master)
{
    char shown[16];
    g_assert_cmpint(__real_read(master, shown, sizeof shown), >, 0);
}

/* The status with which PID ends, within a minute. */
static int wait_for_end(pid_t pid)
{
    int status = 0;
    for (int i = 0; i < 6000; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        g_usleep(10000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    g_error("it is still there a minute after the signal");
}

static void test_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
        /* Its last calls are those after the line has been typed: none waits any more. */
        for (int call = 1; call <= 2; call++) {
            int terminal, master = open_terminal(&terminal);
            when = call;
            number = numbers[i];
            int status = wait_for_end(start(terminal));
            g_assert_true(WIFSIGNALED(status));
            g_assert_cmpint(WTERMSIG(status), ==, number);
            g_assert_true(has_echo(terminal));
            close(terminal);
            close(master);
        }
    }
}

static void test_in_the_middle(void)
{
    /* Calls after the question: poll and read for each byte. */
    for (int call = 3; call <= 8; call++) {
        int terminal, master = open_terminal(&terminal);
        when = call;
        number = SIGTERM;
        pid_t pid = start(terminal);
        wait_for_question(master);
        g_assert_false(has_echo(terminal));
        g_assert_cmpint(write(master, "abc\n", 4), ==, 4);
        int status = wait_for_end(pid);
        g_assert_true(WIFSIGNALED(status));
        g_assert_cmpint(WTERMSIG(status), ==, SIGTERM);
        g_assert_true(has_echo(terminal));
        close(terminal);
        close(master);
    }
}

static void test_answer(void)
{
    static const struct {
        const char *typed;
        int status;
    } table[] = {{"abc\n", 3},
                 {"\n", 0},
                 {"0123456789abcdef\n", 16},
                 {"0123456789abcdefg\n", 101},
                 {"\x04", 101}};
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        int terminal, master = open_terminal(&terminal);
        when = 0;
        pid_t pid = start(terminal);
        wait_for_question(master);
        gsize length = strlen(table[i].typed);
        g_assert_cmpint(write(master, table[i].typed, length), ==, length);
        int status = wait_for_end(pid);
        g_assert_true(WIFEXITED(status));
        g_assert_cmpint(WEXITSTATUS(status), ==, table[i].status);
        g_assert_true(has_echo(terminal));
        close(terminal);
        close(master);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ask_hidden/signals", test_signals);
    g_test_add_func("/ask_hidden/in-the-middle", test_in_the_middle);
    g_test_add_func("/ask_hidden/answer", test_answer);
    return g_test_run();
}
