/*
 * Reads and writes clipboard content through pipes, as Wayland's clipboard does, with limits for
 * size and time.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"

/*
 * Takes over FD and reads it to its end. Then calls DONE with data from malloc(), which DONE takes
 * over, or NULL: too long or too slow. One at a time: an earlier read is cancelled.
 */
void pipes_read(int fd, int kind, void (*done)(int kind, unsigned char *data, size_t length));
void pipes_cancel_read(void);

/* Takes over FD to write to. Returns the index of the writer; -1: too many, and FD is closed. */
int pipes_add_writer(int fd);
/* Copies DATA and writes it to the pipe of WRITER; NULL: closes that. */
void pipes_write(int writer, const unsigned char *data, size_t length);

/* As exchange_due(). */
int pipes_due(int64_t now);
