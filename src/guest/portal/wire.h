/*
 * Values as D-Bus writes them (D-Bus Specification, "Type System" and "Marshaling"), as far as the
 * portal needs them: bounds-checked reading and writing in a buffer that begins where 8 divides.
 * libc alone.
 *
 * Reading what is not there, or not as it should be, marks the reader, which from then on reads
 * zeros and empty strings: look at `wrong` once, at the end. Writing too much marks the writer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Containers in containers; the specification allows 64. */
#define WIRE_DEPTH_MAX 64
#define WIRE_SIGNATURE_MAX 255

struct wire_in {
    const uint8_t *data; /* the caller's, and what is read points into it */
    size_t length, at;
    int swap; /* the other byte order */
    int wrong;
};

uint8_t wire_get_byte(struct wire_in *self);
uint32_t wire_get_u32(struct wire_in *self);
/* A string or an object path. */
const char *wire_get_string(struct wire_in *self);
const char *wire_get_signature(struct wire_in *self);
/* To where 8 divides, as before each struct and dict entry. */
void wire_get_struct(struct wire_in *self);
/* Enters an array whose elements begin with the type ELEMENT; where it ends. */
size_t wire_get_array(struct wire_in *self, char element);
/* Passes over one value of the first type in TYPE. */
void wire_skip(struct wire_in *self, const char *type);

/* A string that is wanted of a dict a{sv}: its key, and the value, which stays as it was when there
 * is no string of that key. */
struct wire_wish {
    const char *key, *value;
};
void wire_get_options(struct wire_in *self, struct wire_wish *wishes, size_t count);

/* Behind the first complete type in TYPE; NULL when it begins with none. */
const char *wire_type_end(const char *type);

#define WIRE_OUT_MAX 32768

struct wire_out {
    size_t length;
    int full; /* it did not fit */
    uint8_t data[WIRE_OUT_MAX];
};

void wire_put_byte(struct wire_out *self, uint8_t value);
void wire_put_u32(struct wire_out *self, uint32_t value);
void wire_put_string(struct wire_out *self, const char *value);
void wire_put_signature(struct wire_out *self, const char *value);
void wire_put_struct(struct wire_out *self);
/* An array whose elements begin with the type ELEMENT; its place, for wire_end_array(). */
size_t wire_begin_array(struct wire_out *self, char element);
void wire_end_array(struct wire_out *self, size_t place, char element);
/* Writes VALUE over the one at PLACE. */
void wire_set_u32(struct wire_out *self, size_t place, uint32_t value);
