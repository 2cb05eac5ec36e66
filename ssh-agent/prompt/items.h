/* The lists of a question: items of known shape, read from JSON with bounds. For question.c alone.
 */
#pragma once

#include <jansson.h>

#include "question.h"

/* Longest name in bytes. Like all ceilings of texts it is made so that what stands above the claims
 * fits into the window. */
#define NAME_MAX_BYTES 64

/* The text NAME of OBJECT, harmless, MAX bytes at most; NULL when it is absent, empty or no text.
 */
char *items_text(json_t *object, const char *name, gsize max);

/* The number NAME of OBJECT when it is one from 1 to MAX, else OTHERWISE. */
gint64 items_number(json_t *object, const char *name, gint64 max, gint64 otherwise);

/* Fills all lists of SELF from ROOT; on failure as well they are what items_free() takes. */
gboolean items_read(question *self, json_t *root, GError **error);
void items_free(question *self);
