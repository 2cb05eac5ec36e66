/* The portal's connection to the bus of the box. */
#pragma once

#include "guest/portal/message.h"

/* Connects, and says who we are. The connection, or -1. */
int bus_connect(void);
/*
 * Reads what is there and gives each message to TAKE, whose argument is valid during the call
 * alone. 0, or -1 at the end of the connection.
 */
int bus_read(void (*take)(const struct message *message));

/* Begins a message, whose serial is given here; it is put together in the result, and sent by
 * bus_end(). One at a time. */
struct wire_out *bus_begin(struct message_head head);
/* Its serial, or 0 when it could not be sent. */
uint32_t bus_end(void);
