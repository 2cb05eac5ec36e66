#include "guest/portal/errands.h"

#include <string.h>
#include <unistd.h>

#include "sys/clock.h"

static struct errand errands[ERRANDS_MAX];

static struct errand *find(int fd)
{
    for (int i = 0; i < ERRANDS_MAX; i++)
        if (errands[i].fd == fd)
            return &errands[i];
    return NULL;
}

void errand_begin(const struct errand *what, const char *const *texts)
{
    struct ask_answer answer = {REQUEST_REFUSED, "too much is asked at once"};
    struct errand *free = find(0);
    int fd = free ? ask_begin(texts, &answer) : -1;
    if (fd < 0) {
        what->done(what, &answer);
        return;
    }
    *free = *what;
    free->fd = fd;
    free->until = clock_ms() + ASK_PATIENCE_MS;
}

static void end(struct errand *self)
{
    close(self->fd);
    self->fd = 0;
}

int errand_drop(const char *handle, const char *name)
{
    for (int i = 0; i < ERRANDS_MAX; i++) {
        struct errand *self = &errands[i];
        if (self->fd && *self->handle && strcmp(self->handle, handle) == 0 &&
            strcmp(self->caller.name, name) == 0) {
            end(self);
            return 0;
        }
    }
    return -1;
}

int errands_poll(struct pollfd *polls, int *patience)
{
    int count = 0;
    int64_t now = clock_ms();
    *patience = -1;
    for (int i = 0; i < ERRANDS_MAX; i++) {
        if (!errands[i].fd)
            continue;
        int left = errands[i].until > now ? (int)(errands[i].until - now) : 0;
        polls[count++] = (struct pollfd){.fd = errands[i].fd, .events = POLLIN};
        if (*patience < 0 || left < *patience)
            *patience = left;
    }
    return count;
}

void errands_serve(const struct pollfd *polls, int count)
{
    for (int i = 0; i < count; i++) {
        struct errand *self = find(polls[i].fd);
        struct ask_answer answer;
        if (!self || (!polls[i].revents && clock_ms() < self->until))
            continue;
        ask_end(self->fd, &answer);
        struct errand ended = *self;
        end(self);
        ended.done(&ended, &answer);
    }
}
