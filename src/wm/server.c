#include "wm/server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wm/inherit.h"

static volatile pid_t server;

/* We are who inherits what the server leaves behind, too. */
static void on_child(int number)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
        if (pid == server)
            _exit(0);
    }
}

/* A server that is handed its socket as systemd does it wants to be the one that is meant. */
static void name_listener(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (getenv("LISTEN_FDS"))
        setenv("LISTEN_PID", pid, 1);
}

static int catch_children(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
    return sigaction(SIGCHLD, &action, NULL);
}

int server_start(char **argv)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (fcntl(WM_CONNECTION, F_SETFD, FD_CLOEXEC) < 0 || fcntl(WM_PROBE, F_SETFD, FD_CLOEXEC) < 0)
        return -1;
    /* It may have ended before its pid is known here. */
    sigprocmask(SIG_BLOCK, &child, NULL);
    server = fork();
    if (server == 0) {
        sigprocmask(SIG_UNBLOCK, &child, NULL);
        name_listener();
        execv(argv[0], argv);
        _exit(126);
    }
    if (server < 0 || catch_children() < 0)
        return -1;
    sigprocmask(SIG_UNBLOCK, &child, NULL);
    return close_range(STDERR_FILENO + 1, WM_CONNECTION - 1, 0);
}
