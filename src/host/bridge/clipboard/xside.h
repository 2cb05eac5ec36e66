/*
 * One end of an exchange that is an X server: the clipboard selection of the box's own, or of the
 * desktop. Its two halves are xreader.h, which gets what another client has copied, and xowner.h,
 * which hands out what we have.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"
#include "host/bridge/clipboard/xlink.h"
#include "host/bridge/clipboard/xowner.h"
#include "host/bridge/clipboard/xreader.h"
#include "net/event_loop.h"

enum {
    X_CLIPBOARD,
    X_TARGETS,
    X_INCR,
    X_UTF8,
    X_TYPE_TEXT,
    X_TYPE_PICTURE,
    X_TYPE_SECRET,
    X_PLACE, /* a property of ours, and others: an answer that comes late is in another */
    X_ATOMS = X_PLACE + XREADER_PLACES
};

struct xside {
    struct xlink link;
    struct event_watch watch; /* of its connection */
    struct exchange *exchange;
    int end;   /* EXCHANGE_BOX or _HOST */
    int reads; /* whether what others copy here is of interest */
    uint32_t window;
    uint32_t atoms[X_ATOMS];
    uint8_t fixes_event;
    int is_owner;
    struct xreader reader;
    struct xowner owner;
};

/*
 * Its LINK has greeted the server, and EXCHANGE, END and READS are set. Waits, as xlink_welcome()
 * does. It is put into the loop; what the server does ends the loop in the end. -1: the server
 * is not to be had, or too old.
 */
int xside_begin(struct xside *self);
/* For the exchange; behind xside_begin(). */
struct exchange_port xside_port(struct xside *self);
/* As exchange_due(). */
int xside_due(struct xside *self, int64_t now);
/* Once all of a turn is done: sends it. */
void xside_flush(struct xside *self);
/* A whole message of the server's, of LENGTH bytes: for the loop, and the fuzzer. */
void xside_message(struct xside *self, const unsigned char *message, size_t length);
