/*
 * Keys of Litterbox's own store. Its file tells which there are; they can sign once it has been
 * unlocked, until it is locked or changed. They are copied into locked memory then, and the store
 * is closed again.
 */
#pragma once

#include "ssh-agent/store/store.h"

typedef struct own own;
own *own_new(void);
void own_free(own *self);

/* Looks at the file again when it is another than before; it is locked then. */
void own_refresh(own *self);

guint own_count(const own *self);
/* Valid until the next refresh. */
store_entry own_entry(const own *self, guint index);

gboolean own_is_locked(const own *self);
gboolean own_unlock(own *self, const secret *password, GError **error);
void own_lock(own *self);

/* Appends the signature of DATA with the key of that BLOB. */
gboolean own_sign(const own *self, struct ssh_span blob, struct ssh_span data, guint32 flags,
                  struct ssh_writer *signature, GError **error);
