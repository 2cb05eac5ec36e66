/* Private keys as files in OpenSSH's format. */
#pragma once

#include "ssh-agent/store/key.h"
#include "ssh-agent/store/secret.h"

/*
 * The text of a key file, with COMMENT, encrypted with PASSPHRASE (aes256-ctr, bcrypt), or not when
 * that is NULL. An empty PASSPHRASE is an error: KEY_ERROR_PASSPHRASE.
 */
secret *export_key(const store_key *self, const char *comment, const secret *passphrase,
                   GError **error);
