/*
 * Bounded reading and writing of SSH's data types (RFC 4251, section 5).
 *
 * A span refers to bytes that it does not own: what a parser returns points into its input and is
 * valid as long as that. A span is not a C string and may contain NUL bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ssh_span {
    const uint8_t *data; /* may be NULL when length is 0 */
    size_t length;
};

/* A span of a string literal, without its NUL. */
#define SSH_SPAN(literal) ((struct ssh_span){(const uint8_t *)("" literal), sizeof(literal) - 1})

/* A span of the C string TEXT, without its NUL. */
struct ssh_span ssh_span_text(const char *text);

bool ssh_span_equal(struct ssh_span a, struct ssh_span b);

/*
 * After its first failure every further read of a reader fails and returns zeros or an empty span,
 * so a parser may check once, at the end, with ssh_reader_done().
 */
struct ssh_reader {
    struct ssh_span rest; /* not read yet */
    bool failed;
};

struct ssh_reader ssh_reader_of(struct ssh_span data);

bool ssh_read_byte(struct ssh_reader *self, uint8_t *value);
bool ssh_read_u32(struct ssh_reader *self, uint32_t *value);
bool ssh_read_u64(struct ssh_reader *self, uint64_t *value);

/* The next LENGTH bytes. */
bool ssh_read_raw(struct ssh_reader *self, size_t length, struct ssh_span *value);

/* A uint32 length and that many bytes. */
bool ssh_read_string(struct ssh_reader *self, struct ssh_span *value);

/* A positive mpint in its shortest form; VALUE is its magnitude, without a leading zero byte. */
bool ssh_read_mpint(struct ssh_reader *self, struct ssh_span *value);

/* True if no read has failed and all bytes were read. */
bool ssh_reader_done(const struct ssh_reader *self);

/* Limit of a writer that owns its memory: the longest message (SSH_MESSAGE_MAX) and its length. */
#define SSH_WRITER_MAX (4 + 262144)

/*
 * A writer appends to memory that it owns, up to SSH_WRITER_MAX bytes, or to memory of the caller
 * (for secrets, from sodium_malloc()). After a failure it ignores further writes: check FAILED
 * before using the bytes.
 */
struct ssh_writer {
    uint8_t *data;
    size_t length, capacity;
    bool borrowed; /* data belongs to the caller: it is never reallocated or freed */
    bool failed;   /* out of memory, or the limit was exceeded */
};

/* Makes an empty writer that owns its memory, as a zeroed struct is. */
void ssh_writer_init(struct ssh_writer *self);

/* Makes an empty writer that appends to MEMORY of SIZE bytes, which the caller owns. */
void ssh_writer_init_over(struct ssh_writer *self, void *memory, size_t size);

/* Wipes the memory, and frees it if the writer owns it. The writer is empty and usable again. */
void ssh_writer_clear(struct ssh_writer *self);

/* The bytes written so far, valid until the next write; empty after a failure. */
struct ssh_span ssh_writer_span(const struct ssh_writer *self);

void ssh_write_byte(struct ssh_writer *self, uint8_t value);
void ssh_write_u32(struct ssh_writer *self, uint32_t value);
void ssh_write_u64(struct ssh_writer *self, uint64_t value);
void ssh_write_raw(struct ssh_writer *self, struct ssh_span value);
void ssh_write_string(struct ssh_writer *self, struct ssh_span value);

/* Writes the C string TEXT as an SSH string. */
void ssh_write_text(struct ssh_writer *self, const char *text);

/* Writes a positive mpint. MAGNITUDE is big endian; leading zero bytes are dropped. */
void ssh_write_mpint(struct ssh_writer *self, struct ssh_span magnitude);

/*
 * Write a string of which the length is not known yet: begin reserves its length and returns a
 * mark, the writes that follow are its content, end fills in the length. A message of the agent
 * protocol has the same form. Pairs may be nested.
 */
size_t ssh_write_begin(struct ssh_writer *self);
void ssh_write_end(struct ssh_writer *self, size_t mark);
