/*
 * Addresses of host names, as the host resolves them, and connections to litterbox-secrets: both by
 * a process of its own (resolver_process.c), which may take its time. For the event loop of the
 * process. libc only.
 */
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/network_rules.h"

/*
 * resolver_process.c: a process of the gate that has Unix sockets, which the gate itself must not
 * have: the programs behind these, such as the SSH agent, the user's D-Bus and Podman, do what a
 * process of the user says, so a box that has taken over the gate would answer its own questions.
 * It resolves names (getaddrinfo(3), which asks programs of the host), and connects to
 * litterbox-secrets. It gets nothing from a box but names; each side takes the other for hostile.
 * libc only.
 */

/* Requests at a time: each name has a thread. */
#define RESOLVER_REQUESTS_MAX 64

/* Most addresses of a name that are tried. */
#define RESOLVED_MAX 16

/* What a query has found, in the order to try them (RFC 6724). COUNT 0: nothing. */
struct resolved {
    union resolved_address {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address[RESOLVED_MAX];
    size_t count;
};

/* The messages: one is answered by one, in any order. */
struct resolver_request {
    uint32_t number;           /* of it, less than RESOLVER_REQUESTS_MAX */
    char name[HOST_NAME_SIZE]; /* to resolve; "": connect to litterbox-secrets */
};
/* With a descriptor: that connection. */
struct resolver_answer {
    uint32_t number;
    struct resolved found; /* without ports */
};

/* Forks it. FOLDER is the box's runtime folder. It ends with the caller. Returns the socket to it,
 * or -1 with errno. */
int resolver_fork(const char *folder);

/* Bytes of ADDRESS, which is of one of these two families. */
static inline socklen_t resolved_length(const struct sockaddr *address)
{
    return address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* Puts the families in turn, the first one first (RFC 8305, 4). */
void resolved_interleave(struct resolved *self);

struct resolver_query;

/* LINE: a connection to litterbox-secrets, which the callee takes; -1: none. */
typedef void resolver_done(void *owner, const struct resolved *result, int line);

/* Call this first. PROCESS: of resolver_fork(). When that process ends, or answers what was not
 * asked, this one ends, too. 0, or -1 with errno. */
int resolver_init(int process);

/*
 * Resolves NAME with PORT, and calls DONE with OWNER later, from the event loop. While many queries
 * are under way, others wait in turn; one for a name that is under way gets the same answer. NULL:
 * there is no memory.
 */
struct resolver_query *resolver_begin(const char *name, uint16_t port, resolver_done *done,
                                      void *owner);
/* The same for a connection to litterbox-secrets. */
struct resolver_query *resolver_begin_line(resolver_done *done, void *owner);
/* DONE will not be called. */
void resolver_forget(struct resolver_query *query);
