/* The event loop of the forwarder: descriptors, and who wants to know of them. */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <sys/epoll.h>

typedef struct watch watch;
struct watch {
    int fd;         /* -1: none; the owner opens and closes it */
    uint32_t wants; /* EPOLLIN, EPOLLOUT; 0: nothing, errors included */
    void (*ready)(watch *self);
    void *owner;
};

/* Before all others. FALSE with errno. */
gboolean watch_init(void);

/* From now on READY is called, level-triggered, when one of WANTS or an error is there. */
void watch_set(watch *self, uint32_t wants);
/* Takes it out and closes its descriptor; it stays as memory until the events of now are over. */
void watch_close(watch *self);

/* Waits at most TIMEOUT milliseconds (-1: as long as it takes) and calls who has something to do.
 */
void watch_wait(int timeout);
