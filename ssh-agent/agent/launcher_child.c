#include "ssh-agent/agent/launcher_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/packet.h"
#include "sys/signals.h"
#include "ssh-agent/agent/launcher.h"

/* Prompts at a time: one a box, and a few that are just ending. */
#define PROMPTS_MAX 64
#define STRINGS_MAX 64
/* A prompt has nothing to clean up, and one that hangs or is stopped takes no other signal. */
#define END SIGKILL

static struct {
    pid_t pid; /* 0: free */
    int out;   /* our copy of its stdout, for its exit status */
} prompts[PROMPTS_MAX];

static const char *program;

static int free_slot(void)
{
    for (int i = 0; i < PROMPTS_MAX; i++)
        if (!prompts[i].pid)
            return i;
    return -1;
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
    if (dup2(fds[0], STDIN_FILENO) >= 0 && dup2(fds[1], STDOUT_FILENO) >= 0)
        execve(program, argv, environment);
    _exit(127);
}

static guint32 start_prompt(launcher_request *request, gsize length, int *fds)
{
    char *environment[STRINGS_MAX + 1];
    gsize size = length - offsetof(launcher_request, environment), n = 0;
    int slot = free_slot();
    if (slot < 0 || fds[0] < 0 || fds[1] < 0 || (size && request->environment[size - 1]))
        return 0;
    for (gsize at = 0; at < size && n < STRINGS_MAX; at += strlen(request->environment + at) + 1)
        environment[n++] = request->environment + at;
    environment[n] = NULL;
    pid_t self = getpid(), pid = fork();
    if (pid < 0)
        return 0;
    if (pid == 0)
        run_prompt(self, fds, environment);
    prompts[slot].pid = pid;
    prompts[slot].out = fds[1];
    fds[1] = -1;
    return (guint32)pid;
}

/* The number is a pid that we have not waited for, so it can be nobody else's. */
static void stop_prompt(guint32 number)
{
    for (int i = 0; number && i < PROMPTS_MAX; i++)
        if (prompts[i].pid == (pid_t)number)
            kill(prompts[i].pid, END);
}

/* What says which hosts are known is the user's or the system's, not that of a box' subuid. */
static gboolean is_believed(int fd)
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
    const char *paths[LAUNCHER_KNOWN_HOSTS] = {first, second, "/etc/ssh/ssh_known_hosts",
                                               "/etc/ssh/ssh_known_hosts2"};
    if (index >= LAUNCHER_KNOWN_HOSTS)
        return -1;
    int fd = open(paths[index], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && !is_believed(fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static gboolean serve(int socket)
{
    static launcher_request request;
    launcher_answer answer = {0};
    int fds[2] = {-1, -1}, given = -1;
    gssize got = packet_receive(socket, &request, sizeof request, fds, 2);
    if (got < (gssize)offsetof(launcher_request, environment))
        return FALSE;
    if (request.what == LAUNCHER_PROMPT)
        answer.number = start_prompt(&request, (gsize)got, fds);
    else if (request.what == LAUNCHER_STOP)
        stop_prompt(request.number);
    else if (request.what == LAUNCHER_HOSTS)
        given = open_known_hosts(request.number);
    gssize sent = packet_send(socket, &answer, sizeof answer, &given, given >= 0 ? 1 : 0);
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (given >= 0)
        close(given);
    return sent == sizeof answer;
}

/* Behind what the prompt itself wrote: NUL and its exit status. */
static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (int i = 0; i < PROMPTS_MAX; i++) {
            if (prompts[i].pid != pid)
                continue;
            char end[2] = {0, (char)(WIFEXITED(status) ? WEXITSTATUS(status) : 255)};
            if (write(prompts[i].out, end, sizeof end) < 0 && errno == EPIPE)
                end[1] = 0; /* the agent is not interested any more */
            close(prompts[i].out);
            prompts[i].pid = 0;
        }
    }
}

void launcher_child_run(pid_t parent, int socket, const char *prompt)
{
    sigset_t child;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    program = prompt;
    signals_end_with(parent);
    /* Whoever starts the agent waits until its stdout is closed. */
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    /* Nothing that the agent was given, such as systemd's socket, lives on in here. */
    if (socket > 3)
        close_range(3, (guint)socket - 1, 0);
    close_range((guint)socket + 1, ~0u, 0);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "litterbox-ask");
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd polls[] = {{.fd = socket, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        if (poll(polls, 2, -1) < 0 && errno != EINTR)
            break;
        if (polls[1].revents && read(signals, &info, sizeof info) > 0)
            reap();
        if (polls[0].revents && !serve(socket))
            break;
    }
    for (int i = 0; i < PROMPTS_MAX; i++)
        if (prompts[i].pid)
            kill(prompts[i].pid, END);
}
