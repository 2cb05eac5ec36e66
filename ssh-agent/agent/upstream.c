#include "ssh-agent/agent/upstream.h"

#include <errno.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "ssh-agent/wire/agent_protocol.h"

/* Timeouts. A signature may wait for the user, at another prompt or a security key. */
#define LIST_SECONDS 5
#define SIGN_SECONDS 120
/* An unused connection is closed after this time: real agents accept about a thousand from all
 * programs of the user, and a box may hold as many of ours. */
#define IDLE_SECONDS 2

typedef struct {
    enum ssh_agent_message_type type;
    GBytes *message;
    upstream_done done; /* NULL: the answer is ignored (session binds) */
    gpointer data;
} job;

struct upstream {
    char *path;
    const GPtrArray *binds;
    int fd;
    guint source, timer, starter;
    struct ssh_message_stream in;
    GQueue jobs;      /* of job; the first is being sent, or waits for its answer */
    gsize sent;       /* bytes of the first job's message */
    gboolean working; /* on the first job */
    guint *count;     /* connections of the box, with this one */
    gboolean *freed;  /* set to TRUE by upstream_free(), during a callback; else NULL */
};

static void job_free(gpointer data)
{
    job *self = data;
    g_bytes_unref(self->message);
    g_free(self);
}

upstream *upstream_new(const char *path, const GPtrArray *binds, guint *count)
{
    upstream *self = g_new0(upstream, 1);
    self->count = count;
    self->path = g_strdup(path);
    self->binds = binds;
    self->fd = -1;
    g_queue_init(&self->jobs);
    return self;
}

gboolean upstream_is_at(const upstream *self, const char *path)
{
    return g_strcmp0(self->path, path) == 0;
}

static void disconnect(upstream *self)
{
    g_clear_handle_id(&self->source, g_source_remove);
    g_clear_handle_id(&self->timer, g_source_remove);
    if (self->fd >= 0) {
        close(self->fd);
        --*self->count;
    }
    self->fd = -1;
    self->sent = 0;
    self->working = FALSE;
    ssh_message_stream_clear(&self->in);
    self->in = (struct ssh_message_stream){0};
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

/* The connection broke, or the real agent broke the protocol: all jobs fail. */
static void fail_upstream(upstream *self)
{
    const struct ssh_reply none = {0};
    disconnect(self);
    GQueue lost = self->jobs;
    g_queue_init(&self->jobs);
    /* A callback may free SELF, or send again. */
    for (job *each; (each = g_queue_pop_head(&lost));) {
        if (each->done)
            each->done(SSH_REPLY_INVALID, &none, each->data);
        job_free(each);
    }
}

static gboolean on_timeout(gpointer data)
{
    upstream *self = data;
    self->timer = 0;
    fail_upstream(self);
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

static void watch_upstream(upstream *self, GIOCondition condition)
{
    g_clear_handle_id(&self->source, g_source_remove);
    self->source = g_unix_fd_add(self->fd, condition, on_event, self);
}

/* Sends the rest of the first job. FALSE when the connection broke. */
static gboolean send_first(upstream *self)
{
    const job *first = g_queue_peek_head(&self->jobs);
    gsize length = 0;
    const char *bytes = first ? g_bytes_get_data(first->message, &length) : NULL;
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
    watch_upstream(self, self->sent < length ? G_IO_OUT | G_IO_IN : G_IO_IN);
    return TRUE;
}

/* FALSE when the connection broke: SELF may have been freed. */
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
    self->timer = g_timeout_add_seconds(
        first->type == SSH_AGENTC_SIGN_REQUEST ? SIGN_SECONDS : LIST_SECONDS, on_timeout, self);
    if (send_first(self))
        return TRUE;
    fail_upstream(self);
    return FALSE;
}

/* MESSAGE answers the first job. FALSE: SELF may have been freed. */
static gboolean finish_first(upstream *self, struct ssh_span message)
{
    struct ssh_reply reply = {0};
    gboolean freed = FALSE;
    const job *first = g_queue_peek_head(&self->jobs);
    enum ssh_reply_status status = ssh_reply_parse(&reply, first->type, message);
    if (status == SSH_REPLY_INVALID) {
        fail_upstream(self);
        return FALSE;
    }
    job *done = g_queue_pop_head(&self->jobs);
    self->working = FALSE;
    self->freed = &freed;
    if (done->done)
        done->done(status, &reply, done->data);
    job_free(done);
    if (freed)
        return FALSE;
    self->freed = NULL;
    return begin_first(self);
}

static gboolean read_answers(upstream *self)
{
    struct ssh_span message;
    enum ssh_message_status got;
    while ((got = ssh_message_stream_next(&self->in, &message)) == SSH_MESSAGE_COMPLETE) {
        /* An answer without a request. */
        if (g_queue_is_empty(&self->jobs)) {
            fail_upstream(self);
            return FALSE;
        }
        if (!finish_first(self, message))
            return FALSE;
    }
    if (got == SSH_MESSAGE_INCOMPLETE)
        return TRUE;
    fail_upstream(self);
    return FALSE;
}

/* Returns G_SOURCE_CONTINUE also after its source was removed, which has no effect then. */
static gboolean on_event(gint fd, GIOCondition condition, gpointer data)
{
    upstream *self = data;
    guint8 bytes[SSH_MESSAGE_CHUNK];
    if (condition & G_IO_OUT && !send_first(self)) {
        fail_upstream(self);
        return G_SOURCE_CONTINUE;
    }
    if (!(condition & (G_IO_IN | G_IO_HUP | G_IO_ERR)))
        return G_SOURCE_CONTINUE;
    gssize n = recv(fd, bytes, sizeof bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n <= 0 || !ssh_message_stream_feed(&self->in, bytes, (gsize)n))
        fail_upstream(self);
    else
        read_answers(self);
    return G_SOURCE_CONTINUE;
}

static job *job_new(enum ssh_agent_message_type type, GBytes *message, upstream_done done,
                    gpointer data)
{
    job *self = g_new0(job, 1);
    *self = (job){type, message, done, data};
    return self;
}

/* Connects if necessary, and sends the binds first. Runs from the main loop, so that
 * upstream_send() calls no callback. */
static gboolean on_start(gpointer data)
{
    upstream *self = data;
    self->starter = 0;
    if (self->fd >= 0) {
        if (!self->working)
            begin_first(self);
        return G_SOURCE_REMOVE;
    }
    self->fd = self->path && *self->count < UPSTREAMS_MAX
                   ? unix_socket_connect(self->path, SOCK_STREAM | SOCK_NONBLOCK)
                   : -1;
    if (self->fd < 0) {
        fail_upstream(self);
        return G_SOURCE_REMOVE;
    }
    ++*self->count;
    for (guint i = self->binds->len; i > 0; i--) {
        GBytes *message = g_bytes_ref(self->binds->pdata[i - 1]);
        g_queue_push_head(&self->jobs, job_new(SSH_AGENTC_EXTENSION, message, NULL, NULL));
    }
    begin_first(self);
    return G_SOURCE_REMOVE;
}

void upstream_send(upstream *self, enum ssh_agent_message_type type,
                   const struct ssh_writer *message, upstream_done done, gpointer data)
{
    struct ssh_span span = ssh_writer_span(message);
    GBytes *copy = g_bytes_new(span.data, span.length);
    g_queue_push_tail(&self->jobs, job_new(type, copy, done, data));
    if (!self->starter)
        self->starter = g_idle_add_full(G_PRIORITY_DEFAULT, on_start, self, NULL);
}

void upstream_bound(upstream *self)
{
    if (!self || self->fd < 0)
        return;
    GBytes *message = g_bytes_ref(self->binds->pdata[self->binds->len - 1]);
    g_queue_push_tail(&self->jobs, job_new(SSH_AGENTC_EXTENSION, message, NULL, NULL));
    if (!self->starter)
        self->starter = g_idle_add_full(G_PRIORITY_DEFAULT, on_start, self, NULL);
}
