/* D-Bus messages (D-Bus Specification, "Message Protocol"). libc only. */
#pragma once

#include "guest/portal/dbus_value.h"

/* Bytes at the start of a message that tell its length. */
#define DBUS_MESSAGE_HEAD 16
/* Longest message that the portal takes: notifications may contain pictures. */
#define DBUS_MESSAGE_MAX (16u << 20)

enum dbus_message_type {
    DBUS_MESSAGE_CALL = 1,
    DBUS_MESSAGE_RETURN,
    DBUS_MESSAGE_ERROR,
    DBUS_MESSAGE_SIGNAL
};
enum dbus_message_flag { DBUS_MESSAGE_NO_REPLY = 1 };

/* The header of a message to send. Fields that it does not have are NULL or 0. */
struct dbus_message_head {
    enum dbus_message_type type;
    uint32_t serial, reply_to;
    const char *path, *interface, *member, *error, *destination, *signature;
};

/* A received message. Fields that it does not have are "" or 0. Everything points into its bytes.
 */
struct dbus_message {
    uint8_t type, flags;
    uint32_t serial, reply_to;
    const char *path, *interface, *member, *error, *destination, *sender, *signature;
    struct dbus_reader body;
};

/* The length of the message that begins with HEAD (DBUS_MESSAGE_HEAD bytes); 0: it is invalid or
 * too long. */
size_t dbus_message_length(const uint8_t *head);
/* Parses DATA, LENGTH bytes, which stays the caller's. 0, or -1: it is not exactly one message. */
int dbus_message_parse(struct dbus_message *self, const uint8_t *data, size_t length);

/* Begins a message in OUT. The caller then writes its body, as its signature says. */
void dbus_message_begin(struct dbus_writer *out, const struct dbus_message_head *head);
/* 0, or -1: it did not fit. */
int dbus_message_end(struct dbus_writer *out);
