/*
 * Everything that is wrong with the configuration, gathered so that the user sees all of it at
 * once: "file:line:column: [section] key: what is wrong", a line each, in the order of the files.
 */
#pragma once

#include <glib.h>

#include "config/toml.h"

/* More than this are counted, not shown: a hostile file could have a hundred thousand. */
#define PROBLEMS_SHOWN 50

typedef struct problems problems;
problems *problems_new(void);
void problems_free(problems *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(problems, problems_free)

/*
 * Adds one. SECTION and KEY may be NULL and may be foreign text; what goes into FORMAT must be safe
 * already. AT.line 0: no place (flags, whole files).
 */
void problems_add(problems *self, const char *file, toml_place at, const char *section,
                  const char *key, const char *format, ...) G_GNUC_PRINTF(6, 7);

/* TRUE when there are none, else FALSE and BOX_ERROR_CONFIG with them all. */
gboolean problems_check(problems *self, GError **error);
