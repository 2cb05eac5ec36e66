/*
 * terminal-relay filtered|plain COMMAND…: runs COMMAND on a pty and shows its output on stdout by
 * the relay that `box run -t` uses, with the filter on what a box prints, or without.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "session/pty_relay.h"

static int begin_command(char **argv, pid_t *pid)
{
    int pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    if (pty < 0 || grantpt(pty) < 0 || unlockpt(pty) < 0 || ptsname_r(pty, name, sizeof name) != 0)
        return -1;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    *pid = slave < 0 ? -1 : fork();
    if (*pid == 0) {
        dup2(slave, STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (slave >= 0)
        close(slave);
    return *pid < 0 ? -1 : pty;
}

int main(int argc, char **argv)
{
    pid_t pid;
    int status = 1, filtered = argc > 2 && strcmp(argv[1], "filtered") == 0;
    if (argc < 3 || (!filtered && strcmp(argv[1], "plain") != 0)) {
        fputs("usage: terminal-relay filtered|plain COMMAND...\n", stderr);
        return 2;
    }
    struct screen screen = {.out = STDOUT_FILENO, .filter.allowed = TERMINAL_ALL};
    struct pty_relay relay;
    int pty = begin_command(argv + 2, &pid);
    if (pty < 0 || pty_relay_take(&relay, pty) < 0 ||
        pty_relay_begin(&relay, filtered ? &screen : NULL) < 0) {
        perror("terminal-relay");
        return 1;
    }
    /* The output's thread ends with the last process that has the pty open. */
    pthread_join(relay.output.thread, NULL);
    relay.output.begun = 0;
    pty_relay_end(&relay);
    waitpid(pid, &status, 0);
    return status != 0;
}
