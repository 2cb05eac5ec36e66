#include "ssh-agent/agent/control_socket.h"

#include <errno.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "proto/agent_control.h"
#include "sys/descriptors.h"

struct control_client {
    agent *agent;
    int fd;
    guint source, rest, writable;
    GString *in;
    char *out;        /* the answer, as long as not all of it was sent; else NULL */
    gsize sent;       /* bytes of it */
    int descriptor;   /* came with the request; -1: none */
    gboolean waiting; /* for an answer that comes later, or to send the rest of one */
    void (*gone)(gpointer data);
    gpointer gone_data;
};

static guint clients;

gboolean control_is_busy(void)
{
    return clients > 0;
}

const char *control_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

json_t *control_ok(void)
{
    return json_pack("{s:b}", "ok", TRUE);
}

json_t *control_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return json_pack("{s:b, s:s}", "ok", FALSE, "error", text);
}

void control_on_gone(control_client *self, void (*gone)(gpointer data), gpointer data)
{
    self->gone = gone;
    self->gone_data = data;
}

static void close_descriptor(control_client *self)
{
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = -1;
}

int control_take_descriptor(control_client *self)
{
    int fd = self->descriptor;
    self->descriptor = -1;
    return fd;
}

static void client_end(control_client *self)
{
    agent *daemon = self->agent;
    if (self->gone)
        self->gone(self->gone_data);
    g_clear_handle_id(&self->source, g_source_remove);
    g_clear_handle_id(&self->rest, g_source_remove);
    g_clear_handle_id(&self->writable, g_source_remove);
    close_descriptor(self);
    close(self->fd);
    g_free(self->out);
    g_string_free(self->in, TRUE);
    g_free(self);
    clients--;
    agent_check_idle(daemon);
}

static void run_requests(control_client *self);

static gboolean on_rest(gpointer data)
{
    control_client *self = data;
    self->rest = 0;
    run_requests(self);
    return G_SOURCE_REMOVE;
}

static gboolean on_control_writable(gint fd, GIOCondition condition, gpointer data);

/* Sends the rest of the answer. Until that is done no other request is looked at. */
static void send_rest(control_client *self)
{
    int done = unix_socket_send_rest(self->fd, self->out, strlen(self->out), &self->sent);
    if (done == 0 && !self->writable)
        self->writable = g_unix_fd_add(self->fd, G_IO_OUT, on_control_writable, self);
    if (done == 0)
        return;
    if (done < 0)
        shutdown(self->fd, SHUT_RDWR); /* the main loop sees its end */
    g_clear_handle_id(&self->writable, g_source_remove);
    g_clear_pointer(&self->out, g_free);
    self->sent = 0;
    self->waiting = FALSE;
    /* Requests that came meanwhile; from the main loop, as the caller is not done. */
    if (self->in->len > 0 && !self->rest)
        self->rest = g_idle_add(on_rest, self);
}

static gboolean on_control_writable(gint fd, GIOCondition condition, gpointer data)
{
    send_rest(data);
    return G_SOURCE_CONTINUE;
}

void control_answer(control_client *self, json_t *answer)
{
    self->gone = NULL;
    self->out = json_line(answer);
    json_decref(answer);
    send_rest(self);
}

static void run_request(control_client *self, const char *line, gsize length)
{
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    self->waiting = TRUE;
    json_t *answer = json_is_object(request) ? control_do(self->agent, self, request)
                                             : control_error("the request is not a JSON object");
    if (answer)
        control_answer(self, answer);
    json_decref(request);
}

static void run_requests(control_client *self)
{
    const char *end;
    while (!self->waiting && (end = memchr(self->in->str, '\n', self->in->len))) {
        gsize length = (gsize)(end - self->in->str);
        g_autofree char *line = g_strndup(self->in->str, length);
        g_string_erase(self->in, 0, (gssize)length + 1);
        run_request(self, line, length);
    }
}

static gboolean on_control_readable(gint fd, GIOCondition condition, gpointer data)
{
    control_client *self = data;
    char bytes[4096];
    int given = -1;
    gssize n = descriptors_receive(fd, bytes, sizeof bytes, &given, 1, NULL);
    if (given >= 0) {
        close_descriptor(self);
        self->descriptor = given;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n <= 0 || self->in->len + (gsize)n > CONTROL_LINE_MAX) {
        client_end(self);
        return G_SOURCE_CONTINUE;
    }
    g_string_append_len(self->in, bytes, n);
    run_requests(self);
    return G_SOURCE_CONTINUE;
}

static gboolean on_control_connection(gint fd, GIOCondition condition, gpointer data)
{
    struct ucred peer;
    int accepted = unix_socket_accept(fd, SOCK_NONBLOCK, &peer);
    if (accepted < 0)
        return G_SOURCE_CONTINUE;
    if (clients >= CONTROL_CLIENTS_MAX || peer.uid != getuid()) {
        close(accepted);
        return G_SOURCE_CONTINUE;
    }
    control_client *self = g_new0(control_client, 1);
    *self =
        (control_client){.agent = data, .fd = accepted, .in = g_string_new(NULL), .descriptor = -1};
    self->source = g_unix_fd_add(accepted, G_IO_IN, on_control_readable, self);
    clients++;
    return G_SOURCE_CONTINUE;
}

void control_begin(agent *self, int fd)
{
    g_unix_fd_add(fd, G_IO_IN, on_control_connection, self);
}
