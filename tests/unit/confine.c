/* What is left to a program that has confined itself: each in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/confine.h"

static gboolean is_refused(int result)
{
    return result < 0 && errno == EPERM;
}

static gboolean may_change_rights(void)
{
    /* Two by their numbers: not every C library knows them. */
    return !is_refused(chmod("/nowhere", 0)) || !is_refused(fchmodat(AT_FDCWD, "/nowhere", 0, 0)) ||
           !is_refused((int)syscall(452 /* fchmodat2 */, AT_FDCWD, "/nowhere", 0, 0)) ||
           !is_refused(lchown("/nowhere", 0, 0)) ||
           !is_refused(fchownat(AT_FDCWD, "/nowhere", 0, 0, 0)) ||
           !is_refused(setxattr("/nowhere", "user.x", "", 0, 0)) ||
           !is_refused((int)syscall(463 /* setxattrat */, AT_FDCWD, "/nowhere", 0, "", NULL, 0)) ||
           !is_refused(removexattr("/nowhere", "user.x"));
}

/* Another process, by any way to it. FD is a socket. */
static gboolean may_signal(int fd)
{
    pid_t other = getppid();
    struct f_owner_ex owner = {F_OWNER_PID, other};
    return !is_refused(kill(other, 0)) || !is_refused((int)syscall(SYS_tkill, other, 0)) ||
           !is_refused((int)syscall(SYS_tgkill, other, other, 0)) ||
           !is_refused((int)syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0)) ||
           !is_refused((int)syscall(SYS_prlimit64, other, RLIMIT_CPU, NULL, NULL)) ||
           !is_refused(fcntl(fd, F_SETOWN, other)) || !is_refused(fcntl(fd, F_SETOWN_EX, &owner)) ||
           !is_refused(ioctl(fd, FIOSETOWN, &other)) || !is_refused(ioctl(fd, SIOCSPGRP, &other));
}

/* Of a process that MAY do so much: 1 a local socket, 2 a connection, 4 one to the network, 8
 * another process, 16 an empty file where one was full, 32 other rights of one, 64 a signal. */
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
        left |= is_refused(truncate("/nowhere", 0)) ? 0 : 16;
        left |= may_change_rights() ? 32 : 0;
        left |= may_signal(pair[0]) ? 64 : 0;
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
    g_assert_cmpint(what_is_left(CONFINE_CONNECT | CONFINE_INTERNET), ==, 1 | 2 | 4);
    g_assert_cmpint(what_is_left(CONFINE_SIGNALS), ==, 64);
}

/* Of a child that runs ACT: its exit status. */
static int status_of(int (*act)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(act());
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* 0, or the first family that is not as it should be. */
static int other_families(void)
{
    if (confine_calls(CONFINE_CONNECT | CONFINE_INTERNET) < 0)
        return 99;
    for (int family = 0; family < AF_MAX; family++) {
        gboolean may = family == AF_UNIX || family == AF_INET || family == AF_INET6;
        if (is_refused(socket(family, SOCK_STREAM, 0)) == may)
            return family ? family : 98;
    }
    /* The kernel looks at the lower half alone. */
    return is_refused((int)syscall(SYS_socket, 1L << 32 | AF_NETLINK, SOCK_RAW, 0)) ? 0 : 97;
}

/* It still ends by abort(), which is a signal to itself; and has other uses of those calls. */
static int own_signals(void)
{
    signal(SIGUSR1, SIG_IGN);
    if (confine_calls(0) < 0)
        return 99;
    struct rlimit files;
    return raise(SIGUSR1) == 0 && fcntl(0, F_GETFD) >= 0 && getrlimit(RLIMIT_NOFILE, &files) == 0
               ? 0
               : 1;
}

static void test_own_signals(void)
{
    g_assert_cmpint(status_of(own_signals), ==, 0);
}

static void test_families(void)
{
    g_assert_cmpint(status_of(other_families), ==, 0);
}

#define NO_LANDLOCK 99

static gboolean is_denied(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC) < 0 && errno == EACCES;
}

/* Of a process that may read /proc: 1 that, 2 write there, 4 read elsewhere. */
static int one_folder(void)
{
    const struct confine_path paths[] = {{"/proc", CONFINE_READ}, {NULL, CONFINE_WRITE}};
    confine_harden();
    if (confine_files(paths, G_N_ELEMENTS(paths)) < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP ? NO_LANDLOCK : 98;
    return (is_denied("/proc/self/status", O_RDONLY) ? 0 : 1) |
           (is_denied("/proc/self/oom_score_adj", O_WRONLY) ? 0 : 2) |
           (is_denied("/etc/passwd", O_RDONLY) ? 0 : 4);
}

static void test_one_to_read(void)
{
    int left = status_of(one_folder);
    if (left == NO_LANDLOCK)
        g_test_skip("this kernel has no Landlock");
    else
        g_assert_cmpint(left, ==, 1);
}

/* 0; or EACCES and the like. */
static int try_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600), saved = errno;
    if (fd >= 0)
        close(fd);
    return fd < 0 ? saved : 0;
}

/* Of a process that may write INSIDE: 1 a file made there, 2 elsewhere, 4 8 something read, 16 one
 * removed. */
static int files_left(const char *inside, const char *outside)
{
    g_autofree char *within = g_build_filename(inside, "new", NULL);
    g_autofree char *other = g_build_filename(outside, "new", NULL);
    const struct confine_path paths[] = {{inside, CONFINE_WRITE}};
    int left = 0;
    if (confine_files(paths, 1) < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP ? NO_LANDLOCK : 98;
    left |= try_open(within, O_RDWR | O_CREAT) == 0 ? 1 : 0;
    left |= try_open(other, O_RDWR | O_CREAT) == EACCES ? 0 : 2;
    left |= try_open("/etc/passwd", O_RDONLY) == EACCES ? 0 : 4;
    left |= try_open(outside, O_RDONLY | O_DIRECTORY) == EACCES ? 0 : 8;
    left |= unlink(within) == 0 ? 16 : 0;
    return left;
}

static void test_one_to_write(void)
{
    g_autofree char *inside = g_dir_make_tmp("inside-XXXXXX", NULL);
    g_autofree char *outside = g_dir_make_tmp("outside-XXXXXX", NULL);
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(files_left(inside, outside));
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_LANDLOCK)
        g_test_skip("this kernel has no Landlock");
    else
        g_assert_cmpint(WEXITSTATUS(status), ==, 1 | 16);
    g_assert_cmpint(g_rmdir(inside), ==, 0);
    g_assert_cmpint(g_rmdir(outside), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/confine/calls", test_calls);
    g_test_add_func("/confine/own-signals", test_own_signals);
    g_test_add_func("/confine/families", test_families);
    g_test_add_func("/confine/files/one-to-read", test_one_to_read);
    g_test_add_func("/confine/files/one-to-write", test_one_to_write);
    return g_test_run();
}
