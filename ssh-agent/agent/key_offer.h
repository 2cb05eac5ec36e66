/*
 * The user's keys, offered to a box.
 *
 * A box to which no key was ever attached asks for its list of keys: the user may choose some in a
 * window, once. The box gets an empty list at that time; the choice counts from its next request.
 */
#pragma once

#include "ssh-agent/agent/agent_box.h"

typedef struct key_offer key_offer;

/* Asks the user which keys BOX may see, unless that was decided before, or there is no display.
 * PID: the program that has asked for the list. */
void key_offer_begin(agent_box *box, pid_t pid);
/* BOX closes: takes the question back. */
void key_offer_cancel(agent_box *box);

/*
 * A search for all keys that could be attached to a box: those of our key store and of the real
 * agent at the socket UPSTREAM (NULL: none). DONE gets [{"fingerprint", "label", "type"}, …], owned
 * by the caller. It is called once, from the main loop, unless key_search_free() ends the search
 * before; the search frees itself after it.
 */
typedef struct key_search key_search;
typedef void (*key_search_done)(const json_t *keys, gpointer data);
key_search *key_search_new(agent *owner, const char *upstream, key_search_done done, gpointer data);
/* SELF may be NULL. */
void key_search_free(key_search *self);
