/*
 * Placeholders: what a box gets in place of a secret. Of the same length and shape, because clients
 * check the shape of a key before they use it.
 */
#pragma once

#include <glib.h>

#define PLACEHOLDER_KEY 32

/* A value's length. A shorter one could be guessed, and would be found where it is not meant. */
#define SECRET_VALUE_MIN 16
#define SECRET_VALUE_MAX 4096

/* NULL, or why VALUE cannot be in a field of HTTP and be told from other text. */
const char *secret_value_refusal(const char *value, gsize length);
/* The same, whatever its length. */
const char *secret_text_refusal(const char *value, gsize length);

/* Bytes of the known prefix of VALUE; 0: it has none. */
gsize placeholder_prefix(const char *value, gsize length);

/*
 * The placeholder of the secret NAME with VALUE, in a box with KEY: a known prefix of keys ("ghp_")
 * and all that is neither letter nor digit stay, the rest is made of KEY and NAME alone. A new
 * string, the same each time.
 */
char *placeholder_make(const guint8 key[PLACEHOLDER_KEY], const char *name, const char *value,
                       gsize length);
