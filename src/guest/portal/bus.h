/* The portal's connection to the session bus of its box. */
#pragma once

#include "guest/portal/dbus.h"

/* Connects and authenticates. Returns the descriptor, or -1. */
int bus_connect(void);
/*
 * Reads what is there and calls HANDLE for each message, which is valid during the call only. 0, or
 * -1 at the end of the connection.
 */
int bus_read(void (*handle)(const struct dbus_message *message));

/* Begins a message, whose serial is set here. The caller writes its body into the result, and sends
 * it with bus_end(). One message at a time. */
struct dbus_writer *bus_begin(struct dbus_message_head head);
/* Returns the message's serial, or 0 when it could not be sent. */
uint32_t bus_end(void);
