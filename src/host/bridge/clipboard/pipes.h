/*
 * Content that comes out of a pipe or goes into one, as Wayland's clipboard has it; with a ceiling,
 * and in bounded time, whatever the program at the other end does.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"

/*
 * FD, taken, is read to its end; then DONE has memory of malloc(), taken, or NULL: too much, or too
 * late. One at a time: what was read before is forgotten.
 */
void pipes_read(int fd, int kind, void (*done)(int kind, unsigned char *data, size_t length));
void pipes_forget(void);

/* A place for FD, taken, to write to; -1: there is none, and it is closed. */
int pipes_reserve(int fd);
/* Writes DATA, of the caller, into the pipe of that place; NULL: closes it. */
void pipes_write(int place, const unsigned char *data, size_t length);

/* As exchange_due(). */
int pipes_due(int64_t now);
