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
#define CHUNK 65536
/* Reads of what is left in a pipe: a multiple of what a full one needs. Somebody else may write for
 * ever. */
#define DRAIN_READS 64

static gboolean fail(const char *what, GError **error)
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
    static char bytes[CHUNK];
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

static void child_ended(struct event_watch *watch, uint32_t events)
{
    (void)events;
    struct box_process *self = watch->owner;
    session_child_reap(self->pid);
    self->duration = (double)(g_get_monotonic_time() - self->started) / G_USEC_PER_SEC;
    for (int i = 0; i < 2; i++) {
        for (int reads = 0; reads < DRAIN_READS && read_stream(self, i); reads++)
            ;
    }
    ssize_t n = read(self->report, &self->said, sizeof self->said);
    if (n != sizeof self->said) {
        self->said = (struct session_child_report){.status = -1};
        g_strlcpy(self->said.message, "the session was ended", sizeof self->said.message);
    }
    self->said.message[sizeof self->said.message - 1] = '\0';
    close_all(self);
    self->ended(self);
}

static void limit_expired(struct event_timer *timer)
{
    struct box_process *self = timer->owner;
    kill(self->pid, SIGKILL);
}

static void watch(struct box_process *self, struct event_watch *one, int fd,
                  void (*ready)(struct event_watch *, uint32_t))
{
    *one = (struct event_watch){.fd = fd, .ready = ready, .owner = self};
    event_watch_set(one, EPOLLIN);
}

static gboolean start_child(struct box_process *self, struct box *in_box,
                            const session_options *options, int input, int pipes[3][2],
                            GError **error)
{
    self->started = g_get_monotonic_time();
    self->pid =
        session_child_start(in_box, options, (int[]){input, pipes[0][1], pipes[1][1]}, pipes[2][1]);
    int end = self->pid > 0 ? (int)syscall(SYS_pidfd_open, self->pid, 0) : -1;
    if (end < 0) {
        fail("cannot start a process", error);
        if (self->pid > 0)
            kill(self->pid, SIGKILL);
        if (self->pid > 0)
            session_child_reap(self->pid);
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
    if (options->timeout_ms)
        event_timer_set(&self->limit, (int64_t)options->timeout_ms + PREPARATION_MS);
    return TRUE;
}

gboolean box_process_start(struct box_process *self, struct box *in_box,
                           const session_options *options, const char *input, gsize length,
                           GError **error)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, in = -1;
    gboolean done = FALSE;
    memset(&self->said, 0, sizeof self->said);
    if (input && (in = make_input(input, length)) < 0)
        fail("cannot keep the input", error);
    else if (pipe2(pipes[0], O_CLOEXEC) < 0 || pipe2(pipes[1], O_CLOEXEC) < 0 ||
             pipe2(pipes[2], O_CLOEXEC) < 0)
        fail("cannot make a pipe", error);
    else
        done = start_child(self, in_box, options, in, pipes, error);
    if (in >= 0)
        close(in);
    for (int i = 0; i < 3; i++) {
        if (pipes[i][1] >= 0)
            close(pipes[i][1]);
        if (!done && pipes[i][0] >= 0)
            close(pipes[i][0]);
    }
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
