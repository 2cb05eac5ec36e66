/*
 * A process of the gate that has Unix sockets, which the gate itself must not have: the programs
 * behind these, such as the SSH agent, the user's D-Bus and Podman, do what a process of the user
 * says, so a box that has taken over the gate would answer its own questions. It resolves names
 * (getaddrinfo(3), which asks programs of the host), and connects to litterbox-secrets. It gets
 * nothing from a box but names; each side takes the other for hostile. libc only.
 */
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/network_rules.h"

/* Requests at a time: each name has a thread. */
#define RESOLVER_REQUESTS_MAX 64

/* Most addresses of a name that are tried. */
#define RESOLVED_MAX 16

/* What a query has found, in the order to try them (RFC 6724). COUNT 0: nothing. */
struct resolved {
    union {
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
