#include "bridge/loop.h"

#include <string.h>

#include "sys/clock.h"

#define TIMES_MAX 4

static struct slot {
    int fd;
    short events;
    unsigned since;   /* the turn that it was added in */
    loop_ready ready; /* NULL: free */
    void *owner;
} slots[LOOP_MAX];

static int (*times[TIMES_MAX])(int64_t now);
static unsigned turn;
static int over;

int loop_add(int fd, short events, loop_ready ready, void *owner)
{
    for (int i = 0; i < LOOP_MAX; i++) {
        if (slots[i].ready)
            continue;
        slots[i] = (struct slot){fd, events, turn, ready, owner};
        return 0;
    }
    return -1;
}

void loop_remove(int fd)
{
    for (int i = 0; i < LOOP_MAX; i++)
        if (slots[i].ready && slots[i].fd == fd)
            slots[i].ready = NULL;
}

void loop_on_time(int (*due)(int64_t now))
{
    for (int i = 0; i < TIMES_MAX; i++) {
        if (times[i])
            continue;
        times[i] = due;
        return;
    }
}

static int keep_time(void)
{
    int least = -1;
    for (int i = 0; i < TIMES_MAX && times[i]; i++) {
        int left = times[i](clock_ms());
        if (left >= 0 && (least < 0 || left < least))
            least = left;
    }
    return least;
}

/* A slot that was freed meanwhile, or taken by another descriptor, has nothing to hear. */
static void call(const struct pollfd *polls)
{
    for (int i = 0; i < LOOP_MAX && !over; i++) {
        if (polls[i].fd >= 0 && polls[i].revents && slots[i].ready && slots[i].since != turn)
            slots[i].ready(slots[i].owner, polls[i].revents);
    }
}

void loop_run(void)
{
    while (!over) {
        struct pollfd polls[LOOP_MAX];
        int patience = keep_time();
        for (int i = 0; i < LOOP_MAX; i++)
            polls[i] = (struct pollfd){slots[i].ready ? slots[i].fd : -1, slots[i].events, 0};
        turn++;
        if (!over && poll(polls, LOOP_MAX, patience) > 0)
            call(polls);
    }
}

void loop_end(void)
{
    over = 1;
}

void loop_forget(void)
{
    memset(slots, 0, sizeof slots);
    memset(times, 0, sizeof times);
    over = 0;
}
