/*
 * Remembered approvals. Each is for exactly one (box, key, purpose, user, host key or namespace),
 * for a time or until the box stops, and for a limited number of signatures. They live in memory
 * alone: an agent that was killed has forgotten them.
 *
 * Times are of CLOCK_BOOTTIME in microseconds, given by the caller, so that a machine asleep does
 * not stop the clock.
 */
#pragma once

#include <glib.h>

typedef enum { GRANT_LOGIN, GRANT_SIGNATURE } grant_purpose;

/* What a grant is for. All texts but the name are compared as a whole; NULL is equal to NULL alone.
 */
typedef struct {
    char *box;
    char *key; /* SHA256 fingerprint */
    grant_purpose purpose;
    char *user;       /* GRANT_LOGIN: the remote user */
    char *host;       /* GRANT_LOGIN: fingerprint of the verified host key */
    char *name_space; /* GRANT_SIGNATURE */
    char *host_name;  /* what the user knows the host by, for a person; not compared */
} grant_scope;
void grant_scope_clear(grant_scope *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(grant_scope, grant_scope_clear)

typedef struct {
    guint64 id;
    grant_scope scope;
    char *words;        /* the exact scope for a person, safe */
    gint64 until;       /* 0: until the box stops */
    guint64 uses, most; /* signatures made, and allowed */
    gint64 used;        /* when the last one was made */
} grant;

typedef struct grants grants;
grants *grants_new(void);
void grants_free(grants *self);

/* Remembers SCOPE (copied). UNTIL 0: until the box stops. Returns its number. */
guint64 grants_add(grants *self, const grant_scope *scope, const char *words, gint64 until,
                   guint64 most);
/* The grant that covers SCOPE at NOW, one use of it taken; NULL when there is none. */
const grant *grants_use(grants *self, const grant_scope *scope, gint64 now);
/* TRUE when ID was there. */
gboolean grants_revoke(grants *self, guint64 id);
/* Those of BOX (NULL: all) for KEY (NULL: all keys). Returns how many there were. */
guint grants_clear(grants *self, const char *box, const char *key);
/* ASLEEP: how long the machine has slept so far. When it has grown since the last call all of them
 * go. Returns how many. */
guint grants_slept(grants *self, gint64 asleep);
/* Live ones at NOW, in the order of their making: of grant, owned by SELF until it is changed. */
const GPtrArray *grants_live(grants *self, gint64 now);
