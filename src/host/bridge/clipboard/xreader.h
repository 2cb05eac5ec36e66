/*
 * What another client of an X server has copied: asked for, and put together from its pieces, with
 * a ceiling and in bounded time, whatever that client says.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/byte_queue.h"

struct xside;

/* Each is used again after so many questions: an answer that is later than that is taken for one to
 * the last of them. */
#define XREADER_PLACES 64
/* Instead of a kind: which targets there are. */
#define XREADER_TARGETS (-1)

struct xreader {
    enum { XREADER_IDLE, XREADER_LATER, XREADER_ASKED, XREADER_READS, XREADER_WAITS } state;
    int what; /* a kind, or XREADER_TARGETS */
    uint32_t target, place;
    unsigned n_asked;  /* which place is next */
    uint16_t sequence; /* of the piece that was asked for */
    size_t at;         /* bytes of the property that were read */
    int is_incremental;
    int is_answered; /* again, while what came first is read */
    struct byte_queue data;
    int64_t quiet, late;  /* it fails then, unless something comes; in any case */
    int64_t next_list;    /* which targets there are is not asked before */
    uint32_t text_target; /* what the client calls text */
};

/* Asks anew, and forgets what was asked before. */
void xreader_ask(struct xside *side, int what, int64_t now);
/*
 * Asks for the targets of a new owner: at once, or when the last time is long enough ago. Many that
 * come meanwhile are one. An owner that copies anew faster than it answers has nothing until it
 * stops: what one copy was said to be says nothing about the next, which may be a secret.
 */
void xreader_list(struct xside *side, int64_t now);
void xreader_forget(struct xside *side);

/* MESSAGE: the server's; SelectionNotify, PropertyNotify of our window, a reply, an error. */
void xreader_notified(struct xside *side, const unsigned char *message, int64_t now);
void xreader_changed(struct xside *side, const unsigned char *message, int64_t now);
void xreader_replied(struct xside *side, const unsigned char *message, size_t length, int64_t now);

/* As exchange_due(). */
int xreader_due(struct xside *side, int64_t now);
