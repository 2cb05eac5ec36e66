/*
 * Bounded reading and writing of SSH wire data (RFC 4251, section 5).
 *
 * A span is bytes that someone else owns: whatever a parser returns points into its input and lives
 * as long as that. Spans are compared as bytes and are never C strings: a NUL or an odd character
 * in one is an ordinary byte of it.
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
 * A reader remembers its first failure: from then on every read fails and gives zeros or an empty
 * span, so that a parser may look once, at the end, with ssh_reader_done().
 */
struct ssh_reader {
    struct ssh_span rest; /* what has not been read */
    bool failed;
};

struct ssh_reader ssh_reader_of(struct ssh_span data);

bool ssh_read_byte(struct ssh_reader *self, uint8_t *value);
bool ssh_read_u32(struct ssh_reader *self, uint32_t *value);
bool ssh_read_u64(struct ssh_reader *self, uint64_t *value);

/* The next LENGTH bytes. */
bool ssh_read_raw(struct ssh_reader *self, size_t length, struct ssh_span *value);

/* uint32 length, then that many bytes; fails where fewer are left. */
bool ssh_read_string(struct ssh_reader *self, struct ssh_span *value);

/* A positive mpint in its shortest form; VALUE is its magnitude, without a leading zero byte. */
bool ssh_read_mpint(struct ssh_reader *self, struct ssh_span *value);

/* TRUE when no read failed and nothing is left. */
bool ssh_reader_done(const struct ssh_reader *self);

/* Largest thing a growing writer holds: one frame of the agent protocol with its length. */
#define SSH_WRITER_MAX (4 + 262144)

/*
 * A writer appends to memory of its own that grows up to SSH_WRITER_MAX, or to memory of the
 * caller (for secrets: sodium_malloc). It remembers its first failure as a reader does; look at
 * FAILED before using the bytes.
 */
struct ssh_writer {
    uint8_t *data;
    size_t length, room;
    bool borrowed; /* data is the caller's: never grown, never freed */
    bool failed;   /* no memory, or too much was written */
};

/* An empty writer with memory of its own; a zeroed struct is one, too. */
void ssh_writer_init(struct ssh_writer *self);

/* A writer into SIZE bytes of the caller's. */
void ssh_writer_init_over(struct ssh_writer *self, void *memory, size_t size);

/* Wipes and frees what it owns. It is empty then and can be used again. */
void ssh_writer_clear(struct ssh_writer *self);

/* What has been written, valid until the next write; empty after a failure. */
struct ssh_span ssh_writer_span(const struct ssh_writer *self);

void ssh_write_byte(struct ssh_writer *self, uint8_t value);
void ssh_write_u32(struct ssh_writer *self, uint32_t value);
void ssh_write_u64(struct ssh_writer *self, uint64_t value);
void ssh_write_raw(struct ssh_writer *self, struct ssh_span value);
void ssh_write_string(struct ssh_writer *self, struct ssh_span value);

/* TEXT, a C string, as an SSH string. */
void ssh_write_text(struct ssh_writer *self, const char *text);

/* A positive mpint from its magnitude (big endian; leading zero bytes are dropped). */
void ssh_write_mpint(struct ssh_writer *self, struct ssh_span magnitude);

/*
 * A string whose content is written next: begin returns a mark, end fills in the length. Frames are
 * strings, too. Pairs may be nested.
 */
size_t ssh_write_begin(struct ssh_writer *self);
void ssh_write_end(struct ssh_writer *self, size_t mark);
