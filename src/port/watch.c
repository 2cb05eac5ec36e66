#include "port/watch.h"

#include <errno.h>
#include <unistd.h>

#define EVENTS 64

static int set = -1;

gboolean watch_init(void)
{
    set = epoll_create1(EPOLL_CLOEXEC);
    return set >= 0;
}

/* What wants nothing is not in the set at all: epoll tells of errors whether asked for or not. */
void watch_set(watch *self, uint32_t wants)
{
    struct epoll_event event = {.events = wants, .data.ptr = self};
    if (self->fd < 0 || self->wants == wants)
        return;
    int what = !wants ? EPOLL_CTL_DEL : self->wants ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(set, what, self->fd, &event) == 0)
        self->wants = wants;
}

void watch_close(watch *self)
{
    if (self->fd < 0)
        return;
    /* By hand: the box may hold on to what stands behind a descriptor that we close. */
    watch_set(self, 0);
    close(self->fd);
    self->fd = -1;
}

void watch_wait(int timeout)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(set, events, EVENTS, timeout);
    if (count < 0 && errno != EINTR)
        g_usleep(100000); /* out of memory, perhaps */
    for (int i = 0; i < count; i++) {
        watch *one = events[i].data.ptr;
        /* It may have been closed by one before it. */
        if (one->fd >= 0 && one->wants)
            one->ready(one);
    }
}
