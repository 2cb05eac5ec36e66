#include "ssh-agent/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/*
 * The launcher and the agent exchange one packet for each request and answer. In this file the
 * launcher's side comes first, then the agent's.
 */

/* Prompts at a time: one for each box that asks, and a few that are just ending. */
#define PROMPTS_MAX 64
/* Of a prompt: its stdin and stdout, and perhaps its question's. */
#define PROMPT_DESCRIPTORS 3
/* Variables in the environment of a prompt. */
#define STRINGS_MAX 64
/* Requests take no time, except for known_hosts files in a home on a network. */
#define ANSWER_SECONDS 10

enum { LAUNCHER_PROMPT = 1, LAUNCHER_STOP, LAUNCHER_KNOWN_HOSTS };

typedef struct {
    guint32 what;
    guint32 number; /* STOP: which prompt; KNOWN_HOSTS: the file's index */
    char environment[16384];
} launcher_request;

typedef struct {
    guint32 number; /* PROMPT: its number; 0: it was not started */
} launcher_answer;

static struct {
    pid_t pid;           /* 0: free */
    int out;             /* a copy of its stdout, for its exit status */
    gboolean is_stopped; /* the agent has stopped it */
} prompts[PROMPTS_MAX];

static const char *program;

static int free_slot(void)
{
    for (int i = 0; i < PROMPTS_MAX; i++)
        if (!prompts[i].pid)
            return i;
    return -1;
}

/* The new program gets FD as the number AS. */
static int inherit(int fd, int as)
{
    return fd == as ? fcntl(fd, F_SETFD, 0) : dup2(fd, as);
}

static void run_prompt(pid_t parent, const int *fds, char **environment)
{
    char *argv[] = {(char *)program, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signals_end_with(parent);
    setsid();
    /* dup2 clears O_CLOEXEC; stderr stays where the agent's goes. */
    if (dup2(fds[0], STDIN_FILENO) >= 0 && dup2(fds[1], STDOUT_FILENO) >= 0 &&
        (fds[2] < 0 || inherit(fds[2], QUESTION_PROMPT_DESCRIPTOR) >= 0))
        execve(program, argv, environment);
    _exit(127);
}

static guint32 start_prompt(launcher_request *request, gsize length, int *fds)
{
    char *environment[STRINGS_MAX + 2];
    gsize size = length - offsetof(launcher_request, environment), n = 0;
    int slot = free_slot();
    if (slot < 0 || fds[0] < 0 || fds[1] < 0 || (size && request->environment[size - 1]))
        return 0;
    for (gsize at = 0; at < size && n < STRINGS_MAX; at += strlen(request->environment + at) + 1)
        environment[n++] = request->environment + at;
    /* Not from the request: the agent's own, as in all helpers. */
    g_autofree char *debug = g_strconcat(DEBUG_VARIABLE "=", g_getenv(DEBUG_VARIABLE), NULL);
    if (g_getenv(DEBUG_VARIABLE))
        environment[n++] = debug;
    environment[n] = NULL;
    pid_t self = getpid(), pid = fork();
    if (pid < 0)
        return 0;
    if (pid == 0)
        run_prompt(self, fds, environment);
    prompts[slot].pid = pid;
    prompts[slot].out = fds[1];
    prompts[slot].is_stopped = FALSE;
    fds[1] = -1;
    return (guint32)pid;
}

/* The number is a PID that was not waited for yet, so no other process can have it. */
static void stop_prompt(guint32 number)
{
    for (int i = 0; number && i < PROMPTS_MAX; i++)
        if (prompts[i].pid == (pid_t)number) {
            prompts[i].is_stopped = TRUE;
            kill(prompts[i].pid, SIGKILL);
        }
}

/* A file that says which hosts are known must be the user's or root's, not that of a box's
 * subordinate user. */
static gboolean is_trusted(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_uid == getuid() || st.st_uid == 0) &&
           !(st.st_mode & S_IWOTH);
}

static int open_known_hosts(guint32 index)
{
    const char *home = g_get_home_dir();
    g_autofree char *first = g_build_filename(home, ".ssh", "known_hosts", NULL);
    g_autofree char *second = g_build_filename(home, ".ssh", "known_hosts2", NULL);
    const char *paths[KNOWN_HOSTS_FILES] = {first, second, "/etc/ssh/ssh_known_hosts",
                                            "/etc/ssh/ssh_known_hosts2"};
    if (index >= KNOWN_HOSTS_FILES)
        return -1;
    int fd = open(paths[index], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && !is_trusted(fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static gboolean serve_request(int socket)
{
    static launcher_request request;
    launcher_answer answer = {0};
    int fds[PROMPT_DESCRIPTORS] = {-1, -1, -1}, given = -1;
    gssize got =
        descriptors_receive(socket, &request, sizeof request, fds, PROMPT_DESCRIPTORS, NULL);
    if (got < (gssize)offsetof(launcher_request, environment))
        return FALSE;
    if (request.what == LAUNCHER_PROMPT)
        answer.number = start_prompt(&request, (gsize)got, fds);
    else if (request.what == LAUNCHER_STOP)
        stop_prompt(request.number);
    else if (request.what == LAUNCHER_KNOWN_HOSTS)
        given = open_known_hosts(request.number);
    gssize sent = descriptors_send(socket, &answer, sizeof answer, &given, given >= 0 ? 1 : 0, 0);
    for (int i = 0; i < PROMPT_DESCRIPTORS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (given >= 0)
        close(given);
    return sent == sizeof answer;
}

/* Appends a NUL and the exit status to what each prompt that has ended wrote. */
static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (int i = 0; i < PROMPTS_MAX; i++) {
            if (prompts[i].pid != pid)
                continue;
            if (!prompts[i].is_stopped)
                crash_report_child("litterbox-ssh-agent", "a prompt", status);
            char end[2] = {0, (char)(WIFEXITED(status) ? WEXITSTATUS(status) : 255)};
            if (write(prompts[i].out, end, sizeof end) < 0 && errno == EPIPE)
                end[1] = 0; /* the agent has stopped the prompt */
            close(prompts[i].out);
            prompts[i].pid = 0;
        }
    }
}

/* The launcher: runs until the agent closes SOCKET, and ends every prompt then. */
static void serve_prompts(pid_t parent, int socket, const char *prompt)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    program = prompt;
    signals_end_with(parent);
    /* The program that starts the agent waits until its stdout is closed. */
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    /* The launcher keeps no descriptor that the agent was started with, such as systemd's socket.
     */
    if (socket > 3)
        close_range(3, (guint)socket - 1, 0);
    close_range((guint)socket + 1, ~0u, 0);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "litterbox-fork");
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    int signals = signals_watch(SIG_BLOCK, (int[]){SIGCHLD}, 1);
    struct pollfd polls[] = {{.fd = socket, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        if (poll(polls, 2, -1) < 0 && errno != EINTR)
            break;
        if (polls[1].revents && read(signals, &info, sizeof info) > 0)
            reap();
        if (polls[0].revents && !serve_request(socket))
            break;
    }
    for (int i = 0; i < PROMPTS_MAX; i++)
        if (prompts[i].pid)
            kill(prompts[i].pid, SIGKILL);
}

struct prompt_launcher {
    int socket;
    pid_t pid;
};

prompt_launcher *prompt_launcher_new(const char *prompt)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return NULL;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(pair[0]);
        serve_prompts(parent, pair[1], prompt);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return NULL;
    }
    unix_socket_limit_waiting(pair[0], ANSWER_SECONDS);
    prompt_launcher *self = g_new0(prompt_launcher, 1);
    self->socket = pair[0];
    self->pid = pid;
    return self;
}

void prompt_launcher_free(prompt_launcher *self)
{
    if (!self)
        return;
    close(self->socket);
    kill(self->pid, SIGKILL); /* it may hang; its prompts end with it */
    while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    g_free(self);
}

void prompt_launcher_on_lost(prompt_launcher *self, GUnixFDSourceFunc lost, gpointer data)
{
    g_unix_fd_add(self->socket, G_IO_HUP, lost, data);
}

/* Sends REQUEST with COUNT descriptors. Returns the answer's number, and its descriptor in *FD
 * unless FD is NULL. */
static guint32 call_launcher(prompt_launcher *self, const launcher_request *request, gsize length,
                             const int *send, gsize count, int *fd)
{
    launcher_answer answer = {0};
    int got = -1;
    if (descriptors_send(self->socket, request, length, send, count, 0) < 0 ||
        descriptors_receive(self->socket, &answer, sizeof answer, &got, 1, NULL) != sizeof answer) {
        /* A late answer would be taken for that to the next request. */
        shutdown(self->socket, SHUT_RDWR);
        return 0;
    }
    if (fd)
        *fd = got;
    else if (got >= 0)
        close(got);
    return answer.number;
}

/* Packs ENVIRONMENT as strings one after the other, without those for which there is no room: a
 * window does without a long list of folders. Returns the request's size. */
static gsize pack(launcher_request *request, char *const *environment)
{
    gsize length = 0;
    for (; environment && *environment; environment++) {
        gsize size = strlen(*environment) + 1;
        if (length + size > sizeof request->environment)
            continue;
        memcpy(request->environment + length, *environment, size);
        length += size;
    }
    return offsetof(launcher_request, environment) + length;
}

guint32 prompt_launcher_start(prompt_launcher *self, char *const *environment, int with, int *to,
                              int *from)
{
    launcher_request request = {.what = LAUNCHER_PROMPT};
    gsize length = pack(&request, environment);
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0)
        return 0;
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(in[0]);
        close(in[1]);
        return 0;
    }
    int send[PROMPT_DESCRIPTORS] = {in[0], out[1], with};
    guint32 number = call_launcher(self, &request, length, send, with < 0 ? 2 : 3, NULL);
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

void prompt_launcher_stop(prompt_launcher *self, guint32 number)
{
    launcher_request request = {.what = LAUNCHER_STOP, .number = number};
    call_launcher(self, &request, offsetof(launcher_request, environment), NULL, 0, NULL);
}

int prompt_launcher_open_known_hosts(prompt_launcher *self, guint index)
{
    launcher_request request = {.what = LAUNCHER_KNOWN_HOSTS, .number = index};
    int fd = -1;
    call_launcher(self, &request, offsetof(launcher_request, environment), NULL, 0, &fd);
    return fd;
}
