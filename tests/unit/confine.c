/* What a program can still do after it has confined itself. Each check runs in a child process. */
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

static gboolean can_change_attributes(void)
{
    /* Older C libraries have no name for the two newest calls. */
    return !is_refused(chmod("/nowhere", 0)) || !is_refused(fchmodat(AT_FDCWD, "/nowhere", 0, 0)) ||
           !is_refused((int)syscall(452 /* fchmodat2 */, AT_FDCWD, "/nowhere", 0, 0)) ||
           !is_refused(lchown("/nowhere", 0, 0)) ||
           !is_refused(fchownat(AT_FDCWD, "/nowhere", 0, 0, 0)) ||
           !is_refused(setxattr("/nowhere", "user.x", "", 0, 0)) ||
           !is_refused((int)syscall(463 /* setxattrat */, AT_FDCWD, "/nowhere", 0, "", NULL, 0)) ||
           !is_refused(removexattr("/nowhere", "user.x"));
}

/* Every call that can send a signal to another process. FD is a socket. */
static gboolean can_signal(int fd)
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

/* What a confined process could do, as an exit status. */
enum {
    CAN_CREATE_UNIX_SOCKET = 1,
    CAN_CONNECT = 2,
    CAN_CREATE_INET_SOCKET = 4,
    CAN_FORK = 8,
    CAN_TRUNCATE = 16,
    CAN_CHANGE_ATTRIBUTES = 32,
    CAN_SIGNAL = 64,
    NOT_CONFINED = 99,
};

/* Runs a child that calls confine_calls(ALLOWED). Returns a combination of CAN_*. */
static int probe_calls(unsigned allowed)
{
    const struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/nowhere"};
    int status = -1, pair[2], other[2];
    pid_t pid = fork();
    if (pid == 0) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || confine_calls(allowed) < 0)
            _exit(NOT_CONFINED);
        int can = 0;
        can |= is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? 0 : CAN_CREATE_UNIX_SOCKET;
        can |= is_refused(socketpair(AF_UNIX, SOCK_DGRAM, 0, other)) ? 0 : CAN_CREATE_UNIX_SOCKET;
        can |= is_refused(connect(pair[0], (const struct sockaddr *)&nowhere, sizeof nowhere))
                   ? 0
                   : CAN_CONNECT;
        can |= is_refused(socket(AF_INET, SOCK_STREAM, 0)) ? 0 : CAN_CREATE_INET_SOCKET;
        can |= is_refused(fork()) ? 0 : CAN_FORK;
        can |= is_refused(truncate("/nowhere", 0)) ? 0 : CAN_TRUNCATE;
        can |= can_change_attributes() ? CAN_CHANGE_ATTRIBUTES : 0;
        can |= can_signal(pair[0]) ? CAN_SIGNAL : 0;
        _exit(can);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_calls(void)
{
    const int local = CAN_CREATE_UNIX_SOCKET | CAN_CONNECT;
    g_assert_cmpint(probe_calls(0), ==, 0);
    g_assert_cmpint(probe_calls(CONFINE_THREADS), ==, 0);
    g_assert_cmpint(probe_calls(CONFINE_THREADS | CONFINE_CONNECT), ==, local);
    g_assert_cmpint(probe_calls(CONFINE_CONNECT | CONFINE_INTERNET), ==,
                    local | CAN_CREATE_INET_SOCKET);
    g_assert_cmpint(probe_calls(CONFINE_INTERNET), ==, CAN_CONNECT | CAN_CREATE_INET_SOCKET);
    g_assert_cmpint(probe_calls(CONFINE_SIGNALS), ==, CAN_SIGNAL);
}

/* The exit status of a child that runs ACT. */
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

/* 0, or the first address family that is wrongly allowed or refused (98: family 0). */
static int probe_address_families(void)
{
    if (confine_calls(CONFINE_CONNECT | CONFINE_INTERNET) < 0)
        return NOT_CONFINED;
    for (int family = 0; family < AF_MAX; family++) {
        gboolean allowed = family == AF_UNIX || family == AF_INET || family == AF_INET6;
        if (is_refused(socket(family, SOCK_STREAM, 0)) == allowed)
            return family ? family : 98;
    }
    /* The kernel ignores the upper 32 bits of the argument, so the filter must, too. */
    return is_refused((int)syscall(SYS_socket, 1L << 32 | AF_NETLINK, SOCK_RAW, 0)) ? 0 : 97;
}

/* abort() and raise() signal the process itself, and fcntl and getrlimit have harmless uses. */
static int probe_own_signals(void)
{
    signal(SIGUSR1, SIG_IGN);
    if (confine_calls(0) < 0)
        return NOT_CONFINED;
    struct rlimit files;
    return raise(SIGUSR1) == 0 && fcntl(0, F_GETFD) >= 0 && getrlimit(RLIMIT_NOFILE, &files) == 0
               ? 0
               : 1;
}

static void test_own_signals(void)
{
    g_assert_cmpint(status_of(probe_own_signals), ==, 0);
}

static void test_families(void)
{
    g_assert_cmpint(status_of(probe_address_families), ==, 0);
}

/* Results of the children that confine_files() confines. */
enum {
    CAN_READ_INSIDE = 1,
    CAN_WRITE_INSIDE = 2,
    CAN_READ_OUTSIDE = 4,
    CAN_WRITE_OUTSIDE = 8,
    CAN_LIST_OUTSIDE = 16,
    CAN_REMOVE_INSIDE = 32,
    FAILED = 98,
    NO_LANDLOCK = 99,
};

static gboolean is_denied(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC) < 0 && errno == EACCES;
}

/* Confines a process to reading /proc. */
static int probe_read_only_folder(void)
{
    const struct confine_path paths[] = {{"/proc", CONFINE_READ}, {NULL, CONFINE_WRITE}};
    confine_harden();
    if (confine_files(paths, G_N_ELEMENTS(paths)) < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP ? NO_LANDLOCK : FAILED;
    return (is_denied("/proc/self/status", O_RDONLY) ? 0 : CAN_READ_INSIDE) |
           (is_denied("/proc/self/oom_score_adj", O_WRONLY) ? 0 : CAN_WRITE_INSIDE) |
           (is_denied("/etc/passwd", O_RDONLY) ? 0 : CAN_READ_OUTSIDE);
}

static void test_read_only_folder(void)
{
    int can = status_of(probe_read_only_folder);
    if (can == NO_LANDLOCK)
        g_test_skip("this kernel has no Landlock");
    else
        g_assert_cmpint(can, ==, CAN_READ_INSIDE);
}

/* 0, or the errno of open(). */
static int try_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600), saved = errno;
    if (fd >= 0)
        close(fd);
    return fd < 0 ? saved : 0;
}

/* Confines the process to writing INSIDE. */
static int probe_writable_folder(const char *inside, const char *outside)
{
    g_autofree char *within = g_build_filename(inside, "new", NULL);
    g_autofree char *other = g_build_filename(outside, "new", NULL);
    const struct confine_path paths[] = {{inside, CONFINE_WRITE}};
    int can = 0;
    if (confine_files(paths, 1) < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP ? NO_LANDLOCK : FAILED;
    can |= try_open(within, O_RDWR | O_CREAT) == 0 ? CAN_WRITE_INSIDE : 0;
    can |= try_open(other, O_RDWR | O_CREAT) == EACCES ? 0 : CAN_WRITE_OUTSIDE;
    can |= try_open("/etc/passwd", O_RDONLY) == EACCES ? 0 : CAN_READ_OUTSIDE;
    can |= try_open(outside, O_RDONLY | O_DIRECTORY) == EACCES ? 0 : CAN_LIST_OUTSIDE;
    can |= unlink(within) == 0 ? CAN_REMOVE_INSIDE : 0;
    return can;
}

static void test_writable_folder(void)
{
    g_autofree char *inside = g_dir_make_tmp("inside-XXXXXX", NULL);
    g_autofree char *outside = g_dir_make_tmp("outside-XXXXXX", NULL);
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(probe_writable_folder(inside, outside));
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_LANDLOCK)
        g_test_skip("this kernel has no Landlock");
    else
        g_assert_cmpint(WEXITSTATUS(status), ==, CAN_WRITE_INSIDE | CAN_REMOVE_INSIDE);
    g_assert_cmpint(g_rmdir(inside), ==, 0);
    g_assert_cmpint(g_rmdir(outside), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/confine/calls-are-refused-unless-allowed", test_calls);
    g_test_add_func("/confine/signals-to-itself-still-work", test_own_signals);
    g_test_add_func("/confine/other-address-families-are-refused", test_families);
    g_test_add_func("/confine/files/read-only-folder", test_read_only_folder);
    g_test_add_func("/confine/files/writable-folder", test_writable_folder);
    return g_test_run();
}
