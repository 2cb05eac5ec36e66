/*
 * litterbox-build-network hold FILE: makes a network namespace, mounts it on FILE, which must not
 * be there, prints its own PID, and holds it until stdin ends. Then FILE is removed.
 *
 * litterbox-build-network enter FILE PROGRAM ARGUMENT…: executes PROGRAM in the namespace FILE. It
 * gets the socket that is stdin as sd_listen_fds(3) has it.
 *
 * `box` starts both under podman-unshare(1), as root of Podman's user namespace
 * (podman/build_network.h). libc only.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sys/crash.h"

#define PROGRAM "litterbox-build-network"
/* Where LISTEN_FDS=1 has the socket. */
#define LISTENER_FD 3

static int fail(const char *what)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(errno));
    return 1;
}

static int hold(const char *file)
{
    char byte;
    int fd = open(file, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(file);
    close(fd);
    signal(SIGPIPE, SIG_IGN);
    if (unshare(CLONE_NEWNET) < 0 || mount("/proc/self/ns/net", file, NULL, MS_BIND, NULL) < 0)
        return fail("cannot make a network namespace");
    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    umount2(file, MNT_DETACH);
    unlink(file);
    return 0;
}

static int enter(const char *file, char **argv)
{
    char pid[16];
    int network = open(file, O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET) < 0)
        return fail("cannot enter the network namespace");
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (dup2(STDIN_FILENO, LISTENER_FD) < 0 || close(STDIN_FILENO) < 0 ||
        open("/dev/null", O_RDWR) != STDIN_FILENO || setenv("LISTEN_PID", pid, 1) < 0 ||
        setenv("LISTEN_FDS", "1", 1) < 0)
        return fail("cannot pass the socket on");
    execv(argv[0], argv);
    return fail(argv[0]);
}

int main(int argc, char **argv)
{
    crash_handler_install(PROGRAM, NULL);
    if (argc == 3 && strcmp(argv[1], "hold") == 0)
        return hold(argv[2]);
    if (argc > 3 && strcmp(argv[1], "enter") == 0)
        return enter(argv[2], argv + 3);
    fprintf(stderr, "usage: " PROGRAM " hold FILE (started by box)\n");
    return 64;
}
