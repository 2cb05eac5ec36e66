/*
 * All problems of the configuration, collected so that the user sees them at once: a line
 * "file:line:column: [section] key: what is wrong" for each, in the order of the files.
 */
#pragma once

#include <glib.h>

#include "config/toml.h"

/* Further problems are only counted: a hostile file could have a hundred thousand. */
#define PROBLEMS_SHOWN 50

typedef struct problems problems;
problems *problems_new(void);
void problems_free(problems *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(problems, problems_free)

/*
 * Adds one. SECTION and KEY may be NULL, and are made safe; the arguments of FORMAT must be safe
 * already. AT.line 0: no place (flags, whole files).
 */
void problems_add(problems *self, const char *file, toml_place at, const char *section,
                  const char *key, const char *format, ...) G_GNUC_PRINTF(6, 7);

/* TRUE when there are none, else FALSE and BOX_ERROR_CONFIG with all of them. */
gboolean problems_check(problems *self, GError **error);
