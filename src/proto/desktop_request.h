/*
 * What a program in a box asks of the desktop: one packet over a SOCK_SEQPACKET socket, which is
 * answered with one packet, after which the connection ends. libc only.
 *
 *   "open" NUL ADDRESS NUL                      a page in the browser of the host
 *   "notify" NUL TITLE NUL BODY NUL             a notification on its desktop
 *
 * The answer: a byte, how it went, and a sentence for people (may be empty), without a NUL.
 */
#pragma once

#include <stddef.h>

/* The socket's name in the mounted folder. */
#define REQUEST_SOCKET "requests"

#define REQUEST_ADDRESS_MAX 8192
#define REQUEST_TITLE_MAX 512
#define REQUEST_BODY_MAX 4096
#define REQUEST_MAX (REQUEST_ADDRESS_MAX + 64)
#define REQUEST_ANSWER_MAX 1024

enum request_kind { REQUEST_OPEN, REQUEST_NOTIFY, REQUEST_KINDS };

struct request {
    enum request_kind kind;
    const char *text[2]; /* the address; or title and body; point into the packet */
};

/* How it went: the exit status of who asked. */
enum request_outcome {
    REQUEST_DONE,
    REQUEST_WRONG,   /* not understood, or nothing that can be opened */
    REQUEST_FILE,    /* a file of the box */
    REQUEST_UNABLE,  /* the host has no display, no browser … for it */
    REQUEST_REFUSED, /* by the user, or the box's policy */
};

/* NULL, or what is wrong: a sentence for the answer. DATA stays the caller's. */
const char *request_parse(struct request *self, const char *data, size_t length);
