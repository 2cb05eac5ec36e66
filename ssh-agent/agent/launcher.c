/* The agent's side of the launcher; launcher_child.c is the other. */
#include "ssh-agent/agent/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/packet.h"
#include "ssh-agent/agent/launcher_child.h"

/* What it does takes no time, but for a home on a network. */
#define PATIENCE_SECONDS 10

struct launcher {
    int socket;
    pid_t pid;
};

launcher *launcher_start(const char *prompt)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return NULL;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(pair[0]);
        launcher_child_run(parent, pair[1], prompt);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return NULL;
    }
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    launcher *self = g_new0(launcher, 1);
    self->socket = pair[0];
    self->pid = pid;
    return self;
}

void launcher_free(launcher *self)
{
    if (!self)
        return;
    close(self->socket);
    kill(self->pid, SIGKILL); /* its prompts end with it, and it may hang */
    while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    g_free(self);
}

void launcher_on_lost(launcher *self, GUnixFDSourceFunc lost, gpointer data)
{
    g_unix_fd_add(self->socket, G_IO_HUP, lost, data);
}

/* Sends REQUEST with its descriptors; the answer's number, its descriptor in *FD when wanted. */
static guint32 call(launcher *self, const launcher_request *request, gsize length, const int *send,
                    int *fd)
{
    launcher_answer answer = {0};
    int got = -1;
    if (packet_send(self->socket, request, length, send, send ? 2 : 0) < 0 ||
        packet_receive(self->socket, &answer, sizeof answer, &got, 1) != sizeof answer) {
        /* A late answer would be taken for the next one. */
        shutdown(self->socket, SHUT_RDWR);
        return 0;
    }
    if (fd)
        *fd = got;
    else if (got >= 0)
        close(got);
    return answer.number;
}

/* The environment as strings one after the other; 0 when there is too much of it. */
static gsize pack(launcher_request *request, char *const *environment)
{
    gsize length = 0;
    for (; environment && *environment; environment++) {
        gsize size = strlen(*environment) + 1;
        if (length + size > sizeof request->environment)
            return 0;
        memcpy(request->environment + length, *environment, size);
        length += size;
    }
    return offsetof(launcher_request, environment) + length;
}

guint32 launcher_prompt(launcher *self, char *const *environment, int *to, int *from)
{
    launcher_request request = {.what = LAUNCHER_PROMPT};
    gsize length = pack(&request, environment);
    int in[2], out[2];
    if (!length || pipe2(in, O_CLOEXEC) < 0)
        return 0;
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(in[0]);
        close(in[1]);
        return 0;
    }
    int send[] = {in[0], out[1]};
    guint32 number = call(self, &request, length, send, NULL);
    close(in[0]);
    close(out[1]);
    if (!number) {
        close(in[1]);
        close(out[0]);
        return 0;
    }
    *to = in[1];
    *from = out[0];
    return number;
}

void launcher_stop(launcher *self, guint32 number)
{
    launcher_request request = {.what = LAUNCHER_STOP, .number = number};
    call(self, &request, offsetof(launcher_request, environment), NULL, NULL);
}

int launcher_known_hosts(launcher *self, guint index)
{
    launcher_request request = {.what = LAUNCHER_HOSTS, .number = index};
    int fd = -1;
    call(self, &request, offsetof(launcher_request, environment), NULL, &fd);
    return fd;
}
