/* Opens an address with the host's default program. */
#pragma once

#include <glib.h>

/* Hands ADDRESS (from url.h) to xdg-open or gio. Returns NULL, or why it failed; the caller frees
 * that. */
char *browser_open(const char *address);
