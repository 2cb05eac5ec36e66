/* JSON from one of our programs to another: one object a line. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Sends OBJECT as a line to the socket FD. FALSE when not all of it went out: with a socket
 * that does not block, also when there is no room for it. */
gboolean json_line_send(int fd, const json_t *object);
