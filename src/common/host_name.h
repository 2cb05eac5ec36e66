/* How a person reads the name of a host that is written in Punycode. */
#pragma once

#include <glib.h>

/*
 * HOST (lower-case ASCII, or an IPv6 address in brackets) decoded from Punycode (xn--…), harmless,
 * a new string, and the names of its scripts ("Cyrillic, Latin") in *SCRIPTS, a new string. NULL
 * when it has no Punycode. A label that cannot be decoded stays as it is.
 */
char *host_name_unicode(const char *host, char **scripts);
