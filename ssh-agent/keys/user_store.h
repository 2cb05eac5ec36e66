/*
 * The key store of this user, $XDG_DATA_HOME/litterbox/keys. Passwords are asked for on the
 * terminal, up to PASSWORD_TRIES times, or read from the descriptor that an option names.
 */
#pragma once

#include "ssh-agent/store/key_store.h"

/* Opens the store, locked. */
key_store *user_store_open(GError **error);

/* Opens and unlocks the store, to read private keys or to verify it. */
key_store *user_store_unlock(GError **error);

/* An unlocked store, and the lock that allows this process to change it. */
typedef struct {
    int lock; /* descriptor, or -1 */
    key_store *store;
} store_change;

/* Locks, opens and unlocks the store. With CREATE a missing one is made, with a new password. */
gboolean store_change_begin(store_change *self, gboolean create, GError **error);
void store_change_clear(store_change *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(store_change, store_change_clear)
