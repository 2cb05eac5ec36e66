#include "host/supervisor/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/crash.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

int program_beside(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash || strlen(name) >= size - (size_t)(slash + 1 - path))
        return -1;
    strcpy(slash + 1, name);
    return 0;
}

static void execute(char **argv, pid_t parent, int input, int output)
{
    signals_reset();
    signals_end_with(parent);
    /* dup2 clears O_CLOEXEC. stderr stays the worker's log. */
    if ((input < 0 || dup2(input, STDIN_FILENO) >= 0) && dup2(output, STDOUT_FILENO) >= 0)
        execv(argv[0], argv);
    _exit(127);
}

int launcher_spawn(struct launcher *self, char **argv, int input, int output)
{
    argv[0] = self->path;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        execute(argv, parent, input, output);
    self->running += pid > 0;
    return pid > 0 ? 0 : -1;
}

static void prepare(pid_t parent, const char *title, int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    signals_end_with(parent);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NAME, title);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(1);
    /* The launcher must not hold the worker's lock, folders and sockets. */
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, socket};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
}

/* 0 when the worker has ended. */
static int receive(struct launcher *self, int socket, char *data)
{
    int connection = -1;
    ssize_t length = descriptors_receive(socket, data, self->message_max, &connection, 1, NULL);
    if (length > 0 && connection >= 0)
        self->handle(self, data, (size_t)length, connection);
    if (connection >= 0)
        close(connection);
    return length > 0;
}

static void reap_programs(struct launcher *self)
{
    for (int status; waitpid(-1, &status, WNOHANG) > 0; self->running--)
        crash_report_child(self->parent, self->noun, status);
}

static void run(int socket, void *launcher)
{
    struct launcher *self = launcher;
    char *data = malloc(self->message_max);
    struct pollfd polls[] = {
        {.fd = socket, .events = POLLIN},
        {.fd = signals_watch(SIG_BLOCK, (int[]){SIGCHLD}, 1), .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        if (!data || (poll(polls, 2, -1) < 0 && errno != EINTR))
            break;
        if (polls[1].revents && read(polls[1].fd, &info, sizeof info) > 0)
            reap_programs(self);
        if (polls[0].revents && !receive(self, socket, data))
            break;
    }
    free(data);
}

int launcher_fork(const char *title, void (*call)(int socket, void *data), void *data)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prepare(parent, title, pair[1]);
        call(pair[1], data);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return -1;
    }
    /* The worker must not block on a busy launcher. */
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    return pair[0];
}

int launcher_start(struct launcher *self)
{
    return program_beside(self->program, self->path, sizeof self->path) < 0
               ? -1
               : launcher_fork("litterbox-fork", run, self);
}
