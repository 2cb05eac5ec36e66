/* A store's inside, for store.c and store_change.c. */
#pragma once

#include "ssh-agent/store/format.h"
#include "ssh-agent/store/store.h"

struct store {
    char *path;
    GBytes *file; /* as it was read; NULL for a new store */
    format_index index;
    secret *check_key, *mac_key, *record_key; /* NULL while locked */
};

/* Sets the three keys from PASSWORD and the index's cost and salt. */
gboolean store_derive(store *self, const secret *password, GError **error);

/* KEY_ERROR_LOCKED unless it is unlocked. */
gboolean store_need_unlocked(const store *self, GError **error);
