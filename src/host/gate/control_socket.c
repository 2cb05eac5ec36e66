#include "host/gate/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "net/event_clients.h"

struct client {
    struct event_client connection;
    char *answer;
    size_t length, sent;
};

static void (*make_answer)(int request, FILE *out);
static void (*when_answered)(void);

static void client_ended(struct event_client *connection)
{
    free(((struct client *)connection)->answer);
    when_answered();
}

static void write_answer(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    while (self->sent < self->length) {
        ssize_t sent = send(watch->fd, self->answer + self->sent, self->length - self->sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            event_watch_set(watch, EPOLLOUT);
            return;
        }
        if (sent < 0)
            break;
        self->sent += (size_t)sent;
    }
    event_client_end(&self->connection);
}

static void read_request(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    unsigned char request;
    ssize_t got = recv(watch->fd, &request, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    FILE *out = got == 1 ? open_memstream(&self->answer, &self->length) : NULL;
    if (out) {
        make_answer(request, out);
        if (fclose(out) == 0) {
            watch->ready = write_answer;
            write_answer(watch, 0);
            return;
        }
    }
    event_client_end(&self->connection);
}

int control_socket_start(int fd, void (*answer)(int request, FILE *out), void (*answered)(void))
{
    static struct event_clients clients = {.size = sizeof(struct client),
                                           .most = CONTROL_CLIENTS_MAX,
                                           .ms = CONTROL_CLIENT_MS,
                                           .ready = read_request,
                                           .ended = client_ended};
    make_answer = answer;
    when_answered = answered;
    return event_clients_start(&clients, fd);
}
