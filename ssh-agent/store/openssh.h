/* The container of OpenSSH's key files (its PROTOCOL.key), shared by import and export. */
#pragma once

#include "ssh-agent/store/cipher.h"
#include "ssh-agent/store/key.h"
#include "ssh-agent/store/secret.h"

#define OPENSSH_BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define OPENSSH_END "-----END OPENSSH PRIVATE KEY-----\n"
#define OPENSSH_MAGIC "openssh-key-v1" /* and a NUL */

/* Multiple of which the private part's length is when it is not encrypted. */
#define OPENSSH_BLOCK 8

/* Most rounds of bcrypt. One takes some 7 ms: beyond half a minute it is no passphrase's cost, but
 * an attack. */
#define OPENSSH_ROUNDS_MAX 4096

/* The bytes that the base64 text between BEGIN and END stands for; see import_key(). */
store_key *openssh_read(struct ssh_span container, const secret *passphrase, char **comment,
                        GError **error);

/* Key and iv for KIND from a passphrase. NULL when the sizes are out of range. */
secret *openssh_derive(const cipher *kind, const secret *passphrase, struct ssh_span salt,
                       guint32 rounds);
