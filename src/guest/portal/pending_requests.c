#include "guest/portal/pending_requests.h"

#include <string.h>
#include <unistd.h>

#include "sys/clock.h"

static struct pending_request requests[PENDING_REQUESTS_MAX];

static struct pending_request *find_by_fd(int fd)
{
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++)
        if (requests[i].fd == fd)
            return &requests[i];
    return NULL;
}

void pending_request_begin(const struct pending_request *what, const char *const *texts)
{
    struct desktop_answer answer = {REQUEST_REFUSED, "too many requests at once"};
    struct pending_request *free = find_by_fd(0);
    int fd = free ? desktop_request_send(texts, &answer) : -1;
    if (fd < 0) {
        what->done(what, &answer);
        return;
    }
    *free = *what;
    free->fd = fd;
    free->until = clock_ms() + DESKTOP_REQUEST_TIMEOUT_MS;
}

static void end(struct pending_request *self)
{
    close(self->fd);
    self->fd = 0;
}

int pending_request_drop(const char *handle, const char *name)
{
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++) {
        struct pending_request *self = &requests[i];
        if (self->fd && *self->handle && strcmp(self->handle, handle) == 0 &&
            strcmp(self->caller.name, name) == 0) {
            end(self);
            return 0;
        }
    }
    return -1;
}

int pending_requests_poll(struct pollfd *polls, int *timeout)
{
    int count = 0;
    int64_t now = clock_ms();
    *timeout = -1;
    for (int i = 0; i < PENDING_REQUESTS_MAX; i++) {
        if (!requests[i].fd)
            continue;
        int left = requests[i].until > now ? (int)(requests[i].until - now) : 0;
        polls[count++] = (struct pollfd){.fd = requests[i].fd, .events = POLLIN};
        if (*timeout < 0 || left < *timeout)
            *timeout = left;
    }
    return count;
}

void pending_requests_serve(const struct pollfd *polls, int count)
{
    for (int i = 0; i < count; i++) {
        struct pending_request *self = find_by_fd(polls[i].fd);
        struct desktop_answer answer;
        if (!self || (!polls[i].revents && clock_ms() < self->until))
            continue;
        desktop_request_receive(self->fd, &answer);
        struct pending_request ended = *self;
        end(self);
        ended.done(&ended, &answer);
    }
}
