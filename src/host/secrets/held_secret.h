/* Secrets of a box, in litterbox-secrets. */
#pragma once

#include <glib.h>

#include "config/secret_file.h"
#include "ssh-agent/store/secret.h"

typedef struct held_secret {
    const secret_definition *definition;
    struct login *login; /* NULL: it is none. With it VALUE is NULL, and the placeholder is a part
                            that all phantoms have */
    secret *value;
    /* Of the same length, unless it is part of credentials: those change their shape when they are
     * made anew, and programs that run go on with the placeholder. */
    char *placeholder;
    const char *variable; /* that has the placeholder in the box; or NULL */
    /* The credentials of which this is the id; NULL: it is no id. */
    const struct signing_credentials *signs;
} held_secret;

/* What is put in its place; NULL: it is a login that nobody has made. */
const secret *held_secret_value(const held_secret *self);
/* TRUE when TEXT is its placeholder. */
gboolean held_secret_is_named(const held_secret *self, struct http_text text);

/* What a box signs with (SECRET_SIGV4). The value of the token is NULL where there is none. */
typedef struct signing_credentials {
    held_secret id, key, token;
} signing_credentials;
