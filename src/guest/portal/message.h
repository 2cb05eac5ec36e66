/* D-Bus's messages (D-Bus Specification, "Message Protocol"). Pure functions; libc alone. */
#pragma once

#include "guest/portal/wire.h"

/* So many bytes tell how long a message is. */
#define MESSAGE_HEAD 16
/* Pictures may come with notifications; more than this nobody has a reason to say. */
#define MESSAGE_MAX (16u << 20)

enum message_type { MESSAGE_CALL = 1, MESSAGE_RETURN, MESSAGE_ERROR, MESSAGE_SIGNAL };
enum message_flag { MESSAGE_NO_REPLY = 1 };

/* One to be sent: what it does not have is NULL, or 0. */
struct message_head {
    enum message_type type;
    uint32_t serial, reply_to;
    const char *path, *interface, *member, *error, *destination, *signature;
};

/* One that came: what it does not have is "", or 0. All points into its bytes. */
struct message {
    uint8_t type, flags;
    uint32_t serial, reply_to;
    const char *path, *interface, *member, *error, *destination, *sender, *signature;
    struct wire_in body;
};

/* The length of the message that begins with HEAD, MESSAGE_HEAD bytes; 0: it is none, or too long.
 */
size_t message_length(const uint8_t *head);
/* DATA is a whole message of LENGTH bytes, and stays the caller's. 0, or -1: it is none. */
int message_parse(struct message *self, const uint8_t *data, size_t length);

/* Begins a message in OUT; then its body is put, as its signature says. */
void message_begin(struct wire_out *out, const struct message_head *head);
/* 0, or -1: it did not fit. */
int message_end(struct wire_out *out);
