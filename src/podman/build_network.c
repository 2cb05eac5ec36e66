#include "podman/build_network.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "common/paths.h"
#include "podman/program.h"

/* Podman may have to set up its user namespace first. */
#define START_MS 30000
#define ANSWER_MAX 32

struct build_network {
    char *path;
    GPid podman;   /* the program's parent */
    int lifeline;  /* the program's stdin */
    pid_t process; /* of the program */
};

/* In the child: away from the terminal's signals, which are for the caller. */
static void leave_terminal(gpointer log)
{
    setsid();
    dup2(GPOINTER_TO_INT(log), STDERR_FILENO);
}

/* *ANSWERS: its stdout. */
static gboolean spawn(build_network *self, int log, int *answers, GError **error)
{
    g_autofree char *podman = podman_program(error);
    g_autofree char *program = paths_libexec(BUILD_NETWORK_PROGRAM);
    GPtrArray *entries = podman_environment(NULL);
    g_ptr_array_add(entries, NULL);
    g_auto(GStrv) environment = (char **)g_ptr_array_free(entries, FALSE);
    char *argv[] = {podman, "unshare", program, "hold", self->path, NULL};
    return podman && g_spawn_async_with_pipes("/", argv, environment, G_SPAWN_DO_NOT_REAP_CHILD,
                                              leave_terminal, GINT_TO_POINTER(log), &self->podman,
                                              &self->lifeline, answers, NULL, error);
}

/* Reads "PID\n". FALSE: the program has ended, or takes too long. */
static gboolean read_answer(build_network *self, int answers)
{
    char text[ANSWER_MAX + 1] = "", *end = text;
    gsize used = 0;
    gint64 until = g_get_monotonic_time() + START_MS * 1000;
    while (used < ANSWER_MAX && !memchr(text, '\n', used)) {
        struct pollfd wait = {.fd = answers, .events = POLLIN};
        int left = (int)((until - g_get_monotonic_time()) / 1000);
        int ready = left > 0 ? poll(&wait, 1, left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        gssize got = ready > 0 ? read(answers, text + used, ANSWER_MAX - used) : 0;
        if (got <= 0)
            return FALSE;
        used += (gsize)got;
    }
    self->process = (pid_t)strtol(text, &end, 10);
    return *end == '\n' && self->process > 1;
}

build_network *build_network_open(const char *folder, GError **error)
{
    g_autoptr(build_network) self = g_new0(build_network, 1);
    g_autofree char *log_path = g_build_filename(folder, "build-network.log", NULL);
    int answers = -1;
    self->lifeline = -1;
    self->path = g_build_filename(folder, "netns", NULL);
    int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (log < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open '%s': %s", log_path,
                    g_strerror(errno));
        return NULL;
    }
    gboolean spawned = spawn(self, log, &answers, error);
    gboolean made = spawned && read_answer(self, answers);
    close(log);
    if (answers >= 0)
        close(answers);
    if (spawned && !made)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "podman unshare did not make a network for the build; '%s' may say why",
                    log_path);
    return made ? g_steal_pointer(&self) : NULL;
}

void build_network_close(build_network *self)
{
    if (self->lifeline >= 0)
        close(self->lifeline);
    while (self->podman && waitpid(self->podman, NULL, 0) < 0 && errno == EINTR)
        ;
    g_free(self->path);
    g_free(self);
}

const char *build_network_path(const build_network *self)
{
    return self->path;
}

pid_t build_network_process(const build_network *self)
{
    return self->process;
}
