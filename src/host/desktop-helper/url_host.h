/* The host of a URL: normalised, and as people read it. */
#pragma once

#include <glib.h>

/* Longest host name, as in DNS (RFC 1035). */
#define URL_HOST_MAX 253

/* NAME in lower-case ASCII, an IPv6 address in brackets; a new string. NULL when it is not valid.
 */
char *url_host_normalise(const char *name);

/* HOST (normalised) decoded from Punycode (xn--…), a new string, and the names of its scripts in
 * *SCRIPTS, a new string. NULL when it has no Punycode. */
char *url_host_unicode(const char *host, char **scripts);

/* TRUE when HOST (normalised) is a name or an address of the loopback interface. */
gboolean url_host_is_loopback(const char *host);
