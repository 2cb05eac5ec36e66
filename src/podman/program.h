/* The program podman, and its environment, where it is executed. */
#pragma once

#include <glib.h>

/* The path of the program NAME in $PATH, a new string; or NULL. */
char *podman_find_program(const char *name);
/* The path of podman, a new string. NULL with BOX_ERROR_UNREACHABLE, and what to install. */
char *podman_program(GError **error);

/* The "K=V" that podman gets, of new strings, without a NULL at the end. PATH: in place of $PATH;
 * NULL: that itself. */
GPtrArray *podman_environment(const char *path);
