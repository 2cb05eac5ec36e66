/* D-Bus as the portal speaks it: values, and messages of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * dbus_value.c: reads and writes values in D-Bus's format (D-Bus Specification, "Type System" and
 * "Marshaling"), as far as the portal needs it. libc only.
 *
 * Buffers begin at a multiple of 8 of the message. All reading is bounds-checked: reading something
 * that is missing or invalid sets `wrong`, and from then on the reader returns zeros and empty
 * strings, so check `wrong` once, at the end. Writing too much sets `full` of the writer.
 */

/* Most levels of nested containers; the specification allows 64. */
#define DBUS_DEPTH_MAX 64
#define DBUS_SIGNATURE_MAX 255

struct dbus_reader {
    const uint8_t *data; /* borrowed; results point into it */
    size_t length, at;
    int swap; /* DATA has the other byte order */
    int wrong;
};

uint8_t dbus_read_byte(struct dbus_reader *self);
uint32_t dbus_read_u32(struct dbus_reader *self);
/* A string or an object path. */
const char *dbus_read_string(struct dbus_reader *self);
const char *dbus_read_signature(struct dbus_reader *self);
/* Begins a struct or a dict entry: skips the padding before it. */
void dbus_read_struct(struct dbus_reader *self);
/* Begins an array whose elements begin with the type ELEMENT. Returns where it ends. */
size_t dbus_read_array(struct dbus_reader *self, char element);
/* Skips one value of the first type in TYPE. */
void dbus_skip(struct dbus_reader *self, const char *type);

/* An entry of a dict a{sv} that the caller wants. VALUE is left unchanged unless KEY is there with
 * a string. */
struct dbus_option {
    const char *key, *value;
};
void dbus_read_options(struct dbus_reader *self, struct dbus_option *options, size_t count);

/* Points behind the first complete type in TYPE; NULL when it does not begin with one. */
const char *dbus_type_end(const char *type);

static inline size_t dbus_align(size_t at, size_t alignment)
{
    return alignment ? (at + alignment - 1) / alignment * alignment : at;
}

#define DBUS_WRITER_MAX 32768

struct dbus_writer {
    size_t length;
    int full; /* something did not fit */
    uint8_t data[DBUS_WRITER_MAX];
};

void dbus_write_byte(struct dbus_writer *self, uint8_t value);
void dbus_write_u32(struct dbus_writer *self, uint32_t value);
void dbus_write_string(struct dbus_writer *self, const char *value);
void dbus_write_signature(struct dbus_writer *self, const char *value);
void dbus_write_struct(struct dbus_writer *self);
/* Begins an array whose elements begin with the type ELEMENT. Returns its place, for
 * dbus_end_array(). */
size_t dbus_begin_array(struct dbus_writer *self, char element);
void dbus_end_array(struct dbus_writer *self, size_t place, char element);
/* Overwrites the number at PLACE. */
void dbus_set_u32(struct dbus_writer *self, size_t place, uint32_t value);

/* dbus_message.c: D-Bus messages (D-Bus Specification, "Message Protocol"). libc only. */

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
