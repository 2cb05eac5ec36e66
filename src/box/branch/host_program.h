/* Programs of the host that are run on what a branch holds. */
#pragma once

#include <glib.h>

/* The path of the host's program NAME, which no box could have written; a new string. NULL with
 * ERROR, which says what to do: INSTEAD. */
char *host_program(const char *name, const char *instead, GError **error);
