/* Errors of the key store, of keys and of key files. Messages are for the user. */
#pragma once

#include <glib.h>

#define KEY_ERROR (key_error_quark())

typedef enum {
    KEY_ERROR_FAILED,     /* a library or system call failed, or a limit was reached */
    KEY_ERROR_MISSING,    /* no such store or key */
    KEY_ERROR_TAKEN,      /* the name or the key is in the store already */
    KEY_ERROR_UNSAFE,     /* a symlink, of another user, or accessible to others: not read */
    KEY_ERROR_TRUNCATED,  /* the file is too short */
    KEY_ERROR_DAMAGED,    /* not a store, or the checksum is wrong */
    KEY_ERROR_TAMPERED,   /* the checksum is right, but authentication fails: changed on purpose */
    KEY_ERROR_NEWER,      /* written by a later version */
    KEY_ERROR_PASSWORD,   /* wrong password of the store or wrong passphrase of a file */
    KEY_ERROR_PASSPHRASE, /* the key file is encrypted, and no passphrase was given */
    KEY_ERROR_LOCKED,     /* the store must be unlocked first */
    KEY_ERROR_FORMAT,     /* not a private key, or not in a supported format */
    KEY_ERROR_KIND,       /* a type or size of key, a name or a signature that is refused */
} key_error;

static inline GQuark key_error_quark(void)
{
    return g_quark_from_static_string("key-error-quark");
}
