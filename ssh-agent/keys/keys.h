/*
 * What the files of litterbox-keys share: the verbs of `box keys`, passwords, and the key store of
 * this user, $XDG_DATA_HOME/litterbox/keys.
 *
 *   main.c            list, show, rename, delete, passwd; unlock and lock, in the running agent
 *   import_export.c   generate, import, export
 *   user_store.c      passwords, and the store
 */
#pragma once

#include "ssh-agent/store/key_store.h"

/* The verbs, one function each. OPERANDS: the words after the verb, NULL-terminated; the caller has
 * checked their number. */
gboolean keys_generate(char **operands, GError **error);
gboolean keys_import(char **operands, GError **error);
gboolean keys_export(char **operands, GError **error);

/* The public key as authorized_keys has it: "ssh-ed25519 AAAA… NAME". A new string. */
char *keys_public_line(const key_store_entry *entry);

/* How often the user is asked again after a wrong password. */
#define PASSWORD_TRIES 3

/*
 * Reads one line from descriptor FD (the number as text, the value of an option) or, if that is
 * NULL, from the terminal after printing QUESTION, without echo. With REPEAT the user must type it
 * twice. Fails if it is empty. Other processes can read arguments and environment, so passwords are
 * never taken from there.
 */
secret *password_get(const char *fd, const char *question, gboolean repeat, GError **error);

/* Opens the store, locked. */
key_store *user_store_open(GError **error);

/* Opens and unlocks the store, to read private keys or to verify it. Asks up to PASSWORD_TRIES
 * times for its password, unless an option names a descriptor. */
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
