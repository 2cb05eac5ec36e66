/*
 * A connection of a box on its way through the gate. Each stage is begun by one function, in
 * connection_stages.c or, of ask and dial, in a file of its name, and begins the next one or ends
 * the connection:
 *
 *   decide   by what the box dialled, before anything is read or sent
 *   ask      the user, about a name that no rule has
 *   head     its first bytes, of TLS and HTTP
 *   dial     its name is resolved, and an address of it dialled
 *   relay    both ways, until both have ended; or
 *   hand_over  to litterbox-secrets, where requests are read
 *   refusal  what the box is told, where its protocol has words for that
 *   end      in connections.c, as accepting is
 *
 * After a call of one of them the connection may be gone. libc only.
 */
#pragma once

#include "host/gate/program_names.h"
#include "host/gate/resolver.h"
#include "host/gate/target.h"
#include "net/event_relay.h"

enum { BOX, SERVER };

struct connection {
    struct connection *following, **at; /* in the list of all */
    const struct network_rules *rules;
    struct event_relay line;  /* its sockets */
    struct event_timer timer; /* of the stage that it is in */
    struct target target;
    union resolved_address server; /* that has answered; AF_UNSPEC: none, or the host's loopback */
    struct program_wait program;   /* that has dialled it */
    char secret[NETWORK_SECRET_SIZE]; /* that its requests have got */
    /* What the box has sent, until it is passed on; then what it has sent of a second ClientHello.
     */
    uint8_t *head;
    size_t head_length, head_room, head_sent;
    struct ask_entry *asked;           /* in that stage alone */
    struct dial *dial;                 /* in that stage alone */
    struct resolver_query *line_query; /* in the stage hand_over alone */
    size_t banner[2];                  /* bytes of it that each side has sent, of SSH */
    uint64_t handed[2];                /* bytes that each side has sent, of one handed over */
    const char *refusal;               /* why it is refused; NULL: it is not */
    const char *refusal_due;           /* the same, as soon as its program is known */
    uint64_t number;                   /* that no other one has */
    int64_t begun;                     /* on the clock of sys/clock.h */
    enum { NOT_RECORDED, IS_RELAYED, IS_RECORDED } recorded;
};

/* DESTINATION is what the box dialled. */
void connection_decide(struct connection *self, const struct sockaddr_in6 *destination);
/* The user decides whether TARGET may be reached. */
void connection_ask(struct connection *self);
/* TARGET may be reached. */
void connection_admit(struct connection *self);
void connection_dial(struct connection *self);
/* The rules have changed, and still allow its target. NULL; or why they no longer allow an address
 * that it has dialled. */
const char *connection_refuse_server(const struct connection *self);
/* The server's socket is connected. */
void connection_relay(struct connection *self);
/* Has the relay look at what passes (connection_looks.c), as far as TARGET wants it. */
void connection_look(struct connection *self);
/* Makes room for more bytes behind those of HEAD. FALSE: there is no memory. */
bool connection_make_room(struct connection *self);
/* TRUE: the program of the box has closed its end, and not only what it sends. */
bool connection_is_left(const struct connection *self);
/* WHY goes on from the target's name. It is kept. */
void connection_refuse(struct connection *self, const char *why);
/* Closes and frees it. RESET: the box must not take it for a complete one. */
void connection_end(struct connection *self, bool reset);

/* For connection_end(): closes what the stage has opened. */
void connection_stop_dialling(struct connection *self);
void connection_stop_asking(struct connection *self);
void connection_stop_handing_over(struct connection *self);

/* Calls CALL for each connection, which it may end. */
void connections_each(void (*call)(struct connection *each, void *data), void *data);

/* For `box net log` (journal.h), once each: it is let through, and recorded at its end; or it is
 * refused, or cut. */
void connection_log_allowed(struct connection *self);
void connection_log_refused(struct connection *self, const char *why);
