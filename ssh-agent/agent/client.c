#include "ssh-agent/agent/client.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"
#include "net/unix_socket.h"
#include "ssh-agent/agent/agent.h"

static gboolean on_client_readable(gint fd, GIOCondition condition, gpointer data);
static void pump(client *self);
static void begin_request(client *self, struct ssh_span message);

static gboolean free_later(gpointer data)
{
    g_free(data);
    return G_SOURCE_REMOVE;
}

/* FALSE: the box has too much, and the connection must end. */
static gboolean count_memory(client *self)
{
    gsize now = self->in.capacity + self->bound;
    self->box->buffered += now - self->counted;
    self->counted = now;
    return self->box->buffered <= BOX_BUFFERED_MAX;
}

void client_close(client *self)
{
    if (self->gone)
        return;
    self->gone = TRUE;
    sign_cancel(self);
    g_clear_handle_id(&self->readable, g_source_remove);
    g_clear_handle_id(&self->writable, g_source_remove);
    g_clear_handle_id(&self->more, g_source_remove);
    g_clear_pointer(&self->upstream, upstream_free);
    close(self->fd);
    ssh_message_stream_clear(&self->in);
    self->bound = 0;
    count_memory(self);
    ssh_bindings_clear(&self->bindings);
    g_clear_pointer(&self->binds, g_ptr_array_unref);
    keyring_forget(self);
    g_clear_pointer(&self->out, g_byte_array_unref);
    g_ptr_array_remove_fast(self->box->clients, self);
    /* pump() or client_answer() may be on the stack, and check GONE when they continue. */
    g_idle_add(free_later, self);
}

/* While a request is in progress, or others wait, nothing is read; only a hang-up is noticed. */
static void watch_client(client *self)
{
    gboolean reading = !self->busy && self->out->len == 0 && !self->more;
    g_clear_handle_id(&self->readable, g_source_remove);
    self->readable =
        g_unix_fd_add(self->fd, reading ? G_IO_IN : G_IO_HUP, on_client_readable, self);
}

static gboolean on_client_writable(gint fd, GIOCondition condition, gpointer data);

/* Sends the rest of the answer. FALSE when the connection broke. */
static gboolean flush(client *self)
{
    int done = unix_socket_send_rest(self->fd, self->out->data, self->out->len, &self->sent);
    if (done == 0 && !self->writable)
        self->writable = g_unix_fd_add(self->fd, G_IO_OUT, on_client_writable, self);
    if (done != 1)
        return done == 0;
    g_clear_handle_id(&self->writable, g_source_remove);
    /* An idle connection does not keep the memory of a long list. */
    g_byte_array_unref(self->out);
    self->out = g_byte_array_new();
    self->sent = 0;
    return TRUE;
}

static gboolean on_client_writable(gint fd, GIOCondition condition, gpointer data)
{
    client *self = data;
    if (flush(self))
        pump(self);
    else
        client_close(self);
    return G_SOURCE_CONTINUE;
}

static gboolean on_more(gpointer data)
{
    client *self = data;
    self->more = 0;
    pump(self);
    return G_SOURCE_REMOVE;
}

/* Requests of one connection that are worked on before others have their turn: a box may have a
 * thousand, each with three thousand requests that cost it nothing. */
#define REQUESTS_IN_A_ROW 8

/* Works on one request after the other, as long as each is answered and sent at once. */
static void pump(client *self)
{
    struct ssh_span message;
    if (self->pumping || self->more || self->gone)
        return;
    self->pumping = TRUE;
    for (int i = 0; !self->gone && !self->busy && self->out->len == 0; i++) {
        if (i == REQUESTS_IN_A_ROW) {
            self->more = g_idle_add_full(G_PRIORITY_DEFAULT, on_more, self, NULL);
            break;
        }
        enum ssh_message_status got = ssh_message_stream_next(&self->in, &message);
        if (got == SSH_MESSAGE_INVALID)
            client_close(self);
        if (got != SSH_MESSAGE_COMPLETE)
            break;
        self->busy = TRUE;
        begin_request(self, message);
    }
    self->pumping = FALSE;
    if (self->gone)
        return;
    count_memory(self);
    watch_client(self);
}

/* FALSE: the connection must end. */
static gboolean feed(client *self, const guint8 *bytes, gsize length)
{
    return ssh_message_stream_feed(&self->in, bytes, length) && count_memory(self);
}

void client_answer(client *self, const struct ssh_writer *answer)
{
    struct ssh_span span = ssh_writer_span(answer);
    if (self->gone)
        return;
    if (answer->failed || span.length == 0) {
        client_close(self);
        return;
    }
    self->busy = FALSE;
    g_byte_array_append(self->out, span.data, (guint)span.length);
    if (!flush(self))
        client_close(self);
    else
        pump(self);
}

void client_fail(client *self)
{
    struct ssh_writer answer = {0};
    ssh_agent_write_failure(&answer);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

static gboolean on_client_readable(gint fd, GIOCondition condition, gpointer data)
{
    client *self = data;
    guint8 bytes[SSH_MESSAGE_CHUNK];
    if (!(condition & G_IO_IN)) {
        client_close(self);
        return G_SOURCE_CONTINUE;
    }
    gssize n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n <= 0 || !feed(self, bytes, (gsize)n))
        client_close(self);
    else
        pump(self);
    return G_SOURCE_CONTINUE;
}

void client_new(agent_box *box, int fd, pid_t pid)
{
    client *self = g_new0(client, 1);
    self->box = box;
    self->fd = fd;
    self->pid = pid;
    self->out = g_byte_array_new();
    self->binds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_ptr_array_add(box->clients, self);
    watch_client(self);
}

/* Processor time, in microseconds a second, that the session binds of one box may take: a quarter
 * of a processor. A bind takes 100 µs with a usual key. */
#define BIND_TIME_MAX 250000

static void answer_keys(client *self, const GPtrArray *keys)
{
    struct ssh_writer answer = {0};
    g_autofree struct ssh_identity *list = g_new0(struct ssh_identity, keys->len + 1);
    for (guint i = 0; i < keys->len; i++) {
        const keyring_key *each = keys->pdata[i];
        list[i].blob.data = g_bytes_get_data(each->blob, &list[i].blob.length);
        list[i].comment = ssh_span_text(each->label);
    }
    ssh_agent_write_identities(&answer, list, keys->len);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

/* The program will say that there are no keys, and not why. */
static void answer_found_keys(client *self, const GPtrArray *keys)
{
    if (keys->len == 0)
        notice_refusal(self->box->name, self->pid,
                       self->keys_lack ? self->keys_lack : UPSTREAM_LACKS);
    /* Also when there are others, and when the program has not waited for it. */
    if (self->keys_lack && self->box->upstream)
        sign_log_refusal(self, "list", self->keys_lack);
    answer_keys(self, keys);
}

/* Without keys the answer is an empty list, not a failure, as programs then try other keys. */
static void handle_list(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    agent *daemon = self->box->agent;
    enum question_refusal refusal =
        pending_questions_check(daemon->questions, self->box->name, QUESTION_SIGN, agent_now());
    gboolean none_attached = self->box->keys->len == 0 && self->box->attached->len == 0;
    gboolean hidden = daemon->locked || refusal == QUESTION_REFUSAL_MUTED;
    if (!none_attached && !hidden) {
        keyring_fetch(self, answer_found_keys);
        return;
    }
    /* The program will say that there are no keys. */
    if (!none_attached)
        notice_refusal(self->box->name, self->pid, daemon->locked ? "locked" : "muted");
    if (!daemon->locked && refusal == QUESTION_REFUSAL_NONE && self->box->keys->len == 0)
        key_offer_begin(self->box, self->pid);
    answer_keys(self, none);
}

static void handle_sign(client *self, const struct ssh_request *request, struct ssh_span message)
{
    sign_begin(self, request, message);
}

static gint64 processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Each bind costs the verification of a signature, by a key that the box may have chosen to be
 * slow, in the thread that serves the other boxes as well. */
static gboolean is_flooding(agent_box *box)
{
    gint64 now = agent_now();
    if (now - box->bind_second >= G_USEC_PER_SEC) {
        box->bind_second = now;
        box->bind_time = 0;
    }
    return box->bind_time > BIND_TIME_MAX;
}

static void handle_bind(client *self, const struct ssh_request *request, struct ssh_span message)
{
    struct ssh_writer answer = {0}, frame = {0};
    if (is_flooding(self->box)) {
        sign_log_refusal(self, "session-bind", "too many a second");
        client_close(self);
        return;
    }
    gint64 start = processor_time();
    enum ssh_bind_result result = ssh_bindings_add(&self->bindings, request->contents);
    self->box->bind_time += processor_time() - start;
    if (result == SSH_BIND_OK) {
        ssh_agent_write_message(&frame, message);
        struct ssh_span span = ssh_writer_span(&frame);
        g_ptr_array_add(self->binds, g_bytes_new(span.data, span.length));
        self->bound += 2 * span.length; /* the bindings have a copy */
        upstream_bound(self->upstream);
    }
    if (result == SSH_BIND_OK || result == SSH_BIND_DUPLICATE) {
        ssh_agent_write_success(&answer);
    } else {
        sign_log_refusal(self, "session-bind", ssh_bind_result_text(result));
        ssh_agent_write_extension_failure(&answer);
    }
    if (count_memory(self))
        client_answer(self, &answer);
    else
        client_close(self);
    ssh_writer_clear(&frame);
    ssh_writer_clear(&answer);
}

static void handle_query(client *self, const struct ssh_request *request, struct ssh_span message)
{
    struct ssh_writer answer = {0};
    ssh_agent_write_query_response(&answer);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

static void handle_refused(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autofree char *name =
        text_quoted((const char *)request->extension.data, (gssize)request->extension.length, 64);
    g_autofree char *what = request->type == SSH_AGENTC_EXTENSION && request->extension.length > 0
                                ? g_strdup_printf("extension %s", name)
                                : g_strdup_printf("request %u", request->type);
    sign_log_refusal(self, what, request->malformed ? "malformed" : "not for boxes");
    client_fail(self);
}

typedef void (*handler)(client *self, const struct ssh_request *request, struct ssh_span message);

/* The kinds of requests that a box may make. All others are refused. */
static const handler handlers[] = {
    [SSH_REQUEST_REFUSED] = handle_refused, [SSH_REQUEST_LIST] = handle_list,
    [SSH_REQUEST_SIGN] = handle_sign,       [SSH_REQUEST_BIND] = handle_bind,
    [SSH_REQUEST_QUERY] = handle_query,
};

/* Works on MESSAGE, which stays valid until the answer. */
static void begin_request(client *self, struct ssh_span message)
{
    struct ssh_request request;
    ssh_request_parse(&request, message);
    handlers[request.kind](self, &request, message);
}
