/*
 * The bridge's one loop: descriptors to wait for, and times. Everything that the bridge serves puts
 * its own in here; none of it blocks.
 */
#pragma once

#include <poll.h>
#include <stdint.h>

/* Descriptors at a time; whoever adds one that a box may ask for has a lower limit of its own. */
#define LOOP_MAX 64

/* WHAT: revents of poll(2). May add and remove any descriptor, its own included. */
typedef void (*loop_ready)(void *owner, short what);

/* FD stays the caller's. -1 when there is no room. */
int loop_add(int fd, short events, loop_ready ready, void *owner);
/* Before FD is closed. */
void loop_remove(int fd);

/* Calls DUE each turn: it does what is due, and returns the milliseconds until it has to be called
 * again at the latest, -1: no matter when. */
void loop_on_time(int (*due)(int64_t now));

/* Until loop_end() is called from within. */
void loop_run(void);
void loop_end(void);

/* For a child that goes on without exec: nothing of its parent's is in its loop. */
void loop_forget(void);
