/*
 * The hosts of a box's secrets, and those that have rules with methods or paths, as the box sees
 * them, and all that is needed to serve them.
 */
#pragma once

#include <openssl/ssl.h>

#include "host/secrets/request_rewrite.h"

typedef struct {
    char name[HOST_NAME_SIZE]; /* in the box, with its port */
    guint16 port;
    char server[HOST_NAME_SIZE]; /* whose certificate is asked for */
    guint16 server_port;
    char *host;       /* of requests; NULL: as the box wrote it */
    SSL_CTX *context; /* NULL: plain HTTP, for a base URL */
    GPtrArray *here;  /* of held_secret, borrowed; none where rules alone are for it */
} service;

/*
 * Takes the lines of SECRETS_LIST: reads the secrets and their values, and makes placeholders with
 * KEY. Nothing of it is ever freed. FALSE after it has printed why not; one secret without a value
 * leaves the others as they are, and its hosts are refused.
 */
gboolean services_load(char *const *lines, const guint8 *key);
/* Makes the certificates. FALSE after it has printed why not. */
gboolean services_certify(void);

/* Lines "VARIABLE=VALUE" for sessions of the box. A new string. */
char *services_variables(void);
/* What SECRETS_FILES has (proto/secret_files.h). A new string. */
char *services_files(void);
/* The login whose tokens are for SELF; NULL: none. Its requests are read by exchange_tokens.c,
 * which knows HTTP/1.1 alone. */
const held_secret *service_login(const service *self);
/* All secrets. */
const GPtrArray *services_secrets(void);
/* The service at NAME and PORT; NULL. */
const service *services_find(const char *name, guint16 port);
