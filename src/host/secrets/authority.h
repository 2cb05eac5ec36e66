/*
 * The certificate authority of one box, for hosts that have a secret.
 *
 * Its key lies in the runtime folder, with mode 0600: programs of the box read its certificate when
 * they start, and would fail after a restart of this process if that made a new one. Who can read
 * that folder is the user, who could read the secrets as well; and nobody but this box trusts it.
 */
#pragma once

#include <openssl/ssl.h>

/* In the runtime folder: key and certificate; the certificate alone. */
#define AUTHORITY_FILE "secrets-authority.pem"

/* Reads AUTHORITY_FILE in FOLDER (a descriptor), or makes it, for the box NAME, and writes
 * SECRETS_CERTIFICATE (proto/secret_files.h). 0, or -1 after it has printed why not. */
int authority_open(int folder, const char *name);

/* What a server with the name HOST needs: a new certificate with its key, and TLS 1.2 or later, for
 * tls_line_accept(). HOST is kept. NULL after it has printed why not. */
SSL_CTX *authority_server(const char *host);
