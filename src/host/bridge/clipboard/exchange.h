/*
 * The rules of the shared clipboard, between the box's X server and the user's desktop. No protocol
 * code.
 *
 * To the box: it is told which kinds of content there are. The content itself is fetched only when
 * one of its programs asks, and given only if may_read() agrees at that moment. Content of password
 * managers (CLIP_TYPE_SECRET) is not offered at all.
 *
 * From the box: what one of its programs copies is fetched at once, checked (clip_clean()), and
 * then becomes the desktop's clipboard, if may_write() agrees both when it is copied and when all
 * of it has arrived. A token bucket limits how often. Programs of the desktop paste from our copy,
 * so the box does not learn of it, and cannot exchange the content or delay the paste.
 *
 * Each end calls exchange_offered(), exchange_wanted() and exchange_fetched(), and is called by its
 * port. Times are those of clock_ms().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/token_bucket.h"
#include "proto/clip_content.h"

enum { EXCHANGE_BOX, EXCHANGE_HOST, EXCHANGE_ENDS };
/* Directions. */
enum { EXCHANGE_TO_BOX = 1, EXCHANGE_FROM_BOX = 2 };
/* Programs of one end that may wait for content at a time. */
#define EXCHANGE_WAITING_MAX 4

struct exchange_port {
    void *self;
    /* Offers KINDS to the programs of that end; 0: nothing. */
    void (*offer)(void *self, unsigned kinds);
    /* Asks for the content that was offered last. exchange_fetched() follows, unless
     * exchange_offered() comes before it. One at a time. */
    void (*fetch)(void *self, int kind);
    /* Answers exchange_wanted(). DATA belongs to the caller; NULL: refused. */
    void (*give)(void *self, int token, const unsigned char *data, size_t length);
};

struct exchange_content {
    unsigned char *data;
    size_t length;
};

struct exchange {
    unsigned directions; /* allowed ones */
    struct exchange_port ends[EXCHANGE_ENDS];
    /* Whether the user works in the box's windows now, as far as that can be known. */
    int (*may_read)(void), (*may_write)(void);
    /* State, 0 at first. */
    struct token_bucket reads, writes;
    unsigned host_kinds; /* on the desktop */
    unsigned to_fetch;   /* kinds to fetch from the box */
    int is_delayed;      /* by the rate limit */
    int is_fetching;     /* from the desktop */
    struct exchange_content fetched[CLIP_KINDS], published[CLIP_KINDS]; /* of the box */
    struct {
        int token, kind;
    } waiting[EXCHANGE_WAITING_MAX];
    int n_waiting;
};

/* DIRECTIONS, ENDS, MAY_READ and MAY_WRITE are set; the rest is 0. */
void exchange_begin(struct exchange *self);

/* At END a program (not this one) has copied content of KINDS; 0: nothing that can be shared. */
void exchange_offered(struct exchange *self, int end, unsigned kinds, int64_t now);
/* At END a program asks for what we offer. give() answers, at once or later. */
void exchange_wanted(struct exchange *self, int end, int kind, int token, int64_t now);
/* The result of fetch() at END. DATA is from malloc() and taken over; NULL: failed. */
void exchange_fetched(struct exchange *self, int end, int kind, unsigned char *data, size_t length);
/* Does what is due. Returns milliseconds until the next call, or -1. */
int exchange_due(struct exchange *self, int64_t now);
