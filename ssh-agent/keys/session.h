/* The store of this user, opened with the password that is asked for. */
#pragma once

#include "ssh-agent/store/store.h"

/* $XDG_DATA_HOME/litterbox/keys */
char *session_path(void);

/* The store as the file has it, locked. */
store *session_look(GError **error);

/* The same, unlocked, to read keys or to verify. */
store *session_unlock(GError **error);

/* Unlocked, with the claim to change it until the session is cleared. */
typedef struct {
    int claim;
    store *keys;
} session;

/* CREATE: where there is none, a new one with a new password. */
gboolean session_begin(session *self, gboolean create, GError **error);
void session_clear(session *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(session, session_clear)
