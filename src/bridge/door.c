#include "host/bridge/request_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/desktop_answer.h"
#include "bridge/bridge.h"
#include "bridge/loop.h"
#include "proto/desktop_request.h"
#include "sys/clock.h"
#include "common/packet.h"

/* Who is connected and has not asked yet; a program asks at once. */
#define CLIENTS_MAX 16
#define PATIENCE_MS 2000

static struct client {
    int fd; /* 0: free */
    int64_t until;
} clients[CLIENTS_MAX];

static int launcher;

static void drop(struct client *self)
{
    loop_remove(self->fd);
    close(self->fd);
    self->fd = 0;
}

/* One packet a connection. A length of more than the room for it is that of all of it. */
static void on_request(void *owner, short what)
{
    struct client *self = owner;
    static char data[REQUEST_MAX + 1];
    struct request asked;
    ssize_t length = recv(self->fd, data, sizeof data, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const char *wrong = length > 0 ? request_parse(&asked, data, (size_t)length) : NULL;
    if (wrong)
        answer_send(self->fd, REQUEST_WRONG, wrong);
    else if (length > 0 && packet_send(launcher, data, (size_t)length, &self->fd, 1) < 0)
        answer_send(self->fd, REQUEST_REFUSED, "too much is asked at once");
    drop(self);
}

static struct client *free_client(void)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (!clients[i].fd)
            return &clients[i];
    return NULL;
}

static void on_connection(void *owner, short what)
{
    int door = *(int *)owner;
    int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = fd >= 0 ? free_client() : NULL;
    if (fd < 0)
        return;
    if (!client || loop_add(fd, POLLIN, on_request, client) < 0) {
        answer_send(fd, REQUEST_REFUSED, "too much is asked at once");
        close(fd);
        return;
    }
    *client = (struct client){fd, clock_ms() + PATIENCE_MS};
}

/* Who says nothing does not keep others out. */
static int drop_silent(int64_t now)
{
    int least = -1;
    for (int i = 0; i < CLIENTS_MAX; i++) {
        int left = (int)(clients[i].until - now);
        if (clients[i].fd && left <= 0)
            drop(&clients[i]);
        else if (clients[i].fd && (least < 0 || left < least))
            least = left;
    }
    return least;
}

int door_is_wanted(void)
{
    return *bridge_option("open") || *bridge_option("notify");
}

/* Without it nothing that is asked can be done. */
static void on_launcher(void *owner, short what)
{
    loop_end();
}

int door_begin(int to)
{
    static int door;
    if (!door_is_wanted())
        return 0;
    launcher = to;
    door = bridge_listen(REQUEST_SOCKET, SOCK_SEQPACKET);
    if (launcher < 0 || door < 0)
        return -1;
    loop_add(door, POLLIN, on_connection, &door);
    loop_add(launcher, POLLIN, on_launcher, NULL);
    loop_on_time(drop_silent);
    return 1;
}

void door_end(void)
{
    bridge_unlink(REQUEST_SOCKET);
}
