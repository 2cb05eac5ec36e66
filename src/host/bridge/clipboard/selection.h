/*
 * The end of an exchange that is an X server, the box's or the desktop's: its CLIPBOARD selection
 * (ICCCM 2). The requestor gets what another client has copied, the owner offers what we have.
 * Neither trusts a client: there are limits for size and time.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"
#include "host/bridge/clipboard/x11_connection.h"
#include "net/event_loop.h"

/* Conversions use these properties of our window in turn. A reply that is so late that its property
 * is in use again is taken for one to the new request. */
#define REQUESTOR_PROPERTIES 64
/* In place of a kind: the list of targets. */
#define REQUESTOR_TARGETS (-1)

struct selection_requestor {
    enum {
        REQUESTOR_IDLE,
        REQUESTOR_DELAYED,     /* the next list of targets waits for NEXT_LIST */
        REQUESTOR_ASKED,       /* waits for SelectionNotify */
        REQUESTOR_READING,     /* waits for the reply to GetProperty */
        REQUESTOR_INCREMENTAL, /* waits for the next piece (INCR) */
    } state;
    int what; /* a kind, or REQUESTOR_TARGETS */
    uint32_t target, property;
    unsigned n_asked;  /* selects the next property */
    uint16_t sequence; /* of GetProperty */
    size_t at;         /* bytes of the property that were read */
    int is_incremental;
    int is_answered; /* a second SelectionNotify came while the first property is read */
    struct byte_queue data;
    int64_t idle_deadline, deadline; /* it fails then: without any progress; in any case */
    int64_t next_list;               /* not before this time */
    unsigned retries;                /* of the list, when the client does not answer */
    uint32_t text_target;            /* the target for text that the client has */
};

struct selection_owner {
    unsigned kinds; /* that we offer */
    struct selection_transfer {
        enum { TRANSFER_FREE, TRANSFER_ASKED, TRANSFER_SENDING } state;
        uint32_t window, property, target, time;
        struct exchange_content content;
        size_t sent;
        int64_t idle_deadline, deadline;
    } transfers[EXCHANGE_WAITING_MAX]; /* an index is an exchange token */
};

enum {
    ATOM_CLIPBOARD,
    ATOM_TARGETS,
    ATOM_INCR,
    ATOM_UTF8_STRING,
    ATOM_TEXT,
    ATOM_PNG,
    ATOM_SECRET,
    ATOM_PROPERTY, /* the first of REQUESTOR_PROPERTIES */
    N_ATOMS = ATOM_PROPERTY + REQUESTOR_PROPERTIES
};

struct x11_selection {
    struct x11_connection connection;
    struct event_watch watch; /* of the connection */
    struct exchange *exchange;
    int end;   /* EXCHANGE_BOX or EXCHANGE_HOST */
    int reads; /* whether the exchange wants what clients of this server copy */
    uint32_t window;
    uint32_t atoms[N_ATOMS];
    uint8_t fixes_event;
    int is_owner;
    struct selection_requestor requestor;
    struct selection_owner owner;
};

/*
 * CONNECTION has begun, and EXCHANGE, END and READS are set. Waits for the server, and adds the
 * connection to the event loop, which ends when the server does. -1: the server refuses us, or its
 * XFixes is too old.
 */
int selection_begin(struct x11_selection *self);
/* For the exchange. */
struct exchange_port selection_port(struct x11_selection *self);
/* As exchange_due(). */
int selection_due(struct x11_selection *self, int64_t now);
/* Sends the queued requests. Call it at the end of each turn of the loop. */
void selection_flush(struct x11_selection *self);
/* Handles a complete message of the server; for the loop and the fuzzer. */
void selection_message(struct x11_selection *self, const unsigned char *message, size_t length);

/* The requestor: for selection.c, and tests. */

/* Asks for the selection as WHAT. An earlier conversion is dropped. */
void selection_requestor_convert(struct x11_selection *selection, int what, int64_t now);
/*
 * Asks a new owner for its targets: at once, or after a pause since the last list. Several new
 * owners in that time are one. While the owner changes faster than it answers nothing is offered:
 * the targets of one copy say nothing about the next, which may be a secret.
 */
void selection_requestor_list(struct x11_selection *selection, int64_t now);
void selection_requestor_reset(struct x11_selection *selection);
/* MESSAGE: SelectionNotify; PropertyNotify of our window; a reply or an error. */
void selection_requestor_on_notify(struct x11_selection *selection, const unsigned char *message,
                                   int64_t now);
void selection_requestor_on_property(struct x11_selection *selection, const unsigned char *message,
                                     int64_t now);
void selection_requestor_on_reply(struct x11_selection *selection, const unsigned char *message,
                                  size_t length, int64_t now);
int selection_requestor_due(struct x11_selection *selection, int64_t now);

/* The owner. MESSAGE: SelectionRequest; PropertyNotify of another client's window. */
void selection_owner_on_request(struct x11_selection *selection, const unsigned char *message,
                                int64_t now);
void selection_owner_on_property(struct x11_selection *selection, const unsigned char *message,
                                 int64_t now);
/* See struct exchange_port. */
void selection_owner_offer(struct x11_selection *selection, unsigned kinds);
void selection_owner_give(struct x11_selection *selection, int token, const unsigned char *data,
                          size_t length);
int selection_owner_due(struct x11_selection *selection, int64_t now);
