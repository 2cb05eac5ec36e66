/* What can be wrong with the store, a key or a key file. Messages are sentences for the user. */
#pragma once

#include <glib.h>

#define KEY_ERROR (key_error_quark())

typedef enum {
    KEY_ERROR_FAILED,     /* a library failed: no memory, no entropy */
    KEY_ERROR_MISSING,    /* there is no store, or no key of that name */
    KEY_ERROR_TAKEN,      /* a key of that name, that very key, or a store is there already */
    KEY_ERROR_UNSAFE,     /* a symlink, of another user, open to others: not even read */
    KEY_ERROR_TRUNCATED,  /* the file ends too early */
    KEY_ERROR_DAMAGED,    /* no store, or changed by something that did not care */
    KEY_ERROR_TAMPERED,   /* changed by someone who did care: the authentication fails */
    KEY_ERROR_NEWER,      /* written by a later version */
    KEY_ERROR_PASSWORD,   /* the store's password or the file's passphrase is wrong */
    KEY_ERROR_PASSPHRASE, /* the key file is encrypted, and no passphrase was given */
    KEY_ERROR_LOCKED,     /* the store was not unlocked, or was locked again */
    KEY_ERROR_FORMAT,     /* this is no private key, or none that we can read */
    KEY_ERROR_KIND,       /* a key of a kind, size or for a use that is refused */
} key_error;

GQuark key_error_quark(void);
