#include "host/supervisor/helper_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "host/supervisor/helper_lock.h"
#include "host/supervisor/helper_log.h"
#include "host/supervisor/worker.h"
#include "sys/debug.h"
#include "sys/signals.h"

#define POLL_INTERVAL_MS 10
/* Until a helper whose pause was ended is seen to restart. Then it has as long as any start. */
#define RESTART_BEGIN_MS 1000

/* One call of helper_start(). */
struct attempt {
    const struct helper *self;
    const struct helper_request *request;
    gint64 end;         /* when it times out, monotonic */
    gint64 pause_ended; /* when its pause was ended; 0: it was not */
    gboolean has_begun; /* it was seen to restart after that */
};

char *helper_log_path(const struct helper *self, const char *folder)
{
    return g_strdup_printf("%s/%s.log", folder, self->name);
}

static gboolean serves(const struct helper_holder *holder, pid_t box)
{
    return holder->state == HELPER_SERVING && (!box || atoi(holder->run) == box);
}

gboolean helper_is_running(const struct helper *self, const char *folder, pid_t box)
{
    struct helper_holder holder;
    helper_lock_read(folder, self->name, &holder);
    return serves(&holder, box);
}

gboolean helper_is_supervised(const struct helper *self, const char *folder, pid_t box)
{
    struct helper_holder holder;
    helper_lock_read(folder, self->name, &holder);
    return holder.state != HELPER_ABSENT && (!box || atoi(holder.run) == box);
}

/* In the detached child: leaves the caller's terminal and folder. */
static void exec_helper(const struct helper *self, char **argv, int box, int ready, int log)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    signals_reset();
    if (!self->keeps_umask)
        umask(077);
    if (chdir("/") == 0 && dup2(box >= 0 ? box : null, STDIN_FILENO) >= 0 &&
        dup2(ready, STDOUT_FILENO) >= 0 && dup2(log >= 0 ? log : null, STDERR_FILENO) >= 0 &&
        close_range(3, ~0u, 0) == 0)
        execv(argv[0], argv);
    _exit(127);
}

/* For messages before the supervisor has opened the log. */
static int open_log(const struct attempt *self)
{
    int folder = open(self->request->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int log = folder < 0 ? -1 : helper_log_open(folder, self->self->name);
    if (folder >= 0)
        close(folder);
    return log;
}

static char **make_argv(const char *program, const char *const *arguments)
{
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, g_strdup(program));
    for (; *arguments; arguments++)
        g_ptr_array_add(argv, g_strdup(*arguments));
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}

/* Forks twice, so that init reaps the helper. Returns 0, or an errno. */
static int fork_detached(const struct attempt *self, char **argv, int box, int ready)
{
    int log = open_log(self), failed = 0;
    pid_t pid = fork();
    if (pid == 0) {
        pid_t detached = fork();
        if (detached == 0)
            exec_helper(self->self, argv, box, ready, log);
        _exit(detached < 0);
    }
    if (log >= 0)
        close(log);
    while (pid > 0 && waitpid(pid, &failed, 0) < 0 && errno == EINTR)
        ;
    return pid < 0 || failed ? EAGAIN : 0;
}

/* Returns the read end of a pipe that is the helper's stdout; -1 with ERROR. */
static int spawn(const struct attempt *self, GError **error)
{
    g_autofree char *program = paths_libexec(self->self->program);
    g_auto(GStrv) argv = make_argv(program, self->request->arguments);
    int ready[2] = {-1, -1}, failed = 0;
    int box = self->request->box ? (int)syscall(SYS_pidfd_open, self->request->box, 0) : -1;
    if (access(program, X_OK) < 0 || (self->request->box && box < 0) || pipe2(ready, O_CLOEXEC) < 0)
        failed = errno;
    if (!failed)
        failed = fork_detached(self, argv, box, ready[1]);
    if (ready[1] >= 0)
        close(ready[1]);
    if (box >= 0)
        close(box);
    if (!failed)
        return ready[0];
    if (ready[0] >= 0)
        close(ready[0]);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot start '%s': %s", program,
                g_strerror(failed));
    return -1;
}

static int time_left(const struct attempt *self)
{
    return (int)MAX((self->end - g_get_monotonic_time()) / 1000, 0);
}

/* Reads until READY is closed. NULL when that takes too long. */
static char *read_answer(const struct attempt *self, int ready)
{
    char text[HELPER_ANSWER_MAX + 1];
    gsize used = 0;
    for (;;) {
        struct pollfd wait = {.fd = ready, .events = POLLIN};
        int n = poll(&wait, 1, time_left(self));
        if (n < 0 && errno == EINTR)
            continue;
        gssize length = n > 0 ? read(ready, text + used, sizeof text - 1 - used) : -1;
        if (length < 0)
            return NULL;
        used += (gsize)length;
        text[used] = '\0';
        if (length == 0 || used == sizeof text - 1)
            return g_strdup(text);
    }
}

/* Kills a helper that timed out, so that it does not become ready later. */
static void kill_late_helper(const struct attempt *self)
{
    struct helper_holder holder;
    helper_lock_read(self->request->folder, self->self->name, &holder);
    if (holder.state == HELPER_STARTING && holder.supervisor > 0)
        kill(holder.supervisor, SIGKILL);
}

static enum helper_status set_error(const struct attempt *self, const char *what, GError **error)
{
    g_autofree char *log = helper_log_path(self->self, self->request->folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' %s; '%s' may say why",
                self->self->program, what, log);
    return HELPER_NOT_READY;
}

/* Starts the helper. FALSE when another one holds the lock. */
static gboolean try_start(const struct attempt *self, enum helper_status *status, char **result,
                          GError **error)
{
    int ready = spawn(self, error);
    *status = HELPER_NOT_READY;
    if (ready < 0)
        return TRUE;
    g_autofree char *answer = read_answer(self, ready);
    close(ready);
    debug_log(DEBUG_HELPER, "%s: started, its answer is '%s'", self->self->program,
              answer ? answer : "none in time");
    switch (answer ? (enum helper_answer) * answer : 0) {
    case HELPER_IS_HELD:
        return FALSE;
    case HELPER_IS_READY:
    case HELPER_IS_DONE:
        *status = *answer == HELPER_IS_READY ? HELPER_READY : HELPER_DONE;
        *result = g_strdup(answer + 1);
        return TRUE;
    case HELPER_TIMED_OUT:
        *status = HELPER_TIMEOUT;
        return TRUE;
    default:
        if (!answer)
            kill_late_helper(self);
        *status = set_error(self, answer ? "cannot start" : "is not ready in time", error);
        return TRUE;
    }
}

/* Ends the pause once only: a worker that crashes again needs its pause. Uses a pidfd, so that the
 * signal cannot reach another process with the same pid. */
static void end_pause(struct attempt *self, const struct helper_holder *before)
{
    struct helper_holder holder;
    self->pause_ended = g_get_monotonic_time();
    int supervisor = (int)syscall(SYS_pidfd_open, before->supervisor, 0);
    helper_lock_read(self->request->folder, self->self->name, &holder);
    if (supervisor >= 0 && holder.state == HELPER_PAUSED && holder.supervisor == before->supervisor)
        syscall(SYS_pidfd_send_signal, supervisor, SIGUSR1, NULL, 0);
    if (supervisor >= 0)
        close(supervisor);
}

/* The helper is paused. FALSE when its pause was ended before: it has crashed again, and the
 * command does not wait for another pause. */
static gboolean may_restart(struct attempt *self, const struct helper_holder *holder)
{
    if (!self->pause_ended)
        end_pause(self, holder);
    return !self->has_begun && g_get_monotonic_time() < self->pause_ended + RESTART_BEGIN_MS * 1000;
}

enum helper_status helper_start(const struct helper *self, const struct helper_request *request,
                                char **result, GError **error)
{
    struct attempt attempt = {
        .self = self, .request = request, .end = g_get_monotonic_time() + self->timeout_ms * 1000};
    g_autofree char *text = NULL;
    enum helper_status status;
    struct helper_holder holder;
    if (!fs_make_folder(request->folder, 0700, error))
        return HELPER_NOT_READY;
    for (;;) {
        helper_lock_read(request->folder, self->name, &holder);
        status = HELPER_RUNNING;
        if (serves(&holder, request->box) ||
            (holder.state == HELPER_ABSENT && try_start(&attempt, &status, &text, error)))
            break;
        if (holder.state == HELPER_PAUSED && !may_restart(&attempt, &holder))
            return set_error(&attempt, "has crashed", error);
        if (time_left(&attempt) == 0)
            return set_error(&attempt, "is not ready in time", error);
        attempt.has_begun = attempt.pause_ended && holder.state != HELPER_PAUSED;
        g_usleep(POLL_INTERVAL_MS * 1000);
    }
    if (result)
        *result = text ? g_steal_pointer(&text) : g_strdup("");
    return status;
}

#define LIMIT_MS 5000
#define INTERVAL_MS 10
#define LOCK_SUFFIX ".lock"

/* The process is read once more behind the pidfd: it had not ended by then, so its id is its own.
 */
static void signal_holder(const char *folder, const char *name, pid_t supervisor)
{
    struct helper_holder again;
    int fd = (int)syscall(SYS_pidfd_open, supervisor, 0);
    if (fd < 0)
        return;
    helper_lock_read(folder, name, &again);
    if (again.supervisor == supervisor &&
        (again.state == HELPER_SERVING || again.state == HELPER_PAUSED))
        syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0);
    close(fd);
}

gboolean helper_stop(const char *folder, const char *name)
{
    struct helper_holder holder;
    pid_t told = 0;
    for (int waited = 0; waited < LIMIT_MS; waited += INTERVAL_MS) {
        helper_lock_read(folder, name, &holder);
        if (holder.state == HELPER_ABSENT)
            return TRUE;
        /* While it starts, the file may still name an earlier process. */
        if (holder.state != HELPER_STARTING && holder.supervisor > 0 && holder.supervisor != told) {
            signal_holder(folder, name, holder.supervisor);
            told = holder.supervisor;
        }
        g_usleep(INTERVAL_MS * 1000);
    }
    return FALSE;
}

gboolean helper_stop_all(const char *folder)
{
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    gboolean stopped = TRUE;
    for (const char *file; files && (file = g_dir_read_name(files));) {
        if (!g_str_has_suffix(file, LOCK_SUFFIX))
            continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(LOCK_SUFFIX));
        stopped &= helper_stop(folder, name);
    }
    return stopped;
}
