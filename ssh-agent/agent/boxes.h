/*
 * The open boxes: each with the folder that is mounted into it, the socket in there, and what its
 * programs may ask for. A box closes when its PID 1 has ended.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Connections of one box at a time; more are closed at once. */
#define BOX_CLIENTS_MAX 1024

/* A key that the user attached: by fingerprint, or by label alone. */
typedef struct {
    char *fingerprint; /* "SHA256:…"; NULL: every key that has the label */
    char *label;       /* NULL: as the real agent calls it */
} key_wish;

typedef struct choosing choosing; /* choose.c */

typedef struct agent_box {
    agent *agent;
    char *base; /* the box whose file of attachments counts; its own name, but for throw-aways */
    char *name, *project, *upstream; /* upstream NULL: there is none */
    GPtrArray *keys;                 /* of key_wish: from the configuration */
    GPtrArray *attached;             /* of key_wish: by `box keys attach` */
    guint changes;                   /* counts whenever one of these two was read anew */
    gboolean forward_ask;
    int grants;         /* settings_grants */
    guint64 grant_uses; /* of one grant */
    pid_t pid;          /* of its PID 1 */
    int pidfd, listener;
    guint watch, accepting;
    GPtrArray *clients; /* of client */
    guint upstreams;    /* connections to the real agent */
    gint64 binds_since; /* when its present second of binds began */
    gint64 binds_cost;  /* processor time that they took in it, microseconds */
    choosing *choosing; /* keys are being chosen for it; NULL */
    gboolean offered;   /* that was done already */
    json_t *opened;     /* the request that opened it, as it is recorded */
} agent_box;

/* TRUE when NAME (may be NULL) can be a box's. */
gboolean boxes_is_name(const char *name);
/* Opens, or changes, a box as REQUEST (op "box-open") says. Returns the indices of those of its
 * keys that are none, a new array; NULL with ERROR. */
json_t *boxes_open(agent *self, const json_t *request, GError **error);
/* Its clients are cut off, its questions are answered with no, its grants go. */
gboolean boxes_close(agent *self, const char *name);
/* Those that an agent before us left open, as far as they still run. */
void boxes_restore(agent *self);
/* Reads again what is attached to each. */
void boxes_reload(agent *self);
/* Called by main at the end: sockets go, records stay. */
void boxes_free(gpointer box);

/* The label under which BOX may see the key, safe, a new string; NULL: it may not. COMMENT is the
 * real agent's, LENGTH bytes. */
char *boxes_label(const agent_box *self, const char *fingerprint, const char *comment,
                  gsize length);
