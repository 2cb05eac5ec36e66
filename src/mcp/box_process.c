#include "mcp/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A box may have to be created before the command begins, with an image that is built. */
#define PREPARATION_MS (15 * 60 * 1000)
/* From SIGTERM to the end of the session. */
#define STOP_GRACE_MS 2000
#define READ_SIZE 65536
/* Reads of what is left in a pipe: a multiple of what a full one needs. Somebody else may write for
 * ever. */
#define DRAIN_READS 64

static gboolean fail_process(const char *what, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s: %s", what, g_strerror(errno));
    return FALSE;
}

/* A file in memory, which the session's client copies to the box: no box gets the descriptor. */
static int make_input(const char *bytes, gsize length)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    for (gsize done = 0; fd >= 0 && done < length;) {
        ssize_t n = write(fd, bytes + done, length - done);
        if (n < 0) {
            close(fd);
            return -1;
        }
        done += (gsize)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* One read; FALSE when there is nothing now, or nothing more. */
static gboolean read_stream(struct box_process *self, int which)
{
    static char bytes[READ_SIZE];
    struct event_watch *watch = &self->streams[which];
    ssize_t n = watch->fd < 0 ? 0 : read(watch->fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return FALSE;
    if (n <= 0) {
        event_watch_close(watch);
        return FALSE;
    }
    self->output(self, which + 1, bytes, (gsize)n);
    return TRUE;
}

static void stream_ready(struct event_watch *watch, uint32_t events)
{
    (void)events;
    struct box_process *self = watch->owner;
    read_stream(self, watch == &self->streams[1]);
}

static void close_all(struct box_process *self)
{
    event_timer_stop(&self->limit);
    event_watch_close(&self->end);
    event_watch_close(&self->streams[0]);
    event_watch_close(&self->streams[1]);
    if (self->report >= 0)
        close(self->report);
    self->report = -1;
    self->pid = 0;
}

static void read_report(struct box_process *self, int status)
{
    ssize_t n = self->is_program ? 0 : read(self->report, &self->said, sizeof self->said);
    if (n != sizeof self->said) {
        self->said = (struct session_child_report){.status = self->is_program ? status : -1};
        g_strlcpy(self->said.message,
                  !self->is_program ? "the session was ended"
                  : self->is_late   ? "it took too long, and was ended"
                                    : "it was ended by a signal",
                  sizeof self->said.message);
    }
    self->said.message[sizeof self->said.message - 1] = '\0';
}

static void child_ended(struct event_watch *watch, uint32_t events)
{
    (void)events;
    struct box_process *self = watch->owner;
    int status = session_child_reap(self->pid);
    self->duration = (double)(g_get_monotonic_time() - self->started) / G_USEC_PER_SEC;
    for (int i = 0; i < 2; i++) {
        for (int reads = 0; reads < DRAIN_READS && read_stream(self, i); reads++)
            ;
    }
    read_report(self, status);
    close_all(self);
    self->ended(self);
}

static void limit_expired(struct event_timer *timer)
{
    struct box_process *self = timer->owner;
    self->is_late = TRUE;
    kill(self->pid, SIGKILL);
}

static void watch(struct box_process *self, struct event_watch *one, int fd,
                  void (*ready)(struct event_watch *, uint32_t))
{
    *one = (struct event_watch){.fd = fd, .ready = ready, .owner = self};
    event_watch_set(one, EPOLLIN);
}

/* Watches the child PID, whose ends of PIPES (standard output, error, the report) are theirs. */
static gboolean watch_child(struct box_process *self, pid_t pid, int pipes[3][2], guint64 limit_ms,
                            GError **error)
{
    self->pid = pid;
    int end = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (end < 0) {
        fail_process("cannot start a process", error);
        if (pid > 0)
            kill(pid, SIGKILL);
        if (pid > 0)
            session_child_reap(pid);
        self->pid = 0;
        return FALSE;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
        watch(self, &self->streams[i], pipes[i][0], stream_ready);
    }
    fcntl(pipes[2][0], F_SETFL, O_NONBLOCK);
    self->report = pipes[2][0];
    watch(self, &self->end, end, child_ended);
    self->limit = (struct event_timer){.expired = limit_expired, .owner = self};
    if (limit_ms)
        event_timer_set(&self->limit, (int64_t)limit_ms);
    return TRUE;
}

static gboolean open_pipes(struct box_process *self, int pipes[3][2], GError **error)
{
    memset(&self->said, 0, sizeof self->said);
    self->is_late = FALSE;
    self->started = g_get_monotonic_time();
    self->began = g_get_real_time();
    for (int i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            return fail_process("cannot make a pipe", error);
    }
    return TRUE;
}

/* What the child has, and without a child all of them. */
static void close_pipes(int pipes[3][2], gboolean has_child)
{
    for (int i = 0; i < 3; i++) {
        if (pipes[i][1] >= 0)
            close(pipes[i][1]);
        if (!has_child && pipes[i][0] >= 0)
            close(pipes[i][0]);
    }
}

gboolean box_process_start(struct box_process *self, struct box *in_box,
                           const session_options *options, const char *input, gsize length,
                           GError **error)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, in = -1;
    guint64 limit = options->timeout_ms ? options->timeout_ms + PREPARATION_MS : 0;
    gboolean done = FALSE;
    self->is_program = FALSE;
    if (input && (in = make_input(input, length)) < 0)
        fail_process("cannot keep the input", error);
    else if (open_pipes(self, pipes, error))
        done = watch_child(self,
                           session_child_start(in_box, options,
                                               (int[]){in, pipes[0][1], pipes[1][1]}, pipes[2][1]),
                           pipes, limit, error);
    if (in >= 0)
        close(in);
    close_pipes(pipes, done);
    return done;
}

gboolean box_process_start_program(struct box_process *self, char *const *argv, guint64 limit_ms,
                                   GError **error)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    self->is_program = TRUE;
    gboolean done =
        open_pipes(self, pipes, error) &&
        watch_child(self, program_child_start(argv, (int[]){-1, pipes[0][1], pipes[1][1]}), pipes,
                    limit_ms, error);
    close_pipes(pipes, done);
    return done;
}

void box_process_stop(struct box_process *self)
{
    if (self->pid <= 0)
        return;
    kill(self->pid, SIGTERM);
    event_timer_set(&self->limit, STOP_GRACE_MS);
}

void box_process_abort(struct box_process *self)
{
    if (self->pid <= 0)
        return;
    kill(self->pid, SIGKILL);
    session_child_reap(self->pid);
    close_all(self);
}
