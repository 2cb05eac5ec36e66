/* The keys that could be attached to a box: those of our store and of a real agent. */
#pragma once

#include "ssh-agent/agent/agent.h"

typedef struct offers offers;
/* KEYS: [{fingerprint, label, type}, …], owned by the caller. */
typedef void (*offers_done)(const json_t *keys, gpointer data);

/* Asks the real agent at the socket UPSTREAM (NULL: none). DONE is called once, not from within,
 * and the offers are freed after it; offers_free() before that ends the search. */
offers *offers_find(agent *self, const char *upstream, offers_done done, gpointer data);
/* NULL is fine. */
void offers_free(offers *self);
