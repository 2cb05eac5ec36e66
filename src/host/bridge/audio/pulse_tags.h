/*
 * The values of a PulseAudio packet: each is a letter that says its kind, and what that kind holds.
 * Numbers have their first byte in front. libc only; reads what a box sends.
 */
#pragma once

#include <stdint.h>

#include "net/byte_queue.h"

/* What is left to read. */
struct tags {
    const unsigned char *at, *end;
};

/* Kinds, by their letters. */
#define TAG_NUMBER 'L'
#define TAG_SMALL 'B'
#define TAG_TEXT 't'
#define TAG_NO_TEXT 'N'
#define TAG_TRUE '1'
#define TAG_FALSE '0'
#define TAG_BYTES 'x'
#define TAG_SAMPLES 'a'
#define TAG_MAP 'm'
#define TAG_VOLUMES 'v'
#define TAG_TIME 'T'
#define TAG_PROPERTIES 'P'
#define TAG_FORMAT 'f'

/*
 * The next value, which has to be whole and of one of KINDS: where it begins (its letter), with its
 * length in *LENGTH. NULL when it is not. Properties and formats are their letter alone here.
 */
const unsigned char *tags_take(struct tags *self, const char *kinds, size_t *length);
/* The same for one number; -1. */
int tags_number(struct tags *self, uint32_t *number);
/* For a text that ends with a NUL; *TEXT is NULL where none is given. -1. */
int tags_text(struct tags *self, const char **text);

uint32_t tags_read(const unsigned char *four);
void tags_write(unsigned char *four, uint32_t number);

/* Write one value behind OUT. -1: no room. */
int tags_put_number(struct byte_queue *out, uint32_t number);
int tags_put_letter(struct byte_queue *out, char letter);
/* NULL: no text. */
int tags_put_text(struct byte_queue *out, const char *text);
/* One entry of properties, whose value is TEXT. */
int tags_put_property(struct byte_queue *out, const char *name, const char *text);
