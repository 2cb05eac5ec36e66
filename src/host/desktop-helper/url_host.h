/* The host of an address: in one form only, and as people read it. */
#pragma once

#include <glib.h>

/* NAME in ASCII and small letters, an IPv6 address with its brackets; a new string. NULL when it is
 * no host. */
char *host_normalise(const char *name);

/* HOST (normalised) in the letters that it stands for (xn--…), a new string, and in *SCRIPTS, a new
 * string, of which scripts they are; NULL when it is plain ASCII. */
char *host_letters(const char *host, char **scripts);

/* TRUE when HOST (normalised) is this machine, by a name or address of its loopback. */
gboolean host_is_here(const char *host);
