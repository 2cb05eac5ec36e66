#include "ssh-agent/agent/client.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/socket.h>
#include <unistd.h>

static gboolean on_readable(gint fd, GIOCondition condition, gpointer data);
static void pump(client *self);

static gboolean free_later(gpointer data)
{
    g_free(data);
    return G_SOURCE_REMOVE;
}

void client_close(client *self)
{
    if (self->gone)
        return;
    self->gone = TRUE;
    request_cancel(self);
    g_clear_handle_id(&self->readable, g_source_remove);
    g_clear_handle_id(&self->writable, g_source_remove);
    g_clear_pointer(&self->upstream, upstream_free);
    close(self->fd);
    ssh_message_stream_clear(&self->in);
    ssh_bindings_clear(&self->bindings);
    g_clear_pointer(&self->binds, g_ptr_array_unref);
    g_clear_pointer(&self->keys, g_ptr_array_unref);
    g_clear_pointer(&self->out, g_byte_array_unref);
    g_ptr_array_remove_fast(self->box->clients, self);
    /* pump() or client_answer() may be on the stack, and check GONE when they continue. */
    g_idle_add(free_later, self);
}

/* Nothing is read while a request is being worked on; only the end of the connection counts. */
static void watch(client *self)
{
    gboolean reading = !self->busy && self->out->len == 0;
    g_clear_handle_id(&self->readable, g_source_remove);
    self->readable = g_unix_fd_add(self->fd, reading ? G_IO_IN : G_IO_HUP, on_readable, self);
}

static gboolean on_writable(gint fd, GIOCondition condition, gpointer data);

/* Sends the rest of the answer. FALSE when the connection broke. */
static gboolean flush(client *self)
{
    while (self->sent < self->out->len) {
        gssize n = send(self->fd, self->out->data + self->sent, self->out->len - self->sent,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            if (!self->writable)
                self->writable = g_unix_fd_add(self->fd, G_IO_OUT, on_writable, self);
            return TRUE;
        }
        if (n < 0)
            return FALSE;
        self->sent += (gsize)n;
    }
    g_clear_handle_id(&self->writable, g_source_remove);
    /* An idle connection does not keep the memory of a long list. */
    g_byte_array_unref(self->out);
    self->out = g_byte_array_new();
    self->sent = 0;
    return TRUE;
}

static gboolean on_writable(gint fd, GIOCondition condition, gpointer data)
{
    client *self = data;
    if (flush(self))
        pump(self);
    else
        client_close(self);
    return G_SOURCE_CONTINUE;
}

/* Works on one request after the other, as long as each is answered and sent at once. */
static void pump(client *self)
{
    struct ssh_span message;
    if (self->pumping || self->gone)
        return;
    self->pumping = TRUE;
    while (!self->gone && !self->busy && self->out->len == 0) {
        enum ssh_message_status got = ssh_message_stream_next(&self->in, &message);
        if (got == SSH_MESSAGE_INVALID)
            client_close(self);
        if (got != SSH_MESSAGE_COMPLETE)
            break;
        self->busy = TRUE;
        request_begin(self, message);
    }
    self->pumping = FALSE;
    if (!self->gone)
        watch(self);
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

static gboolean on_readable(gint fd, GIOCondition condition, gpointer data)
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
    if (n <= 0 || !ssh_message_stream_feed(&self->in, bytes, (gsize)n))
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
    watch(self);
}
