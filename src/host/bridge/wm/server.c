#include "host/bridge/wm/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/wm_handoff.h"

/* A server that is handed its socket as systemd does it wants to be the one that is meant. */
static void name_listener(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (getenv("LISTEN_FDS"))
        setenv("LISTEN_PID", pid, 1);
}

pid_t server_start(char **argv)
{
    if (fcntl(WM_CONNECTION, F_SETFD, FD_CLOEXEC) < 0 || fcntl(WM_PROBE, F_SETFD, FD_CLOEXEC) < 0)
        return -1;
    pid_t server = fork();
    if (server == 0) {
        name_listener();
        execv(argv[0], argv);
        _exit(126);
    }
    if (server < 0 || close_range(STDERR_FILENO + 1, WM_CONNECTION - 1, 0) < 0)
        return -1;
    return server;
}

void server_wait(pid_t server)
{
    for (pid_t pid = 0; pid != server && (pid >= 0 || errno == EINTR);)
        pid = waitpid(-1, NULL, 0);
}
