/*
 * The user's key store: one file, encrypted with a password (key_store_file.h has the format).
 *
 * To read: key_store_open() and the entries; for private keys also key_store_unlock() and
 * key_store_load_key(). To change: key_store_lock_file() first, and hold that lock until after
 * key_store_save(). Only key_store_save() writes the file. It replaces the file as a whole, so
 * after a crash or on a full disk the old contents are intact.
 */
#pragma once

#include "ssh-agent/store/private_key.h"
#include "ssh-agent/store/secret.h"

typedef struct key_store key_store;

typedef struct {
    const char *name;
    const struct ssh_key *key;
    gint64 created; /* Unix time at which the key was added */
} key_store_entry;

/* Largest password in bytes. */
#define KEY_STORE_PASSWORD_MAX 1024

/*
 * Locks the store PATH for a change: fs_lock() on PATH.lock, in a folder that is made if missing.
 * Returns the descriptor that holds the lock, or -1.
 */
int key_store_lock_file(const char *path, void (*waited)(const char *path), GError **error);

/*
 * Reads PATH. The store is locked: entries can be listed, but are not authenticated before
 * key_store_unlock(). KEY_ERROR_MISSING, _UNSAFE, _TRUNCATED, _DAMAGED or _NEWER.
 */
key_store *key_store_open(const char *path, GError **error);

/* Makes an empty, unlocked store in memory. key_store_save() creates the file. */
key_store *key_store_create(const char *path, const secret *password, const kdf_cost *cost,
                            GError **error);

/* Wipes its keys and frees it. SELF may be NULL. */
void key_store_free(key_store *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(key_store, key_store_free)

/*
 * Derives the subkeys from PASSWORD and verifies the whole file. After KEY_ERROR_PASSWORD or
 * KEY_ERROR_TAMPERED the store stays locked. A new store must be saved before it can be unlocked.
 */
gboolean key_store_unlock(key_store *self, const secret *password, GError **error);

/* Wipes the subkeys. Keys that were loaded belong to the caller and stay. */
void key_store_lock(key_store *self);
gboolean key_store_is_locked(const key_store *self);

/* Entries in the order in which they were added, valid until the store is changed or freed. */
guint key_store_count(const key_store *self);
key_store_entry key_store_entry_at(const key_store *self, guint index);
/* The index of the entry with this name or SHA256 fingerprint; -1 with KEY_ERROR_MISSING, which
 * suggests a similar name. */
int key_store_find(const key_store *self, const char *name, GError **error);

/* Decrypts the private key of an entry. The store must be unlocked. */
private_key *key_store_load_key(const key_store *self, guint index, GError **error);

/* FALSE with KEY_ERROR_KIND for a name that no key can have. */
gboolean key_store_check_name(const char *name, GError **error);
/*
 * Change an unlocked store in memory. KEY_ERROR_TAKEN for a name or key that is in the store,
 * KEY_ERROR_KIND for an invalid name, KEY_ERROR_FAILED if the store is full.
 */
gboolean key_store_add(key_store *self, const char *name, const private_key *added, GError **error);
gboolean key_store_rename(key_store *self, guint index, const char *name, GError **error);
gboolean key_store_delete(key_store *self, guint index, GError **error);
gboolean key_store_set_password(key_store *self, const secret *password, const kdf_cost *cost,
                                GError **error);

/* Writes the file. */
gboolean key_store_save(key_store *self, GError **error);
