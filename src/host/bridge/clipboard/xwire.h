/*
 * What an X server says to a client that is after selections alone. Plain functions over a buffer;
 * libc only. The server of a box may be the box's by now: no length of it is believed, and what is
 * longer than anything that we ask for is an error.
 *
 * Not by libxcb: that takes memory as a reply's header says (16 GiB), has iterators that believe
 * the lengths in it, and waits for as long as the server likes.
 *
 * All numbers are in our own byte order: so we ask the server in the connection's first byte.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of a property, in one reply. */
#define XWIRE_PIECE ((size_t)256 * 1024)
/* Of each message behind the first; and of the first. */
#define XWIRE_MAX (XWIRE_PIECE + 32)
#define XWIRE_SETUP_MAX ((size_t)64 * 1024)

/* The first byte of a message; 0x80 more: sent by another client. */
enum {
    XWIRE_ERROR = 0,
    XWIRE_REPLY = 1,
    XWIRE_PROPERTY_NOTIFY = 28,
    XWIRE_SELECTION_CLEAR = 29,
    XWIRE_SELECTION_REQUEST = 30,
    XWIRE_SELECTION_NOTIFY = 31,
    XWIRE_GENERIC = 35
};

struct xwire_setup {
    uint32_t id, root;   /* a free id; the root window of the first screen */
    size_t request_size; /* of the longest request, in bytes */
};

/* Bytes of the server's first answer, of which LENGTH are there; 0: not all of it yet; -1: it is
 * too long. */
long xwire_setup_size(const unsigned char *data, size_t length);
/* -1: it is no welcome, or makes no sense. */
int xwire_setup(const unsigned char *data, size_t length, struct xwire_setup *setup);

/* The same for every message behind it. */
long xwire_size(const unsigned char *data, size_t length);

/* The 32-bit word at byte AT of a message, of which every one has 32; which kind it is; the number
 * of the request that it answers. */
uint32_t xwire_word(const unsigned char *message, size_t at);
int xwire_kind(const unsigned char *message);
uint16_t xwire_sequence(const unsigned char *message);

/* The property in a reply to GetProperty of LENGTH bytes (as xwire_size() has it). */
struct xwire_property {
    uint32_t type;  /* 0: there is none */
    uint32_t after; /* bytes that are still there */
    unsigned width; /* of an item in bytes: 1, 2, 4; 0 with no type */
    const unsigned char *data;
    size_t length; /* bytes */
};
int xwire_property(const unsigned char *message, size_t length, struct xwire_property *property);
