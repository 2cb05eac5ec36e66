/*
 * Who may have what, between the clipboard of a box's X server and that of the user's desktop: the
 * rules alone, without a byte of a protocol.
 *
 * To the box: it is told that there is something, and of which kinds. The content is fetched only
 * when one of its programs asks, and given only where may_read() says so at that moment. What comes
 * from a password manager (CLIP_TYPE_SECRET) is nothing at all for it.
 *
 * From the box: what one of its programs copies is taken at once, as it is at that moment, checked
 * (content.h), and then becomes the desktop's clipboard: where may_write() says so, both when it is
 * copied and when all of it is there, and so often at most. What is pasted on the desktop comes
 * from our copy: the box does not hear of it, and cannot put something else in its place, or hold
 * the paste up.
 *
 * Both ends are ports: a port tells with exchange_offered(), _wanted() and _fetched(), and is told
 * by its functions. Times are of clock_ms().
 */
#pragma once

#include <stdint.h>

#include "host/bridge/clipboard/content.h"
#include "net/token_bucket.h"

enum { EXCHANGE_BOX, EXCHANGE_HOST, EXCHANGE_ENDS };
/* Directions. */
enum { EXCHANGE_TO_BOX = 1, EXCHANGE_FROM_BOX = 2 };
/* Programs of the box that wait for content at a time. */
#define EXCHANGE_WAITING_MAX 4

struct exchange_port {
    void *self;
    /* KINDS are to be had now, by that end's programs; 0: nothing any more. */
    void (*offer)(void *self, unsigned kinds);
    /* Asks for the content that was told of last: exchange_fetched() follows, unless
     * exchange_offered() comes first. One at a time. */
    void (*fetch)(void *self, int kind);
    /* Answers an exchange_wanted(); DATA, NULL for no, is the caller's. */
    void (*give)(void *self, int token, const unsigned char *data, size_t length);
};

struct exchange_content {
    unsigned char *data;
    size_t length;
};

struct exchange {
    unsigned may; /* directions */
    struct exchange_port ends[EXCHANGE_ENDS];
    /* Whether the box's windows are in use now, as far as that can be known. */
    int (*may_read)(void), (*may_write)(void);
    /* State, of nothing at first. */
    struct token_bucket reads, writes;
    unsigned host_kinds; /* what the desktop has */
    unsigned left;       /* kinds of the box's that are to be fetched, */
    int is_waiting;      /* once the limit lets them */
    int is_fetching;     /* from the desktop */
    struct exchange_content taken[CLIP_KINDS], held[CLIP_KINDS];
    struct {
        int token, kind;
    } waiting[EXCHANGE_WAITING_MAX];
    int n_waiting;
};

/* MAY, the ports and the two questions are set; the rest is 0. */
void exchange_begin(struct exchange *self);

/* At END, somebody (never we ourselves) has copied something of KINDS; 0: nothing of ours. */
void exchange_offered(struct exchange *self, int end, unsigned kinds, int64_t now);
/* At END, somebody asks for what we offer there. Answered by give(), at once or later. */
void exchange_wanted(struct exchange *self, int end, int kind, int token, int64_t now);
/* What fetch() asked for, at END: memory of malloc(), taken; NULL: it is not to be had. */
void exchange_fetched(struct exchange *self, int end, int kind, unsigned char *data, size_t length);
/* What is due; milliseconds until it has to be called again, or -1. */
int exchange_due(struct exchange *self, int64_t now);
