/*
 * A running box as the agent sees it: whose programs may ask, for which keys, and within which
 * limits. boxes.h opens and closes them.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

typedef struct agent_box {
    agent *agent;
    char *name, *project;
    char *attached_name; /* the box whose attached keys count: the name, or a throw-away box's model
                          */
    char *upstream;      /* socket of the real agent; NULL: none */
    GPtrArray *keys;     /* of attached_key: from the configuration */
    GPtrArray *attached; /* of attached_key: by `box keys attach` */
    guint keys_version;  /* increases whenever keys or attached are read again */
    gboolean forward_ask; /* requests that another machine forwards are asked about, not refused */
    int grants;           /* enum grant_limit: how long an approval may last */
    guint64 grant_uses;   /* signatures of one grant */
    pid_t pid;            /* of its PID 1 */
    int pidfd, listener;  /* -1: none */
    guint pid_source, listener_source;
    GPtrArray *clients;   /* of client */
    guint upstream_count; /* connections to the real agent */
    /* Session binds: the start of the current second, and the processor time that they have taken
     * in it, both in microseconds. */
    gint64 bind_second, bind_time;
    struct key_offer *offer; /* the user is choosing keys for it (key_offer.h); NULL */
    gboolean offered;        /* keys were offered in this run of the box */
    json_t *opened;          /* the request that opened it */
} agent_box;

/* TRUE when NAME (may be NULL) can be the name of a box. */
gboolean agent_box_is_name(const char *name);

/* Reads again which keys are attached to SELF. Grants for keys that are not any more end. */
void agent_box_reload(agent_box *self);
/* The same for all open boxes. */
void agent_box_reload_all(agent *owner);

/* The label under which SELF may see the key, harmless, a new string; NULL: it may not see it.
 * COMMENT (LENGTH bytes) is the key's comment in the real agent. */
char *agent_box_label(const agent_box *self, const char *fingerprint, const char *comment,
                      gsize length);

/* A new question about SELF, with the user's phrase and the box's colour. HEADLINE may be NULL. */
question *agent_box_question(const agent_box *self, enum question_kind kind, const char *headline);
