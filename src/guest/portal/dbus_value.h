/*
 * Reads and writes values in D-Bus's format (D-Bus Specification, "Type System" and "Marshaling"),
 * as far as the portal needs it. libc only.
 *
 * Buffers begin at a multiple of 8 of the message. All reading is bounds-checked: reading something
 * that is missing or invalid sets `wrong`, and from then on the reader returns zeros and empty
 * strings, so check `wrong` once, at the end. Writing too much sets `full` of the writer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* The alignment of a value of TYPE; for types other than containers and texts also its size. 0:
 * there is no such type. */
size_t dbus_alignment(char type);

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
