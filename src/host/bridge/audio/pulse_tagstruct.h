/*
 * Reads and writes the tagged values of PulseAudio packets ("tagstruct" in PulseAudio's sources):
 * a byte that says the type, and the value. Numbers are big-endian. libc only; the input is
 * untrusted.
 */
#pragma once

#include <stdint.h>

#include "net/byte_queue.h"

/* The values that are left to read. */
struct tagstruct {
    const unsigned char *at, *end;
};

/* Types; the names are those of PulseAudio's tagstruct.h. */
#define TAG_U32 'L'
#define TAG_U8 'B'
#define TAG_STRING 't'
#define TAG_STRING_NULL 'N'
#define TAG_BOOLEAN_TRUE '1'
#define TAG_BOOLEAN_FALSE '0'
#define TAG_ARBITRARY 'x'
#define TAG_SAMPLE_SPEC 'a'
#define TAG_CHANNEL_MAP 'm'
#define TAG_CVOLUME 'v'
#define TAG_TIMEVAL 'T'
#define TAG_PROPLIST 'P'
#define TAG_FORMAT_INFO 'f'

/*
 * Returns the next value, with its tag, and its length in *LENGTH. NULL when it is cut off or its
 * type is not in TYPES. For property lists and formats that is the tag only; their parts follow.
 */
const unsigned char *tagstruct_next(struct tagstruct *self, const char *types, size_t *length);
/* Reads a TAG_U32. -1 on failure. */
int tagstruct_get_u32(struct tagstruct *self, uint32_t *number);
/* Reads a TAG_STRING; *TEXT is NULL for TAG_STRING_NULL. -1 on failure. */
int tagstruct_get_string(struct tagstruct *self, const char **text);

uint32_t tagstruct_read_be32(const unsigned char *four);
void tagstruct_write_be32(unsigned char *four, uint32_t number);

/* These append one value to OUT. -1 when there is no room. */
int tagstruct_put_u32(struct byte_queue *out, uint32_t number);
int tagstruct_put_tag(struct byte_queue *out, char tag);
/* NULL: TAG_STRING_NULL. */
int tagstruct_put_string(struct byte_queue *out, const char *text);
/* An entry of a property list, whose value is the string TEXT. */
int tagstruct_put_property(struct byte_queue *out, const char *name, const char *text);

/*
 * pulse_proplist.c: copies names, property lists and formats from a box's packets. The host's mixer
 * shows them, so they begin with the box's name and have nothing by which a box could pass as
 * another program. libc only; the input is untrusted.
 */

/* Longest program name, with its NUL. */
#define PULSE_PROGRAM_MAX 64

/* Copies a stream's name to OUT without unusual characters. -1: malformed, or no room. */
int pulse_proplist_copy_name(struct tagstruct *in, struct byte_queue *out);

/*
 * Copies a property list, of which only application.name and media.name are kept. PROGRAM remembers
 * the former for later lists without one. BOX is the box's name. -1: malformed, or no room.
 */
int pulse_proplist_copy(struct tagstruct *in, struct byte_queue *out, const char *box,
                        char program[PULSE_PROGRAM_MAX]);

/* Copies a list of formats, with the properties of PCM samples only. 1: the list has a format other
 * than PCM (compressed audio); -1: malformed, or no room. */
int pulse_proplist_copy_formats(struct tagstruct *in, struct byte_queue *out);
