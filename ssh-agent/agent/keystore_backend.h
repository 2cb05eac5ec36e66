/*
 * The keys of Litterbox's own key store. Its file lists them without a password. They can sign
 * while the store is unlocked: until it is locked, or its file changes. Their private parts are in
 * locked memory for that time.
 */
#pragma once

#include "ssh-agent/store/key_store.h"

typedef struct keystore_backend keystore_backend;
keystore_backend *keystore_backend_new(void);
void keystore_backend_free(keystore_backend *self);

/* Reads the list again when the file has changed, which also locks the store. */
void keystore_backend_refresh(keystore_backend *self);

guint keystore_backend_count(const keystore_backend *self);
/* Valid until the next refresh. */
key_store_entry keystore_backend_entry(const keystore_backend *self, guint index);

gboolean keystore_backend_is_locked(const keystore_backend *self);
gboolean keystore_backend_unlock(keystore_backend *self, const secret *password, GError **error);
void keystore_backend_lock(keystore_backend *self);

/* Appends the signature of DATA by the key with that BLOB to SIGNATURE. */
gboolean keystore_backend_sign(const keystore_backend *self, struct ssh_span blob,
                               struct ssh_span data, guint32 flags, struct ssh_writer *signature,
                               GError **error);
