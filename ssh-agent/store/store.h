/*
 * The user's key store: one file, encrypted with a password (format.h says how).
 *
 * Who only reads: store_open(), then the entries; store_unlock() and store_load() for the keys.
 * Who changes: store_claim() first, and keep the claim until after store_save(). Nothing reaches
 * the file but by store_save(), which replaces it as a whole: after a crash or on a full disk the
 * old contents are there.
 */
#pragma once

#include "ssh-agent/store/kdf.h"
#include "ssh-agent/store/key.h"
#include "ssh-agent/store/secret.h"

typedef struct store store;

typedef struct {
    const char *name;
    const struct ssh_key *key;
    gint64 created; /* seconds since 1970 */
} store_entry;

/* Largest password in bytes. */
#define STORE_PASSWORD_MAX 1024

/*
 * Takes the right to change the store PATH, waiting for others; the folder is made when missing.
 * WAITED is called when that takes long. Returns a descriptor to close, or -1.
 */
int store_claim(const char *path, void (*waited)(const char *path), GError **error);

/*
 * Reads PATH. It is locked then: its entries can be listed, and are what the file says, not more
 * (store_unlock() verifies them). KEY_ERROR_MISSING, _UNSAFE, _TRUNCATED, _DAMAGED, _NEWER.
 */
store *store_open(const char *path, GError **error);

/* A new, empty, unlocked store, which is not on disk before store_save(). */
store *store_create(const char *path, const secret *password, const kdf_cost *cost, GError **error);

/* Locks and frees it; NULL is fine. */
void store_free(store *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(store, store_free)

/*
 * Derives the keys from PASSWORD and verifies the whole file. KEY_ERROR_PASSWORD or
 * KEY_ERROR_TAMPERED; it stays locked then. A new store can be unlocked once it has been saved.
 */
gboolean store_unlock(store *self, const secret *password, GError **error);

/* Wipes what store_unlock() derived. Keys that were loaded are the caller's. */
void store_lock(store *self);
gboolean store_is_locked(const store *self);

/* Entries in the order of their making; valid until the store is changed or freed. */
guint store_count(const store *self);
store_entry store_entry_at(const store *self, guint index);
/* By name or SHA256 fingerprint; -1 with KEY_ERROR_MISSING, which names a near one. */
int store_find(const store *self, const char *name, GError **error);

/* The private key of an entry; the store must be unlocked. */
store_key *store_load(const store *self, guint index, GError **error);

/*
 * Changes, of an unlocked store, in memory. KEY_ERROR_TAKEN for a name or key that is there,
 * KEY_ERROR_KIND for a name that is none, KEY_ERROR_FAILED when there are too many.
 */
gboolean store_add(store *self, const char *name, const store_key *added, GError **error);
gboolean store_rename(store *self, guint index, const char *name, GError **error);
gboolean store_delete(store *self, guint index, GError **error);
gboolean store_set_password(store *self, const secret *password, const kdf_cost *cost,
                            GError **error);

/* Writes the file. */
gboolean store_save(store *self, GError **error);
