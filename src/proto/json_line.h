/* JSON messages between our programs: one object in a line. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Sends OBJECT as a line to the socket FD. FALSE when not all of it was sent; on a non-blocking
 * socket also when its buffer is full. */
gboolean json_line_send(int fd, const json_t *object);
