/*
 * Addresses of host names, as the host resolves them, and connections to litterbox-secrets: both by
 * a process of its own (resolver_process.h), which may take its time. For the event loop of the
 * process. libc only.
 */
#pragma once

#include "host/gate/resolver_process.h"

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
