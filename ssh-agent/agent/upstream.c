#include "ssh-agent/agent/upstream.h"

#include <errno.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ssh-agent/wire/frame.h"

/* A list comes at once; a signature may wait for a person at another prompt or a security key. */
#define LIST_SECONDS 5
#define SIGN_SECONDS 120
/* A connection that nobody uses is closed: real agents take about a thousand, of all programs of
 * the user, and a box may hold as many of ours. */
#define IDLE_SECONDS 2

typedef struct {
    enum ssh_agent_type type;
    GBytes *frame;
    upstream_done done; /* NULL: nobody waits for the answer (binds) */
    gpointer data;
} job;

struct upstream {
    char *path;
    const GPtrArray *binds;
    int fd;
    guint source, timer, starter;
    struct ssh_framer in;
    GQueue jobs;      /* of job; the first has been or is being sent */
    gsize sent;       /* bytes of the first job's frame */
    gboolean working; /* on the first job */
    guint *open;      /* connections of the box, this one among them */
    gboolean *freed;  /* where to note that we are, while an answer is handed out; or NULL */
};

static void job_free(gpointer data)
{
    job *self = data;
    g_bytes_unref(self->frame);
    g_free(self);
}

upstream *upstream_new(const char *path, const GPtrArray *binds, guint *open)
{
    upstream *self = g_new0(upstream, 1);
    self->open = open;
    self->path = g_strdup(path);
    self->binds = binds;
    self->fd = -1;
    g_queue_init(&self->jobs);
    return self;
}

static void disconnect(upstream *self)
{
    g_clear_handle_id(&self->source, g_source_remove);
    g_clear_handle_id(&self->timer, g_source_remove);
    if (self->fd >= 0) {
        close(self->fd);
        --*self->open;
    }
    self->fd = -1;
    self->sent = 0;
    self->working = FALSE;
    ssh_framer_clear(&self->in);
    self->in = (struct ssh_framer){0};
}

void upstream_free(upstream *self)
{
    if (!self)
        return;
    if (self->freed)
        *self->freed = TRUE;
    disconnect(self);
    g_clear_handle_id(&self->starter, g_source_remove);
    g_queue_clear_full(&self->jobs, job_free);
    g_free(self->path);
    g_free(self);
}

/* The real agent cannot be used just now: everything that waits fails. */
static void fail(upstream *self)
{
    const struct ssh_reply_facts none = {0};
    disconnect(self);
    GQueue lost = self->jobs;
    g_queue_init(&self->jobs);
    /* A callback may free SELF, or ask anew. */
    for (job *each; (each = g_queue_pop_head(&lost));) {
        if (each->done)
            each->done(SSH_REPLY_BAD, &none, each->data);
        job_free(each);
    }
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static gboolean on_timeout(gpointer data)
{
    upstream *self = data;
    self->timer = 0;
    fail(self);
    return G_SOURCE_REMOVE;
}

/* The binds are sent again on the next connection. */
static gboolean on_idle(gpointer data)
{
    upstream *self = data;
    self->timer = 0;
    disconnect(self);
    return G_SOURCE_REMOVE;
}

static gboolean on_event(gint fd, GIOCondition condition, gpointer data);

static void watch(upstream *self, GIOCondition condition)
{
    g_clear_handle_id(&self->source, g_source_remove);
    self->source = g_unix_fd_add(self->fd, condition, on_event, self);
}

/* Sends what is left of the first job. FALSE when the connection broke. */
static gboolean send_first(upstream *self)
{
    const job *first = g_queue_peek_head(&self->jobs);
    gsize length = 0;
    const char *bytes = first ? g_bytes_get_data(first->frame, &length) : NULL;
    while (self->sent < length) {
        gssize n = send(self->fd, bytes + self->sent, length - self->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            return FALSE;
        if (n < 0)
            break;
        self->sent += (gsize)n;
    }
    watch(self, self->sent < length ? G_IO_OUT | G_IO_IN : G_IO_IN);
    return TRUE;
}

/* FALSE when the connection broke: SELF may be gone, and is not to be touched. */
static gboolean begin_first(upstream *self)
{
    const job *first = g_queue_peek_head(&self->jobs);
    self->sent = 0;
    self->working = first != NULL;
    g_clear_handle_id(&self->timer, g_source_remove);
    if (!first) {
        self->timer = g_timeout_add_seconds(IDLE_SECONDS, on_idle, self);
        return TRUE;
    }
    self->timer = g_timeout_add_seconds(first->type == SSH_AGENT_SIGN ? SIGN_SECONDS : LIST_SECONDS,
                                        on_timeout, self);
    if (send_first(self))
        return TRUE;
    fail(self);
    return FALSE;
}

/* The first job has its answer. FALSE: SELF may be gone, and is not to be touched. */
static gboolean finish_first(upstream *self, struct ssh_span message)
{
    struct ssh_reply_facts facts = {0};
    gboolean freed = FALSE;
    const job *first = g_queue_peek_head(&self->jobs);
    enum ssh_reply outcome = ssh_reply_parse(&facts, first->type, message);
    if (outcome == SSH_REPLY_BAD) {
        fail(self);
        return FALSE;
    }
    job *done = g_queue_pop_head(&self->jobs);
    self->working = FALSE;
    self->freed = &freed;
    if (done->done)
        done->done(outcome, &facts, done->data);
    job_free(done);
    if (freed)
        return FALSE;
    self->freed = NULL;
    return begin_first(self);
}

static gboolean take_answers(upstream *self)
{
    struct ssh_span message;
    enum ssh_frame got;
    while ((got = ssh_framer_next(&self->in, &message)) == SSH_FRAME_WHOLE) {
        /* An answer that nobody asked for, or before the question was out. */
        if (g_queue_is_empty(&self->jobs)) {
            fail(self);
            return FALSE;
        }
        if (!finish_first(self, message))
            return FALSE;
    }
    if (got == SSH_FRAME_NONE)
        return TRUE;
    fail(self);
    return FALSE;
}

/* A source that was taken away meanwhile does not come back by G_SOURCE_CONTINUE. */
static gboolean on_event(gint fd, GIOCondition condition, gpointer data)
{
    upstream *self = data;
    guint8 bytes[SSH_FRAME_CHUNK];
    if (condition & G_IO_OUT && !send_first(self)) {
        fail(self);
        return G_SOURCE_CONTINUE;
    }
    if (!(condition & (G_IO_IN | G_IO_HUP | G_IO_ERR)))
        return G_SOURCE_CONTINUE;
    gssize n = recv(fd, bytes, sizeof bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n <= 0 || !ssh_framer_feed(&self->in, bytes, (gsize)n))
        fail(self);
    else
        take_answers(self);
    return G_SOURCE_CONTINUE;
}

static job *job_new(enum ssh_agent_type type, GBytes *frame, upstream_done done, gpointer data)
{
    job *made = g_new0(job, 1);
    *made = (job){type, frame, done, data};
    return made;
}

/* Connects when need be, binds first, and sends. From the main loop, so that no callback comes out
 * of upstream_send(). */
static gboolean on_start(gpointer data)
{
    upstream *self = data;
    self->starter = 0;
    if (self->fd >= 0) {
        if (!self->working)
            begin_first(self);
        return G_SOURCE_REMOVE;
    }
    self->fd = *self->open < UPSTREAMS_MAX ? connect_to(self->path) : -1;
    if (self->fd < 0) {
        fail(self);
        return G_SOURCE_REMOVE;
    }
    ++*self->open;
    for (guint i = self->binds->len; i > 0; i--) {
        GBytes *frame = g_bytes_ref(self->binds->pdata[i - 1]);
        g_queue_push_head(&self->jobs, job_new(SSH_AGENT_EXTENSION, frame, NULL, NULL));
    }
    begin_first(self);
    return G_SOURCE_REMOVE;
}

void upstream_send(upstream *self, enum ssh_agent_type type, const struct ssh_writer *frame,
                   upstream_done done, gpointer data)
{
    struct ssh_span span = ssh_writer_span(frame);
    GBytes *copy = g_bytes_new(span.data, span.length);
    g_queue_push_tail(&self->jobs, job_new(type, copy, done, data));
    if (!self->starter)
        self->starter = g_idle_add_full(G_PRIORITY_DEFAULT, on_start, self, NULL);
}

void upstream_bound(upstream *self)
{
    if (!self || self->fd < 0)
        return;
    GBytes *frame = g_bytes_ref(self->binds->pdata[self->binds->len - 1]);
    g_queue_push_tail(&self->jobs, job_new(SSH_AGENT_EXTENSION, frame, NULL, NULL));
    if (!self->starter)
        self->starter = g_idle_add_full(G_PRIORITY_DEFAULT, on_start, self, NULL);
}
