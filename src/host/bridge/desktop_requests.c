#include "host/bridge/desktop_requests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "host/supervisor/launcher.h"
#include "net/event_loop.h"
#include "net/token_bucket.h"
#include "proto/bridge_protocol.h"
#include "proto/desktop_request.h"
#include "sys/clock.h"
#include "sys/debug.h"
#include "sys/descriptors.h"

/* Connections without a request yet, and how long one may take: a program sends it at once. */
#define CLIENTS_MAX 16
#define CLIENT_TIMEOUT_MS 2000

static struct client {
    struct event_watch watch;
    struct event_timer timer; /* set while the entry is in use */
} clients[CLIENTS_MAX];

static int launcher_line; /* the socket to it */

static void client_close(struct client *self)
{
    event_watch_close(&self->watch);
    event_timer_stop(&self->timer);
}

/* Each connection carries one packet. With MSG_TRUNC the length is that of the whole packet. */
static void on_request(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    int fd = watch->fd;
    static char data[REQUEST_MAX + 1];
    struct desktop_request asked;
    ssize_t length = recv(fd, data, sizeof data, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const char *wrong = length > 0 ? desktop_request_parse(&asked, data, (size_t)length) : NULL;
    if (wrong)
        desktop_answer_send(fd, REQUEST_WRONG, wrong);
    else if (length > 0 && descriptors_send(launcher_line, data, (size_t)length, &fd, 1, 0) < 0)
        desktop_answer_send(fd, REQUEST_REFUSED, "too many requests at once");
    client_close(self);
}

static struct client *client_find_free(void)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (!clients[i].timer.due)
            return &clients[i];
    return NULL;
}

/* A client that sends nothing must not block others. */
static void on_timeout(struct event_timer *timer)
{
    client_close(timer->owner);
}

static void on_connection(struct event_watch *listener, uint32_t events)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = fd >= 0 ? client_find_free() : NULL;
    if (fd < 0)
        return;
    if (!client) {
        desktop_answer_send(fd, REQUEST_REFUSED, "too many requests at once");
        close(fd);
        return;
    }
    client->watch = (struct event_watch){.fd = fd, .ready = on_request, .owner = client};
    client->timer = (struct event_timer){.expired = on_timeout, .owner = client};
    event_timer_set(&client->timer, CLIENT_TIMEOUT_MS);
    event_watch_set(&client->watch, EPOLLIN);
}

static int may_give_pictures(void)
{
    return bridge.settings.clipboard == CLIPBOARD_TO_BOX ||
           bridge.settings.clipboard == CLIPBOARD_BOTH;
}

int desktop_requests_are_allowed(void)
{
    return bridge.settings.open != OPEN_DENY || bridge.settings.notify || may_give_pictures();
}

/* The launcher has ended; the next worker of the bridge starts another. */
static void on_launcher(struct event_watch *self, uint32_t events)
{
    bridge_fail("launcher");
}

int desktop_requests_begin(int launcher_socket)
{
    static struct event_watch listener = {.ready = on_connection};
    static struct event_watch to_launcher = {.ready = on_launcher};
    if (!desktop_requests_are_allowed())
        return 0;
    launcher_line = to_launcher.fd = launcher_socket;
    listener.fd = bridge_listen(BRIDGE_FOLDER "/" REQUEST_SOCKET, SOCK_SEQPACKET);
    if (launcher_line < 0 || listener.fd < 0)
        return -1;
    event_watch_set(&listener, EPOLLIN);
    event_watch_set(&to_launcher, EPOLLIN);
    return 1;
}

void desktop_requests_end(void)
{
    bridge_unlink(REQUEST_SOCKET);
}

/* The launcher. */

#define PROGRAM "litterbox-desktop-helper"
/* Helpers at a time: each may wait for the user, or forward the port of a login. */
#define HELPERS_MAX 8
#define OPTIONS_MAX 16

/* How often a box may ask for each kind. */
static struct token_bucket limits[REQUEST_KINDS] = {
    [REQUEST_OPEN] = {.burst = 10, .refill_ms = 6000},
    [REQUEST_NOTIFY] = {.gap_ms = 1000, .burst = 20, .refill_ms = 180000},
    [REQUEST_PICTURE_TYPES] = {.burst = 60, .refill_ms = 1000},
    [REQUEST_PICTURE] = {.gap_ms = 300, .burst = 5, .refill_ms = 2000},
};

/* A request fits into a pipe, so writing it does not block. When the user's limit of pipe pages is
 * used up (pipe(7); a box can do that) the pipe is smaller: then the request fails. */
static int start_helper(struct launcher *self, const char *data, size_t length, int connection)
{
    char *argv[OPTIONS_MAX + 4] = {NULL, (char *)bridge.path, (char *)bridge.run};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    for (int i = 0; i < OPTIONS_MAX && bridge.options[i]; i++)
        argv[i + 3] = bridge.options[i];
    int started = write(ends[1], data, length) == (ssize_t)length
                      ? launcher_spawn(self, argv, ends[0], connection)
                      : -1;
    close(ends[0]);
    close(ends[1]);
    return started;
}

/* Why the settings refuse a request of this kind; NULL: they do not. */
static const char *refusal(enum request_kind kind)
{
    switch (kind) {
    case REQUEST_OPEN:
        return bridge.settings.open != OPEN_DENY
                   ? NULL
                   : "the box may open nothing on the host: [desktop] open is \"deny\"";
    case REQUEST_NOTIFY:
        return bridge.settings.notify
                   ? NULL
                   : "the box may show no notifications: [desktop] notify is false";
    default:
        return may_give_pictures() ? NULL
                                   : "the box may paste no pictures: [desktop] clipboard is "
                                     "neither \"to-box\" nor \"both\"";
    }
}

static const char *const deeds[REQUEST_KINDS] = {
    [REQUEST_OPEN] = "open a page",
    [REQUEST_NOTIFY] = "show a notification",
    [REQUEST_PICTURE_TYPES] = "know whether it may ask for a picture",
    [REQUEST_PICTURE] = "give a picture",
};

static void handle_request(struct launcher *self, const char *data, size_t length, int connection)
{
    struct desktop_request asked;
    if (desktop_request_parse(&asked, data, length))
        return; /* the bridge has already answered it */
    const char *refused = refusal(asked.kind);
    debug_log(DEBUG_DESKTOP, "request to %s: %s, %d run", deeds[asked.kind],
              refused ? "refused by the settings" : "allowed", self->running);
    if (refused)
        desktop_answer_send(connection, REQUEST_REFUSED, refused);
    else if (!token_bucket_take(&limits[asked.kind], clock_ms()))
        desktop_answer_send(connection, REQUEST_REFUSED, "the box asks too often; wait a little");
    else if (asked.kind == REQUEST_PICTURE_TYPES)
        desktop_answer_send(connection, REQUEST_DONE, "");
    else if (self->running >= HELPERS_MAX)
        desktop_answer_send(connection, REQUEST_REFUSED, "too many requests at once");
    else if (start_helper(self, data, length, connection) < 0)
        desktop_answer_send(connection, REQUEST_UNABLE, "the host cannot do it now");
}

int desktop_requests_start_launcher(void)
{
    static struct launcher self = {.program = PROGRAM,
                                   .parent = "litterbox-bridge",
                                   .noun = "a desktop helper",
                                   .message_max = REQUEST_MAX + 1,
                                   .handle = handle_request};
    return launcher_start(&self);
}
