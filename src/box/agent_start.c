#include "box/agent_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/signals.h"

#define READY_MS 5000
#define LOOK_US 10000
#define LOOKS 20

/* In the child of a child: nothing of the caller's terminal and folder stays with it. */
static void run_agent(char *program, int ready, int log)
{
    char *argv[] = {program, (char *)"--ready", NULL};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setsid();
    signals_reset();
    umask(077);
    if (chdir("/") == 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ready, STDOUT_FILENO) >= 0 &&
        dup2(log >= 0 ? log : null, STDERR_FILENO) >= 0 && close_range(3, ~0u, 0) == 0)
        execv(program, argv);
    _exit(127);
}

/* What it says on stderr is kept in the state folder: it has no terminal. */
static int open_messages(void)
{
    g_autofree char *folder = paths_state(NULL);
    g_autofree char *path = paths_state("agent.err");
    if (!fs_make_folder(folder, 0700, NULL))
        return -1;
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static gboolean spawn(GError **error)
{
    g_autofree char *program = paths_libexec("litterbox-ssh-agent");
    int ready[2];
    if (access(program, X_OK) < 0 || pipe2(ready, O_CLOEXEC) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot start the SSH agent '%s': %s",
                    program, g_strerror(errno));
        return FALSE;
    }
    int log = open_messages();
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            run_agent(program, ready[1], log);
        _exit(0);
    }
    close(ready[1]);
    if (log >= 0)
        close(log);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    /* It closes the pipe when it is ready, or by ending. */
    struct pollfd wait = {.fd = ready[0], .events = POLLIN};
    while (poll(&wait, 1, READY_MS) < 0 && errno == EINTR)
        ;
    close(ready[0]);
    return TRUE;
}

int agent_start(GError **error)
{
    gint64 end = g_get_monotonic_time() + READY_MS * 1000;
    do {
        if (!spawn(error))
            return -1;
        /* Ours gives way to another's: one that is starting, or one that is just ending, after
         * which ours has to be started again. */
        for (int i = 0; i < LOOKS; i++) {
            int fd = agent_connect();
            if (fd >= 0)
                return fd;
            g_usleep(LOOK_US);
        }
    } while (g_get_monotonic_time() < end);
    g_autofree char *path = paths_state("agent.err");
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the SSH agent did not start; '%s' may say why",
                path);
    return -1;
}
