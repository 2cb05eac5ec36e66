/* One connection through a forward: dialled in the box, then relayed. */
#pragma once

#include "port/relay.h"
#include "port/watch.h"

/* At a time, of one box; with fewer descriptors, fewer. */
#define LINKS_MAX 2048

typedef struct link link_t;

/* How a dialled link ends its dialling; DATA is the door's. */
typedef void (*link_dialled)(void *data);

/* As many links as this process has descriptors for. */
void links_init(const char *control);
/* FALSE: one more would be too many. */
gboolean links_have_room(void);
/*
 * Takes CLIENT over and connects it to PORT of the box. DIALLED is called once the dialling is
 * over, in whatever way. DOOR tells whose it is, for links_close_of().
 */
void link_new(int client, int port, void *door, link_dialled dialled);
/* Ends all of DOOR's, without a word to it. */
void links_close_of(const void *door);
/* TRUE once a server in the box has said something through any of them. */
gboolean links_were_answered(void);
/* What has waited for too long is given up, and who was told to come later is tried again. Returns
 * the milliseconds until this is due again; -1: never. */
int links_tick(void);
/* Frees what has ended: after the events of a turn. */
void links_sweep(void);
