/*
 * Remembered approvals. Each covers exactly one (box, key, purpose, user, host key or namespace),
 * for a time or until the box stops, and a limited number of signatures. They are only in memory,
 * so they end with the agent.
 *
 * Times are of CLOCK_BOOTTIME in microseconds, given by the caller; that clock also runs while the
 * machine sleeps.
 */
#pragma once

#include <glib.h>

typedef enum { GRANT_LOGIN, GRANT_SIGNATURE } grant_purpose;

/* What a grant covers. All texts but host_name are compared in full; NULL matches only NULL. */
typedef struct {
    char *box;
    char *key; /* SHA256 fingerprint */
    grant_purpose purpose;
    char *user;       /* GRANT_LOGIN: the remote user */
    char *host;       /* GRANT_LOGIN: fingerprint of the verified host key */
    char *name_space; /* GRANT_SIGNATURE */
    char *host_name;  /* the name that the user knows it by, only for display */
} grant_scope;
void grant_scope_clear(grant_scope *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(grant_scope, grant_scope_clear)

typedef struct {
    guint64 id;
    grant_scope scope;
    char *scope_text;   /* the exact scope for people, harmless */
    gint64 until;       /* 0: until the box stops */
    guint64 uses, most; /* signatures made, and allowed */
    gint64 used;        /* when the last one was made */
} grant;

typedef struct grants grants;
grants *grants_new(void);
void grants_free(grants *self);

/* Adds a grant for SCOPE (copied). UNTIL 0: until the box stops. Returns its number; 0 when SCOPE
 * is incomplete. */
guint64 grants_add(grants *self, const grant_scope *scope, const char *scope_text, gint64 until,
                   guint64 most);
/* The grant that covers SCOPE at NOW, with one more use counted; NULL: none. */
const grant *grants_use(grants *self, const grant_scope *scope, gint64 now);
/* TRUE while the grant ID has not ended, also after its last use. */
gboolean grants_hold(const grants *self, guint64 id, gint64 now);
/* FALSE: there is no grant ID. */
gboolean grants_revoke(grants *self, guint64 id);
/* Ends the grants of BOX (NULL: all boxes) for KEY (NULL: all keys). Returns how many there were.
 */
guint grants_clear(grants *self, const char *box, const char *key);
/* ASLEEP: how long the machine has slept so far, in microseconds. If that has grown since the last
 * call, ends all grants. Returns how many there were. */
guint grants_slept(grants *self, gint64 asleep);
/* The grants that hold at NOW, oldest first: of grant, owned by SELF, valid until the next change.
 */
const GPtrArray *grants_live(grants *self, gint64 now);
